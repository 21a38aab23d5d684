"""Questions in, probes and questions out: a model answers multi-hop questions from each gold chunk alone (R16, R19).

A question that one chunk answers is rejected, and so is one whose probe got no reply.
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from rarefy.data_contracts.rows import MULTI_HOP, Chunk, Probe, Question, Reply, Request, Unanswered, row_id
from rarefy.tasks.models.llm import LLM, parse_reply, replies, unanswered
from rarefy.tasks.models.prompts import messages
from rarefy.tasks.questions.ask.model_checks import telling_stems
from rarefy.tasks.questions.gates.wording import contains_phrase
from rarefy.tasks.text.notations import find_numbers, is_same_number, parse_only_number
from rarefy.tasks.text.refusals import refusal

__all__ = ["VERSION", "ProbeConfig", "probe", "requests"]

VERSION = 8  # more courtesies


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
    by_request = {request_id(question, name): (question, name) for question, name in _in_order(rows)}
    probed: dict[tuple[str, str], tuple[Probe, Reply]] = {}
    for reply in replies(llm, (build_request(*pair, config, chunks) for pair in by_request.values())):
        question, name = by_request[reply.request_id]
        probed[question.question_id, name] = make_probe(question, name, reply)
    for question in rows:
        probes = [probed[question.question_id, name] for name in chunks_to_probe(question)]
        for row, reply in probes:
            yield row
            if row.error:
                yield unanswered("probe", f"{question.question_id} {row.chunk_id}", reply)
        if any(row.right for row, _ in probes):
            yield replace(question, rejected_because="answerable_from_one_chunk")
        elif any(row.error for row, _ in probes):
            yield replace(question, rejected_because="probe_unanswered")
        else:
            yield question


def build_requests(
    questions: Iterable[Question], config: ProbeConfig, *, chunks: Mapping[str, Chunk]
) -> Iterator[Request]:
    """The requests to the model, in order."""
    if config.by:
        yield from (build_request(question, name, config, chunks) for question, name in _in_order(list(questions)))


def chunks_to_probe(question: Question) -> tuple[str, ...]:
    """The gold chunks that a question is tried on; none for rejected and single-hop questions."""
    if question.rejected_because or question.pattern not in MULTI_HOP:
        return ()
    return tuple(dict.fromkeys(question.chunk_ids))


def request_id(question: Question, chunk_id: str) -> str:
    """The id of the request for a question and a chunk."""
    return row_id("probe", question.question_id, chunk_id)


def build_request(question: Question, chunk_id: str, config: ProbeConfig, chunks: Mapping[str, Chunk]) -> Request:
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


def make_probe(question: Question, chunk_id: str, reply: Reply) -> tuple[Probe, Reply]:
    """The row of one reply, and the reply, with an error where it cannot be read."""
    read, reply = parse_reply(reply, Answered)
    answer = (read.answer if read else None) or ""
    return Probe(
        row_id("probe", question.question_id, chunk_id),
        question.question_id,
        chunk_id,
        answer=answer_text(answer),
        right=is_right(answer, question.answer, question.aliases),
        error=reply.error,
    ), reply


def _in_order(questions: list[Question]) -> list[tuple[Question, str]]:
    """(question, chunk id) to ask, those of one chunk together, for a server's prefix cache."""
    pairs = [(question, name) for question in questions for name in chunks_to_probe(question)]
    return sorted(pairs, key=lambda pair: (pair[1], pair[0].question_id))


_ARTICLE = re.compile(r"^(?:the|an?)\s+", re.IGNORECASE)


def answer_text(answer: str) -> str:
    """A model's answer on one line; "" where it declines to answer."""
    line = " ".join(answer.split())
    declined = refusal(line, "", general=True)
    return "" if (declined and not declined.rest and not declined.guess) or not re.search(r"\w", line) else line


def is_right(answer: str, gold: str, aliases: Iterable[str] = ()) -> bool:
    """Whether `answer` is the gold one or an alias, in other words or notations: never a piece of a token (RARE R35).

    Right is: the same words; the gold ones within the answer, token by token ("1" is not in "2019"); most of the gold
    one's telling words as the whole of the answer ("Ministry of Finance" of "the Japanese Ministry of Finance"); the
    same number in another notation ("$47,525 million" of "$47.5 billion").
    """
    given = _plain(answer)
    if not re.search(r"\w", given):
        return False
    return any(_matches(given, wanted) for form in (gold, *aliases) if (wanted := _plain(form)))


def _matches(given: str, wanted: str) -> bool:
    if given == wanted or contains_phrase(given, wanted):
        return True
    if number := parse_only_number(wanted):
        return any(is_same_number(number, other, fewest=3) for other in find_numbers(given))
    words, all_words = telling_stems(given), telling_stems(wanted)
    return contains_phrase(wanted, given) and 2 * len(words & all_words) > len(all_words)


def _plain(text: str) -> str:
    line = " ".join(text.replace("’", "'").replace("“", '"').replace("”", '"').casefold().split())
    return _ARTICLE.sub("", line.strip(" .,;:!\"'"))
