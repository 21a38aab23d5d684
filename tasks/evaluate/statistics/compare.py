"""Two systems compared metric by metric on the same trials: difference, interval, tests, verdict (field.md #16)."""

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from rarefy.tasks.evaluate.statistics import round_digits
from rarefy.tasks.evaluate.statistics.bootstrap_intervals import (
    SAME,
    Resampled,
    combine_parts,
    count_clusters,
    count_deviating,
    exact_interval,
    measures_at_once,
    percentile_intervals,
    resample,
)
from rarefy.tasks.evaluate.statistics.config import StatisticsConfig
from rarefy.tasks.evaluate.statistics.measure import (
    Measure,
    Metric,
    better,
    bounds,
    counts_of,
    filled,
    limits,
    parts_of,
    ratio,
    value,
    withheld,
)
from rarefy.tasks.evaluate.statistics.significance import (
    Matrix,
    Sides,
    StatisticalTest,
    benjamini_hochberg,
    clusters_needed,
    holm,
    mcnemar,
    permutation_tests,
    smallest_difference,
    z_as_published,
)

VERDICTS = ("better", "worse", "changed", "tied", "too few")
WHOLE = "all"  # the slice that is none
UNCHANGED = "right answers to unchanged questions"  # begins the name of the number that a result begins with


@dataclass(frozen=True, slots=True)
class Difference:
    """One number of two systems, on the trials that both were scored in; `difference` is second less first."""

    protocol: str
    metric: str
    slice: str
    first: float | None
    second: float | None
    difference: float | None = None
    low: float | None = None  # interval of the difference, clustered
    high: float | None = None
    error: float | None = None  # its standard error, clustered
    p: float | None = None  # permutation test, clustered
    p_how: str = ""  # which swaps it went through
    holm: float | None = None  # p among all that it was looked at together with
    benjamini_hochberg: float | None = None
    family: int = 0  # how many those are
    won: int = 0  # clusters in which the second is better than the first
    lost: int = 0  # and worse
    mcnemar: float | None = None  # exact p that as many were won as lost
    z: float | None = None  # as published: trials taken for independent
    z_p: float | None = None
    smallest: float | None = None  # difference that this many clusters would have shown
    needed: int | None = None  # clusters that would show one of the margin's size
    unseen: float | None = None  # how far clusters of a kind that was not seen could move it; None without interval
    exact: bool = False  # whether the interval reaches as far as those, since hardly a cluster differs
    n_first: int = 0  # units
    n_second: int = 0
    unit: str = "trials"
    clusters: int = 0
    headline: bool = False
    more_is_better: bool | None = True  # None: neither is
    verdict: str = "too few"  # on the second: better | worse | changed | tied | too few
    note: str = ""


def differences(
    first: Iterable[Metric],
    second: Iterable[Metric],
    *,
    protocol: str,
    config: StatisticsConfig,
    clusters: Sequence[str] | None = None,
) -> list[Difference]:
    """Every number that both sides have, compared by itself; `add_verdicts` says what they come to together.

    Both sides must have sums over the same questions, in the same order, of the same trials. Numbers are matched by
    metric and slice; one that only one side has is not in the result.
    """
    theirs = {(metric.metric, metric.slice): metric for metric in second}
    pairs = [(metric, theirs[key]) for metric in first if (key := (metric.metric, metric.slice)) in theirs]
    if not pairs:
        return []
    sizes = {len(part.numerator) for pair in pairs for metric in pair for part in parts_of(metric)}
    if len(sizes) != 1:
        raise ValueError(f"{protocol}: the sides have sums over {sorted(sizes)} questions; compare the same trials")
    (questions,) = sizes
    found = []
    most = measures_at_once(questions) // 2
    for start in range(0, len(pairs), most):
        part = pairs[start : start + most]
        of = resample([metric for pair in part for metric in pair], questions, config=config, clusters=clusters)
        gaps = np.column_stack([combine_parts(b, of, of.draws) - combine_parts(a, of, of.draws) for a, b in part])
        ends = percentile_intervals(gaps, config.level) if questions else np.full((2, len(part)), np.nan)
        tests = _permutation_tests(part, of, config)
        for at, (a, b) in enumerate(part):
            row = _compare(a, b, of, gaps[:, at], (float(ends[0, at]), float(ends[1, at])), config)
            # nothing is said of what is withheld
            p = None if row.difference is None else round_digits(tests[at].p)
            row = replace(row, protocol=protocol, p=p, p_how="" if p is None else tests[at].note)
            found.append(row if protocol == "rare" else replace(row, z=None, z_p=None))  # it is RARE's test
    return found


