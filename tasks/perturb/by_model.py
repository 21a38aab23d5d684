"""Drafts that a model writes, by prompts after the papers' (RARE C, SURE Figure 8, Magic Mushroom Figures 9-14)."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from rarefy.data_contracts.rows import Reply, Request, row_id
from rarefy.tasks.models import prompts
from rarefy.tasks.models.llm import LLM, heard, replies
from rarefy.tasks.models.llm.faults import UNASKED
from rarefy.tasks.perturb import model_noise, model_passages, model_queries
from rarefy.tasks.perturb.case import Case, Draft
from rarefy.tasks.perturb.config import PerturbConfig
from rarefy.tasks.perturb.entry import Perturbation
from rarefy.tasks.perturb.model_forms import schema
from rarefy.tasks.perturb.model_turns import Talk, Turn

TALKS: dict[str, Callable[[Case, Perturbation, PerturbConfig], Talk]] = {
    "grammar": model_queries.grammar,
    "irrelevant": model_queries.irrelevant,
    "paraphrase": model_queries.paraphrase,
    "simple": model_passages.simple,
    "complex": model_passages.complex_,
    "rewrite": model_passages.rewrite,
    "back_translation": model_passages.back_translation,
    "rank": model_passages.rank,
    "golden": model_noise.golden,
    "distracting": model_noise.distracting,
    "low_quality": model_noise.low_quality,
    "inconsequential": model_noise.inconsequential,
}


@dataclass(eq=False)
class _Told:
    """A talk with the model, as far as it went."""

    case: Case
    talk: Talk
    reply: Reply  # the last one
    turn: Turn | None = None  # that is to be asked next
    drafts: list[Draft] = field(default_factory=list)
    supposed: bool = False  # a turn went unasked, and what follows hangs on a stand-in

    def go(self, said: object, most: int) -> None:
        """On to the next turn, or to the drafts."""
        try:
            self.turn = self.talk.send(said)
        except StopIteration as end:
            self.turn, self.drafts = None, end.value
            return
        if self.turn.room > most:
            told = f"a reply may take {self.turn.room:,} tokens, perturb.max_tokens is {most:,}"
            self.turn, self.drafts = None, [Draft(self.case.text, refused="too_long_for_model", detail=told)]

    def hear(self, reply: Reply, most: int) -> None:
        """Take the reply to the turn; where it says nothing the talk is over."""
        assert self.turn
        said, reply = heard(reply, self.turn.form)
        if not self.supposed:
            self.reply = reply
        if said is None and reply.error == UNASKED and self.turn.supposed:
            said, self.supposed = self.turn.supposed, True
        if said is None:
            self.turn = None
        else:
            self.go(said, most)


def drafts(
    entry: Perturbation, cases: Sequence[Case], config: PerturbConfig, llm: LLM
) -> Iterator[tuple[Case, list[Draft], Reply]]:
    """For each case in order the model's drafts, the best first, and its last reply, whose `error` says why none.

    Cases of one name are asked about once. A draft that is not usable says why in `refused`; a case that needs no
    reply has an empty one. ValueError for a role that nobody knows.
    """
    if entry.role not in TALKS:
        raise ValueError(f"{entry.name}: no role {entry.role!r}; have {', '.join(TALKS)}")
    told: dict[str, _Told] = {}
    for case in cases:
        name = row_id("vary", entry.name, case.case_id)
        if name not in told:
            told[name] = _Told(case, TALKS[entry.role](case, entry, config), Reply(name))
            if case.text.strip():
                told[name].go(None, config.max_tokens)
    number = 0
    while waiting := {row_id(name, number): one for name, one in told.items() if one.turn}:
        for reply in replies(llm, [_request(name, one, config) for name, one in waiting.items()]):
            waiting[reply.request_id].hear(reply, config.max_tokens)
        number += 1
    for case in cases:
        one = told[row_id("vary", entry.name, case.case_id)]
        yield case, [] if one.reply.error else one.drafts, one.reply


def requests(entry: Perturbation, cases: Sequence[Case], config: PerturbConfig) -> Iterator[Request]:
    """What a model would be asked, without asking it: of a second turn as if the first had said the passage itself."""
    asked: list[Request] = []

    def unasked(wanted: Iterable[Request], /) -> Iterator[Reply]:
        for request in wanted:
            asked.append(request)
            yield Reply(request.request_id, error=UNASKED)

    for _ in drafts(entry, cases, config, unasked):
        pass
    yield from asked


def _request(name: str, one: _Told, config: PerturbConfig) -> Request:
    turn = one.turn
    assert turn
    return Request(
        name,
        prompts.messages("perturb", turn.role, one.case.domain, **turn.values),
        schema=schema(turn.form),
        temperature=config.inventive if turn.inventive else config.temperature,
        max_tokens=turn.room,
        seed=config.seed,
    )
