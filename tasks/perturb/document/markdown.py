"""A passage under its title as Markdown that renders to its text (SURE §3.2, Format, Figure 9; CommonMark, GFM)."""

import re
from collections.abc import Iterator
from random import Random

from rarefy.tasks.perturb.case import Case, Draft
from rarefy.tasks.perturb.config import PerturbConfig
from rarefy.tasks.perturb.document.escape import Edit, escaped, plain, unwritable

# NUL is lost; parsers differ over the other controls
_NOT_MARKDOWN = re.compile("[\x00-\x08\x0b\x0e-\x1f\x7f-\x9f\ud800-\udfff]")
# An underscore inside a word and an ampersand or a "<" that begins nothing are left as they are
_INLINE = r"[`*\[~]|(?<![^\W_])_|_(?![^\W_])|&(?=#?\w+;)|<(?=[A-Za-z/!?])|\r"
_TEXT = re.compile(_INLINE + r"|\\")
_CELLS = re.compile(_INLINE + r"|\\(?!\|)")  # a bar that is escaped in a cell of the original stays so
_ENTITIES = {"&": "&amp;", "<": "&lt;", "\r": "&#13;"}
# What begins a heading, a quotation, a list, or makes one of the line above it or a table
_BLOCK = re.compile(r"#{1,6}(?=[ \t]|$)|>|[-+](?=[ \t]|$)|\d{1,9}(?=[.)](?:[ \t]|$))|[-=:|](?=[-=:| \t]*$)")
_DIVIDER = re.compile(r"\|[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*")
_BAR = re.compile(r"(?<!\\)\|")
_LINE = re.compile(r"[^\n]+")

Line = tuple[int, int]


def markdown(case: Case, config: PerturbConfig, random: Random) -> Iterator[Draft]:
    """The title as a heading above the text; what would be markup is escaped, and tables stay tables.

    Lines keep the spaces they begin and end with, and blank lines their number, as references (`&#32;`, `&#10;`);
    next to a table, where there is nothing that could hold them, only one blank line is kept. A table with a row
    longer than its header, which would lose cells, is text. Headings of the original are its text, not the page's.
    """
    draft = escaped(case.text, _edits(case.text), f"# {plain(case.title, _of_title(case.title))}\n\n")
    yield unwritable(_NOT_MARKDOWN, case.title, case.text) or draft


def _of_title(title: str) -> Iterator[Edit]:
    edits = [(i, i + 1, "&#10;") for i, sign in enumerate(title) if sign == "\n"]
    hashes = len(title) - len(title.rstrip("#"))
    if hashes:  # a heading may be closed by them
        edits.append((len(title) - hashes, len(title) - hashes, "\\"))
    inline = [edit for edit in _escapes(_TEXT, title, 0, len(title)) if title[edit[0]] != "\n"]
    yield from sorted({edit[0]: edit for edit in [*inline, *_edges(title, 0, len(title)), *edits]}.values())


def _edits(text: str) -> Iterator[Edit]:
    lines = [match.span() for match in _LINE.finditer(text)]
    rows = _rows(text, lines)
    at, in_table = 0, True  # blank lines at the top are kept by what follows, not by a paragraph before
    for number, (start, end) in enumerate(lines):
        row = number in rows
        yield from _blank_lines(at, start, number == 0, in_table and number > 0, row)
        if row:
            yield from _escapes(_CELLS, text, start, end)
        else:
            yield from _line(text, start, end)
        at, in_table = end, row
    if not lines or not in_table:
        yield from ((i, i + 1, "&#10;") for i in range(at, len(text)))


def _blank_lines(start: int, end: int, first: bool, after_row: bool, row: bool) -> Iterator[Edit]:
    """Line breaks between two lines: a table needs two, a paragraph holds those that are too many."""
    if after_row != row and not first and end - start == 1:
        yield start, start, "\n"
    if not row and not after_row:
        spare = start if first else start + 2
        if spare < end:
            yield spare, end, "&#10;" * (end - spare)


def _line(text: str, start: int, end: int) -> Iterator[Edit]:
    block = None if text[start].isspace() else _BLOCK.match(text[start:end])
    edits = {edit[0]: edit for edit in _escapes(_TEXT, text, start, end)}
    if block:
        at = start + (block.end() if text[start].isdigit() else 0)
        edits[at] = (at, at, "\\")
    edits.update((edit[0], edit) for edit in _edges(text, start, end))
    yield from sorted(edits.values())


def _edges(text: str, start: int, end: int) -> Iterator[Edit]:
    """White space at either end of a line, as references: it would be dropped, or make code or a line break."""
    for at in sorted({start, end - 1} if end > start else ()):
        if text[at].isspace():
            yield at, at + 1, f"&#{ord(text[at])};"


def _escapes(pattern: re.Pattern[str], text: str, start: int, end: int) -> Iterator[Edit]:
    for match in pattern.finditer(text, start, end):
        entity = _ENTITIES.get(match.group())
        yield (match.start(), match.end(), entity) if entity else (match.start(), match.start(), "\\")


def _rows(text: str, lines: list[Line]) -> set[int]:
    """The numbers of the lines that are tables by GFM: a header, a divider as long, rows no longer."""
    rows: set[int] = set()
    run: list[int] = []
    for number, (start, end) in enumerate([*lines, (len(text), len(text))]):
        adjoins = not run or start == lines[run[-1]][1] + 1
        if run and not (adjoins and text.startswith("|", start)):
            if _is_table(text, [lines[i] for i in run]):
                rows.update(run)
            run = []
        if text.startswith("|", start) and end > start:
            run.append(number)
    return rows


def _is_table(text: str, rows: list[Line]) -> bool:
    if len(rows) < 2 or not _DIVIDER.fullmatch(text, *rows[1]):
        return False
    columns = _columns(text[slice(*rows[0])])
    return columns == _columns(text[slice(*rows[1])]) and all(
        _columns(text[slice(*row)]) <= columns for row in rows[2:]
    )


def _columns(row: str) -> int:
    bars = len(_BAR.findall(row))
    return bars - 1 if re.search(r"(?<!\\)\|\s*$", row) and bars > 1 else bars
