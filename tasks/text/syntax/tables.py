"""Write Markdown tables in other layouts, every cell unchanged beside the same label and header."""

import itertools
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from rarefy.tasks.text.syntax.pieces import Kept, Piece

MOST_CELLS = 400  # of a table that is laid out anew: a longer one is read by no one as sentences
GROWTH = 2.0  # how many times its length a table may take: headers are repeated with each row

_SEPARATOR = re.compile(r"\|(?:\s*:?-+:?\s*\|)+\s*")
_BAR = re.compile(r"(?<!\\)\|")
_AMOUNT = re.compile(r"\(?[-−–]?[$€£¥]?\s?\(?[\d,]*\.?\d+\)?\s?%?\)?")
_NOTHING = frozenset(("—", "–", "-", "$—", "—%", "$ —"))
_YEAR = re.compile(r"(?:(?i:fiscal|fiscal year|FY)\s)?(?:19|20)\d\d")
# a column that sets others against each other is no period
_SET_AGAINST = re.compile(r"%|change|variance|\bvs?\b|increase|decrease|compared", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Table:
    """The cells of a table as places in its text; the first column holds the labels of the rows."""

    start: int
    end: int
    headers: tuple[Kept, ...]  # the corner apart
    corner: Kept
    rows: tuple[tuple[Kept, ...], ...]  # each with its label first

    def grouped(self) -> bool:
        """Are there rows that stand over others, with a label and no values?"""
        return any(_empty(row[1:]) for row in self.rows)


def _empty(cells: Sequence[Kept]) -> bool:
    return all(cell.start == cell.end for cell in cells)


def tables(text: str) -> Iterator[Table]:
    """The tables of a text that are whole: a header and a row at least, and as many cells in every row."""
    lines: list[tuple[int, str]] = []
    at = 0
    for line in [*text.splitlines(keepends=True), ""]:
        bare = line.rstrip("\r\n")
        if bare.startswith("|") and bare.rstrip().endswith("|") and len(bare.rstrip()) > 1:
            lines.append((at, bare.rstrip()))
        else:
            if len(lines) > 2 and (found := _table(lines)):
                yield found
            lines = []
        at += len(line)


def _table(lines: Sequence[tuple[int, str]]) -> Table | None:
    if not _SEPARATOR.fullmatch(lines[1][1]) or any(_SEPARATOR.fullmatch(line) for _, line in lines[2:]):
        return None
    rows = [_cells(start, line) for start, line in (lines[0], *lines[2:])]
    width = len(rows[0])
    if width < 2 or any(len(row) != width for row in rows) or width * len(rows) > MOST_CELLS:
        return None
    return Table(lines[0][0], lines[-1][0] + len(lines[-1][1]), tuple(rows[0][1:]), rows[0][0], tuple(rows[1:]))


def _cells(start: int, line: str) -> tuple[Kept, ...]:
    bars = [match.start() for match in _BAR.finditer(line)]
    found = []
    for left, right in itertools.pairwise(bars):
        cell = line[left + 1 : right]
        first = left + 1 + len(cell) - len(cell.lstrip())
        found.append(Kept(start + first, start + max(first, left + 1 + len(cell.rstrip()))))
    return tuple(found)


def layouts(text: str, table: Table) -> Iterator[tuple[str, tuple[Piece, ...]]]:
    """(layout name, pieces of the text) for each other layout of the table; none where labels or headers lack."""
    told = [text[h.start : h.end] for h in table.headers]
    if not all(told) or len(set(told)) < len(told):
        return
    for name, lay in LAYOUTS.items():
        pieces = tuple(lay(text, table))
        length = sum(len(p) if isinstance(p, str) else p.end - p.start for p in pieces)
        if pieces and length <= GROWTH * (table.end - table.start):
            yield name, pieces


def sentences(text: str, table: Table) -> Iterator[Piece]:
    """Write "Net sales came to $391,035 in 2024 and $383,285 in 2023." for each row, of years and amounts alone."""
    if not all(_YEAR.fullmatch(text[h.start : h.end]) for h in table.headers) or not _labelled(text, table):
        return
    if not _of_amounts(text, table, frozenset()):
        return
    lines = _lines(table)
    for number, row in enumerate(lines):
        yield "\n" if number else ""
        yield row[0]
        if len(row) > 1:
            yield " came to "
            yield from _listed([(c, " in ", h) for c, h in zip(row[1:], table.headers, strict=True)], ", ", " and ")
            yield "."


def records(text: str, table: Table) -> Iterator[Piece]:
    """Write "Net sales: $391,035 (2024); $383,285 (2023)." for each row."""
    if not _labelled(text, table):
        return
    yield from _by_row(table, ": ", lambda cell, header: (cell, " (", header, ")"))


def entries(text: str, table: Table) -> Iterator[Piece]:
    """Write "- Net sales, 2024: $391,035; 2023: $383,285" for each row."""
    if not _labelled(text, table) or table.grouped():
        return
    for number, row in enumerate(table.rows):
        yield "\n- " if number else "- "
        yield row[0]
        yield " – "
        pairs = [(h, ": ", c) for c, h in zip(row[1:], table.headers, strict=True) if c.start < c.end]
        yield from _listed(pairs, "; ", "; ")


def columns(text: str, table: Table) -> Iterator[Piece]:
    """Write "2024: Net sales $391,035; Net income $93,736." for each column."""
    if not _labelled(text, table) or table.grouped() or not _of_amounts(text, table):
        return
    # "Liability (1) 6,126" is read as another figure
    if any(text[row[0].end - 1] in ")%0123456789" for row in table.rows):
        return
    for number, header in enumerate(table.headers):
        yield "\n" if number else ""
        yield header
        yield ": "
        pairs = [(row[0], " ", row[number + 1]) for row in table.rows if row[number + 1].start < row[number + 1].end]
        yield from _listed(pairs, "; ", "; ")
        yield "."


def transposed(text: str, table: Table) -> Iterator[Piece]:
    """Rows as columns."""
    if not _labelled(text, table) or table.grouped() or len(table.rows) > 8:  # what a page is wide enough for
        return
    lines = [(table.corner, *(row[0] for row in table.rows))]
    lines += [(header, *(row[i + 1] for row in table.rows)) for i, header in enumerate(table.headers)]
    yield from _markdown(lines)


def turned(text: str, table: Table) -> Iterator[Piece]:
    """The columns of values from right to left; none where a label names a figure for each, in their order."""
    if len(table.headers) < 2 or any(_IN_ORDER.search(text[row[0].start : row[0].end]) for row in table.rows):
        return
    lines = [(table.corner, *table.headers[::-1]), *((row[0], *row[:0:-1]) for row in table.rows)]
    yield from _markdown(lines)


# "allowances of $579 and $785"
_IN_ORDER = re.compile(r"\d\)?\s+and\s+\(?[$€£¥]?\d|\brespectively\b", re.IGNORECASE)
Layout = Callable[[str, Table], Iterator[Piece]]
LAYOUTS: dict[str, Layout] = {f.__name__: f for f in (sentences, columns, transposed, records, entries, turned)}


def _markdown(lines: Sequence[Sequence[Piece]]) -> Iterator[Piece]:
    for number, cells in enumerate(lines):
        yield "\n" if number else ""
        for cell in cells:
            yield "| "
            yield cell
            yield " "
        yield "|"
        if not number:
            yield "\n" + "|---" * len(cells) + "|"


def _of_amounts(text: str, table: Table, nothing: frozenset[str] = _NOTHING) -> bool:
    """Is every cell an amount, or one of the marks for none?"""
    return all(
        _AMOUNT.fullmatch(text[c.start : c.end]) or text[c.start : c.end] in nothing
        for row in table.rows
        for c in row[1:]
        if not _empty(row[1:])
    )


def _labelled(text: str, table: Table) -> bool:
    """Does every row with a value have a label of its own, and no column set others against each other?"""
    if any(row[0].start == row[0].end for row in table.rows):
        return False
    # what stands between two cells in a line must not stand in one
    if "; " in text[table.start : table.end]:
        return False
    if any(_SET_AGAINST.search(text[h.start : h.end]) for h in table.headers):
        return False
    labels = [text[row[0].start : row[0].end] for row in table.rows]
    return table.grouped() or len(set(labels)) == len(labels)


def _lines(table: Table) -> list[tuple[Kept, ...]]:
    return [row[:1] if _empty(row[1:]) else row for row in table.rows]


def _by_row(table: Table, after: str, pair: Callable[[Kept, Kept], tuple[Piece, ...]]) -> Iterator[Piece]:
    for number, row in enumerate(table.rows):
        yield "\n" if number else ""
        yield row[0]
        if not _empty(row[1:]):
            yield after
            pairs = [pair(c, h) for c, h in zip(row[1:], table.headers, strict=True) if c.start < c.end]
            yield from _listed(pairs, "; ", "; ")
            yield "."


def _listed(parts: Sequence[tuple[Piece, ...]], comma: str, last: str) -> Iterator[Piece]:
    for number, part in enumerate(parts):
        if number:
            yield last if number == len(parts) - 1 else comma
        yield from part
