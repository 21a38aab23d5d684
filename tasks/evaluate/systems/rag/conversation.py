"""Conversations of strategies with a model: prompts, a question as a strategy sees it, many questions at once."""

from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, fields, replace
from itertools import islice
from typing import Any

from rarefy.data_contracts.rows import Message, Passage, Reply, Request
from rarefy.tasks.evaluate.protocols import PROTOCOLS
from rarefy.tasks.evaluate.protocols.protocol import PromptPack
from rarefy.tasks.evaluate.systems.interface import SystemInput, SystemOutput
from rarefy.tasks.evaluate.systems.rag.config import Fallback, RagConfig
from rarefy.tasks.evaluate.systems.rag.reply_parsing import READERS
from rarefy.tasks.models import prompts
from rarefy.tasks.models.llm import LLM, replies
from rarefy.tasks.models.llm.config import NANO, Price, cost
from rarefy.tasks.models.llm.json_text import strip_thinking

GENERAL = "general"
STAGE = "systems"


PACKS: dict[str, PromptPack] = {
    **{name: protocol.prompts for name, protocol in PROTOCOLS.items() if protocol.prompts},
    GENERAL: PromptPack(GENERAL, "", "labelled"),
}
STEPS = ("closed_book", "passages", "own_know", "chain_of_note")
SHARED = ("s2a", "skr")  # first steps of S2A and SKR, the same for every protocol, as their paper prints them


def choose_pack(protocol: str, chosen: str = "") -> PromptPack:
    """Return the pack `chosen`, else the protocol's own, else the general one; ValueError for an unknown one."""
    name = chosen or protocol or GENERAL
    if not chosen and name in PROTOCOLS and not PROTOCOLS[name].prompts:
        return PACKS[GENERAL]
    if name not in PACKS:
        raise ValueError(f"no prompts {name!r}; have {', '.join(PACKS)}: set rag.prompts to one of them")
    return PACKS[name]


def render_prompt(
    role: str, domain: str, query: str, passages: Sequence[Passage], refusal: str, *, titles: bool, **more: Any
) -> tuple[Message, ...]:
    """Return the messages of a prompt role, with question, passages from top to bottom, and refusal words filled in."""
    sources = [
        {"title": passage.title if titles else "", "text": passage.text, "number": number}
        for number, passage in enumerate(passages, 1)
    ]
    values = {"question": query, "sources": sources, "refusal": refusal, "field": domain, "draft": "", "form": ""}
    return prompts.messages(STAGE, role, domain, **values | more)


@dataclass(frozen=True, slots=True)
class Ended:
    """The result of a conversation."""

    text: str = ""
    refused: bool | None = None
    error: str = ""
    detail: str = ""  # of an answer: what the strategy did; of an error: the reply


Talk = Generator[Request, Reply, Ended]  # yields requests, is sent replies, returns the result


PassageRater = Callable[[str, Sequence[str]], Sequence[float]]  # (query, texts) -> how much each text helps, -1 to 1
MAX_DETAIL = 4_000  # characters of a reply in `detail`


@dataclass(frozen=True)
class StrategyCase:
    """One question as a strategy sees it: its passages, its protocol's prompts, and how replies are read."""

    asked: SystemInput
    config: RagConfig
    pack: PromptPack
    rate: PassageRater | None = None  # where the strategy rates passages

    @property
    def passages(self) -> tuple[Passage, ...]:
        """Return its passages from top to bottom."""
        return self.asked.passages or ()

    def request(self, step: str, passages: Sequence[Passage] = (), **more: str) -> Request:
        """Return the request of one of STEPS over these passages, by the protocol's prompt."""
        return self.shared(self.pack.role(step), passages, **more)

    def shared(self, role: str, passages: Sequence[Passage] = (), **more: str) -> Request:
        """Return the request of a prompt role that every protocol shares."""
        asked, config = self.asked, self.config
        messages = render_prompt(
            role, asked.domain, asked.query, passages, asked.refusal, titles=config.titles, form=config.form, **more
        )
        return Request(
            asked.asked_id,
            messages,
            temperature=config.temperature,
            max_tokens=config.max_tokens,
            seed=config.seed + asked.repeat,
        )

    def failed(self, reply: Reply) -> Ended | None:
        """Return the result that a failed reply ends with, None where the reply can be read.

        An empty reply and a refusal are answers; every other fault is an error.
        """
        if not reply.error or (reply.error == "truncated" and self.config.truncated == "answer"):
            return None
        if reply.error == "empty" and reply.finish_reason in ("", "stop"):
            return Ended("", detail="an empty reply")
        if reply.error == "refused":
            return Ended(reply.text or reply.detail, refused=True, detail="the model declined")
        detail = "; ".join(filter(None, (reply.detail, reply.text and f"it said: {reply.text}")))
        return Ended(error=reply.error, detail=detail[:MAX_DETAIL])

    def answer(self, reply: Reply, step: str, way: str = "") -> Ended:
        """Return the answer in a reply, read as the step's prompt asked for it; "unparsable" where it has none."""
        if ended := self.failed(reply):
            return ended if ended.error else replace(ended, detail=way or ended.detail)
        reads = self.pack.notes if step == "chain_of_note" else self.pack.reads
        text = READERS[reads](reply.text, self.asked.refusal)
        if text is None and self.config.unread == "whole":
            text = strip_thinking(reply.text).strip()
        if text is None:
            return Ended(error="unparsable", detail=reply.text[:MAX_DETAIL])
        return Ended(text, detail=way)

    def unclear(self, instead: Fallback, reply: Reply) -> tuple[Passage, ...] | Ended:
        """Return the passages to show, or the error, where the reply of a first step is unclear."""
        if instead == "error":
            return Ended(error="unparsable", detail=reply.text[:MAX_DETAIL])
        return self.passages if instead == "passages" else ()


