"""Killed at any moment and run again, a build ends as if nothing had happened."""

import multiprocessing
import shutil
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

    def start(place: Path) -> multiprocessing.process.BaseProcess:
        where = ["--out", str(place / "out"), "--store", str(place / "store"), "--config", str(built / "quick.toml")]
        process = context.Process(target=main, args=(["build", str(built / "corpus"), *where, "--quiet"],))
        process.start()
        return process

    return start


@pytest.fixture(scope="module")
def undisturbed(started, tmp_path_factory) -> tuple[dict[str, bytes], float]:
    """What an undisturbed build makes, and how many seconds it takes."""
    for _ in range(2):  # the first one imports what is left to import
        place = tmp_path_factory.mktemp("undisturbed")
        began = time.monotonic()
        process = started(place)
        process.join()
        assert process.exitcode == 0
    return files(place / "out"), time.monotonic() - began


@pytest.mark.parametrize("seed", range(KILLS))
def test_a_build_that_is_killed_and_run_again_ends_byte_identical(seed, started, undisturbed, tmp_path):
    made, seconds = undisturbed
    random = Random(seed)
    slice_of_time = (seed + random.random()) / KILLS  # one moment in each quarter of the build
    for share in (slice_of_time, random.random() * 0.5):  # killed, and killed once more while it goes on
        process = started(tmp_path)
        time.sleep(seconds * share)
        process.kill()
        process.join()
    process = started(tmp_path)
    process.join()
    assert process.exitcode == 0
    assert files(tmp_path / "out") == made
    shutil.rmtree(tmp_path)
