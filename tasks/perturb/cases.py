"""What is changed of a question: its text, its gold chunks, or a passage cut from each of them."""

from collections.abc import Iterator, Mapping

from rarefy.data_contracts.rows import Chunk, Pool, Question, row_id
from rarefy.tasks.perturb.case import Case
from rarefy.tasks.perturb.config import PerturbConfig
from rarefy.tasks.perturb.entry import Perturbation
from rarefy.tasks.perturb.passages import passage


def cases(
    question: Question,
    entry: Perturbation,
    config: PerturbConfig,
    chunks: Mapping[str, Chunk],
    pool: Pool | None,
) -> Iterator[Case]:
    """The cases of a question for a perturbation: one on the query side, else one per gold chunk or one for all."""
    if entry.side == "query":
        yield _case(question, question.question_id, "query", question.text, pool, chunks)
        return
    for chunk_id in dict.fromkeys(question.chunk_ids):
        chunk = chunks[chunk_id]
        spans = tuple((s.start, s.end) for s in question.evidence_spans if s.chunk_id == chunk_id)
        start, end = 0, len(chunk.text)
        if entry.side == "context":
            start, end = passage(chunk, spans, config.passage)
        case_id = row_id(chunk_id) if entry.alone else row_id(question.question_id, chunk_id)
        inside = tuple((max(a, start) - start, min(b, end) - start) for a, b in spans if a < end and start < b)
        yield _case(question, case_id, entry.side, chunk.text[start:end], pool, chunks, chunk, inside)
        if entry.per == "question":
            return


def _case(
    question: Question,
    case_id: str,
    side: str,
    text: str,
    pool: Pool | None,
    chunks: Mapping[str, Chunk],
    chunk: Chunk | None = None,
    spans: tuple[tuple[int, int], ...] = (),
) -> Case:
    return Case(
        case_id=case_id,
        side=side,
        text=text,
        question_id=question.question_id,
        question=question.text,
        answer=question.answer,
        aliases=question.aliases,
        spans=spans,
        evidence=question.evidence,
        golds=question.chunk_ids,
        chunk_id=chunk.chunk_id if chunk else "",
        title=chunk.title if chunk else "",
        kind=chunk.kind if chunk else "text",
        entity=question.entity,
        domain=question.domain,
        language=chunk.language if chunk else question.language,
        pool=pool,
        chunks=chunks,
    )
