"""A folder holds the old benchmark or the new one, whoever fails, forbids it or writes there too."""

import fcntl
import os
from pathlib import Path

import pytest

from rarefy.tasks.export import files
from rarefy.tasks.export.files import StagedFiles, remove_leftovers


def held(out: Path) -> dict[str, bytes]:
    return {str(path.relative_to(out)): path.read_bytes() for path in sorted(out.rglob("*")) if path.is_file()}


@pytest.fixture
def old(tmp_path):
    out = tmp_path / "out"
    with StagedFiles(out, "last") as first:
        first.write({"a": [b"old a"], "b/c": [b"old c"], "d": None})
        assert first.swap(["a", "b/c", "d"], b"old", lambda: None)
    assert held(out) == {"a": b"old a", "b/c": b"old c", "last": b"old"}
    return out


def test_files_change_places_and_those_that_are_no_more_go(old):
    with StagedFiles(old, "last") as new:
        new.write({"a": [b"new a"], "b/c": None, "d": [b"new d"]})
        assert held(old)["last"] == b"old", "nothing is published by writing"
        assert new.swap(["a", "b/c", "d"], b"new", lambda: None)
    assert held(old) == {"a": b"new a", "d": b"new d", "last": b"new"}


def test_what_cannot_be_written_leaves_all_as_it_was(old):
    def full():
        yield b"half"
        raise OSError(28, "No space left on device")

    with pytest.raises(OSError, match="No space left on device") as error, StagedFiles(old, "last") as new:
        new.write({"a": [b"new a"], "b/c": full()})
    assert error.value.filename == str(old / "b" / "c")
    assert held(old) == {"a": b"old a", "b/c": b"old c", "last": b"old"}


def test_a_fence_that_forbids_it_leaves_all_as_it_was(old):
    def forbidden():
        raise PermissionError("the lease is lost")

    with pytest.raises(PermissionError), StagedFiles(old, "last") as new:
        new.write({"a": [b"new a"]})
        new.swap(["a"], b"new", forbidden)
    assert held(old) == {"a": b"old a", "b/c": b"old c", "last": b"old"}


def test_one_that_was_overtaken_is_told_and_has_changed_nothing(old):
    with StagedFiles(old, "last") as slow, StagedFiles(old, "last") as fast:
        slow.write({"a": [b"slow a"]})
        fast.write({"a": [b"fast a"]})
        assert fast.swap(["a"], b"fast", lambda: None)
        slow.write({"b/c": [b"slow c"]})
        assert not slow.swap(["a", "b/c"], b"slow", lambda: None)
    assert held(old) == {"a": b"fast a", "b/c": b"old c", "last": b"fast"}


def test_what_killed_runs_left_is_removed(old):
    (old / "hf").mkdir()
    (old / "hf" / ".c.0123456789ab.part").write_bytes(b"left")
    (old / ".manifest.json.part").write_bytes(b"left")
    remove_leftovers(old)
    assert not [name for name in held(old) if name.endswith(".part")]


def test_a_folder_where_another_one_writes_is_waited_for_and_then_named(old, monkeypatch):
    monkeypatch.setattr(files, "PATIENCE", 0.1)
    other = os.open(old, os.O_RDONLY)
    fcntl.flock(other, fcntl.LOCK_EX)
    with pytest.raises(BlockingIOError, match="another run has been writing there") as error, files.lock_folder(old):
        pass
    assert str(old) in str(error.value)
    os.close(other)
    with files.lock_folder(old):
        pass


def test_files_of_others_below_the_folder_are_never_tidied(tmp_path):
    theirs = [tmp_path / "notes" / ".movie.mkv.part", tmp_path / ".download.part", tmp_path / "beir" / ".x.part"]
    ours = [tmp_path / ".chunks.jsonl.0123456789ab.part", tmp_path / "hf" / "data" / ".a.parquet.0123456789ab.part"]
    ours += [tmp_path / ".contracts.json.part"]
    for path in (*theirs, *ours):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("half")
    remove_leftovers(tmp_path)
    assert [path.exists() for path in theirs] == [True] * 3 and not any(path.exists() for path in ours)
