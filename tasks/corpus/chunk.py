"""Cut documents into chunks that keep tables and paragraphs whole (RARE §3.1 and Appendix A; papers.md R1–R5)."""

import re
import zlib
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import accumulate, pairwise
from typing import Literal

from pydantic import BaseModel, Field, field_validator, model_validator

from rarefy.data_contracts.rows import Chunk, Document, row_id
from rarefy.tasks.corpus.places import PlaceIndex
from rarefy.tasks.corpus.tokens import TokenCounter, counter
from rarefy.tasks.text.sentences import sentences

# Chunk sizes by domain

SizeUnit = Literal["tokens", "words"]


class Profile(BaseModel, frozen=True, extra="forbid"):
    """The most that a chunk of running text holds, and how much of the one before it repeats."""

    size: int = Field(default=600, ge=32, description="the most that a chunk of running text holds, in units")
    overlap: int = Field(default=0, ge=0, description="the most that it repeats of the chunk before, in units")
    unit: SizeUnit = Field(default="tokens", description="what is counted")

    @model_validator(mode="after")
    def _overlap_leaves_room(self) -> "Profile":
        if self.overlap * 2 > self.size:
            raise ValueError(f"overlap {self.overlap} is more than half of size {self.size}: lower the overlap")
        return self


# The paper says 600 tokens (§3.1), 800 with 100 (A.1) and 600 words (A.2, A.3): hence one profile a domain.
PROFILES: dict[str, Profile] = {
    "finance": Profile(size=800, overlap=100),
    "economics": Profile(size=600, unit="words"),
    "policy": Profile(size=600, unit="words"),
    "default": Profile(size=600),
}


