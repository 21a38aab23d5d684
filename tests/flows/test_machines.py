"""A cluster that loses its machines one after another makes the benchmark that one process makes, byte for byte."""

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from urllib.request import ProxyHandler, build_opener

import machines
import psutil
import pytest
from endpoint import served
from machines import differences, files, until

from rarefy.data_contracts.rows import Quarantined
from rarefy.data_contracts.tables import from_table
from rarefy.flows.cli import main
from rarefy.flows.engine import workers
from rarefy.flows.models import accounting
from rarefy.tasks.models.llm import LLMConfig
from rarefy.tasks.store.recipe import Job
from rarefy.tasks.store.tables import Store

pytestmark = pytest.mark.machines

SLOW = '''
"""Reads a file slowly, and leaves a mark when it begins and when it is done."""
import os, time
from pathlib import Path
from rarefy.tasks.corpus.read import ReadConfig, read as read_at_once

def read(source, config):
    marks = Path(os.environ["SLOW_MARKS"])
    mine = f"{os.getppid()}-{Path(source.path).stem}-{time.monotonic_ns()}"  # the worker, whose child this is
    (marks / f"begun-{mine}").touch()
    time.sleep(float(os.environ.get("SLOW_SECONDS", "0.3")))
    yield from read_at_once(source, ReadConfig())
    (marks / f"done-{mine}").touch()
'''
CONFIG = """
[perturb]
query = ["butter_fingers"]
document = []
context = []
[read.readers]
".html" = "slow_reader:read"
"""

ALONE: dict[str, bytes] = {}


class Marks:
    """What the workers' processes have begun and done."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def busy(self, pid: int) -> list[str]:
        """What this process has begun and not done."""
        begun = {path.name.removeprefix("begun-") for path in self.folder.glob(f"begun-{pid}-*")}
        return sorted(begun - {path.name.removeprefix("done-") for path in self.folder.glob(f"done-{pid}-*")})

    def begun(self) -> int:
        return len(list(self.folder.glob("begun-*")))

    def done(self) -> int:
        return len(list(self.folder.glob("done-*")))


@pytest.fixture
def slow(tmp_path: Path, reports: Callable[[Path, str], None], monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder with a corpus whose documents take a while to read, wherever they are read."""
    reports(tmp_path / "corpus", "North")
    (tmp_path / "modules").mkdir()
    (tmp_path / "modules" / "slow_reader.py").write_text(SLOW)
    (tmp_path / "marks").mkdir()
    (tmp_path / "my.toml").write_text(CONFIG)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path / "modules"))
    monkeypatch.setenv("SLOW_MARKS", str(tmp_path / "marks"))
    monkeypatch.syspath_prepend(str(tmp_path / "modules"))
    yield tmp_path
    sys.modules.pop("slow_reader", None)


def arguments(place: Path, name: str, *more: str) -> list[str]:
    where = ["--out", str(place / name), "--store", str(place / f"{name}-store"), "--config", str(place / "my.toml")]
    return ["build", str(place / "corpus"), *where, "--quiet", *more]


@pytest.fixture
def alone(slow: Path, api: str, monkeypatch: pytest.MonkeyPatch) -> dict[str, bytes]:
    """What one process makes of the corpus; made once for all tests, since it is the same wherever the corpus lies."""
    if not ALONE:
        monkeypatch.setenv("SLOW_SECONDS", "0")
        assert main(arguments(slow, "alone")) == 0
        monkeypatch.delenv("SLOW_SECONDS")
        for mark in (slow / "marks").iterdir():
            mark.unlink()
        ALONE.update(files(slow / "alone"))
    return ALONE


@pytest.fixture
def marks(slow: Path) -> Marks:
    return Marks(slow / "marks")


def send(pid: int, sign: signal.Signals) -> None:
    """What befalls a machine befalls all its processes: the worker's child, which reads for it, as well."""
    for process in (psutil.Process(pid), *psutil.Process(pid).children(recursive=True)):
        process.send_signal(sign)


class Harm(threading.Thread):
    """Does harm while a build runs; what went wrong with it fails the test."""

    def __init__(self, work: Callable[[], None]) -> None:
        super().__init__(daemon=True)
        self.work, self.fault = work, None
        self.start()

    def run(self) -> None:
        try:
            self.work()
        except BaseException as error:
            self.fault = error

    def done(self) -> None:
        self.join(machines.PATIENCE)
        assert not self.is_alive()
        if self.fault:
            raise self.fault


def test_one_worker_killed_and_one_frozen_in_mid_run_change_nothing(alone, slow, marks, tmp_path):
    with machines.cluster(tmp_path / "cluster") as cluster:
        until(lambda: len(cluster.pids()) == 4, "four workers")
        pids = cluster.pids()

        def harm() -> None:
            for name, sign in (("w0", signal.SIGKILL), ("w1", signal.SIGSTOP)):
                until(lambda name=name: marks.busy(pids[name]), f"{name} to be at work")
                send(pids[name], sign)

        harming = Harm(harm)
        assert main(arguments(slow, "hurt", "--dask", cluster.address)) == 0
        harming.done()
        assert differences(files(slow / "hurt"), alone) == {}
        log = cluster.log()
        assert "Worker failed to heartbeat" in log  # the frozen one was given up, not waited for
        assert marks.busy(pids["w0"]) and marks.busy(pids["w1"])  # what they had begun, others did


