"""What a model that did not write the questions says of each: readability, clarity, correctness (RARE §3.4, R23)."""

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any, Literal

from pydantic import BaseModel, Field

from rarefy.data_contracts.rows import Chunk, Judgement, Question, Reply, Request, Unanswered, row_id
from rarefy.tasks.models import prompts
from rarefy.tasks.models.llm import LLM, heard, replies, unanswered
from rarefy.tasks.questions.grade.verdict import DIMENSIONS, HIGHEST, Verdict, against, scores

__all__ = ["DIMENSIONS", "VERSION", "GradeConfig", "Verdict", "against", "grade", "requests", "scores"]

VERSION = 1

JUDGES = ("first", "second")


class GradeConfig(BaseModel, frozen=True, extra="forbid"):
    """Whether questions are judged by a model, and what they must reach."""

    by: Literal["", "model"] = Field(default="", description='model: every question that stands is judged; "": none is')
    keep_above: int = Field(
        default=3,
        ge=0,
        lt=HIGHEST,
        description="kept is a question of which all three scores (1-5) are above this",
    )
    rounds: int = Field(
        default=1,
        ge=1,
        le=9,
        description="how often each question is judged, each time with another seed; the median decides (of two in the "
        "middle the lower), and the report says how far the rounds agree",
    )
    temperature: float = Field(
        default=0.0, ge=0, le=2, description="at 0 further rounds show only what the server itself leaves to chance"
    )
    max_tokens: int = Field(default=400, ge=1, description="of a judgement")
    seed: int = Field(default=0, description="of the first round; the others count on from it")


def grade(
    questions: Iterable[Question],
    config: GradeConfig,
    *,
    chunks: Mapping[str, Chunk],
    llm: LLM | None = None,
    second: LLM | None = None,
) -> Iterator[Question | Judgement | Unanswered]:
    """Every judgement, every request that failed, then every question with the first reason against it or none.

    All questions that stand are judged, none is sampled; one that comes rejected goes through as it is. The first
    judge decides; `second` is asked the same, for agreement alone. A question whose judgement failed in every round is
    rejected as not_judged: what nobody looked at is not kept. ValueError where a model is wanted and none is given.
    """
    rows = list(questions)
    if not config.by:
        yield from rows
        return
    if llm is None:
        raise ValueError('grade.by = "model" needs a model: say which in [judge] or [llm]')
    decisive: dict[str, list[Judgement]] = defaultdict(list)
    for judge, model in zip(JUDGES, (llm, second), strict=True):
        if model is None:
            continue
        standing = [question for question in rows if not question.rejected_because]
        asked = {_name(one, judge, turn): (one, turn) for one in standing for turn in range(config.rounds)}
        for reply in replies(model, requests(standing, config, chunks, judge)):
            question, turn = asked[reply.request_id]
            one, reply = _judgement(question, judge, turn, reply)
            if judge == JUDGES[0]:
                decisive[question.question_id].append(one)
            yield one
            if reply.error:
                yield unanswered("grade", question.question_id, reply)
    for question in rows:
        reason = question.rejected_because or against(decisive[question.question_id], config.keep_above)
        yield replace(question, rejected_because=reason)


def requests(
    questions: Iterable[Question], config: GradeConfig, chunks: Mapping[str, Chunk], judge: str = JUDGES[0]
) -> Iterator[Request]:
    """What a judge is asked: questions on the same chunks one after the other, their long common beginning first."""
    shown: list[tuple[list[tuple[str, str, str, int, str]], Question]] = []
    for question in questions:
        if not question.rejected_because:
            gold = [chunks[name] for name in set(question.chunk_ids)]
            # whose and of when before the document's name, so that another name leaves passages in their order
            places = [(one.entity, one.period_end, one.doc_id, one.start, one.chunk_id) for one in gold]
            shown.append((sorted(places), question))
    for places, question in sorted(shown, key=lambda pair: (pair[1].domain, pair[0], pair[1].question_id)):
        gold = [chunks[place[-1]] for place in places]
        documents = len({chunk.doc_id for chunk in gold})
        told = prompts.messages("grade", "judge", question.domain, chunks=gold, documents=documents, question=question)
        for turn in range(config.rounds):
            yield Request(
                _name(question, judge, turn),
                told,
                schema=_SCHEMA,
                temperature=config.temperature,
                max_tokens=config.max_tokens,
                seed=config.seed + turn,
            )


_SCHEMA = json.dumps(Verdict.model_json_schema(), sort_keys=True)


def _name(question: Question, judge: str, turn: int) -> str:
    return row_id("grade", question.question_id, judge, turn)


def _judgement(question: Question, judge: str, turn: int, reply: Reply) -> tuple[Judgement, Reply]:
    """What was said of a question, and the reply as it turned out: only a whole verdict counts, never a part."""
    said, reply = heard(reply, Verdict)
    values: dict[str, Any] = {"error": reply.error}
    if said:
        values = {name: getattr(said, name) for name in DIMENSIONS} | {"reason": " ".join(said.reason.split())}
    name = row_id("judgement", question.question_id, judge, turn)
    return Judgement(name, question.question_id, judge, turn, model=reply.model, **values), reply
