"""What a folder holds, and the memory of it."""

import os
from pathlib import Path

import pytest

from rarefy.tasks.atomic_write import open_atomic
from rarefy.tasks.refresh.feeds.feed_memory import load_memory, save_memory
from rarefy.tasks.refresh.feeds.folder import WatchState, current_moment, is_partial, scan_folder
from rarefy.tasks.store.tables import Store


@pytest.mark.parametrize(
    "name",
    ["a.part", "a.htm.tmp", "a.pdf.crdownload", "a.filepart", "a.txt~", ".a.txt", ".DS_Store", "A.PART", "a.swp"],
)
def test_names_of_half_written_and_hidden_files_are_no_documents(name, tmp_path):
    (tmp_path / name).write_text("half")
    (tmp_path / "whole.txt").write_text("whole")
    assert list(scan_folder(tmp_path, {}, ())) == ["whole.txt"]
    assert is_partial(name)


def test_files_of_folders_are_named_by_their_path_and_hidden_folders_passed_over(tmp_path):
    (tmp_path / "a" / "b").mkdir(parents=True)
    (tmp_path / "a" / "b" / "c.txt").write_text("c")
    (tmp_path / ".git").mkdir()
    (tmp_path / ".git" / "x.txt").write_text("x")
    assert list(scan_folder(tmp_path, {}, ())) == ["a/b/c.txt"]


def test_a_corpus_may_be_one_file(tmp_path):
    (tmp_path / "all.jsonl").write_text("{}")
    assert list(scan_folder(tmp_path / "all.jsonl", {}, ())) == ["all.jsonl"]


def test_only_files_that_look_different_are_read(tmp_path, monkeypatch):
    (tmp_path / "a.txt").write_text("a")
    (tmp_path / "b.txt").write_text("b")
    known = scan_folder(tmp_path, {}, ())
    read: list[str] = []
    monkeypatch.setattr("rarefy.tasks.refresh.feeds.folder._digest", lambda place: read.append(Path(place).name) or "d")
    scan_folder(tmp_path, known, ())
    assert read == []
    scan_folder(tmp_path, known, {"a.txt"})
    assert read == ["a.txt"]
    scan_folder(tmp_path, known, (), rehash=True)
    assert sorted(read[1:]) == ["a.txt", "b.txt"]


def test_content_that_changes_while_size_and_time_stay_is_seen(tmp_path):
    """As `cp -p` and rsync leave it: the time of the entry's own change tells."""
    place = tmp_path / "a.txt"
    place.write_text("old")
    known = scan_folder(tmp_path, {}, ())
    status = place.stat()
    place.write_text("new")
    os.utime(place, ns=(status.st_atime_ns, status.st_mtime_ns))
    assert place.stat().st_mtime_ns == status.st_mtime_ns
    assert scan_folder(tmp_path, known, ())["a.txt"][1] != known["a.txt"][1]


def test_a_file_that_vanishes_between_listing_and_reading_is_no_fault(tmp_path, monkeypatch):
    (tmp_path / "a.txt").write_text("a")
    (tmp_path / "b.txt").write_text("b")
    from rarefy.tasks.refresh.feeds import folder

    def listed(corpus):
        yield str(tmp_path / "gone.txt"), "gone.txt"
        yield str(tmp_path / "a.txt"), "a.txt"

    monkeypatch.setattr(folder, "_list_files", listed)
    assert list(scan_folder(tmp_path, {}, ())) == ["a.txt"]


def test_a_file_that_may_not_be_read_is_there(tmp_path):
    if os.geteuid() == 0:
        pytest.skip("root may read everything")
    (tmp_path / "a.txt").write_text("a")
    (tmp_path / "a.txt").chmod(0)
    assert scan_folder(tmp_path, {}, ())["a.txt"][1].startswith("unreadable")


def test_a_folder_that_is_gone_is_not_an_empty_one(tmp_path):
    with pytest.raises(FileNotFoundError, match="nowhere"):
        scan_folder(tmp_path / "nowhere", {}, ())
    assert scan_folder(tmp_path, {}, ()) == {}


def test_a_file_in_the_making_is_hidden_and_one_that_breaks_off_leaves_nothing(tmp_path):
    place = tmp_path / "sub" / "a.txt"
    with open_atomic(place) as file:
        file.write(b"half")
        assert scan_folder(tmp_path, {}, ()) == {}
    assert place.read_bytes() == b"half"
    with pytest.raises(RuntimeError), open_atomic(place) as file:
        file.write(b"other")
        raise RuntimeError
    assert place.read_bytes() == b"half"
    with open_atomic(place) as file:
        file.write(b"dropped")
        file.drop()
    assert place.read_bytes() == b"half"
    assert sorted(path.name for path in place.parent.iterdir()) == ["a.txt"]


def test_what_is_remembered_is_recalled(tmp_path):
    store = Store(tmp_path)
    watched = WatchState(taken={"a": ("1", "aa")})
    save_memory(store, "line", watched)
    assert load_memory(store, "line", WatchState) == (watched, "")
    assert load_memory(store, "other", WatchState) == (WatchState(), "")


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b"\xff\xfe", b'{"taken": {"a": 3}}', b"null"])
def test_a_damaged_memory_is_told_and_begun_anew(content, tmp_path):
    store = Store(tmp_path)
    store.write("feeds/line.json", content)
    found, told = load_memory(store, "line", WatchState)
    assert found == WatchState()
    assert "feeds/line.json is damaged" in told and "begun anew" in told


def test_moments_of_one_machine_can_be_compared_and_others_not():
    first, then = current_moment(), current_moment()
    assert then.boot == first.boot and then.seconds >= first.seconds
    assert then.after(first.boot, then.seconds - 5) == 5
    assert then.after("another", 0) == 0


def test_a_name_that_is_no_text_is_remembered_all_the_same(tmp_path):
    """As an archive from another system leaves it."""
    try:
        (tmp_path / os.fsdecode(b"caf\xe9.txt")).write_text("x")
    except OSError:
        pytest.skip("this file system wants names in UTF-8")
    listed = scan_folder(tmp_path, {}, ())
    assert list(listed) == ["caf\\xe9.txt"]
    store = Store(tmp_path / "store")
    save_memory(store, "line", WatchState(taken=listed))
    assert load_memory(store, "line", WatchState)[0].taken == listed
