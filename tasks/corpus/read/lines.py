"""Find the lines of a page in reading order, and tables whose figures are aligned in columns without rules."""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby, pairwise
from statistics import median
from typing import Any

from rarefy.tasks.corpus.read.cells import (
    DASH,
    OPEN_PERIOD,
    PREFIX,
    SUFFIX,
    WHOLE_PERIOD,
    YEAR,
    is_period,
    is_units,
    is_value,
    tidy,
)

# Lines of a PDF page

GUTTER = 8.0  # points: the least space between two columns of text
FEW = 6  # lines on either side: less is a table or a letterhead, not two columns


@dataclass(frozen=True, slots=True)
class Word:
    """A word and where it stands; distances in points from the page's left and upper edge."""

    text: str
    x0: float
    x1: float
    top: float
    bottom: float
    size: float
    bold: bool


@dataclass(frozen=True, slots=True)
class Line:
    """Words on one line, from left to right."""

    words: tuple[Word, ...]
    page: int
    column: int = 0  # counts up with every stretch that is read as a column of its own

    @property
    def text(self) -> str:
        return " ".join(word.text for word in self.words)

    @property
    def x0(self) -> float:
        return self.words[0].x0

    @property
    def x1(self) -> float:
        return self.words[-1].x1

    @property
    def top(self) -> float:
        return min(word.top for word in self.words)

    @property
    def bottom(self) -> float:
        return max(word.bottom for word in self.words)

    @property
    def size(self) -> float:
        return round(median(word.size for word in self.words), 1)

    @property
    def bold(self) -> bool:
        return all(word.bold for word in self.words if any(map(str.isalnum, word.text)))


def page_words(page: Any) -> list[Word]:
    """The words of a pdfplumber page, upright ones only (the rest are watermarks and axis labels)."""
    found = page.extract_words(x_tolerance_ratio=0.2, extra_attrs=["size", "fontname", "upright"], use_text_flow=False)
    return [
        Word(
            word["text"], word["x0"], word["x1"], word["top"], word["bottom"], word["size"],
            any(mark in word["fontname"].lower() for mark in ("bold", "black", "heavy", "semib")),
        )
        for word in found
        if word["upright"]
    ]  # fmt: skip


def group_lines(words: Iterable[Word], page: int) -> list[Line]:
    """The words put together to lines, from top to bottom; raised footnote marks stay on their line."""
    rows: list[list[Word]] = []
    for word in sorted(words, key=lambda word: (word.top + word.bottom, word.x0)):
        middle = (word.top + word.bottom) / 2
        row = next((row for row in rows[-3:] if _is_level(row, middle, word)), None)
        if row is None:
            rows.append([word])
        else:
            row.append(word)
    made = [Line(tuple(sorted(row, key=lambda word: word.x0)), page) for row in rows]
    return sorted(made, key=lambda line: (line.bottom, line.x0))


def _is_level(row: list[Word], middle: float, word: Word) -> bool:
    largest = max(row, key=lambda other: other.bottom - other.top)
    height = max(largest.bottom - largest.top, word.bottom - word.top)
    return abs((largest.top + largest.bottom) / 2 - middle) < 0.45 * height


def order_columns(lines: list[Line], width: float) -> list[Line]:
    """The lines in the order they are read: where two columns stand side by side, the left one first."""
    gutter = _gutter(lines, width)
    if not gutter:
        return lines
    ordered: list[Line] = []
    left: list[Line] = []
    right: list[Line] = []
    column = 0

    def flush() -> Iterator[Line]:
        nonlocal column
        for stretch in (left, right):
            column += 1
            yield from (replace(line, column=column) for line in stretch)
            stretch.clear()
        column += 1

    for line in lines:
        if _crosses(line, gutter):
            ordered += flush()
            ordered.append(replace(line, column=column))
            continue
        for side, stretch in ((True, left), (False, right)):
            words = tuple(word for word in line.words if (word.x1 <= gutter) == side)
            if words:
                stretch.append(replace(line, words=words))
    return [*ordered, *flush()]


