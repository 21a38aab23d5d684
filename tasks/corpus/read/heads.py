"""Name the columns of grids that cannot say which cells span: Markdown, and sheets whose heads were never merged."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from rarefy.tasks.corpus.read.cells import is_value
from rarefy.tasks.corpus.read.html_tables import Item, Row, find_band, name_columns

MOST = 4  # rows of a head
FIGURES = 0.5  # of the rows below a head hold figures; else it is a table of words, whose first row is its head


def fold_heads(rows: list[list[str]]) -> tuple[list[str], list[list[str]]]:
    """What stands above the table, and its rows under one row of names.

    The rows are as they were unless the first leaves columns unnamed and rows below it name them.
    """
    width = max(map(len, rows))
    first = next((number for number, row in enumerate(rows) if any(row[1:])), 0)
    if width < 2 or len(rows) < 3 or all(rows[0][1:]) or _has_figures(rows[first]):
        return [], rows
    high = next((number for number, row in enumerate(rows[: first + MOST + 2]) if _has_figures(row)), 0)
    below = rows[high:]
    if high < 2 or sum(map(_has_figures, below)) < FIGURES * len(below):
        return [], rows
    above, rows = [row[0] for row in rows[:first] if row[0]], rows[first:]
    items = [[Item(text, text, at, at + 1, heading=True) for at, text in enumerate(row) if text] for row in rows]
    band = find_band([row for row in items if row])
    if not band.head or not band.body:
        return above, rows
    band.head = spread_heads(band.head, band.label_end, width)
    names, units = name_columns(band, [[at, at + 1] for at in range(width)])
    made = [names]
    for row in [*band.body, *band.notes]:
        line = [""] * width
        for item in row:
            line[item.start] = item.text
        made.append(line)
    return [*above, *(" ".join(item.text for item in row) for row in band.titles), *units], made


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


def _has_figures(row: Sequence[str]) -> bool:
    return any(is_value(cell) and any(map(str.isdigit, cell)) for cell in row[1:])


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
