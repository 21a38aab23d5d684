"""Rules for variants and the pools they are drawn from: what was kept is what its checks say."""

import re
from collections import Counter

import pyarrow as pa

from rarefy.data_contracts.rows import Chunk, Question, Variant
from rarefy.data_contracts.suites.proofs import unproven
from rarefy.data_contracts.suites.rule import (
    Judge,
    PartRule,
    Reference,
    References,
    RowRule,
    Suite,
    between,
    coded,
    has_rows,
    hashed,
    looked_up,
    matching,
    one_of,
    shown,
    unique,
    written_unless_rejected,
)

METHODS = ("rules", "selection", "model", "apertium")
SAME = ("entailment", "kept")  # labels of a text that says what the other one says


def _as_asked(references: References) -> Judge:
    texts = looked_up(references[Question], "question_id", "text")

    def judge(question_id: str, side: str, perturbation: str, text: str) -> str | None:
        same = (side, perturbation) != ("query", "none") or texts.get(question_id, text) == text
        return None if same else f"unperturbed, but reads {text!r}, not {texts[question_id]!r}"

    return judge


def _changed(references: References) -> Judge:
    texts = looked_up(references[Question], "question_id", "text")

    def judge(question_id: str, side: str, perturbation: str, reason: str, text: str) -> str | None:
        if reason or side != "query" or perturbation == "none" or texts.get(question_id) != text:
            return None
        return f"{perturbation} kept, and it reads as its question: {shown(text)}"

    return judge


def _proven(_: References) -> Judge:
    def judge(side: str, perturbation: str, family: str, checks: list[str], reason: str) -> str | None:
        return None if reason else unproven(side, perturbation, family, checks)

    return judge


def _gold_chunk(references: References) -> Judge:
    chunks = looked_up(references[Question], "question_id", "chunk_ids")

    def judge(question_id: str, side: str, chunk_id: str) -> str | None:
        if side == "query" and chunk_id:
            return f"chunk {chunk_id} on the query side"
        if side == "document" and chunk_id not in chunks.get(question_id, [chunk_id]):
            return f"chunk {chunk_id!r} is no gold chunk of question {question_id}"
        return None

    return judge


def _of_accepted(references: References) -> Judge:
    reasons = looked_up(references[Question], "question_id", "rejected_because")
    return lambda name: f"question {name} was rejected: {reasons[name]}" if reasons.get(name) else None


def _unpaired(table: pa.Table, references: References) -> list[tuple[str, str]]:
    columns = [table.column(name).to_pylist() for name in ("question_id", "side", "perturbation", "rejected_because")]
    originals = Counter(name for name, *rest in zip(*columns, strict=True) if rest == ["query", "none", ""])
    reasons = looked_up(references[Question], "question_id", "rejected_because")
    return [
        (name, f"{originals[name]} unperturbed variants")
        for name, reason in reasons.items()
        if not reason and originals[name] != 1
    ]


def _of_a_chunk(_: References) -> Judge:
    return lambda side, chunk_id: f"a {side} variant of no chunk" if side != "query" and not chunk_id else None


def _inside(_: References) -> Judge:
    def judge(text: str, chunk_id: str, places: list[str], starts: list[int], ends: list[int]) -> str | None:
        for place, start, end in zip(places, starts, ends, strict=True):
            if place != chunk_id:
                return f"a span in chunk {place!r}, of a variant of {chunk_id!r}"
            if not 0 <= start < end <= len(text):
                return f"[{start}, {end}) is not inside its text, {len(text)} characters"
        return None

    return judge


def _checked(_: References) -> Judge:
    def judge(checks: list[str]) -> str | None:
        odd = next((name for name in checks if not re.fullmatch(r"[a-z][a-z0-9_]*", name)), None)
        return f"check {odd!r}" if odd is not None else "a check twice" if len(set(checks)) < len(checks) else None

    return judge


def _entailed(_: References) -> Judge:
    def judge(checks: list[str], entailment: str) -> str | None:
        held = "entailment" not in checks or (entailment and all(one in SAME for one in entailment.split(", ")))
        return None if held else f"held to entail both ways, yet {entailment!r}"

    return judge


def _numbered(table: pa.Table, _: References) -> list[tuple[str, str]]:
    names = ("variant_id", "question_id", "side", "perturbation", "chunk_id", "number", "rejected_because")
    seen: set[tuple[str, ...]] = set()
    again = []
    for name, *place, reason in zip(*(table.column(name).to_pylist() for name in names), strict=True):
        if not reason and tuple(place) in seen:
            again.append((name, f"{', '.join(map(str, place))}: kept before"))
        seen.add(tuple(place) if not reason else ())
    return again


VARIANT = Suite(
    key="variant_id",
    needs=(Question, Chunk),
    rules=(
        has_rows(),
        unique("variant_id"),
        hashed("variant_id"),
        one_of("side", "query", "document", "context"),
        matching("perturbation", r"^(?:[a-z][a-z0-9_]*|[A-Za-z_][\w.]*:\w+)\Z", "snake_case, or module:function"),
        matching("family", r"^\w*\Z", "a name or empty"),
        matching("method", rf"^(?:{'|'.join(METHODS)})?\Z", f"{' | '.join(METHODS)}, or empty"),
        Reference("question_id", Question, "question_id"),
        RowRule("its question was accepted", ("question_id",), _of_accepted),
        RowRule(
            "the unperturbed variant reads as its question", ("question_id", "side", "perturbation", "text"), _as_asked
        ),
        RowRule(
            "a kept question differs from its original",
            ("question_id", "side", "perturbation", "rejected_because", "text"),
            _changed,
        ),
        RowRule(
            "what is kept is of its family, and was proven as that asks",
            ("side", "perturbation", "family", "checks", "rejected_because"),
            _proven,
        ),
        RowRule("the document changed is a gold chunk", ("question_id", "side", "chunk_id"), _gold_chunk),
        Reference("chunk_id", Chunk, "chunk_id", optional=True),
        RowRule("a passage has a chunk", ("side", "chunk_id"), _of_a_chunk),
        written_unless_rejected("text"),
        between("number", 0),
        PartRule("a kept variant has its number alone", Variant, _numbered),
        RowRule(
            "spans lie inside the text, in its chunk",
            ("text", "chunk_id", "spans.chunk_id", "spans.start", "spans.end"),
            _inside,
        ),
        matching("entailment", r"^(?:[a-z_]*, [a-z_]*)?\Z", "a label each way, or empty"),
        RowRule("what was held to entail does so both ways", ("checks", "entailment"), _entailed),
        RowRule("checks are snake_case codes, each once", ("checks",), _checked),
        coded("rejected_because"),
        PartRule("every accepted question is there once unperturbed", Question, _unpaired),
    ),
)
