"""Cut the passage of a chunk for a context: whole sentences and rows around the evidence (Magic Mushroom §4.1)."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from rarefy.data_contracts.rows import Chunk
from rarefy.tasks.text.sentences import sentences

DIVIDER = re.compile(r"\|?\s*:?-{3,}")
HEADERLESS = 12  # a row gets its header if that is within so many times the wanted words above it
CAPTION = 25  # words of a caption above a table, at most
LEAD = 80  # words of a sentence with a colon above a table, at most
FEWEST = 12  # least words of an informative passage
_LETTERS = re.compile(r"[^\W\d_]{2,}")
_HEADING = re.compile(r"#{1,6}\s")
# A line that may be a heading: a passage may begin but not end with it
_TITLE = re.compile(r"[A-Z][^\W\d_]*(?:[ ,&/’'-]+[^\W\d_]+){0,7}")
# A continuation of the line before, with which no passage begins: "95014 (Zip Code)", "(408) 996-1010"
_MIDDLE = re.compile(r"\(|\d+\s\(|[a-z]")


@dataclass(frozen=True, slots=True)
class Unit:
    """A sentence, row or title, which is never cut. `table` is the number of its table, -1 outside one."""

    start: int
    end: int
    words: int
    kind: str  # sentence | lead (ends with a colon) | heading | title | header | row
    table: int = -1
    paragraph: int = 0


@lru_cache(2000)  # a chunk is used for several questions
def split_units(text: str) -> tuple[Unit, ...]:
    """The units of a text, in order."""
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
            found.append(Unit(start, end, _count_words(line), "header" if head else "row", table, paragraph))
        elif _HEADING.match(line):
            found.append(Unit(start, end, _count_words(line), "heading", -1, paragraph))
        elif _TITLE.fullmatch(line) and lines[i - 1][1] + 1 < start:
            found.append(Unit(start, end, _count_words(line), "title", -1, paragraph))
        else:
            found += [
                Unit(
                    start + a,
                    start + b,
                    _count_words(line[a:b]),
                    "lead" if line[b - 1] == ":" else "sentence",
                    -1,
                    paragraph,
                )
                for a, b in sentences(line)
            ]
        above = line
    return tuple(found)


def find_passage(chunk: Chunk, spans: Sequence[tuple[int, int]], words: int) -> tuple[int, int]:
    """`[start, end)` of the passage of a chunk that contains these spans, of so many words where possible.

    Whole sentences and rows. A row comes with everything up to its table's header, caption and unit, however long.
    Without spans it is the chunk's first informative passage; `(0, 0)` for an empty text.
    """
    own = split_units(chunk.text)
    if not own:
        return 0, len(chunk.text)
    with_evidence = [i for i, unit in enumerate(own) if any(unit.start < b and a < unit.end for a, b in spans)]
    if not with_evidence:
        found = split_passages(chunk.text, words)
        return found[0] if found else _extend(chunk.text, own, 0, 0, words)
    first, last = with_evidence[0], with_evidence[-1]
    first = _include_header(own, first, words)
    return _extend(chunk.text, own, first, last, words)


@lru_cache(2000)
def split_passages(text: str, words: int) -> tuple[tuple[int, int], ...]:
    """The informative passages of a text, in order: whole sentences, or rows of a table from its header on."""
    own = split_units(text)
    found: list[tuple[int, int]] = []
    i = 0
    while i < len(own):
        if own[i].kind == "row":  # the middle of a table cannot be understood
            i += 1
            continue
        last, sum_ = i, own[i].words
        while last + 1 < len(own) and own[last + 1].kind != "heading" and sum_ + own[last + 1].words <= words:
            if own[last].table >= 0 and own[last + 1].table != own[last].table:
                break
            last += 1
            sum_ += own[last].words
        if own[last].kind == "header" and last + 1 < len(own) and own[last + 1].kind == "row":
            last = _before_table(own, i, last)  # never a header alone
        while last > i and own[last].kind == "title" and last + 1 < len(own):
            last -= 1
        start, end = own[i].start, own[last].end
        if is_informative(text[start:end]):
            found.append((start, end))
        i = last + 1
    return tuple(found)


def is_informative(text: str) -> bool:
    """Whether a passage has more than headings, page numbers and rules."""
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


def _include_header(own: Sequence[Unit], first: int, words: int) -> int:
    """The first unit of a passage whose first row has its header, caption and unit."""
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


def _extend(text: str, own: Sequence[Unit], first: int, last: int, words: int) -> tuple[int, int]:
    """The span of units `first` to `last` and those around that fit, of their paragraph first."""
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


def _count_words(text: str) -> int:
    """The number of words and figures, without table bars."""
    return len(re.findall(r"[^\s|]*\w[^\s|]*", text))
