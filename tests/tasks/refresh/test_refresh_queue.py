"""No trigger is lost, and none is served twice."""

import os
import threading

import pytest

from rarefy.tasks.refresh.refresh_queue import pending_requests, remove_requests, request_refresh
from rarefy.tasks.store.tables import Store


@pytest.fixture(params=["a folder", "memory"])
def store(request, tmp_path):
    return Store(tmp_path if request.param == "a folder" else f"memory://wanted-{tmp_path.name}")


def test_what_is_wanted_is_known_until_it_is_answered(store):
    assert pending_requests(store, "line") == []
    request_refresh(store, "line", "a file was dropped: f\u00e9e.html")
    (one,) = pending_requests(store, "line")
    assert one.why == "a file was dropped: f\u00e9e.html" and one.line == "line" and one.at
    remove_requests(store, [one])
    assert pending_requests(store, "line") == []


def test_what_was_wanted_in_the_meantime_stays(store):
    request_refresh(store, "line", "first")
    listed = pending_requests(store, "line")
    request_refresh(store, "line", "second")
    remove_requests(store, listed)
    assert [one.why for one in pending_requests(store, "line")] == ["second"]
    remove_requests(store, listed)  # another run may have answered it
    assert [one.why for one in pending_requests(store, "line")] == ["second"]


def test_lines_are_apart(store):
    request_refresh(store, "one", "a")
    request_refresh(store, "two", "b")
    remove_requests(store, pending_requests(store, "one"))
    assert [one.why for one in pending_requests(store, "two")] == ["b"]


def test_of_many_that_want_at_once_none_is_lost(store):
    threads = [threading.Thread(target=request_refresh, args=(store, "line", str(number))) for number in range(40)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(int(one.why) for one in pending_requests(store, "line")) == list(range(40))


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b'"x"', b"\0\0\0", b"\xff"])
def test_a_damaged_file_is_a_want_all_the_same(store, content):
    store.write("wanted/line/half.json", content)
    (one,) = pending_requests(store, "line")
    assert one.why == "it cannot be read"
    remove_requests(store, [one])
    assert pending_requests(store, "line") == []


def test_what_a_killed_writer_left_is_no_want_yet(tmp_path):
    store = Store(tmp_path)
    request_refresh(store, "line", "whole")
    (tmp_path / "wanted" / "line" / ".x.json.0123").write_bytes(b'{"wh')
    assert [one.why for one in pending_requests(store, "line")] == ["whole"]
    os.utime(tmp_path / "wanted" / "line" / ".x.json.0123", (0, 0))
    assert store.sweep() == 1
