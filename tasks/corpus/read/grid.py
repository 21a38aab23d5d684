"""From a table's rows to columns, and from those to Markdown lines."""

import re
from bisect import bisect_right
from collections import Counter
from dataclasses import dataclass, field

from rarefy.tasks.corpus.read.bands import Band, split
from rarefy.tasks.corpus.read.cells import CHANGE, OPEN_PERIOD, WHOLE_PERIOD, YEAR, is_period, is_units
from rarefy.tasks.corpus.read.flow import Table
from rarefy.tasks.corpus.read.lay import Item, Row, lay
from rarefy.tasks.corpus.read.marks import plain
from rarefy.tasks.text.dates import MONTH

# Of a table with more empty places than these, and more than so many for each filled one, nothing is to be seen as a
# table: a few figures, each in a column of its own. Its rows are given as text
EMPTY, FILLED = 50_000, 10


@dataclass(slots=True)
class Grid:
    """A table of columns: what stands above it, the names of its columns, its rows, its footnotes; all marked."""

    titles: list[str] = field(default_factory=list)
    header: list[str] = field(default_factory=list)
    rows: list[list[str]] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


def grids(table: Table) -> list[Grid]:
    """The data tables that a table holds: one for each band of columns."""
    rows = lay(table)
    return [_grid(band) for band in split(rows)] if rows else []


def markdown(grid: Grid) -> str:
    """The pipe table: one line for the header, one for the rule, one for each row."""
    width = len(grid.header)
    lines = [_line(grid.header), "|" + "---|" * width]
    lines += [_line(row) for row in grid.rows]
    return "\n".join(lines)


def _line(cells: list[str]) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def _columns(rows: list[Row], label_end: int) -> list[list[int]]:
    """The columns that the items of these rows make: narrow ones first, so that one that spans joins nothing."""
    extents = Counter((item.start, item.end) for row in rows for item in row)
    columns: list[list[int]] = []  # sorted, and none over another, so that where an item stands is found by halving
    ends: list[int] = []
    for start, end in sorted(extents, key=lambda e: (e[1] - e[0], -extents[e], e[0])):
        if start < label_end < end:
            end = label_end
        at = bisect_right(ends, start)
        met = sum(column[0] < end for column in columns[at : at + 2])
        if not met:
            columns.insert(at, [start, end])
            ends.insert(at, end)
        elif met == 1:
            columns[at][0] = min(columns[at][0], start)
            columns[at][1] = ends[at] = max(ends[at], end)
    return columns


class _Places:
    """Where items stand among columns that are sorted and not over one another."""

    def __init__(self, columns: list[list[int]]) -> None:
        self.columns = columns
        self.ends = [end for _, end in columns]

    def place(self, item: Item) -> int:
        """The one column that an item of the body stands in: the first it meets, else the nearest."""
        after = bisect_right(self.ends, item.start)
        if after == len(self.columns):
            return after - 1
        start = self.columns[after][0]
        if start < item.end or after == 0:
            return after
        return after - 1 if item.start - self.ends[after - 1] <= start - item.end else after

    def covered(self, item: Item) -> list[int]:
        """The columns that a header cell names: those it spans, else the nearest."""
        good = []
        for number in range(bisect_right(self.ends, item.start), len(self.columns)):
            start, end = self.columns[number]
            if start >= item.end:
                break
            if (min(end, item.end) - max(start, item.start)) * 2 >= min(end - start, item.end - item.start):
                good.append(number)
        return good or [self.place(item)]


def _grid(band: Band) -> Grid:
    body = band.body or band.head[-1:] or band.titles[-1:]
    columns = _columns(body, band.label_end)
    columns = _joined(columns, body, band)
    if len(columns) == 1 and columns[0][0] >= band.label_end:
        columns.insert(0, [0, band.label_end])
    titles = [" ".join(item.text for item in row) for row in band.titles]
    if len(band.body) * len(columns) > EMPTY + FILLED * sum(map(len, band.body)):
        lines = (" ".join(item.text for item in row) for row in (*band.head, *band.body, *band.notes))
        return Grid(titles, notes=list(lines))
    names, units = _names(band, columns)
    places = _Places(columns)
    rows = []
    for row in band.body:
        cells: list[list[str]] = [[] for _ in columns]
        for item in row:
            cells[places.place(item)].append(item.text)
        rows.append([" ".join(parts).strip() for parts in cells])
    notes = [" ".join(item.text for item in row) for row in band.notes]
    return Grid(titles + units, names, rows, notes)


