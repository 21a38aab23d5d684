"""Killed at any moment and run again, a build ends as if nothing had happened."""

import multiprocessing
import signal
import time
from pathlib import Path
from random import Random

import pytest

from rarefy.flows.cli import main

KILLS = 4


def files(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


@pytest.fixture(scope="module")
def started(built):
    """Starts a build in another process; it has its imports already, so that the moments fall into the work."""
    context = multiprocessing.get_context("forkserver")
    late = ["great_expectations", "spacy", "textstat", "bm25s", "rarefy.tasks.extract.prose", "rarefy.tasks.graph"]
    context.set_forkserver_preload(["rarefy.flows.build", *late])

    def start(place: Path, *settings: str) -> multiprocessing.process.BaseProcess:
        where = ["--out", str(place / "out"), "--store", str(place / "store"), "--quiet", *settings]
        process = context.Process(target=main, args=(["build", str(built / "corpus"), *where],))
        process.start()
        return process

    return start


def undisturbed(started, place: Path, *settings: str) -> tuple[dict[str, bytes], float]:
    """What an undisturbed build makes, and how many seconds it takes."""
    for run in ("warm", "timed"):  # the first one imports what is left to import
        began = time.monotonic()
        process = started(place / run, *settings)
        process.join()
        assert process.exitcode == 0
    return files(place / "timed" / "out"), time.monotonic() - began


def killed(process: multiprocessing.process.BaseProcess, seconds: float) -> bool:
    """Whether the build was still at work when it was killed, after so many seconds."""
    process.join(seconds)
    process.kill()
    process.join()
    return process.exitcode == -signal.SIGKILL


@pytest.fixture(scope="module")
def quick(built, started, tmp_path_factory):
    """The settings of the quick build, what it makes undisturbed, and how long it takes."""
    settings = ("--config", str(built / "quick.toml"))
    return settings, *undisturbed(started, tmp_path_factory.mktemp("quick"), *settings)


@pytest.mark.parametrize("seed", range(KILLS))
def test_a_build_that_is_killed_and_run_again_ends_byte_identical(seed, started, quick, tmp_path):
    settings, made, seconds = quick
    random = Random(seed)
    share = (seed + random.random()) / KILLS * 0.8  # one moment in each quarter of most of the build
    assert killed(started(tmp_path, *settings), seconds * share), "it was at work"
    killed(started(tmp_path, *settings), seconds * random.random() * 0.5)  # and once more while it goes on
    process = started(tmp_path, *settings)
    process.join()
    assert process.exitcode == 0
    assert files(tmp_path / "out") == made


def test_so_does_one_with_variants_and_the_default_settings(started, tmp_path):
    made, seconds = undisturbed(started, tmp_path)
    assert killed(started(tmp_path / "hurt"), seconds * 0.6)
    process = started(tmp_path / "hurt")
    process.join()
    assert process.exitcode == 0
    assert files(tmp_path / "hurt" / "out") == made
