"""Lay out HTML tables as grids of columns, and write them as Markdown."""

import re
from bisect import bisect_right
from collections import Counter
from dataclasses import dataclass, field, replace
from itertools import pairwise

from rarefy.tasks.corpus.read.cells import (
    CHANGE,
    ENUMERATOR,
    NOTES,
    OPEN_PERIOD,
    PREFIX,
    SUFFIX,
    WHOLE_PERIOD,
    YEAR,
    is_period,
    is_units,
    is_value,
    reads_as_row,
    tidy,
    tighten,
)
from rarefy.tasks.corpus.read.html_flow import Paragraph, Table, plain
from rarefy.tasks.corpus.read.html_layout import cell_text
from rarefy.tasks.text.dates import MONTH

# Cells at their columns

AGAIN = 1_000_000  # letters that the cells of many rows may repeat in a table, each cell counted as WEIGHT more
WEIGHT = 20


@dataclass(slots=True)
class Item:
    """A filled cell: its text (marked and plain) and the columns `[start, end)` it takes."""

    text: str
    plain: str
    start: int
    end: int
    bold: bool = False
    heading: bool = False
    ruled: bool = False

    @property
    def value(self) -> bool:
        """Whether it is a number or stands for one."""
        return is_value(self.plain)


Row = list[Item]


def lay_out_cells(table: Table) -> list[Row]:
    """The filled cells of each row, at the columns that spans put them; a cell of many rows stands in each.

    Where they would stand again too often (`AGAIN`), cells of many rows stand in the first of them alone from there on.
    """
    rows: list[Row] = []
    hanging: dict[int, tuple[int, Item | None, int]] = {}  # column -> rows left, what hangs there, columns
    left_over = AGAIN
    for cells in table.rows:
        row: Row = []
        at = position = 0
        waiting = sorted(hanging, reverse=True)  # columns, the next one last
        while True:
            while waiting and waiting[-1] < at:
                waiting.pop()  # a wide cell stands over it
            if waiting and (waiting[-1] == at or position >= len(cells)):
                at = waiting.pop()
                left, item, wide = hanging.pop(at)
                if item:
                    row.append(item)
                    left_over -= WEIGHT + len(item.text)
                if left > 1:
                    hanging[at] = (left - 1, item, wide)
                at += wide
                continue
            if position >= len(cells):
                break
            cell = cells[position]
            position += 1
            text = cell_text(cell)
            bare = plain(text)
            filled = None
            if bare:
                bold = all(part.bold for part in cell.content if isinstance(part, Paragraph))
                filled = Item(text, bare, at, at + cell.colspan, bold, cell.heading, cell.ruled)
                row.append(filled)
                left_over += len(text)  # a long table may repeat as much again
            if cell.rowspan > 1:
                hanging[at] = (cell.rowspan - 1, filled, cell.colspan)
            at += cell.colspan
        rows.append(row)
        if left_over < 0:
            hanging.clear()
    rows = [row for row in rows if row]
    marks = _mark_columns(rows)
    return [merge_signs(row, marks) for row in rows]


def _mark_columns(rows: list[Row]) -> set[int]:
    """The columns in which nothing stands but marks of footnotes and closing signs."""
    kinds: dict[int, bool] = {}
    for row in rows:
        for item in row:
            sign = bool(NOTES.match(item.plain) or SUFFIX.match(item.plain))
            kinds[item.start] = kinds.get(item.start, True) and sign
    return {column for column, only in kinds.items() if only}


def merge_signs(row: Row, marks: set[int]) -> Row:
    """The row with currency signs, brackets, per cents and footnote marks in the cell of their number."""
    out: Row = []
    held: Item | None = None  # an opening sign that waits for its number
    for item in row:
        if held is not None:
            if item.value or item.plain[:1].isdigit() or PREFIX.match(item.plain):
                item = _join_items(held, item, "")
            else:
                out.append(held)
            held = None
        before = out[-1] if out else None
        if PREFIX.match(item.plain):
            held = item
        elif (
            before
            and SUFFIX.match(item.plain)
            and _is_numeric(before.plain)
            and not is_units(before.plain)
            and item.start - before.end <= 2
        ):
            out[-1] = _join_items(before, item, "")
        elif before and NOTES.match(item.plain) and item.start in marks and item.start - before.end <= 2:
            out[-1] = _join_items(before, item, " ")
        else:
            out.append(item)
    if held is not None:
        out.append(held)
    for item in out:
        item.text = tidy(item.text) if is_value(item.plain) else tighten(item.text)
        item.plain = plain(item.text)
    return out


