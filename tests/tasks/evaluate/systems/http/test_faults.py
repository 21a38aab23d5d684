import time

import pytest

from rarefy.tasks.evaluate.systems.interface import REASONS, explain_error
from rarefy.tasks.models.llm.faults import BudgetSpent, TooManyFailures, Unavailable

# what an endpoint does, and the code that says so; each is asked beside questions that it answers
FAULTS = {
    "hang": "timeout",
    "drip": "timeout",
    "html": "not_json",
    "half-json": "not_json",
    "deep": "not_json",
    "nothing": "empty",
    "huge": "too_large",
    "bomb": "too_large",
    "not-utf8": "not_text",
    "other-json": "no_answer",
    "object": "no_answer",
    "error-200": "system_error",
    "cut-before": "connection",
    "not-http": "connection",
    "cut": "cut",
    "reset": "cut",
    "500": "http_500",
    "503": "http_503",
    "400": "http_400",
    "413": "http_413",
    "429": "rate_limited",
    "redirect": "http_307",
    "401": "http_401",
    "404": "http_404",
}


@pytest.mark.parametrize("fault", FAULTS)
def test_each_fault_is_a_row_with_its_code_and_the_others_are_answered(ask, fault):
    wrong = f"what? [[do: {fault}]]"
    timeout = 2.0 if FAULTS[fault] == "timeout" else 60.0
    first, second, last = ask(
        "first", wrong, "last", retries=0, timeout=timeout, reply={"error": "error"}, concurrency=1
    )
    assert (first.text, last.text) == ("re first", "re last")
    assert (second.text, second.error, second.asked_id) == ("", FAULTS[fault], f"id {wrong}")
    assert second.detail and len(second.detail) <= 320


@pytest.mark.parametrize(
    "fault", ["503", "429", "429=0.01", "cut", "reset", "cut-before", "hang", "half-json", "nothing"]
)
def test_what_may_pass_is_asked_again(ask, endpoint, fault):
    (said,) = ask(f"[[do: {fault}, {fault}, ok]]", retries=2, timeout=2.0 if fault == "hang" else 60.0)
    assert said.error == "" and said.text.startswith("re ")
    assert (said.calls, len(endpoint.requests)) == (3, 3)


@pytest.mark.parametrize("fault", ["400", "404", "redirect", "huge", "other-json"])
def test_what_would_be_the_same_again_is_asked_once(ask, endpoint, fault):
    _, said = ask("first", f"[[do: {fault}, ok]]", retries=5, concurrency=1)
    assert said.error and len(endpoint.requests) == 2


def test_no_retries_are_none(ask, endpoint):
    said = ask("first", "[[do: 503, ok]]", retries=0, concurrency=1)[1]
    assert said.error == "http_503" and said.calls == 1 and len(endpoint.requests) == 2


def test_retry_after_is_waited_for(ask):
    began = time.monotonic()
    (said,) = ask("[[do: 429=0.4, ok]]")
    assert said.error == "" and time.monotonic() - began >= 0.4


def test_a_retry_after_beyond_the_deadline_of_a_call_is_not_waited_for(ask):
    _, said = ask("first", "[[do: 503=3600, ok]]", serving={"call_deadline": 1.0}, concurrency=1)
    assert said.error == "http_503"


@pytest.mark.parametrize("status", ["401", "403", "404", "405"])
def test_an_endpoint_that_refuses_everything_stops_the_stage_with_the_way_out(ask, endpoint, status):
    endpoint.always = status
    with pytest.raises(Unavailable, match=r"\(40\d\); look at http\."):
        ask(*map(str, range(50)))
    assert len(endpoint.requests) <= 8


def test_an_endpoint_where_nobody_listens_stops_the_stage(ask):
    with pytest.raises(Unavailable, match="is the system running"):
        ask("a", "b", url="http://127.0.0.1:9/ask")


def test_an_endpoint_that_dies_is_given_up_and_what_it_answered_is_kept(ask, endpoint, tmp_path):
    questions = [f"q{n}" if n < 10 else f"q{n} [[do: cut-before]]" for n in range(100)]
    with pytest.raises(TooManyFailures, match=r"the last 5 in a row failed.*what was answered is kept"):
        ask(*questions, give_up_after=5, retries=0, concurrency=1)
    assert len(endpoint.requests) <= 16
    endpoint.requests.clear()
    assert [said.text for said in ask(*questions[:10])] == [f"re q{n}" for n in range(10)]
    assert endpoint.requests == []


def test_more_failures_than_the_budget_stop_the_stage(ask):
    questions = [f"q{n}" if n % 2 else f"q{n} [[do: 400]]" for n in range(400)]
    with pytest.raises(TooManyFailures, match=r"over serving.failure_budget = 0.05: .* http_400"):
        ask(*questions, serving={"failure_budget": 0.05})


def test_a_stage_past_its_deadline_gives_errors_and_sends_nothing_more(ask, endpoint):
    endpoint.delay = 0.2
    said = ask(*map(str, range(40)), serving={"stage_deadline": 0.5}, concurrency=2)
    assert {one.error for one in said} <= {"", "stage_deadline", "timeout"}
    assert said[-1].error == "stage_deadline" and len(endpoint.requests) < 20


def test_a_run_asks_no_more_than_its_calls_and_goes_on_later(ask, endpoint):
    with pytest.raises(BudgetSpent, match="--max-calls 5 is reached"):
        ask(*map(str, range(20)), means={"run": "r1", "max_calls": 5})
    assert len(endpoint.requests) == 5
    assert len(ask(*map(str, range(20)), means={"run": "r2", "max_calls": 15})) == 20
    assert len(endpoint.requests) == 20


def test_every_code_has_a_meaning():
    assert all(explain_error(code) == told and len(told) > 10 for code, told in REASONS.items())
    for code in [*FAULTS.values(), "http_418", "http_301"]:
        assert explain_error(code) != code
