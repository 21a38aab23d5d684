"""Killed at any moment and run again, a build ends as if nothing had happened."""

import multiprocessing
import signal
import time
from pathlib import Path
from random import Random

import pytest

from rarefy.flows.cli import main

pytestmark = pytest.mark.crash

KILLS = 4


def files(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


@pytest.fixture(scope="module")
def started(built):
    """Starts a build in another process; it has its imports already, so that the moments fall into the work."""
    context = multiprocessing.get_context("forkserver")
    late = [
        "great_expectations",
        "spacy",
        "textstat",
        "bm25s",
        "rarefy.tasks.knowledge.extract.prose",
        "rarefy.tasks.knowledge.graph",
    ]
    context.set_forkserver_preload(["rarefy.flows.build", *late])

    def start(place: Path, *settings: str) -> multiprocessing.process.BaseProcess:
        where = ["--out", str(place / "out"), "--store", str(place / "store"), "--quiet", *settings]
        process = context.Process(target=main, args=(["build", str(built / "corpus"), *where],))
        process.start()
        return process

    return start


def undisturbed(started, place: Path, *settings: str) -> tuple[dict[str, bytes], float]:
    """What an undisturbed build makes, and how many seconds it takes."""
    began = time.monotonic()
    process = started(place, *settings)
    process.join()
    assert process.exitcode == 0
    return files(place / "out"), time.monotonic() - began


def killed(process: multiprocessing.process.BaseProcess, seconds: float) -> bool:
    """Whether the build was still at work when it was killed, after so many seconds."""
    process.join(seconds)
    process.kill()
    process.join()
    return process.exitcode == -signal.SIGKILL


def hurt(started, place: Path, seconds: float, *settings: str) -> Path:
    """A folder where a build was killed at work; one that was done by then is begun elsewhere, and killed earlier."""
    for run in range(5):
        if killed(started(place / str(run), *settings), seconds * 0.7**run):
            return place / str(run)
    raise AssertionError("it was never at work")


@pytest.fixture(scope="module")
def quick(built, started, tmp_path_factory):
    """The settings of the quick build, what it makes undisturbed, and how long it takes."""
    settings = ("--config", str(built / "quick.toml"))
    place = tmp_path_factory.mktemp("quick")
    undisturbed(started, place / "warm", *settings)  # the first one waits for what the others share
    return settings, *undisturbed(started, place / "timed", *settings)


@pytest.mark.parametrize("seed", range(KILLS))
def test_a_build_that_is_killed_and_run_again_ends_byte_identical(seed, started, quick, tmp_path):
    settings, made, seconds = quick
    random = Random(seed)
    share = (seed + random.random()) / KILLS * 0.8  # one moment in each quarter of most of the build
    place = hurt(started, tmp_path, seconds * share, *settings)
    killed(started(place, *settings), seconds * random.random() * 0.5)  # and once more while it goes on
    process = started(place, *settings)
    process.join()
    assert process.exitcode == 0
    assert files(place / "out") == made


def test_so_does_one_with_variants_and_the_default_settings(started, tmp_path):
    made, seconds = undisturbed(started, tmp_path / "undisturbed")
    place = hurt(started, tmp_path, seconds * 0.6)
    process = started(place)
    process.join()
    assert process.exitcode == 0
    assert files(place / "out") == made
