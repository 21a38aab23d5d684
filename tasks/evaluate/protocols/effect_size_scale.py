"""Cohen's d and Hedges' g of each group: its one original against its variants (arXiv 2408.01963 A.1, A.2)."""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from rarefy.tasks.evaluate.protocols.effect_size_config import EffectSizeConfig
from rarefy.tasks.evaluate.protocols.effect_size_groups import Groups
from rarefy.tasks.evaluate.statistics.effect_size import correction
from rarefy.tasks.evaluate.statistics.measure import Counts, Measure


def scaled(found: Groups, name: str, config: EffectSizeConfig, of_groups: Callable[..., Measure]) -> Iterator[Measure]:
    """Both of them, means over the groups where they are defined.

    One original adds no squares, so that the pooled standard deviation is that of the variants. A group that did not
    move at all has an effect of 0; one whose variants all moved to the same score has none (an infinite one, A.1), and
    one of fewer than two variants (g: three, or its factor is 0) neither. Those are discarded and counted, as of PDR.
    """
    if config.continuous == "never" or (config.continuous == "where_needed" and found.binary):
        return
    change = found.perturbed - found.original
    still = np.isclose(change, 0.0, atol=1e-12)
    with np.errstate(invalid="ignore", divide="ignore"):
        d = np.where(found.spread > 1e-12, change / found.spread, np.where(still, 0.0, np.nan))
    d = np.where(found.variants > 1, d, np.nan)
    factors = np.array([correction(int(m) - 1) for m in found.variants])
    for metric, values in (("Cohen's d", d), ("Hedges' g", d * factors)):
        yield _defined(metric, name, values, found, of_groups)


def _defined(metric: str, name: str, values: Any, found: Groups, of_groups: Callable[..., Measure]) -> Measure:
    c = found.counts
    lost = c.scored - int((~np.isnan(values)).sum())
    counts = Counts(c.scored - lost, c.failed, c.missing, c.skipped + lost)
    note = "mean over groups of an original against its variants"
    note += f"; undefined and discarded for {lost} of {c.scored} groups" if lost else ""
    return of_groups(metric, name, values, counts, limits=(-np.inf, np.inf), note=note)