def _joined(columns: list[list[int]], rows: list[Row], band: Band) -> list[list[int]]:
    """The columns with those made one that stand side by side, are never both filled, and have the same names."""
    places = _Places(columns)
    filled: list[set[int]] = [set() for _ in columns]  # the rows in which a column is
    named: list[set[int]] = [set() for _ in columns]  # the header cells over it
    for number, row in enumerate(rows):
        for item in row:
            filled[places.place(item)].add(number)
    heads = [item for row in band.head for item in row]
    for number, item in enumerate(heads):
        for column in places.covered(item):
            named[column].add(number)
    out: list[tuple[list[int], set[int], set[int]]] = []
    for place, span in enumerate(columns):
        if out:
            last, members, names = out[-1]
            labels = span[1] <= band.label_end
            beside = (span[0] - last[1] <= 0 or labels) and (band.head or labels)
            if beside and members.isdisjoint(filled[place]) and names == named[place]:
                last[1] = max(last[1], span[1])
                members |= filled[place]
                continue
        out.append((list(span), filled[place], named[place]))
    return [column for column, _, _ in out]


def _names(band: Band, columns: list[list[int]]) -> tuple[list[str], list[str]]:
    """The name of each column, joined from the header rows above it; and the units that the header states."""
    names: list[list[str]] = [[] for _ in columns]
    units: dict[str, None] = {}
    places = _Places(columns)
    first_value = next((n for n, column in enumerate(columns) if column[0] >= band.label_end), 1)
    for row in band.head:
        texts = {item.plain for item in row if item.start >= band.label_end}
        spread = _spread(row, places, names, first_value) if len(columns) > first_value else {}
        over_several = {id(item) for item in spread.values()}
        for number, item in spread.items():
            names[number].insert(0, item.text)
        for item in row:
            if id(item) in over_several:
                continue
            stub = item.start < band.label_end
            if is_units(item.plain) and (stub or len(texts) == 1) and not re.search(r"\d{4}", item.plain):
                units[item.text] = None
                continue
            over = places.covered(item)
            if stub:
                wide = item.end > band.label_end + 1 and len(row) == 1
                over = list(range(first_value, len(columns))) if wide else [n for n in over if n < first_value] or [0]
            for number in over:
                if not names[number] or plain(names[number][-1]) != item.plain:
                    names[number].append(item.text)
    _trim(names, first_value)
    return [_DATE.sub(r"\1, \2", " ".join(parts)) for parts in names], list(units)


def _trim(names: list[list[str]], first_value: int) -> None:
    """Give a period in the corner to the years below it, and take "Year ended" from columns of changes."""
    corner = " ".join(plain(part) for part in names[0])
    if corner and OPEN_PERIOD.match(corner):
        for parts in names[first_value:]:
            place = next((n for n, part in enumerate(parts) if _lacks_lead(plain(part), corner)), None)
            if place is not None:
                if not any(OPEN_PERIOD.match(plain(part)) and not _DAY.match(plain(part)) for part in parts):
                    parts.insert(place, corner)
                names[0] = []
    for parts in names[1:]:
        if len(parts) > 1 and CHANGE.search(plain(parts[-1])) and not re.search(r"\d{4}", " ".join(map(plain, parts))):
            while len(parts) > 1 and is_period(plain(parts[0])):
                parts.pop(0)


_DATE = re.compile(rf"(\b{MONTH}\s*\d{{1,2}}) ((?:19|20)\d\d)\b", re.I)
_DAY = re.compile(rf"^{MONTH}\s*\d{{1,2}},?$", re.I)


def _lacks_lead(name: str, corner: str) -> bool:
    return bool((YEAR.match(name) and not name[0].isalpha()) or (_DAY.match(name) and not re.search(r"\d", corner)))


def _spread(row: Row, places: _Places, names: list[list[str]], first_value: int) -> dict[int, Item]:
    """The columns that each period of a row is over, where it stands at one column of several that repeat.

    Some filers set "2013" only above the last of "Gross | Accumulated | Net", and again for 2012.
    """
    columns = places.columns
    items = [item for item in row if item.start >= columns[first_value][0]]
    if len(items) < 2 or not all(YEAR.match(item.plain) or WHOLE_PERIOD.match(item.plain) for item in items):
        return {}
    over = [places.covered(item) for item in items]
    width, left = divmod(len(columns) - first_value, len(items))
    if left or width < 2 or any(len(place) != 1 for place in over):
        return {}
    blocks = [range(first_value + n * width, first_value + (n + 1) * width) for n in range(len(items))]
    titles = [[" ".join(map(plain, names[number])) for number in block] for block in blocks]
    inside = all(place[0] in block for place, block in zip(over, blocks, strict=True))
    if not inside or any(title != titles[0] for title in titles):
        return {}
    return {number: item for block, item in zip(blocks, items, strict=True) for number in block}
