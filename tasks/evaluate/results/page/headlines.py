"""The first section: the headline numbers of every protocol, one under the other for each system."""

from collections.abc import Iterator
from typing import Any

from rarefy.tasks.evaluate.protocols import display_of
from rarefy.tasks.evaluate.results import wording
from rarefy.tasks.evaluate.results.page.dots import Dots, dots
from rarefy.tasks.evaluate.results.page.found import Found, metrics, one
from rarefy.tasks.evaluate.results.page.parts import Grid, Section, section
from rarefy.tasks.evaluate.results.svg import fitted

ABOUT = (
    "The mark is the number, the whisker its 95 % interval. A dashed range is a number that is withheld because too "
    "little was scored: it lies somewhere in there. Numbers of different protocols are not comparable: each has its "
    "own prompts, its own rule of what is right, its own unit. Every number opens the rows behind it."
)


def headlines(found: Found) -> Section | None:
    """A table for each protocol."""
    parts = [part for name in found.protocols for part in _of(found, name)]
    return section("headline", "Headline", ABOUT, [_glance(found), *parts])


def _glance(found: Found) -> Grid | None:
    """The first number of every protocol for every system: what fits on one screen."""
    systems = [name for name in found.series if name in found.summary["systems"]]
    lines = []
    for protocol in found.protocols:
        rows = [row for row in found.by(protocol) if row["headline"]]
        metric = next((name for name in display_of(protocol).main if one(rows, metric=name)), None)
        metric = metric or next(iter(metrics(rows)), None)
        cells = tuple(one(rows, metric=metric, system=name) for name in systems) if metric else ()
        if any(cells):
            label = f"{wording.title(protocol, found.summary['protocols'])}: {metric}"
            lines.append((label, cells, tuple(() for _ in cells)))
    for row in (row for _, cells, _ in lines for row in cells if row is not None):
        found.show(row, first=True)
    return Grid("At a glance", tuple(systems), tuple(lines)) if len(lines) > 1 else None


def _of(found: Found, protocol: str) -> Iterator[Dots | None]:
    rows: list[Any] = [row for row in wording.headlines(found.rows) if row["protocol"] == protocol]
    if protocol == wording.RETRIEVAL and not any(row["headline"] for row in rows):
        return
    labels = list(dict.fromkeys(map(_label, rows)))  # metric by metric, and within each the systems in their order
    rows.sort(key=lambda row: (labels.index(_label(row)), found.series.get(row["system"], 0)))
    shares = all(value is None or 0 <= value <= 1 for row in rows for value in (row["value"], row["low"], row["high"]))
    about = found.summary["protocols"].get(protocol, {})
    notes = dict.fromkeys(f"{row['metric']}: {row['note']}" for row in rows if row["note"])
    yield dots(
        found,
        wording.title(protocol, found.summary["protocols"])
        + (f" (arXiv {about['paper']})" if about.get("paper") else ""),
        rows,
        _label,
        first=True,
        scale=fitted([0.0, 1.0]) if shares else None,
        note="; ".join(notes),
    )


def _label(row: Any) -> str:
    return str(row["metric"]) if row["slice"] == "all" else f"{row['metric']}, {wording.slice_(row['slice'])}"
