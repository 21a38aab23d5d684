"""A cluster that loses its machines one after another makes the benchmark that one process makes, byte for byte."""

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.request import ProxyHandler, build_opener

import machines
import pytest
from endpoint import served
from machines import files, until

from rarefy.flows.cli import main
from rarefy.tasks.store import Store

SLOW = '''
"""Reads a file slowly, and leaves a mark when it begins and when it is done."""
import os, time
from pathlib import Path
from rarefy.tasks.read import ReadConfig, read as read_at_once

def read(source, config):
    marks = Path(os.environ["SLOW_MARKS"])
    mine = f"{os.getpid()}-{Path(source.path).stem}"
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


class Marks:
    """What the workers' processes have begun and done."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def busy(self, pid: int) -> list[str]:
        """What this process has begun and not done."""
        begun = {path.name.removeprefix("begun-") for path in self.folder.glob(f"begun-{pid}-*")}
        return sorted(begun - {path.name.removeprefix("done-") for path in self.folder.glob(f"done-{pid}-*")})

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
    """What one process makes of the corpus."""
    monkeypatch.setenv("SLOW_SECONDS", "0")
    assert main(arguments(slow, "alone")) == 0
    monkeypatch.delenv("SLOW_SECONDS")
    for mark in (slow / "marks").iterdir():
        mark.unlink()
    return files(slow / "alone")


@pytest.fixture
def marks(slow: Path) -> Marks:
    return Marks(slow / "marks")


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
                os.kill(pids[name], sign)

        harming = Harm(harm)
        assert main(arguments(slow, "hurt", "--dask", cluster.address)) == 0
        harming.done()
        assert files(slow / "hurt") == alone
        log = cluster.log()
        assert "Worker failed to heartbeat" in log  # the frozen one was given up, not waited for
        assert marks.busy(pids["w0"]) and marks.busy(pids["w1"])  # what they had begun, others did


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

            def build(out: str) -> "subprocess.Popen[str]":
                where = ["--out", str(slow / out), "--store", f"{bucket}/store", "--config", str(slow / "my.toml")]
                there = ["--dask", cluster.address, "--replies", replies]
                return rarefy("build", f"{bucket}/corpus", *where, *there, "--quiet", PREFECT_API_URL=url)

            building = build("elsewhere")
            until(lambda: marks.busy(victim) or building.poll() is not None, "w2 to be at work")
            os.kill(victim, signal.SIGKILL)
            said = building.communicate(timeout=600)[0]
            assert building.returncode == 0, said
            assert files(slow / "elsewhere") == files(slow / "alone")
            assert (
                len(endpoint.log()) == 2 * asked
            )  # each once, kept in its own place
            again = build("again")
            said = again.communicate(timeout=600)[0]
            assert again.returncode == 0, said
            assert files(slow / "again") == files(slow / "alone") and len(endpoint.log()) == 2 * asked
        assert Store(f"{bucket}/store").mend() == []
