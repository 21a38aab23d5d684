"""Retrieved passages told apart by a language model."""

import json
from collections.abc import Iterator, Sequence
from typing import Literal

from pydantic import BaseModel, Field

from rarefy.data_contracts.contexts import Classified, Retrieved
from rarefy.data_contracts.rows import Reply, Request, Unanswered, row_id
from rarefy.tasks.models import prompts
from rarefy.tasks.models.llm import LLM, heard, replies, unanswered
from rarefy.tasks.perturb.mix.classify_config import ClassifyConfig
from rarefy.tasks.perturb.mix.gold import Gold

MOST = 12_000  # characters of a passage that the model is shown


class Verdict(BaseModel):
    """What the model replies."""

    reason: str = Field("", description="at most 25 words")
    label: Literal["golden", "distracting", "low_quality", "inconsequential", "irrelevant", "unclear"]


_SCHEMA = json.dumps(Verdict.model_json_schema(), sort_keys=True)


def asked(
    todo: Sequence[tuple[Retrieved, Gold]], config: ClassifyConfig, llm: LLM
) -> Iterator[Classified | Unanswered]:
    """The model's class of each passage; `unclear`, with the error and a row of it, where it gave none."""
    waiting: dict[str, list[Retrieved]] = {}
    requests: list[Request] = []
    for passage, gold in todo:
        request = requested(passage, gold, config)
        if request.request_id not in waiting:
            requests.append(request)
        waiting.setdefault(request.request_id, []).append(passage)  # one text found twice is asked about once
    for reply in replies(llm, requests):
        verdict, reply = heard(reply, Verdict)
        for passage in waiting[reply.request_id]:
            yield _row(passage, verdict, reply)
        if reply.error:
            yield unanswered("mix", reply.request_id, reply)


def requested(passage: Retrieved, gold: Gold, config: ClassifyConfig) -> Request:
    """What the model is asked about one passage: what the evidence says first, since other passages share it."""
    question = gold.question
    messages = prompts.messages(
        "mix",
        "classify",
        question.domain,
        question=question.text,
        answer=question.answer,
        aliases=question.aliases,
        evidence=[piece for hop in gold.hops for piece in hop.pieces],
        title=passage.title,
        passage=passage.text[:MOST],
    )
    return Request(
        row_id("classify", question.question_id, passage.title, passage.text),
        messages,
        schema=_SCHEMA,
        temperature=config.temperature,
        max_tokens=config.max_tokens,
        seed=config.seed,
    )


def _row(passage: Retrieved, verdict: Verdict | None, reply: Reply) -> Classified:
    return Classified(
        passage.question_id,
        passage.rank,
        passage.passage_id,
        verdict.label if verdict else "unclear",
        " ".join(verdict.reason.split()) if verdict else "the model gave no answer",
        "model",
        error=reply.error,
    )
