"""What is put in place is safe on the disk: bytes before the name, the name before anybody goes on."""

import os
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pytest

from rarefy.tasks.atomic_write import open_atomic, put_in_place
from rarefy.tasks.export.files import put_file
from rarefy.tasks.store.tables import Store


@pytest.fixture
def steps(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What is done to files, in its order: "sync NAME" and "rename NAME"."""
    done: list[str] = []
    sync, rename, link = os.fsync, Path.replace, os.link

    def synced(handle: int) -> None:
        done.append(f"sync {Path(f'/proc/self/fd/{handle}').readlink().name}")
        sync(handle)

    def renamed(here: Path, there: Path) -> Path:
        done.append(f"rename {here.name}")
        return rename(here, there)

    def linked(here: Path, there: str) -> None:
        done.append(f"rename {Path(here).name}")
        link(here, there)

    monkeypatch.setattr(os, "fsync", synced)
    monkeypatch.setattr(Path, "replace", renamed)
    monkeypatch.setattr(os, "link", linked)
    return done


def land(place: Path) -> None:
    with open_atomic(place) as file:
        file.write(b"text")


WRITERS: dict[str, Callable[[Path], object]] = {
    "put bytes": lambda place: put_file(place, [b"te", b"xt"]),
    "put a table": lambda place: put_file(place, pa.table({"a": [1]})),
    "landing": land,
    "store write": lambda place: Store(str(place.parent)).write(place.name, b"text"),
    "store create": lambda place: Store(str(place.parent)).create(place.name, b"text"),
}


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="names of open files are told by /proc")
@pytest.mark.parametrize("write", WRITERS.values(), ids=WRITERS)
def test_bytes_are_safe_before_the_name_and_the_name_before_anybody_goes_on(
    tmp_path: Path, steps: list[str], write: Callable[[Path], object]
) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    write(folder / "file")
    assert (folder / "file").exists() and len(list(folder.iterdir())) == 1
    scratch = next(step.removeprefix("rename ") for step in steps if step.startswith("rename"))
    assert steps == [f"sync {scratch}", f"rename {scratch}", "sync folder"]


def test_a_file_system_that_cannot_sync_a_folder_gets_the_file_all_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sync = os.fsync

    def refused(handle: int) -> None:
        if Path(f"/proc/self/fd/{handle}").is_dir():
            raise OSError(22, "Invalid argument")
        sync(handle)

    monkeypatch.setattr(os, "fsync", refused)
    (tmp_path / "scratch").write_bytes(b"text")
    put_in_place(tmp_path / "scratch", tmp_path / "file")
    assert (tmp_path / "file").read_bytes() == b"text" and not (tmp_path / "scratch").exists()
