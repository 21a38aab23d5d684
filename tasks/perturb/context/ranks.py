"""Whether a changed cell still fits its table: what is larger in every column, a total than its parts, stays so."""

import re
from collections.abc import Sequence
from decimal import Decimal
from functools import lru_cache

from rarefy.tasks.perturb.context.swaps import Edit
from rarefy.tasks.text.quantities import number

_CELL = re.compile(r"(?<=\|)[^|\n]*(?=\|)")
# Rows looked at on either side: all of a printed table, and those that a row is read with
REACHES = (40, 2)

Row = tuple[tuple[int, int], ...]


def misfit(text: str, edits: Sequence[Edit]) -> int:
    """How badly changed cells fit: 0 where each ranks among all rows as it did, wherever all columns rank them alike.

    1 where it does so among the rows next to it, which are its parts, its total or its like; else 2.
    """
    return next((i for i, reach in enumerate(REACHES) if all(_fits(text, edit, reach) for edit in edits)), len(REACHES))


def _fits(text: str, edit: Edit, reach: int) -> bool:
    start, end, new = edit
    line = text.rfind("\n", 0, start) + 1
    if not text.startswith("|", line) or not re.search(r"\d", new):
        return True
    rows = _rows(text)
    own = next((row for row in rows if row and row[0][0] > line and row[0][0] <= start + 1 and row[-1][1] >= end), None)
    if own is None:
        return True
    column = next((i for i, (a, b) in enumerate(own) if a <= start and end <= b), -1)
    if column < 1:
        return True
    a, b = own[column]
    table = _amounts(text)
    at = rows.index(own)
    before = table[at]
    after = _amount(text[a:start] + new + text[end:b])
    if after is None:
        return True
    for others in table[max(0, at - reach) : at + reach + 1]:
        pairs = [(x, y) for x, y in zip(before, others, strict=False) if x is not None and y is not None]
        if others is before or len(pairs) < 2 or column >= len(others):
            continue
        there = others[column]
        if there is None:
            continue
        if all(x > y for x, y in pairs) and after <= there:
            return False
        if all(x < y for x, y in pairs) and after >= there:
            return False
    return True


@lru_cache(200)
def _rows(text: str) -> tuple[Row, ...]:
    found: list[Row] = []
    for line in re.finditer(r"^\|.*$", text, re.MULTILINE):
        found.append(tuple(match.span() for match in _CELL.finditer(text, *line.span())))
    return tuple(found)


@lru_cache(200)
def _amounts(text: str) -> tuple[tuple[Decimal | None, ...], ...]:
    """The amounts of each row's cells without their signs; nothing of its label."""
    return tuple((None, *(_amount(text[a:b]) for a, b in row[1:])) for row in _rows(text))


def _amount(cell: str) -> Decimal | None:
    one = number(cell.strip())
    return one.amount if one and not one.worded else None
