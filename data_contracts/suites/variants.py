"""Rules for variants, the proofs of their families, the pools of noise they are drawn from, and similarities."""

import re
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from rarefy.data_contracts.rows import Chunk, Question, Variant
from rarefy.data_contracts.suites.rule import (
    COSINE,
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
    look_up,
    look_up_answerable,
    matching,
    one_of,
    quote,
    row_rule,
    unique,
    written_unless_rejected,
)


@dataclass(frozen=True, slots=True)
class Family:
    """A family of perturbations: its side, and the checks that none of its kept variants lacks."""

    side: str
    checks: frozenset[str] = frozenset()


def _family(side: str, *checks: str) -> Family:
    return Family(side, frozenset(checks))


# Members are the catalogue's business (tasks/perturb/catalogue.py), and so are further checks of theirs
FAMILIES = {
    "surface": _family("query", "similarity"),
    "advanced": _family("query", "similarity"),
    "superficial": _family("query"),
    "paraphrase": _family("query", "same_facts", "similarity", "entailment"),
    "deletion": _family("document", "no_answer"),
    "back_translation": _family("document", "answer_kept", "same_facts", "entailment"),
    "style": _family("document", "answer_kept", "same_facts", "entailment"),
    "source": _family("document", "answer_kept", "same_facts", "entailment"),
    "logic": _family("document", "same_sentences", "answer_kept"),
    "format": _family("document"),
    "metadata": _family("document"),
    "golden": _family("context", "answer_kept"),
    "distracting": _family("context", "no_answer"),
    "low_quality": _family("context", "no_answer"),
    "inconsequential": _family("context", "no_answer"),
    "irrelevant": _family("context", "no_answer"),
    "distraction": _family("context", "holds_original", "answer_kept"),
}


def missing_proof(side: str, perturbation: str, family: str, checks: list[str]) -> str | None:
    """Why a kept variant is not what its family says; None where it is, or where it is somebody else's."""
    if perturbation == "none" or ":" in perturbation:
        return None
    if family not in FAMILIES:
        return f"{perturbation} is of family {family!r}, of which nothing is known"
    proven = FAMILIES[family]
    if side != proven.side:
        return f"{perturbation} is of family {family}, which is of the {proven.side} side, not of the {side} side"
    lost = sorted(proven.checks.difference(checks))
    return f"{perturbation} kept without {', '.join(lost)}" if lost else None


_SWAPS = ("swaps.old", "swaps.new", "swaps.kind", "counterfacts.old", "counterfacts.new", "counterfacts.kind")


def _check_not_gold(references: References) -> Judge:
    gold = look_up(references[Question], "question_id", "chunk_ids")

    def judge(question_id: str, neighbours: list[str], strangers: list[str]) -> str | None:
        own = set(gold.get(question_id, ()))
        found = next((name for name in (*neighbours, *strangers) if name in own), None)
        return f"gold chunk {found} of question {question_id}" if found else None

    return judge


def _chunk_documents(references: References) -> tuple[Mapping[str, str], Callable[[str], set[str | None]]]:
    """The document of each chunk, and a function that gives those of a question's gold chunks."""
    gold = look_up(references[Question], "question_id", "chunk_ids")
    document = look_up(references[Chunk], "chunk_id", "doc_id")
    return document, lambda question_id: {document.get(name) for name in gold.get(question_id, ())}


def _check_strangers(references: References) -> Judge:
    document, gold_documents = _chunk_documents(references)

    def judge(question_id: str, strangers: list[str]) -> str | None:
        own = gold_documents(question_id)
        found = next((name for name in strangers if document.get(name) in own), None)
        return f"stranger {found} is of {document[found]}, as a gold chunk is" if found else None

    return judge


def _check_neighbours(references: References) -> Judge:
    document, gold_documents = _chunk_documents(references)

    def judge(question_id: str, neighbours: list[str]) -> str | None:
        own = gold_documents(question_id)
        found = next((name for name in neighbours if name in document and document[name] not in own), None)
        return f"neighbour {found} is of {document[found]}, and no gold chunk is" if found else None

    return judge


def _check_swaps(*columns: list[str]) -> str | None:
    for old, new, kind in (*zip(*columns[:3], strict=True), *zip(*columns[3:], strict=True)):
        if not (old.strip() and new.strip() and kind) or old == new:
            return f"{new!r} for {old!r}, of kind {kind!r}"
    return None


def _find_without_pool(table: pa.Table, references: References) -> list[tuple[str, str]]:
    drawn = set(table.column("question_id").to_pylist())
    return [(name, "none") for name in look_up_answerable(references[Question]) if name not in drawn]


POOL = Suite(
    key="pool_id",
    needs=(Question, Chunk),
    rules=(
        unique("pool_id"),
        hashed("pool_id"),
        unique("question_id"),
        Reference("question_id", Question, "question_id"),
        Reference("neighbours", Chunk, "chunk_id"),
        Reference("strangers", Chunk, "chunk_id"),
        RowRule("no passage of a pool is gold", ("question_id", "neighbours", "strangers"), _check_not_gold),
        RowRule("neighbours stand in a gold chunk's document", ("question_id", "neighbours"), _check_neighbours),
        RowRule("strangers stand in another document", ("question_id", "strangers"), _check_strangers),
        row_rule("a swap has a kind and two values that differ", _SWAPS, _check_swaps),
        PartRule("every accepted question but absences has a pool", Question, _find_without_pool),
    ),
)

