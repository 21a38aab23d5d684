"""Tests of two systems on the same trials: McNemar (1947) and a permutation test clustered by question."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from rarefy.tasks.evaluate.statistics.draws import flips
from rarefy.tasks.evaluate.statistics.intervals import SAME
from rarefy.tasks.evaluate.statistics.samples import Tested

Matrix = npt.NDArray[np.float64]


def mcnemar(lost: int, won: int, *, method: Literal["exact", "chi2", "chi2_corrected"] = "exact") -> Tested:
    """Whether as many pairs went from right to wrong (`lost`) as the other way (`won`); two-sided.

    Exact is the binomial of the smaller of them; chi2 is McNemar's own, "corrected" for continuity (Edwards 1948).
    Every pair is taken for independent: give it one pair per question, or say that it is not clustered.
    """
    from scipy.stats import binomtest, chi2  # late: a second

    pairs = lost + won
    if not pairs:
        return Tested(math.nan, 1.0, "nothing differs")
    if method == "exact":
        return Tested(float(min(lost, won)), float(binomtest(min(lost, won), pairs).pvalue))
    gap = abs(lost - won) - (1 if method == "chi2_corrected" else 0)
    statistic = max(gap, 0) ** 2 / pairs
    return Tested(statistic, float(chi2.sf(statistic, 1)))


@dataclass(frozen=True)
class Sides:
    """The sums of parts on two sides, clusters x parts each."""

    above_first: Matrix
    below_first: Matrix
    above_second: Matrix
    below_second: Matrix


def permuted(
    sides: Sides, numbers: Sequence[tuple[Sequence[int], Callable[..., Any] | None]], *, draws: int, seed: int
) -> list[Tested]:
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

    found: dict[int, Tested] = {}
    many: list[int] = []
    as_is: list[float] = []
    for at, (told, how) in enumerate(numbers):
        parts = list(told)
        rows = np.flatnonzero(differ[:, parts].any(axis=1))
        above, below = half_above[rows][:, parts], half_below[rows][:, parts]
        as_is.append(float(gaps(above.sum(axis=0)[None], below.sum(axis=0)[None], parts, how)[0]))
        if math.isnan(as_is[at]):
            found[at] = Tested(math.nan, math.nan, "undefined")
        elif not len(rows):
            found[at] = Tested(0.0, 1.0, "nothing differs")
        elif 2 ** len(rows) <= draws:
            signs = np.array(list(product((1.0, -1.0), repeat=len(rows))))
            swapped = gaps(signs @ above, signs @ below, parts, how)
            found[at] = _tested(as_is[at], swapped, f"all {len(signs):,} swaps", exact=True)
        else:
            many.append(at)
    if many:
        swaps: dict[int, list[Matrix]] = {at: [] for at in many}
        for signs in flips(len(differ), draws, seed):
            above, below = (_swapped(signs, half) for half in (half_above, half_below))
            for at in many:
                parts = list(numbers[at][0])
                swaps[at].append(gaps(above[:, parts], below[:, parts], parts, numbers[at][1]))
        for at in many:
            found[at] = _tested(as_is[at], np.concatenate(swaps[at]), f"{draws:,} swaps", exact=False)
    return [found[at] for at in range(len(numbers))]


def _swapped(signs: Matrix, half: Matrix) -> Matrix:
    """Swaps x parts; a column that is the same on both sides (how many trials there are, mostly) is not multiplied."""
    found = np.zeros((len(signs), half.shape[1]))
    apart = half.any(axis=0)
    found[:, apart] = signs @ half[:, apart]
    return found


def _tested(observed: float, gaps: Matrix, note: str, *, exact: bool) -> Tested:
    """The share of swaps that bring at least as large a difference; of drawn ones, the observed one is counted in."""
    defined = gaps[~np.isnan(gaps)]
    extreme = int((np.abs(defined) >= abs(observed) - SAME).sum())
    return Tested(observed, extreme / len(defined) if exact else (1 + extreme) / (1 + len(defined)), note)