def _is_numeric(text: str) -> bool:
    return is_value(text) or is_value(text.strip("([$ ")) or text[-1:].isdigit()


def _join_items(one: Item, two: Item, between: str) -> Item:
    text = f"{one.text}{between}{two.text}"
    return Item(text, plain(text), one.start, two.end, one.bold and two.bold, one.heading, one.ruled or two.ruled)


# Bands: header, body, title and notes rows

HEADS = 40  # rows: no header is higher
REPEATED = 1_000_000  # letters of headers that bands below may have again


@dataclass(slots=True)
class Band:
    """Rows under one set of column names. `label_end` is where the columns of row labels end."""

    titles: list[Row] = field(default_factory=list)
    head: list[Row] = field(default_factory=list)
    body: list[Row] = field(default_factory=list)
    notes: list[Row] = field(default_factory=list)
    label_end: int = 1


def label_end(rows: list[Row]) -> int:
    """Where the first column of values begins: all columns before it label the row."""
    left = min(row[0].start for row in rows)
    starts = [item.start for row in rows for i, item in enumerate(row) if item.value and (i or item.start > left)]
    others = [row[1].start for row in rows if len(row) > 1]
    end = min(starts or others or [left + 1])
    labels = [row[0].end for row in rows if len(row) > 1 and row[0].start == left and row[0].end <= end]
    return max(labels, default=end)


def split_bands(rows: list[Row]) -> list[Band]:
    """The table's bands, each with what names its columns; rows before the first number name those of the first."""
    end = label_end(rows)
    rows = [part for row in rows for part in _split_units_row(row, end)]
    notes = _find_notes(rows, end)
    rows = rows[: len(rows) - len(notes)]
    bands: list[Band] = []
    numeric = sum(any(item.value for item in row if item.start >= end) for row in rows) * 2 >= len(rows)
    start = repeated = 0
    while start < len(rows):
        if not bands:
            titles, head, body = _split_header(rows, end)
            bands.append(Band(titles, head, [], [], end))
            start = body
            continue
        if bands[-1].body and numeric and (length := _header_length(rows, start, end)):
            head = rows[start : start + length]
            inherited = _inherit_header(bands[-1].head, head)
            repeated += _count_letters(inherited)
            bands.append(Band([], inherited if repeated <= REPEATED else head, [], [], end))
            start += length
            continue
        bands[-1].body.append(rows[start])
        start += 1
    for before, band in pairwise(bands):
        while before.body and len(before.body) > 1 and len(before.body[-1]) == 1 and before.body[-1][0].start < end:
            band.titles.append(before.body.pop())  # a title of the band that follows
        band.titles.reverse()
    bands[-1].notes = notes
    bands = [part for band in bands for part in _split_by_period(band)]
    return [band for band in bands if band.body or band.head or band.titles]


def find_band(rows: list[Row]) -> Band:
    """The rows as one band, whose rows are those given: for a table of which it is known that it is one."""
    end = label_end(rows)
    notes = _find_notes(rows, end)
    titles, head, first = _split_header(rows, end)
    return Band(
        titles, head, rows[first : len(rows) - len(notes)], notes if first <= len(rows) - len(notes) else [], end
    )


def _split_by_period(band: Band) -> list[Band]:
    """The band cut where a row holds nothing but a period, which then is in the names of the columns below it."""
    end = band.label_end
    if any(re.search(r"\b(?:19|20)\d\d\b", item.plain) for row in band.head for item in row):
        return [band]
    cuts = [n for n, row in enumerate(band.body) if len(row) == 1 and WHOLE_PERIOD.match(row[0].plain)]
    if not cuts or (not band.head and len(cuts) == 1 and cuts[0] > 0):
        return [band]
    if len(cuts) * _count_letters(band.head) > REPEATED:
        return [band]
    out = [Band(band.titles, band.head, band.body[: cuts[0]], [], end)] if cuts[0] else []
    for cut, after in zip(cuts, [*cuts[1:], len(band.body)], strict=True):
        period = replace(band.body[cut][0], start=end, end=10_000)
        titles = [] if out else band.titles
        out.append(Band(titles, [[period], *band.head], band.body[cut + 1 : after], [], end))
    out[-1].notes = band.notes
    return out


