"""An estimate as a person wants to see it."""

from rich.console import Console

from rarefy.flows.asking import money
from rarefy.flows.config import Config
from rarefy.flows.estimate import Estimated
from rarefy.flows.forecast import Expected, Range
from rarefy.flows.report import as_table
from rarefy.flows.spent import UNPRICED


def show(made: Estimated, config: Config, console: Console) -> None:
    """The estimate as a table with its sums, and what it rests on."""
    if not made.stages:
        console.print(
            f"{made.documents:,} documents, {made.chunks:,} chunks: no stage of this config asks a model, so that a "
            "build costs nothing; [llm] and the methods of extract, ask, probe and grade change that",
            highlight=False,
        )
        return
    title = f"Estimate for {made.corpus}: {made.documents:,} documents, {made.chunks:,} chunks"
    console.print(as_table(title, [*map(_record, made.stages), _sum(made.stages)]))
    for one in made.stages:
        console.print(f"{one.stage}: {one.basis}", highlight=False)
    if made.remembered:
        console.print(f"{made.remembered:,} more requests are remembered and cost nothing", highlight=False)
    for price in config.serving.prices:
        told = f"{price.prompt:g} in, {price.completion:g} out, {price.currency} per million tokens"
        console.print(f"price of {price.model}: {told}, as of {price.as_of} ({price.source})", highlight=False)


def _record(one: Expected) -> dict[str, str]:
    return {
        "stage": one.stage,
        "model": one.model,
        "calls": _range(one.calls),
        "tokens in": _range(one.prompt),
        "tokens out": _range(one.completion),
        "cost": _money(one.cost, one.currency) if one.currency else UNPRICED,
        "minutes": _range(one.minutes, 1),
    }


def _sum(stages: tuple[Expected, ...]) -> dict[str, str]:
    def total(name: str) -> Range:
        low, likely, high = (sum(getattr(one, name)[place] for one in stages) for place in range(3))
        return low, likely, high

    currencies = {one.currency for one in stages if one.currency}
    return {
        "stage": "all",
        "model": "",
        "calls": _range(total("calls")),
        "tokens in": _range(total("prompt")),
        "tokens out": _range(total("completion")),
        "cost": _money(total("cost"), *currencies) if len(currencies) == 1 else "",
        "minutes": _range(total("minutes"), 1),
    }


def _range(of: Range, digits: int = 0) -> str:
    low, likely, high = (f"{number:,.{digits}f}" for number in of)
    return likely if low == high else f"{likely} ({low} to {high})"


def _money(of: Range, currency: str) -> str:
    low, likely, high = (money(round(amount), currency) for amount in of)
    return likely if low == high else f"{likely} ({low.removesuffix(currency).strip()} to {high})"
