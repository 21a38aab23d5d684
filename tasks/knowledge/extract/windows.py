"""Windows of consecutive chunks, as a model is shown them (RARE R6, R7)."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from rarefy.data_contracts.rows import Chunk, Document, Message, row_id
from rarefy.tasks.models.prompts import messages, title

_TABLE_TOP = re.compile(r"(?:^|\n)(\|[^\n]*\|[ \t]*\n\|(?:\s*:?-+:?\s*\|)+)[ \t]*\n(?:\|[^\n]*\n?)*\Z")


@dataclass(frozen=True, slots=True)
class ShownChunk:
    """The part of a chunk that a window shows, `chunk.text[start:end]`, and its label in the prompt."""

    label: str
    chunk: Chunk
    start: int
    end: int

    @property
    def text(self) -> str:
        """The words shown; rows of a table that was cut come with its header."""
        top = _TABLE_TOP.search(self.chunk.text[: self.start]) if self.chunk.text[self.start] == "|" else None
        words = self.chunk.text[self.start : self.end]
        return f"{top[1]}\n{words}" if top else words


@dataclass(frozen=True, slots=True)
class Window:
    """Consecutive chunks of a document, asked about together."""

    window_id: str
    document: Document
    shown: tuple[ShownChunk, ...]

    def find_chunks(self, reference: str) -> list[ShownChunk]:
        """The chunks that a reply means by a label or an id, or by several; [] for what was not shown."""
        exact = [shown for shown in self.shown if reference.strip().lower() == shown.chunk.chunk_id.lower()]
        listed = []
        for name in re.split(r"\s*(?:[,;/&+]|\band\b)\s*", reference.lower()):
            label = re.sub(r"^\W*(?:chunk[\s_#-]*(?:id)?[:=\s]*)?|[^\w-]", "", name.strip())
            label = f"c{int(label)}" if re.fullmatch(r"\d{1,3}", label) else label
            listed += [s for s in self.shown if label in (s.label, s.chunk.chunk_id.lower())]
        return exact or listed

    def prompt(self, found: Sequence[Mapping[str, str]], fewest: int, most: int) -> tuple[Message, ...]:
        """The messages to the model; `found` are its claims of this window in earlier passes.

        They hold nothing that an edit elsewhere or another file name changes: of a filing no fiscal year, nor the
        title that names it, which every revision changes while most chunks stay.
        """
        document = self.document
        return messages(
            "extract",
            "triplets",
            document.domain,
            document=document,
            title="" if document.form else title(document),
            chunks=self.shown,
            found=[json.dumps(dict(claim), ensure_ascii=False) for claim in found],
            fewest=fewest,
            most=most,
        )


def build_windows(
    document: Document, chunks: Sequence[Chunk], repeats: Mapping[str, int], size: int, tokens: int
) -> Iterator[Window]:
    """A document's chunks in windows of about `size`, half as many more or less, and of at most `tokens` together.

    Where windows are cut depends on the words of the chunks alone: after an edit those without a changed chunk are what
    they were, but for about one in three edits, which moves the cut beside it too. What a chunk `repeats` of the one
    before is not shown again. A chunk longer than `tokens` is shown in parts.
    """
    parts = [
        ChunkPart(chunk, start, end, _count_tokens(chunk, end - start), row_id("cut", chunk.text[start:end]))
        for chunk in chunks
        for start, end in _split_chunk(chunk, repeats.get(chunk.chunk_id, 0), tokens)
    ]
    for held in _group_parts(parts, size // 2 + 1, size + size // 2, tokens):
        yield _make_window(document, held)


@dataclass(frozen=True, slots=True)
class ChunkPart:
    """`chunk.text[start:end]`, and its hash: windows are cut after the part of the smallest."""

    chunk: Chunk
    start: int
    end: int
    tokens: int
    rank: str


def _group_parts(parts: Sequence[ChunkPart], least: int, most: int, tokens: int) -> Iterator[Sequence[ChunkPart]]:
    """These parts in stretches of `least` to `most`, cut again and again after the one of the smallest hash.

    As in a treap, a part more or less moves the cuts around it and no others, whatever comes before.
    """
    waiting = [parts] if parts else []
    while waiting:
        held = waiting.pop()
        if len(held) == 1 or (len(held) <= most and sum(part.tokens for part in held) <= tokens):
            yield held
            continue
        fewest = min(least, len(held) // 2)
        cut = min(range(fewest, len(held) - fewest + 1), key=lambda i: held[i - 1].rank)
        waiting += [held[cut:], held[:cut]]


def _make_window(document: Document, held: Sequence[ChunkPart]) -> Window:
    labels = {name: f"c{i}" for i, name in enumerate(dict.fromkeys(part.chunk.chunk_id for part in held), start=1)}
    shown = tuple(ShownChunk(labels[part.chunk.chunk_id], part.chunk, part.start, part.end) for part in held)
    name = row_id("window", document.doc_id, *(part for s in shown for part in (s.chunk.chunk_id, s.start, s.end)))
    return Window(name, document, shown)


def _count_tokens(chunk: Chunk, characters: int) -> int:
    """The tokens of a part of a chunk: its share of the chunk's, by characters."""
    return -(-chunk.tokens * characters // max(len(chunk.text), 1))


def _split_chunk(chunk: Chunk, start: int, tokens: int) -> Iterator[tuple[int, int]]:
    """The chunk from here on, cut at line ends, else after sentences, else anywhere, so that no part is too long."""
    end = len(chunk.text)
    while chunk.text[start:end].strip():
        last = end
        if _count_tokens(chunk, end - start) > tokens:
            most = start + max(tokens * len(chunk.text) // chunk.tokens, 1)
            cuts = [chunk.text.rfind(mark, start + 1, most) + len(mark) for mark in ("\n", ". ", " ")]
            last = next((cut for cut in cuts if cut > start + (most - start) // 2), most)
        if chunk.text[start:last].strip():
            yield start, last
        start = last
