"""Tests of two samples as papers print them: Kolmogorov-Smirnov (SURE A.3), two proportions (RARE G.3)."""

import math
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np


@dataclass(frozen=True)
class Tested:
    """A statistic and its two-sided p; NaN where there is nothing to test."""

    statistic: float
    p: float
    note: str = ""


def ks(first: Any, second: Any, *, method: Literal["auto", "exact", "asymp"] = "auto") -> Tested:
    """Two-sample Kolmogorov-Smirnov; values that are NaN count nothing.

    "auto" is exact up to 10,000 values a sample, and that is what SURE's Tables 3 and 4 were made with: theirs are the
    exact p at 2,658 and 2,658. "asymp" is Smirnov's formula.
    """
    from scipy.stats import ks_2samp  # late: a second

    left, right = (np.asarray(side, dtype=float).ravel() for side in (first, second))
    left, right = left[~np.isnan(left)], right[~np.isnan(right)]
    if not len(left) or not len(right):
        return Tested(math.nan, math.nan, "an empty sample")
    found = ks_2samp(left, right, method=method)
    return Tested(float(found.statistic), float(found.pvalue))


def z_as_published(first: float, n_first: int, second: float, n_second: int) -> Tested:
    """RARE's test of two systems: the Z of two proportions, second less first, unpaired and pooled.

    It takes every trial for independent. Trials of one question are not, so that its p is far too small: printed
    beside the clustered test, as published, and never what a verdict rests on.
    """
    if not n_first or not n_second:
        return Tested(math.nan, math.nan, "an empty sample")
    pooled = (first * n_first + second * n_second) / (n_first + n_second)
    spread = math.sqrt(max(pooled * (1 - pooled), 0.0) * (1 / n_first + 1 / n_second))
    if not spread:
        return Tested(math.nan, math.nan, "no variation")
    z = (second - first) / spread
    return Tested(z, math.erfc(abs(z) / math.sqrt(2)), "trials taken for independent")
