"""Which row of a table a quotation means: its line, with or without headers, or label, column and value (RARE R7)."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from rarefy.tasks.knowledge.extract.grouping import labelled
from rarefy.tasks.knowledge.extract.labels import tidy
from rarefy.tasks.knowledge.extract.locate import folded
from rarefy.tasks.knowledge.extract.markdown import Row, Table, tables
from rarefy.tasks.knowledge.extract.values import number

_RULE = re.compile(r"^[\s|:-]*-{2,}[\s|:-]*$")
_BETWEEN_CELLS = re.compile(r"\s*[|\n]\s*")
_NAMED = re.compile(r"\b(?:row|column|col|value|cell|header|label)\s*[:=]\s*", re.I)
_BETWEEN_WORDS = re.compile(r"\s*[|\n;()]\s*|:\s+|,\s+|\s[-–—=]\s|\s+(?:for|in)\s+")
_BETWEEN_PARTS = re.compile(r"\s*[|\n;]\s*|:\s+|,\s+|\s[-–—=]\s")


@dataclass(frozen=True, slots=True)
class Line:
    """A row of a table with the rows that say what it means."""

    table: Table
    row: Row
    groups: tuple[Row, ...]  # labels above it that it may hang on, nearest last
    headers: tuple[Row, ...]  # the header line, and the lines below it that belong to it
    lead: str  # what is said before the table

    def heading(self, column: int) -> str:
        """What stands over a column."""
        return " ".join(row.cells[column].text for row in self.headers if column < len(row.cells)).strip()


def lines(text: str) -> Iterator[Line]:
    """Every row of every table of a text that has a label and something beside it.

    A table whose header line is a label alone goes on under the headers, and the caption, of the table before it.
    """
    above: tuple[Row, ...] = ()
    lead = ""
    for table in tables(text):
        headers = [table.header]
        for row in table.rows:  # "| | Jan 28, 2024 | Jan 29, 2023 |" below "| | Year Ended | |"
            if not row.cells or row.cells[0].text or any(_amount(cell.text) for cell in row.cells):
                break
            headers.append(row)
        goes_on = above and not table.lead and not any(cell.text for row in headers for cell in row.cells[1:])
        label = (table.header,) if goes_on and table.header.cells[0].text else ()
        if not goes_on or len(above[0].cells) != len(table.header.cells):
            above, lead, label = tuple(headers), table.lead, ()
        for row, groups in labelled(table):
            yield Line(table, row, (*label, *groups), above, lead)


def _amount(shown: str) -> bool:
    value = number(shown)
    return value is not None and not re.fullmatch(r"(?:19|20)\d\d", value.digits)


def meant(quote: str, text: str, since: int, wanted: str) -> tuple[list[Line], str]:
    """The row that a quotation means, or why it means none: not_there, ambiguous_row.

    `wanted` are the words of the triplet: of several rows quoted together, the one that has most of them is meant.
    """
    every = [line for line in lines(text) if line.row.start >= since]
    whole = folded(_unruled(quote)).letters
    for parts in (_BETWEEN_CELLS, _BETWEEN_PARTS, _BETWEEN_WORDS):
        cells = [folded(cell).letters for cell in parts.split(_NAMED.sub("", _unruled(quote)))]
        asked = {cell for cell in cells if cell}
        found = [line for line in every if _quoted(line, asked, every) or _follows(line, whole)]
        if found:
            return _best(found, wanted)
    return [], "not_there"


def _follows(line: Line, whole: str) -> bool:
    """Whether the quotation is the row after its headers or its group, without anything that parts the cells."""
    row = folded(" ".join(cell.text for cell in line.row.cells)).letters
    rest = whole.removesuffix(row)
    over = [folded(" ".join(cell.text for cell in r.cells)).letters for r in (*line.headers, *line.groups)]
    for said in over:
        rest = rest.removeprefix(said)
    return whole.endswith(row) and rest == "" and whole != ""


def _unruled(quote: str) -> str:
    return "\n".join(line for line in quote.split("\n") if not _RULE.match(line))


def _quoted(line: Line, asked: set[str], every: list[Line]) -> bool:
    """Whether all that is quoted stands in this row, in what is over it, or in other rows of its table."""
    names = _names(line)
    values = {folded(cell.text).letters for cell in line.row.cells[1:]} - {""}
    if not names & asked or not values & asked:
        return False
    known = names | values | _over(line)
    for other in every:
        if other.table == line.table:
            known |= _names(other) | {folded(cell.text).letters for cell in other.row.cells[1:]}
    return all(cell in known or cell in folded(line.lead).letters for cell in asked)


def _names(line: Line) -> set[str]:
    label = line.row.cells[0].text
    return {folded(label).letters, folded(tidy(label)).letters}


def _over(line: Line) -> set[str]:
    rows = (*line.headers, *line.groups)
    return {folded(text).letters for row in rows for cell in row.cells for text in (cell.text, tidy(cell.text))}


def _best(found: list[Line], wanted: str) -> tuple[list[Line], str]:
    words = set(re.findall(r"\d[\d.,]*\d|\w+", wanted.casefold()))

    def fits(line: Line) -> tuple[int, int]:
        shown = " ".join(cell.text for cell in (*line.row.cells, *(g.cells[0] for g in line.groups))).casefold()
        numbers = {w for w in words if w[0].isdigit()} & set(re.findall(r"\d[\d.,]*\d|\d", shown))
        return len(numbers), len(words & set(re.findall(r"\w+", shown)))

    most = max(map(fits, found))
    best = [line for line in found if fits(line) == most]
    return (best, "") if len(best) == 1 else ([], "ambiguous_row")
