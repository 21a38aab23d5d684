"""Who works on a store is seen by who would sweep it, and the other way."""

import json
import os
import subprocess
import sys
import threading
import time
from pathlib import Path
from uuid import uuid4

import pytest
from machines import object_store, until

from rarefy.tasks.store import active_runs, lease
from rarefy.tasks.store.active_runs import StoreInUse, living_runs, mark_run, mark_sweep
from rarefy.tasks.store.tables import Store

ELSEWHERE = {"what": "build /bench", "host": "far", "pid": 7, "since": "2026-01-01T00:00:00+00:00", "machine": "far"}


@pytest.fixture
def store(tmp_path):
    return Store(tmp_path / "a [b] store")


@pytest.fixture
def quick(monkeypatch):
    """Signs of life and looks come at once."""
    monkeypatch.setattr(active_runs, "BEAT", 0.05)
    monkeypatch.setattr(active_runs, "LOOK", 0.05)


def left(store, name="1" * 32, ago=0.0, **fields):
    """The mark of a run elsewhere, of so many seconds ago."""
    store.write(f"runs/{name}.json", json.dumps({**ELSEWHERE, **fields}).encode())
    then = time.time() - ago
    os.utime(f"{store.root}/runs/{name}.json", (then, then))


def marks(store):
    return [file.name for file in Path(store.root, "runs").glob("*.json")]


def test_where_a_run_works_nothing_is_swept_and_who_it_is_is_said(store):
    with mark_run(store, "build /bench"):
        who = rf"build /bench \(pid {os.getpid()} on .*wait for it to end, or end it"
        with pytest.raises(StoreInUse, match=who), mark_sweep(store, "rarefy gc"):
            raise AssertionError
        assert [mark.what for mark in living_runs(store).values()] == ["build /bench"]
    with mark_sweep(store, "rarefy gc"):
        pass
    assert marks(store) == []


def test_a_run_that_failed_leaves_no_mark(store):
    with pytest.raises(ValueError), mark_run(store, "build"):
        raise ValueError
    assert marks(store) == []


def test_a_mark_moves_while_its_run_lives(store, quick):
    with mark_run(store, "build"):
        file = Path(store.root, "runs", *marks(store))
        until(lambda: json.loads(file.read_bytes())["beat"] > 2, "signs of life")
    assert not file.exists()


def test_a_mark_that_was_removed_or_could_not_be_written_comes_back(store, quick):
    with mark_run(store, "build"):
        (name,) = marks(store)
        Path(store.root, "runs", name).unlink()
        until(lambda: marks(store), "another sign of life")
        assert marks(store) == [name]


def test_a_mark_without_a_sign_of_life_for_an_hour_is_tidied_and_one_of_an_instant_ago_is_not(store):
    left(store, "1" * 32, ago=3700)
    with mark_sweep(store, "rarefy gc"):
        assert f"{'1' * 32}.json" not in marks(store)
    left(store, "2" * 32, ago=3500)
    with pytest.raises(StoreInUse, match="pid 7 on far"), mark_sweep(store, "rarefy gc"):
        raise AssertionError
    assert marks(store) == [f"{'2' * 32}.json"]


def test_the_hour_is_one_of_the_stores_clock_whatever_this_machine_says(store, monkeypatch):
    left(store)
    monkeypatch.setattr(active_runs.time, "time", lambda: time.monotonic() + 10**10)
    with pytest.raises(StoreInUse), mark_sweep(store, "rarefy gc"):
        raise AssertionError


def test_a_killed_run_of_this_machine_counts_no_more(store):
    if not lease.machine_id():
        pytest.skip("this system does not tell its processes apart by boot and namespace")
    code = (
        "import os, sys, rarefy.tasks.store.active_runs as r; from rarefy.tasks.store.tables import Store\n"
        "with r.mark_run(Store(sys.argv[1]), 'build'): os.kill(os.getpid(), 9)"
    )
    subprocess.run([sys.executable, "-c", code, store.root], check=False)
    assert len(marks(store)) == 1
    assert living_runs(store) == {}
    with mark_sweep(store, "rarefy gc"):
        assert len(marks(store)) == 1  # its own


def test_a_mark_that_cannot_be_read_is_a_run_for_an_hour(store):
    left(store)
    Path(store.root, "runs", f"{'1' * 32}.json").write_bytes(b"{")
    with pytest.raises(StoreInUse, match=r"1{32}\.json cannot be read"), mark_sweep(store, "rarefy gc"):
        raise AssertionError


def test_a_run_that_begins_while_a_sweep_is_under_way_waits_for_its_end(store, quick):
    said, began = [], threading.Event()

    def run():
        with mark_run(store, "build", said.append):
            began.set()

    with mark_sweep(store, "rarefy gc"):
        other = threading.Thread(target=run)
        other.start()
        until(lambda: said, "word of the wait")
        assert "rarefy gc (pid" in said[0]
        assert not began.wait(0.3)
    other.join(30)
    assert began.is_set()


def test_a_sweep_of_another_machine_that_fell_silent_is_not_waited_for_for_ever(store, quick, monkeypatch):
    left(store, what="rarefy gc", sweeps=True)
    monkeypatch.setattr(active_runs, "SILENT", 0.2)
    with mark_run(store, "build"):
        pass
    with mark_sweep(store, "rarefy gc"):  # the lease keeps sweeps apart
        swept = True
    assert swept


def test_a_store_that_takes_no_mark_stops_no_run_but_a_sweep(store, monkeypatch):
    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(store, "write", full)
    said = []
    with mark_run(store, "build", said.append):
        assert "No space left" in said[0]
    with pytest.raises(OSError, match="No space left"), mark_sweep(store, "rarefy gc"):
        raise AssertionError


def test_marks_in_an_object_store_are_those_of_a_folder():
    with object_store("running-tests") as url:
        store = Store(f"{url}/{uuid4().hex}")
        with mark_run(store, "build"), pytest.raises(StoreInUse), mark_sweep(store, "rarefy gc"):
            raise AssertionError
        with mark_sweep(store, "rarefy gc"):
            assert len(store.fs.ls(f"{store.root}/runs")) == 1
        assert store.fs.find(f"{store.root}/runs") == []
