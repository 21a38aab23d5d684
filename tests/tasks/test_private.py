"""What lies in the store is its owner's alone, whatever the umask; a folder that is shared on purpose stays so."""

import os
import sqlite3
import stat
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from rarefy.tasks.evaluate.retrieve.search import open_cached_index
from rarefy.tasks.evaluate.systems.answer_store import AnswerStore
from rarefy.tasks.evaluate.systems.interface import SystemOutput
from rarefy.tasks.models.embed.vector_cache import VectorCache
from rarefy.tasks.models.llm.batch_api import SubmittedBatch, save_batch
from rarefy.tasks.models.llm.reply_store import open_reply_store
from rarefy.tasks.private import make_file, make_folder, open_file, restrict_folder
from rarefy.tasks.store.tables import Store

pytestmark = pytest.mark.skipif(os.name != "posix", reason="modes as POSIX has them")


@pytest.fixture
def umask():
    """Sets the umask, until the test is over."""
    before = os.umask(0)
    yield os.umask
    os.umask(before)


def modes(folder: Path) -> dict[str, str]:
    paths = [folder, *folder.rglob("*")]
    return {path.relative_to(folder.parent).as_posix(): oct(stat.S_IMODE(path.stat().st_mode)) for path in paths}


def write_everything(place: Path) -> list[object]:
    """Whatever the package puts into a store; what it opened, since SQLite takes files away when it is closed."""
    store = Store(place)
    store.put("a" * 32, {"rows": pa.table({"a": [1]})})
    assert store.create("running/it", b"x")
    replies = open_reply_store("", place)
    save_batch(place / "batches", SubmittedBatch("d" * 32, "http://x", ("a",), 0.0))
    answers = AnswerStore(place / "answers.sqlite", {"kind": "x"})
    answers.keep(SystemOutput("a", "text"))
    embedded = VectorCache(place / "deep" / "er")
    embedded(b"x" * 32, ["a"], lambda texts: [(texts, np.ones((1, 2), dtype=np.float32))])
    open_cached_index(
        place / "indexes" / "one", {"of": 1}, lambda folder: (folder / "faiss").write_bytes(b"x"), lambda folder: 0
    )
    return [store, replies, answers, embedded]


@pytest.mark.parametrize("mask", [0o000, 0o002, 0o022, 0o077])
def test_all_that_is_put_into_a_store_is_its_owners_alone(umask, tmp_path, mask):
    umask(mask)
    still_open = write_everything(tmp_path / "store")
    found = modes(tmp_path / "store")
    assert {"store/replies.sqlite", "store/answers.sqlite", "store/deep/er/embeddings.sqlite"} <= set(found)
    wrong = {name: mode for name, mode in found.items() if mode != ("0o700" if (tmp_path / name).is_dir() else "0o600")}
    assert wrong == {} and len(found) > 12 and still_open


@pytest.mark.parametrize("mask", [0o000, 0o022, 0o077])
def test_a_folder_with_the_setgid_bit_is_shared_with_its_group_and_nobody_else(umask, tmp_path, mask):
    umask(mask)
    place = tmp_path / "store"
    place.mkdir()
    place.chmod(0o2770)
    still_open = write_everything(place)
    wrong = {
        name: mode
        for name, mode in modes(place).items()
        if int(mode, 8) & 0o777 != (0o770 if (tmp_path / name).is_dir() else 0o660)
    }
    assert wrong == {} and still_open


def test_what_exists_keeps_its_mode(umask, tmp_path):
    (tmp_path / "folder").mkdir(0o755)
    make_folder(tmp_path / "folder")
    (tmp_path / "folder" / "file").write_text("before")
    (tmp_path / "folder" / "file").chmod(0o644)
    make_file(tmp_path / "folder" / "file")
    with open_file(tmp_path / "folder" / "file", "a") as file:
        file.write(" and after")
    assert (tmp_path / "folder" / "file").read_text() == "before and after"
    assert modes(tmp_path / "folder") == {"folder": "0o755", "folder/file": "0o644"}


def test_a_file_where_a_folder_is_wanted_is_told(tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises((FileExistsError, NotADirectoryError), match="file"):
        make_folder(tmp_path / "file" / "folder")


def test_a_folder_that_a_library_filled_is_closed(umask, tmp_path):
    (tmp_path / "a" / "b").mkdir(parents=True)
    (tmp_path / "a" / "b" / "c").write_text("x")
    restrict_folder(tmp_path / "a")
    assert modes(tmp_path / "a") == {"a": "0o700", "a/b": "0o700", "a/b/c": "0o600"}


def test_the_logs_of_a_database_have_its_mode(umask, tmp_path):
    make_file(tmp_path / "a.sqlite")
    store = sqlite3.connect(tmp_path / "a.sqlite")
    store.execute("PRAGMA journal_mode=WAL")
    store.execute("CREATE TABLE one (a)")
    store.commit()
    found = modes(tmp_path)
    store.close()
    assert {mode for name, mode in found.items() if "sqlite" in name} == {"0o600"} and len(found) > 2
