"""What a lost worker had is given to another; what takes every worker down is told."""

import os
import sys
import threading
import time

import pytest

from rarefy.data_contracts.rows import Quarantined, row_id
from rarefy.data_contracts.tables import from_table, to_table
from rarefy.flows.engine import workers as machines
from rarefy.flows.engine.workers import connect_workers, count_cores, run_in_process
from rarefy.flows.faults import Fault, Outage, UsageFault
from rarefy.tasks.models.embed import EmbedConfig
from rarefy.tasks.store.recipe import Job
from rarefy.tasks.store.tables import Store

pytestmark = pytest.mark.machines

STAGE = """
import os
from dataclasses import dataclass
from pathlib import Path
from rarefy.data_contracts.rows import Quarantined, row_id

@dataclass(frozen=True)
class Part:
    path: str
    lives: str  # a folder; the worker dies until there are as many marks in it as `deaths`
    deaths: int

def work(part):
    marks = len(list(Path(part.lives).iterdir()))
    if marks < part.deaths:
        Path(part.lives, str(marks)).touch()
        os._exit(9)
    yield Quarantined(part.path, "work", part.path, "done", "")
"""


@pytest.fixture
def mortal(tmp_path, monkeypatch):
    """A stage whose worker dies so many times, and where it may count."""
    (tmp_path / "mortal_stage.py").write_text(STAGE)
    (tmp_path / "lives").mkdir()
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    monkeypatch.syspath_prepend(str(tmp_path))
    import mortal_stage

    yield lambda deaths: [{"part": mortal_stage.Part(name, str(tmp_path / "lives"), deaths)} for name in "ab"]
    del sys.modules["mortal_stage"]


def job(part_type: type) -> Job:
    return Job("work", "mortal_stage:work", 1, {"part": part_type}, {"done": Quarantined})


def test_a_killed_worker_costs_nothing_but_time(mortal, tmp_path):
    parts = mortal(2)
    with connect_workers(1, "") as workers:
        made = dict(workers(job(type(parts[0]["part"])), parts, str(tmp_path / "store")))
    store = Store(tmp_path / "store")
    names = [row.source for place in sorted(made) for row in from_table(store.table(made[place]["done"]), Quarantined)]
    assert names == ["a", "b"]


def test_a_part_that_takes_every_worker_down_is_told_in_a_line(mortal, tmp_path):
    parts = mortal(99)[:1]
    with (
        connect_workers(1, "") as workers,
        pytest.raises(Fault, match=r"took its worker down 4 times.*fewer --workers"),
    ):
        list(workers(job(type(parts[0]["part"])), parts, str(tmp_path / "store")))


def test_alone_needs_nobody(mortal, tmp_path):
    parts = mortal(0)
    assert [place for place, _ in run_in_process(job(type(parts[0]["part"])), parts, str(tmp_path / "store"))] == [0, 1]


def test_where_texts_are_embedded_two_parts_go_side_by_side_once_the_first_is_done(monkeypatch, tmp_path):
    running, most = [], []

    def make(part, *_, **__):
        running.append(part)
        most.append(len(running))
        time.sleep(0.05)
        running.remove(part)
        return {"done": part["path"]}

    monkeypatch.setattr(machines, "make", make)
    embedding = Job("work", "mortal_stage:work", 1, {}, {}, tools={"embed": EmbedConfig()})
    for parts in range(3):  # where all was made before there is none
        assert len(list(run_in_process(embedding, [{"path": "a"}] * parts, str(tmp_path / "store")))) == parts
    most.clear()
    made = dict(run_in_process(embedding, [{"path": name} for name in "abcd"], str(tmp_path / "store")))
    assert [made[place]["done"] for place in range(4)] == list("abcd")
    assert most[:2] == [1, 1] and max(most) == machines.BESIDE


def test_cores_are_those_this_process_may_use():
    assert 1 <= count_cores() <= (os.cpu_count() or 1)


@pytest.mark.parametrize("count", [1, 3])
def test_as_many_processes_are_hired_as_were_asked_for(count):
    """Whatever the machine has: the first argument of Dask's LocalCluster is its name."""
    with machines._processes(count) as cluster:
        assert len(cluster.workers) == count
        assert {state.nthreads for state in cluster.scheduler.workers.values()} <= {1}
        environments = [nanny.pre_spawn_env for nanny in cluster.workers.values()]
        assert all(machines.TRIM not in one and one["OMP_NUM_THREADS"] == "1" for one in environments)


SLOW = """
import time
from dataclasses import dataclass
from pathlib import Path
from rarefy.data_contracts.rows import Quarantined, row_id

@dataclass(frozen=True)
class Part:
    path: str

def work(part):
    Path(part.path).touch()
    time.sleep(60)
    yield Quarantined("a", "work", "a", "done", "")
"""