def extremes(
    first: Metric,
    second: Metric,
    *,
    protocol: str,
    config: StatisticsConfig,
    clusters: Sequence[str] | None = None,
) -> tuple[Difference, Difference] | None:
    """The difference where what has no score comes to what makes it least, and to what makes it greatest.

    Each has its interval and test like any other. None where what that would be is not known.
    """
    ours, theirs = filled(first), filled(second)
    if ours is None or theirs is None:
        return None
    (least,), (most,) = (
        differences([a], [b], protocol=protocol, config=config, clusters=clusters)
        for a, b in ((ours[1], theirs[0]), (ours[0], theirs[1]))
    )
    return least, most


def add_verdicts(found: Iterable[Difference], config: StatisticsConfig) -> list[Difference]:
    """The differences with p adjusted for multiple testing, and a verdict on each.

    The right answers to unchanged questions stand for themselves: they are what is looked at first. Headlines of all
    protocols are one family; the slices of a metric are one; a protocol's other numbers are one.
    """
    rows = list(found)
    families: dict[tuple[str, ...], list[int]] = {}
    for at, row in enumerate(rows):
        families.setdefault(comparison_family(row), []).append(at)
    for places in families.values():
        p = [math.nan if rows[at].p is None else float(rows[at].p or 0) for at in places]
        for at, by_holm, by_bh in zip(places, holm(p), benjamini_hochberg(p), strict=True):
            row = replace(
                rows[at], holm=round_digits(by_holm), benjamini_hochberg=round_digits(by_bh), family=len(places)
            )
            rows[at] = replace(row, verdict=verdict(row, config))
    return rows


def comparison_family(row: Difference) -> tuple[str, ...]:
    """The family for multiple testing: all headlines, the slices of one metric, or a protocol's other numbers.

    The number that a result begins with is a family of its own.
    """
    if is_unchanged(row):
        return (UNCHANGED,)
    if row.headline:
        return ()
    return (row.protocol,) if row.slice == WHOLE else (row.protocol, row.metric)


def is_unchanged(row: Difference) -> bool:
    """Whether it is the number that a result begins with."""
    return row.headline and row.metric.startswith(UNCHANGED)


def verdict(row: Difference, config: StatisticsConfig) -> str:
    """The verdict on the second system: better, worse, changed, tied or too few.

    tied: the whole interval lies within the margin, whatever side of zero, and clusters are so many that unseen ones
    could not move it out. better, worse (changed, where neither more nor less is better): it
    does not, it leaves zero out, and the adjusted p is up to alpha. Else too few: none of it can be said of so many.
    """
    if row.low is None or row.high is None or row.difference is None or row.clusters < config.few:
        return "too few"
    if -config.margin <= row.low and row.high <= config.margin:
        return "tied" if row.unseen is None or abs(row.difference) + row.unseen <= config.margin else "too few"
    p = {"holm": row.holm, "benjamini_hochberg": row.benjamini_hochberg, "none": row.p}[config.correction]
    if row.low <= 0 <= row.high or p is None or p > config.alpha:
        return "too few"
    if row.more_is_better is None:
        return "changed"
    return "better" if (row.difference > 0) == row.more_is_better else "worse"