def test_a_frozen_worker_that_wakes_when_all_is_done_changes_nothing(alone, slow, marks, tmp_path):
    """Without a nanny nobody restarts it: it goes on where it was, and writes what is there already."""
    with machines.cluster(tmp_path / "cluster", "--no-nanny", number=2) as cluster:
        until(lambda: len(cluster.pids()) == 2, "two workers")
        sleeper = cluster.pids()["w1"]

        def freeze() -> None:
            until(lambda: marks.busy(sleeper), "w1 to be at work")
            send(sleeper, signal.SIGSTOP)

        freezing = Harm(freeze)
        assert main(arguments(slow, "hurt", "--dask", cluster.address)) == 0
        freezing.done()
        left = marks.busy(sleeper)
        assert differences(files(slow / "hurt"), alone) == {} and left
        store = {path: path.read_bytes() for path in (slow / "hurt-store").rglob("*") if path.is_file()}
        send(sleeper, signal.SIGCONT)
        until(lambda: not marks.busy(sleeper), "w1 to have done what it was at")
        until(lambda: cluster.workers[1].poll() is not None, "w1 to learn that nobody waits for it")
        after = {path: path.read_bytes() for path in (slow / "hurt-store").rglob("*") if path.is_file()}
        assert {path: after[path] for path in store} == store
        assert Store(slow / "hurt-store").mend() == []
        assert main(arguments(slow, "hurt")) == 0  # nothing it left behind leads astray
        assert differences(files(slow / "hurt"), alone) == {}


def test_a_scheduler_that_dies_is_told_and_the_next_run_goes_on(alone, slow, marks, tmp_path, capsys):
    with machines.cluster(tmp_path / "cluster", number=2) as cluster:
        until(lambda: len(cluster.pids()) == 2, "two workers")

        def kill() -> None:
            until(lambda: marks.done() >= 3, "some documents to be read")
            os.kill(cluster.scheduler.pid, signal.SIGKILL)

        killing = Harm(kill)
        capsys.readouterr()
        assert main(arguments(slow, "hurt", "--dask", cluster.address)) == 1
        killing.done()
        said = capsys.readouterr().err
        assert f"the Dask scheduler {cluster.address} is gone" in said and "run again to go on" in said
        assert "Traceback" not in said
    done = marks.done()
    assert main(arguments(slow, "hurt")) == 0
    assert marks.done() < 12 + done  # what was read before is found
    assert differences(files(slow / "hurt"), alone) == {}


MODEL_STAGE = '''
"""A stage whose model lives in the worker; it tells which process it ran in."""
import os
from dataclasses import dataclass
from rarefy.data_contracts.rows import Quarantined

@dataclass(frozen=True)
class Part:
    path: str

def work(part):
    yield Quarantined(part.path, "work", part.path, str(os.getpid()), "")
'''


def test_work_for_a_model_in_the_process_goes_to_workers_that_hold_one(tmp_path, monkeypatch):
    (tmp_path / "model_stage.py").write_text(MODEL_STAGE)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    monkeypatch.syspath_prepend(str(tmp_path))
    import model_stage

    def ran(job: Job, hands: workers.Workers) -> set[int]:
        parts = [{"part": model_stage.Part(f"{job.stage}{n}")} for n in range(12)]
        made = dict(hands(job, parts, str(tmp_path / "store")))
        store = Store(tmp_path / "store")
        rows = [row for tables in made.values() for row in from_table(store.table(tables["done"]), Quarantined)]
        return {int(row.reason) for row in rows}

    job = Job("work", "model_stage:work", 1, {"part": model_stage.Part}, {"done": Quarantined})
    engine = LLMConfig(provider="vllm", model="m")
    monkeypatch.setattr(workers, "needs_model_worker", lambda job: job.stage == "model")
    with machines.cluster(tmp_path / "cluster", number=2) as cluster:
        cluster.hire("--resources", f"{workers.RESOURCE}=1")
        until(lambda: len(cluster.pids()) == 3, "three workers")
        pids = cluster.pids()
        with workers.connect_workers(0, cluster.address) as hands:
            assert ran(replace(job, stage="model"), hands) == {pids["w2"]}
            assert len(ran(job, hands)) > 1  # the rest goes to all
    assert accounting.needs_model_worker(replace(job, tools={"llm": engine}))
    assert not accounting.needs_model_worker(replace(job, tools={"llm": LLMConfig(provider="openai", model="m")}))
    del sys.modules["model_stage"]