SIMILARITY = Suite(
    key="of",
    rules=(
        unique("of"),
        hashed("of"),
        one_of("kind", "variant", "merge"),
        one_of("method", "embedding", "words"),
        between("cosine", *COSINE),
    ),
)

METHODS = ("rules", "selection", "model")
SAME = ("entailment", "kept")  # labels of a text that says what the other one says


def _check_unperturbed(references: References) -> Judge:
    texts = look_up(references[Question], "question_id", "text")

    def judge(question_id: str, side: str, perturbation: str, text: str) -> str | None:
        same = (side, perturbation) != ("query", "none") or texts.get(question_id, text) == text
        return None if same else f"unperturbed, but reads {text!r}, not {texts[question_id]!r}"

    return judge


def _check_changed(references: References) -> Judge:
    texts = look_up(references[Question], "question_id", "text")

    def judge(question_id: str, side: str, perturbation: str, reason: str, text: str) -> str | None:
        if reason or side != "query" or perturbation == "none" or texts.get(question_id) != text:
            return None
        return f"{perturbation} kept, and it reads as its question: {quote(text)}"

    return judge


def _check_proof(side: str, perturbation: str, family: str, checks: list[str], reason: str) -> str | None:
    return None if reason else missing_proof(side, perturbation, family, checks)


def _check_gold_chunk(references: References) -> Judge:
    chunks = look_up(references[Question], "question_id", "chunk_ids")

    def judge(question_id: str, side: str, chunk_id: str) -> str | None:
        if side == "query" and chunk_id:
            return f"chunk {chunk_id} on the query side"
        if side == "document" and chunk_id not in chunks.get(question_id, [chunk_id]):
            return f"chunk {chunk_id!r} is no gold chunk of question {question_id}"
        return None

    return judge


def _check_question_accepted(references: References) -> Judge:
    reasons = look_up(references[Question], "question_id", "rejected_because")
    return lambda name: f"question {name} was rejected: {reasons[name]}" if reasons.get(name) else None


def _find_without_original(table: pa.Table, references: References) -> list[tuple[str, str]]:
    columns = [table.column(name).to_pylist() for name in ("question_id", "side", "perturbation", "rejected_because")]
    originals = Counter(name for name, *rest in zip(*columns, strict=True) if rest == ["query", "none", ""])
    reasons = look_up(references[Question], "question_id", "rejected_because")
    return [
        (name, f"{originals[name]} unperturbed variants")
        for name, reason in reasons.items()
        if not reason and originals[name] != 1
    ]


def _check_has_chunk(side: Any, chunk_id: Any) -> str | None:
    return f"a {side} variant of no chunk" if side != "query" and not chunk_id else None


def _check_spans(text: str, chunk_id: str, places: list[str], starts: list[int], ends: list[int]) -> str | None:
    for place, start, end in zip(places, starts, ends, strict=True):
        if place != chunk_id:
            return f"a span in chunk {place!r}, of a variant of {chunk_id!r}"
        if not 0 <= start < end <= len(text):
            return f"[{start}, {end}) is not inside its text, {len(text)} characters"
    return None


def _check_codes(checks: list[str]) -> str | None:
    odd = next((name for name in checks if not re.fullmatch(r"[a-z][a-z0-9_]*", name)), None)
    return f"check {odd!r}" if odd is not None else "a check twice" if len(set(checks)) < len(checks) else None


def _check_entailment(checks: list[str], entailment: str) -> str | None:
    held = "entailment" not in checks or (entailment and all(one in SAME for one in entailment.split(", ")))
    return None if held else f"held to entail both ways, yet {entailment!r}"


def _find_repeated_numbers(table: pa.Table, _: References) -> list[tuple[str, str]]:
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
        RowRule("its question was accepted", ("question_id",), _check_question_accepted),
        RowRule(
            "the unperturbed variant reads as its question",
            ("question_id", "side", "perturbation", "text"),
            _check_unperturbed,
        ),
        RowRule(
            "a kept question differs from its original",
            ("question_id", "side", "perturbation", "rejected_because", "text"),
            _check_changed,
        ),
        row_rule(
            "what is kept is of its family, and was proven as that asks",
            ("side", "perturbation", "family", "checks", "rejected_because"),
            _check_proof,
        ),
        RowRule("the document changed is a gold chunk", ("question_id", "side", "chunk_id"), _check_gold_chunk),
        Reference("chunk_id", Chunk, "chunk_id", optional=True),
        row_rule("a passage has a chunk", ("side", "chunk_id"), _check_has_chunk),
        written_unless_rejected("text"),
        between("number", 0),
        PartRule("a kept variant has its number alone", Variant, _find_repeated_numbers),
        row_rule(
            "spans lie inside the text, in its chunk",
            ("text", "chunk_id", "spans.chunk_id", "spans.start", "spans.end"),
            _check_spans,
        ),
        matching("entailment", r"^(?:[a-z_]*, [a-z_]*)?\Z", "a label each way, or empty"),
        row_rule("what was held to entail does so both ways", ("checks", "entailment"), _check_entailment),
        row_rule("checks are snake_case codes, each once", ("checks",), _check_codes),
        coded("rejected_because"),
        PartRule("every accepted question is there once unperturbed", Question, _find_without_original),
    ),
)