def _count_letters(rows: list[Row]) -> int:
    return sum(len(item.text) for row in rows for item in row)


def _split_units_row(row: Row, end: int) -> list[Row]:
    """The row as two, where it holds the units of all columns beside the title of a group of rows."""
    others = [item for item in row if item.start >= end]
    if len(others) < len(row) and others and all(is_units(item.plain) and len(item.plain) > 1 for item in others):
        label = [item for item in row if item.start < end]
        if not is_units(label[0].plain) and not is_period(label[0].plain):
            return [others, label]
    return [row]


def _find_notes(rows: list[Row], end: int) -> list[Row]:
    """The rows at the foot that are remarks, not data."""
    first = len(rows)
    while first > 1 and _is_note(rows[first - 1], end):
        first -= 1
    return rows[first:]


def _is_note(row: Row, end: int) -> bool:
    if any(item.value for item in row[1:]) or len(row) > 2:
        return False
    text = " ".join(item.plain for item in row)
    mark = text.split(" ", 1)[0]
    if ENUMERATOR.match(mark) and len(text) > 15 and (len(row) == 1 or row[0].plain == mark):
        return True
    return len(row) == 1 and row[0].end > end and len(text) > 100


def _label(row: Row, end: int) -> str:
    return row[0].plain if row[0].start < end else ""


def _split_header(rows: list[Row], end: int) -> tuple[list[Row], list[Row], int]:
    """Title rows, header rows, and the number of the first body row."""
    titles: list[Row] = []
    head: list[Row] = []
    for number, row in enumerate(rows):
        if len(head) == HEADS:
            return titles, head, number
        label = _label(row, end)
        others = [item for item in row if item.start >= end]
        if not others:
            if row[0].end > end + 1 and is_period(label) and not head and number + 1 < len(rows):
                head.append(row)
            elif is_units(label) or (not head and (row[0].bold or row[0].end > end or is_period(label))):
                (head if is_units(label) and row[0].end <= end else titles).append(row)
            elif label.endswith((",", "ended", "ending", "Year", "year")) and OPEN_PERIOD.match(label):
                head.append(row)
            elif head or number == 0:
                return titles, head, number
            else:
                titles.append(row)
        elif _is_head(row, label, others, head, rows[number + 1 : number + 4]):
            head.append(row)
        else:
            return titles, head, number
    if len(head) > 1:  # a table of words alone: its first row names the columns
        first = next(number for number, row in enumerate(rows) if row is head[0])
        return titles, head[:1], first + 1
    return titles, head, len(rows)


def _is_labelled(row: Row) -> bool:
    """Whether the page marks the first cell of a row as its name (<th>), and no other."""
    return len(row) > 1 and row[0].heading and not any(item.heading for item in row[1:])


def _is_head(row: Row, label: str, others: list[Item], head: list[Row], below: list[Row]) -> bool:
    if any(item.text != item.plain and item.value for item in others):
        return False  # it holds tagged numbers
    values = [item for item in others if item.value and not is_period(item.plain)]
    if values and (label or not head or len(values) * 2 > len(others)):
        return False  # else "Total | Less than 1 year | 1-3 years", names that look like values among others
    if head and not {id(item) for item in row}.isdisjoint(map(id, head[-1])):
        return True  # a cell of the header reaches down into this row
    if head and len(head[-1]) > 1 and all(item.heading for item in head[-1]) and label and not row[0].heading:
        return False  # the page itself says which of its cells are names (<th>), and that this label is none
    if _is_labelled(row) and below and all(map(_is_labelled, below)):
        return False
    yearless = not any(re.search(r"\b(?:19|20)\d\d\b", item.plain) for above in head for item in above)
    if label and WHOLE_PERIOD.match(label):
        if all(is_period(item.plain) for item in others):  # years in every column, or a list of dates
            return not head and bool(below) and all(item.value for item in below[0])
        return yearless
    if not label or is_units(label) or is_period(label) or all(item.heading for item in row):
        return True
    if yearless and any(YEAR.match(item.plain) or WHOLE_PERIOD.match(item.plain) for item in others):
        return True
    corners = [_label(above, row[0].end) for above in head if len(above) > 1]
    named = any(corner and not is_units(corner) for corner in corners)
    if all(item.bold for item in row):
        return not named
    if len(head) == 1 and len(head[0]) < len(others) and head[0][0].start >= row[0].end:
        # names below titles that stand over several of them
        return any(item.value and re.search(r"\d", item.plain) for other in below[:1] for item in other[1:])
    if not head:
        # the first row names the columns unless it reads like one of a list without names
        counted = any(item.value for other in below for item in other[1:])
        if reads_as_row([item.plain for item in row], [[item.plain for item in other] for other in below]):
            return False
        return all(len(item.plain) < (250 if counted else 80) for item in row)
    return False


