"""SIGKILL amid two thousand requests: nothing kept is asked again, and the result is the same to the byte."""

import json
import os
import sqlite3
import subprocess
import sys
import time
from contextlib import closing

import pytest
from endpoint import TESTS, served

from rarefy.tasks.models.llm.reply_store import open_reply_store

pytestmark = pytest.mark.crash

COUNT, CONCURRENCY = 2_000, 32
FAULTS = {
    "429-ms=5": 0.01,
    "500-ms=5": 0.07,
    "503-ms=5": 0.01,
    "cut-body": 0.02,
    "reset": 0.02,
    "half": 0.02,
    "no-choices": 0.01,
    "twice": 0.02,
    "late=0.05": 0.05,
}


def start(store, run, url):
    """The stage, in a process of its own, as a worker makes it."""
    serving = {"concurrency": CONCURRENCY, "retries": 9, "watchdog": 600}
    order = {"store": str(store), "run": run, "count": COUNT, "serving": serving}
    environment = os.environ | {"PYTHONPATH": str(TESTS), "OPENAI_BASE_URL": url, "OPENAI_API_KEY": "sk-test-01234567"}
    command = [sys.executable, "-m", "endpoint.asker", json.dumps(order)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment)


def finished(process):
    out, _ = process.communicate(timeout=120)
    assert process.returncode == 0
    return json.loads(out)


def file_of(store):
    return next(store.glob("**/replies.sqlite"))


def kept(store):
    """The requests whose answer is in the books."""
    with closing(sqlite3.connect(f"file:{file_of(store)}?mode=ro", uri=True)) as books:
        return {request_id for (request_id,) in books.execute("SELECT request_id FROM replies")}


def number(line):
    return f"c{line['about'].split()[1]}"


def tables(store):
    return {file.name: file.read_bytes() for file in store.glob("**/*.parquet")}


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """What the stage makes when nothing goes wrong: the names of its tables and their bytes."""
    folder = tmp_path_factory.mktemp("whole")
    with served(folder / "log.jsonl") as endpoint:
        names = finished(start(folder / "store", "r", endpoint.url))
        assert len(endpoint.log()) == COUNT
        assert finished(start(folder / "store", "r", endpoint.url)) == names
        assert len(endpoint.log()) == COUNT  # a finished stage asks nothing
    return names, tables(folder / "store")


@pytest.mark.parametrize("moments", [(1, 300, 1_400), (2_150,)], ids=["again and again", "near its end"])
def test_a_killed_stage_goes_on_where_it_stood_and_makes_the_same(moments, whole, tmp_path):
    store, have, seen = tmp_path / "store", set(), 0
    with served(tmp_path / "log.jsonl", faults=FAULTS, seed=5, latency=0.005) as endpoint:
        for kills, moment in enumerate(moments, 1):
            process = start(store, "r", endpoint.url)
            while len(endpoint.log()) < moment:
                assert process.poll() is None, "it ended before it could be killed"
                time.sleep(0.005)
            process.kill()
            process.wait()
            process.stdout.close()
            time.sleep(0.1)  # what is under way at the endpoint comes to its log
            log = endpoint.log()
            assert not have & {number(line) for line in log[seen:]}  # nothing that had an answer was sent again
            have, seen = kept(store), len(log)
            # an answer that the endpoint gave and the books lack was on its way when the process died
            good = {number(line) for line in log if not line["fault"]}
            assert len(good - have) <= CONCURRENCY * kills, (len(good), len(have))
        names = finished(start(store, "r", endpoint.url))
        log = endpoint.log()
    later = {number(line) for line in log[seen:]}
    assert have and later and not have & later
    assert have | later == {f"c{n}" for n in range(COUNT)}
    assert (names, tables(store)) == whole  # tables are named by their content
    # the ledger has every try but those that were on their way at a kill
    lines = sum(u.calls for u in open_reply_store("", file_of(store).parent).usage("r") if u.outcome != "remembered")
    assert 0 <= len(log) - lines <= CONCURRENCY * len(moments)
