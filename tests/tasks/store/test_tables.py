"""The store keeps its promises whatever is done to it."""

import os
import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pytest

from rarefy.data_contracts.rows import Block, Chunk, Document, Question, Span
from rarefy.data_contracts.tables import from_table, to_table
from rarefy.tasks.store.tables import Store, TableDamaged, digest, fingerprint, to_parquet


def chunks(*texts: str) -> pa.Table:
    return to_table([Chunk(t, "d", 0, len(t), "text", "", t, 1) for t in texts], Chunk)


def only_table(root: Path) -> Path:
    (path,) = (root / "tables").glob("*.parquet")
    return path


def test_what_is_put_is_found_and_read_back(tmp_path):
    store = Store(tmp_path)
    made = store.put("r" * 32, {"chunks": chunks("one", "two")})
    assert Store(tmp_path).find("r" * 32) == made
    assert Store(tmp_path).table(made["chunks"]).equals(chunks("one", "two"))


def test_every_kind_of_column_comes_back_as_it_was(tmp_path):
    blocks = (Block("text", 0, 3), Block("table", 3, 5, "Item 7 > Results"))
    documents = [
        Document("d", "h", "s", "t", "m", "abc", blocks, metadata={"cik": "1"}),
        Document("e", "", "", "", "", ""),
    ]
    spans = (Span("c", 0, 1), Span("d", 0, 1))
    questions = [Question("q", "p", "chain", "t", "a", ("x",), (), (), (), spans, retrievable=r) for r in (None, True)]
    rows = {"documents": (documents, Document), "questions": (questions, Question)}
    store = Store(tmp_path)
    made = store.put("a" * 32, {kind: to_table(some, row_type) for kind, (some, row_type) in rows.items()})
    for kind, (some, row_type) in rows.items():
        assert list(from_table(store.table(made[kind]), row_type)) == some
        assert store.rows(made[kind]) == 2


def test_a_recipe_that_never_finished_is_not_found(tmp_path):
    assert Store(tmp_path / "nowhere").find("a" * 32) is None


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b'{"chunks": "../../etc/passwd"}', b'{"chunks": "0123"}'])
def test_a_recipe_of_garbage_is_no_promise(tmp_path, content):
    store = Store(tmp_path)
    store.write(f"recipes/{'a' * 32}", content)
    assert store.find("a" * 32) is None


def test_equal_rows_make_equal_names_and_equal_bytes_however_they_are_chunked():
    whole, parts = chunks("a", "b", "c"), pa.concat_tables([chunks("a"), chunks("b", "c")])
    assert fingerprint(whole) == fingerprint(parts) == fingerprint(pa.concat_tables([chunks("z"), whole]).slice(1))
    assert to_parquet(whole) == to_parquet(parts)


def test_any_changed_value_changes_the_name():
    block = Block("text", 0, 3)
    documents = [
        Document("d", "h", "s", "t", "m", "abc"),
        Document("d", "h", "s", "t", "m", "abc", blocks=(block,)),
        Document("d", "h", "s", "t", "m", "abc", blocks=(block, block)),
        Document("d", "h", "s", "t", "m", "ab", entity="c"),
        Document("d", "h", "s", "t", "m", "abc", fiscal_year=1),
        Document("d", "h", "s", "t", "m", "abc", dropped={"page": 1}),
    ]
    spans = (Span("c", 0, 1),)
    questions = [
        Question("q", "p", "chain", "t", "a", aliases, (), (), (), spans, retrievable=tried)
        for aliases in ((), ("x", "y"), ("xy",), ("", "xy"))
        for tried in (None, True, False)
    ]
    names = [fingerprint(to_table([d], Document)) for d in documents]
    names += [fingerprint(to_table([q], Question)) for q in questions]
    names += [fingerprint(chunks()), fingerprint(to_table([], Document)), fingerprint(chunks("a", "b"))]
    names += [fingerprint(chunks("b", "a")), fingerprint(chunks("ab", ""))]
    assert len(set(names)) == len(names)


def test_the_name_of_known_rows_never_changes():
    rows = {
        "text": ["Net sales rose.", "£ – ✓", None],
        "n": [1, None, -3],
        "span": [[{"a": 1}], [], [{"a": 2}, {"a": 3}]],
    }
    assert fingerprint(pa.table(rows)) == "6fe02797cc205c1ad52046f484ba12ce"


@pytest.mark.parametrize("left", [0, 1, 3, 100])
def test_a_truncated_table_is_not_found_and_is_made_anew(tmp_path, left):
    store = Store(tmp_path)
    made = store.put("a" * 32, {"chunks": chunks("one")})
    path = only_table(tmp_path)
    os.truncate(path, left)
    assert store.find("a" * 32) is None
    assert store.put("a" * 32, {"chunks": chunks("one")}) == made
    assert store.table(made["chunks"]).equals(chunks("one"))


