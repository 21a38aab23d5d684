"""Rules for questions: evidence verbatim, names that lead back."""

from rarefy.data_contracts.rows import Chunk, Path, Triplet
from rarefy.data_contracts.suites.patterns import PATTERNS
from rarefy.data_contracts.suites.rule import (
    Judge,
    Reference,
    References,
    RowRule,
    Suite,
    coded,
    dated,
    hashed,
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
            return None  # its reference says so
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


def _rested(references: References) -> Judge:
    reasons = looked_up(references[Triplet], "triplet_id", "rejected_because")

    def judge(rejected_because: str, triplet_ids: list[str]) -> str | None:
        fallen = next((name for name in triplet_ids if reasons.get(name)), None)
        return f"accepted on triplet {fallen}: {reasons[fallen]}" if fallen and not rejected_because else None

    return judge


def _unsplit(_: References) -> Judge:
    return lambda reason, split: f"rejected ({reason}), yet in {split!r}" if reason and split else None


_EVIDENCE = ("chunk_ids", "evidence", "evidence_spans.chunk_id", "evidence_spans.start", "evidence_spans.end")

QUESTION = Suite(
    key="question_id",
    needs=(Path, Triplet, Chunk),
    rules=(
        unique("question_id"),
        hashed("question_id"),
        one_of("pattern", *PATTERNS),
        Reference("path_id", Path, "path_id"),
        Reference("triplet_ids", Triplet, "triplet_id"),
        Reference("chunk_ids", Chunk, "chunk_id"),
        RowRule("its path's pattern and triplets", ("path_id", "pattern", "triplet_ids"), _of_its_path),
        RowRule("evidence verbatim in its chunks", _EVIDENCE, _evidenced),
        RowRule("accepted questions rest on accepted triplets", ("rejected_because", "triplet_ids"), _rested),
        RowRule("accepted questions have evidence", ("rejected_because", "chunk_ids", "evidence"), _proven),
        written_unless_rejected("text", "answer"),
        written("domain"),
        dated("valid_from"),
        matching("split", r"^(?:train|test)?\Z", "train, test or empty"),
        RowRule("rejected questions are in no split", ("rejected_because", "split"), _unsplit),
        coded("rejected_because"),
    ),
)
