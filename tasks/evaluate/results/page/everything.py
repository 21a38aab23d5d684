"""The last section: every number, in one folded table per protocol."""

from dataclasses import dataclass

from rarefy.tasks.evaluate.results import wording
from rarefy.tasks.evaluate.results.page.found import Found, Row
from rarefy.tasks.evaluate.results.page.parts import Section, section

MOST = 1_200  # numbers; the rest is in summary.json and figures.parquet
ABOUT = "Value, 95 % interval, bounds (if all that has no score had gone wrong, or right), and what it is of."


@dataclass(frozen=True)
class Numbers:
    """Rows of the table of one protocol; `more` are not in it."""

    title: str
    rows: tuple[Row, ...]
    more: int
    folded: bool = True


def everything(found: Found) -> Section | None:
    """All numbers as far as there is room: every protocol has its share of it."""
    parts = []
    share = MOST // max(1, len(found.protocols))
    for protocol in found.protocols:
        rows = [row for row in found.rows if row["protocol"] == protocol]
        kept = tuple(rows[:share])
        for row in kept:
            found.show(row)
        title = wording.title(protocol, found.summary["protocols"])
        parts.append(Numbers(f"{title}: {len(rows):,} numbers", kept, len(rows) - len(kept)))
    return section("numbers", "All numbers", ABOUT, parts)
