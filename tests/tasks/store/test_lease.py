"""One refresh of a store at a time, whatever becomes of its holder, its files or the clock."""

import json
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from rarefy.tasks.store.lease import (
    LeaseBusy,
    LeaseLost,
    current_holder,
    hold_lease,
    machine_id,
    newest_file,
    parse_holding,
)
from rarefy.tasks.store.tables import Store

TTL = 0.6  # seconds after which a silent holder is dead
LIVES = 6.0  # the same of one that is to live, however busy the machine is: a sign of life each second


@pytest.fixture(scope="module")
def bucket():
    """The URL of an empty bucket of a server that speaks S3."""
    server = pytest.importorskip("moto.server", reason="moto is not installed: no S3 to test against")
    pytest.importorskip("s3fs", reason="s3fs is not installed: install the extra for stores on S3")
    import boto3

    running = server.ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    running.start()
    url = "http://{}:{}".format(*running.get_host_and_port())
    told = {"AWS_ENDPOINT_URL": url, "AWS_ACCESS_KEY_ID": "a", "AWS_SECRET_ACCESS_KEY": "b"}
    with pytest.MonkeyPatch.context() as patch:
        for name, value in {**told, "AWS_DEFAULT_REGION": "us-east-1"}.items():
            patch.setenv(name, value)
        boto3.client("s3").create_bucket(Bucket="leases")
        yield "s3://leases"
    running.stop()


@pytest.fixture(params=["a folder", "S3", "memory"])
def store(request, tmp_path):
    if request.param == "S3":
        return Store(f"{request.getfixturevalue('bucket')}/{tmp_path.name}")
    return Store(tmp_path if request.param == "a folder" else f"memory://{tmp_path.name}")


@pytest.fixture
def local(tmp_path):
    return Store(tmp_path)


