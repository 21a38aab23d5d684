"""Tests of two samples or two systems, p-values of several tests together, and the smallest detectable difference."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from rarefy.tasks.evaluate.statistics.bootstrap_intervals import SAME, flips

# Two independent samples


@dataclass(frozen=True)
class StatisticalTest:
    """A statistic and its two-sided p; NaN where there is nothing to test."""

    statistic: float
    p: float
    note: str = ""


def ks(first: Any, second: Any, *, method: Literal["auto", "exact", "asymp"] = "auto") -> StatisticalTest:
    """Two-sample Kolmogorov-Smirnov; values that are NaN count nothing.

    "auto" is exact up to 10,000 values a sample, and that is what SURE's Tables 3 and 4 were made with: theirs are the
    exact p at 2,658 and 2,658. "asymp" is Smirnov's formula.
    """
    from scipy.stats import ks_2samp  # late: a second

    left, right = (np.asarray(side, dtype=float).ravel() for side in (first, second))
    left, right = left[~np.isnan(left)], right[~np.isnan(right)]
    if not len(left) or not len(right):
        return StatisticalTest(math.nan, math.nan, "an empty sample")
    found = ks_2samp(left, right, method=method)
    return StatisticalTest(float(found.statistic), float(found.pvalue))


def z_as_published(first: float, n_first: int, second: float, n_second: int) -> StatisticalTest:
    """RARE's test of two systems: the Z of two proportions, second less first, unpaired and pooled.

    It takes every trial for independent. Trials of one question are not, so that its p is far too small: printed
    beside the clustered test, as published, and never what a verdict rests on.
    """
    if not n_first or not n_second:
        return StatisticalTest(math.nan, math.nan, "an empty sample")
    pooled = (first * n_first + second * n_second) / (n_first + n_second)
    spread = math.sqrt(max(pooled * (1 - pooled), 0.0) * (1 / n_first + 1 / n_second))
    if not spread:
        return StatisticalTest(math.nan, math.nan, "no variation")
    z = (second - first) / spread
    return StatisticalTest(z, math.erfc(abs(z) / math.sqrt(2)), "trials taken for independent")


# Two systems on the same trials

Matrix = npt.NDArray[np.float64]


def mcnemar(lost: int, won: int, *, method: Literal["exact", "chi2", "chi2_corrected"] = "exact") -> StatisticalTest:
    """Whether as many pairs went from right to wrong (`lost`) as the other way (`won`); two-sided.

    Exact is the binomial of the smaller of them; chi2 is McNemar's own, "corrected" for continuity (Edwards 1948).
    Every pair is taken for independent: give it one pair per question, or say that it is not clustered.
    """
    from scipy.stats import binomtest, chi2  # late: a second

    pairs = lost + won
    if not pairs:
        return StatisticalTest(math.nan, 1.0, "nothing differs")
    if method == "exact":
        return StatisticalTest(float(min(lost, won)), float(binomtest(min(lost, won), pairs).pvalue))
    gap = abs(lost - won) - (1 if method == "chi2_corrected" else 0)
    statistic = max(gap, 0) ** 2 / pairs
    return StatisticalTest(statistic, float(chi2.sf(statistic, 1)))


@dataclass(frozen=True)
class Sides:
    """The sums of parts on two sides, clusters x parts each."""

    above_first: Matrix
    below_first: Matrix
    above_second: Matrix
    below_second: Matrix


def permutation_tests(
    sides: Sides, numbers: Sequence[tuple[Sequence[int], Callable[..., Any] | None]], *, draws: int, seed: int
) -> list[StatisticalTest]:
    """For each number whether it differs between the sides: a cluster's two sides are swapped, or not, as a whole.

    A number is the places of its parts, and what is made of their ratios (None: the ratio of its only part). Two-sided;
    all swaps are gone through where those clusters that differ have no more than `draws`. The statistic is second less
    first; p is 1 where nothing differs, NaN where the difference is undefined.
    """
    middle_above = (sides.above_first + sides.above_second).sum(axis=0) / 2
    middle_below = (sides.below_first + sides.below_second).sum(axis=0) / 2
    half_above, half_below = (sides.above_second - sides.above_first) / 2, (sides.below_second - sides.below_first) / 2
    differ = (half_above != 0) | (half_below != 0)

    def gaps(above: Matrix, below: Matrix, parts: Sequence[int], how: Callable[..., Any] | None) -> Matrix:
        """Second less first, where swaps move the sums of these parts off their middle by so much."""
        ends = []
        for way in (1, -1):
            with np.errstate(invalid="ignore", divide="ignore"):
                under = middle_below[parts] + way * below
                ratios = np.where(under != 0, (middle_above[parts] + way * above) / under, np.nan)
                ends.append(ratios[:, 0] if how is None else np.asarray(how(*ratios.T), dtype=float))
        return np.asarray(ends[0] - ends[1])

    results: dict[int, StatisticalTest] = {}
    drawn: list[int] = []
    observed: list[float] = []
    for at, (places, how) in enumerate(numbers):
        parts = list(places)
        rows = np.flatnonzero(differ[:, parts].any(axis=1))
        above, below = half_above[rows][:, parts], half_below[rows][:, parts]
        observed.append(float(gaps(above.sum(axis=0)[None], below.sum(axis=0)[None], parts, how)[0]))
        if math.isnan(observed[at]):
            results[at] = StatisticalTest(math.nan, math.nan, "undefined")
        elif not len(rows):
            results[at] = StatisticalTest(0.0, 1.0, "nothing differs")
        elif 2 ** len(rows) <= draws:
            signs = np.array(list(product((1.0, -1.0), repeat=len(rows))))
            swapped = gaps(signs @ above, signs @ below, parts, how)
            results[at] = _swap_test(observed[at], swapped, f"all {len(signs):,} swaps", exact=True)
        else:
            drawn.append(at)
    if drawn:
        swaps: dict[int, list[Matrix]] = {at: [] for at in drawn}
        for signs in flips(len(differ), draws, seed):
            above, below = (_apply_swaps(signs, half) for half in (half_above, half_below))
            for at in drawn:
                parts = list(numbers[at][0])
                swaps[at].append(gaps(above[:, parts], below[:, parts], parts, numbers[at][1]))
        for at in drawn:
            results[at] = _swap_test(observed[at], np.concatenate(swaps[at]), f"{draws:,} swaps", exact=False)
    return [results[at] for at in range(len(numbers))]


def _apply_swaps(signs: Matrix, half: Matrix) -> Matrix:
    """Swaps x parts; a column that is the same on both sides (how many trials there are, mostly) is not multiplied."""
    found = np.zeros((len(signs), half.shape[1]))
    apart = half.any(axis=0)
    found[:, apart] = signs @ half[:, apart]
    return found


def _swap_test(observed: float, gaps: Matrix, note: str, *, exact: bool) -> StatisticalTest:
    """The share of swaps that bring at least as large a difference; of drawn ones, the observed one is counted in."""
    defined = gaps[~np.isnan(gaps)]
    extreme = int((np.abs(defined) >= abs(observed) - SAME).sum())
    return StatisticalTest(observed, extreme / len(defined) if exact else (1 + extreme) / (1 + len(defined)), note)


# Several tests together

Values = npt.NDArray[np.float64]


def holm(p: Sequence[float]) -> list[float]:
    """Adjusted p: those up to alpha hold all together with a chance of alpha for any false alarm. NaN stays NaN."""
    return _adjust(p, lambda ordered: np.asarray(np.maximum.accumulate(ordered * np.arange(len(ordered), 0, -1))))


def benjamini_hochberg(p: Sequence[float]) -> list[float]:
    """Adjusted p: of those up to alpha a share of alpha is expected to be false alarms. NaN stays NaN."""

    def step(ordered: Values) -> Values:
        scaled = ordered * len(ordered) / np.arange(1, len(ordered) + 1)
        return np.asarray(np.minimum.accumulate(scaled[::-1])[::-1])

    return _adjust(p, step)


def _adjust(p: Sequence[float], step: Callable[[Values], Values]) -> list[float]:
    values = np.asarray(p, dtype=float)
    adjusted = np.full(len(values), np.nan)
    tested = np.flatnonzero(~np.isnan(values))
    if len(tested):
        order = tested[np.argsort(values[tested], kind="stable")]
        adjusted[order] = np.minimum(step(values[order]), 1.0)
    return [float(p_value) for p_value in adjusted]


# Power


def smallest_difference(error: float, *, alpha: float = 0.05, power: float = 0.8) -> float:
    """The difference that a two-sided test at `alpha` finds with a chance of `power`, for this standard error of it.

    With the error seen (clustered, paired) it is that of this number of questions and the variance they showed.
    """
    from scipy.stats import norm  # late: a second

    return float((norm.isf(alpha / 2) + norm.ppf(power)) * error)


def clusters_needed(clusters: int, smallest: float, difference: float) -> int:
    """How many clusters of the same kind would have shown this difference, where so many show the smallest one."""
    if not smallest > 0:
        return clusters
    return math.ceil(clusters * (smallest / difference) ** 2 - 1e-9)
