"""An endpoint that fails every fifth time: nothing is lost, doubled or mixed up, the ledger is right to the cent."""

import pytest
from endpoint import answer, served

from rarefy.data_contracts.rows import Message, Request
from rarefy.tasks.models.llm.config import Price

COUNT = 10_000
PRICE = Price(model="m", prompt=2.5, cached_prompt=1.25, completion=10, as_of="2026-11-01", source="the test")
AGAIN = {  # what another try mends, by the code of the try that failed
    "rate_limited": {"429": 0.002, "429-ms=5": 0.008, "429-seconds=1": 0.0002, "429-date=1": 0.0001},
    "server_error": {
        "500": 0.02,
        "502": 0.002,
        "500-ms=5": 0.03,
        "503-ms=5": 0.003,
        "408": 0.002,
        "half": 0.015,
        "no-choices": 0.005,
        "choices-empty": 0.003,
        "html": 0.005,
        "list": 0.005,
        "nothing": 0.005,
        "error-200": 0.005,
    },
    "connection": {"cut-before": 0.015, "cut-headers": 0.01, "cut-body": 0.015, "reset": 0.01},
    "timeout": {"hang": 0.001},
}
FINAL = {"empty": {"empty": 0.001, "null": 0.001}, "truncated": {"length": 0.002}} | {
    "refused": {"refusal": 0.002},
    "filtered": {"filter": 0.001, "filter-400": 0.001},
    "too_long": {"too-long": 0.001},
}
UNTOLD = {"no-usage": 0.01, "null-usage": 0.002}
HARMLESS = {
    "late=0.05": 0.02,
    "slow=0.2": 0.003,
    "wrong-model": 0.005,
    "stranger": 0.005,
    "twice": 0.01,
    "chunked": 0.005,
}
FAULTS = {name: share for part in (*AGAIN.values(), *FINAL.values(), UNTOLD, HARMLESS) for name, share in part.items()}


def prompt(n):
    return f"Question {n}: what was the revenue of segment {n % 97}?"


def said(n):
    return answer([{"role": "user", "content": prompt(n)}])


def nano(prompt_tokens, completion_tokens, cached):
    """What tokens cost in billionths, worked out from the price by hand."""
    return (prompt_tokens - cached) * 2_500 + cached * 1_250 + completion_tokens * 10_000


@pytest.fixture(scope="module")
def ran(tmp_path_factory):
    """Ten thousand requests to that endpoint: replies, the ledger, and the endpoint's own log."""
    assert sum(FAULTS.values()) >= 0.2
    folder = tmp_path_factory.mktemp("faults")
    with pytest.MonkeyPatch.context() as patch, served(folder / "log.jsonl", faults=FAULTS, seed=12) as endpoint:
        patch.setenv("OPENAI_BASE_URL", endpoint.url)
        patch.setenv("OPENAI_API_KEY", "sk-test-0123456789abcdef")
        from rarefy.tasks.models.llm import InferenceContext, LLMConfig, RequestPolicy
        from rarefy.tasks.models.llm.reply_store import open_reply_store

        serving = RequestPolicy(try_deadline=1.5, call_deadline=60, retries=8, prices=(PRICE,))
        means = InferenceContext(stage="s", run="r", serving=serving)
        llm = LLMConfig(provider="openai", model="m").connect(folder, threads=1, means=means)
        replies = list(llm(Request(f"q{n}", (Message("user", prompt(n)),)) for n in range(COUNT)))
        return replies, open_reply_store("", folder).usage("r"), endpoint.log()


def befell(log, names):
    return [line for line in log if line["fault"] in names]


def test_every_request_has_one_reply_in_order(ran):
    replies, _, log = ran
    assert [reply.request_id for reply in replies] == [f"q{n}" for n in range(COUNT)]
    assert len(befell(log, FAULTS)) / len(log) == pytest.approx(sum(FAULTS.values()), abs=0.03)
    assert {line["fault"] for line in log} == {"", *FAULTS}  # each fault happened


def test_no_reply_is_another_requests(ran):
    replies, _, _ = ran
    wrong = [n for n, reply in enumerate(replies) if not reply.error and reply.text != said(n)]
    assert not wrong


def test_every_request_that_failed_says_why_and_no_other_failed(ran):
    replies, _, log = ran
    for code, faults in FINAL.items():
        failed = {prompt(n) for n, reply in enumerate(replies) if reply.error == code}
        assert failed == {line["about"] for line in befell(log, faults)}, code
    assert {reply.error for reply in replies} == {"", *FINAL}


def test_nothing_is_sent_again_after_its_answer_and_everything_after_a_fault(ran):
    _, _, log = ran
    tries = {}
    for line in log:
        tries.setdefault(line["about"], []).append(line["fault"])
    assert len(tries) == COUNT
    mended = {fault for faults in AGAIN.values() for fault in faults}
    for about, faults in tries.items():
        assert all(fault in mended for fault in faults[:-1]), about
        assert faults[-1] not in mended, about


def test_every_try_is_one_line_of_the_ledger_under_its_code(ran):
    _, usage, log = ran
    for code, faults in AGAIN.items():
        assert sum(u.calls for u in usage if u.outcome == code) == len(befell(log, faults)), code
    assert sum(u.calls for u in usage) == len(log)
    assert sum(u.calls for u in usage if u.final) == COUNT


def test_the_ledger_and_the_endpoints_own_log_agree_to_the_billionth(ran):
    _, usage, log = ran
    told = [line["billed"] for line in log if line["known"]]
    untold = befell(log, UNTOLD)
    guessed = [
        (len(line["about"]) // 4 + 1, len(answer([{"role": "user", "content": line["about"]}])) // 4 + 1, 0)
        for line in untold
    ]
    assert sum(u.cost for u in usage) == sum(nano(*tokens) for tokens in [*told, *guessed]) > 1_000_000
    assert sum(u.prompt_tokens for u in usage) == sum(tokens[0] for tokens in [*told, *guessed])
    assert sum(u.completion_tokens for u in usage) == sum(tokens[1] for tokens in [*told, *guessed])
    assert sum(u.cached_tokens for u in usage) == sum(tokens[2] for tokens in told)
    # what the endpoint did not tell is counted as such, and nothing else is missing but what never arrived
    assert sum(u.unmetered for u in usage) == len(untold)
    unseen = [line for line in log if not line["known"] and any(line["billed"]) and line not in untold]
    assert {line["fault"] for line in unseen} <= {*AGAIN["connection"], "half", "hang"}


def test_a_second_run_sends_only_what_had_no_answer(ran, engine, tmp_path, tmp_path_factory):
    replies, _, _ = ran
    folder = tmp_path_factory.getbasetemp() / "faults0"
    with served(tmp_path / "log.jsonl") as endpoint:
        again = engine(endpoint.url, cache=folder, run="r2", prices=(PRICE,))(*(prompt(n) for n in range(COUNT)))
        sent = {line["about"] for line in endpoint.log()}
    assert sent == {prompt(n) for n, reply in enumerate(replies) if reply.error}
    assert [reply.text for reply in again] == [said(n) for n in range(COUNT)]
    assert sum(reply.remembered for reply in again) == COUNT - len(sent)
