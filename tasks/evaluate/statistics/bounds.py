"""What a number would be, had all that failed or is missing gone wrong, or right; and whether enough of it is there."""

import math

import numpy as np

from rarefy.tasks.evaluate.statistics.intervals import corners
from rarefy.tasks.evaluate.statistics.measure import Counts, Figured, Measure

Bounds = tuple[float | None, float | None]  # worst, best
MOST = 12  # parts of a derived number whose corners are gone through: 4,096


def counts_of(one: Figured) -> Counts:
    """The counts of a number; of a derived one without its own, those of the part that has the fewest scored."""
    if isinstance(one, Measure):
        return one.counts
    if one.counts is not None:
        return one.counts
    return min((part.counts for part in one.of), key=lambda counts: counts.scored, default=Counts())


def coverage(counts: Counts) -> float:
    """The share of its units that were scored, skipped ones left out; 1.0 where there are none."""
    units = counts.scored + counts.failed + counts.missing
    return counts.scored / units if units else 1.0


def withheld(one: Figured, floor: float) -> str:
    """Why a number is withheld, "" where it is not: less than `floor` of it, or of any part of it, was scored."""
    parts = () if isinstance(one, Measure) else one.of
    told = [(counts_of(one), one.unit, ""), *((part.counts, part.unit, f" in {part.metric}") for part in parts)]
    counts, unit, where = min(told, key=lambda row: coverage(row[0]))
    if coverage(counts) >= floor:
        return ""
    units = counts.scored + counts.failed + counts.missing
    return f"withheld: {counts.scored:,} of {units:,} {unit} scored{where}"


def ratio(one: Measure) -> float:
    """Its value, the same for any order of the questions; NaN for 0/0."""
    below = math.fsum(one.denominator.tolist())
    return math.fsum(one.numerator.tolist()) / below if below else math.nan


def value(one: Figured) -> float:
    """Its value; NaN where it is undefined."""
    if isinstance(one, Measure):
        return ratio(one)
    with np.errstate(invalid="ignore", divide="ignore"):
        return float(one.how(*(np.float64(ratio(part)) for part in one.of)))


def bounds(one: Figured) -> Bounds:
    """Worst and best; None where there is no end, or nothing to bound.

    Of a derived number the worst and best corner of its parts' bounds; which way is worse, its parts' limits say.
    """
    if isinstance(one, Measure):
        return _of_measure(one)
    ends = [_of_measure(part) for part in one.of]
    if not ends or len(ends) > MOST or any(end is None for pair in ends for end in pair):
        return None, None
    found = corners(one.how, [(float(worst or 0), float(best or 0)) for worst, best in ends])
    if np.isnan(found).all():
        return None, None
    low, high = float(np.nanmin(found)), float(np.nanmax(found))
    return (low, high) if better(one) >= 0 else (high, low)


def better(one: Figured) -> int:
    """+1 where more of it is better, -1 where less is, 0 where neither is, or its limits do not tell."""
    if one.neutral:
        return 0
    if isinstance(one, Measure):
        worst, best = one.limits
        return (best > worst) - (best < worst)
    ways = {better(part) for part in one.of}
    if any(math.isinf(end) for part in one.of for end in part.limits):
        return ways.pop() if len(ways) == 1 else 0
    with np.errstate(invalid="ignore", divide="ignore"):
        at_worst, at_best = (float(one.how(*(np.float64(part.limits[end]) for part in one.of))) for end in (0, 1))
    return int(at_best > at_worst) - int(at_best < at_worst)


def limits(one: Figured) -> tuple[float, float]:
    """The least and the most that it can come to."""
    if isinstance(one, Measure):
        return min(one.limits), max(one.limits)
    if len(one.of) > MOST:
        return -math.inf, math.inf
    found = corners(one.how, [part.limits for part in one.of])
    found = found[~np.isnan(found)]
    return (float(found.min()), float(found.max())) if len(found) else (-math.inf, math.inf)


def _of_measure(one: Measure) -> Bounds:
    lost = one.counts.failed + one.counts.missing
    if one.bounds is not None:
        return one.bounds
    if not one.counts.scored:
        return (_end(one.limits[0]), _end(one.limits[1])) if lost else (None, None)
    is_ = ratio(one)
    if math.isnan(is_):
        return None, None
    if not lost:
        return is_, is_
    share = one.counts.scored / (one.counts.scored + lost)
    return _end(is_ * share + one.limits[0] * (1 - share)), _end(is_ * share + one.limits[1] * (1 - share))


def _end(limit: float) -> float | None:
    return limit if math.isfinite(limit) else None
