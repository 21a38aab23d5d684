"""Windows of consecutive chunks, as a model is shown them (RARE R6, R7)."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from rarefy.data_contracts.rows import Chunk, Document, Message, row_id
from rarefy.tasks.models.prompts import messages, title

_TABLE_TOP = re.compile(r"(?:^|\n)(\|[^\n]*\|[ \t]*\n\|(?:\s*:?-+:?\s*\|)+)[ \t]*\n(?:\|[^\n]*\n?)*\Z")


@dataclass(frozen=True, slots=True)
class Shown:
    """What of a chunk stands in a window: `chunk.text[start:end]`, called `label` there."""

    label: str
    chunk: Chunk
    start: int
    end: int

    @property
    def text(self) -> str:
        """The words shown; rows of a table whose top was shown elsewhere come with its header."""
        top = _TABLE_TOP.search(self.chunk.text[: self.start]) if self.chunk.text[self.start] == "|" else None
        words = self.chunk.text[self.start : self.end]
        return f"{top[1]}\n{words}" if top else words


@dataclass(frozen=True, slots=True)
class Window:
    """Consecutive chunks of a document, asked about together."""

    window_id: str
    document: Document
    shown: tuple[Shown, ...]

    def named(self, said: str) -> list[Shown]:
        """What a reply means by a chunk's label or id, or by several of them; none for what was not shown."""
        whole = [shown for shown in self.shown if said.strip().lower() == shown.chunk.chunk_id.lower()]
        found = []
        for name in re.split(r"\s*(?:[,;/&+]|\band\b)\s*", said.lower()):
            plain = re.sub(r"^\W*(?:chunk[\s_#-]*(?:id)?[:=\s]*)?|[^\w-]", "", name.strip())
            plain = f"c{int(plain)}" if re.fullmatch(r"\d{1,3}", plain) else plain
            found += [s for s in self.shown if plain in (s.label, s.chunk.chunk_id.lower())]
        return whole or found

    def prompt(self, found: Sequence[Mapping[str, str]], fewest: int, most: int) -> tuple[Message, ...]:
        """What the model is told; `found` is what it said of this window in earlier passes.

        Nothing that an edit elsewhere or another name of the file changes: of a filing no fiscal year (nor the title
        that names it), which every revision of it changes, and the words of most chunks do not.
        """
        document = self.document
        return messages(
            "extract",
            "triplets",
            document.domain,
            document=document,
            title="" if document.form else title(document),
            chunks=self.shown,
            found=[json.dumps(dict(one), ensure_ascii=False) for one in found],
            fewest=fewest,
            most=most,
        )


def windows(
    document: Document, chunks: Sequence[Chunk], repeats: Mapping[str, int], size: int, tokens: int
) -> Iterator[Window]:
    """A document's chunks in windows of about `size`, half as many more or less, and of at most `tokens` together.

    Where windows are cut hangs on the words of the chunks alone: after an edit those without a changed chunk are what
    they were, but for about one in three edits, which moves the cut beside it too. What a chunk `repeats` of the one
    before is not shown again. A chunk longer than `tokens` is shown in parts.
    """
    parts = [
        Part(chunk, start, end, _tokens(chunk, end - start), row_id("cut", chunk.text[start:end]))
        for chunk in chunks
        for start, end in _parts(chunk, repeats.get(chunk.chunk_id, 0), tokens)
    ]
    for held in _cut(parts, size // 2 + 1, size + size // 2, tokens):
        yield _window(document, held)


@dataclass(frozen=True, slots=True)
class Part:
    """`chunk.text[start:end]`, and where among its neighbours it likes to end a window: the smallest first."""

    chunk: Chunk
    start: int
    end: int
    tokens: int
    rank: str


def _cut(parts: Sequence[Part], least: int, most: int, tokens: int) -> Iterator[Sequence[Part]]:
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


def _window(document: Document, held: Sequence[Part]) -> Window:
    labels = {name: f"c{i}" for i, name in enumerate(dict.fromkeys(part.chunk.chunk_id for part in held), start=1)}
    shown = tuple(Shown(labels[part.chunk.chunk_id], part.chunk, part.start, part.end) for part in held)
    name = row_id("window", document.doc_id, *(part for s in shown for part in (s.chunk.chunk_id, s.start, s.end)))
    return Window(name, document, shown)


def _tokens(chunk: Chunk, characters: int) -> int:
    """A chunk's tokens are counted, a part's are its share of them."""
    return -(-chunk.tokens * characters // max(len(chunk.text), 1))


def _parts(chunk: Chunk, start: int, tokens: int) -> Iterator[tuple[int, int]]:
    """The chunk from here on, cut at line ends, else after sentences, else anywhere, so that no part is too long."""
    end = len(chunk.text)
    while chunk.text[start:end].strip():
        last = end
        if _tokens(chunk, end - start) > tokens:
            most = start + max(tokens * len(chunk.text) // chunk.tokens, 1)
            cuts = [chunk.text.rfind(mark, start + 1, most) + len(mark) for mark in ("\n", ". ", " ")]
            last = next((cut for cut in cuts if cut > start + (most - start) // 2), most)
        if chunk.text[start:last].strip():
            yield start, last
        start = last