class ChunkConfig(BaseModel, frozen=True, extra="forbid"):
    """How documents are cut into chunks."""

    profile: str = Field(default="auto", description='"auto" (by the document\'s domain) or ' + ", ".join(PROFILES))
    size: int | None = Field(default=None, ge=32, description="instead of the profile's")
    overlap: int | None = Field(default=None, ge=0, description="instead of the profile's")
    unit: SizeUnit | None = Field(default=None, description="instead of the profile's")
    fragment: int = Field(default=30, ge=0, description="fewer words than this are merged into a neighbour")
    tokenizer: str = Field(
        default="minilm",
        description='"minilm", "tiktoken:cl100k_base", or a Hugging Face tokenizer (file, folder or name)',
    )

    @field_validator("profile")
    @classmethod
    def _profile_exists(cls, name: str) -> str:
        if name != "auto" and name not in PROFILES:
            raise ValueError(f'no profile {name!r}; have "auto" and {sorted(PROFILES)}')
        return name

    @model_validator(mode="after")
    def _profiles_hold(self) -> "ChunkConfig":
        for name in PROFILES if self.profile == "auto" else (self.profile,):
            self.for_domain(name)
        return self

    def for_domain(self, domain: str) -> Profile:
        """The profile of a document of this domain; `default` for a domain that has none."""
        name = domain if self.profile == "auto" else self.profile
        profile = PROFILES.get(name, PROFILES["default"])
        own = {"size": self.size, "overlap": self.overlap, "unit": self.unit}
        settings = profile.model_dump() | {key: value for key, value in own.items() if value is not None}
        if self.overlap is None:  # one made for longer chunks would fill short ones: keep to finance's 100 of 800
            settings["overlap"] = min(settings["overlap"], settings["size"] // 8)
        return Profile(**settings)


# Pieces: paragraphs, headings, captions, footnotes and tables

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


def split_pieces(document: Document, profile: Profile, count: TokenCounter) -> Iterator[list[Piece]]:
    """The pieces in order, together all of the document but white space; one list each, longer for a cut paragraph."""
    text = document.text
    groups = [_split_by_length(text, piece, profile) for piece in _block_pieces(document)]
    counted = iter(_count_pieces(text, [piece for group in groups for piece in group], count))
    for group in groups:
        parts = [next(counted) for _ in group]
        whole = parts[:1] if len(parts) == 1 else _whole_paragraph(text, parts, profile, count)
        if parts[0].kind != "text" or (whole and whole[0].weight(profile) <= profile.size):
            yield whole
        else:
            yield _split_to_fit(text, parts, profile, count)


def _whole_paragraph(text: str, parts: list[Piece], profile: Profile, count: TokenCounter) -> list[Piece]:
    """The paragraph that these parts are, counted as one; none where its length alone says that it is too long."""
    uncounted = Piece(parts[0].kind, parts[0].start, parts[-1].end, parts[0].section)
    return _count_pieces(text, [uncounted], count) if uncounted.weight(profile) <= profile.size else []


def _block_pieces(document: Document) -> Iterator[Piece]:
    """The blocks without white space, text by paragraph; what no block covers is text too."""
    text, at, section = document.text, 0, ""
    for block in sorted(document.blocks, key=lambda block: (block.start, block.end)):
        yield from _paragraphs(text, at, block.start, section)
        start, section = max(block.start, at), block.section
        if block.kind == "text":
            yield from _paragraphs(text, start, block.end, section)
        elif span := _trim_span(text, start, block.end):
            yield Piece(block.kind, *span, section)
        at = max(at, block.end)
    yield from _paragraphs(text, at, len(text), section)


def _paragraphs(text: str, start: int, end: int, section: str) -> Iterator[Piece]:
    while start < end:
        blank = _BLANK_LINE.search(text, start, end)
        stop, following = (blank.start(), blank.end() - 1) if blank else (end, end)
        if span := _trim_span(text, start, stop):
            yield Piece("text", *span, section)
        start = following


def _trim_span(text: str, start: int, end: int) -> tuple[int, int] | None:
    stretch = text[start:end]
    stripped = stretch.lstrip()
    start += len(stretch) - len(stripped)
    stripped = stripped.rstrip()
    return (start, start + len(stripped)) if stripped else None


def _split_by_length(text: str, piece: Piece, profile: Profile) -> list[Piece]:
    """The piece, or its sentences where it is certainly too long: a line of 10 MB must not be tokenized whole."""
    parts, long = [piece], profile.size * SURELY_TOO_LONG
    if piece.kind == "text" and piece.end - piece.start > long:
        for split in SPLITTERS:
            parts = _split(text, parts, split, long, lambda p: p.end - p.start > long)
    return parts


def _split_to_fit(text: str, parts: list[Piece], profile: Profile, count: TokenCounter) -> list[Piece]:
    """The sentences of a paragraph that is too long, or less than a sentence where one alone is."""
    most = profile.size // 3  # characters: some have three tokens
    for split in SPLITTERS:
        if any(part.weight(profile) > profile.size for part in parts):
            parts = _split(text, parts, split, most, lambda p: p.weight(profile) > profile.size)
            parts = _count_pieces(text, parts, count)
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


def _count_pieces(text: str, parts: list[Piece], count: TokenCounter) -> list[Piece]:
    """The parts with their tokens, white space before them included, as some tokenizers count it."""
    starts = [parts[0].start, *(part.end for part in parts[:-1])] if parts else []
    stretches = [text[start : part.end] for start, part in zip(starts, parts, strict=True)]
    return [
        Piece(part.kind, part.start, part.end, part.section, tokens, len(stretch.split()), part.part)
        for part, stretch, tokens in zip(parts, stretches, count(stretches), strict=True)
    ]


# Units: a table with its words, a heading with what it heads

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


def group_units(text: str, groups: Iterable[list[Piece]], profile: Profile) -> Iterator[Unit]:
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
                yield _build_unit(text, table or paragraph, profile)
            several = any(_SEVERAL.search(text, p.start, p.end) for p in lead_in)
            table, paragraph, ahead = [*lead_in, *ahead, *group], [], []
        else:
            if table or paragraph:
                yield _build_unit(text, table or paragraph, profile)
            *earlier, last = group
            for part in earlier:
                yield _build_unit(text, [*ahead, part], profile)
                ahead = []
            table, paragraph, ahead = [], [*ahead, last], []
    last_words = table or paragraph
    if last_words or ahead:  # headings that nothing follows end the last unit
        yield _build_unit(text, [*last_words, *ahead], profile)


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
    paragraph_text = text[last.start : last.end]
    if paragraph_text.endswith(":") or (last.words <= LEAD_IN_WORDS and not last.part and not titled):
        return True
    start, end = sentences(paragraph_text)[-1]
    return bool(_POINTS_AHEAD.search(paragraph_text, start, end))


def _build_unit(text: str, parts: list[Piece], profile: Profile) -> Unit:
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


# Windows: units that fit in one chunk

# A chunk that must end before its Item does ends at a heading when it is this full, else between paragraphs, else
# sentences. Among equals the smallest hash of the text that follows is taken, not the last that fits: so cuts depend on
# the text around them, and after an edit they soon fall where they fell before.
FULL_AT_HEADING, FULL = 0.5, 0.75


@dataclass(frozen=True, slots=True)
class Window:
    """Units `[first, last)`; those before `new` stand in the window before too."""

    first: int
    new: int
    last: int


def fit_windows(text: str, units: list[Unit], profile: Profile, fragment: int) -> list[Window]:
    """The windows over these units, in order, every unit new in exactly one of them."""
    plan = _WindowPlan(text, units, profile, fragment)
    spans = plan.without_fragments(plan.spans())
    result: list[Window] = []
    for new, last in spans:
        first = plan.repeated(new, result[-1].new if result else new)
        while first < new and plan.weight(first, last) > profile.size:
            first += 1
        result.append(Window(first, new, last))
    return result


class _WindowPlan:
    """The units with their running sums, so that the weight of a stretch takes no time."""

    def __init__(self, text: str, units: list[Unit], profile: Profile, fragment: int) -> None:
        self.text, self.units, self.profile, self.fragment = text, units, profile, fragment
        self.sums = [0, *accumulate(unit.weight for unit in units)]
        self.word_sums = [0, *accumulate(unit.words for unit in units)]
        # a new Item begins a chunk and a table ends one
        self.stops = [i for i in range(1, len(units)) if units[i].item or units[i - 1].table] + [len(units)]

    def weight(self, first: int, last: int) -> int:
        return self.sums[last] - self.sums[first]

    def words(self, first: int, last: int) -> int:
        return self.word_sums[last] - self.word_sums[first]

    def spans(self) -> list[tuple[int, int]]:
        """Stretches of units, each a chunk of what is new."""
        spans: list[tuple[int, int]] = []
        at = 0
        while at < len(self.units):
            repeated = self.weight(self.repeated(at, spans[-1][0]), at) if spans else 0
            cut = self.cut(at, repeated)
            spans.append((at, cut))
            at = cut
        return spans

    def cut(self, at: int, repeated: int) -> int:
        """Where the chunk ends that begins at `at`, after so much of the one before."""
        stop = self.stops[bisect_right(self.stops, at)]
        room = self.profile.size - repeated
        table = stop - 1 if self.units[stop - 1].table else stop
        if self.weight(at, table) > room:
            return self.cut_in_text(at, table, repeated)
        if at < table < stop and (
            self.weight(at, stop) > room
            or self.units[table].heading
            or self.weight(at, table) > self.profile.size * FULL_AT_HEADING
        ):
            return table  # what stands before a table goes with it where both fit and no heading parts them
        return stop

    def cut_in_text(self, at: int, stop: int, repeated: int) -> int:
        size = self.profile.size
        last = max(bisect_right(self.sums, self.sums[at] + size - repeated) - 1, at + 1)
        best: tuple[int, int, int, int, int] | None = None
        for i in range(min(last, stop), at, -1):
            unit = self.units[i] if i < len(self.units) else None
            full = (repeated + self.weight(at, i)) / size
            if unit is None or full < FULL_AT_HEADING:
                break
            if full < FULL and not unit.heading:
                continue
            leaves_fragment = self.words(i, stop) < self.fragment
            kind = 0 if unit.heading else 2 if unit.continues else 1
            follows = self.text[unit.start : unit.start + 200].encode("utf-8", "surrogatepass")
            rank = (int(leaves_fragment), kind, unit.heading, zlib.crc32(follows), i)
            best = rank if best is None else min(best, rank)
        return best[-1] if best else last

    def repeated(self, new: int, least: int) -> int:
        """From which unit on the chunk that begins at `new` repeats the one before it, which began at `least`.

        Whole paragraphs, or sentences where a cut paragraph goes on; none where the last of them is too long, where
        a heading or a table begins, or after a table.
        """
        first = new
        while (
            first - 1 > least
            and not (self.units[first].heading or self.units[first].table or self.units[first - 1].table)
            and self.weight(first - 1, new) <= self.profile.overlap
        ):
            first -= 1
        return first

    def without_fragments(self, spans: list[tuple[int, int]]) -> list[tuple[int, int]]:
        """The stretches, those of too few words joined to a neighbour of the same Item, where the limit lets them."""
        joined: list[tuple[int, int]] = []
        for index, (first, last) in enumerate(spans):
            if joined and joined[-1][1] > first:  # the fragment before took this one along
                first, last = joined.pop()[0], last
            if self.words(first, last) >= self.fragment:
                joined.append((first, last))
                continue
            before = bool(joined) and not self.units[first].item and self.fits(joined[-1][0], last)
            after = last < len(self.units) and not self.units[last].item and self.fits(first, spans[index + 1][1])
            if after and (self.units[first].heading or not before):
                joined.append((first, spans[index + 1][1]))
            elif before:
                joined[-1] = (joined[-1][0], last)
            else:
                joined.append((first, last))
        return joined

    def fits(self, first: int, last: int) -> bool:
        tables = [unit.weight for unit in self.units[first:last] if unit.table]
        if not tables:
            return self.weight(first, last) <= self.profile.size
        # the limit is no promise for a table, so that a fragment beside one need not stand alone
        return self.weight(first, last) <= max(self.profile.size, *tables) + 2 * self.fragment


__all__ = ["PROFILES", "VERSION", "ChunkConfig", "Profile", "chunk", "repeated", "sentences"]

VERSION = 4  # places


def chunk(documents: Iterable[Document], config: ChunkConfig, *, count: TokenCounter | None = None) -> Iterator[Chunk]:
    """The chunks of each document, by start, together all of its text but white space.

    No table is cut, nor parted from its caption, footnotes and lead-in, however long it gets; no paragraph is cut
    unless it alone exceeds the limit (then between sentences, and `split`); text exceeds the limit only by headings.
    Where a chunk begins with the end of the one before (`overlap`), `chunk.start < previous.end`: see `repeated`.
    """
    count = count or counter(config.tokenizer)
    for document in documents:
        profile = config.for_domain(document.domain)
        parts = list(group_units(document.text, split_pieces(document, profile, count), profile))
        spans = [
            (parts[window.first : window.last], parts[window.new])
            for window in fit_windows(document.text, parts, profile, config.fragment)
        ]
        places = PlaceIndex(document.places)
        texts = [document.text[members[0].start : members[-1].end] for members, _ in spans]
        occurrences: Counter[str] = Counter()
        for (members, new), text, tokens in zip(spans, texts, _count_tokens(spans, texts, count), strict=True):
            occurrences[text] += 1
            yield Chunk(
                chunk_id=row_id(document.doc_id, text, occurrences[text] - 1),
                doc_id=document.doc_id,
                start=members[0].start,
                end=members[-1].end,
                kind="table" if any(unit.table for unit in members) else "text",
                section=new.section,
                text=text,
                tokens=tokens,
                split=any(unit.part for unit in members),
                entity=document.entity,
                domain=document.domain,
                fiscal_year=document.fiscal_year,
                period_end=document.period_end,
                title=document.title,
                language=document.language,
                place=places.name(members[0].start, members[-1].end),
            )


def repeated(chunks: Iterable[Chunk]) -> dict[str, int]:
    """How many of its first characters each chunk repeats of the one before it in its document (0 for most).

    What is said there is said twice in the corpus: whoever takes facts from chunks takes these from the chunk before.
    """
    ends: dict[str, int] = {}
    result = {}
    for this_chunk in sorted(chunks, key=lambda this_chunk: (this_chunk.doc_id, this_chunk.start, this_chunk.end)):
        result[this_chunk.chunk_id] = max(ends.get(this_chunk.doc_id, 0) - this_chunk.start, 0)
        ends[this_chunk.doc_id] = max(ends.get(this_chunk.doc_id, 0), this_chunk.end)
    return result


def _count_tokens(spans: list[tuple[list[Unit], Unit]], texts: list[str], count: TokenCounter) -> list[int]:
    """The tokens of each chunk: the sum of what was counted, or counted anew where parts do not add up to it."""
    adds_up = getattr(count, "adds_up", False)
    sums = [sum(unit.tokens for unit in members) for members, _ in spans]
    unsure = [i for i, (members, _) in enumerate(spans) if not adds_up or _cut_in_word(members)]
    for i, tokens in zip(unsure, count([texts[i] for i in unsure]), strict=True):
        sums[i] = tokens
    return sums


def _cut_in_word(held: list[Unit]) -> bool:
    return any(a.end == b.start for a, b in pairwise(held))