def _crosses(line: Line, x: float) -> bool:
    """Whether a line runs over x: a word stands there, or the space there is no wider than between words."""
    before = max((word.x1 for word in line.words if word.x0 < x), default=None)
    after = min((word.x0 for word in line.words if word.x1 > x), default=None)
    if before is None or after is None:
        return False
    return after - before < GUTTER


def _gutter(lines: list[Line], width: float) -> float:
    """Where the space between two columns of prose lies, 0 where the page has one column."""
    best = (1.0, 0.0)
    for x in range(int(width * 0.3), int(width * 0.7), 3):
        crossed = [_crosses(line, x) for line in lines]
        crossing = sum(crossed)
        if crossing > 0.3 * len(lines):
            continue
        split = [line for line, over in zip(lines, crossed, strict=True) if not over]
        sides = [
            [w for w in ([w for w in line.words if (w.x1 <= x) == left] for line in split) if w]
            for left in (True, False)
        ]
        if min(map(len, sides)) < FEW:
            continue
        if all(_is_prose(side) for side in sides):
            best = min(best, (crossing / len(lines), float(x)))
    return best[1]


def _is_prose(stretches: list[list[Word]]) -> bool:
    """Whether most lines of a column are full of words: figures and labels are short and ragged."""
    widths = [words[-1].x1 - words[0].x0 for words in stretches]
    full = sum(width > 0.7 * max(widths) for width in widths)
    figures = sum(not any(map(str.isalpha, word.text)) for words in stretches for word in words)
    return (
        full >= 0.5 * len(widths)
        and figures < 0.3 * sum(map(len, stretches))
        and sum(map(len, stretches)) > 3 * len(widths)
    )


# Aligned tables

SPACE = 0.75  # of the font's size: a wider gap stands between cells, a smaller one between words
APART = re.compile(r"(?<=\d) (?=\.\d+(?: |$))")  # between a number in wide type and its decimals
LEADERS = re.compile(r"(?:\s?\.){3,}\s*$")  # dots that lead the eye from a label to its figures
LARGER = 1.15  # times the size of the header below
WIDEST = 200  # cells: a line with more is no row, a table with more columns none
CENTRED = 0.8  # of the font's size: a header's middle is no further from the middle of the columns it spans
HANGING = 3.0  # points: a dash or a closing parenthesis stands no further outside of its column
FLUSH = 1.0  # points: lines of one column's name begin, or end, no further apart
NEAR_MIDDLE = 0.15  # of a group's width: the middle of its head is no further from its own
INTRODUCES = re.compile(r"\b(?:as follows|following)\b.*:$", re.I)  # a line between two tables, of the second
PROSE = re.compile(r"\w{3,}[.,;:] .{60}")  # what no name of a column has
LONE = 0.2  # of all columns' width: a period alone on its line is no further from their middle
FAR = 40.0  # points: a header further away names no column
ROWS = 3  # figures in fewer lines are a line of text with numbers in it,
FEWEST = 2  # unless every column has a name
LABEL_LINES = 4  # above and below its figures that a label may take
INDENT = 6.0  # points: a label's lines begin no further apart than three of these


@dataclass(frozen=True, slots=True)
class Cell:
    """Words without a wide gap, and from where to where they stand."""

    text: str
    x0: float
    x1: float


def split_cells(line: Line) -> list[Cell]:
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
        cell = Cell(tidy(APART.sub("", " ".join(word.text for word in group))), group[0].x0, group[-1].x1)
        before = cells[-1] if cells else None
        if before and (_is_opening(before, cell) or (len(cells) > 1 and _is_closing(before, cell))):
            cells[-1] = Cell(f"{before.text}{cell.text}", before.x0, cell.x1)
        else:
            cells.append(cell)
    return [part for cell in cells for part in _split_figures(cell)]


def _is_opening(sign: Cell, cell: Cell) -> bool:
    return bool(PREFIX.match(sign.text)) and (is_value(cell.text) or cell.text[:1].isdigit())


def _is_closing(cell: Cell, sign: Cell) -> bool:
    return bool(SUFFIX.match(sign.text)) and cell.text[-1:].isdigit()


