"""Cohen's d and Hedges' g of original against perturbed scores, for scores between 0 and 1 (arXiv 2408.01963 A.1)."""

import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from rarefy.tasks.protocols.effect_size_config import EffectSizeConfig
from rarefy.tasks.protocols.effect_size_groups import Groups
from rarefy.tasks.statistics.measure import Derived, Measure


def scaled(found: Groups, name: str, config: EffectSizeConfig) -> Iterator[Derived]:
    """Both of them, made of means and mean squares so that they can be drawn again; NaN where no score varies."""
    if config.continuous == "never" or (config.continuous == "where_needed" and found.binary):
        return
    n = found.counts.scored
    parts = tuple(
        _mean(values, found, name)
        for values in (found.original, found.original**2, found.perturbed, found.perturbed**2)
    )
    note = "scores of groups, pooled standard deviation"
    yield Derived("Cohen's d", name, parts, d_of_moments(n), unit="groups", note=note, interval="bca")
    yield Derived("Hedges' g", name, parts, g_of_moments(n), unit="groups", note=note, interval="bca")


def _mean(values: Any, found: Groups, name: str) -> Measure:
    have = ~np.isnan(values)
    return Measure("", name, np.where(have, values, 0.0), have.astype(float), found.counts, unit="groups")


def d_of_moments(n: int) -> Callable[..., Any]:
    """Cohen's d of n pairs from mean and mean square of each side: after less before, NaN where nothing varies."""

    def d(before: Any, before_2: Any, after: Any, after_2: Any) -> Any:
        spread = np.asarray((before_2 - np.square(before)) + (after_2 - np.square(after)), dtype=float)
        freedom = max(2 * n - 2, 1)
        with np.errstate(invalid="ignore", divide="ignore"):
            found = (after - before) / np.sqrt(n * spread / freedom)
        return np.where((spread > 1e-12) & (n > 1), found, np.nan)

    return d


def g_of_moments(n: int) -> Callable[..., Any]:
    """Hedges' g likewise: d without its bias in small samples, by the exact factor (Hedges 1981)."""
    freedom = 2 * n - 2
    if freedom < 2:
        return lambda *_: np.nan
    factor = math.exp(math.lgamma(freedom / 2) - math.lgamma((freedom - 1) / 2) - math.log(freedom / 2) / 2)
    d = d_of_moments(n)
    return lambda *moments: d(*moments) * factor
