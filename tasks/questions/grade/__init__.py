"""Questions in, judgements and questions out: a model scores readability, clarity, correctness, use (RARE §3.4, R23).

A question is kept where all scores are high enough; `agreement` measures how far judges and people agree.
"""

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from statistics import median_low
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, Field, WithJsonSchema

from rarefy.data_contracts.rows import (
    MULTI_HOP,
    Chunk,
    Document,
    Judgement,
    Question,
    Reply,
    Request,
    Triplet,
    Unanswered,
    row_id,
)
from rarefy.tasks.models import prompts
from rarefy.tasks.models.llm import LLM, parse_reply, replies, unanswered
from rarefy.tasks.questions.rivals import Rivals, describe

__all__ = ["DIMENSIONS", "VERSION", "GradeConfig", "Verdict", "against", "grade", "requests", "scores"]

VERSION = 6  # what the collection says of others is shown, of subjects too

JUDGES = ("first", "second")


DIMENSIONS = ("readability", "clarity", "correctness")


LOWEST, HIGHEST = 1, 5


def _whole_number(value: object) -> object:
    """A number that some models write as 4.0 is 4; 4.5 stays and is refused."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


# an enumeration in the schema: not all servers that constrain replies know minimum and maximum
_SCORE = {"type": "integer", "enum": list(range(LOWEST, HIGHEST + 1))}
Score = Annotated[
    int,
    BeforeValidator(_whole_number),
    Field(strict=True, ge=LOWEST, le=HIGHEST),
    WithJsonSchema(_SCORE),
]


class Verdict(BaseModel, frozen=True):
    """A judge's reply; the reason comes first, so that the scores follow from it. What else it says is not read."""

    reason: str = Field(description="at most 40 words: the worst fault, or why there is none")
    readability: Score
    clarity: Score
    correctness: Score
    use: Annotated[Score | None, WithJsonSchema(_SCORE)] = None  # asked for; a judge that says nothing of it is heard


_SCHEMA = json.dumps(Verdict.model_json_schema(), sort_keys=True)


class GradeConfig(BaseModel, frozen=True, extra="forbid"):
    """Whether questions are judged by a model, and what they must reach."""

    by: Literal["", "model"] = Field(default="", description='model: every question that stands is judged; "": none is')
    keep_above: int = Field(
        default=3,
        ge=0,
        lt=HIGHEST,
        description="kept is a question whose readability, clarity, correctness (1-5) are above this",
    )
    keep_use_above: int = Field(
        default=3,
        ge=0,
        lt=HIGHEST,
        description="kept is a question whose use (1-5; 3: a plain look-up that nobody gets wrong) is above this, "
        "where the judge says; 0: whatever its use",
    )
    titles: bool = Field(default=True, description="whether the judge is shown the titles of the documents")
    rivals: int = Field(
        default=3,
        ge=0,
        description="facts of other things that the judge is shown with a question of several facts, which it would "
        "have as answers without its description",
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
    documents: Mapping[str, Document] | None = None,
    triplets: Mapping[str, Triplet] | None = None,
    llm: LLM | None = None,
    second: LLM | None = None,
) -> Iterator[Question | Judgement | Unanswered]:
    """Every judgement, every request that failed, then every question with the first reason against it or none.

    All questions are judged, none is sampled; one that comes rejected goes through as it is. The first judge decides;
    `second` is asked the same, for agreement alone. A question whose judgement failed in every round is
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
        by_request = {
            _request_id(question, judge, turn): (question, turn)
            for question in standing
            for turn in range(config.rounds)
        }
        for reply in replies(model, build_requests(standing, config, chunks, judge, documents, triplets)):
            question, turn = by_request[reply.request_id]
            judgement, reply = _make_judgement(question, judge, turn, reply)
            if judge == JUDGES[0]:
                decisive[question.question_id].append(judgement)
            yield judgement
            if reply.error:
                yield unanswered("grade", question.question_id, reply)
    for question in rows:
        # nothing to judge an absence by: its documents were searched, and no passage is shown that says nothing
        unjudged = question.rejected_because or question.pattern == "absent"
        judgements = decisive[question.question_id]
        reason = question.rejected_because if unjudged else rejection_reason(judgements, config)
        yield replace(question, rejected_because=reason)


def build_requests(
    questions: Iterable[Question],
    config: GradeConfig,
    chunks: Mapping[str, Chunk],
    judge: str = JUDGES[0],
    documents: Mapping[str, Document] | None = None,
    triplets: Mapping[str, Triplet] | None = None,
) -> Iterator[Request]:
    """The requests to a judge, questions on the same chunks one after the other, for a server's prefix cache."""
    rivals = Rivals((triplets or {}).values() if config.rivals else ())
    shown: list[tuple[list[tuple[str, str, str, int, str]], Question]] = []
    for question in questions:
        if not question.rejected_because and question.pattern != "absent":
            gold = [chunks[name] for name in set(question.chunk_ids)]
            # whose and of when before the document's name, so that another name leaves passages in their order
            places = [(chunk.entity, chunk.period_end, chunk.doc_id, chunk.start, chunk.chunk_id) for chunk in gold]
            shown.append((sorted(places), question))
    for places, question in sorted(shown, key=lambda pair: (pair[1].domain, pair[0], pair[1].question_id)):
        gold = [chunks[place[-1]] for place in places]
        sources = {chunk.doc_id for chunk in gold}
        known = [documents[name] for name in sources if documents and name in documents] if config.titles else []
        titles = {document.doc_id: prompts.title(document) for document in known if document.title != document.entity}
        messages = prompts.messages(
            "grade",
            "judge",
            question.domain,
            chunks=gold,
            documents=len(sources),
            titles=titles,
            question=question,
            others=_describe_others(question, triplets or {}, rivals, config.rivals),
        )
        for turn in range(config.rounds):
            yield Request(
                _request_id(question, judge, turn),
                messages,
                schema=_SCHEMA,
                temperature=config.temperature,
                max_tokens=config.max_tokens,
                seed=config.seed + turn,
            )


