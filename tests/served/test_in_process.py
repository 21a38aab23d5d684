"""vLLM in this process: run by `make test-vllm` with the interpreter of the environment that holds it."""

import importlib.util
import json
import os
import sys

import pytest

from rarefy.tasks.models.llm import InferenceContext, LLMConfig
from rarefy.tasks.models.llm.faults import Unavailable
from rarefy.tasks.models.llm.in_process import vllm
from served.tiny import ENGINE, QUIET, VERDICT, replies, request

found = importlib.util.find_spec("vllm")
here = pytest.mark.skipif(not (found and found.origin), reason="vLLM is not in this environment")


@pytest.fixture(scope="module", autouse=True)
def _quiet():
    os.environ.update(QUIET)


@pytest.fixture
def llm(connect, model):
    return connect("vllm", model, **ENGINE)


@pytest.mark.skipif(bool(found and found.origin), reason="vLLM is in this environment")
def test_without_vllm_it_says_what_to_install():
    with pytest.raises(ValueError, match=r"rarefy\[vllm\].*infra/vllm/install.sh"):
        vllm(LLMConfig(provider="vllm", model="any"), InferenceContext())


@here
def test_a_model_that_is_not_there_is_named():
    with pytest.raises(Unavailable, match=r"nowhere/at-all.*nothing is downloaded"):
        vllm(LLMConfig(provider="vllm", model="nowhere/at-all"), InferenceContext())


@here
def test_no_prefect_and_no_great_expectations_are_needed():
    assert not any(importlib.util.find_spec(name) for name in ("prefect", "great_expectations"))
    assert not {"prefect", "great_expectations"} & set(sys.modules)


@here
def test_it_answers_and_counts_and_keeps_schemas(llm):
    asked = [
        request("free", "Say something.", max_tokens=9),
        request("typed", "Grade it.", schema=VERDICT, max_tokens=40),
        request("told", "Is it so?", max_tokens=5, logprobs=3),
        request("long", "word " * 20_000),
    ]
    said = replies(llm, asked)
    assert said["free"].prompt_tokens > 100 and said["free"].completion_tokens <= 9
    assert (said["free"].error == "truncated") == (said["free"].finish_reason == "length")
    assert json.loads(said["typed"].parsed)["right"] in (True, False)
    assert len(said["told"].logprobs) == said["told"].completion_tokens
    assert all(len(token.others) == len(token.other_logprobs) == 3 for token in said["told"].logprobs)
    assert said["long"].error == "too_long" and "16384" in said["long"].detail


@here
def test_two_hundred_and_fifty_six_at_once_each_get_their_own_reply(llm):
    asked = [request(f"r{n}", f"Question {n}", max_tokens=1 + n % 7, seed=n, temperature=0.7) for n in range(256)]
    said = replies(llm, asked)
    cut = [one for one in asked if said[one.request_id].finish_reason == "length"]
    assert cut and all(said[one.request_id].completion_tokens == one.max_tokens for one in cut)
    assert all(said[one.request_id].completion_tokens <= one.max_tokens for one in asked)


@here
def test_what_requests_begin_with_is_worked_on_once(llm):
    replies(llm, [request("first", "one more", max_tokens=2)])
    second = replies(llm, [request("second", "two more", max_tokens=2)])["second"]
    assert 0.5 * second.prompt_tokens < second.cached_tokens < second.prompt_tokens


@here
def test_a_schema_that_no_grammar_holds_is_left_to_the_prompt(llm):
    beyond = json.dumps({"type": "object", "patternProperties": {"(?=a)b": {"type": "string"}}, "minProperties": 1})
    said = replies(llm, [request("odd", "x", schema=beyond, max_tokens=4), request("plain", "x", max_tokens=4)])
    assert said["odd"].error in ("truncated", "unparsable") and said["odd"].completion_tokens
    assert said["plain"].completion_tokens
