"""Which rows of a table name its columns, which are its body, its title or its notes, and where a new band begins."""

import re
from dataclasses import dataclass, field, replace
from itertools import pairwise

from rarefy.tasks.corpus.read.cells import ENUMERATOR, OPEN_PERIOD, WHOLE_PERIOD, YEAR, is_period, is_units
from rarefy.tasks.corpus.read.lay import Item, Row

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


def split(rows: list[Row]) -> list[Band]:
    """The table's bands, each with what names its columns; rows before the first number name those of the first."""
    end = label_end(rows)
    rows = [part for row in rows for part in _apart(row, end)]
    notes = _notes(rows, end)
    rows = rows[: len(rows) - len(notes)]
    bands: list[Band] = []
    numeric = sum(any(item.value for item in row if item.start >= end) for row in rows) * 2 >= len(rows)
    start = repeated = 0
    while start < len(rows):
        if not bands:
            titles, head, body = _top(rows, end)
            bands.append(Band(titles, head, [], [], end))
            start = body
            continue
        if bands[-1].body and numeric and (length := _band_head(rows, start, end)):
            head = rows[start : start + length]
            inherited = _inherited(bands[-1].head, head)
            repeated += _letters(inherited)
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
    bands = [part for band in bands for part in _by_period(band)]
    return [band for band in bands if band.body or band.head or band.titles]


def _by_period(band: Band) -> list[Band]:
    """The band cut where a row holds nothing but a period, which then is in the names of the columns below it."""
    end = band.label_end
    if any(re.search(r"\b(?:19|20)\d\d\b", item.plain) for row in band.head for item in row):
        return [band]
    cuts = [n for n, row in enumerate(band.body) if len(row) == 1 and WHOLE_PERIOD.match(row[0].plain)]
    if not cuts or (not band.head and len(cuts) == 1 and cuts[0] > 0):
        return [band]
    if len(cuts) * _letters(band.head) > REPEATED:
        return [band]
    out = [Band(band.titles, band.head, band.body[: cuts[0]], [], end)] if cuts[0] else []
    for cut, after in zip(cuts, [*cuts[1:], len(band.body)], strict=True):
        period = replace(band.body[cut][0], start=end, end=10_000)
        titles = [] if out else band.titles
        out.append(Band(titles, [[period], *band.head], band.body[cut + 1 : after], [], end))
    out[-1].notes = band.notes
    return out


def _letters(rows: list[Row]) -> int:
    return sum(len(item.text) for row in rows for item in row)


def _apart(row: Row, end: int) -> list[Row]:
    """The row as two, where it holds the units of all columns beside the title of a group of rows."""
    others = [item for item in row if item.start >= end]
    if len(others) < len(row) and others and all(is_units(item.plain) and len(item.plain) > 1 for item in others):
        label = [item for item in row if item.start < end]
        if not is_units(label[0].plain) and not is_period(label[0].plain):
            return [others, label]
    return [row]


def _notes(rows: list[Row], end: int) -> list[Row]:
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


def _top(rows: list[Row], end: int) -> tuple[list[Row], list[Row], int]:
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


def _is_head(row: Row, label: str, others: list[Item], head: list[Row], below: list[Row]) -> bool:
    if any(item.text != item.plain and item.value for item in others):
        return False  # it holds tagged numbers
    values = [item for item in others if item.value and not is_period(item.plain)]
    if values:
        return False
    if head and not {id(item) for item in row}.isdisjoint(map(id, head[-1])):
        return True  # a cell of the header reaches down into this row
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
    if not head:
        # the first row names the columns unless it reads like one of a list without names
        counted = any(item.value for other in below for item in other[1:])
        return all(len(item.plain) < (250 if counted else 80) for item in row)
    return False


def _band_head(rows: list[Row], start: int, end: int) -> int:
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


def _inherited(before: list[Row], head: list[Row]) -> list[Row]:
    """The new header; where it is one period over all columns, the names of the columns above stay."""
    if len(head) == 1 and len(head[0]) == 1 and re.search(r"\d{4}", head[0][0].plain) and before:
        kept = [row for row in before if not (len(row) == 1 and is_period(row[0].plain))]
        if any(len(row) > 1 for row in kept):
            return [head[0], *kept]
    return head
