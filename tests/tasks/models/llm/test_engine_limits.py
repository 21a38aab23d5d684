"""How fast an endpoint is asked: what it and the user say is obeyed, by the endpoint's own clock."""

import json
import logging
import os
import subprocess
import sys
import threading
import time
from email.utils import parsedate_to_datetime

import pytest
from endpoint import TESTS, answer, served

from rarefy.data_contracts.rows import Message, Request


def start(order, url):
    """A further process that asks; its stdout is one line of JSON."""
    environment = os.environ | {"PYTHONPATH": str(TESTS), "OPENAI_BASE_URL": url, "OPENAI_API_KEY": "sk-test-01234567"}
    command = [sys.executable, "-m", "endpoint.asker", json.dumps(order)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment)


def told(process):
    out, _ = process.communicate(timeout=60)
    assert process.returncode == 0
    return json.loads(out)


@pytest.mark.parametrize(
    ("fault", "code"), [("500", "server_error"), ("429-ms=9", "rate_limited"), ("reset", "connection")]
)
def test_no_retries_means_that_each_request_is_sent_exactly_once(fault, code, engine, tmp_path):
    with served(tmp_path / "log.jsonl") as endpoint:
        llm = engine(endpoint.url, retries=0)
        # what answers comes first: where nothing ever answered, two connections that are reset end the stage
        replies = [*llm("fine"), *llm(f"one [[do: {fault}, ok]]", f"two [[do: {fault}, ok]]")]
        assert [reply.error for reply in replies] == ["", code, code]
        assert len(endpoint.log()) == 3
        assert llm.calls(code) == 2


def test_as_many_retries_as_are_allowed_and_no_more(engine, tmp_path):
    with served(tmp_path / "log.jsonl") as endpoint:
        first, second = engine(endpoint.url, retries=2)(
            "a [[do: 503-ms=5, 503-ms=5, ok]]", "b [[do: 503-ms=5, 503-ms=5, 503-ms=5, ok]]"
        )
        assert (first.error, second.error) == ("", "server_error")
        assert len(endpoint.log()) == 6


def test_retry_after_is_obeyed_in_each_way_of_saying_it(engine, tmp_path):
    with served(tmp_path / "log.jsonl") as endpoint:
        for fault, least, most in (("429-ms=300", 0.3, 0.6), ("429-seconds=1", 1.0, 1.4), ("503-ms=400", 0.4, 0.7)):
            (reply,) = engine(endpoint.url)(f"{fault} [[do: {fault}, ok]]")
            first, second = endpoint.log()[-2:]
            assert not reply.error
            assert least <= second["at"] - first["at"] < most, fault
        engine(endpoint.url)("[[do: 429-date=1, ok]]")
        first, second = endpoint.log()[-2:]
        assert 1.0 <= second["at"] - first["at"] < 2.5
        assert parsedate_to_datetime("Sat, 21 Nov 2026 05:22:05 GMT").timestamp() == 1795238525  # what a date means
        engine(endpoint.url)("[[do: 429-nonsense, ok]]")  # said, and not to be understood: as if it were not


def test_while_one_request_must_wait_no_other_is_sent(engine, tmp_path):
    with served(tmp_path / "log.jsonl", latency=0.02) as endpoint:
        llm = engine(endpoint.url, concurrency=8)
        replies = llm(*(f"{n} [[do: {'429-ms=700' if n == 20 else 'ok'}, ok]]" for n in range(200)))
        assert not any(reply.error for reply in replies)
        log = endpoint.log()
        complaint = next(line["at"] for line in log if line["fault"].startswith("429"))
        between = [line for line in log if complaint + 0.1 < line["at"] < complaint + 0.68]
        assert not between and max(line["at"] for line in log) > complaint + 0.7


def test_concurrency_falls_in_a_storm_of_429_and_comes_back_after_it(engine, tmp_path):
    with served(tmp_path / "log.jsonl", capacity=6, latency=0.01) as endpoint:
        llm = engine(endpoint.url, concurrency=64, retries=50)
        calm = threading.Timer(2.5, endpoint.control, [], {"capacity": 0})
        calm.start()
        replies = llm(*(f"question {n}" for n in range(2_500)))
        calm.join()
        assert not any(reply.error for reply in replies)
        log = endpoint.log()
    begin = log[0]["at"]
    storm = [line for line in log if begin + 1 < line["at"] < begin + 2.5]
    assert sum(line["status"] == 429 for line in storm) < 0.25 * len(storm)
    assert sum(line["flying"] for line in storm) / len(storm) < 8
    assert max(line["flying"] for line in log if line["at"] > begin + 2.5) > 16


def test_a_call_that_hangs_fails_at_its_deadline_and_holds_up_nobody(engine, tmp_path):
    with served(tmp_path / "log.jsonl") as endpoint:
        began = time.monotonic()
        llm = engine(endpoint.url, call_deadline=1.2, try_deadline=0.5, failure_budget=1)
        replies = llm("[[do: hang]]", *(f"question {n}" for n in range(200)), "slow [[do: slow=30]]")
        assert time.monotonic() - began < 3
        assert [reply.error for reply in replies] == ["timeout", *[""] * 200, "timeout"]
        tries = [line["at"] for line in endpoint.log() if line["fault"] == "hang"]
        assert 2 <= len(tries) <= 3 and tries[-1] - tries[0] < 1.2


