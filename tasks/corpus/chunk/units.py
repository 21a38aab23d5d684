"""What in a document belongs together: a table with its words, a heading with what it heads (papers.md R2, R3)."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from rarefy.tasks.corpus.chunk.pieces import Piece
from rarefy.tasks.corpus.chunk.profiles import Profile
from rarefy.tasks.text.sentences import sentences

# A paragraph up to this many words before a table is taken for its lead-in; a longer one only when it says so.
LEAD_IN_WORDS = 40

_ITEM = re.compile(r"#*\s*\**\s*(?:part\s+[ivx]+\s*[.,:—–-]*\s*)?item\s+\d{1,2}[a-c]?\b", re.IGNORECASE)
_POINTS_AHEAD = re.compile(
    r"\b(?:following|below|as follows|(?:table|schedule|chart)s?\b.*?\b(?:sets? forth|presents?|shows?|summari[sz]es?|"
    r"provides?|details?|reconciles?|contains?))\b|\bare summari[sz]ed\b",
    re.IGNORECASE | re.DOTALL,
)
_SEVERAL = re.compile(r"\b(?:tables|schedules|statements)\b", re.IGNORECASE)
_MARK = re.compile(r"\((?:\d{1,2}|[a-z])\)|\*{1,3}(?!\*)|[†‡§¹²³]")


@dataclass(frozen=True, slots=True)
class Unit:
    """What no boundary between chunks may cut."""

    start: int
    end: int
    tokens: int
    words: int
    weight: int  # in the profile's unit
    section: str
    table: bool = False
    heading: int = 0  # the level of the highest heading that it begins with, 1 the highest; 0: begins with none
    item: bool = False  # begins an Item of a filing
    part: bool = False  # holds a part of a paragraph that alone exceeds the limit
    continues: bool = False  # begins inside such a paragraph


def units(text: str, groups: Iterable[list[Piece]], profile: Profile) -> Iterator[Unit]:
    """The units that these pieces make: paragraphs with the headings above them, tables with all that explains them."""
    ahead: list[Piece] = []  # headings and captions, that wait for what they head
    paragraph: list[Piece] = []  # the last one with its headings, that waits to see whether it leads in a table
    table: list[Piece] = []  # the last one with its words, that waits for its footnotes
    several = False  # its lead-in speaks of more tables than one
    for group in groups:
        piece = group[0]
        if table and not ahead and len(group) == 1 and _is_footnote(text, piece, table):
            table.append(piece)
        elif piece.kind in ("heading", "caption"):
            ahead += group
        elif piece.kind == "table":
            titled = any(p.kind == "heading" for p in ahead)
            lead_in = paragraph if _leads_in(text, paragraph, titled) else []
            together = [*table, *ahead, *group]
            if table and (several or not titled) and sum(p.weight(profile) for p in together) <= profile.size:
                table, ahead = together, []  # it goes on under the words of the one before
                continue
            if table or (paragraph and not lead_in):
                yield _unit(text, table or paragraph, profile)
            several = any(_SEVERAL.search(text, p.start, p.end) for p in lead_in)
            table, paragraph, ahead = [*lead_in, *ahead, *group], [], []
        else:
            if table or paragraph:
                yield _unit(text, table or paragraph, profile)
            *earlier, last = group
            for part in earlier:
                yield _unit(text, [*ahead, part], profile)
                ahead = []
            table, paragraph, ahead = [], [*ahead, last], []
    last_words = table or paragraph
    if last_words or ahead:  # headings that nothing follows end the last unit
        yield _unit(text, [*last_words, *ahead], profile)


def _is_footnote(text: str, piece: Piece, table: list[Piece]) -> bool:
    """Whether the piece right after a table is a footnote: by its kind, or by a mark that the table has too."""
    if piece.kind != "text":
        return piece.kind == "footnote"
    mark = _MARK.match(text, piece.start, piece.end)
    if mark is None:
        return False
    return table[-1].kind != "table" or text.find(mark.group(), table[0].start, table[-1].end) >= 0


def _leads_in(text: str, paragraph: list[Piece], titled: bool) -> bool:
    """Whether the paragraph before a table is about it; one that a title parts from it must say so."""
    if not paragraph:
        return False
    last = paragraph[-1]
    said = text[last.start : last.end]
    if said.endswith(":") or (last.words <= LEAD_IN_WORDS and not last.part and not titled):
        return True
    start, end = sentences(said)[-1]
    return bool(_POINTS_AHEAD.search(said, start, end))


def _unit(text: str, parts: list[Piece], profile: Profile) -> Unit:
    headings = [text[p.start : p.end] for p in parts if p.kind == "heading"] if parts[0].kind == "heading" else []
    return Unit(
        start=parts[0].start,
        end=parts[-1].end,
        tokens=sum(p.tokens for p in parts),
        words=sum(p.words for p in parts),
        weight=sum(p.weight(profile) for p in parts),
        section=next((p for p in parts if p.kind != "heading"), parts[-1]).section,
        table=any(p.kind == "table" for p in parts),
        heading=min((_level(heading) for heading in headings), default=0),
        item=any(_ITEM.match(heading) for heading in headings),
        part=any(p.part for p in parts),
        continues=parts[0].part > 1,
    )


def _level(heading: str) -> int:
    return (len(heading) - len(heading.lstrip("#"))) or 2
