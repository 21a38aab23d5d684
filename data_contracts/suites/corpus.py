"""Rules for documents, their chunks, and what was set aside."""

import pyarrow as pa

from rarefy.data_contracts.rows import Document
from rarefy.data_contracts.suites.rule import (
    Judge,
    PartRule,
    Reference,
    References,
    RowRule,
    Suite,
    between,
    coded,
    dated,
    has_rows,
    hashed,
    looked_up,
    matching,
    one_of,
    shown,
    uncut,
    unique,
    written,
    year,
)

BLOCKS = ("heading", "text", "table", "caption", "footnote")
_BLOCK_SPANS = ("blocks.start", "blocks.end")
_DUPLICATE = ("doc_id", "duplicate_of", "duplicate_similarity")


def _blocks_in_order(_: References) -> Judge:
    def judge(text: str, kinds: list[str], starts: list[int], ends: list[int]) -> str | None:
        after = 0
        for kind, start, end in zip(kinds, starts, ends, strict=True):
            if not after <= start < end <= len(text):
                return f"block [{start}, {end}) in a text of {len(text)} characters, after one that ends at {after}"
            if kind not in BLOCKS:
                return f"block [{start}, {end}) is of kind {kind!r}"
            after = end
        return None

    return judge


def _blocks_cover(_: References) -> Judge:
    def judge(text: str, starts: list[int], ends: list[int]) -> str | None:
        for left, right in zip([0, *ends], [*starts, len(text)], strict=True):
            if text[left:right].strip():
                return f"[{left}, {right}) {shown(text[left:right].strip())} is in no block"
        return None

    return judge


def _facts_inside(_: References) -> Judge:
    def judge(text: str, concepts: list[str], starts: list[int], ends: list[int]) -> str | None:
        for concept, start, end in zip(concepts, starts, ends, strict=True):
            # a hidden fact is shown nowhere: its span is [0, 0)
            if not 0 <= start < end <= len(text) and (start, end) != (0, 0):
                return f"{concept} at [{start}, {end}) in a text of {len(text)} characters"
        return None

    return judge


def _fact_days(_: References) -> Judge:
    day = dated("period_start", "period_end").judge(_)

    def judge(concepts: list[str], starts: list[str], ends: list[str]) -> str | None:
        for concept, start, end in zip(concepts, starts, ends, strict=True):
            if fault := day(start, end):
                return f"{concept}: {fault}"
        return None

    return judge


def _repeats_another() -> RowRule:
    def judge(doc_id: str, duplicate_of: str, similarity: float) -> str | None:
        if duplicate_of == doc_id:
            return "a duplicate of itself"
        if bool(duplicate_of) != (similarity > 0):
            return f"duplicate_of {duplicate_of!r} with similarity {similarity}"
        return None

    return RowRule("a duplicate has another document and a similarity", _DUPLICATE, lambda _: judge)


def _originals(table: pa.Table, _: References) -> list[tuple[str, str]]:
    names = table.column("doc_id").to_pylist()
    pairs = zip(names, table.column("duplicate_of").to_pylist(), strict=True)
    present = set(names)
    return [(name, f"duplicate of {original!r}") for name, original in pairs if original and original not in present]


def _verbatim(references: References) -> Judge:
    texts = looked_up(references[Document], "doc_id", "text")

    def judge(doc_id: str, start: int, end: int, text: str) -> str | None:
        return (
            uncut(texts[doc_id], doc_id, start, end, text) if doc_id in texts else None
        )  # else: its reference says so

    return judge


def _unchunked(table: pa.Table, references: References) -> list[tuple[str, str]]:
    chunked = set(table.column("doc_id").to_pylist())
    repeats = looked_up(references[Document], "doc_id", "duplicate_of")
    return [(name, "has no chunk") for name, original in repeats.items() if name not in chunked and not original]


DOCUMENT = Suite(
    key="doc_id",
    rules=(
        has_rows(),
        unique("doc_id"),
        matching("doc_id", r"^\S(?:[^\r\n\t]*\S)?\Z", "a name on one line"),
        matching("content_hash", r"^[0-9a-f]{16,128}\Z", "16 to 128 hexadecimal digits"),
        matching("media_type", r"^[\w.+-]+/[\w.+-]+\Z", "type/subtype"),
        matching("language", r"^(?:[a-z]{2,3}(?:-\w+)*)?\Z", "a language tag or empty"),
        between("duplicate_similarity", 0, 1),
        written("source"),
        written("domain"),
        written("text"),
        year(),
        dated("period_start", "period_end", "as_of"),
        RowRule(
            "blocks in order, inside the text", ("text", "blocks.kind", "blocks.start", "blocks.end"), _blocks_in_order
        ),
        RowRule("blocks cover the text", ("text", *_BLOCK_SPANS), _blocks_cover),
        RowRule("facts inside the text", ("text", "facts.concept", "facts.start", "facts.end"), _facts_inside),
        RowRule("facts' periods are days", ("facts.concept", "facts.period_start", "facts.period_end"), _fact_days),
        _repeats_another(),
        PartRule("a duplicate's original is there", Document, _originals),
    ),
)

CHUNK = Suite(
    key="chunk_id",
    needs=(Document,),
    rules=(
        has_rows(),
        unique("chunk_id"),
        hashed("chunk_id"),
        Reference("doc_id", Document, "doc_id"),
        RowRule("span of its document, verbatim", ("doc_id", "start", "end", "text"), _verbatim),
        one_of("kind", "text", "table"),
        between("tokens", 1),
        written("domain"),
        year(),
        dated("period_end"),
        PartRule("every document has a chunk", Document, _unchunked),
    ),
)

QUARANTINED = Suite(
    key="quarantine_id",
    rules=(
        unique("quarantine_id"),
        hashed("quarantine_id"),
        written("stage"),
        written("source"),
        written("reason"),
        coded("reason"),
        written("detail"),
    ),
)
