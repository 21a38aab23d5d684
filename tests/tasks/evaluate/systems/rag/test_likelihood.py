"""SURE's oracle, eq. 1, against a server in vLLM's manner; the real one's test is in tests/served.

The server gives every token of at most four characters -0.5 for each character, so that sums are worked out by hand.
"""

import subprocess
import sys
from pathlib import Path

import pytest
from endpoint import served

from rarefy.data_contracts.rows import Message, Passage
from rarefy.tasks.evaluate.systems.rag.likelihood import (
    NOT_AVAILABLE,
    Likelihood,
    LikelihoodConfig,
    score_continuations,
    score_oracle,
)
from rarefy.tasks.models.llm import InferenceContext, LLMConfig, RequestPolicy
from rarefy.tasks.models.llm.reply_store import open_reply_store

SERVER = Path(__file__).parent / "scored_server.py"
PROMPT = (Message("system", "Be brief."), Message("user", "Who audits Acme?"))
DOCUMENT = Passage("p", "Deloitte audits Acme.")


@pytest.fixture
def connect(tmp_path, monkeypatch):
    """connect("vllm", by="chat"): what `likelihoods` asks, at a server of this manner."""
    running = []

    def made(manner, **config):
        server = subprocess.Popen([sys.executable, str(SERVER), manner], stdout=subprocess.PIPE, text=True)
        running.append(server)
        monkeypatch.setenv("OPENAI_BASE_URL", server.stdout.readline().strip())
        monkeypatch.setenv("OPENAI_API_KEY", "sk-test-0123456789abcdef")
        return at(tmp_path, **config)

    yield made
    for server in running:
        server.kill()
        server.wait()


def at(folder, **config):
    config = LikelihoodConfig(llm=LLMConfig(provider="openai", model="m"), **config)
    means = InferenceContext(stage="oracle", run="r", serving=RequestPolicy(retries=0))
    return config, config.connect(folder / "cache", threads=1, means=means)


@pytest.mark.parametrize("by", ["chat", "completions"])
def test_the_log_probabilities_of_an_answers_tokens_are_summed(by, connect):
    _, llm = connect("vllm", by=by)
    # "Deloitte" is Delo, itte: 8 characters; "EY" 2; "Ernst & Young" is Erns, t, &, Youn, g: 11 without blanks
    asks = [("a", PROMPT, "Deloitte"), ("b", PROMPT, "EY"), ("c", PROMPT, "Ernst & Young")]
    assert list(score_continuations(asks, llm)) == [
        Likelihood("a", -4.0, 2, 2, 1),
        Likelihood("b", -1.0, 1, 1, 1),
        Likelihood("c", -5.5, 5, 5, 1),
    ]


@pytest.mark.parametrize("by", ["chat", "completions"])
def test_a_bare_texts_first_token_has_nothing_before_it(by, connect):
    _, llm = connect("vllm", by=by)
    (found,) = score_continuations([("a", (), "Deloitte audits Acme.")], llm)
    # Delo itte | audi ts | Acme | . : the first of six is not scored
    assert found == Likelihood("a", -0.5 * (4 + 4 + 2 + 4 + 1), 6, 5, 1)


def test_the_oracle_is_the_mean_over_answers_of_fewer_than_five_tokens(connect):
    config, llm = connect("vllm")
    puts = [
        ("two", "Who audits Acme?", DOCUMENT, ["Deloitte", "EY"]),
        ("one of two", "Who audits Acme?", DOCUMENT, ["Deloitte", "Ernst & Young"]),  # the second has five tokens
        ("none", "Who audits Acme?", DOCUMENT, ["Ernst & Young"]),
        ("no answer", "Who audits Acme?", DOCUMENT, [" "]),
        ("closed book", "Who audits Acme?", None, ["EY", "EY"]),
    ]
    found = list(score_oracle(puts, config, llm))
    assert [one.name for one in found] == [name for name, *_ in puts]
    assert [one.logprob for one in found] == [-2.5, -4.0, None, None, -1.0]
    assert [one.answers for one in found] == [2, 1, 0, 0, 1]
    assert [one.error for one in found] == ["", "", "no_short_answer", "no_short_answer", ""]