def test_a_table_with_a_flipped_byte_is_named_and_put_aside(tmp_path):
    store = Store(tmp_path)
    name = store.put("a" * 32, {"chunks": chunks("one", "two")})["chunks"]
    path = only_table(tmp_path)
    content = bytearray(path.read_bytes())
    content[20] ^= 0xFF
    path.write_bytes(content)
    with pytest.raises(TableDamaged, match=name):
        store.table(name)
    assert store.find("a" * 32) is None


def test_a_table_under_another_tables_name_is_noticed(tmp_path):
    store = Store(tmp_path)
    name = store.put("a" * 32, {"chunks": chunks("one")})["chunks"]
    only_table(tmp_path).write_bytes(to_parquet(chunks("forged")))
    with pytest.raises(TableDamaged, match="not those it was named after"):
        store.table(name)


def test_a_lost_table_is_named(tmp_path):
    with pytest.raises(TableDamaged, match="0" * 32):
        Store(tmp_path).table("0" * 32)


def test_any_fsspec_url_will_do():
    store = Store("memory://bench/store")
    made = store.put("a" * 32, {"chunks": chunks("one")})
    assert Store("memory://bench/store").find("a" * 32) == made
    assert store.table(made["chunks"]).equals(chunks("one"))


WRITE_OFTEN = """
import sys, pyarrow
from rarefy.tasks.store.tables import Store, digest
store = Store(sys.argv[1])
for n in range(40):
    store.put(digest(n % 5), {"chunks": pyarrow.table({"text": [str(n % 5) * 50] * 200})})
"""


def test_writers_of_the_same_tables_do_not_hurt_each_other(tmp_path):
    writers = [subprocess.Popen([sys.executable, "-c", WRITE_OFTEN, str(tmp_path)]) for _ in range(3)]
    assert [writer.wait() for writer in writers] == [0, 0, 0]
    store = Store(tmp_path)
    for n in range(5):
        made = store.find(digest(n))
        assert made and store.table(made["chunks"]).num_rows == 200
    assert not list(tmp_path.glob("*/.*"))


WRITE_BEYOND_THE_LIMIT = """
import resource, sys, pyarrow
from rarefy.tasks.store.tables import Store
resource.setrlimit(resource.RLIMIT_FSIZE, (64, 64))
try:
    Store(sys.argv[1]).put("a" * 32, {"chunks": pyarrow.table({"text": ["longer than the disk has room for"]})})
except OSError as error:
    print(error)
"""


def test_a_full_disk_is_one_error_that_names_the_path_and_leaves_nothing(tmp_path):
    command = [sys.executable, "-c", WRITE_BEYOND_THE_LIMIT, str(tmp_path)]
    (message,) = subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()
    assert str(tmp_path / "tables") in message
    assert Store(tmp_path).find("a" * 32) is None
    assert not [path for path in tmp_path.rglob("*") if path.is_file()]


def test_what_a_dead_writer_left_is_swept_and_what_a_living_one_writes_is_not(tmp_path):
    store = Store(tmp_path)
    store.put("a" * 32, {"chunks": chunks("one")})
    dead, alive = tmp_path / "tables" / ".t.parquet.dead", tmp_path / "tables" / ".t.parquet.alive"
    for scratch in (dead, alive):
        scratch.write_bytes(b"half")
    os.utime(dead, (0, 0))
    assert store.sweep() == 1
    assert alive.exists() and not dead.exists()
    assert store.find("a" * 32)


def test_a_relative_folder_is_the_same_place_from_anywhere(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    here = Store("store")
    made = here.put("a" * 32, {"chunks": chunks("one")})
    monkeypatch.chdir("/")
    assert Store(here.url).find("a" * 32) == made


def test_a_file_is_created_once_and_whole(tmp_path):
    store = Store(tmp_path)
    assert store.create("versions/line/1.json", b"first")
    assert not store.create("versions/line/1.json", b"second")
    assert not store.create("versions/line/1.json", b"first"), "here it is known whose it is"
    assert [path.read_bytes() for path in (tmp_path / "versions" / "line").iterdir()] == [b"first"]


def test_of_many_that_create_one_file_one_is_told_that_it_did(tmp_path):
    from concurrent.futures import ThreadPoolExecutor

    for url in (tmp_path, "memory://create"):
        store = Store(url)
        with ThreadPoolExecutor(8) as threads:
            made = list(threads.map(lambda number, at=store: at.create("one", str(number).encode()), range(40)))
        assert sum(made) == 1 and store.read("one") == str(made.index(True)).encode()


def test_a_disk_without_links_is_named(tmp_path, monkeypatch):
    def refused(*_):
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(os, "link", refused)
    with pytest.raises(OSError, match="has no hard links; keep the store") as error:
        Store(tmp_path).create("leases/1", b"mine")
    assert str(tmp_path / "leases" / "1") in str(error.value)
    assert list((tmp_path / "leases").iterdir()) == []


def test_a_damaged_name_of_a_lists_items_is_another_table() -> None:
    def listed(name: str) -> str:
        return fingerprint(pa.table({"a": pa.array([["b"]], pa.list_(pa.field(name, pa.string())))}))

    assert listed("item") == listed("element") != listed("elem~nt")
