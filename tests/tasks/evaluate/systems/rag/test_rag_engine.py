"""The system on the real inference core: an ordinary provider, replies remembered, tokens in the ledger."""

from collections import Counter

import pytest
from endpoint import served

from rarefy.tasks.evaluate.systems.rag import STRATEGIES, RagConfig, rag
from rarefy.tasks.evaluate.systems.rag.conversation import PACKS
from rarefy.tasks.models.llm import InferenceContext, LLMConfig, RequestPolicy
from rarefy.tasks.models.llm.reply_store import open_reply_store

MODEL = '''
from rarefy.data_contracts.rows import Reply, Token

asked = []


def answers(requests):
    """Replies in another order than the requests', as a provider of many may give them."""
    asked.append([request.request_id for request in requests])
    for request in reversed(list(requests)):
        text = "\\n".join(message.content for message in request.messages)
        said = '{"answer": "Deloitte"}' if "cot_answer" in text else "Answer: Deloitte"
        if "Selected Conetxts" in text:
            said = "Selected Contexts: Context 1"
        token = Token("KPMG", -1.4, ("a", "b", "c", "d"), (-1.4, -1.4, -1.4, -1.4))
        yield Reply(request.request_id, said, "", "stop", 50, 3, 0, (token,) if request.logprobs else (), "scripted-1")
'''


@pytest.fixture
def provider(tmp_path, monkeypatch, request):
    name = f"scripted_model_{abs(hash(request.node.name))}"
    (tmp_path / f"{name}.py").write_text(MODEL)
    monkeypatch.syspath_prepend(tmp_path)
    __import__(name)
    import sys

    return f"{name}:answers", sys.modules[name].asked


def connect(provider, tmp_path, strategy, **more):
    # thresholds above 1 are not to be had, so that an even token is uncertain enough
    config = RagConfig(llm=LLMConfig(provider=provider), strategy=strategy, dragin_threshold=1.0, **more)
    means = InferenceContext(stage="answer", run="r", serving=RequestPolicy())
    llm = config.llm.connect(tmp_path / "cache", threads=1, means=means)
    return rag(config, llm, rate=lambda query, texts: [0.9] * len(texts), means=means)


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_replies_are_remembered_and_all_calls_are_in_the_ledger(strategy, provider, tmp_path, ask):
    name, asked = provider
    questions = [ask(f"Q{n}", p) for n in range(40) for p in ("", *(p for p in PACKS if p != "general"))]
    questions = [type(one)(f"{one.asked_id}{one.protocol}", *_rest(one)) for one in questions]
    first = list(connect(name, tmp_path, strategy)(questions))
    assert [one.asked_id for one in first] == [one.asked_id for one in questions]
    assert {one.text for one in first} == {"Deloitte"} and not any(one.error for one in first)
    sent = sum(map(len, asked))
    again = list(connect(name, tmp_path, strategy)(questions))
    assert again == first, "what was remembered counts the same, so that resuming changes no digit"
    assert sum(map(len, asked)) == sent, "nothing is asked twice"
    usage = Counter()
    for line in open_reply_store("", tmp_path / "cache").usage("r"):
        usage[line.outcome] += line.calls
    assert usage["answered"] == sent
    # equal requests, as of one question under two protocols that share a step, are sent once
    assert sent <= sum(one.calls for one in first)
    assert usage["answered"] + usage["remembered"] == 2 * sum(one.calls for one in first)


def _rest(one):
    return one.query, one.passages, one.protocol, one.refusal, one.domain, one.language, one.repeat


def test_a_repeat_is_not_answered_from_memory(provider, tmp_path, ask):
    name, asked = provider
    list(connect(name, tmp_path, "vanilla")([ask("Q1", "effect_size"), ask("Q1", "effect_size", repeat=1)]))
    assert sum(map(len, asked)) == 2


@pytest.mark.parametrize("strategy", ["vanilla", "own_know", "s2a", "skr", "dragin"])
def test_over_real_http_with_faults(strategy, tmp_path, monkeypatch, ask):
    """429s, 500s and cut connections are retried beneath; every question gets its answer, in order."""
    with served(tmp_path / "log.jsonl", faults={"429-ms": 0.1, "500": 0.1, "cut-body": 0.05}) as endpoint:
        monkeypatch.setenv("OPENAI_BASE_URL", endpoint.url)
        monkeypatch.setenv("OPENAI_API_KEY", "sk-test-0123456789abcdef")
        config = RagConfig(llm=LLMConfig(provider="openai", model="m"), strategy=strategy, dragin_threshold=0.5)
        system = config.connect(
            tmp_path / "cache", threads=1, means=InferenceContext(stage="a", run="r", serving=RequestPolicy())
        )
        asked = [ask(f"Q{number}", "magic_mushroom") for number in range(60)]
        said = list(system(asked))
    assert [one.asked_id for one in said] == [one.asked_id for one in asked]
    assert not [one for one in said if one.error or not one.text]
    assert all(one.prompt_tokens and one.completion_tokens and one.calls for one in said)


def test_an_answer_took_what_its_model_took_and_a_remembered_one_what_it_once_took(tmp_path, monkeypatch, ask):
    (tmp_path / "slow_model.py").write_text(
        "import time\n\n" + MODEL.replace("    asked.append", "    time.sleep(0.05)\n    asked.append")
    )
    monkeypatch.syspath_prepend(tmp_path)
    (first,) = connect("slow_model:answers", tmp_path, "vanilla")([ask("Q1", "rare")])
    (again,) = connect("slow_model:answers", tmp_path, "vanilla")([ask("Q1", "rare")])
    assert first.seconds >= 0.05
    assert again.seconds == first.seconds
    (twice,) = connect("slow_model:answers", tmp_path, "chain_of_note")([ask("Q1", "rare")])
    assert twice.seconds >= 0.05 * twice.calls, "all turns count"
