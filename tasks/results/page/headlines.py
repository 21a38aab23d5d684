"""The first section: the headline numbers of every protocol, one under the other for each system."""

from collections.abc import Iterator
from typing import Any

from rarefy.tasks.results import wording
from rarefy.tasks.results.page.dots import Dots, dots
from rarefy.tasks.results.page.found import Found, Row
from rarefy.tasks.results.page.parts import Section, section
from rarefy.tasks.results.svg import fitted

ABOUT = (
    "The mark is the number, the whisker its 95 % interval. A dashed range is a number that is withheld because too "
    "little was scored: it lies somewhere in there. Numbers of different protocols are not comparable: each has its own "
    "prompts, its own rule of what is right, its own unit. Every number opens the rows behind it."
)


def headlines(found: Found) -> Section | None:
    """A table for each protocol."""
    return section("headline", "Headline", ABOUT, [part for name in found.protocols for part in _of(found, name)])


def _of(found: Found, protocol: str) -> Iterator[Dots | None]:
    rows: list[Any] = [row for row in wording.headlines(found.rows) if row["protocol"] == protocol]
    if protocol == wording.RETRIEVAL and not any(row["headline"] for row in rows):
        return
    rows.sort(key=lambda row: _place(found, row, rows))
    shares = all(value is None or 0 <= value <= 1 for row in rows for value in (row["value"], row["low"], row["high"]))
    about = found.summary["protocols"].get(protocol, {})
    notes = dict.fromkeys(f"{row['metric']}: {row['note']}" for row in rows if row["note"])
    yield dots(
        found,
        wording.title(protocol, found.summary["protocols"]) + (f" (arXiv {about['paper']})" if about.get("paper") else ""),
        rows,
        _label,
        first=True,
        scale=fitted([0.0, 1.0]) if shares else None,
        note="; ".join(notes),
    )


def _place(found: Found, row: Row, rows: list[Any]) -> tuple[int, int]:
    """Metric by metric, and within each the systems in their order."""
    labels = list(dict.fromkeys(map(_label, rows)))
    return labels.index(_label(row)), found.series.get(row["system"], 0)


def _label(row: Any) -> str:
    return str(row["metric"]) if row["slice"] == "all" else f"{row['metric']}, {wording.slice_(row['slice'])}"
