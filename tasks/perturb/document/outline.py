"""What a passage is made of: headings that stay, and sentences, tables and lists that can move."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache

from rarefy.tasks.text.sentences import sentences

REMEMBERED = 50_000  # characters of the longest text that is: one of 1 MB is not kept
TITLE_WORDS = 15  # of a line without a full stop that is taken for a title; captions in filings are longer

_LINE = re.compile(r"[^\n]+")
_HEADING = re.compile(r"\s{0,3}#{1,6}(?:\s|$)")
_ITEM = re.compile(r"\s*(?:[-*+•●▪◦‣–—☐☒☑]|\d{1,3}[.)]|\(\d{1,3}\)|\([a-zA-Z]\)|[a-z][.)]|[A-Z]\)|\(?[ivx]{1,5}[.)])\s")
_FOOTNOTE = re.compile(r"\s*(?:\((?:\d{1,2}|[a-z])\)|\d{1,2}\s|\*{1,3}|[†‡§¹²³])")
_ENDS = re.compile(r"[.!?…。！？][\"'”’»)\]]*(?:\d{1,2}|\(\d{1,2}\))?\s*$")
# "Yes ☒ No ☐" is the answer to what stands before it
_BOXES = re.compile(r"(?=.*[☐☑☒✓✔✗✘]|.*\[[ xX]?\])(?:Yes|No|True|False|[☐☑☒✓✔✗✘]|\[[ xX]?\]|\s)+")
_REMARK = re.compile(
    r"\([^()\n]{1,150}\)"
)  # "(Exact name of registrant as specified in its charter)", a line by itself
_LEADS_IN = re.compile(r"\b(?:following|below|as follows|tables?|schedules?)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Piece:
    """`text[start:end]`, without white space around it."""

    start: int
    end: int
    section: int  # which of the stretches between walls it belongs to
    wall: bool = False  # a heading or a title: no sentence goes from one side of it to the other
    lines: bool = False  # a table or a list, which must have its lines to itself


@dataclass(frozen=True, slots=True)
class _Block:
    kind: str  # heading | table | item | text
    start: int
    end: int


def outline(text: str) -> tuple[Piece, ...]:
    """The pieces in order, together all of the text but white space."""
    return _remembered(text) if len(text) <= REMEMBERED else _outline(text)


def _outline(text: str) -> tuple[Piece, ...]:
    """Blocks become pieces; a piece that leads in what follows waits for it, and is then one with it."""
    pieces: list[Piece] = []
    section = 0
    leads = False  # the last piece waits for what comes
    last = ""  # kind of the block before
    blocks = list(_blocks(text))
    for number, block in enumerate(blocks):
        following = blocks[number + 1].kind if number + 1 < len(blocks) else ""
        own = text[block.start : block.end] if block.end - block.start <= 160 else ""
        behind = bool(pieces) and not pieces[-1].wall and last in ("text", "item")
        remark = block.kind == "text" and following != "table" and _REMARK.fullmatch(own)
        if behind and block.kind != "heading" and (_BOXES.fullmatch(own) or remark):
            _add(pieces, Piece(block.start, block.end, section), True)
            leads = False
            continue
        if block.kind == "heading" or (block.kind == "text" and following != "table" and _is_title(text, block)):
            pieces.append(Piece(block.start, block.end, section + 1, wall=True))
            section, leads, last = section + 2, False, "heading"
            continue
        if block.kind in ("table", "item"):
            joins = leads or last == block.kind or (last == "table" and _FOOTNOTE.match(text, block.start) is not None)
            _add(pieces, Piece(block.start, block.end, section, lines=True), joins)
            leads = False
            last = "table" if last == "table" and joins else block.kind
            continue
        if last == "table" and _FOOTNOTE.match(text, block.start):
            _add(pieces, Piece(block.start, block.end, section, lines=True), True)
            continue
        caption = following == "table" and not _ENDS.search(text, max(block.start, block.end - 12), block.end)
        spans = [(block.start + a, block.start + b) for a, b in sentences(text[block.start : block.end])]
        for start, end in spans:
            boxes = end - start <= 40 and _BOXES.fullmatch(text, start, end) is not None
            _add(pieces, Piece(start, end, section), leads or (boxes and last != "table"))
            leads = text[end - 1] in ":：" or (caption and end == spans[-1][1])
        final = text[spans[-1][0] : spans[-1][1]]
        if following == "table":
            leads = leads or _LEADS_IN.search(final) is not None
        elif following == "item":
            leads = leads or not _ENDS.search(final[-12:])
        last = "text"
    return tuple(pieces)


_remembered = lru_cache(512)(_outline)  # a block of questions: each of their chunks is looked at for several variants


def _add(pieces: list[Piece], piece: Piece, joins: bool) -> None:
    """Put a piece behind the others, as one with the last of its section where it belongs to it."""
    if joins and pieces and not pieces[-1].wall and pieces[-1].section == piece.section:
        pieces[-1] = replace(pieces[-1], end=piece.end, lines=pieces[-1].lines or piece.lines)
    else:
        pieces.append(piece)


def _is_title(text: str, block: _Block) -> bool:
    """Is this a line by itself that ends like no sentence: "Liquidity and Capital Resources"?"""
    line = text[block.start : min(block.end, block.start + 25 * TITLE_WORDS)]
    if "\n" in line or block.start + len(line) < block.end or len(line.split()) > TITLE_WORDS:
        return False
    return line[-1] not in ":：;,；，" and not _ENDS.search(line) and len(sentences(line)) == 1


def _blocks(text: str) -> Iterator[_Block]:
    """Headings line by line; tables; list items and paragraphs with the lines that go on with them."""
    kind, start, end = "", 0, 0
    for match in _LINE.finditer(text):
        line = match.group()
        stripped = line.strip()
        if not stripped:
            if kind:
                yield _Block(kind, start, end)
            kind = ""
            continue
        at = match.start() + len(line) - len(line.lstrip())
        now = "text"
        if stripped[0] == "|":
            now = "table"
        elif stripped[0] == "#" and _HEADING.match(line):
            now = "heading"
        elif _ITEM.match(line + " "):
            now = "item"
        adjoins = kind and text.count("\n", end, at) < 2
        if adjoins and (now == kind == "table" or (now == "text" and kind in ("text", "item"))):
            end = at + len(stripped)
            continue
        if kind:
            yield _Block(kind, start, end)
        kind, start, end = now, at, at + len(stripped)
    if kind:
        yield _Block(kind, start, end)
