"""SIGKILL in the middle of two thousand requests: nothing kept is asked again, and the result is the same to the byte."""

import json
import os
import sqlite3
import subprocess
import sys
import time
from contextlib import closing

import pytest
from endpoint import TESTS, served

from rarefy.tasks.llm.books import opened

COUNT, CONCURRENCY = 2_000, 32
FAULTS = {
    "429-ms=5": 0.04,
    "500": 0.03,
    "503-ms=5": 0.03,
    "cut-body": 0.03,
    "reset": 0.02,
    "half": 0.03,
    "no-choices": 0.02,
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


def kept(store):
    """The requests whose answer is in the books."""
    file = next(store.glob("**/replies.sqlite"), None)
    if file is None:
        return set()
    with closing(sqlite3.connect(f"file:{file}?mode=ro", uri=True)) as books:
        return {request_id for (request_id,) in books.execute("SELECT request_id FROM replies")}


def number(line):
    return f"c{line['about'].split()[1]}"


def tables(store):
    return {file.name: file.read_bytes() for file in store.glob("**/*.parquet")}


@pytest.mark.parametrize("moments", [(1, 60, 700, 1_500), (2_300,)], ids=["again and again", "near its end"])
def test_a_killed_stage_goes_on_where_it_stood_and_makes_the_same(moments, tmp_path):
    with served(tmp_path / "whole.jsonl", latency=0.01) as endpoint:
        whole = finished(start(tmp_path / "whole", "r", endpoint.url))
    store, log, sent_before = tmp_path / "killed", tmp_path / "killed.jsonl", []
    with served(log, faults=FAULTS, seed=5, latency=0.01) as endpoint:
        for moment in moments:
            process = start(store, "r", endpoint.url)
            while len(endpoint.log()) < moment:
                assert process.poll() is None, "it ended before it could be killed"
                time.sleep(0.005)
            process.kill()
            process.wait()
            process.stdout.close()
            time.sleep(0.1)  # what is under way at the endpoint comes to its log
            before, sent_before = sent_before, endpoint.log()
            have = kept(store)
            # an answer that the endpoint gave and the books lack was on its way when the process died
            answered = {number(line) for line in sent_before if line["status"] == 200 and "[[do" not in line["about"]}
            good = {number(line) for line in sent_before if not line["fault"]} & answered
            assert len(good - have) <= CONCURRENCY * (1 + moments.index(moment)), (len(good), len(have))
            assert not any(number(line) in before_kept for line in sent_before[len(before) :]) if before else True
            before_kept = have
        resumed = finished(start(store, "r", endpoint.url))
        later = endpoint.log()[len(sent_before) :]
    assert not have & {number(line) for line in later}  # nothing that had an answer is sent again
    assert have | {number(line) for line in later} >= {f"c{n}" for n in range(COUNT) if n % 50 != 7}
    assert resumed == whole  # tables are named by their content
    assert tables(store) == tables(tmp_path / "whole")
    # the ledger has every try but those that were on their way at a kill
    lines = sum(usage.calls for usage in opened("", next(store.glob("**/replies.sqlite")).parent).usage("r"))
    remembered = sum(
        u.calls for u in opened("", next(store.glob("**/replies.sqlite")).parent).usage("r") if u.outcome == "remembered"
    )
    assert 0 <= len(sent_before) + len(later) - (lines - remembered) <= 2 * CONCURRENCY * len(moments)


def test_a_finished_stage_asks_nothing(tmp_path):
    with served(tmp_path / "log.jsonl") as endpoint:
        first = finished(start(tmp_path / "store", "r", endpoint.url))
        count = len(endpoint.log())
        assert finished(start(tmp_path / "store", "r", endpoint.url)) == first
        assert len(endpoint.log()) == count == COUNT