def _compare(
    first: Metric, second: Metric, of: Resampled, gaps: Matrix, ends: tuple[float, float], config: StatisticsConfig
) -> Difference:
    """The difference of two metrics, without the permutation test."""
    a, b, way = value(first), value(second), better(second)
    n_first, n_second = counts_of(first).scored, counts_of(second).scored
    clusters = min(count_clusters(first, of), count_clusters(second, of))
    won, lost = _count_won_and_lost(first, second, of)
    if way < 0:
        won, lost = lost, won
    row = Difference(
        "",
        first.metric,
        first.slice,
        round_digits(a),
        round_digits(b),
        won=won,
        lost=lost,
        n_first=n_first,
        n_second=n_second,
        unit=first.unit,
        clusters=clusters,
        headline=first.headline,
        more_is_better=None if way == 0 else way > 0,
    )
    if gone := withheld(first, config.floor) or withheld(second, config.floor):
        return replace(row, first=None, second=None, note=f"{gone} on both sides{_say_sure_gap(first, second)}")
    if math.isnan(a) or math.isnan(b):
        return replace(row, note="undefined on " + " and ".join(_undefined_sides(math.isnan(a), math.isnan(b))))
    z = _z_as_published(first, second)
    row = replace(row, difference=round_digits(b - a), z=round_digits(z.statistic), z_p=round_digits(z.p))
    if isinstance(first, Measure):
        row = replace(row, mcnemar=round_digits(mcnemar(lost, won).p))
    defined = gaps[~np.isnan(gaps)]
    if clusters < 2 or len(defined) < len(gaps) / 2:
        return replace(row, note=f"no interval: of {clusters} {config.cluster}s")
    few = clusters < config.few
    notes = [f"of {clusters} {config.cluster}s alone"] if few else []
    if len(defined) < len(gaps):
        notes.append(f"undefined in {len(gaps) - len(defined):,} of {len(gaps):,} draws")
    (low, high), error = ends, float(defined.std(ddof=1))
    # one bound however many clusters differ: fewer losses never leave more open
    (least, most), (its_least, its_most) = limits(first), limits(second)
    far = exact_interval(b - a, (its_least - most, its_most - least), clusters, config.level)
    unseen = max(b - a - far[0], far[1] - (b - a))
    differ = max(count_deviating(gap) for gap in _cluster_gaps(first, second, of))
    smallest = smallest_difference(error, alpha=config.alpha, power=config.power)
    exact = not differ or differ < config.few <= clusters
    if exact:
        low, high = min(low, far[0]), max(high, far[1])
        smallest = max(smallest, unseen)
        counted = f"{differ} of {clusters}" if differ else f"none of {clusters}"
        notes.append(f"{counted} {config.cluster}s changed: interval by an exact bound")
    return replace(
        row,
        low=round_digits(low),
        high=round_digits(high),
        error=round_digits(error),
        smallest=round_digits(smallest),
        needed=clusters_needed(clusters, smallest, config.margin),
        unseen=round_digits(unseen),
        exact=exact,
        note="; ".join(notes),
    )


def _say_sure_gap(first: Metric, second: Metric) -> str:
    """By how much the sides differ in these trials whatever those without a score are; "" where that leaves it open."""
    ours = sorted(end for end in bounds(first) if end is not None)
    theirs = sorted(end for end in bounds(second) if end is not None)
    if len(ours) < 2 or len(theirs) < 2:
        return ""
    low, high = theirs[0] - ours[1], theirs[1] - ours[0]
    return f"; whatever the rest are, they differ by {low:+.3f} to {high:+.3f}" if low > 0 or high < 0 else ""


def _permutation_tests(
    pairs: Sequence[tuple[Metric, Metric]], of: Resampled, config: StatisticsConfig
) -> list[StatisticalTest]:
    """The permutation test of each pair, all from the same swaps."""
    left: list[int] = []
    right: list[int] = []
    numbers = []
    for a, b in pairs:
        ours, theirs = parts_of(a), parts_of(b)
        if len(ours) != len(theirs):
            raise ValueError(f"{a.metric!r} of {a.slice!r} is not made of as many numbers on both sides")
        places = range(len(left), len(left) + len(ours))
        left += [of.place[id(part)] for part in ours]
        right += [of.place[id(part)] for part in theirs]
        numbers.append((tuple(places), None if isinstance(a, Measure) else a.how))
    above, below = of.columns.numerators, of.columns.denominators
    sides = Sides(above[:, left], below[:, left], above[:, right], below[:, right])
    return permutation_tests(sides, numbers, draws=config.permutations, seed=config.seed)


def _count_won_and_lost(first: Metric, second: Metric, of: Resampled) -> tuple[int, int]:
    """In how many clusters the second comes to more than the first, and to less; both 0 for a derived number."""
    if not isinstance(first, Measure) or not isinstance(second, Measure):
        return 0, 0
    (gap,) = _cluster_gaps(first, second, of)
    return int((gap > SAME).sum()), int((gap < -SAME).sum())


def _cluster_gaps(first: Metric, second: Metric, of: Resampled) -> list[Matrix]:
    """By how much the sides of each part differ in each cluster."""
    pairs = zip(parts_of(first), parts_of(second), strict=True)
    return [of.own[:, of.place[id(b)]] - of.own[:, of.place[id(a)]] for a, b in pairs]


def _z_as_published(first: Metric, second: Metric) -> StatisticalTest:
    """RARE's unpaired Z, where both numbers are shares of trials, each of which counts once; else NaN."""
    if not isinstance(first, Measure) or not isinstance(second, Measure) or {*first.limits, *second.limits} != {0, 1}:
        return StatisticalTest(math.nan, math.nan)
    if any(round(float(metric.denominator.sum())) != metric.counts.scored for metric in (first, second)):
        return StatisticalTest(math.nan, math.nan)  # means of questions' means
    return z_as_published(ratio(first), first.counts.scored, ratio(second), second.counts.scored)


def _undefined_sides(first: bool, second: bool) -> Iterator[str]:
    if first:
        yield "the first side"
    if second:
        yield "the second"
