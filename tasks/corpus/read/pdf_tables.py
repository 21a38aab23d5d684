"""Tables of a PDF page that are drawn with lines, and how a table of contents is told from them."""

import re
from typing import Any

from rarefy.tasks.corpus.read.cells import PREFIX, SUFFIX, is_value, tidy

ENTRY = re.compile(r"(?:item|part|note|chapter|section|\d+\.|[ivx]+\.|consolidated|report)\b|.*\.{4}", re.I)


def ruled_tables(page: Any) -> list[tuple[tuple[float, float, float, float], list[list[str]]]]:
    """Box and rows of each table drawn with lines; boxes around a text and shaded stripes are none."""
    found = []
    for table in page.filter(_is_no_shade).find_tables():
        rows = [[None if cell is None else tidy(" ".join(cell.split())) for cell in row] for row in table.extract()]
        rows = [row for row in rows if any(row)]
        width = max((len(row) for row in rows), default=0)
        filled = sum(1 for row in rows for cell in row if cell)
        packed = sum(1 for row in rows for cell in row if cell and " " in cell and all(map(is_value, cell.split())))
        worded = sum(any(map(str.isalpha, cell or "")) for row in rows for cell in row)
        if len(rows) < 2 or width < 2 or filled < 0.4 * len(rows) * width or packed > 0.1 * filled or not worded:
            continue
        found.append((table.bbox, _without_layout(_spanned(rows))))
    return found


def _is_no_shade(thing: dict[str, Any]) -> bool:
    """A stripe behind a row is no line of a table; what is thin is drawn as one."""
    if thing["object_type"] != "rect" or thing.get("stroke"):
        return True
    return bool(thing["height"] < 3 or thing["width"] < 3)


def _spanned(rows: list[list[str | None]]) -> list[list[str]]:
    """Rows without holes: a header that spans columns repeated, header rows joined to one."""
    depth = 1
    while depth < min(len(rows) - 1, 4) and None in rows[depth - 1] and not any(is_value(c) for c in rows[depth] if c):
        depth += 1
    heads: list[list[str]] = []
    for row in rows[:depth]:
        last, head = "", []
        for cell in row:
            last = last if cell is None else cell
            head.append(last)
        heads.append(head)
    joined = [" ".join(dict.fromkeys(filter(None, column))) for column in zip(*heads, strict=True)]
    return [joined, *([cell or "" for cell in row] for row in rows[depth:])]


def _without_layout(rows: list[list[str]]) -> list[list[str]]:
    """Currency signs, closing parentheses and percent signs with the figures they belong to; empty columns gone."""
    made = []
    for row in rows:
        row = list(row)
        for at, cell in enumerate(row):
            if cell and at + 1 < len(row) and PREFIX.match(cell) and is_value(row[at + 1]):
                row[at], row[at + 1] = "", cell + row[at + 1]
            elif cell and at and SUFFIX.match(cell) and is_value(row[at - 1]):
                row[at - 1], row[at] = row[at - 1] + cell, ""
        made.append(row)
    kept = [at for at in range(len(made[0])) if any(row[at] for row in made[1:])]
    return [[row[at] for at in kept] for row in made]


def is_contents(rows: list[list[str]]) -> bool:
    """Whether the rows are a table of contents: titles, and page numbers that never fall."""
    pages = [int(row[-1]) for row in rows if row[-1].isdecimal() and len(row[-1]) < 4]
    others = [cell for row in rows for cell in row[:-1] if is_value(cell)]
    entries = sum(bool(ENTRY.match(" ".join(row))) for row in rows)
    return (
        len(pages) > 3
        and pages == sorted(pages)
        and len(pages) >= 0.6 * len(rows)
        and not others
        and entries > 0.3 * len(rows)
    )