@pytest.fixture
def other(tmp_path):
    """Starts a process that takes the lease of the store in tmp_path, and then does as it is told line by line."""
    code = (
        "import sys\n"
        "from rarefy.tasks.store.lease import LeaseLost, hold_lease\n"
        "from rarefy.tasks.store.tables import Store\n"
        "with hold_lease(Store(sys.argv[1]), 'the other', ttl=float(sys.argv[2])) as lease:\n"
        "    print('taken', flush=True)\n"
        "    for line in sys.stdin:\n"
        "        try:\n"
        "            lease.check(); print('held', flush=True)\n"
        "        except LeaseLost as lost:\n"
        "            print(lost, flush=True)\n"
    )
    started = []

    def start(ttl=TTL):
        process = subprocess.Popen(
            [sys.executable, "-c", code, str(tmp_path), str(ttl)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        started.append(process)
        assert process.stdout.readline() == "taken\n"
        return process

    yield start
    for process in started:
        process.kill()
        process.wait()
        process.stdin.close()
        process.stdout.close()


def asked(process):
    process.stdin.write("?\n")
    process.stdin.flush()
    return process.stdout.readline()


def numbers(store):
    store.fs.invalidate_cache()
    return sorted(int(Path(path).stem) for path in store.fs.ls(f"{store.root}/leases/refresh", detail=False))


def foreign(store, number=1, **said):
    """A lease of another machine, of which nothing is known but its file."""
    told = {"holder": "far", "host": "elsewhere", "pid": 1, "since": "2026-01-01", "ttl": TTL, "token": "t"} | said
    store.write(f"leases/refresh/{number:012d}.json", json.dumps(told).encode())


def test_the_second_is_told_who_holds_it_and_gets_it_when_that_ends(store):
    with hold_lease(store, "first", ttl=LIVES) as first:
        first.check()
        with pytest.raises(LeaseBusy) as busy, hold_lease(store, "second", ttl=LIVES):
            pass
        assert busy.value.holder == "first" and busy.value.holding.pid == os.getpid()
        assert "first" in str(busy.value) and f"pid {os.getpid()}" in str(busy.value) and "since 20" in str(busy.value)
        assert current_holder(store).holder == "first"
    assert current_holder(store) is None
    with hold_lease(store, "second", ttl=LIVES) as second:
        second.check()
        assert second.number == first.number + 1
    assert numbers(store) == [second.number], "old files are tidied, the last one keeps the number"


def test_of_many_that_start_together_one_gets_it(store):
    start, got = threading.Barrier(6), []
    done = threading.Event()

    def one(name):
        start.wait()
        try:
            with hold_lease(store, name, ttl=LIVES):
                got.append(name)
                done.wait(30)
        except LeaseBusy as busy:
            got.append(busy)
        if len(got) == 6:
            done.set()

    threads = [threading.Thread(target=one, args=(f"run {number}",)) for number in range(6)]
    for thread in threads:
        thread.start()
    while len(got) < 6 and any(thread.is_alive() for thread in threads):
        time.sleep(0.01)
    done.set()
    for thread in threads:
        thread.join()
    (winner,) = [one for one in got if isinstance(one, str)]
    assert {one.holder for one in got if isinstance(one, LeaseBusy)} == {winner}


def test_one_that_lives_keeps_it_for_longer_than_its_ttl(local):
    with hold_lease(local, "first", ttl=LIVES / 3) as first:
        until = time.monotonic() + LIVES / 2
        while time.monotonic() < until:
            with pytest.raises(LeaseBusy), hold_lease(local, "second", ttl=LIVES / 3):
                pass
        first.check()
        assert first.holding.beat >= 3


def test_a_silent_holder_elsewhere_is_taken_over_once_its_own_ttl_went_by(store):
    foreign(store, number=7, ttl=3 * TTL)
    said = []
    begun = time.monotonic()
    with hold_lease(store, "next", ttl=TTL, say=said.append) as lease:
        assert time.monotonic() - begun >= 3 * TTL
        assert lease.number == 8 and numbers(store) == [8]
    assert len(said) == 1 and "far (pid 1 on elsewhere" in said[0]


def test_a_holder_elsewhere_that_gives_a_sign_of_life_is_not(store):
    foreign(store)
    life = threading.Timer(TTL / 2, foreign, (store,), {"beat": 1})
    life.start()
    with pytest.raises(LeaseBusy) as busy, hold_lease(store, "next", ttl=LIVES):
        pass
    life.join()
    assert busy.value.holder == "far"


@pytest.mark.crash
def test_a_killed_process_of_this_machine_is_taken_over_at_once(local, other):
    if not machine_id():
        pytest.skip("no /proc here: a killed process cannot be told from a silent one")
    process = other(ttl=3600)
    process.kill()  # and nobody waits for it: a zombie is gone too
    with hold_lease(local, "next", ttl=3600) as lease:
        assert lease.number == 2


def test_a_pid_that_was_given_to_another_process_is_not_the_holder(local):
    if not machine_id():
        pytest.skip("no /proc here: a killed process cannot be told from a silent one")
    foreign(local, pid=os.getpid(), machine=machine_id(), started="1", ttl=3600)
    with hold_lease(local, "next", ttl=3600) as lease:
        assert lease.number == 2


def test_a_pid_of_another_machine_says_nothing(local):
    foreign(local, pid=2**22 - 1, machine="another boot pid:[1]")
    begun = time.monotonic()
    with hold_lease(local, "next", ttl=TTL):
        assert time.monotonic() - begun >= TTL


@pytest.mark.crash
def test_a_frozen_process_loses_it_and_knows_when_it_goes_on(local, other):
    process = other()
    assert asked(process) == "held\n"
    os.kill(process.pid, signal.SIGSTOP)
    with hold_lease(local, "next", ttl=TTL) as mine:
        os.kill(process.pid, signal.SIGCONT)
        assert "nothing more is published" in asked(process)
        process.stdin.close()
        process.wait()
        assert newest_file(local, "refresh")[0] == mine.number
    assert current_holder(local) is None


@pytest.mark.crash
def test_a_process_frozen_for_longer_than_its_ttl_publishes_nothing_although_nobody_came(local, other):
    process = other()
    os.kill(process.pid, signal.SIGSTOP)
    time.sleep(1.5 * TTL)
    os.kill(process.pid, signal.SIGCONT)
    told = asked(process)
    assert "frozen" in told and "run again" in told
    assert asked(process) == told, "once lost, it is lost"


@pytest.mark.parametrize("hours", [-48, 48])
def test_a_clock_that_is_set_does_no_harm(store, monkeypatch, hours):
    with hold_lease(store, "first", ttl=LIVES) as first:
        clock = time.time
        monkeypatch.setattr(time, "time", lambda: clock() + 3600 * hours)
        with pytest.raises(LeaseBusy), hold_lease(store, "second", ttl=LIVES):
            pass
        first.check()
    with hold_lease(store, "second", ttl=LIVES) as second:
        assert second.number == first.number + 1


@pytest.mark.parametrize("since", ["1970-01-01T00:00:00+00:00", "2999-01-01T00:00:00+00:00"])
def test_when_a_holder_says_that_it_began_decides_nothing(local, since):
    foreign(local, since=since)
    with hold_lease(local, "next", ttl=TTL) as lease:
        assert lease.number == 2


@pytest.mark.parametrize("content", [b"", b"\0" * 200, b'{"holder": "hal', b"[]", b'{"holder": 1}', b"\xff\xfe"])
def test_a_damaged_file_is_taken_over_in_order(store, content):
    store.write("leases/refresh/000000000041.json", content)
    with hold_lease(store, "next", ttl=TTL) as lease:
        assert lease.number == 42 and numbers(store) == [42]


def test_a_ttl_of_a_thousand_years_is_damage(local):
    foreign(local, ttl=3e10)
    with hold_lease(local, "next", ttl=TTL) as lease:
        assert lease.number == 2


@pytest.mark.parametrize("damage", ["gone", "emptied", "replaced", "passed"])
def test_a_holder_notices_what_was_done_to_its_file(store, damage):
    with hold_lease(store, "first", ttl=3600) as first:  # it gives no sign of life by itself while this goes on
        path = f"leases/refresh/{first.number:012d}.json"
        if damage == "gone":
            store.fs.rm_file(f"{store.root}/{path}")
        elif damage == "emptied":
            store.write(path, b"")
        elif damage == "replaced":
            foreign(store, first.number)
        else:
            foreign(store, first.number + 1)
        with pytest.raises(LeaseLost) as lost:
            first.check()
        says = {"gone": "gone", "emptied": "damaged", "replaced": "far", "passed": "far"}
        assert says[damage] in str(lost.value) and "nothing more is published" in str(lost.value)
    said = parse_holding(newest_file(store, "refresh")[1])
    assert said is None or (not said.ended and said.holder == "far"), "what is another's is left alone"


def test_its_thread_notices_too_and_gives_no_more_signs_of_life(local):
    with hold_lease(local, "first", ttl=LIVES / 3) as first:
        foreign(local, first.number + 1)
        until = time.monotonic() + 30
        while not first._lost and time.monotonic() < until:
            time.sleep(0.01)
        (local_file,) = Path(local.root, "leases/refresh").glob(f"*{first.number}.json")
        before = local_file.read_bytes()
        Path(local.root, f"leases/refresh/{first.number + 1:012d}.json").unlink()
        time.sleep(LIVES / 9)
        assert local_file.read_bytes() == before
        with pytest.raises(LeaseLost):
            first.check()


def test_a_full_disk_that_lasts_costs_the_lease_and_one_that_passes_does_not(local, monkeypatch):
    write = Store.write

    def full(*_):
        raise OSError(28, "No space left on device", "a file")

    with hold_lease(local, "first", ttl=LIVES / 3) as first:
        monkeypatch.setattr(Store, "write", full)
        until = time.monotonic() + 30
        while not first._trouble and time.monotonic() < until:
            time.sleep(0.01)
        first.check()
        monkeypatch.setattr(Store, "write", write)
        beat = first.holding.beat
        while first.holding.beat == beat and time.monotonic() < until:
            time.sleep(0.01)
        first.check()
        monkeypatch.setattr(Store, "write", full)
        time.sleep(LIVES / 2)
        with pytest.raises(LeaseLost, match="No space left on device"):
            first.check()


def test_a_full_disk_at_the_end_leaves_no_lease_behind(local, monkeypatch):
    with hold_lease(local, "first", ttl=3600):
        monkeypatch.setattr(Store, "write", lambda *_: (_ for _ in ()).throw(OSError(28, "No space left on device")))
    monkeypatch.undo()
    assert numbers(local) == []
    with hold_lease(local, "second", ttl=3600) as second:
        second.check()


def test_it_is_given_up_whatever_ends_the_work(local):
    with pytest.raises(ZeroDivisionError), hold_lease(local, "first", ttl=3600):
        raise ZeroDivisionError
    with hold_lease(local, "second", ttl=3600) as second:
        second.check()


def test_leases_of_two_names_know_nothing_of_each_other(local):
    with (
        hold_lease(local, "first", ttl=3600, name="refresh"),
        hold_lease(local, "second", ttl=3600, name="gc") as other,
    ):
        other.check()


def test_a_file_system_that_writes_over_what_is_there_is_refused(tmp_path):
    with (
        pytest.raises(OSError, match="ftp:// does not refuse a second writer"),
        hold_lease(_careless(tmp_path, "ftp"), "a"),
    ):
        pass
    with pytest.raises(OSError, match="conditional writes"), hold_lease(_careless(tmp_path, "s3"), "a"):
        pass


def _careless(folder, protocol):
    """A store on a service that calls itself by that name and ignores what it is asked to refuse."""
    from fsspec.implementations.memory import MemoryFileSystem

    class Careless(MemoryFileSystem):
        def pipe_file(self, path, value, mode="overwrite", **kwargs):
            super().pipe_file(path, value, mode="overwrite")

    store = Store(f"memory://{folder.name}")
    store.fs = Careless(skip_instance_cache=True)
    store.fs.protocol = protocol
    return store


def test_a_store_that_cannot_be_written_is_named(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(OSError) as error, hold_lease(Store(tmp_path / "file"), "a"):
        pass
    assert str(tmp_path / "file") in str(error.value)