def _split_figures(cell: Cell) -> list[Cell]:
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
    cells = split_cells(line)
    if len(cells) > WIDEST:
        return False
    values = [cell for cell in cells[1:] if is_value(cell.text)]
    return bool(values) and len(values) >= 0.5 * (len(cells) - 1)


def find_aligned_table(lines: Sequence[Line]) -> tuple[int, int, list[list[str]]] | None:
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
            elif at - end >= 3 or len(line.text) > 110 or INTRODUCES.search(line.text):
                break
        count = sum(figured[first:end])
        if count < FEWEST:
            continue
        begin, stop, rows = _gather_rows(lines, figured, first, end)
        valued = [row for row in rows if len(row) > 1 and any(is_value(cell.text) for cell in row[1:])]
        left, right = min(row[1].x0 for row in valued), max(row[-1].x1 for row in valued)
        start, top = _find_header(lines, begin, left, right)
        made = _build_rows(lines[start:top], [*(split_cells(line) for line in lines[top:begin]), *rows])
        if made and any(map(PROSE.search, made[0])):
            continue
        if made and (count >= ROWS or (len(made[0]) > 2 and all(made[0][1:]))):
            return start, stop, made
    return None


def _gather_rows(lines: Sequence[Line], figured: list[bool], first: int, end: int) -> tuple[int, int, list[list[Cell]]]:
    """From where to where the table's rows reach, and the cells of each: a label may take lines around its figures.

    Lines closer together than any two rows that have both a label and figures are one row.
    """
    split = {
        at: split_cells(lines[at]) for at in range(max(first - LABEL_LINES, 0), min(end + LABEL_LINES, len(lines)))
    }
    whole = {at for at, cells in split.items() if figured[at] and not is_value(cells[0].text)}
    gaps = [lines[at].top - lines[at - 1].bottom for at in range(first + 1, end) if {at, at - 1} <= whole]
    near = min(gaps, default=0.0)
    if sum(gap < near + 1 for gap in gaps) < (FEWEST if near < SPACE * lines[first].size else ROWS):
        near = min(near, 0.0)  # so few say nothing of the others
    left = min(cell.x0 for at in range(first, end) if figured[at] for cell in split[at][at in whole :])
    labels = {at for at, cells in split.items() if not figured[at] and cells[-1].x1 <= left}

    def belongs(at: int) -> bool:
        """Whether a line is of one row with the line before: one of them, or both, is nothing but a label."""
        line, before = lines[at], lines[at - 1]
        if any(lines[n].text[-1] == ":" for n in {at, at - 1} & labels):
            return False  # the title of a group
        if not {at, at - 1} & labels or not {at, at - 1} <= labels | {n for n in split if figured[n]}:
            return False
        beside = (line.page, line.column) == (before.page, before.column)
        return beside and line.top - before.bottom < near - 0.1 * line.size

    while first and not figured[first - 1] and belongs(first):
        first -= 1
    while end < len(lines) and not figured[end] and belongs(end):
        end += 1
    rows: list[list[int]] = []
    for at in range(first, end):
        if rows and belongs(at) and not (figured[at] and any(figured[other] for other in rows[-1])):
            rows[-1].append(at)
        else:
            rows.append([at])
    return first, end, [_join_cells([split[at] for at in row]) for row in rows]


def _join_cells(lines: list[list[Cell]]) -> list[Cell]:
    """The cells of the lines of one row; what stands at the left margin is its label, whichever line it is on."""
    if len(lines) == 1:
        return lines[0]
    margin = min(cells[0].x0 for cells in lines)
    labels = [cells[0] for cells in lines if not is_value(cells[0].text) and cells[0].x0 < margin + 3 * INDENT]
    rest = [cell for cells in lines for cell in cells if not any(cell is label for label in labels)]
    if not labels:
        return rest
    label = Cell(" ".join(cell.text for cell in labels), min(c.x0 for c in labels), max(c.x1 for c in labels))
    return [label, *rest]


