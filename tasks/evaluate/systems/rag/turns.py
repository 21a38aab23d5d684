"""Many talks with one model at once: each of a few turns, all turns under way together, in bounded memory.

The turns stand behind one another like the stages of a pipe. Each is one stream of requests to the model, which takes
the next ones while earlier replies are still to come; what a reply leads to is asked in the stream behind it.
"""

from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from dataclasses import dataclass, field, replace
from itertools import islice

from rarefy.data_contracts.rows import Reply, Request
from rarefy.tasks.evaluate.systems.interface import SystemInput, SystemOutput
from rarefy.tasks.models.llm import LLM, replies
from rarefy.tasks.models.llm.config import Price
from rarefy.tasks.models.llm.prices import cost
from rarefy.tasks.models.llm.reply_store import NANO

BLOCK = 1_024  # questions that a turn after the first takes together; what they led to is given on before the next


@dataclass(frozen=True, slots=True)
class Ended:
    """What a talk came to."""

    text: str = ""
    refused: bool | None = None
    error: str = ""
    detail: str = ""  # of an answer: the way that was taken; of an error: what was said


Talk = Generator[Request, Reply, Ended]  # asks, hears, and in the end says what came of it


@dataclass(eq=False)
class Open:
    """A question under way."""

    said: SystemOutput
    talk: Talk | None
    request: Request | None = None  # to be asked, or asked
    number: int = 0
    waits: bool = False  # for a reply

    def go(self, reply: Reply | None) -> None:
        """On to the next request, or to the end."""
        assert self.talk
        try:
            request = next(self.talk) if reply is None else self.talk.send(reply)
        except StopIteration as end:
            told: Ended = end.value
            self.request = self.talk = None  # with all passages that it held
            self.said = replace(self.said, text=told.text, refused=told.refused, error=told.error, detail=told.detail)
            return
        self.number += 1
        self.request = replace(request, request_id=f"{self.said.asked_id}-{self.number}")

    def hear(self, reply: Reply, price: Price | None, *, batch: bool) -> None:
        """Count a reply and take it to the talk."""
        said = self.said
        paid = cost(price, reply.prompt_tokens, reply.completion_tokens, reply.cached_tokens, batch=batch) / NANO
        self.said = replace(
            said,
            prompt_tokens=said.prompt_tokens + reply.prompt_tokens,
            completion_tokens=said.completion_tokens + reply.completion_tokens,
            calls=said.calls + 1,
            seconds=round(said.seconds + reply.seconds, 4),
            cost=said.cost + paid,
            model=reply.model or said.model,
        )
        self.go(reply)


def said(
    asked: Iterable[SystemInput],
    talk: Callable[[SystemInput], Talk],
    llm: LLM,
    *,
    turns: int,
    price: Price | None = None,
    batch: bool = False,
    block: int = BLOCK,
) -> Iterator[SystemOutput]:
    """What came of each question, in their order; a talk has at most so many turns, ValueError where it wants more.

    Calls, tokens and seconds are of all turns, remembered replies included: what the answer costs, and not what this
    run did.
    """
    stream: Iterator[Open] = (Open(SystemOutput(one.asked_id), talk(one)) for one in asked)
    for number in range(max(turns, 1)):
        stream = _turn(stream, llm, price, batch, block if number else None)
    for one in stream:
        if one.request:
            raise ValueError(f"a talk about {one.said.asked_id} wants more than its {turns} turns")
        yield one.said


@dataclass(eq=False)
class _Window:
    """The questions that a turn has taken and not yet given on."""

    queue: deque[Open] = field(default_factory=deque)
    asking: dict[str, Open] = field(default_factory=dict)  # by the request's name
    taken: int = 0

    def requests(self, stream: Iterable[Open]) -> Iterator[Request]:
        """What the questions of the stream want to ask, as they come."""
        for one in stream:
            self.taken += 1
            if one.talk and not one.number:
                one.go(None)
            self.queue.append(one)
            if one.request:
                name = one.request.request_id
                while name in self.asking:  # two questions of one name are two requests
                    name += "+"
                self.asking[name] = one
                one.waits = True
                yield replace(one.request, request_id=name)

    def ready(self) -> Iterator[Open]:
        """Those that need not wait, as far as nobody before them does."""
        while self.queue and not self.queue[0].waits:
            yield self.queue.popleft()


def _turn(stream: Iterator[Open], llm: LLM, price: Price | None, batch: bool, block: int | None) -> Iterator[Open]:
    """The same questions, each one reply further."""
    while True:
        window = _Window()
        for reply in replies(llm, window.requests(islice(stream, block))):
            one = window.asking.pop(reply.request_id)
            one.waits = False
            one.hear(reply, price, batch=batch)
            yield from window.ready()
        yield from window.ready()
        if block is None or window.taken < block:
            return
