"""Inference by a language model, asked as SURE asks it (Figure 10)."""

import json
from collections import deque
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, Field

from rarefy.data_contracts.rows import Request, row_id
from rarefy.tasks.models import prompts
from rarefy.tasks.models.llm import LLM, InferenceContext, parse_reply
from rarefy.tasks.models.nli import NLI, Label, NLIConfig


class Verdict(BaseModel):
    """What the model replies."""

    reason: str = Field("", description="at most 25 words")
    label: Literal["entailment", "neutral", "contradiction"]


_SCHEMA = json.dumps(Verdict.model_json_schema(), sort_keys=True)


def by_model(config: NLIConfig, cache: Path, *, threads: int, means: InferenceContext) -> NLI:
    """The check by the model that `config.llm` names."""
    return check_with(config, config.llm.connect(cache, threads=threads, means=means))


def check_with(config: NLIConfig, llm: LLM) -> NLI:
    """The check by this model: one request for each pair; a pair without an answer has a Label that says why."""

    def check(pairs: Iterable[tuple[str, str]], /) -> Iterator[Label]:
        pending: deque[str] = deque()

        def requests() -> Iterator[Request]:
            for premise, hypothesis in pairs:
                request = build_request(premise, hypothesis, config)
                pending.append(request.request_id)
                yield request

        for reply in llm(requests()):
            if reply.request_id != pending.popleft():
                raise ValueError(f"the model answered {reply.request_id} out of turn")
            verdict, reply = parse_reply(reply, Verdict)
            if verdict:
                yield Label(verdict.label, 1.0, " ".join(verdict.reason.split()))
            else:
                yield Label("", 0.0, reply.detail, reply.error)

    return check


def build_request(premise: str, hypothesis: str, config: NLIConfig) -> Request:
    """What the model is asked for one pair."""
    messages = prompts.messages("nli", "entail", "general", premise=premise, hypothesis=hypothesis)
    name = row_id("nli", premise, hypothesis)
    return Request(name, messages, schema=_SCHEMA, temperature=0.0, max_tokens=config.max_tokens)