def test_a_stage_ends_at_its_deadline_with_a_reason_for_each_request(engine, tmp_path):
    with served(tmp_path / "log.jsonl", latency=0.6) as endpoint:  # long, beside what a busy machine adds to it
        engine(endpoint.url)("the first, which imports what is needed")
        began = time.monotonic()
        replies = engine(endpoint.url, concurrency=4, stage_deadline=3, failure_budget=1)(*(f"{n}" for n in range(500)))
        assert time.monotonic() - began < 4
        assert len(replies) == 500
        assert {reply.error for reply in replies} <= {"", "timeout", "stage_deadline"}
        assert 8 <= sum(not reply.error for reply in replies) <= 24
        assert len(endpoint.log()[1:]) <= 28


def test_the_watchdog_names_the_oldest_request_in_flight(engine, tmp_path, caplog):
    with served(tmp_path / "log.jsonl") as endpoint, caplog.at_level(logging.WARNING, "rarefy.llm"):
        llm = engine(endpoint.url, watchdog=0.4, try_deadline=1.2, call_deadline=1.2, concurrency=1)
        assert llm("fine", "one [[do: hang]]", "two [[do: hang]]")[0].error == ""
    told = [record.getMessage() for record in caplog.records if record.name == "rarefy.llm"]
    assert told and "q1" in told[0] and "in flight" in told[0]


def test_two_processes_together_keep_the_requests_per_minute(tmp_path):
    limit, seconds = 600, 4
    with served(tmp_path / "log.jsonl") as endpoint:
        serving = {"requests_per_minute": limit, "stage_deadline": seconds, "failure_budget": 1}
        order = {"cache": str(tmp_path / "cache"), "count": 300, "serving": serving}
        both = [start(order | {"first": first}, endpoint.url) for first in (0, 300)]
        assert all(told(process)["replies"] == 300 for process in both)
        at = sorted(line["at"] for line in endpoint.log())
    assert len(at) > limit / 20  # it went on
    assert len(at) <= limit * (0.1 + seconds / 60) + 10, len(at)  # what may go at once, and what comes free since
    # 70 in any four seconds are far from 600 in any sixty
    assert all(sum(begin <= other < begin + 1 for other in at) <= 0.1 * limit + limit / 60 + 5 for begin in at)


def test_the_last_call_of_a_budget_is_the_last_that_any_process_makes_and_later_it_goes_on(tmp_path):
    with served(tmp_path / "log.jsonl", faults={"503-ms=5": 0.1}, latency=0.005) as endpoint:
        order = {"cache": str(tmp_path / "cache"), "count": 300, "max_calls": 157, "serving": {"retries": 9}}
        both = [start(order | {"first": first}, endpoint.url) for first in (0, 300)]
        stopped = [told(process)["stopped"] for process in both]
        assert len(endpoint.log()) == 157  # tries of all kinds
        assert all(line.startswith("BudgetSpent") and "--max-calls 157" in line for line in stopped)
        answered = {line["about"] for line in endpoint.log() if line["status"] == 200}
        again = told(start(order | {"run": "r2", "count": 600, "max_calls": 0}, endpoint.url))
        assert (again["replies"], again["errors"], again["stopped"]) == (600, {"": 600}, "")
        assert not answered & {line["about"] for line in endpoint.log()[157:]}


def test_a_budget_of_money_is_never_exceeded(engine, tmp_path):
    from rarefy.tasks.models.llm.config import Price
    from rarefy.tasks.models.llm.faults import BudgetSpent

    price = Price(model="m*", prompt=1, completion=1_000, as_of="2026-11-01", source="the test")
    with served(tmp_path / "log.jsonl") as endpoint:
        llm = engine(endpoint.url, max_cost=1.0, prices=(price,), concurrency=16)
        with pytest.raises(BudgetSpent, match="--max-cost 1 "):
            llm(*(f"question {n}" for n in range(500)), max_tokens=100)
        spent = sum(usage.cost for usage in llm.usage())
        billed = sum(line["billed"][0] * 1_000 + line["billed"][1] * 1_000_000 for line in endpoint.log())
        assert spent == billed
        assert 0.85e9 < billed <= 1e9


def test_the_same_question_of_many_callers_is_sent_once(engine, tmp_path):
    with served(tmp_path / "log.jsonl", latency=0.3) as endpoint:
        llm = engine(endpoint.url)
        got = []
        callers = [threading.Thread(target=lambda: got.extend(llm(*["the same"] * 50))) for _ in range(3)]
        for caller in callers:
            caller.start()
        for caller in callers:
            caller.join()
        assert len(endpoint.log()) == 1
        assert len(got) == 150 and {reply.text for reply in got} == {answer([{"role": "user", "content": "the same"}])}
        assert sum(not reply.remembered for reply in got) == 1
        assert sum(usage.calls for usage in llm.usage() if usage.outcome != "remembered") == 1


def test_no_more_is_taken_than_fits_while_one_reply_is_late(engine, tmp_path):
    taken = []

    def source():
        for n in range(20_000):
            taken.append(n)
            yield Request(f"q{n}", (Message("user", "first [[do: late=1.5]]" if n == 0 else f"question {n}"),))

    with served(tmp_path / "log.jsonl") as endpoint:
        replies = engine(endpoint.url).llm(source())
        next(replies)
        assert 1_000 < len(taken) <= 5_000
        replies.close()


def test_memory_does_not_grow_with_the_number_of_requests(tmp_path):
    with served(tmp_path / "log.jsonl") as endpoint:
        prompt = "question {n} " + "about the segment " * 200
        order = {"cache": str(tmp_path / "cache"), "count": 8_000, "prompt": prompt, "measure_at": 5_000}
        out = told(start(order, endpoint.url))
    assert out["errors"] == {"": 8_000}
    assert out["late"] - out["early"] < 6, out  # three thousand requests and replies take 15
