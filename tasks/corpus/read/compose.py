"""Clean characters, and put pieces together as the normalised text that every span points into."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate

from rarefy.data_contracts.rows import Block, Document, Link, Place
from rarefy.tasks.corpus.read.cells import is_units
from rarefy.tasks.text.sentences import sentences

# Characters

CONTROL = re.compile("[\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f]+")
INVISIBLE = re.compile("[\u00ad\u200b\u200c\u200d\u2060\ufeff]+")
SPACE = re.compile("[\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000]")
BREAK = re.compile("\r\n?|\x85|\u2028|\u2029")
PAGE = re.compile("[\x0b\x0c]")


def clean_characters(text: str, dropped: Counter[str]) -> str:
    """The text with one kind of line break and of space, a form feed as a paragraph break, nothing invisible."""
    text = BREAK.sub("\n", text)
    text = PAGE.sub("\n\n", text)
    for kind, pattern in (("control_characters", CONTROL), ("invisible_characters", INVISIBLE)):
        if pattern.search(text):
            plain = pattern.sub("", text)
            dropped[kind] += len(text) - len(plain)
            text = plain
    return SPACE.sub(" ", text)


SPACES = re.compile(r"[^\S\n]+")

EMPTY, FILLED = 20_000, 4  # cells added to short rows: so many, and so many for each that is there


@dataclass(frozen=True, slots=True)
class Piece:
    """One block before it has a place; a heading's `level` is 1 to 6, and its text has no number signs."""

    kind: str  # heading | text | table | caption | footnote
    text: str
    level: int = 0
    place: str = ""  # in the source: "page 12", "slide 3", "Sheet1!A5:F20"
    cells: tuple[Place, ...] = ()  # of a table: where its text shows which cell, by offsets in `text`
    links: tuple[Link, ...] = ()  # in order, by offsets in `text`
    verbatim: bool = False  # a listing: its lines keep their indentation


@dataclass(frozen=True, slots=True)
class Composed:
    """A document's text with one blank line between blocks, and what stands where in it."""

    text: str
    blocks: tuple[Block, ...]  # each with the titles above it
    places: tuple[Place, ...]
    links: tuple[Link, ...]


def compose_text(pieces: Iterable[Piece]) -> Composed:
    """The pieces put together."""
    parts: list[str] = []
    blocks: list[Block] = []
    places: list[Place] = []
    links: list[Link] = []
    above: list[tuple[int, str]] = []
    position = 0
    for piece in pieces:
        if piece.verbatim:
            body = "\n".join(filter(None, map(str.rstrip, piece.text.split("\n"))))
        else:
            body = piece.text.strip() if piece.kind == "table" else _tidy(piece.text)
        if not body:
            continue
        if piece.kind == "heading":
            title = body.replace("\n", " ")
            above = [(level, name) for level, name in above if level < piece.level]
            body = f"{'#' * piece.level} {title}"
        blocks.append(Block(piece.kind, position, position + len(body), " > ".join(name for _, name in above)))
        if piece.place:
            places.append(Place(position, position + len(body), piece.place))
        places.extend(Place(position + cell.start, position + cell.end, cell.name) for cell in piece.cells)
        if piece.links and piece.kind == "text":
            links.extend(_move_links(piece.links, piece.text, body, position))
        if piece.kind == "heading":
            above.append((piece.level, title))
        parts.append(body)
        position += len(body) + 2
    return Composed("\n\n".join(parts), tuple(blocks), tuple(places), tuple(links))


def _move_links(links: Sequence[Link], text: str, body: str, position: int) -> Iterator[Link]:
    """The links of a piece's text where `body` stands, the same text with other spaces."""
    before = list(accumulate((not letter.isspace() for letter in text), initial=0))
    letters = [at for at, letter in enumerate(body) if not letter.isspace()]
    for link in links:
        first, end = before[link.start], before[link.end]
        if first < end:
            yield Link(position + letters[first], position + letters[end - 1] + 1, link.target)


