"""A number as a ratio of sums over questions: its value, its counts, and the bounds of what was lost."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from itertools import product
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

Sums: TypeAlias = npt.NDArray[np.float64]  # one entry per question of the frame, in its order


@dataclass(frozen=True)
class Counts:
    """How many units a number is of, and how many it lacks."""

    scored: int = 0
    failed: int = 0  # the system or the judge gave no answer, or an error
    missing: int = 0  # nobody answered or judged it (yet)
    skipped: int = 0  # the benchmark cannot fill the cell, or the number is not defined for it


@dataclass(frozen=True)
class Measure:
    """`numerator.sum() / denominator.sum()`; 0/0 is undefined.

    `limits` say which way is better too: (1.0, 0.0) for a share of answers lost, an infinity where there is no end.
    """

    metric: str
    slice: str
    numerator: Sums
    denominator: Sums
    counts: Counts
    unit: str = "trials"
    limits: tuple[float, float] = (0.0, 1.0)  # what one unit can come to at worst and at best
    headline: bool = False
    note: str = ""
    interval: str = ""  # percentile | bca, where its paper names one; "": as configured
    bounds: tuple[float, float] | None = None  # worst and best, where units do not weigh the same (macro means)
    neutral: bool = False  # neither more nor less of it is better: a share of refusals, of Known questions
    # numerator and denominator, had every lost unit come to this value; None where that is not known
    fill: Callable[[float], tuple[Sums, Sums]] | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True)
class Derived:
    """A number made of others (a geometric mean, a difference): `how` takes their values, single or arrays of draws."""

    metric: str
    slice: str
    of: tuple["Measure", ...]
    how: Callable[..., Any] = field(compare=False)
    unit: str = "trials"
    headline: bool = False
    note: str = ""
    counts: Counts | None = None  # None: of the part that has the fewest scored
    interval: str = ""  # percentile | bca; "": as configured
    neutral: bool = False  # neither more nor less of it is better


Metric: TypeAlias = Measure | Derived


def parts_of(metric: Metric) -> tuple[Measure, ...]:
    """The measure itself, or the measures that a derived metric is made of."""
    return (metric,) if isinstance(metric, Measure) else metric.of


def mean_of(*values: Any) -> Any:
    """The mean of numbers, or of arrays of draws."""
    return sum(values[1:], start=values[0]) / len(values)


# Values, coverage and bounds

Bounds = tuple[float | None, float | None]  # worst, best
MOST_PARTS = 12  # parts of a derived number whose corners are gone through: 4,096


def counts_of(metric: Metric) -> Counts:
    """The counts of a number; of a derived one without its own, those of the part that has the fewest scored."""
    if isinstance(metric, Measure):
        return metric.counts
    if metric.counts is not None:
        return metric.counts
    return min((part.counts for part in metric.of), key=lambda counts: counts.scored, default=Counts())


def coverage(counts: Counts) -> float:
    """The share of its units that were scored, skipped ones left out; 1.0 where there are none."""
    units = counts.scored + counts.failed + counts.missing
    return counts.scored / units if units else 1.0


def withheld(metric: Metric, floor: float) -> str:
    """Why a number is withheld, "" where it is not: less than `floor` of it, or of any part of it, was scored."""
    parts = () if isinstance(metric, Measure) else metric.of
    counted = [
        (counts_of(metric), metric.unit, ""),
        *((part.counts, part.unit, f" in {part.metric}") for part in parts),
    ]
    counts, unit, where = min(counted, key=lambda row: coverage(row[0]))
    if coverage(counts) >= floor:
        return ""
    units = counts.scored + counts.failed + counts.missing
    return f"withheld: {counts.scored:,} of {units:,} {unit} scored{where}"


def ratio(metric: Measure) -> float:
    """The value of a measure, the same for any order of the questions; NaN for 0/0."""
    below = math.fsum(metric.denominator.tolist())
    return math.fsum(metric.numerator.tolist()) / below if below else math.nan


def value(metric: Metric) -> float:
    """The value of a metric; NaN where it is undefined."""
    if isinstance(metric, Measure):
        return ratio(metric)
    with np.errstate(invalid="ignore", divide="ignore"):
        return float(metric.how(*(np.float64(ratio(part)) for part in metric.of)))


def bounds(metric: Metric) -> Bounds:
    """The worst and best possible value, had all lost units gone wrong or right; None where there is no end.

    Of a derived number the worst and best corner of its parts' bounds; which way is worse, its parts' limits say.
    """
    if isinstance(metric, Measure):
        return _measure_bounds(metric)
    ends = [_measure_bounds(part) for part in metric.of]
    if not ends or len(ends) > MOST_PARTS or any(end is None for pair in ends for end in pair):
        return None, None
    found = corners(metric.how, [(float(worst or 0), float(best or 0)) for worst, best in ends])
    if np.isnan(found).all():
        return None, None
    low, high = float(np.nanmin(found)), float(np.nanmax(found))
    return (low, high) if better(metric) >= 0 else (high, low)


def better(metric: Metric) -> int:
    """+1 where more of it is better, -1 where less is, 0 where neither is, or its limits do not tell."""
    if metric.neutral:
        return 0
    if isinstance(metric, Measure):
        worst, best = metric.limits
        return (best > worst) - (best < worst)
    ways = {better(part) for part in metric.of}
    if any(math.isinf(end) for part in metric.of for end in part.limits):
        return ways.pop() if len(ways) == 1 else 0
    with np.errstate(invalid="ignore", divide="ignore"):
        at_worst, at_best = (float(metric.how(*(np.float64(part.limits[end]) for part in metric.of))) for end in (0, 1))
    return int(at_best > at_worst) - int(at_best < at_worst)


def limits(metric: Metric) -> tuple[float, float]:
    """The least and the greatest possible value of a metric."""
    if isinstance(metric, Measure):
        return min(metric.limits), max(metric.limits)
    if len(metric.of) > MOST_PARTS:
        return -math.inf, math.inf
    found = corners(metric.how, [part.limits for part in metric.of])
    found = found[~np.isnan(found)]
    return (float(found.min()), float(found.max())) if len(found) else (-math.inf, math.inf)


def _measure_bounds(metric: Measure) -> Bounds:
    lost = metric.counts.failed + metric.counts.missing
    if metric.bounds is not None:
        return metric.bounds
    if not metric.counts.scored:
        return (_finite(metric.limits[0]), _finite(metric.limits[1])) if lost else (None, None)
    is_ = ratio(metric)
    if math.isnan(is_):
        return None, None
    if not lost:
        return is_, is_
    share = metric.counts.scored / (metric.counts.scored + lost)
    return _finite(is_ * share + metric.limits[0] * (1 - share)), _finite(is_ * share + metric.limits[1] * (1 - share))


def filled(metric: Metric) -> tuple[Metric, Metric] | None:
    """The metric, had all that was lost come, question by question, to what makes it least, and to what makes it most.

    None where that is not known, or is not as far as its bounds.
    """
    found: tuple[Metric, Metric] | None
    if isinstance(metric, Measure):
        found = _fill_measure(metric)
    elif not metric.of or len(metric.of) > MOST_PARTS:
        found = None
    else:
        parts = [_fill_measure(part) for part in metric.of]
        found = _fill_derived(metric, [pair for pair in parts if pair]) if all(parts) else None
    ends = sorted(end for end in bounds(metric) if end is not None)
    if found is None or len(ends) < 2:
        return None
    least, most = (value(one) for one in found)
    return found if least <= ends[0] + NEAR and most >= ends[1] - NEAR else None


NEAR = 1e-9  # of two ways to add up the same


def _fill_measure(metric: Measure) -> tuple[Measure, Measure] | None:
    lost = metric.counts.failed + metric.counts.missing
    if not lost:
        return metric, metric
    if metric.fill is None or not all(map(math.isfinite, metric.limits)):
        return None
    counts = replace(metric.counts, scored=metric.counts.scored + lost, failed=0, missing=0)
    least, most = (
        replace(metric, numerator=above, denominator=below, counts=counts, bounds=None, fill=None)
        for above, below in map(metric.fill, sorted(metric.limits))
    )
    return least, most


def _fill_derived(metric: Derived, parts: Sequence[tuple[Measure, Measure]]) -> tuple[Derived, Derived] | None:
    found = corners(metric.how, [(ratio(least), ratio(most)) for least, most in parts])
    if np.isnan(found).all():
        return None
    chosen = list(product(*parts))
    least, most = (
        replace(metric, of=chosen[int(at)], counts=None) for at in (np.nanargmin(found), np.nanargmax(found))
    )
    return least, most


def _finite(limit: float) -> float | None:
    return limit if math.isfinite(limit) else None


def corners(how: Callable[..., Any], ends: Sequence[tuple[float, float]]) -> npt.NDArray[np.float64]:
    """What `how` comes to at every corner of these intervals: it lies between them where it is monotone in each."""
    chosen = np.array(list(product(*ends)), dtype=float)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(how(*chosen.T), dtype=float)
