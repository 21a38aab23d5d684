"""The amounts of a passage's tables, and the sums that hold among them."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache

from rarefy.tasks.perturb.passages import DIVIDER
from rarefy.tasks.text.quantities import number

_CELL = re.compile(r"(?<=\|)[^|\n]*(?=\|)")
_NOTE = re.compile(r"\(\w\)")  # a footnote's mark
_NOTHING = ("—", "–", "-")
ROWS = 400  # of a passage; what is longer is a data file, and looked at no further
RUN = 30  # rows that are summed at most
LARGE = 1000  # an amount of which a sum is no chance, even in a single column
LEAST = 100  # the same of what is left of larger ones

Place = tuple[int, int]  # row, column


@dataclass(frozen=True, slots=True)
class Cell:
    """An amount where it stands: `text[start:end]` are its digits."""

    start: int
    end: int
    value: Decimal  # with its sign


@dataclass(frozen=True, slots=True)
class Sum:
    """`total` is the first part and the others, added or taken off."""

    total: Place
    parts: tuple[tuple[Place, int], ...]  # with 1 or -1


def holds(one: Sum, now: dict[Place, Decimal]) -> bool:
    return now[one.total] == sum((sign * now[place] for place, sign in one.parts), Decimal(0))


@lru_cache(200)  # a passage is asked for each value that could be put into it
def sums_of(text: str) -> tuple[dict[Place, Cell], tuple[Sum, ...]]:
    """The amounts of a text's tables by row and column, and the sums that hold among them."""
    cells: dict[Place, Cell] = {}
    tables: list[list[int]] = []
    labels: dict[int, str] = {}
    last = -1
    for row, line in enumerate(re.finditer(r"^\|.*$", text, re.MULTILINE)):
        if row >= ROWS:
            break
        if line.start() != last + 1 or not tables:
            tables.append([])
        last = line.end()
        if DIVIDER.match(line.group()):
            for above in tables[-1]:  # years are no amounts
                cells = {place: cell for place, cell in cells.items() if place[0] != above}
            tables[-1].clear()
            continue
        tables[-1].append(row)
        labels[row] = _NOTE.sub("", line.group().strip("| ").partition("|")[0]).strip().casefold()
        for column, match in enumerate(_CELL.finditer(text, *line.span())):
            if column:
                cell = _amount(match)
                if cell:
                    cells[row, column] = cell
    found: dict[Sum, None] = {}
    for rows in filter(None, tables):
        found |= dict.fromkeys(_across(cells, rows))
        found |= dict.fromkeys(_down(cells, rows))
        found |= dict.fromkeys(_alike(cells, {row: labels[row] for row in rows}))
    return cells, tuple(found)


def _amount(match: re.Match[str]) -> Cell | None:
    cell = match.group()
    if cell.strip() in _NOTHING:
        return Cell(match.start(), match.start(), Decimal(0))
    one = number(cell.strip())
    if one is None or one.worded or one.scale or one.kind not in ("money", "bare"):
        return None  # words, and shares, of which no sums are made
    start = match.start() + len(cell) - len(cell.lstrip())
    return Cell(start + one.digits[0], start + one.digits[1], one.value)


def _across(cells: dict[Place, Cell], rows: Sequence[int]) -> Iterator[Sum]:
    """Rows whose last cell is the sum of those before it, where several rows of the table are."""
    wide = max((column for row, column in cells if row in range(rows[0], rows[-1] + 1)), default=0)
    found = []
    for row in rows:
        parts = [(row, column) for column in range(1, wide) if (row, column) in cells]
        one = Sum((row, wide), tuple((place, 1) for place in parts))
        values = {place: cells[place].value for place in (*parts, (row, wide)) if place in cells}
        if (row, wide) in cells and sum(values[p] != 0 for p in parts) > 1 and holds(one, values):
            found.append(one)
    if len(found) > 1:  # once may be chance
        yield from found


def _down(cells: dict[Place, Cell], rows: Sequence[int]) -> Iterator[Sum]:
    """Cells that are the sum of those above them, or what is left of the first of those, in all columns or in most."""
    columns = sorted({column for row, column in cells if rows[0] <= row <= rows[-1]})
    told = [row for row in rows if any((row, column) in cells for column in columns)]
    for at, row in enumerate(told):
        for first in range(at - 2, max(-1, at - RUN - 1), -1):
            for sign in (1, -1):
                held = []
                failed = 0
                for column in columns:
                    parts = [(r, column) for r in told[first:at] if (r, column) in cells]
                    if (row, column) not in cells or sum(cells[p].value != 0 for p in parts) < 2:
                        continue
                    one = Sum((row, column), tuple((p, sign if i else 1) for i, p in enumerate(parts)))
                    values = {p: cells[p].value for p in (*parts, (row, column))}
                    if cells[row, column].value and holds(one, values):
                        held.append(one)
                    else:
                        failed += 1
                large = any(_large(one, cells) for one in held)
                if held and (len(held) > failed) and (large or len(held) > 1):
                    yield from held


def _large(one: Sum, cells: dict[Place, Cell]) -> bool:
    sizes = [abs(cells[place].value) for place in (one.total, *(place for place, _ in one.parts))]
    return sizes[0] >= LEAST and max(sizes) >= LARGE


def _alike(cells: dict[Place, Cell], labels: dict[int, str]) -> Iterator[Sum]:
    """Rows of the same label, of which the last is the sum of the others: segments, and all of them."""
    of_label: dict[str, list[int]] = {}
    for row, label in labels.items():
        of_label.setdefault(label, []).append(row)
    for rows in of_label.values():
        for column in sorted({c for r, c in cells if r == rows[-1]}) if len(rows) > 2 else ():
            places = [(row, column) for row in rows]
            if all(place in cells for place in places):
                one = Sum(places[-1], tuple((place, 1) for place in places[:-1]))
                values = {place: cells[place].value for place in places}
                if _large(one, cells) and holds(one, values):
                    yield one