def _find_header(lines: Sequence[Line], first: int, left: float, right: float) -> tuple[int, int]:
    """Where a table's header begins and where its body does; a label without figures may stand between.

    `first` is its first row, and the figures stand from `left` to `right`.
    """
    start = top = first
    begin = left  # of the columns, as far as is known by their names
    for at in range(first - 1, max(first - 8, -1), -1):
        line, below = lines[at], lines[at + 1]
        wide = 3.5 if len(split_cells(line)) > 2 else 2.5
        if line.page != below.page or line.column != below.column or below.top - line.bottom > wide * line.size:
            break
        if start != top and line.size > LARGER * below.size:
            break  # the table's title
        if _is_header(line, left) or (start != top and _is_spanning(line, begin, right)):
            begin = min([begin, *(cell.x0 for cell in split_cells(line)[1:])])
            if start == top:
                top = at + 1
            start = at
        elif start != top and below.top < line.bottom:
            start = at  # in the corner, half a line above or below the names of columns
        else:
            most = LABEL_LINES + 1 if line.x1 <= left else LABEL_LINES - 1
            if start != top or len(line.text) > 80 or line.text.endswith(".") or top - at > most:
                break
    return (start, top) if start != top else (first, first)


def _is_header(line: Line, left: float) -> bool:
    """Whether a line names columns: it stands over them, not at the margin alone."""
    cells = split_cells(line)
    over = [cell for cell in cells if cell.x1 > left - 2 * line.size]
    if not over or len(line.text) > max(160, 30 * len(cells)) or (line.text[-1] == "." and len(over) < 3):
        return False
    if line.text[-1] == ":" and not is_period(line.text):
        return False
    first = cells[0].text
    if len(cells) > 1 and first[-1] == ":" and not (is_period(first) or is_units(first)):
        return False  # a field and what it says: "COMPANY NAME:   Acme"
    if len(over) == len(cells) == 1 and is_units(line.text) and over[0].x0 > left + 6 * line.size:
        return False  # at the right margin, above the table
    if len(over) > 1 or over[0].x0 > left - 6 * line.size:
        return True
    return is_period(over[0].text) and line.text[-1] != ")" and not over[0].text[0].islower()


def _is_spanning(line: Line, left: float, right: float) -> bool:
    """Whether a line stands over the middle of the columns, wider than they are or not."""
    cells = split_cells(line)
    apart = abs(_middle(cells[0], left, right))
    return len(cells) == 1 and line.text[-1] not in ".:" and apart < 0.1 * (right - left) and cells[0].x1 < right + FAR


def _build_rows(heads: Sequence[Line], split: list[list[Cell]]) -> list[list[str]]:
    """The header and the rows; none where the figures stand in no columns but all over."""
    spans: list[list[float]] = []
    for cell in sorted(_column_cells(split), key=lambda cell: cell.x1):
        if spans and cell.x0 < spans[-1][1] - 1:
            spans[-1] = [min(spans[-1][0], cell.x0), max(spans[-1][1], cell.x1)]
        else:
            spans.append([cell.x0, cell.x1])
    spans = _join_hanging(spans, split)
    if len(spans) > WIDEST:
        return []
    made: list[list[str]] = []
    open_label = False
    for cells in split:
        row = [""] * (len(spans) + 1)
        for cell in cells:
            at = _column_of(cell, spans)
            row[at] = f"{row[at]} {cell.text}".strip()
        row[0] = LEADERS.sub("", row[0])
        if made and not any(made[-1][1:]) and row[0] and (row[0][0].islower() or open_label) and any(row[1:]):
            row[0] = f"{made.pop()[0]} {row[0]}"  # a label that needed two lines
        open_label = cells[-1].x1 > 0.8 * spans[0][0] and not row[0].endswith(":")
        made.append(row)
    return [_build_header(heads, spans), *made]


def _join_hanging(spans: list[list[float]], split: list[list[Cell]]) -> list[list[float]]:
    """The columns, joined where no row has cells in both: dashes and parentheses hang over to the right of figures."""
    joined: list[list[float]] = []
    for low, high in spans:
        narrow = HANGING if high - low < 2 * HANGING else 0.0
        if joined and low - joined[-1][1] < narrow:
            wide = [min(low, joined[-1][0]), high]
            if all(sum(_overlap(cell, wide) > 0 for cell in cells[1:]) < 2 for cells in split):
                joined[-1] = wide
                continue
        joined.append([low, high])
    return joined


