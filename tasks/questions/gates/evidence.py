"""Is the answer where the question says it is?"""

from collections.abc import Mapping, Sequence

from rarefy.data_contracts.rows import Chunk, Question, Triplet
from rarefy.tasks.questions.gates.config import GatesConfig


def answer_in_evidence(
    questions: Sequence[Question], config: GatesConfig, *, chunks: Mapping[str, Chunk], triplets: Mapping[str, Triplet]
) -> dict[str, str]:
    """Rejects questions whose evidence is not verbatim at its spans, or whose answer is not verbatim in it."""
    return {q.question_id: reason for q in questions if (reason := _fault(q, chunks))}


def _fault(question: Question, chunks: Mapping[str, Chunk]) -> str:
    if not question.text.strip() or not question.answer.strip():
        return "empty"
    if len(question.evidence) != len(question.evidence_spans) or not question.evidence:
        return "evidence_missing"
    for sentence, span in zip(question.evidence, question.evidence_spans, strict=True):
        chunk = chunks.get(span.chunk_id)
        if not sentence or chunk is None or chunk.text[span.start : span.end] != sentence:
            return "evidence_not_verbatim"
    if {s.chunk_id for s in question.evidence_spans} != set(question.chunk_ids):
        return "evidence_missing"  # a gold chunk that nothing supports
    return "" if any(question.answer in e for e in question.evidence) else "answer_not_in_evidence"
