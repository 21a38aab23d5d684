"""Rules for triplets and the merges of their names."""

import pyarrow as pa

from rarefy.data_contracts.rows import Chunk, Triplet
from rarefy.data_contracts.suites.rule import (
    Judge,
    PartRule,
    Reference,
    References,
    RowRule,
    Suite,
    coded,
    dated,
    hashed,
    look_up,
    matching,
    one_of,
    quote,
    row_rule,
    span_fault,
    unique,
    written,
    written_unless_rejected,
)

SUPERSEDED = "superseded"
KEYS = ("subject_key", "relation_key", "object_key")
_LITERAL = r"^(?:[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?|\d{4}-\d\d-\d\d)?\Z"


def _check_document(references: References) -> Judge:
    documents = look_up(references[Chunk], "chunk_id", "doc_id")

    def judge(chunk_id: str, doc_id: str) -> str | None:
        home = documents.get(chunk_id, doc_id)
        return None if home == doc_id else f"doc_id {doc_id!r}, but chunk {chunk_id} is of {home!r}"

    return judge


def _check_sentence(references: References) -> Judge:
    texts = look_up(references[Chunk], "chunk_id", "text")

    def judge(rejected_because: str, chunk_id: str, start: int, end: int, sentence: str) -> str | None:
        if rejected_because or chunk_id not in texts:
            return None
        return span_fault(texts[chunk_id], f"chunk {chunk_id}", start, end, sentence)

    return judge


def _line_rule(column: str) -> RowRule:
    """The rule on a line that goes with a table row, where there is one: its header, the label it depends on."""

    def verbatim(references: References) -> Judge:
        texts = look_up(references[Chunk], "chunk_id", "text")

        def judge(rejected_because: str, chunk_id: str, start: int, end: int, line: str) -> str | None:
            if rejected_because or chunk_id not in texts or (line, start, end) == ("", 0, 0):
                return None
            return span_fault(texts[chunk_id], f"chunk {chunk_id}", start, end, line)

        return judge

    columns = ("rejected_because", "chunk_id", f"{column}_start", f"{column}_end", column)
    return RowRule(f"{column} verbatim in its chunk", columns, verbatim)


def _check_answer(rejected_because: str, answer: str, sentence: str) -> str | None:
    missing = answer and not rejected_because and answer not in sentence
    return f"answer {quote(answer)} is not in {quote(sentence)}" if missing else None


def _find_without_keys(table: pa.Table, _: References) -> list[tuple[str, str]]:
    columns = [table.column(name).to_pylist() for name in ("triplet_id", "rejected_because", *KEYS)]
    rows = [(name, keys) for name, rejected, *keys in zip(*columns, strict=True) if not rejected]
    if not any(any(keys) for _, keys in rows):
        return []  # before normalisation
    return [(name, f"{KEYS[keys.index('')]} is empty") for name, keys in rows if "" in keys]


def _check_superseded(rejected_because: str, valid_from: str, valid_to: str, by: str) -> str | None:
    if (rejected_because == SUPERSEDED) != bool(by) or bool(valid_to) != bool(by):
        return f"rejected as {rejected_because!r}, superseded_by {by!r}, valid_to {valid_to!r}"
    return f"valid_to {valid_to} is before valid_from {valid_from}" if by and valid_to < valid_from else None


def _find_without_successor(table: pa.Table, _: References) -> list[tuple[str, str]]:
    columns = (table.column(name).to_pylist() for name in ("triplet_id", "superseded_by", "rejected_because"))
    rows = list(zip(*columns, strict=True))
    reasons = {name: reason for name, _, reason in rows}
    return [
        (name, f"superseded by {by!r}, which is {repr(reasons[by]) if by in reasons else 'no Triplet'}")
        for name, by, _ in rows
        if by and reasons.get(by, "?") not in ("", SUPERSEDED)
    ]


TRIPLET = Suite(
    key="triplet_id",
    needs=(Chunk,),
    rules=(
        unique("triplet_id"),
        hashed("triplet_id"),
        Reference("chunk_id", Chunk, "chunk_id"),
        RowRule("doc_id is its chunk's", ("chunk_id", "doc_id"), _check_document),
        RowRule(
            "source sentence verbatim in its chunk",
            ("rejected_because", "chunk_id", "start", "end", "source_sentence"),
            _check_sentence,
        ),
        _line_rule("header"),
        _line_rule("group"),
        row_rule(
            "answer verbatim in its source sentence",
            ("rejected_because", "answer", "source_sentence"),
            _check_answer,
        ),
        written_unless_rejected("subject", "relation", "object"),
        one_of("method", "table", "cover", "deadline", "reading", "prose", "model", "link", "owner"),
        matching("value", _LITERAL, "a plain number, an ISO day or empty"),
        dated("period_start", "period_end"),
        dated("valid_from", "valid_to"),
        written("domain"),
        coded("rejected_because"),
        row_rule(
            "what is superseded says by what and when, nothing else does",
            ("rejected_because", "valid_from", "valid_to", "superseded_by"),
            _check_superseded,
        ),
        PartRule("what supersedes a fact is a Triplet that stood", Triplet, _find_without_successor),
        PartRule("every accepted triplet has its keys, once any has", Triplet, _find_without_keys),
    ),
)

MERGE = Suite(
    key="merge_id",
    rules=(
        unique("merge_id"),
        hashed("merge_id"),
        one_of("kind", "relation", "entity"),
        written("name"),
        written("canonical"),
        written("evidence"),
        RowRule(
            "two different names",
            ("name", "canonical"),
            lambda _: lambda name, canonical: f"{name!r} merged with itself" if name == canonical else None,
        ),
    ),
)
