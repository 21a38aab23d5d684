"""Whether two names near a threshold are one, said by a model: only a plain "same" joins them (RARE §3.2; R9)."""

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

from pydantic import BaseModel, Field

from rarefy.data_contracts.rows import Request, Unanswered, row_id
from rarefy.tasks.models import prompts
from rarefy.tasks.models.llm import LLM, heard, replies, unanswered

Pair = tuple[str, str]

SHOWN = 1_000  # characters of a sentence; a table's row can be long
MAX_TOKENS = 200


class Verdict(BaseModel, frozen=True):
    """What a model says of two names; the reason first, so that the verdict follows from it."""

    reason: str = Field(description="at most 25 words")
    verdict: Literal["same", "different", "unsure"]


@dataclass(frozen=True, slots=True, order=True)
class Borderline:
    """Two names, in alphabetical order, that may be one."""

    kind: str  # relation | entity
    of: str  # the types that the relation joins; the type of the things
    pair: Pair


def check(
    borderline: Iterable[Borderline], sentences: Mapping[tuple[str, str, str], str], llm: LLM
) -> tuple[dict[Borderline, str], list[Unanswered]]:
    """Those that the model calls the same, with its reason, and a row for each that it gave no answer to.

    `sentences` has a source sentence for each kind, type and name. The order of the pairs has no say.
    """
    asked = {_name(one): one for one in sorted(set(borderline))}
    same: dict[Borderline, str] = {}
    failed: list[Unanswered] = []
    for reply in replies(llm, requests(asked.values(), sentences)):
        one = asked[reply.request_id]
        said, reply = heard(reply, Verdict)
        if said and said.verdict == "same":
            same[one] = " ".join(said.reason.split())
        if reply.error:
            failed.append(unanswered("normalise", f"{one.kind} {one.of}: {' / '.join(one.pair)}", reply))
    return same, sorted(failed, key=lambda row: row.unanswered_id)


def requests(borderline: Iterable[Borderline], sentences: Mapping[tuple[str, str, str], str]) -> Iterator[Request]:
    """What a model is asked, one request a pair."""
    schema = json.dumps(Verdict.model_json_schema(), sort_keys=True)
    for one in borderline:
        shown = [sentences[one.kind, one.of, name][:SHOWN] for name in one.pair]
        told = prompts.messages("normalise", one.kind, "general", of=one.of, names=one.pair, sentences=shown)
        yield Request(_name(one), told, schema=schema, max_tokens=MAX_TOKENS, seed=0)


def _name(one: Borderline) -> str:
    return row_id("normalise", one.kind, one.of, *one.pair)
