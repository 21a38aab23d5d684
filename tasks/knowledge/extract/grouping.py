"""Which group label a table's row hangs on: "Basic" under "Earnings per share:"."""

import re
from collections.abc import Iterator

from rarefy.tasks.knowledge.extract.labels import words_of
from rarefy.tasks.knowledge.extract.markdown import Row, Table

LONGEST = 1_000  # characters of a label or a column header; a longer one is a text, and names no measure


def labelled(table: Table) -> Iterator[tuple[Row, tuple[Row, ...]]]:
    """The rows with values and a label, each with the group labels above it, nearest last."""
    groups: list[Row] = []
    fresh = False  # the row before was a group too: this one nests inside it
    for row in table.rows:
        if not row.cells or not 0 < len(row.cells[0].text) <= LONGEST:
            continue
        if not any(cell.text for cell in row.cells[1:]):
            groups = [*groups[-2:], row] if fresh else [*dated(groups), row]
            fresh = True
            continue
        fresh = False
        yield row, tuple(groups)
        if words_of(row.cells[0].text)[:1] == ["total"]:
            groups = groups[:-1]


def dated(groups: list[Row]) -> list[Row]:
    """The groups that stay when another begins: a period heads all groups below it ("Year Ended January 28, 2024:")."""
    return [g for g in groups[:1] if re.search(r"\b(?:19|20)\d\d\b", g.cells[0].text)]


def labels_of(row: Row, groups: tuple[Row, ...]) -> tuple[str, ...]:
    """The group labels that a row's label hangs on; a total closes its group and hangs on nothing."""
    return () if words_of(row.cells[0].text)[:1] == ["total"] else tuple(group.cells[0].text for group in groups)