def test_a_scheduler_is_told_by_its_address_when_the_client_has_forgotten_it(tmp_path, monkeypatch):
    (tmp_path / "slow_stage.py").write_text(SLOW)
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", "")]))
    monkeypatch.syspath_prepend(str(tmp_path))
    import slow_stage
    from distributed import default_client

    begun, store = tmp_path / "begun", str(tmp_path / "store")
    parts = [{"part": slow_stage.Part(str(begun))}]
    slow = Job("work", "slow_stage:work", 1, {"part": slow_stage.Part}, {"done": Quarantined})
    with connect_workers(1, "") as workers:
        client = default_client()
        where = client.scheduler.address

        def lose() -> None:
            while not begun.exists():
                time.sleep(0.05)
            client.close()  # as a client does by itself when it gives up to reach the scheduler again

        losing = threading.Thread(target=lose)
        losing.start()
        with pytest.raises(Outage, match=f"work: the Dask scheduler {where} is gone .*run again to go on"):
            list(workers(slow, parts, store))
        losing.join()
        assert client.scheduler is None
        with pytest.raises(Outage, match=f"work: the Dask scheduler {where} is gone"):  # and at the next stage
            list(workers(slow, parts, store))
    del sys.modules["slow_stage"]


def test_what_is_sent_to_a_scheduler_that_is_gone_is_not_waited_for(monkeypatch):
    """A future that is made while the client looks for its scheduler is neither done nor cancelled, ever."""
    from distributed import Client, Future, LocalCluster

    with LocalCluster(n_workers=0, processes=False, dashboard_address=":0") as cluster, Client(cluster) as client:
        lost = [Future(f"lost-{number}", client) for number in range(2)]
        client.submit(int, key="also-lost")
        client.status = "closed"  # as after its last try
        try:
            assert [*machines._completed_futures(client, lost, None)] == []
        finally:
            client.status = "running"
        monkeypatch.setattr(machines, "LOOK", 0.1)
        assert [*machines._completed_futures(client, lost, "Scheduler-before-it-was-started-again")] == []


def test_what_is_done_comes_as_it_is_done():
    from distributed import Client, LocalCluster

    with LocalCluster(n_workers=1, processes=False, dashboard_address=":0") as cluster, Client(cluster) as client:
        futures = client.map(str, range(20))
        assert {
            future.result() for future in machines._completed_futures(client, futures, client.scheduler_info()["id"])
        } == {str(n) for n in range(20)}


SAME = Job("list", "rarefy.flows.engine.stages:same", 1, {"quarantine": Quarantined}, {"quarantine": Quarantined})


@pytest.fixture
def scheduler():
    """The address of a scheduler with so many workers, in this process."""
    from distributed import LocalCluster

    def start(workers: int) -> str:
        cluster = LocalCluster(
            n_workers=workers, threads_per_worker=1, dashboard_address="127.0.0.1:0", processes=False
        )
        started.append(cluster)
        return cluster.scheduler_address

    started = []
    yield start
    for cluster in started:
        cluster.close()


def test_work_is_done_by_the_workers_of_a_scheduler(scheduler, tmp_path):
    store = Store(tmp_path / "store")
    names = [store.keep(to_table([Quarantined(row_id(n), "s", "p", "r", "d")], Quarantined)) for n in range(3)]
    with connect_workers(0, scheduler(1)) as workers:
        made = dict(workers(SAME, [{"quarantine": name} for name in names], store.url))
    assert [made[n]["quarantine"] for n in range(3)] == names
    assert not list((tmp_path / "store").glob("met/*"))


def test_a_scheduler_without_workers_is_told(scheduler, tmp_path, monkeypatch):
    monkeypatch.setattr(machines, "PATIENCE", 2)
    with (
        connect_workers(0, scheduler(0)) as workers,
        pytest.raises(Fault, match=r"no worker of .* took any work in 2 seconds"),
    ):
        list(workers(SAME, [{"quarantine": "0" * 32}], str(tmp_path / "store")))


def test_workers_that_see_another_store_are_told(scheduler, tmp_path, monkeypatch):
    monkeypatch.setattr(machines, "read_if_visible", lambda url, name: "")
    with (
        connect_workers(0, scheduler(1)) as workers,
        pytest.raises(UsageFault, match=r"--store .*see another one"),
    ):
        list(workers(SAME, [{"quarantine": "0" * 32}], str(tmp_path / "store")))


def test_a_scheduler_that_does_not_answer_is_told_and_nobody_works_alone_without_being_asked():
    with connect_workers(0, "") as workers:
        assert workers is run_in_process
    with (
        pytest.raises(UsageFault, match=r"--dask tcp://127\.0\.0\.1:1: no scheduler"),
        connect_workers(0, "tcp://127.0.0.1:1"),
    ):
        pass
