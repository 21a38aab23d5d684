"""What a call costs, in billionths of the currency: whole numbers, so that sums are exact."""

from collections.abc import Sequence

from rarefy.tasks.models.llm.config import LLMConfig, Price
from rarefy.tasks.models.llm.reply_store import NANO

PER = 1_000_000  # tokens that a price is for


def price_of(config: LLMConfig, prices: Sequence[Price]) -> Price | None:
    """The price of a model: its own, else that of the longest prefix that ends in *; None where none is known."""
    known = {price.model: price for price in prices}
    if config.model in known:
        return known[config.model]
    fitting = [p for p in prices if p.model.endswith("*") and config.model.startswith(p.model[:-1])]
    return max(fitting, key=lambda price: len(price.model), default=None)


def cost(price: Price | None, prompt: int, completion: int, cached: int = 0, *, batch: bool = False) -> int:
    """The cost of so many tokens, `cached` of the prompt's from the provider's cache; 0 where no price is known."""
    if price is None:
        return 0
    of_cached = price.prompt if price.cached_prompt is None else price.cached_prompt
    total = (prompt - cached) * price.prompt + cached * of_cached + completion * price.completion
    return round(total * (price.batch if batch else 1.0) * (NANO // PER))
