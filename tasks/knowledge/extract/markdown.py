"""Markdown pipe tables found again in a chunk's text, cell by cell, with their places."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

_RULE = re.compile(r"\|(?:\s*:?-+:?\s*\|)+\s*$")
_CELL = re.compile(r"(?:\\.|[^|\\])*")


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell's words and their place `[start, end)` in the chunk."""

    text: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Row:
    """One line of a table, `[start, end)` in the chunk."""

    start: int
    end: int
    cells: tuple[Cell, ...]


@dataclass(frozen=True, slots=True)
class Table:
    """A table with what is said right before and after it in its chunk."""

    lead: str
    header: Row
    rows: tuple[Row, ...]
    notes: str


def _row(text: str, start: int, end: int) -> Row:
    cells, at = [], start + 1
    while at < end:
        match = _CELL.match(text, at, end)
        stop = match.end() if match else at
        raw = text[at:stop]
        left = at + len(raw) - len(raw.lstrip())
        right = at + len(raw.rstrip())
        cells.append(Cell(text[left:right] if right > left else "", left, max(left, right)))
        at = stop + 1
    return Row(start, end, tuple(cells))


def tables(text: str) -> Iterator[Table]:
    """Every pipe table of a text that has a header line and a rule under it."""
    lines = []
    at = 0
    for line in text.split("\n"):
        lines.append((at, at + len(line), line))
        at += len(line) + 1
    i, said = 0, 0  # said: where the words that belong to no table yet begin
    while i + 1 < len(lines):
        if not (lines[i][2].startswith("|") and _RULE.match(lines[i + 1][2])):
            i += 1
            continue
        last = i + 2
        while last < len(lines) and lines[last][2].startswith("|"):
            last += 1
        after = last
        while after < len(lines) and not lines[after][2].startswith("|"):
            after += 1
        notes = text[lines[last - 1][1] : lines[after - 1][1]] if after > last else ""
        header = _row(text, lines[i][0], lines[i][1])
        rows = tuple(_row(text, start, end) for start, end, _ in lines[i + 2 : last])
        yield Table(text[said : lines[i][0]].strip(), header, rows, notes.strip())
        said = lines[last - 1][1]
        i = last
