"""Markdown pipe tables of a chunk: rows and cells with their places, and the group labels above each row."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from rarefy.tasks.knowledge.extract.column_heads import read_period
from rarefy.tasks.knowledge.extract.labels import label_words

_RULE = re.compile(r"\|(?:\s*:?-+:?\s*\|)+\s*$")
_CELL = re.compile(r"(?:\\.|[^|\\])*")
LONGEST_ROW = 20_000  # characters: each fact quotes its row and header whole, so that a row costs its length squared


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
    """A table with the words right before it in its chunk."""

    lead: str
    header: Row
    rows: tuple[Row, ...]


def _parse_row(text: str, start: int, end: int) -> Row:
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


_YEAR = re.compile(r"(?:19|20)\d\d")


def _date_heads(header: Row) -> Row:
    """A header whose first period is of those behind it, too: "December 31, 2022 | 2021" are two days."""
    cells, before = [], ""
    for cell in header.cells:
        if _YEAR.fullmatch(cell.text):
            cells.append(replace(cell, text=f"{before}{cell.text}"))
            continue
        year = _YEAR.search(cell.text, max(0, len(cell.text) - 4))
        before = cell.text[: year.start()] if year and read_period(cell.text)[0] else ""
        cells.append(cell)
    return replace(header, cells=tuple(cells))


def parse_tables(text: str) -> Iterator[Table]:
    """Every pipe table of a text that has a header line and a rule under it; a line over `LONGEST_ROW` is no row."""
    lines = []
    at = 0
    for line in text.split("\n"):
        lines.append((at, at + len(line), line))
        at += len(line) + 1
    i, lead_start = 0, 0
    while i + 1 < len(lines):
        if not (lines[i][2].startswith("|") and _RULE.match(lines[i + 1][2])):
            i += 1
            continue
        last = i + 2
        while last < len(lines) and lines[last][2].startswith("|"):
            last += 1
        if len(lines[i][2]) <= LONGEST_ROW:
            header = _date_heads(_parse_row(text, lines[i][0], lines[i][1]))
            body = (line for line in lines[i + 2 : last] if len(line[2]) <= LONGEST_ROW)
            rows = tuple(_parse_row(text, start, end) for start, end, _ in body)
            yield Table(text[lead_start : lines[i][0]].strip(), header, rows)
        lead_start = lines[last - 1][1]
        i = last


LONGEST_LABEL = 1_000  # characters of a label or a column header; a longer one is a text, and names no measure


def labelled_rows(table: Table) -> Iterator[tuple[Row, tuple[Row, ...]]]:
    """The rows with values and a label, each with the group labels above it, nearest last."""
    groups: list[Row] = []
    fresh = False  # the row before was a group too: this one nests inside it
    for row in table.rows:
        if not row.cells or not 0 < len(row.cells[0].text) <= LONGEST_LABEL:
            continue
        if not any(cell.text for cell in row.cells[1:]):
            groups = [*groups[-2:], row] if fresh else [*dated_groups(groups), row]
            fresh = True
            continue
        fresh = False
        yield row, tuple(groups)
        if label_words(row.cells[0].text)[:1] == ["total"]:
            groups = groups[:-1]


def dated_groups(groups: list[Row]) -> list[Row]:
    """The groups that stay when another begins: a period heads all groups below it ("Year Ended January 28, 2024:")."""
    return [g for g in groups[:1] if re.search(r"\b(?:19|20)\d\d\b", g.cells[0].text)]


def group_labels(row: Row, groups: tuple[Row, ...]) -> tuple[str, ...]:
    """The group labels that a row's label depends on; a total closes its group and depends on nothing."""
    return () if label_words(row.cells[0].text)[:1] == ["total"] else tuple(group.cells[0].text for group in groups)
