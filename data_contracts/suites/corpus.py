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
    look_up,
    matching,
    one_of,
    quote,
    row_rule,
    span_fault,
    unique,
    written,
    year,
)

BLOCKS = ("heading", "text", "table", "caption", "footnote")
_BLOCK_SPANS = ("blocks.start", "blocks.end")
_DUPLICATE = ("doc_id", "duplicate_of", "duplicate_similarity")


def _check_block_order(text: str, kinds: list[str], starts: list[int], ends: list[int]) -> str | None:
    after = 0
    for kind, start, end in zip(kinds, starts, ends, strict=True):
        if not after <= start < end <= len(text):
            return f"block [{start}, {end}) in a text of {len(text)} characters, after one that ends at {after}"
        if kind not in BLOCKS:
            return f"block [{start}, {end}) is of kind {kind!r}"
        after = end
    return None


def _check_block_cover(text: str, starts: list[int], ends: list[int]) -> str | None:
    for left, right in zip([0, *ends], [*starts, len(text)], strict=True):
        if text[left:right].strip():
            return f"[{left}, {right}) {quote(text[left:right].strip())} is in no block"
    return None


def _check_places(text: str, starts: list[int], ends: list[int], names: list[str]) -> str | None:
    before = (-1, 0)
    for start, end, name in zip(starts, ends, names, strict=True):
        if not 0 <= start < end <= len(text):
            return f"{name!r} at [{start}, {end}) in a text of {len(text)} characters"
        if not name.strip():
            return f"[{start}, {end}) has a place without a name"
        if (start, -end) < before:
            return f"{name!r} at [{start}, {end}) after one that begins later, or is within it"
        before = (start, -end)
    return None


def _check_links(text: str, starts: list[int], ends: list[int], targets: list[str]) -> str | None:
    before = 0
    for start, end, target in zip(starts, ends, targets, strict=True):
        if not target.strip():
            return f"[{start}, {end}) leads nowhere"
        if not before <= start < end <= len(text):
            return f"{target!r} at [{start}, {end}) after {before}, in a text of {len(text)} characters"
        before = end
    return None


def _check_fact_spans(text: str, concepts: list[str], starts: list[int], ends: list[int]) -> str | None:
    for concept, start, end in zip(concepts, starts, ends, strict=True):
        # a hidden fact is shown nowhere: its span is [0, 0)
        if not 0 <= start < end <= len(text) and (start, end) != (0, 0):
            return f"{concept} at [{start}, {end}) in a text of {len(text)} characters"
    return None


_check_period = dated("period_start", "period_end").judge({})


def _check_fact_days(concepts: list[str], starts: list[str], ends: list[str]) -> str | None:
    for concept, start, end in zip(concepts, starts, ends, strict=True):
        if fault := _check_period(start, end):
            return f"{concept}: {fault}"
    return None


def _check_duplicate(doc_id: str, duplicate_of: str, similarity: float) -> str | None:
    if duplicate_of == doc_id:
        return "a duplicate of itself"
    if bool(duplicate_of) != (similarity > 0):
        return f"duplicate_of {duplicate_of!r} with similarity {similarity}"
    return None


def _find_without_original(table: pa.Table, _: References) -> list[tuple[str, str]]:
    names = table.column("doc_id").to_pylist()
    pairs = zip(names, table.column("duplicate_of").to_pylist(), strict=True)
    present = set(names)
    return [(name, f"duplicate of {original!r}") for name, original in pairs if original and original not in present]


def _check_span(references: References) -> Judge:
    texts = look_up(references[Document], "doc_id", "text")

    def judge(doc_id: str, start: int, end: int, text: str) -> str | None:
        return (
            span_fault(texts[doc_id], doc_id, start, end, text) if doc_id in texts else None
        )  # else: its reference says so

    return judge


def _find_without_chunk(table: pa.Table, references: References) -> list[tuple[str, str]]:
    chunked = set(table.column("doc_id").to_pylist())
    repeats = look_up(references[Document], "doc_id", "duplicate_of")
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
        row_rule(
            "blocks in order, inside the text",
            ("text", "blocks.kind", "blocks.start", "blocks.end"),
            _check_block_order,
        ),
        row_rule("blocks cover the text", ("text", *_BLOCK_SPANS), _check_block_cover),
        row_rule(
            "places in order, inside the text, named",
            ("text", "places.start", "places.end", "places.name"),
            _check_places,
        ),
        row_rule(
            "links in order, inside the text, with a target",
            ("text", "links.start", "links.end", "links.target"),
            _check_links,
        ),
        row_rule("facts inside the text", ("text", "facts.concept", "facts.start", "facts.end"), _check_fact_spans),
        row_rule(
            "facts' periods are days", ("facts.concept", "facts.period_start", "facts.period_end"), _check_fact_days
        ),
        row_rule("a duplicate has another document and a similarity", _DUPLICATE, _check_duplicate),
        PartRule("a duplicate's original is there", Document, _find_without_original),
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
        RowRule("span of its document, verbatim", ("doc_id", "start", "end", "text"), _check_span),
        one_of("kind", "text", "table"),
        between("tokens", 1),
        written("domain"),
        year(),
        dated("period_end"),
        PartRule("every document has a chunk", Document, _find_without_chunk),
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