LONGEST_TARGET = 2_000  # characters


def leads_elsewhere(target: str) -> bool:
    """Whether a link leads to a file or page, not to a place of its own page, a mailbox or a script."""
    scheme = re.match(r"([a-z][a-z0-9+.-]*):", target, re.I)
    web = not scheme or scheme[1].lower() in ("http", "https")
    return web and bool(target.strip()) and target[0] != "#" and len(target) <= LONGEST_TARGET


def _tidy(text: str) -> str:
    """One space between words, no blank line inside."""
    lines = (SPACES.sub(" ", line).strip() for line in text.split("\n"))
    return "\n".join(line for line in lines if line)


def render_table(rows: list[list[str]]) -> str:
    """A Markdown pipe table whose first row is the header; rows are made equally long, unless one is absurdly long."""
    width, most = max(map(len, rows)), EMPTY + FILLED * sum(map(len, rows))
    if width * len(rows) > most:
        width = min(len(rows[0]), most // len(rows))  # also the header may be the one
    lines = ["| " + " | ".join([*(_cell(cell) for cell in row), *[""] * (width - len(row))]) + " |" for row in rows]
    return "\n".join([lines[0], "|" + "---|" * width, *lines[1:]])


def render_placed_table(rows: list[list[str]], names: list[list[str]]) -> tuple[str, tuple[Place, ...]]:
    """The same of rows that are equally long, and where each cell stands in it; `names` are the cells' places."""
    cells: list[Place] = []
    position = 0
    for number, (row, row_names) in enumerate(zip(rows, names, strict=True)):
        position += len("| ")
        for text, name in zip(row, row_names, strict=True):
            shown = _cell(text)
            if name and shown:
                cells.append(Place(position, position + len(shown), name))
            position += len(shown) + len(" | ")
        position += len("\n") - len(" ") + (number == 0) * len("|" + "---|" * len(row) + "\n")
    return render_table(rows), tuple(cells)


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("\\|", "|").replace("|", "\\|")


def split_pieces(document: Document, place: str = "") -> Iterator[Piece]:
    """The pieces that a document was put together from, for a reader whose source holds whole documents."""
    for block in document.blocks:
        text = document.text[block.start : block.end]
        level = len(text) - len(text.lstrip("#")) if block.kind == "heading" else 0
        yield Piece(block.kind, text[level:].lstrip(), min(level, 6), place)


# Captions and footnotes of tables

CAPTION = re.compile(r"(?:Table|Figure|Exhibit|Chart|Schedule)\s+(?:[A-Z]?\d+|[IVX]+)[\w.:—–-]*.*", re.I | re.S)
FOOTNOTE = re.compile(
    r"(?:\(?(?:\d{1,2}|[a-z])\)\s|[*†‡§]+\s?|Notes?\s?:|Sources?\s?:|\d{1,2}/\s|[¹²³⁴⁵⁶⁷⁸⁹])\S?", re.I
)
LONGEST_CAPTION = 400  # characters: what is longer is a paragraph of its own


def mark_captions(pieces: list[Piece]) -> Iterator[Piece]:
    """The pieces with captions before tables and footnotes after them marked as such."""
    before = ""
    for number, piece in enumerate(pieces):
        following = pieces[number + 1].kind if number + 1 < len(pieces) else ""
        after = pieces[number + 2].kind if number + 2 < len(pieces) else ""
        if piece.kind == "text" and len(piece.text) <= LONGEST_CAPTION:
            heads = following == "table" or (
                after == "table" and following == "text" and is_units(pieces[number + 1].text)
            )
            if heads and (is_units(piece.text) or CAPTION.fullmatch(piece.text)):
                piece = replace(piece, kind="caption")
            elif before in ("table", "footnote") and FOOTNOTE.match(piece.text):
                piece = replace(piece, kind="footnote")
        before = piece.kind
        yield piece


# Paragraphs for a text without breaks

# Words that open a sentence; in titles they are written small, so that a capital one begins the text after a title.
OPENERS = "The|A|An|In|At|By|On|For|With|As|To|From|During|After|Before|While|When|Since|Under|This|These|It|There|Some"
WORD = r"(?:[A-Z][\w’'&-]*|\d{1,4}(?:[-–]\d{1,4})?)"
LITTLE = "of|the|and|in|on|for|to|a|an|by|with|from|or|at|&"
TITLE = re.compile(rf"(?![A-Z ]{{12}})({WORD}(?:,? (?:{WORD}|{LITTLE})){{1,14}}?) (?=(?:{OPENERS}) )")
# The minutes of the FOMC have these titles; between a list of people and a sentence only their words tell them.
KNOWN_TITLES = re.compile(
    r"(?<=\s)(Developments in Financial Markets(?: and (?:the )?(?:Federal Reserve's )?Balance Sheet|"
    r" and Open Market Operations)?|Staff Review of the (?:Economic|Financial) Situation|Staff Economic Outlook|"
    r"Participants[’'] Views on Current (?:Economic )?Conditions and the Economic Outlook|"
    r"Committee Policy Action|Notation Votes?|Discussion of (?:Guidelines|Monetary Policy)[A-Z \w]{0,60}?|"
    r"Annual Organizational Matters\d?|External Communications|Selection of Committee Officers?)"
    r"(?= (?:[A-Z][a-z]+\b|A\b) [a-z(])"
)
LOST_STOP = re.compile(r"(?<=[a-z0-9)]) (?=(?:By|In|At|On|With|During|After|When|While|This) [a-z])")
# A sentence that opens so turns to a new matter.
TURN = re.compile(
    r"(?:By (?:unanimous|notation) vote|In (?:their|its|the (?:view|course|discussion|staff|period)|contrast|light)|"
    r"With (?:regard|respect)|At the (?:conclusion|completion|close|time)|Regarding|Turning|Participants|Members|"
    r"The (?:information|staff|Committee|Manager|manager|members|vote|next|meeting|contents?|Chairman|Chair|economy)|"
    r"On (?:the|a) |Overall|Consumer|Business|Residential|Labor|Voting|Votes|Present|PRESENT|It was agreed|"
    r"Meanwhile|Looking|Secretary's note)"
)
LONG = 4000  # characters: no author writes a longer paragraph; the breaks were lost
ENDLESS = 500  # words: no sentence is longer
FEW, MANY = 60, 150  # words: a paragraph may end after the first, and ends after the second


def recover_paragraphs(text: str) -> Iterator[tuple[str, str]]:
    """("heading" | "text", words) of a text without breaks: titles set apart, sentences grouped by what they turn to.

    No word is changed. The boundaries depend on the sentences at hand alone, so that an edit moves few of them.
    """
    text = " ".join(text.split())
    start = 0
    for match in KNOWN_TITLES.finditer(text):
        yield from _group_sentences(text[start : match.start()])
        yield "heading", match.group()
        start = match.end()
    yield from _group_sentences(text[start:])


def _bounded(sentence: str) -> Iterator[str]:
    """A sentence, or stretches of one that never ends, as lists and tables without their breaks are."""
    words = sentence.split(" ") if len(sentence) > 6 * ENDLESS else [sentence]
    for start in range(0, len(words), ENDLESS):
        yield " ".join(words[start : start + ENDLESS])


def _group_sentences(text: str) -> Iterator[tuple[str, str]]:
    gathered: list[str] = []
    words = 0
    for sentence in (
        part for start, end in sentences(text) for lost in LOST_STOP.split(text[start:end]) for part in _bounded(lost)
    ):
        title = TITLE.match(sentence)
        body = sentence[title.end() :].lstrip() if title else sentence
        length = body.count(" ") + 1
        if gathered and (title or words + length > MANY or (words >= FEW and TURN.match(body))):
            yield "text", " ".join(gathered)
            gathered, words = [], 0
        if title:
            yield "heading", title.group(1)
        gathered.append(body)
        words += length
    if gathered:
        yield "text", " ".join(gathered)
