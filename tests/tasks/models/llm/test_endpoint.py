"""What an endpoint says becomes a reply or a fault with its code, whatever it says."""

import json
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest

from rarefy.data_contracts.rows import Message, Request, Token
from rarefy.tasks.models.llm import LLMConfig
from rarefy.tasks.models.llm.endpoint import body_of, reply_of, retry_after
from rarefy.tasks.models.llm.faults import REASONS, Failed

ASKED = Request("q1", (Message("system", "Be brief."), Message("user", "How many?")), max_tokens=7)


def answer(content="164,000", finish="stop", **more):
    choice = {"index": 0, "message": {"role": "assistant", "content": content, **more}, "finish_reason": finish}
    usage = {"prompt_tokens": 12, "completion_tokens": 3, "prompt_tokens_details": {"cached_tokens": 8}}
    return {"model": "m-2026", "choices": [choice], "usage": usage}


def reply(told):
    return reply_of(ASKED, json.dumps(told).encode(), "m")


def test_an_answer_has_its_text_its_usage_and_who_gave_it():
    got = reply(answer())
    assert (got.request_id, got.text, got.finish_reason, got.model, got.error) == (
        "q1",
        "164,000",
        "stop",
        "m-2026",
        "",
    )
    assert (got.prompt_tokens, got.completion_tokens, got.cached_tokens) == (12, 3, 8)


@pytest.mark.parametrize(
    ("told", "code"),
    [
        (answer(finish="length"), "truncated"),
        (answer(finish="content_filter"), "filtered"),
        (answer(content=None, refusal="I can't help with that."), "refused"),
        (answer(content=""), "empty"),
        (answer(content=" \n"), "empty"),
        (answer(content=None), "empty"),
    ],
)
def test_what_cannot_be_used_is_a_reply_with_its_code_its_text_and_its_cost(told, code):
    got = reply(told)
    assert got.error == code and code in REASONS
    assert got.prompt_tokens == 12
    assert got.text == (told["choices"][0]["message"]["content"] or told["choices"][0]["message"].get("refusal", ""))


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"{",
        b"<html>502</html>",
        b"[]",
        b"null",
        b'{"choices": []}',
        b'{"choices": [{"message": null}]}',
        b"\xff\xfe",
    ],
)
def test_what_is_no_reply_may_be_asked_again(content):
    with pytest.raises(Failed) as caught:
        reply_of(ASKED, content, "m")
    assert caught.value.reason == "server_error" and caught.value.again


def test_missing_usage_is_no_fault():
    told = answer()
    del told["usage"]
    assert reply(told).prompt_tokens == 0 and not reply(told).error


def test_log_probabilities_come_with_their_alternatives():
    told = answer()
    other = [{"token": "164", "logprob": -0.1}, {"token": "about", "logprob": -2.5}]
    told["choices"][0]["logprobs"] = {"content": [{"token": "164", "logprob": -0.1, "top_logprobs": other}]}
    assert reply(told).logprobs == (Token("164", -0.1, ("164", "about"), (-0.1, -2.5)),)


def test_a_server_says_how_long_to_wait_in_three_ways_and_nonsense_is_none():
    assert retry_after({"retry-after": "7"}) == 7
    assert retry_after({"retry-after": "1.5"}) == 1.5
    assert retry_after({"retry-after-ms": "250", "retry-after": "9"}) == 0.25
    soon = format_datetime(datetime.now(UTC) + timedelta(seconds=20), usegmt=True)
    assert 17 < retry_after({"retry-after": soon}) <= 20
    past = format_datetime(datetime.now(UTC) - timedelta(seconds=20), usegmt=True)
    assert retry_after({"retry-after": past}) == 0
    assert retry_after({"retry-after": "soon"}) is None
    assert retry_after({}) is None


def test_a_body_says_all_that_the_key_was_made_of():
    config = LLMConfig(provider="openai", model="m", extra={"top_p": 0.9})
    asked = Request("q", ASKED.messages, json.dumps({"type": "object", "properties": {}}), 0.5, 7, 3, 2)
    body = body_of(asked, config, structured=True)
    assert body["messages"][1] == {"role": "user", "content": "How many?"}
    told = {"model": "m", "temperature": 0.5, "max_tokens": 7, "seed": 3, "top_logprobs": 2, "top_p": 0.9}
    assert told.items() <= body.items() and body["logprobs"] is True
    assert body["response_format"]["type"] == "json_schema"
    assert "response_format" not in body_of(asked, config, structured=False)
    assert "seed" not in body_of(ASKED, config, structured=True)
