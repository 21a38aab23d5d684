"""Multi-hop questions asked with each of their gold chunks alone, which must not be enough (RARE R16, R19)."""

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from rarefy.data_contracts.rows import Chunk, Probe, Question, Reply, Request, Unanswered, row_id
from rarefy.tasks.models.llm import LLM, heard, replies, unanswered
from rarefy.tasks.models.prompts import messages
from rarefy.tasks.questions.probe.right import right, said

__all__ = ["VERSION", "ProbeConfig", "probe", "requests"]

VERSION = 4  # more ways to decline are heard


class ProbeConfig(BaseModel, frozen=True, extra="forbid"):
    """Whether multi-hop questions are tried on one chunk at a time."""

    by: Literal["", "model"] = Field("", description="who answers: the model of [llm]; empty: it is not tried")
    temperature: float = Field(0.0, ge=0, description="of the model")
    max_tokens: int = Field(300, ge=1, description="of one reply")
    seed: int = Field(0, description="of the model, for a provider that takes one")


class Answered(BaseModel, frozen=True):
    """An answer from one passage; empty where the passage does not tell."""

    model_config = ConfigDict(coerce_numbers_to_str=True)

    answer: str | None


SCHEMA = json.dumps(Answered.model_json_schema())


def probe(
    questions: Iterable[Question], config: ProbeConfig, *, chunks: Mapping[str, Chunk], llm: LLM | None = None
) -> Iterator[Question | Probe | Unanswered]:
    """Every question in order, a multi-hop one behind the probes of its chunks.

    It is rejected where any one chunk was enough (`answerable_from_one_chunk`), and where a probe got no reply
    (`probe_unanswered`): what is not shown to take several chunks is not taken for it.
    """
    if not config.by:
        yield from questions
        return
    if llm is None:
        raise ValueError('[probe] by = "model" needs a model: set [llm]')
    rows = list(questions)
    asked = {request_id(question, name): (question, name) for question, name in _in_order(rows)}
    done: dict[tuple[str, str], tuple[Probe, Reply]] = {}
    for reply in replies(llm, (request(*pair, config, chunks) for pair in asked.values())):
        question, name = asked[reply.request_id]
        done[question.question_id, name] = probed(question, name, reply)
    for question in rows:
        found = [done[question.question_id, name] for name in chunks_of(question)]
        for row, reply in found:
            yield row
            if row.error:
                yield unanswered("probe", f"{question.question_id} {row.chunk_id}", reply)
        if any(row.right for row, _ in found):
            yield replace(question, rejected_because="answerable_from_one_chunk")
        elif any(row.error for row, _ in found):
            yield replace(question, rejected_because="probe_unanswered")
        else:
            yield question


def requests(questions: Iterable[Question], config: ProbeConfig, *, chunks: Mapping[str, Chunk]) -> Iterator[Request]:
    """What the model would be asked, in order, without asking it."""
    if config.by:
        yield from (request(question, name, config, chunks) for question, name in _in_order(list(questions)))


def chunks_of(question: Question) -> tuple[str, ...]:
    """The chunks that a question is tried on: none for one that is rejected or takes a single chunk by its nature."""
    return () if question.rejected_because or question.pattern == "single" else tuple(dict.fromkeys(question.chunk_ids))


def request_id(question: Question, chunk_id: str) -> str:
    """What the request for a question and a chunk is called."""
    return row_id("probe", question.question_id, chunk_id)


def request(question: Question, chunk_id: str, config: ProbeConfig, chunks: Mapping[str, Chunk]) -> Request:
    """The request for one question and one chunk: the chunk first, since other questions share it."""
    chunk = chunks[chunk_id]
    about = {
        "of": chunk.entity,
        "fiscal_year": str(chunk.fiscal_year or ""),
        "period_end": chunk.period_end,
        "section": chunk.section,
    }
    return Request(
        request_id(question, chunk_id),
        messages(
            "probe",
            "probe",
            question.domain,
            about=[(name, value) for name, value in about.items() if value],
            passage=chunk.text,
            question=question.text,
        ),
        schema=SCHEMA,
        temperature=config.temperature,
        max_tokens=config.max_tokens,
        seed=config.seed,
    )


def probed(question: Question, chunk_id: str, reply: Reply) -> tuple[Probe, Reply]:
    """The row of one reply, and the reply with its error if it has none of its own but cannot be read."""
    read, reply = heard(reply, Answered)
    answer = (read.answer if read else None) or ""
    return Probe(
        row_id("probe", question.question_id, chunk_id),
        question.question_id,
        chunk_id,
        answer=said(answer),
        right=right(answer, question.answer, question.aliases),
        error=reply.error,
    ), reply


def _in_order(questions: list[Question]) -> list[tuple[Question, str]]:
    """The pairs to ask, those of one chunk together, for a server's prefix cache."""
    pairs = [(question, name) for question in questions for name in chunks_of(question)]
    return sorted(pairs, key=lambda pair: (pair[1], pair[0].question_id))
