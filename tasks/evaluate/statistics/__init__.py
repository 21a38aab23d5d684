"""From measures (sums by question) to figures: values with bootstrap intervals, bounds, counts and notes; and from the
measures of two systems to differences with tests and verdicts.
"""

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import groupby

import numpy as np

from rarefy.data_contracts.rows import Figure, row_id
from rarefy.tasks.evaluate.statistics.bootstrap_intervals import (
    BootstrapInterval,
    estimate_intervals,
    measures_at_once,
)
from rarefy.tasks.evaluate.statistics.config import StatisticsConfig
from rarefy.tasks.evaluate.statistics.measure import Metric, bounds, counts_of, parts_of, value, withheld

__all__ = ["VERSION", "StatisticsConfig", "figures"]

VERSION = 2
DIGITS = 12  # more depend on the order in which a processor adds up


def figures(
    measures: Iterable[Metric],
    *,
    system: str,
    protocol: str,
    config: StatisticsConfig,
    clusters: Sequence[str] | None = None,
    fewest: float = 0,
) -> Iterator[Figure]:
    """The figure of each measure, in their order.

    `clusters` has a label for each place in the measures' sums, and all with one label are resampled together; None:
    each place is its own. A number of fewer questions than `fewest` has no interval: few questions of a sample say too
    little of how much another sample would differ. Where too little was scored the value is that of what was scored,
    has no interval, and is `withheld`: `worst` and `best` say how far the rest could move it.
    ValueError where two measures share metric and slice, or their sums do not fit one another or the labels.
    """
    seen: set[tuple[str, str]] = set()
    for size, several in groupby(_check_measures(measures, seen), key=_count_questions):
        for part in _split_batches(several, measures_at_once(size)):
            found = estimate_intervals(part, size, config=config, clusters=clusters)
            for metric, drawn in zip(part, found, strict=True):
                shown = drawn if drawn.clusters >= fewest else replace(drawn, low=math.nan, high=math.nan, note="")
                yield _build_figure(metric, shown, system, protocol, config)


def _build_figure(
    metric: Metric, drawn: BootstrapInterval, system: str, protocol: str, config: StatisticsConfig
) -> Figure:
    """The figure of one number: its value, interval, bounds, counts and notes."""
    counts, number = counts_of(metric), value(metric)
    reason = withheld(metric, config.floor)
    units = counts.scored + counts.failed + counts.missing
    notes = [metric.note]
    if reason:
        notes.append(reason)
    elif not units:
        notes.append(f"no {metric.unit}")
    elif math.isnan(number):
        notes.append("undefined")
    else:
        notes.append(drawn.note)
    sure = not reason and not math.isnan(number)
    worst, best = bounds(metric)
    return Figure(
        row_id("figure", system, protocol, metric.metric, metric.slice),
        system,
        protocol,
        metric.metric,
        metric.slice,
        round_digits(number),
        round_digits(drawn.low) if sure else None,
        round_digits(drawn.high) if sure else None,
        round_digits(worst),
        round_digits(best),
        counts.scored,
        counts.failed,
        counts.missing,
        counts.skipped,
        metric.unit,
        drawn.clusters,
        bool(reason),
        metric.headline,
        "; ".join(note for note in notes if note),
    )


def round_digits(number: float | None, digits: int = DIGITS) -> float | None:
    """The number to so many significant digits; None for none, NaN and infinity."""
    if number is None or not math.isfinite(number):
        return None
    return float(f"{number:.{digits}g}") + 0.0  # no -0.0


def _check_measures(measures: Iterable[Metric], seen: set[tuple[str, str]]) -> Iterator[Metric]:
    """The measures, each checked: unique metric and slice, finite sums of the same questions."""
    for metric in measures:
        if (metric.metric, metric.slice) in seen:
            raise ValueError(
                f"two measures are called {metric.metric!r} of {metric.slice!r}: give one another name or slice"
            )
        seen.add((metric.metric, metric.slice))
        for part in parts_of(metric):
            if part.numerator.shape != part.denominator.shape:
                raise ValueError(f"{part.metric!r} of {part.slice!r} has sums of different questions")
            if not np.isfinite(part.numerator).all() or not np.isfinite(part.denominator).all():
                raise ValueError(
                    f"{part.metric!r} of {part.slice!r} has sums that are no numbers: leave those units out"
                )
        yield metric


def _count_questions(metric: Metric) -> int:
    """How many questions the sums are of."""
    sizes = {len(part.numerator) for part in parts_of(metric)}
    if len(sizes) != 1:
        raise ValueError(f"{metric.metric!r} of {metric.slice!r} is made of sums over {sorted(sizes)} questions")
    return sizes.pop()


def _split_batches(measures: Iterable[Metric], most: int) -> Iterator[list[Metric]]:
    """Batches of measures with about `most` columns, each resampled together."""
    part: list[Metric] = []
    wide = 0
    for metric in measures:
        part.append(metric)
        wide += len(parts_of(metric))
        if wide >= most:
            yield part
            part, wide = [], 0
    if part:
        yield part
