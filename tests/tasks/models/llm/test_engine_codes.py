"""What becomes of a request that has no good answer: a reply with its reason, alone; or a stop with the way out."""

import json

import pytest
from endpoint import answer, served
from pydantic import BaseModel

from rarefy.tasks.models.llm.faults import TooManyFailures, Unavailable

NO_ANSWER = {
    "refusal": "refused",
    "filter": "filtered",
    "filter-400": "filtered",
    "length": "truncated",
    "empty": "empty",
    "null": "empty",
    "too-long": "too_long",
    "400": "rejected",
}


class Growth(BaseModel):
    """What a model is asked for."""

    segment: str
    percent: int


SCHEMA = json.dumps(Growth.model_json_schema())
GOOD = '{"segment": "Data Center", "percent": 12}'


def said(text):
    return answer([{"role": "user", "content": text}])


def test_each_fault_has_its_code_and_its_siblings_their_answers(engine, tmp_path):
    prompts = [f"{fault} [[do: {fault}, ok]]" for fault in NO_ANSWER]
    others = [f"sibling {n}" for n in range(300)]
    with served(tmp_path / "log.jsonl") as endpoint:
        llm = engine(endpoint.url, retries=0)
        replies = llm(*others[:150], *prompts, *others[150:])
        codes = [reply.error for reply in replies[150:-150]]
        assert codes == list(NO_ANSWER.values())
        assert [reply.text for reply in (*replies[:150], *replies[-150:])] == [said(other) for other in others]
        by_fault = dict(zip(NO_ANSWER, replies[150:-150], strict=True))
        assert by_fault["length"].text and said(prompts[3]).startswith(by_fault["length"].text)  # the raw text is kept
        assert by_fault["refusal"].text.startswith("I'm sorry")
        assert "8192" in by_fault["too-long"].detail
        # none of them was remembered: asked again, each is sent again; the others are not
        before = len(endpoint.log())
        again = llm(*others, *prompts)
        assert [reply.text for reply in again] == [said(text) for text in (*others, *prompts)]
        assert len(endpoint.log()) - before == len(prompts)


def test_too_many_failures_stop_the_stage_with_the_reasons_counted(engine, tmp_path):
    prompts = [f"{n} [[do: {'refusal' if n % 4 == 0 else 'filter' if n % 4 == 1 else 'ok'}]]" for n in range(2_000)]
    with served(tmp_path / "log.jsonl", latency=0.01) as endpoint:
        with pytest.raises(TooManyFailures, match=r"\d+ refused .*\d+ filtered|\d+ filtered .*\d+ refused") as stopped:
            engine(endpoint.url, stage="ask")(*prompts)
        assert "ask" in str(stopped.value) and "failure_budget" in str(stopped.value)
        assert len(endpoint.log()) < 600  # it did not go on for all


def test_failures_within_the_budget_stop_nothing(engine, tmp_path):
    with served(tmp_path / "log.jsonl") as endpoint:
        replies = engine(endpoint.url)(*(f"{n} [[do: {'refusal' if n % 25 == 0 else 'ok'}]]" for n in range(500)))
        assert sum(reply.error == "refused" for reply in replies) == 20


@pytest.mark.parametrize(
    ("options", "prompt", "way_out"),
    [
        ({"key": "sk-the-right-one"}, "x", "OPENAI_API_KEY"),
        ({"models": ["another"]}, "x", "check model"),
        ({}, "[[do: quota]]", "billing"),
        ({}, "[[do: 403]]", "OPENAI_API_KEY"),
    ],
)
def test_what_can_never_be_answered_stops_at_once_and_says_the_way_out(options, prompt, way_out, engine, tmp_path):
    with served(tmp_path / "log.jsonl", latency=0.05, **options) as endpoint:
        with pytest.raises(Unavailable, match=way_out):
            engine(endpoint.url)(*(f"{n} {prompt}" for n in range(1_000)))
        assert len(endpoint.log()) <= 64


def test_an_address_where_nobody_is_stops_with_the_way_out(engine):
    with pytest.raises(Unavailable, match="OPENAI_BASE_URL"):
        engine("http://127.0.0.1:9/v1", retries=1)("x")


def test_a_wrong_path_stops_with_the_way_out(engine, tmp_path):
    with served(tmp_path / "log.jsonl") as endpoint, pytest.raises(Unavailable, match="/v1"):
        engine(endpoint.url.removesuffix("/v1"))("x")