def _column_cells(split: list[list[Cell]]) -> list[Cell]:
    """The cells that make columns: figures, and words that begin or end where those of most other rows do."""
    others = [cell for cells in split for cell in cells[1:] if not is_value(cell.text)]
    often = 0.5 * sum(len(cells) > 1 for cells in split)
    begins, ends = sorted(cell.x0 for cell in others), sorted(cell.x1 for cell in others)
    aligned = [cell for cell in others if max(_count_near(begins, cell.x0), _count_near(ends, cell.x1)) >= often]
    return [cell for cells in split for cell in cells[1:] if is_value(cell.text)] + aligned


def _count_near(places: list[float], at: float) -> int:
    """How many of the sorted places are within three points of one."""
    return bisect_left(places, at + 3) - bisect_right(places, at - 3)


def _column_of(cell: Cell, spans: list[list[float]]) -> int:
    """Column of a cell: 0 for the label, else the figures it stands over most."""
    overlap = [min(cell.x1, high) - max(cell.x0, low) for low, high in spans]
    best = max(range(len(spans)), key=lambda at: overlap[at])
    return best + 1 if overlap[best] > 0 and (is_value(cell.text) or cell.x0 > spans[best][0] - 30) else 0


def _build_header(heads: Sequence[Line], spans: list[list[float]]) -> list[str]:
    """One header a column: of every line above, the cell that stands over it."""
    places = [list(span) for span in spans]
    header: list[list[str]] = [[] for _ in range(len(spans) + 1)]
    below: list[Cell | None] = [None] * len(spans)  # the last that names a column
    for line in reversed(heads):  # the lowest names single columns, and shows how wide they are
        cells = split_cells(line)
        if not any(below):  # a higher line may have a name of several
            cells = [part for cell in cells for part in _split_names(cell, line, spans)]
        over = [cell for cell in cells if cell.x1 > spans[0][0] - 30 or is_period(cell.text)]
        header[0][:0] = [cell.text for cell in cells if cell not in over]
        covered = _cover_columns(over, places, below, line.size)
        for cell, columns in zip(over, covered, strict=True):
            if not columns and cell.x1 < places[0][0]:
                header[0].insert(0, cell.text)
            for at in columns:
                header[at + 1].insert(0, cell.text)
                below[at] = cell
            if len(columns) == 1:
                _widen_column(places, columns.start, cell)
    _move_corner_period(header)
    return [" ".join(parts) for parts in header]


def _split_names(cell: Cell, line: Line, spans: list[list[float]]) -> list[Cell]:
    """The names of several columns that stand close together, each ending where its figures do; else the cell."""
    words = [word for word in line.words if cell.x0 <= word.x0 and word.x1 <= cell.x1]
    columns = [max(range(len(spans)), key=lambda at: _overlap(Cell("", w.x0, w.x1), spans[at])) for w in words]
    if len(set(columns)) < 2:
        return [cell]
    parts = [[words[n] for n in places] for _, places in groupby(range(len(words)), key=columns.__getitem__)]
    named = [at for at, _ in groupby(columns)]
    if any(abs(part[-1].x1 - spans[at][1]) > HANGING for part, at in zip(parts, named, strict=True)):
        return [cell]
    return [Cell(tidy(" ".join(word.text for word in part)), part[0].x0, part[-1].x1) for part in parts]


def _move_corner_period(header: list[list[str]]) -> None:
    """Put a corner's period into the names of columns: "Year ended June 30," before years, a year where none is."""
    corner, names = header[0], [name for name in header[1:] if name]
    for at, text in enumerate(corner):
        opens = OPEN_PERIOD.match(text) and all(YEAR.match(name[0]) for name in names)
        if opens or (WHOLE_PERIOD.match(text) and not any(re.search(r"\b(?:19|20)\d\d\b", " ".join(n)) for n in names)):
            for name in names:
                name.insert(0, text)
            del corner[at]
            return