BLOCK = 1_024  # conversations that a turn after the first takes together, and passes on before it takes more


@dataclass(eq=False)
class Conversation:
    """One question's conversation and the output so far."""

    output: SystemOutput
    talk: Talk | None
    request: Request | None = None  # the current one
    number: int = 0  # of requests so far
    waits: bool = False  # for a reply

    def advance(self, reply: Reply | None) -> None:
        """Go on to the next request, or to the end."""
        assert self.talk
        try:
            request = next(self.talk) if reply is None else self.talk.send(reply)
        except StopIteration as end:
            result: Ended = end.value
            self.request = self.talk = None  # frees the passages that it held
            self.output = replace(self.output, **{field.name: getattr(result, field.name) for field in fields(Ended)})
            return
        self.number += 1
        self.request = replace(request, request_id=f"{self.output.asked_id}-{self.number}")

    def receive(self, reply: Reply, price: Price | None, *, batch: bool) -> None:
        """Add up a reply's tokens and cost, and advance with it."""
        before = self.output
        paid = cost(price, reply.prompt_tokens, reply.completion_tokens, reply.cached_tokens, batch=batch) / NANO
        self.output = replace(
            before,
            prompt_tokens=before.prompt_tokens + reply.prompt_tokens,
            completion_tokens=before.completion_tokens + reply.completion_tokens,
            calls=before.calls + 1,
            seconds=round(before.seconds + reply.seconds, 4),
            cost=before.cost + paid,
            model=reply.model or before.model,
        )
        self.advance(reply)


def run_conversations(
    asked: Iterable[SystemInput],
    talk: Callable[[SystemInput], Talk],
    llm: LLM,
    *,
    turns: int,
    price: Price | None = None,
    batch: bool = False,
    block: int = BLOCK,
) -> Iterator[SystemOutput]:
    """Yield the output of each question, in their order; ValueError where a conversation takes more than `turns`.

    The turns form a pipeline: each is one stream of requests to the model, which takes new ones while earlier replies
    are still to come. Calls, tokens, seconds and cost are of all turns, cached replies included.
    """
    stream: Iterator[Conversation] = (Conversation(SystemOutput(one.asked_id), talk(one)) for one in asked)
    for number in range(max(turns, 1)):
        stream = _run_turn(stream, llm, price, batch, block if number else None)
    for conversation in stream:
        if conversation.request:
            raise ValueError(f"a talk about {conversation.output.asked_id} wants more than its {turns} turns")
        yield conversation.output


@dataclass(eq=False)
class _Window:
    """The conversations that a turn has taken and not yet passed on."""

    queue: deque[Conversation] = field(default_factory=deque)
    asking: dict[str, Conversation] = field(default_factory=dict)  # by request_id
    taken: int = 0

    def requests(self, stream: Iterable[Conversation]) -> Iterator[Request]:
        """Yield the next requests of the conversations of a stream."""
        for conversation in stream:
            self.taken += 1
            if conversation.talk and not conversation.number:
                conversation.advance(None)
            self.queue.append(conversation)
            if conversation.request:
                name = conversation.request.request_id
                while name in self.asking:  # two questions of one name are two requests
                    name += "+"
                self.asking[name] = conversation
                conversation.waits = True
                yield replace(conversation.request, request_id=name)

    def ready(self) -> Iterator[Conversation]:
        """Yield conversations from the front of the queue up to the first that waits for a reply."""
        while self.queue and not self.queue[0].waits:
            yield self.queue.popleft()


def _run_turn(
    stream: Iterator[Conversation], llm: LLM, price: Price | None, batch: bool, block: int | None
) -> Iterator[Conversation]:
    """Yield the same conversations, each one reply further."""
    while True:
        window = _Window()
        for reply in replies(llm, window.requests(islice(stream, block))):
            conversation = window.asking.pop(reply.request_id)
            conversation.waits = False
            conversation.receive(reply, price, batch=batch)
            yield from window.ready()
        yield from window.ready()
        if block is None or window.taken < block:
            return
