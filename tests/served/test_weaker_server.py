"""`transformers serve`: a real server of a weaker dialect, which takes json_schema and logprobs and ignores both."""

from pathlib import Path

import pytest
from waiting import free_port

from served.tiny import VERDICT, replies, request, running


@pytest.fixture(scope="module")
def weaker(python, model, tmp_path_factory):
    """The address of the server."""
    port = free_port()
    command = [str(Path(python).parent / "transformers"), "serve", model, "--device", "cpu", "--continuous-batching"]
    # left to itself it takes nine tenths of the machine's memory for its cache of keys and values
    command += ["--cb-num-blocks", "128", "--cb-block-size", "32", "--cb-max-batch-tokens", "512"]
    command += ["--host", "127.0.0.1", "--port", str(port)]
    with running(command, port, tmp_path_factory.mktemp("weaker") / "log") as url:
        yield url


@pytest.fixture
def llm(connect, model, weaker):
    return connect("openai", model, weaker)


def test_a_schema_that_the_server_ignores_is_held_by_the_ladder(llm):
    said = replies(llm, [request(f"{n}", f"Grade it {n}.", schema=VERDICT, max_tokens=12) for n in range(4)])
    for reply in said.values():
        # nonsense is no verdict: it is refused with its reason, and kept raw
        assert reply.error in ("truncated", "unparsable", "empty") and not reply.parsed
        assert reply.text or reply.error != "unparsable"


def test_log_probabilities_that_the_server_ignores_are_not_made_up(llm):
    said = replies(llm, [request("a", "Is it so?", max_tokens=5, logprobs=3)])["a"]
    assert said.completion_tokens and said.logprobs == ()


def test_sixteen_at_once_each_get_their_own_reply(llm):
    asked = [request(f"r{n}", f"Question {n}", max_tokens=1 + n % 5) for n in range(16)]
    said = replies(llm, asked)
    assert all(0 < said[one.request_id].completion_tokens <= one.max_tokens for one in asked)
