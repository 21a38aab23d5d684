"""The paragraphs, headings, captions, footnotes and tables of a document, counted; paragraphs cut where too long."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from rarefy.data_contracts.rows import Document
from rarefy.tasks.corpus.chunk.profiles import Profile
from rarefy.tasks.corpus.chunk.tokens import TokenCounter
from rarefy.tasks.text.sentences import sentences

# Prose has 4 to 6 characters a token, so that a text of this many a token is too long without being counted.
SURELY_TOO_LONG = 12
# Strings without spaces may count as one token or word however long; they weigh at least this.
CHARACTERS_PER_TOKEN, CHARACTERS_PER_WORD = 20, 60

_BLANK_LINE = re.compile(r"\n[^\S\n]*\n")
_CLAUSE = re.compile(r"\S.*?(?:[;:,](?=\s)|(?=\s[–—(])|\Z)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Piece:
    """`text[start:end]`, without white space around it; the `part`th, from 1, of a paragraph longer than a chunk."""

    kind: str
    start: int
    end: int
    section: str
    tokens: int = 0
    words: int = 0
    part: int = 0

    def weight(self, profile: Profile) -> int:
        """How much of a chunk it takes, in the profile's unit."""
        length = self.end - self.start
        if profile.unit == "words":
            return max(self.words, length // CHARACTERS_PER_WORD)
        return max(self.tokens, length // CHARACTERS_PER_TOKEN)


def pieces(document: Document, profile: Profile, count: TokenCounter) -> Iterator[list[Piece]]:
    """The pieces in order, together all of the document but white space; one list each, longer for a cut paragraph."""
    text = document.text
    groups = [_by_size(text, piece, profile) for piece in _blocks(document)]
    counted = iter(_counted(text, [piece for group in groups for piece in group], count))
    for group in groups:
        parts = [next(counted) for _ in group]
        whole = parts[:1] if len(parts) == 1 else _whole(text, parts, profile, count)
        if parts[0].kind != "text" or (whole and whole[0].weight(profile) <= profile.size):
            yield whole
        else:
            yield _to_fit(text, parts, profile, count)


def _whole(text: str, parts: list[Piece], profile: Profile, count: TokenCounter) -> list[Piece]:
    """The paragraph that these parts are, counted as one; none where its length alone says that it is too long."""
    uncounted = Piece(parts[0].kind, parts[0].start, parts[-1].end, parts[0].section)
    return _counted(text, [uncounted], count) if uncounted.weight(profile) <= profile.size else []


def _blocks(document: Document) -> Iterator[Piece]:
    """The blocks without white space, text by paragraph; what no block covers is text too."""
    text, at, section = document.text, 0, ""
    for block in sorted(document.blocks, key=lambda block: (block.start, block.end)):
        yield from _paragraphs(text, at, block.start, section)
        start, section = max(block.start, at), block.section
        if block.kind == "text":
            yield from _paragraphs(text, start, block.end, section)
        elif span := _trimmed(text, start, block.end):
            yield Piece(block.kind, *span, section)
        at = max(at, block.end)
    yield from _paragraphs(text, at, len(text), section)


def _paragraphs(text: str, start: int, end: int, section: str) -> Iterator[Piece]:
    while start < end:
        blank = _BLANK_LINE.search(text, start, end)
        stop, following = (blank.start(), blank.end() - 1) if blank else (end, end)
        if span := _trimmed(text, start, stop):
            yield Piece("text", *span, section)
        start = following


def _trimmed(text: str, start: int, end: int) -> tuple[int, int] | None:
    stretch = text[start:end]
    stripped = stretch.lstrip()
    start += len(stretch) - len(stripped)
    stripped = stripped.rstrip()
    return (start, start + len(stripped)) if stripped else None


def _by_size(text: str, piece: Piece, profile: Profile) -> list[Piece]:
    """The piece, or its sentences where it is certainly too long: a line of 10 MB must not be tokenized whole."""
    parts, long = [piece], profile.size * SURELY_TOO_LONG
    if piece.kind == "text" and piece.end - piece.start > long:
        for split in SPLITTERS:
            parts = _split(text, parts, split, long, lambda p: p.end - p.start > long)
    return parts


def _to_fit(text: str, parts: list[Piece], profile: Profile, count: TokenCounter) -> list[Piece]:
    """The sentences of a paragraph that is too long, or less than a sentence where one alone is."""
    most = profile.size // 3  # characters: some have three tokens
    for split in SPLITTERS:
        if any(part.weight(profile) > profile.size for part in parts):
            parts = _split(text, parts, split, most, lambda p: p.weight(profile) > profile.size)
            parts = _counted(text, parts, count)
    return [Piece(p.kind, p.start, p.end, p.section, p.tokens, p.words, number) for number, p in enumerate(parts, 1)]


def _split(
    text: str, parts: list[Piece], split: "Splitter", most: int, too_long: Callable[[Piece], bool]
) -> list[Piece]:
    return [
        cut
        for part in parts
        for cut in (
            [
                Piece(part.kind, part.start + start, part.start + end, part.section)
                for start, end in split(text[part.start : part.end], most)
            ]
            if too_long(part)
            else [part]
        )
    ]


def _sentences(text: str, most: int) -> list[tuple[int, int]]:
    return sentences(text)


def _clauses(text: str, most: int) -> list[tuple[int, int]]:
    """Clauses, small ones together up to so many characters: a list of 10 MB must not become a million pieces."""
    spans: list[tuple[int, int]] = []
    for match in _CLAUSE.finditer(text):
        if spans and match.end() - spans[-1][0] <= most:
            spans[-1] = (spans[-1][0], match.end())
        else:
            spans.append(match.span())
    return spans


def _runs(text: str, most: int) -> list[tuple[int, int]]:
    """Runs of words of at most so many characters; words that are longer are cut."""
    run = re.compile(rf"\S(?:.{{0,{most - 2}}}\S)?(?=\s|\Z)|\S{{{most}}}", re.DOTALL)
    return [match.span() for match in run.finditer(text)]


Splitter = Callable[[str, int], list[tuple[int, int]]]
SPLITTERS: tuple[Splitter, ...] = (_sentences, _clauses, _runs)


def _counted(text: str, parts: list[Piece], count: TokenCounter) -> list[Piece]:
    """The parts with their tokens, white space before them included, as some tokenizers count it."""
    starts = [parts[0].start, *(part.end for part in parts[:-1])] if parts else []
    stretches = [text[start : part.end] for start, part in zip(starts, parts, strict=True)]
    return [
        Piece(part.kind, part.start, part.end, part.section, tokens, len(stretch.split()), part.part)
        for part, stretch, tokens in zip(parts, stretches, count(stretches), strict=True)
    ]
