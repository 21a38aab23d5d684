"""What a rag system depends on, and what it needs to be had."""

import json

import pytest
from pydantic import ValidationError

from rarefy.tasks.evaluate.systems.rag import STRATEGIES, RagConfig, rag
from rarefy.tasks.models.llm import InferenceContext, LLMConfig, Price, RequestPolicy
from rarefy.tasks.models.llm.faults import Unavailable


def test_every_option_is_described():
    for name, field in RagConfig.model_fields.items():
        assert field.description, name
        if extra := field.json_schema_extra:
            assert extra["tag"] in ("open", "recon") and extra["source"], name


def test_what_no_paper_fixes_is_a_tagged_option():
    tagged = {name for name, field in RagConfig.model_fields.items() if field.json_schema_extra}
    assert {"temperature", "s2a_none", "evaluator", "crag_instead_of_web", "dragin_threshold", "titles"} <= tagged


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_an_identity_is_plain_data_and_follows_what_the_strategy_reads(strategy):
    base = RagConfig(strategy=strategy)
    assert json.loads(json.dumps(base.identity())) == base.identity()
    other = LLMConfig(provider="openai", model="m")
    for change in ({"temperature": 0.1}, {"max_tokens": 7}, {"titles": False}, {"llm": other}):
        assert RagConfig(strategy=strategy, **change).identity() != base.identity(), change
    options = {"s2a_none": "error", "crag_correct": 0.6, "dragin_threshold": 2.0, "skr_unclear": "error"}
    changed = {name: RagConfig(strategy=strategy, **{name: value}) for name, value in options.items()}
    own = {name for name, config in changed.items() if config.identity() != base.identity()}
    assert own == {name for name in options if name.startswith(STRATEGIES[strategy].options or ("-",))}


def test_another_word_in_a_prompt_is_another_system(monkeypatch):
    from rarefy.tasks.models import prompts

    before = RagConfig().identity()
    monkeypatch.setattr(prompts, "digest", lambda stage: "other")
    assert RagConfig().identity() != before


def test_a_strategy_that_nobody_has_is_told_what_there_is():
    with pytest.raises(ValueError, match=r"no 'magic' here; have .*'chain_of_note'.*module:function"):
        rag(RagConfig(strategy="magic"), lambda requests: iter(()))


def test_prompts_that_nobody_has_are_told_before_anything_is_paid():
    with pytest.raises(ValueError, match="no prompts 'magic'"):
        rag(RagConfig(prompts="magic"), lambda requests: iter(()))


def test_an_evaluator_that_is_not_on_disk_is_told_with_the_way_out():
    config = RagConfig(strategy="crag", evaluator="cross-encoder")
    with pytest.raises(Unavailable, match="strategy crag: evaluator cross-encoder needs evaluator_model"):
        rag(config, lambda requests: iter(()))
    with pytest.raises(Unavailable, match="no evaluator 'magic'; have embed, cross-encoder"):
        rag(RagConfig(strategy="crag", evaluator="magic"), lambda requests: iter(()))
    with pytest.raises(Unavailable, match="cosine_low must be below cosine_high"):
        rag(RagConfig(strategy="crag", cosine_low=0.9), lambda requests: iter(()))


def test_only_a_strategy_that_rates_needs_an_evaluator():
    assert callable(rag(RagConfig(strategy="vanilla", evaluator="magic"), lambda requests: iter(())))


def test_options_are_checked():
    with pytest.raises(ValidationError):
        RagConfig(crag_correct=2)
    with pytest.raises(ValidationError):
        RagConfig(unknown=1)


def test_tokens_cost_what_the_price_list_says(scripted, ask):
    price = Price(model="m*", prompt=2, completion=10, as_of="2026-01-01", source="test")
    means = InferenceContext(serving=RequestPolicy(prices=(price,)))
    config = RagConfig(strategy="own_know", llm=LLMConfig(provider="openai", model="m1"))
    (said,) = rag(config, scripted, means=means)([ask("Q1")])
    assert said.calls == 2
    assert said.cost == pytest.approx(2 * (100 * 2 + 7 * 10) / 1_000_000)


OWN = '''
from rarefy.tasks.evaluate.systems.rag import StrategyCase, Ended, Talk


def twice(case: StrategyCase) -> Talk:
    """Asks the same twice, and answers with both."""
    first = yield case.request("closed_book")
    second = yield case.request("passages", case.passages[:1])
    return Ended(f"{first.text} | {second.text}", detail=str(case.rate and case.rate("q", ["t"])))


twice.turns = 2
twice.rates = True


def endless(case: StrategyCase) -> Talk:
    while True:
        yield case.request("closed_book")


def rate(query, texts):
    return [0.25 for _ in texts]
'''


@pytest.fixture
def own(tmp_path, monkeypatch):
    (tmp_path / "own_strategies.py").write_text(OWN)
    monkeypatch.syspath_prepend(tmp_path)


def test_a_strategy_of_ones_own(own, scripted, ask):
    config = RagConfig(strategy="own_strategies:twice", evaluator="own_strategies:rate")
    (said,) = rag(config, scripted)([ask("Q1", "sure")])
    assert said.text == "Answer: Deloitte Q1 | Answer: Deloitte Q1"
    assert (said.detail, said.calls) == ("[0.25]", 2)


def test_a_strategy_that_never_ends_is_told_apart(own, scripted, ask):
    config = RagConfig(strategy="own_strategies:endless")
    with pytest.raises(ValueError, match="a talk about Q1 wants more than its 8 turns"):
        list(rag(config, scripted)([ask("Q1", "sure")]))
