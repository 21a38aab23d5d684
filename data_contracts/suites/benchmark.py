"""Rules for questions and their variants: evidence verbatim, names that lead back."""

from collections import Counter

import pyarrow as pa

from rarefy.data_contracts.rows import Chunk, Path, Question, Triplet
from rarefy.data_contracts.suites.patterns import PATTERNS
from rarefy.data_contracts.suites.rule import (
    COSINE,
    Absence,
    Fault,
    Judge,
    References,
    Suite,
    accepts_some,
    between,
    coded,
    dated,
    has_rows,
    hashed,
    known,
    looked_up,
    matching,
    one_of,
    uncut,
    unique,
    written,
    written_unless_rejected,
)


def _of_its_path(references: References) -> Judge:
    paths = looked_up(references[Path], "path_id", "pattern", "triplet_ids")

    def judge(path_id: str, pattern: str, triplet_ids: list[str]) -> str | None:
        if path_id not in paths:
            return None  # `known` says so
        its_pattern, its_triplets = paths[path_id]
        if pattern != its_pattern:
            return f"a {pattern} question on a {its_pattern} path"
        lost = next((name for name in its_triplets if name not in triplet_ids), None)
        return f"triplet {lost} of path {path_id} is not in the question's" if lost else None

    return judge


def _evidenced(references: References) -> Judge:
    texts = looked_up(references[Chunk], "chunk_id", "text")

    def judge(
        chunk_ids: list[str], evidence: list[str], places: list[str], starts: list[int], ends: list[int]
    ) -> str | None:
        if len(evidence) != len(places):
            return f"{len(evidence)} sentences, {len(places)} spans"
        for sentence, chunk_id, start, end in zip(evidence, places, starts, ends, strict=True):
            if chunk_id not in chunk_ids:
                return f"evidence in chunk {chunk_id}, not among {chunk_ids}"
            if chunk_id in texts and (fault := uncut(texts[chunk_id], f"chunk {chunk_id}", start, end, sentence)):
                return fault
        return None

    return judge


def _proven(_: References) -> Judge:
    def judge(rejected_because: str, chunk_ids: list[str], evidence: list[str]) -> str | None:
        if rejected_because or (chunk_ids and evidence):
            return None
        return f"accepted with {len(chunk_ids)} chunks and {len(evidence)} sentences of evidence"

    return judge


def _unsplit(_: References) -> Judge:
    return lambda reason, split: f"rejected ({reason}), yet in {split!r}" if reason and split else None


def _as_asked(references: References) -> Judge:
    texts = looked_up(references[Question], "question_id", "text")

    def judge(question_id: str, side: str, perturbation: str, text: str) -> str | None:
        same = (side, perturbation) != ("query", "none") or texts.get(question_id, text) == text
        return None if same else f"unperturbed, but reads {text!r}, not {texts[question_id]!r}"

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


def _present(references: References) -> Judge:
    judge = known("chunk_id", Chunk, "chunk_id").judge(references)
    return lambda chunk_id: judge(chunk_id) if chunk_id else None


def _of_accepted(references: References) -> Judge:
    reasons = looked_up(references[Question], "question_id", "rejected_because")
    return lambda name: f"question {name} was rejected: {reasons[name]}" if reasons.get(name) else None


def _unpaired(table: pa.Table, references: References) -> list[str]:
    columns = [table.column(name).to_pylist() for name in ("question_id", "side", "perturbation", "rejected_because")]
    originals = Counter(name for name, *rest in zip(*columns, strict=True) if rest == ["query", "none", ""])
    reasons = looked_up(references[Question], "question_id", "rejected_because")
    return [
        f"{name}: {originals[name]} unperturbed variants"
        for name, reason in reasons.items()
        if not reason and originals[name] != 1
    ]


_EVIDENCE = ("chunk_ids", "evidence", "evidence_spans.chunk_id", "evidence_spans.start", "evidence_spans.end")

QUESTION = Suite(
    key="question_id",
    needs=(Path, Triplet, Chunk),
    rules=(
        accepts_some(),
        unique("question_id"),
        hashed("question_id"),
        one_of("pattern", *PATTERNS),
        known("path_id", Path, "path_id"),
        known("triplet_ids", Triplet, "triplet_id"),
        known("chunk_ids", Chunk, "chunk_id"),
        Fault("its path's pattern and triplets", ("path_id", "pattern", "triplet_ids"), _of_its_path),
        Fault("evidence verbatim in its chunks", _EVIDENCE, _evidenced),
        Fault("accepted questions have evidence", ("rejected_because", "chunk_ids", "evidence"), _proven),
        written_unless_rejected("text", "answer"),
        written("domain"),
        dated("valid_from"),
        matching("split", r"^(?:train|test)?\Z", "train, test or empty"),
        Fault("rejected questions are in no split", ("rejected_because", "split"), _unsplit),
        coded("rejected_because"),
    ),
)

VARIANT = Suite(
    key="variant_id",
    needs=(Question, Chunk),
    rules=(
        has_rows(),
        unique("variant_id"),
        hashed("variant_id"),
        one_of("side", "query", "document", "context"),
        matching("perturbation", r"^(?:[a-z][a-z0-9_]*|[A-Za-z_][\w.]*:\w+)\Z", "snake_case, or module:function"),
        known("question_id", Question, "question_id"),
        Fault("its question was accepted", ("question_id",), _of_accepted),
        Fault(
            "the unperturbed variant reads as its question", ("question_id", "side", "perturbation", "text"), _as_asked
        ),
        Fault("the document changed is a gold chunk", ("question_id", "side", "chunk_id"), _gold_chunk),
        Fault("chunk_id names a Chunk or is empty", ("chunk_id",), _present),
        written_unless_rejected("text"),
        between("similarity", *COSINE),
        coded("rejected_because"),
        Absence("every accepted question is there once unperturbed", _unpaired),
    ),
)