def rarefy(*command: str, **environment: str) -> "subprocess.Popen[str]":
    """The command in a process of its own, as a person starts it."""
    return subprocess.Popen(
        [sys.executable, "-m", "rarefy.flows.cli", *command],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env={**os.environ, **environment},
    )


@pytest.fixture
def prefect(tmp_path: Path) -> Iterator[Callable[[str], str]]:
    """Starts a Prefect server on a database, as `prefect server start` does; gives the address of its API."""
    started = []

    def start(url: str) -> str:
        port = machines.free_port()
        own = {
            "PREFECT_HOME": str(tmp_path / "prefect"),
            "PREFECT_API_DATABASE_CONNECTION_URL": url,
            "PREFECT_SERVER_ANALYTICS_ENABLED": "false",
            "DO_NOT_TRACK": "1",
        }
        env = {name: value for name, value in os.environ.items() if not name.startswith("PREFECT_")} | own
        command = [sys.executable, "-m", "prefect", "server", "start", "--host", "127.0.0.1", "--port", str(port)]
        with (tmp_path / "prefect.log").open("wb") as log:
            started.append(
                subprocess.Popen(
                    command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, env=env, start_new_session=True
                )
            )

        def answers() -> bool:
            assert started[0].poll() is None, (tmp_path / "prefect.log").read_text()
            try:
                build_opener(ProxyHandler({})).open(f"http://127.0.0.1:{port}/api/health", timeout=5).close()
            except OSError:
                return False
            return True

        until(answers, "Prefect")
        return f"http://127.0.0.1:{port}/api"

    yield start
    for process in started:
        machines.ended(process)


WITH_MODEL = """
[llm]
provider = "openai"
model = "m"
[extract]
methods = ["cover", "tables", "prose", "model"]
[grade]
by = "model"
[perturb]
query = ["butter_fingers"]
document = []
context = []
[read.readers]
".html" = "slow_reader:read"
"""


def test_everything_elsewhere_and_a_worker_killed_is_the_build_of_one_process(slow, api, marks, prefect, monkeypatch):
    """Corpus and store on S3, replies, ledger and Prefect on PostgreSQL, work on Dask, models behind an endpoint."""
    pytest.importorskip("psycopg")
    (slow / "my.toml").write_text(WITH_MODEL)
    monkeypatch.setenv("OPENAI_API_KEY", "sk-test")
    with (
        machines.object_store() as bucket,
        machines.postgres() as server,
        served(slow / "asked.jsonl") as endpoint,
    ):
        monkeypatch.setenv("OPENAI_BASE_URL", endpoint.url)
        monkeypatch.setenv("SLOW_SECONDS", "0")
        assert main(arguments(slow, "alone")) == 0
        asked = len(endpoint.log())
        monkeypatch.delenv("SLOW_SECONDS")
        machines.put(slow / "corpus", f"{bucket}/corpus")
        replies = machines.database(server, "replies")
        url = prefect(machines.database(server, "prefect").replace("postgresql://", "postgresql+asyncpg://"))
        with machines.cluster(slow / "cluster") as cluster:
            until(lambda: len(cluster.pids()) == 4, "four workers")
            victim = cluster.pids()["w2"]
            for mark in (slow / "marks").iterdir():
                mark.unlink()

            def elsewhere(command: str, out: str) -> "subprocess.Popen[str]":
                where = ["--out", str(slow / out), "--store", f"{bucket}/store", "--config", str(slow / "my.toml")]
                there = ["--dask", cluster.address, "--replies", replies, "--quiet"]
                return rarefy(command, f"{bucket}/corpus", *where, *there, PREFECT_API_URL=url)

            def well(process: "subprocess.Popen[str]") -> str:
                said = process.communicate(timeout=900)[0]
                assert process.returncode == 0, said
                return said

            building = elsewhere("build", "elsewhere")
            until(lambda: marks.busy(victim) or building.poll() is not None, "w2 to be at work")
            os.kill(victim, signal.SIGKILL)
            well(building)
            assert differences(files(slow / "elsewhere"), files(slow / "alone")) == {}
            assert len(endpoint.log()) == 2 * asked  # each once here and once there, whoever was killed

            edited = slow / "corpus" / "C.html"
            edited.write_text(edited.read_text().replace("industrial pumps", "industrial valves"))
            machines.put(edited.parent, f"{bucket}/corpus")
            begun = marks.begun()
            both = [elsewhere("refresh", "elsewhere") for _ in range(2)]  # the lease, on S3, lets one at a time
            assert "Traceback" not in "".join(map(well, both))
            assert marks.begun() == begun + 1  # one document was read again, once
            assert 0 < len(endpoint.log()) - 2 * asked < asked / 2  # and what depends on it was asked
            monkeypatch.setenv("SLOW_SECONDS", "0")
            assert main(arguments(slow, "fresh")) == 0
            assert differences(files(slow / "elsewhere"), files(slow / "fresh")) == {}
        assert Store(f"{bucket}/store").mend() == []
