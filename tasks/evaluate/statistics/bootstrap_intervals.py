"""The intervals of many measures from the same resampled clusters, and what is to be said of each."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from rarefy.tasks.evaluate.statistics.bounds import limits, ratio, value
from rarefy.tasks.evaluate.statistics.config import StatisticsConfig
from rarefy.tasks.evaluate.statistics.draws import (
    Columns,
    Matrix,
    columns,
    drawn,
    grouped,
    of_each,
    resamples,
    without_each,
)
from rarefy.tasks.evaluate.statistics.intervals import SAME, Ends, bca, corners, percentile, unvaried
from rarefy.tasks.evaluate.statistics.measure import Figured, Measure

NOTHING = (math.nan, math.nan)


@dataclass(frozen=True)
class Drawn:
    """An interval (NaN where there is none), the standard error, and what an interval hangs on."""

    low: float
    high: float
    error: float  # standard deviation of the draws; NaN where there is none
    clusters: int  # that have anything to do with the number
    note: str = ""


@dataclass(frozen=True)
class Resampled:
    """Distinct parts of several measures, resampled together."""

    place: dict[int, int]  # of each part, by identity, its column
    columns: Columns
    draws: Matrix
    own: Matrix  # clusters x parts: the value of the part in the cluster alone, NaN where there is nothing of it
    without: Matrix | None  # the jackknife, where any interval needs it


def drawing(
    measures: Sequence[Figured], questions: int, *, config: StatisticsConfig, clusters: Sequence[str] | None
) -> Iterator[Drawn]:
    """The interval of each of these measures, whose sums are over so many questions."""
    jackknife = any((one.interval or config.interval) == "bca" for one in measures)
    of = resampled(measures, questions, config=config, clusters=clusters, jackknife=jackknife)
    values = np.column_stack([_draws(one, of) for one in measures]) if measures else np.zeros((0, 0))
    ends = percentile(values, config.level) if len(values) else np.full((2, len(measures)), np.nan)
    for at, one in enumerate(measures):
        yield _drawn(one, of, values[:, at], (ends[0, at], ends[1, at]), config)


def resampled(
    measures: Sequence[Figured],
    questions: int,
    *,
    config: StatisticsConfig,
    clusters: Sequence[str] | None,
    jackknife: bool = False,
) -> Resampled:
    """All that these measures are made of, drawn from the same resamples."""
    parts = [part for one in measures for part in parts_of(one)]
    distinct = list({id(part): part for part in parts}.values())
    group = grouped(clusters, questions)
    held = columns(distinct, group)
    size = len(held.sums)
    draws = drawn(held, resamples(size, config.draws, config.seed)) if size else np.zeros((0, len(distinct)))
    place = {id(part): at for at, part in enumerate(distinct)}
    return Resampled(place, held, draws, of_each(held), without_each(held) if jackknife else None)


def parts_of(one: Figured) -> tuple[Measure, ...]:
    """A measure itself, or those that a derived number is made of."""
    return (one,) if isinstance(one, Measure) else one.of


def touched(one: Figured, of: Resampled) -> int:
    """In how many clusters there is anything of a number: of the part that is in the fewest."""
    return min((int((~np.isnan(of.own[:, of.place[id(part)]])).sum()) for part in parts_of(one)), default=0)


def deviating(values: Matrix) -> int:
    """How many of these values of clusters are not the one in their middle, which most are where few are not."""
    there = values[~np.isnan(values)]
    if not len(there):
        return 0
    middle = np.partition(there, len(there) // 2)[len(there) // 2]
    return int((np.abs(there - middle) > SAME).sum())


def _draws(one: Figured, of: Resampled) -> Matrix:
    return made(one, of, of.draws)


def made(one: Figured, of: Resampled, values: Matrix) -> Matrix:
    """A number from the columns of values of its parts."""
    parts = [values[:, of.place[id(part)]] for part in parts_of(one)]
    if isinstance(one, Measure):
        return parts[0]
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.broadcast_to(np.asarray(one.how(*parts), dtype=float), (len(values),))


def _drawn(one: Figured, of: Resampled, draws: Matrix, ends: Ends, config: StatisticsConfig) -> Drawn:
    """The interval of one measure and what is to be said of it."""
    clusters = touched(one, of)
    kind = f"{config.cluster}{'' if clusters == 1 else 's'}"
    if clusters < 2:
        return Drawn(*NOTHING, math.nan, clusters, f"no interval: of {clusters} {kind}" if clusters else "")
    defined = ~np.isnan(draws)
    undefined = f"undefined in {(~defined).sum():,} of {len(draws):,} draws"
    if defined.sum() < len(draws) / 2:
        return Drawn(*NOTHING, math.nan, clusters, f"no interval: {undefined}")
    error = float(draws[defined].std(ddof=1))
    differ = max(deviating(of.own[:, of.place[id(part)]]) for part in parts_of(one))
    notes = [] if defined.all() else [undefined]
    low, high = ends
    if (one.interval or config.interval) == "bca" and of.without is not None:
        low, high = bca(draws, value(one), made(one, of, of.without), config.level)
        if math.isnan(low):
            low, high = ends
            notes.append("percentile interval: BCa is not defined here")
    if not differ or (differ < config.few <= clusters):
        least, most = _unvaried(one, of, config, seen=differ > 0)
        low, high = min(low, least), max(high, most)
        told = f"{differ} of {clusters} {kind} differ" if differ else f"all {clusters} {kind} came to the same"
        notes.append(f"{told}: interval by an exact bound")
    if clusters < config.few:
        notes.append(f"of {clusters} {kind} alone: too narrow")
    return Drawn(float(low), float(high), error, clusters, "; ".join(notes))


def _unvaried(one: Figured, of: Resampled, config: StatisticsConfig, *, seen: bool) -> Ends:
    """The interval of a number as if it were the same in all clusters; of one that has no end, the number itself.

    A cluster that is unlike them goes as far as any `seen` one, or where none was, as any could.
    """
    if not seen and not np.isfinite(limits(one)).all():
        return value(one), value(one)
    ends = [
        unvaried(ratio(p), _range(p, of) if seen else p.limits, touched(p, of), config.level) for p in parts_of(one)
    ]
    if isinstance(one, Measure):
        return ends[0]
    found = corners(one.how, ends)
    return float(np.nanmin(found)), float(np.nanmax(found))


def _range(part: Measure, of: Resampled) -> Ends:
    """The least and the most that a cluster came to."""
    values = of.own[:, of.place[id(part)]]
    return float(np.nanmin(values)), float(np.nanmax(values))
