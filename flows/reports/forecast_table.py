"""Forecasts of calls, tokens, money and minutes as rows of a table, and their sums."""

import math
from collections.abc import Callable, Sequence

from rarefy.flows.models import roles
from rarefy.flows.models.accounting import format_money
from rarefy.flows.models.request_forecast import Range, RequestForecast
from rarefy.flows.models.spending import UNPRICED


def describe_forecast(one: RequestForecast) -> dict[str, str]:
    """A forecast as a record of a table."""
    return {
        "stage": one.stage,
        "model": roles.short_name(one.model),
        "calls": _range(one.calls),
        "tokens in": _range(one.prompt),
        "tokens out": _range(one.completion),
        "cost": _money(one.cost, one.currency) if one.currency else UNPRICED,
        "minutes": _range(one.minutes, _minutes),
    }


def sum_forecasts(forecasts: Sequence[RequestForecast], name: str = "all") -> RequestForecast:
    """The sum of several forecasts; it has no price where theirs are in several currencies, or none."""

    def total(of: str) -> Range:
        low, likely, high = (sum(getattr(one, of)[place] for one in forecasts) for place in range(3))
        return low, likely, high

    currencies = {one.currency for one in forecasts if one.currency}
    sums = (total(of) for of in ("calls", "prompt", "completion", "cost", "minutes"))
    return RequestForecast(name, "", *sums, currencies.pop() if len(currencies) == 1 else "", "")


def _whole(number: float) -> str:
    return f"{number:,.0f}"


def _minutes(number: float) -> str:
    """Minutes as they are shown, in seconds where they are under one."""
    seconds = 60 * number
    return f"{number:,.1f}" if number >= 1 or not number else f"{seconds:,.0f} s" if seconds >= 1 else "under 1 s"


def _range(of: Range, shown: Callable[[float], str] = _whole) -> str:
    """What is likely, and on a line below from where to where it may come to lie; NaN is not known."""
    if math.isnan(of[1]):
        return "not known"
    low, likely, high = map(shown, of)
    return likely if low == high else f"{likely}\n{low}–{high}"


def _money(of: Range, currency: str) -> str:
    low, likely, high = (format_money(round(amount), currency) for amount in of)
    return likely if low == high else f"{likely}\n{low.removesuffix(currency).strip()}–{high}"
