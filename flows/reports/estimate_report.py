"""An estimate as a person wants to see it."""

from rich.console import Console

from rarefy.flows.config import Config
from rarefy.flows.engine.stages import models_asked
from rarefy.flows.models import roles
from rarefy.flows.models.accounting import money
from rarefy.flows.models.estimate import Estimated
from rarefy.flows.models.request_forecast import Expected, Range
from rarefy.flows.models.spending import UNPRICED
from rarefy.flows.reports.tables import as_table


def show(made: Estimated, config: Config, console: Console) -> None:
    """The estimate as a table with its sums, and what it rests on."""
    size = f"{made.documents:,} documents, {made.chunks:,} chunks"
    if made.stages:
        console.print(as_table(f"Estimate for {made.corpus}: {size}", [*map(_record, made.stages), _sum(made.stages)]))
    lines = [f"{one.stage}: {one.basis}" for one in made.stages]
    if not models_asked(config):
        lines.append(f"{size}: no stage of this config asks a model, so that a build costs nothing")
    elif not made.stages:
        lines.append(f"{size}: all of it is in the store, so that a build asks nothing")
    if made.remembered:
        lines.append(f"{made.remembered:,} requests more are remembered and cost nothing")
    for price in config.serving.prices if made.stages else ():
        told = f"{price.prompt:g} in, {price.completion:g} out, {price.currency} per million tokens"
        lines.append(f"price of {price.model}: {told}, as of {price.as_of} ({price.source})")
    console.print("\n".join(lines), highlight=False, markup=False, soft_wrap=True)


def _record(one: Expected) -> dict[str, str]:
    return {
        "stage": one.stage,
        "model": roles.short(one.model),
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
    """What is likely, and on a line below from where to where it may come to lie."""
    low, likely, high = (f"{number:,.{digits}f}" for number in of)
    return likely if low == high else f"{likely}\n{low}–{high}"


def _money(of: Range, currency: str) -> str:
    low, likely, high = (money(round(amount), currency) for amount in of)
    return likely if low == high else f"{likely}\n{low.removesuffix(currency).strip()}–{high}"
