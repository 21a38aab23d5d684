"""A call costs what its price says, to a billionth."""

from datetime import date

from rarefy.tasks.models.llm import LLMConfig, Price
from rarefy.tasks.models.llm.config import NANO, cost, price_of


def price(model="m", **more):
    return Price(model=model, prompt=2.0, completion=8.0, as_of=date(2026, 11, 1), source="the provider", **more)


def test_a_million_tokens_cost_the_price():
    assert cost(price(), 1_000_000, 0) == 2 * NANO
    assert cost(price(), 0, 1_000_000) == 8 * NANO


def test_one_token_is_not_rounded_away():
    assert cost(price(), 1, 0) == 2_000
    assert sum(cost(price(), 1, 1) for _ in range(1_000_000)) == 10 * NANO


def test_cached_tokens_have_their_own_price_or_the_prompts():
    assert cost(price(cached_prompt=0.5), 1_000_000, 0, 400_000) == (0.6 * 2 + 0.4 * 0.5) * NANO
    assert cost(price(), 1_000_000, 0, 400_000) == 2 * NANO


def test_a_batch_is_half_price():
    assert cost(price(), 1_000_000, 1_000_000, batch=True) == 5 * NANO


def test_the_longest_prefix_prices_a_model_and_its_own_name_comes_first():
    known = [price("gpt-*"), price("gpt-4.1-*"), price("gpt-4.1-mini")]
    assert price_of(LLMConfig(provider="openai", model="gpt-4.1-nano"), known).model == "gpt-4.1-*"
    assert price_of(LLMConfig(provider="openai", model="gpt-4.1-mini"), known).model == "gpt-4.1-mini"
    assert price_of(LLMConfig(provider="openai", model="qwen3"), known) is None
