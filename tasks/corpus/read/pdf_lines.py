"""The lines of a PDF page in reading order, from its words and where they stand."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from statistics import median
from typing import Any

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


def words_of(page: Any) -> list[Word]:
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


def lines_of(words: Iterable[Word], page: int) -> list[Line]:
    """The words put together to lines, from top to bottom; raised footnote marks stay on their line."""
    rows: list[list[Word]] = []
    for word in sorted(words, key=lambda word: (word.top + word.bottom, word.x0)):
        middle = (word.top + word.bottom) / 2
        row = next((row for row in rows[-3:] if _level(row, middle, word)), None)
        if row is None:
            rows.append([word])
        else:
            row.append(word)
    made = [Line(tuple(sorted(row, key=lambda word: word.x0)), page) for row in rows]
    return sorted(made, key=lambda line: (line.bottom, line.x0))


def _level(row: list[Word], middle: float, word: Word) -> bool:
    largest = max(row, key=lambda other: other.bottom - other.top)
    height = max(largest.bottom - largest.top, word.bottom - word.top)
    return abs((largest.top + largest.bottom) / 2 - middle) < 0.45 * height


def in_columns(lines: list[Line], width: float) -> list[Line]:
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
        crossing = sum(_crosses(line, x) for line in lines)
        split = [line for line in lines if not _crosses(line, x)]
        sides = [
            [w for w in ([w for w in line.words if (w.x1 <= x) == left] for line in split) if w]
            for left in (True, False)
        ]
        if min(map(len, sides)) < FEW or crossing > 0.3 * len(lines):
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
