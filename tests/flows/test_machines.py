"""A cluster that loses its machines one after another makes the benchmark that one process makes, byte for byte."""

import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import machines
import pytest
from machines import files, until

from rarefy.flows.cli import main

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