def _cover_columns(cells: list[Cell], places: list[list[float]], below: list[Cell | None], size: float) -> list[range]:
    """The columns that each cell of a header's line names; `below` has for each the last lower cell that names it."""
    groups = _repeated_groups(below)
    if len(groups) == len(cells) > 1:
        reach = [(places[group.start][0], places[group.stop - 1][1]) for group in groups]
        if all(
            abs(_middle(cell, low, high)) < NEAR_MIDDLE * (high - low)
            for cell, (low, high) in zip(cells, reach, strict=True)
        ):
            return groups
    named = [cell is not None for cell in below]
    best = [max(cells, key=lambda cell: _overlap(cell, place)) if cells else None for place in places]
    met = [[at for at, place in enumerate(places) if best[at] is cell and _overlap(cell, place) > 0] for cell in cells]
    taken = {at for columns in met for at in columns}
    free = [at for at in range(len(places)) if named[at] and at not in taken]
    covered = []
    for cell, columns in zip(cells, met, strict=True):
        near = sorted(range(len(places)), key=lambda at: -_overlap(cell, places[at]))[:2]
        between = not columns and len(near) == 2 and set(near) <= set(free) and abs(near[0] - near[1]) == 1
        first, last = min(columns or near), max(columns or near)
        if len(cells) == 1 and all(named) and (len(columns) > 1 or is_period(cell.text) or is_units(cell.text)):
            apart = abs(_middle(cell, places[0][0], places[-1][1]))
            if columns and apart < LONE * (places[-1][1] - places[0][0]):
                covered.append(range(len(places)))
                continue
        if len(columns) == 1 and _is_flush(cell, below[first]):
            covered.append(range(first, first + 1))  # the line above of the same name
            continue
        low, high = first, last
        while low - 1 in free:
            low -= 1
        while high + 1 in free:
            high += 1
        centred = [
            (one, two)
            for one in range(low, first + 1)
            for two in range(last, high + 1)
            if abs(_middle(cell, places[one][0], places[two][1])) < CENTRED * size
        ]
        if columns or (between and centred):
            one, two = max(centred, key=lambda pair: pair[1] - pair[0], default=(first, last))
            covered.append(range(one, two + 1))
        else:
            alone = near[0] not in taken and -_overlap(cell, places[near[0]]) < FAR
            covered.append(range(near[0], near[0] + alone))
    return covered


def _repeated_groups(below: list[Cell | None]) -> list[range]:
    """The columns in groups of two or more that each begin again ("2021, 2020, 2021, 2020"), or where periods end."""
    starts: list[int] = []
    for at, name in enumerate(below):
        text = name.text if name else ""
        seen = [cell.text for cell in below[starts[-1] : at] if cell] if starts else []
        if not starts or text in seen or (seen and is_period(text) != is_period(seen[-1])):
            starts.append(at)
    groups = [range(start, stop) for start, stop in pairwise([*starts, len(below)])]
    return groups if all(len(group) > 1 for group in groups) else []


def _is_flush(cell: Cell, name: Cell | None) -> bool:
    return name is not None and min(abs(cell.x0 - name.x0), abs(cell.x1 - name.x1)) < FLUSH


def _overlap(cell: Cell, place: list[float]) -> float:
    """How far a cell and a column reach over one another; below 0 how far they are apart."""
    return min(cell.x1, place[1]) - max(cell.x0, place[0])


def _middle(cell: Cell, low: float, high: float) -> float:
    """How far the cell's middle is from that of a stretch."""
    return (cell.x0 + cell.x1 - low - high) / 2


def _widen_column(places: list[list[float]], at: int, cell: Cell) -> None:
    """Let a column reach as far as the cell that names it, short of its neighbours."""
    low = places[at - 1][1] if at else 0.0
    high = places[at + 1][0] if at + 1 < len(places) else cell.x1
    places[at] = [min(places[at][0], max(cell.x0, low)), max(places[at][1], min(cell.x1, high))]