def _describe_others(question: Question, triplets: Mapping[str, Triplet], rivals: Rivals, most: int) -> Sequence[str]:
    """What the collection says of other things than the one that a question of several facts describes."""
    if question.pattern not in MULTI_HOP:
        return ()
    facts = [triplets[name] for name in question.triplet_ids if name in triplets]
    answering = [fact for fact in facts if question.answer in (fact.answer, fact.object)]
    answering += [fact for fact in facts if question.answer in fact.subject]
    return [describe(other) for fact in answering[:1] for other in rivals.find(fact, most)]


def _request_id(question: Question, judge: str, turn: int) -> str:
    return row_id("grade", question.question_id, judge, turn)


def _make_judgement(question: Question, judge: str, turn: int, reply: Reply) -> tuple[Judgement, Reply]:
    """The judgement row of a reply, and the reply with its error: only a whole verdict counts, never a part."""
    verdict, reply = parse_reply(reply, Verdict)
    values: dict[str, Any] = {"error": reply.error}
    if verdict:
        values = {name: getattr(verdict, name) for name in DIMENSIONS}
        values |= {"reason": " ".join(verdict.reason.split()), "use": verdict.use or 0}
    name = row_id("judgement", question.question_id, judge, turn)
    return Judgement(name, question.question_id, judge, turn, model=reply.model, **values), reply


def median_scores(judgements: Sequence[Judgement]) -> dict[str, int]:
    """The median of each score over the rounds that were answered, the lower of two in the middle; {} for none."""
    answered = [judgement for judgement in judgements if not judgement.error]
    return (
        {name: median_low(getattr(judgement, name) for judgement in answered) for name in DIMENSIONS}
        if answered
        else {}
    )


def rejection_reason(judgements: Sequence[Judgement], config: GradeConfig) -> str:
    """The first reason against a question by its judgements, "" for none; not_judged where there are none."""
    medians = median_scores(judgements)
    if not medians:
        return "not_judged"
    if low := next((name for name, score in medians.items() if score <= config.keep_above), ""):
        return f"judge_{low}"
    uses = [judgement.use for judgement in judgements if judgement.use]
    return "judge_use" if uses and median_low(uses) <= config.keep_use_above else ""