def _header_length(rows: list[Row], start: int, end: int) -> int:
    """How many rows from here name the columns anew; 0 where the body goes on."""
    length = 0
    periods = False
    for row in rows[start : start + HEADS]:
        label = _label(row, end)
        others = [item for item in row if item.start >= end]
        if not others or any(item.value for item in others):
            break
        dated = all(is_period(item.plain) for item in others)
        if not (not label or is_units(label) or is_period(label) or (row[0].bold and dated)):
            break
        names = [item.bold or is_period(item.plain) or is_units(item.plain) for item in others]
        if not label and not dated and not all(names):
            break
        periods = periods or any(is_period(item.plain) for item in others) or len(others) > 1
        length += 1
    return length if periods and start + length < len(rows) else 0


def _inherit_header(before: list[Row], head: list[Row]) -> list[Row]:
    """The new header; where it is one period over all columns, the names of the columns above stay."""
    if len(head) == 1 and len(head[0]) == 1 and re.search(r"\d{4}", head[0][0].plain) and before:
        kept = [row for row in before if not (len(row) == 1 and is_period(row[0].plain))]
        if any(len(row) > 1 for row in kept):
            return [head[0], *kept]
    return head


# Columns and Markdown

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


def build_grids(table: Table) -> list[Grid]:
    """The data tables that a table holds: one for each band of columns."""
    rows = lay_out_cells(table)
    return [build_grid(band) for band in split_bands(rows)] if rows else []


def render_grid(grid: Grid) -> str:
    """The pipe table: one line for the header, one for the rule, one for each row."""
    width = len(grid.header)
    lines = [_render_row(grid.header), "|" + "---|" * width]
    lines += [_render_row(row) for row in grid.rows]
    return "\n".join(lines)


def _render_row(cells: list[str]) -> str:
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


class _ColumnPlaces:
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


def build_grid(band: Band) -> Grid:
    body = band.body or band.head[-1:] or band.titles[-1:]
    columns = _columns(body, band.label_end)
    columns = _join_columns(columns, body, band)
    if len(columns) == 1 and columns[0][0] >= band.label_end:
        columns.insert(0, [0, band.label_end])
    titles = [" ".join(item.text for item in row) for row in band.titles]
    if len(band.body) * len(columns) > EMPTY + FILLED * sum(map(len, band.body)):
        lines = (" ".join(item.text for item in row) for row in (*band.head, *band.body, *band.notes))
        return Grid(titles, notes=list(lines))
    names, units = name_columns(band, columns)
    places = _ColumnPlaces(columns)
    rows = []
    for row in band.body:
        cells: list[list[str]] = [[] for _ in columns]
        for item in row:
            cells[places.place(item)].append(item.text)
        rows.append([" ".join(parts).strip() for parts in cells])
    notes = [" ".join(item.text for item in row) for row in band.notes]
    return Grid(titles + units, names, rows, notes)


def _join_columns(columns: list[list[int]], rows: list[Row], band: Band) -> list[list[int]]:
    """The columns with those made one that stand side by side, are never both filled, and have the same names."""
    places = _ColumnPlaces(columns)
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


def name_columns(band: Band, columns: list[list[int]]) -> tuple[list[str], list[str]]:
    """The name of each column, joined from the header rows above it; and the units that the header states."""
    names: list[list[str]] = [[] for _ in columns]
    units: dict[str, None] = {}
    places = _ColumnPlaces(columns)
    first_value = next((n for n, column in enumerate(columns) if column[0] >= band.label_end), 1)
    for row in band.head:
        texts = {item.plain for item in row if item.start >= band.label_end}
        spread = _spread_periods(row, places, names, first_value) if len(columns) > first_value else {}
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
    _move_corner_period(names, first_value)
    return [_DATE.sub(r"\1, \2", " ".join(parts)) for parts in names], list(units)


def _move_corner_period(names: list[list[str]], first_value: int) -> None:
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


def _spread_periods(row: Row, places: _ColumnPlaces, names: list[list[str]], first_value: int) -> dict[int, Item]:
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