def test_many_are_asked_together_and_remembered(connect, tmp_path):
    config, llm = connect("vllm")
    puts = [(f"q{n}", f"Question {n}?", DOCUMENT, [f"a{n}", "EY"]) for n in range(150)]
    first = list(score_oracle(iter(puts), config, llm))
    assert [one.name for one in first] == [name for name, *_ in puts]
    assert [one.logprob for one in first] == [(-0.5 * len(f"a{n}") - 1) / 2 for n in range(150)]
    assert list(score_oracle(puts, config, llm)) == first
    usage = {line.outcome: line.calls for line in open_reply_store("", tmp_path / "cache").usage("r")}
    assert usage["answered"] == 300, "the second time nothing was sent"


@pytest.mark.parametrize("by", ["chat", "completions"])
@pytest.mark.parametrize("manner", ["silent", "rejects"])
def test_an_endpoint_without_log_probabilities_is_told_and_asked_once(manner, by, connect, tmp_path):
    config, llm = connect(manner, by=by)
    puts = [(f"q{n}", f"Question {n}?", DOCUMENT, ["EY"]) for n in range(50)]
    found = list(score_oracle(puts, config, llm))
    assert len(found) == 50 and {one.error for one in found} == {"no_logprobs"}
    assert all(one.logprob is None and NOT_AVAILABLE in one.detail for one in found)
    assert sum(line.calls for line in open_reply_store("", tmp_path / "cache").usage("r")) == 1


def test_a_server_without_completions_is_told_so(connect):
    _, llm = connect("chat-only", by="completions")
    (found,) = score_continuations([("a", PROMPT, "EY")], llm)
    assert found.error == "no_logprobs" and "404" in found.detail


def test_the_endpoint_that_other_tests_ask_gives_none(tmp_path, monkeypatch):
    with served(tmp_path / "log.jsonl") as endpoint:
        monkeypatch.setenv("OPENAI_BASE_URL", endpoint.url)
        monkeypatch.setenv("OPENAI_API_KEY", "sk-test-0123456789abcdef")
        _, llm = at(tmp_path)
        (found,) = score_continuations([("a", PROMPT, "EY")], llm)
    assert (found.error, found.detail) == ("no_logprobs", NOT_AVAILABLE)


@pytest.mark.parametrize("provider", ["vllm", "batch", "azure", "recorded"])
def test_other_providers_have_none(provider, tmp_path):
    config = LikelihoodConfig(llm=LLMConfig(provider=provider, model="m"))
    (found,) = score_continuations([("a", PROMPT, "EY")], config.connect(tmp_path))
    assert found.error == "no_logprobs" and found.detail.startswith(NOT_AVAILABLE)


def test_nothing_asked_is_nothing_told(tmp_path):
    assert list(score_continuations([], lambda requests: iter(()))) == []
    assert list(score_oracle([], LikelihoodConfig(), lambda requests: iter(()))) == []


def test_one_that_fails_fails_alone(tmp_path, connect):
    config, llm = connect("vllm")

    def breaks(requests):
        for at_, reply in enumerate(llm(requests)):
            from dataclasses import replace

            yield replace(reply, error="timeout", logprobs=()) if at_ == 1 else reply

    puts = [(f"q{n}", f"Question {n}?", DOCUMENT, ["EY"]) for n in range(4)]
    assert [one.error for one in score_oracle(puts, config, breaks)] == ["", "", "timeout", ""]


def test_an_identity_is_what_its_numbers_hang_on():
    config = LikelihoodConfig(llm=LLMConfig(provider="openai", model="m"))
    assert config.identity() != LikelihoodConfig(llm=config.llm, by="completions").identity()
    assert config.identity() != LikelihoodConfig(llm=config.llm, most_tokens=6).identity()
