"""From measures to figures: values with intervals, bounds and counts, drawn for all measures of a protocol at once."""

import math
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby

import numpy as np

from rarefy.data_contracts.rows import Figure, row_id
from rarefy.tasks.evaluate.statistics.bootstrap_intervals import Drawn, drawing
from rarefy.tasks.evaluate.statistics.bounds import bounds, counts_of, value, withheld
from rarefy.tasks.evaluate.statistics.config import StatisticsConfig
from rarefy.tasks.evaluate.statistics.draws import together
from rarefy.tasks.evaluate.statistics.measure import Figured, Measure

__all__ = ["VERSION", "StatisticsConfig", "figures"]

VERSION = 1
DIGITS = 12  # more hang on the order in which a processor adds up


def figures(
    measures: Iterable[Figured],
    *,
    system: str,
    protocol: str,
    config: StatisticsConfig,
    clusters: Sequence[str] | None = None,
) -> Iterator[Figure]:
    """The figure of each measure, in their order.

    `clusters` has a label for each place in the measures' sums, and all with one label are resampled together; None:
    each place is its own. A number of which too little was scored has no value, and `withheld`.
    ValueError where two measures share metric and slice, or their sums do not fit one another or the labels.
    """
    seen: set[tuple[str, str]] = set()
    for size, several in groupby(_sound(measures, seen), key=_questions):
        for part in _parts(several, together(size)):
            found = drawing(part, size, config=config, clusters=clusters)
            for one, drawn in zip(part, found, strict=True):
                yield _figure(one, drawn, system, protocol, config)


def _figure(one: Figured, drawn: Drawn, system: str, protocol: str, config: StatisticsConfig) -> Figure:
    """What is said of a number."""
    counts, is_ = counts_of(one), value(one)
    gone = withheld(one, config.floor)
    units = counts.scored + counts.failed + counts.missing
    notes = [one.note]
    if gone:
        notes.append(gone)
    elif not units:
        notes.append(f"no {one.unit}")
    elif math.isnan(is_):
        notes.append("undefined")
    else:
        notes.append(drawn.note)
    shown = not gone and not math.isnan(is_)
    worst, best = bounds(one)
    return Figure(
        row_id("figure", system, protocol, one.metric, one.slice),
        system,
        protocol,
        one.metric,
        one.slice,
        rounded(is_) if shown else None,
        rounded(drawn.low) if shown else None,
        rounded(drawn.high) if shown else None,
        rounded(worst),
        rounded(best),
        counts.scored,
        counts.failed,
        counts.missing,
        counts.skipped,
        one.unit,
        drawn.clusters,
        bool(gone),
        one.headline,
        "; ".join(note for note in notes if note),
    )


def rounded(number: float | None) -> float | None:
    """To the digits that do not hang on the order of adding up; None for NaN."""
    if number is None or not math.isfinite(number):
        return None
    return float(f"{number:.{DIGITS}g}") + 0.0  # no -0.0


def _sound(measures: Iterable[Figured], seen: set[tuple[str, str]]) -> Iterator[Figured]:
    """The measures, each looked at before anything is made of it."""
    for one in measures:
        if (one.metric, one.slice) in seen:
            raise ValueError(f"two measures are called {one.metric!r} of {one.slice!r}: give one another name or slice")
        seen.add((one.metric, one.slice))
        for part in (one,) if isinstance(one, Measure) else one.of:
            if part.numerator.shape != part.denominator.shape:
                raise ValueError(f"{part.metric!r} of {part.slice!r} has sums of different questions")
            if not np.isfinite(part.numerator).all() or not np.isfinite(part.denominator).all():
                raise ValueError(
                    f"{part.metric!r} of {part.slice!r} has sums that are no numbers: leave those units out"
                )
        yield one


def _questions(one: Figured) -> int:
    """How many questions the sums are of."""
    sizes = {len(part.numerator) for part in ((one,) if isinstance(one, Measure) else one.of)}
    if len(sizes) != 1:
        raise ValueError(f"{one.metric!r} of {one.slice!r} is made of sums over {sorted(sizes)} questions")
    return sizes.pop()


def _parts(measures: Iterable[Figured], most: int) -> Iterator[list[Figured]]:
    """Measures in parts that are drawn together, of so many columns."""
    part: list[Figured] = []
    wide = 0
    for one in measures:
        part.append(one)
        wide += 1 if isinstance(one, Measure) else len(one.of)
        if wide >= most:
            yield part
            part, wide = [], 0
    if part:
        yield part
