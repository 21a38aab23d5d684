"""vLLM's own server, through the client that any other endpoint is asked with."""

import json

import pytest

from served.tiny import VERDICT, replies, request


@pytest.fixture
def llm(connect, server):
    return connect("openai", "tiny", server)


def test_it_chats_and_says_what_it_used(llm):
    said = replies(llm, [request("a", "What were the net sales?", max_tokens=12)])["a"]
    assert said.prompt_tokens > 100
    assert 0 < said.completion_tokens <= 12
    assert said.error in ("", "truncated") and said.finish_reason in ("stop", "length")


def test_a_reply_keeps_its_schema_where_the_server_decodes_by_it(llm):
    asked = [request(f"{n}", f"Grade answer {n}.", schema=VERDICT, max_tokens=40) for n in range(8)]
    for reply in replies(llm, asked).values():
        assert not reply.error, reply
        assert json.loads(reply.parsed)["grade"] in ("low", "middle", "high")


def test_log_probabilities_come_token_by_token(llm):
    said = replies(llm, [request("a", "Is it so?", max_tokens=6, logprobs=3)])["a"]
    assert len(said.logprobs) == said.completion_tokens
    assert all(token.logprob <= 0 and len(token.others) == len(token.other_logprobs) == 3 for token in said.logprobs)


def test_two_hundred_and_fifty_six_at_once_each_get_their_own_reply(llm):
    asked = [request(f"r{n}", f"Question {n}", max_tokens=1 + n % 7) for n in range(256)]
    said = replies(llm, asked)
    assert all(said[one.request_id].completion_tokens <= one.max_tokens for one in asked)
    cut = [one for one in asked if said[one.request_id].finish_reason == "length"]
    assert cut and all(said[one.request_id].completion_tokens == one.max_tokens for one in cut)


def test_a_seeded_request_with_temperature_is_answered_alike_twice(llm):
    asked = [request(f"{n}", f"Seeded {n // 2}", max_tokens=10, temperature=0.9, seed=7) for n in range(2)]
    first, second = replies(llm, asked).values()
    assert (first.text, first.error) == (second.text, second.error)


def test_what_two_requests_begin_with_is_worked_on_once(llm):
    replies(llm, [request("first", "one", max_tokens=2)])
    second = replies(llm, [request("second", "two", max_tokens=2)])["second"]
    assert 0.5 * second.prompt_tokens < second.cached_tokens < second.prompt_tokens


def test_a_request_over_the_context_fails_alone(llm):
    said = replies(llm, [request("long", "word " * 20_000), request("short", "word", max_tokens=3)])
    assert said["long"].error == "too_long"
    assert said["short"].completion_tokens == 3