def test_a_reply_that_keeps_its_schema_somehow_is_read_and_counted_by_how(engine, tmp_path):
    prompts = {
        "clean": f"a [[say: {GOOD}]]",
        "fenced": f"b [[do: fenced]] [[say: {GOOD}]]",
        "repaired": f"c [[do: trailing-comma]] [[say: {GOOD}]]",
        "reasked": "d [[do: prose, ok]]",
        "rejected": "e [[do: prose]]",
    }
    with served(tmp_path / "log.jsonl") as endpoint:
        llm = engine(endpoint.url)
        *good, reasked, rejected = llm(*prompts.values(), schema=SCHEMA)
        assert {reply.parsed for reply in good} == {'{"percent":12,"segment":"Data Center"}'}
        assert Growth.model_validate_json(reasked.parsed)
        assert (rejected.error, rejected.parsed, rejected.text) == ("unparsable", "", "I think that the segment grew.")
        counts = {how: sum(u.calls for u in llm.usage() if u.parse == how and u.final) for how in prompts}
        assert counts == dict.fromkeys(prompts, 1)
        assert len(endpoint.log()) == 7  # two re-asks
        assert sum(u.prompt_tokens for u in llm.usage()) == sum(line["billed"][0] for line in endpoint.log())


@pytest.mark.parametrize(
    "fields", [["response_format"], ["max_tokens"], ["temperature"], ["max_tokens", "temperature"]]
)
def test_a_server_that_does_not_know_a_field_is_asked_without_it(fields, engine, tmp_path):
    with served(tmp_path / "log.jsonl", rejects=fields, latency=0.02) as endpoint:
        llm = engine(endpoint.url, retries=0, concurrency=32)
        replies = llm(*(f"{n} [[say: {GOOD}]]" for n in range(200)), schema=SCHEMA)
        assert all(reply.parsed for reply in replies), next(reply for reply in replies if not reply.parsed)
        told = len(endpoint.log()) - 200
        assert len(fields) <= told <= 32 * len(fields)  # those that were under way when it was told


@pytest.mark.parametrize("again", ["deep", "429-nan", "429-past"])
def test_an_odd_answer_is_a_failed_try(again, engine, tmp_path):
    with served(tmp_path / "log.jsonl") as endpoint:
        prompts = [f"{n}" + (f" [[do: {again}, ok]]" if n == 10 else "") for n in range(40)]
        assert [reply.text for reply in engine(endpoint.url)(*prompts)] == [said(prompt) for prompt in prompts]
        assert len(endpoint.log()) == 41


def test_to_come_again_at_no_time_is_to_fail_within_the_deadline(engine, tmp_path):
    with served(tmp_path / "log.jsonl") as endpoint:
        (reply,) = engine(endpoint.url, call_deadline=1)("[[do: 429-ever]]")
        assert reply.error == "rate_limited"


@pytest.mark.parametrize("odd", ["usage-infinite", "usage-huge", "usage-negative", "usage-words"])
def test_a_count_of_tokens_that_is_none_spoils_neither_the_ledger_nor_its_siblings(odd, engine, tmp_path):
    with served(tmp_path / "log.jsonl") as endpoint:
        llm = engine(endpoint.url, retries=1)
        prompts = [f"{n}" + (f" [[do: {odd}, ok]]" if n == 10 else "") for n in range(40)]
        assert [reply.text for reply in llm(*prompts)] == [said(prompt) for prompt in prompts]
        assert all(0 <= usage.prompt_tokens < 10**12 for usage in llm.usage())
        assert all(0 <= usage.completion_tokens < 10**12 for usage in llm.usage())


def test_a_reply_that_never_kept_its_schema_is_not_paid_for_again(engine, tmp_path):
    with served(tmp_path / "log.jsonl") as endpoint:
        first = engine(endpoint.url, cache=tmp_path / "own")(
            "good [[do: prose, ok]]", "bad [[do: prose]]", schema=SCHEMA
        )
        count = len(endpoint.log())
        later = engine(endpoint.url, cache=tmp_path / "own", watchdog=599, run="r2")
        assert [(reply.error, reply.parsed) for reply in later("good [[do: prose, ok]]", schema=SCHEMA)] == [
            ("", first[0].parsed)
        ]
        assert later("bad [[do: prose]]", schema=SCHEMA)[0].error == "unparsable"
        assert len(endpoint.log()) == count == 4


def test_a_server_that_ignores_the_schema_is_held_to_it_all_the_same(engine, tmp_path):
    with served(tmp_path / "log.jsonl", ignores=["response_format"]) as endpoint:
        good, bad = engine(endpoint.url)(f"x [[say: {GOOD}]]", "free text", schema=SCHEMA)
        assert good.parsed and bad.error == "unparsable" and bad.text


def test_logprobs_and_the_name_of_the_model_come_with_the_reply(engine, tmp_path):
    with served(tmp_path / "log.jsonl") as endpoint:
        (reply,) = engine(endpoint.url)("[[do: wrong-model=m-2026]]", logprobs=2)
        assert reply.model == "m-2026"
        assert "".join(token.text for token in reply.logprobs).strip() == reply.text
        assert all(len(token.others) == len(token.other_logprobs) == 2 for token in reply.logprobs)
