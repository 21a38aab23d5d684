"""Tables without lines: figures that stand in columns, on a PDF page or in a typewritten text."""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

from rarefy.tasks.corpus.read.cells import DASH, PREFIX, SUFFIX, is_period, is_value, tidy
from rarefy.tasks.corpus.read.pdf_lines import Line, Word

SPACE = 0.75  # of the font's size: a wider gap stands between cells, a smaller one between words
LEADERS = re.compile(r"(?:\s?\.){3,}\s*$")  # dots that lead the eye from a label to its figures
WIDEST = 200  # cells: a line with more is no row, a table with more columns none
ROWS = 3  # figures in fewer lines are a line of text with numbers in it


@dataclass(frozen=True, slots=True)
class Cell:
    """Words without a wide gap, and from where to where they stand."""

    text: str
    x0: float
    x1: float


def cells_of(line: Line) -> list[Cell]:
    """The cells of a line; a currency sign or a closing parenthesis belongs to the figure beside it."""
    groups: list[list[Word]] = []
    for word in line.words:
        near = groups and word.x0 - groups[-1][-1].x1 < SPACE * min(word.size, groups[-1][-1].size)
        if near and not PREFIX.match(word.text):  # a currency sign belongs to what follows, however near it stands
            groups[-1].append(word)
        else:
            groups.append([word])
    cells: list[Cell] = []
    for group in groups:
        cell = Cell(tidy(" ".join(word.text for word in group)), group[0].x0, group[-1].x1)
        before = cells[-1] if cells else None
        if before and (_opens(before, cell) or (len(cells) > 1 and _closes(before, cell))):
            cells[-1] = Cell(f"{before.text}{cell.text}", before.x0, cell.x1)
        else:
            cells.append(cell)
    return [part for cell in cells for part in _apart(cell)]


def _opens(sign: Cell, cell: Cell) -> bool:
    return bool(PREFIX.match(sign.text)) and (is_value(cell.text) or cell.text[:1].isdigit())


def _closes(cell: Cell, sign: Cell) -> bool:
    return bool(SUFFIX.match(sign.text)) and cell.text[-1:].isdigit()


def _apart(cell: Cell) -> list[Cell]:
    """A cell that is figures only, close together, taken apart; their places are shared out by length."""
    figures = cell.text.replace("$ ", "$").split()
    if len(figures) < 2 or not all(is_value(figure) and not DASH.match(figure) for figure in figures):
        return [cell]
    step = (cell.x1 - cell.x0) / len(cell.text)
    found, at = [], 0
    for figure in figures:
        at = cell.text.replace("$ ", "$").index(figure, at)
        found.append(Cell(figure, cell.x0 + at * step, cell.x0 + (at + len(figure)) * step))
        at += len(figure)
    return found


def has_figures(line: Line) -> bool:
    """Whether a line reads as a row of a table: a label and figures in cells of their own."""
    cells = cells_of(line)
    if len(cells) > WIDEST:
        return False
    values = [cell for cell in cells[1:] if is_value(cell.text)]
    return bool(values) and len(values) >= 0.5 * (len(cells) - 1)


def aligned_table(lines: Sequence[Line]) -> tuple[int, int, list[list[str]]] | None:
    """The first stretch [start, end) of lines whose figures stand in columns, and its rows, or None."""
    figured = [has_figures(line) for line in lines]
    end = 0
    for first, figures in enumerate(figured):
        if not figures or first < end:
            continue
        end = first + 1
        for at in range(first + 1, len(lines)):
            line, before = lines[at], lines[at - 1]
            if line.page != before.page or line.column != before.column or line.top - before.bottom > 3 * line.size:
                break
            if figured[at]:
                end = at + 1
            elif at - end >= 3 or len(line.text) > 110:
                break
        if sum(figured[first:end]) < ROWS:
            continue
        start, top = _head(lines, first, end)
        if rows := _rows(lines[start:top], lines[top:end]):
            return start, end, rows
    return None


