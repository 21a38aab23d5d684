"""Questions from patterns, by a model: each passage beside its own facts, the answer located in them (RARE R18-R22)."""

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from pydantic import BaseModel, ConfigDict, Field

from rarefy.data_contracts.rows import Chunk, Document, Path, Question, Reply, Request, Triplet, Unanswered, row_id
from rarefy.tasks.models.llm import LLM, heard, replies, unanswered
from rarefy.tasks.models.prompts import messages
from rarefy.tasks.questions.ask import AskConfig, put
from rarefy.tasks.questions.ask.index import Index, index
from rarefy.tasks.questions.ask.located import located
from rarefy.tasks.questions.ask.objections import of_hops, of_wording, off_topic, tidied
from rarefy.tasks.questions.ask.passages import passages
from rarefy.tasks.questions.ask.roles import roles
from rarefy.tasks.questions.ask.unique import leads_elsewhere
from rarefy.tasks.questions.ask.wording import refuse

VERSION = 2


class Asked(BaseModel, frozen=True):
    """A question with its answer; both empty where the facts make no good one."""

    model_config = ConfigDict(coerce_numbers_to_str=True)

    reason: str = Field("", description="how the question follows from the facts, or why there is none")
    pivot: str = Field("", description="the thing that the question does not name; empty for a single fact")
    question: str | None = Field(description="empty where no good question can be made")
    answer: str | None = Field(description="copied from the sentence of its fact; empty where there is no question")


SCHEMA = json.dumps(Asked.model_json_schema())


def ask_by_model(
    paths: Iterable[Path],
    config: AskConfig,
    *,
    triplets: Mapping[str, Triplet],
    chunks: Mapping[str, Chunk],
    documents: Mapping[str, Document],
    llm: LLM,
) -> Iterator[Question | Unanswered]:
    """One question for each path, those with a passage in common one after the other.

    A question with something wrong comes rejected, with its text; so does a path that the model found no question
    for (`model_declined`) or gave no reply to (`unanswered`), with an Unanswered row that says why.
    """
    known = index(triplets, chunks, documents)
    asked = {request_id(path): path for path in in_order(paths, triplets)}
    for reply in replies(llm, (request(path, config, known) for path in asked.values())):
        yield from _answered(asked[reply.request_id], reply, known)


def requests(
    paths: Iterable[Path],
    config: AskConfig,
    *,
    triplets: Mapping[str, Triplet],
    chunks: Mapping[str, Chunk],
    documents: Mapping[str, Document],
) -> Iterator[Request]:
    """What the model would be asked, in order, without asking it."""
    known = index(triplets, chunks, documents)
    return (request(path, config, known) for path in in_order(paths, triplets))


def in_order(paths: Iterable[Path], triplets: Mapping[str, Triplet]) -> list[Path]:
    """The paths, those whose prompts begin with the same passages together, for a server's prefix cache."""
    return sorted(paths, key=lambda p: (p.domain, *(triplets[i].chunk_id for i in p.triplet_ids), p.path_id))


def request_id(path: Path) -> str:
    """What the request for a path is called."""
    return row_id("ask", path.path_id)


def request(path: Path, config: AskConfig, known: Index) -> Request:
    """The request for one path."""
    facts = [known.triplets[i] for i in path.triplet_ids]
    roles_of = roles(path.pattern, facts)
    inner = sorted({letter for pair in roles_of.letters for letter in pair if letter.startswith("B")})
    return Request(
        request_id(path),
        messages(
            "ask",
            path.pattern,
            path.domain,
            passages=passages(facts, roles_of, known),
            facts=len(facts),
            ends=" and ".join(end.letter for end in roles_of.ends),
            pivots=" and ".join(inner),
        ),
        schema=SCHEMA,
        temperature=config.temperature,
        max_tokens=config.max_tokens,
        seed=config.seed,
    )


def _answered(path: Path, reply: Reply, known: Index) -> Iterator[Question | Unanswered]:
    """The rows of one reply: exactly one question, and why there is none where there is none."""
    said, reply = heard(reply, Asked)
    if said is None:
        yield put(path, refuse("unanswered"), known)
        yield unanswered("ask", path.path_id, reply)
        return
    text, answer = tidied(said.question or ""), tidied(said.answer or "")
    if not text and not answer:
        yield put(path, refuse("model_declined"), known)
        yield unanswered("ask", path.path_id, replace(reply, error="model_declined", detail=said.reason))
        return
    yield _judged(path, text, answer, said.pivot, known)


def _judged(path: Path, text: str, answer: str, pivot: str, known: Index) -> Question:
    """The question of a reply, rejected for the first thing that is wrong with it."""
    facts = [known.triplets[i] for i in path.triplet_ids]
    roles_of = roles(path.pattern, facts)
    wording = located(answer, roles_of, known) if text and answer else refuse("empty")
    question = put(path, replace(wording, text=text, answer=wording.answer or answer), known)
    reason = question.rejected_because if not text else of_wording(text) or question.rejected_because
    target = wording.target or facts[-1]
    if not reason and path.pattern == "single":
        reason = "off_topic" if off_topic(question, target) else ""
    elif not reason:
        reason = of_hops(question, facts, target, [*roles_of.pivots, *filter(None, [tidied(pivot)])])
        if not reason and leads_elsewhere(path.pattern, facts, target, known):
            reason = "pivot_not_unique"
    return replace(question, rejected_because=reason)
