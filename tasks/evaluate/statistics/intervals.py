"""Intervals of draws: percentile, BCa (Efron 1987), and an exact one where nothing varies."""

from collections.abc import Callable, Sequence
from itertools import product
from typing import Any

import numpy as np
import numpy.typing as npt

Values = npt.NDArray[np.float64]
Ends = tuple[float, float]
SAME = 1e-12  # draws that differ by less differ by rounding alone


def percentile(draws: Values, level: float) -> Values:
    """Low and high of each column (2 x columns); draws that are NaN count nothing, NaN where all are."""
    ends = ((1 - level) / 2, (1 + level) / 2)
    whole = ~np.isnan(draws).any(axis=0)
    found = np.full((2, draws.shape[1]), np.nan)
    if whole.any():
        found[:, whole] = np.quantile(draws[:, whole], ends, axis=0)
    for at in np.flatnonzero(~whole):
        defined = draws[~np.isnan(draws[:, at]), at]
        if len(defined):
            found[:, at] = np.quantile(defined, ends)
    return found


def bca(draws: Values, value: float, without: Values, level: float) -> Ends:
    """Low and high of one number, corrected for bias and skew, as scipy.stats.bootstrap has it.

    `draws` are its values in resamples, `without` those without each of the clusters; NaN counts nothing. (nan, nan)
    where the correction is not defined: all draws on one side of the value, or no cluster that matters.
    """
    from scipy.special import ndtr, ndtri  # late: a third of a second

    draws, without = draws[~np.isnan(draws)], without[~np.isnan(without)]
    if not len(draws) or not len(without):
        return np.nan, np.nan
    near = SAME * max(1.0, abs(value))  # what equals the value must not hang on rounding
    below = ((draws < value - near).mean() + (draws <= value + near).mean()) / 2
    pull = (len(without) - 1) * (without.mean() - without)
    spread = (pull**2).sum()
    if not 0 < below < 1 or spread <= 0:
        return np.nan, np.nan
    skew = (pull**3).sum() / (6 * spread**1.5)
    bias = ndtri(below)
    shifted = bias + ndtri([(1 - level) / 2, (1 + level) / 2])
    low, high = np.quantile(draws, ndtr(bias + shifted / (1 - skew * shifted)))
    return float(low), float(high)


def unvaried(value: float, limits: Ends, clusters: int, level: float) -> Ends:
    """Low and high where every cluster came to the same value, so that resampling them shows no spread.

    Another cluster comes to something else with a probability of at most p (Clopper and Pearson 1934, none of n seen),
    and can pull the mean no further than to the limits. With no end to the limits: the value itself, twice.
    """
    other = 1 - ((1 - level) / 2) ** (1 / clusters)
    low, high = min(limits), max(limits)
    if not np.isfinite([low, high]).all():
        return value, value
    return value - other * (value - min(low, value)), value + other * (max(high, value) - value)


def corners(how: Callable[..., Any], ends: Sequence[Ends]) -> Values:
    """What `how` comes to at every corner of these intervals: it lies between them where it is monotone in each."""
    chosen = np.array(list(product(*ends)), dtype=float)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(how(*chosen.T), dtype=float)