def _head(lines: Sequence[Line], first: int, end: int) -> tuple[int, int]:
    """Where a table's header begins and where its body does; a label without figures may stand between."""
    left = min(cells_of(line)[1].x0 for line in lines[first:end] if has_figures(line))
    start = top = first
    for at in range(first - 1, max(first - 8, -1), -1):
        line, below = lines[at], lines[at + 1]
        if line.page != below.page or line.column != below.column or below.top - line.bottom > 2.5 * line.size:
            break
        if _is_header(line, left):
            if start == top:
                top = at + 1
            start = at
        elif start != top or len(line.text) > 80 or top - at > 3 or line.text.endswith("."):
            break
    return (start, top) if start != top else (first, first)


def _is_header(line: Line, left: float) -> bool:
    """Whether a line names columns: it stands over them, not at the margin alone."""
    cells = cells_of(line)
    over = [cell for cell in cells if cell.x1 > left - 2 * line.size]
    if not over or len(line.text) > 160 or line.text[-1] in ".)" or (line.text[-1] == ":" and not is_period(line.text)):
        return False
    return len(over) > 1 or over[0].x0 > left - 6 * line.size or is_period(over[0].text)


def _rows(heads: Sequence[Line], body: Sequence[Line]) -> list[list[str]]:
    """The header and the rows; none where the figures stand in no columns but all over."""
    split = [cells_of(line) for line in body]
    spans: list[list[float]] = []
    for cell in sorted(_in_columns(split), key=lambda cell: cell.x1):
        if spans and cell.x0 < spans[-1][1] - 1:
            spans[-1] = [min(spans[-1][0], cell.x0), max(spans[-1][1], cell.x1)]
        else:
            spans.append([cell.x0, cell.x1])
    if len(spans) > WIDEST:
        return []
    made: list[list[str]] = []
    open_label = False
    for cells in split:
        row = [""] * (len(spans) + 1)
        for cell in cells:
            at = _column(cell, spans)
            row[at] = f"{row[at]} {cell.text}".strip()
        row[0] = LEADERS.sub("", row[0])
        if made and not any(made[-1][1:]) and row[0] and (row[0][0].islower() or open_label) and any(row[1:]):
            row[0] = f"{made.pop()[0]} {row[0]}"  # a label that needed two lines
        open_label = cells[-1].x1 > 0.8 * spans[0][0] and not row[0].endswith(":")
        made.append(row)
    return [_header(heads, spans), *made]


def _in_columns(split: list[list[Cell]]) -> list[Cell]:
    """The cells that make columns: figures, and words that begin where those of most other rows do."""
    others = [cell for cells in split for cell in cells[1:] if not is_value(cell.text)]
    often = 0.5 * sum(len(cells) > 1 for cells in split)
    places = sorted(cell.x0 for cell in others)
    aligned = [cell for cell in others if bisect_left(places, cell.x0 + 3) - bisect_right(places, cell.x0 - 3) >= often]
    return [cell for cells in split for cell in cells[1:] if is_value(cell.text)] + aligned


def _column(cell: Cell, spans: list[list[float]]) -> int:
    """Column of a cell: 0 for the label, else the figures it stands over most."""
    overlap = [min(cell.x1, high) - max(cell.x0, low) for low, high in spans]
    best = max(range(len(spans)), key=lambda at: overlap[at])
    return best + 1 if overlap[best] > 0 and (is_value(cell.text) or cell.x0 > spans[best][0] - 30) else 0


def _header(heads: Sequence[Line], spans: list[list[float]]) -> list[str]:
    """One header a column: of every line above, what stands over it, or nearest to it."""
    header: list[list[str]] = [[] for _ in range(len(spans) + 1)]
    for line in heads:
        cells = cells_of(line)
        over = [cell for cell in cells if cell.x1 > spans[0][0] - 30 or is_period(cell.text)]
        for cell in cells:
            if cell not in over:
                header[0].append(cell.text)
        for at, (low, high) in enumerate(spans, 1):
            if over:
                near = min(over, key=lambda cell: max(cell.x0 - high, low - cell.x1, 0.0))
                apart = max(near.x0 - high, low - near.x1, 0.0)
                if apart < 40 and (apart < 12 or len(over) < len(spans)):
                    header[at].append(near.text)
    return [" ".join(parts) for parts in header]
