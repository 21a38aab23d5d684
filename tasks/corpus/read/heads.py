"""Name the columns of grids that cannot say which cells span: Markdown, and sheets whose heads were never merged."""

import re
from dataclasses import replace
from itertools import pairwise

from rarefy.tasks.corpus.read.cells import CHANGE, is_period, is_units
from rarefy.tasks.corpus.read.html_tables import Band, Grid, Item, Row, build_grid, merge_signs, split_bands


def build_grids_of_texts(rows: list[list[str]]) -> list[Grid]:
    """The data tables that plain rows of cells hold, whose first row names the columns, as in Markdown and in sheets.

    Nothing says which columns a cell of the header spans ("Years ended June 30" amid blanks, above the years): cells of
    a row of heads that divide the columns of values evenly are taken to stand over equal shares of them.
    Under empty names for two columns stand labels and what belongs to them, and none of the rows is about the others.
    """
    width = max(map(len, rows), default=0)
    if width == 2 and not any(map(str.strip, rows[0])):
        pairs = [[" ".join(cell.split()) for cell in row] for row in rows if any(map(str.strip, row))]
        return [Grid(header=["", ""], rows=[[*row, ""][:2] for row in pairs])] if pairs else []
    items = [
        [
            Item(text, text, column, column + 1, bold=number == 0)
            for column, cell in enumerate(row)
            if (text := " ".join(cell.split()))
        ]
        for number, row in enumerate(row for row in rows if any(map(str.strip, row)))
    ]
    figures = [any(re.search(r"\d", item.plain) for item in row) for row in items]
    kept = [merge_signs(row, set()) if figure else row for row, figure in zip(items, figures, strict=True) if row]
    if not kept:
        return []
    for row, below in pairwise(kept[1:]):
        title = row[0].plain
        alone = len(row) == 1 and row[0].start > 0 and not (row[0].value or is_period(title) or is_units(title))
        if alone and below[0].start == 0 and any(item.value and not is_period(item.plain) for item in below):
            row[0] = replace(row[0], start=0, end=1)  # a title in the middle of its line, over a group of rows
    bands = split_bands(kept)
    for number, band in enumerate(bands):
        full = not number and _names_every_column(band, width)
        if full:
            _end_head(band)
        _drop_empty_columns(band, full)
        _spread_over_changes(band, width)
        band.head = spread_heads(band.head, band.label_end, width)
    return [build_grid(band) for band in bands]


def _names_every_column(band: Band, width: int) -> bool:
    """Whether the first row of heads has words of its own for each column."""
    names = [item.plain for item in band.head[0]] if band.head else []
    return len(set(names)) == width and not any(item.value or is_period(item.plain) for item in band.head[0])


def _end_head(band: Band) -> None:
    """Take rows with a label and words of their own from a head whose first row names every column.

    "Days" and "14 May 2022" are units and times, and stand in rows of data as well.
    """
    at = next((n for n, row in enumerate(band.head) if n and _is_row_of_data(row)), len(band.head))
    band.body[:0] = band.head[at:]
    del band.head[at:]


def _is_row_of_data(row: Row) -> bool:
    """Whether a row has a label, and is not of times and units alone."""
    return row[0].start == 0 and not all(is_period(item.plain) or is_units(item.plain) for item in row)


def _drop_empty_columns(band: Band, full: bool) -> None:
    """Take the heads of columns without a cell away, unless the next column has none and so may be meant.

    `full`: each column has its own, and no other is meant.
    """
    filled = {item.start for row in band.body for item in row}
    for row in band.head[-1:] if filled else ():  # names without a row stay what they are
        headed = {item.start for item in row}
        row[:] = [
            item
            for item in row
            if item.start in filled or not (full or {item.start - 1, item.start + 1} & headed & filled)
        ]


def _spread_over_changes(band: Band, width: int) -> None:
    """Widen a head that is alone in its row, where some of the columns below are of changes.

    "Fiscal" stands over the years and not over the changes beside them, "Percent change" over these alone.
    """
    for row, below in pairwise(band.head):
        over = [item for item in row if item.start >= band.label_end]
        names = [item for item in below if item.start >= band.label_end]
        changes = {item.start for item in names if CHANGE.search(item.plain)}
        if len(over) != 1:
            continue
        (head,) = over
        if CHANGE.search(head.plain):
            apart = {item.start for item in names if is_period(item.plain)}
            head.start = max([n + 1 for n in apart if n < head.start], default=head.start)
            head.end = min([n for n in apart if n > head.start], default=width)
        elif changes and head.start < min(changes):
            head.start, head.end = band.label_end, min(changes)


def spread_heads(head: list[Row], first: int, width: int) -> list[Row]:
    """Head rows in which a cell among blanks is as wide as what it stands over, where that is plain to see.

    Alone in the middle of its row or at its beginning it stands over all columns; several stand over equal shares.
    `first` is the first column of values, `width` the number of all columns. The lowest row spans nothing.
    """
    made = []
    for number, row in enumerate(head):
        over = [item for item in row if item.start >= first]
        named = any(_fills(below, first, width) for below in head[number + 1 :])
        spans = _find_spans([item.start - first for item in over], width - first) if named else None
        if spans is None or any(item.end - item.start > 1 for item in over):
            made.append(row)
            continue
        wide = [replace(i, start=first + s, end=first + e) for i, (s, e) in zip(over, spans, strict=True)]
        made.append([*(item for item in row if item.start < first), *wide])
    return made


def _fills(row: Row, first: int, width: int) -> bool:
    return len({item.start for item in row if item.start >= first}) == width - first


def _find_spans(starts: list[int], width: int) -> list[tuple[int, int]] | None:
    """From where to where cells reach that stand at `starts` among so many columns; None where nothing says."""
    if not starts or len(starts) == width:
        return None
    if len(starts) == 1:
        return [(0, width)] if starts[0] in (0, (width - 1) // 2, width // 2) else None
    share = starts[1] - starts[0]
    if any(two - one != share for one, two in pairwise(starts)):
        return None
    for offset in (0, (share - 1) // 2, share // 2):
        begin = starts[0] - offset
        if begin + share * len(starts) == width and (begin == 0 or offset == 0):
            return [(begin + n * share, begin + (n + 1) * share) for n in range(len(starts))]
    return None
