"""The part of a chunk that goes into a context: whole sentences and rows around the evidence (Magic Mushroom §4.1)."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from rarefy.data_contracts.rows import Chunk
from rarefy.tasks.text.sentences import sentences

DIVIDER = re.compile(r"\|?\s*:?-{3,}")
HEADERLESS = 12  # times the words asked for: so far up a row still goes with its header; a table beyond is a data file
CAPTION = 25  # words of a line above a table at most that is its caption or says its unit
LEAD = 80  # words of a sentence that announces a table with its colon
FEWEST = 12  # words of letters below which a passage says nothing
_LETTERS = re.compile(r"[^\W\d_]{2,}")
_HEADING = re.compile(r"#{1,6}\s")
# A line of its own that may be a heading without its mark: a passage may begin with it, but does not end with it
_TITLE = re.compile(r"[A-Z][^\W\d_]*(?:[ ,&/’'-]+[^\W\d_]+){0,7}")
# What goes on from the line before, which no passage begins with: "95014 (Zip Code)", "(408) 996-1010"
_MIDDLE = re.compile(r"\(|\d+\s\(|[a-z]")


@dataclass(frozen=True, slots=True)
class Unit:
    """What is never cut: a sentence, a row, a title. `table` is the number of its table, -1 outside one."""

    start: int
    end: int
    words: int
    kind: str  # sentence | lead (ends with a colon) | heading | title | header | row
    table: int = -1
    paragraph: int = 0


@lru_cache(2000)  # a chunk is the passage of several questions, and the neighbour of more
def units(text: str) -> tuple[Unit, ...]:
    """A text in what a reader takes in whole, in order."""
    found: list[Unit] = []
    table, paragraph, above = -1, 0, ""
    lines = [match.span() for match in re.finditer(r"[^\n]+", text)]
    for i, (start, end) in enumerate(lines):
        line = text[start:end]
        if not line.strip():
            continue
        if (i and "\n\n" in text[lines[i - 1][1] : start]) or _HEADING.match(line):
            paragraph += 1
        if line.lstrip().startswith("|"):
            if not above.lstrip().startswith("|"):
                table += 1
            following = text[slice(*lines[i + 1])] if i + 1 < len(lines) else ""
            head = DIVIDER.match(line.strip()) or DIVIDER.match(following.strip())
            found.append(Unit(start, end, _words(line), "header" if head else "row", table, paragraph))
        elif _HEADING.match(line):
            found.append(Unit(start, end, _words(line), "heading", -1, paragraph))
        elif _TITLE.fullmatch(line) and lines[i - 1][1] + 1 < start:
            found.append(Unit(start, end, _words(line), "title", -1, paragraph))
        else:
            found += [
                Unit(
                    start + a, start + b, _words(line[a:b]), "lead" if line[b - 1] == ":" else "sentence", -1, paragraph
                )
                for a, b in sentences(line)
            ]
        above = line
    return tuple(found)


def passage(chunk: Chunk, spans: Sequence[tuple[int, int]], words: int) -> tuple[int, int]:
    """`[start, end)` of the passage of a chunk that holds these spans, of so many words where the spans allow it.

    Always whole sentences and rows. A row comes with all that stands between it and its table's header, the caption
    and unit above included: one stretch of the chunk that can be read, however long. Without spans it is the chunk's
    first passage that says something. `(0, 0)` for an empty text.
    """
    own = units(chunk.text)
    if not own:
        return 0, len(chunk.text)
    held = [i for i, unit in enumerate(own) if any(unit.start < b and a < unit.end for a, b in spans)]
    if not held:
        found = windows(chunk.text, words)
        return found[0] if found else _grown(chunk.text, own, 0, 0, words)
    first, last = held[0], held[-1]
    first = _readable(own, first, words)
    return _grown(chunk.text, own, first, last, words)


@lru_cache(2000)
def windows(text: str, words: int) -> tuple[tuple[int, int], ...]:
    """The passages of a text, in order, each of whole sentences or of a table from its header, that say something."""
    own = units(text)
    found: list[tuple[int, int]] = []
    i = 0
    while i < len(own):
        if own[i].kind == "row":  # the middle of a table, which nobody can read
            i += 1
            continue
        last, sum_ = i, own[i].words
        while last + 1 < len(own) and own[last + 1].kind != "heading" and sum_ + own[last + 1].words <= words:
            if own[last].table >= 0 and own[last + 1].table != own[last].table:
                break
            last += 1
            sum_ += own[last].words
        if own[last].kind == "header" and last + 1 < len(own) and own[last + 1].kind == "row":
            last = _before_table(own, i, last)  # a header alone is left to the next passage, or has its first rows
        while last > i and own[last].kind == "title" and last + 1 < len(own):
            last -= 1
        start, end = own[i].start, own[last].end
        if telling(text[start:end]):
            found.append((start, end))
        i = last + 1
    return tuple(found)


def telling(text: str) -> bool:
    """Does a passage say something: more than headings, page numbers and rules?"""
    body = "\n".join(line for line in text.split("\n") if not _HEADING.match(line))
    return len(_LETTERS.findall(body)) >= FEWEST


def _before_table(own: Sequence[Unit], first: int, last: int) -> int:
    """The last unit before the table that begins at the end of `[first, last]`; its first rows where there is none."""
    head = last
    while head > first and own[head].kind == "header":
        head -= 1
    if own[head].kind != "header" and head > first and own[head].words > CAPTION:
        return head
    while last + 1 < len(own) and own[last + 1].table == own[last].table and last - head < 6:
        last += 1
    return last


def _readable(own: Sequence[Unit], first: int, words: int) -> int:
    """Where a passage must begin so that its first row has a header, a caption and a unit."""
    if own[first].table >= 0:
        at, sum_ = first, 0
        while at and own[at - 1].table == own[first].table and sum_ <= HEADERLESS * words:
            at -= 1
            sum_ += own[at].words
        if sum_ > HEADERLESS * words:
            return first
        first = at
        for _ in range(2):  # "(in millions)" below "The following table shows ...:"
            if first and _introduces(own[first - 1]):
                first -= 1
    return first


def _introduces(unit: Unit) -> bool:
    return unit.words <= {"sentence": CAPTION, "title": CAPTION, "heading": CAPTION, "lead": LEAD}.get(unit.kind, -1)


def _grown(text: str, own: Sequence[Unit], first: int, last: int, words: int) -> tuple[int, int]:
    """The units from `first` to `last` and as many around as there is room for, those of their paragraph first."""
    room, most, least = words - sum(unit.words for unit in own[first : last + 1]), first, last
    while True:
        after = last + 1 < len(own) and own[last + 1].kind != "heading" and own[last + 1].words <= room
        if after and own[last + 1].kind == "header":  # another table
            after = False
        before = bool(first) and own[first].kind != "heading" and own[first - 1].words <= room
        if before and own[first - 1].table >= 0 and own[first - 1].table != own[first].table:
            before = False
        if after and before and own[last + 1].paragraph != own[last].paragraph:
            after = own[first - 1].paragraph != own[first].paragraph
        if after:
            last += 1
            room -= own[last].words
        elif before:
            first -= 1
            room -= own[first].words
        else:
            break
    while last > least and own[last].kind == "title":
        last -= 1
    while first < most and _MIDDLE.match(text, own[first].start) and own[first].kind == "sentence":
        first += 1
    return own[first].start, own[last].end


def _words(text: str) -> int:
    """Words and figures, the bars of a table apart."""
    return len(re.findall(r"[^\s|]*\w[^\s|]*", text))
