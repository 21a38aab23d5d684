"""Tables of a plain text, whose figures stand in columns because every letter is equally wide."""

import re
from collections.abc import Iterator

from rarefy.tasks.corpus.read.aligned import aligned_table
from rarefy.tasks.corpus.read.pdf_lines import Line, Word

ROW = re.compile(r"\S\s{2,}[$(]?\s?\d[\d,.]*\)?\s?%?(?:\s|$)")
RULE = re.compile(r"[\s\-=_.|+]+")
TAG = re.compile(r"\s*</?(?:TABLE|CAPTION|S|C|PAGE|FN|F\d+)>", re.I)  # EDGAR's marks around tables in text filings
WIDTH, HEIGHT, SIZE = 6.0, 12.0, 10.0  # of a letter and a line: one blank parts words, two part cells
ABOVE, BETWEEN = 8, 3  # lines: a header is no longer, and figures stand no further apart


def split_tables(text: str) -> Iterator[tuple[str, list[list[str]]]]:
    """("text", []) stretches and ("", rows) tables of a text, in order."""
    if not ROW.search(text):
        yield text, []
        return
    lines = [TAG.sub("", line).expandtabs() for line in text.split("\n")]
    position = 0
    for first, last in _regions(lines):
        first = max(first, position)
        numbers = [n for n in range(first, last) if lines[n].strip() and not RULE.fullmatch(lines[n])]
        found = aligned_table([_line(lines[n], rank) for rank, n in enumerate(numbers)]) if numbers else None
        if found:
            start, end, rows = found
            yield "\n".join(lines[position : numbers[start]]), []
            yield "", rows
            position = numbers[end - 1] + 1
    yield "\n".join(lines[position:]), []


def _regions(lines: list[str]) -> Iterator[tuple[int, int]]:
    """Where rows of figures follow each other, with the lines above that may be their header."""
    rows = [n for n, line in enumerate(lines) if ROW.search(line)]
    start = 0
    for at in range(1, len(rows) + 1):
        if at == len(rows) or rows[at] - rows[at - 1] > BETWEEN + 1:
            if at - start >= 3:
                yield max(rows[start] - ABOVE, 0), rows[at - 1] + 1
            start = at


def _line(line: str, rank: int) -> Line:
    """A line of text as if it stood on a page."""
    words = [
        Word(m.group(), m.start() * WIDTH, m.end() * WIDTH, rank * HEIGHT, rank * HEIGHT + SIZE, SIZE, False)
        for m in re.finditer(r"\S+", line)
    ]
    return Line(tuple(words), 1)
