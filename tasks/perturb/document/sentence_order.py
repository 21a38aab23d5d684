"""Put the sentences of a passage into another order (SURE §3.2, Logic; Figure 8: random, reverse, LLM-ranked).

SURE shuffles the sentences of passages of 100 words of running text. Chunks have headings and tables besides, so here

- sentences stay under the heading that they stood under: headings, and lines that are titles, stay where they are, and
  each stretch between two of them is put into order by itself. Elsewhere "Sales rose 5 %" would be said of another
  segment. Paragraph breaks stay where they were, too; sentences move across them.
- a table is a unit, with the sentence or caption that leads it in ("The following table ...", "(in millions)") and its
  footnotes; so is a list with its lead-in, and a sentence that ends with a colon with the one that it announces."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from random import Random

from rarefy.tasks.perturb.case import Case, Draft, Move
from rarefy.tasks.perturb.config import PerturbConfig
from rarefy.tasks.text.sentences import sentences

# Pieces of a passage: headings stay; sentences, tables and lists can move

REMEMBERED = 50_000  # characters of the longest text that is cached
TITLE_WORDS = 15  # words of a title, at most; captions in filings are longer

_LINE = re.compile(r"[^\n]+")
_HEADING = re.compile(r"\s{0,3}#{1,6}(?:\s|$)")
_ITEM = re.compile(r"\s*(?:[-*+•●▪◦‣–—☐☒☑]|\d{1,3}[.)]|\(\d{1,3}\)|\([a-zA-Z]\)|[a-z][.)]|[A-Z]\)|\(?[ivx]{1,5}[.)])\s")
_FOOTNOTE = re.compile(r"\s*(?:\((?:\d{1,2}|[a-z])\)|\d{1,2}\s|\*{1,3}|[†‡§¹²³])")
_ENDS = re.compile(r"[.!?…。！？][\"'”’»)\]]*(?:\d{1,2}|\(\d{1,2}\))?\s*$")
# "Yes ☒ No ☐" answers the line before it
_BOXES = re.compile(r"(?=.*[☐☑☒✓✔✗✘]|.*\[[ xX]?\])(?:Yes|No|True|False|[☐☑☒✓✔✗✘]|\[[ xX]?\]|\s)+")
# "(Exact name of registrant as specified in its charter)", on a line by itself
_REMARK = re.compile(r"\([^()\n]{1,150}\)")
_LEADS_IN = re.compile(r"\b(?:following|below|as follows|tables?|schedules?)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class OutlinePiece:
    """`text[start:end]`, without white space around it."""

    start: int
    end: int
    section: int  # number of the stretch between walls
    wall: bool = False  # a heading or a title: no sentence moves across it
    lines: bool = False  # a table or a list, which needs lines of its own


@dataclass(frozen=True, slots=True)
class _Block:
    kind: str  # heading | table | item | text
    start: int
    end: int


def find_pieces(text: str) -> tuple[OutlinePiece, ...]:
    """The pieces of a text in order, all of it but white space."""
    return _cached_pieces(text) if len(text) <= REMEMBERED else _find_pieces(text)


def _find_pieces(text: str) -> tuple[OutlinePiece, ...]:
    """Turn blocks into pieces; one that introduces the next is joined with it."""
    pieces: list[OutlinePiece] = []
    section = 0
    leads = False  # the last piece introduces the next
    last = ""  # kind of the block before
    blocks = list(_split_blocks(text))
    for number, block in enumerate(blocks):
        following = blocks[number + 1].kind if number + 1 < len(blocks) else ""
        own = text[block.start : block.end] if block.end - block.start <= 160 else ""
        behind = bool(pieces) and not pieces[-1].wall and last in ("text", "item")
        remark = block.kind == "text" and following != "table" and _REMARK.fullmatch(own)
        if behind and block.kind != "heading" and (_BOXES.fullmatch(own) or remark):
            _add_piece(pieces, OutlinePiece(block.start, block.end, section), True)
            leads = False
            continue
        if block.kind == "heading" or (block.kind == "text" and following != "table" and _is_title(text, block)):
            pieces.append(OutlinePiece(block.start, block.end, section + 1, wall=True))
            section, leads, last = section + 2, False, "heading"
            continue
        if block.kind in ("table", "item"):
            joins = leads or last == block.kind or (last == "table" and _FOOTNOTE.match(text, block.start) is not None)
            _add_piece(pieces, OutlinePiece(block.start, block.end, section, lines=True), joins)
            leads = False
            last = "table" if last == "table" and joins else block.kind
            continue
        if last == "table" and _FOOTNOTE.match(text, block.start):
            _add_piece(pieces, OutlinePiece(block.start, block.end, section, lines=True), True)
            continue
        caption = following == "table" and not _ENDS.search(text, max(block.start, block.end - 12), block.end)
        spans = [(block.start + a, block.start + b) for a, b in sentences(text[block.start : block.end])]
        for start, end in spans:
            boxes = end - start <= 40 and _BOXES.fullmatch(text, start, end) is not None
            _add_piece(pieces, OutlinePiece(start, end, section), leads or (boxes and last != "table"))
            leads = text[end - 1] in ":：" or (caption and end == spans[-1][1])
        final = text[spans[-1][0] : spans[-1][1]]
        if following == "table":
            leads = leads or _LEADS_IN.search(final) is not None
        elif following == "item":
            leads = leads or not _ENDS.search(final[-12:])
        last = "text"
    return tuple(pieces)


_cached_pieces = lru_cache(512)(_find_pieces)  # a chunk has several variants


def _add_piece(pieces: list[OutlinePiece], piece: OutlinePiece, joins: bool) -> None:
    """Append a piece, or join it with the last one of its section."""
    if joins and pieces and not pieces[-1].wall and pieces[-1].section == piece.section:
        pieces[-1] = replace(pieces[-1], end=piece.end, lines=pieces[-1].lines or piece.lines)
    else:
        pieces.append(piece)


def _is_title(text: str, block: _Block) -> bool:
    """Whether a block is one line that does not end as a sentence: "Liquidity and Capital Resources"."""
    line = text[block.start : min(block.end, block.start + 25 * TITLE_WORDS)]
    if "\n" in line or block.start + len(line) < block.end or len(line.split()) > TITLE_WORDS:
        return False
    return line[-1] not in ":：;,；，" and not _ENDS.search(line) and len(sentences(line)) == 1


def _split_blocks(text: str) -> Iterator[_Block]:
    """Headings by line, tables, and list items and paragraphs with their continuation lines."""
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


MOVED = 0.5  # share of the sentences that must be exceeded by those that moved
DRAFTS = 5  # orders of one passage, at most
DETAILED = 500  # characters of an order in a row's detail, at most
SHUFFLES = 40  # tries for new orders


def random_order(case: Case, config: PerturbConfig, random: Random) -> Iterator[Draft]:
    """The sentences shuffled, but not reversed, which is another perturbation."""
    sections = [piece.section for piece in find_pieces(case.text) if not piece.wall]
    if len(sections) == len(set(sections)):
        return  # each sentence under a heading of its own
    order = list(range(len(sections)))
    seen = {case.text, reorder_sentences(case.text, order[::-1]).text}
    count = 0
    for _ in range(SHUFFLES):
        random.shuffle(order)
        draft = reorder_sentences(case.text, order)
        if draft.text not in seen and _is_visible_reorder(case.text, draft):
            yield draft
            count += 1
        seen.add(draft.text)
        if count == DRAFTS:
            return


def reverse_order(case: Case, config: PerturbConfig, random: Random) -> Iterator[Draft]:
    """The sentences from the last to the first."""
    draft = reorder_sentences(case.text, range(len(find_sentence_units(case.text)))[::-1])
    if draft.text != case.text and _is_visible_reorder(case.text, draft):
        yield draft


def _is_visible_reorder(text: str, draft: Draft) -> bool:
    """Whether most of what can move has another place in the draft."""
    ranks = {start: rank for rank, (start, _) in enumerate(find_sentence_units(text))}
    units = [ranks[move.start] for move in draft.moves if move.start in ranks]
    return sum(rank != place for place, rank in enumerate(units)) > MOVED * len(units)


def find_sentence_units(text: str) -> tuple[tuple[int, int], ...]:
    """Spans that can be reordered: sentences, and tables and lists with their introductions."""
    return tuple((piece.start, piece.end) for piece in find_pieces(text) if not piece.wall)


def reorder_sentences(text: str, order: Sequence[int]) -> Draft:
    """The text with its sentence units in this order, a permutation of their numbers, within each pair of headings.

    ValueError where it is no permutation.
    """
    pieces = find_pieces(text)
    units = [at for at, piece in enumerate(pieces) if not piece.wall]
    if sorted(order) != list(range(len(units))):
        raise ValueError(f"not an order of {len(units)} units, each named once: {list(order)[:20]}")
    queues: dict[int, list[int]] = {}  # of the units of each section, the next last
    for number in reversed(order):
        queues.setdefault(pieces[units[number]].section, []).append(units[number])
    places = [at if piece.wall else queues[piece.section].pop() for at, piece in enumerate(pieces)]

    written, moves, length = [text[: pieces[0].start]] if pieces else [text], [], pieces[0].start if pieces else 0
    for slot, at in enumerate(places):
        piece = pieces[at]
        if slot:
            gap = text[pieces[slot - 1].end : pieces[slot].start]
            gap = (
                gap
                if at == places[slot - 1] + 1 and at == slot
                else _choose_gap(text, gap, pieces[places[slot - 1]], piece)
            )
            written.append(gap)
            length += len(gap)
        written.append(text[piece.start : piece.end])
        moves.append(Move(piece.start, piece.end, length))
        length += piece.end - piece.start
    if pieces:
        written.append(text[pieces[-1].end :])
    numbers = {at: number for number, at in enumerate(units)}
    order_text = " ".join(str(numbers[at]) for at in places if at in numbers)
    return Draft("".join(written), tuple(moves), detail=order_text if len(order_text) <= DETAILED else "")


def _choose_gap(text: str, gap: str, before: OutlinePiece, after: OutlinePiece) -> str:
    """The gap between two pieces that were not adjacent, in the place of this gap."""
    if (before.lines or after.lines) and gap.count("\n") < 2:
        return "\n\n"  # a table in the middle of a line would be none
    # between Chinese sentences there is no space, after one that is cut off there must be
    return gap or ("" if text[before.end - 1] in "。！？”」』)" else " ")
