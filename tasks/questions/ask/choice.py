"""What is worth a question: a model says it of many facts and paths at once, before any question is worded."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from operator import attrgetter

from pydantic import BaseModel, Field

from rarefy.data_contracts.rows import Path, Request, Unanswered, row_id
from rarefy.tasks.models.llm import LLM, parse_reply, replies, unanswered
from rarefy.tasks.models.prompts import messages
from rarefy.tasks.questions.ask import AskConfig
from rarefy.tasks.questions.ask.index import CorpusIndex
from rarefy.tasks.questions.ask.passages import build_passages
from rarefy.tasks.questions.ask.roles import path_roles
from rarefy.tasks.questions.grade import Score

MOST = 20  # candidates of one request
# A batch ends behind a candidate whose id says so, one in MOST: what is added or edited moves no batch but its own
LIKELY = MOST * (1 - (1 - 1 / MOST) ** MOST)  # candidates of a request, on average

TOKENS = 80  # room for the word on a candidate


class Choice(BaseModel, frozen=True):
    """How much a candidate is worth; the reason comes first, so that the score follows from it."""

    number: int
    reason: str = Field("", description="at most 12 words: who would ask it, or why nobody would")
    worth: Score


class Choices(BaseModel, frozen=True):
    """A word on each candidate of a request."""

    candidates: tuple[Choice, ...]


SCHEMA = json.dumps(Choices.model_json_schema())


def choose(
    paths: Iterable[Path], config: AskConfig, index: CorpusIndex, llm: LLM
) -> tuple[Mapping[str, Choice], Sequence[Unanswered]]:
    """The model's word on each path, by path id, and the requests that failed.

    A path of which nothing usable was said has none: whoever words it may still decline.
    """
    batches = {row_id("choose", *(path.path_id for path in batch)): batch for batch in in_batches(paths)}
    choices: dict[str, Choice] = {}
    failed: list[Unanswered] = []
    for reply in replies(llm, (_build_request(name, batch, config, index) for name, batch in batches.items())):
        batch = batches[reply.request_id]
        parsed, reply = parse_reply(reply, Choices)
        if parsed is None:
            failed.append(unanswered("ask", " ".join(path.path_id for path in batch), reply))
            continue
        said = {choice.number: choice for choice in parsed.candidates}
        choices |= {path.path_id: said[number] for number, path in enumerate(batch, 1) if number in said}
    return choices, failed


def in_batches(paths: Iterable[Path]) -> Iterator[list[Path]]:
    """The paths in their order, so many of one domain at a time as one request shows."""
    for _, of_domain in groupby(paths, attrgetter("domain")):
        batch: list[Path] = []
        for path in of_domain:
            batch.append(path)
            if len(batch) == MOST or int(row_id("batch", path.path_id)[:8], 16) % MOST == 0:
                yield batch
                batch = []
        if batch:
            yield batch


def _build_request(name: str, batch: Sequence[Path], config: AskConfig, index: CorpusIndex) -> Request:
    candidates = []
    for path in batch:
        facts = [index.triplets[i] for i in path.triplet_ids]
        candidates.append(
            (
                path.pattern,
                build_passages(facts, path_roles(path.pattern, facts), index, config.sentences, config.rivals),
            )
        )
    return Request(
        name,
        messages("ask", "choose", batch[0].domain, candidates=candidates),
        schema=SCHEMA,
        temperature=0.0,  # a judgement, as that of grade
        max_tokens=max(config.max_tokens, TOKENS * len(batch)),
        seed=config.seed,
    )
