"""Requests under way: who asks for them, where they stand, and who notices when none comes back."""

import asyncio
import logging
import time
from collections.abc import Callable, Iterable
from concurrent.futures import Future
from dataclasses import dataclass, field

from rarefy.data_contracts.rows import Reply, Request
from rarefy.tasks.models.llm.config import InferenceContext
from rarefy.tasks.models.llm.faults import Stopped

LOG = logging.getLogger("rarefy.llm")


@dataclass
class Caller:
    """What one caller asks for one stage: how, until when, and whether it must stop."""

    means: InferenceContext
    deadline: float  # monotonic; inf for none
    stopped: Stopped | None = None


@dataclass(eq=False)
class InFlightRequest:
    """A request under way, and who waits for it."""

    request: Request
    key: str
    made_of: str
    asked: Caller
    known: Reply | None = None  # what the books have under the key, though it cannot be given back as it is
    answer: "Future[Reply]" = field(default_factory=Future)
    since: float = 0.0  # monotonic: when it was first sent
    tries: int = 0
    aside: bool = True  # nothing is reserved for it: it waits for its budget, or between two tries


def length(request: Request) -> int:
    """The characters of a prompt."""
    return sum(len(message.content) for message in request.messages) + len(request.schema)


async def watch(
    flights: Callable[[], Iterable[InFlightRequest]], replied: Callable[[], float], name: str, every: float
) -> None:
    """Say which request has been in flight for longest, whenever none has come back for `every` seconds."""
    told = 0.0
    while True:
        await asyncio.sleep(every / 4)
        sent = [flight for flight in flights() if flight.since and not flight.aside]
        now = time.monotonic()
        oldest = min(sent, key=lambda flight: flight.since, default=None)
        if oldest is None or now - max(replied(), oldest.since, told) <= every:
            continue
        told = now
        LOG.warning(
            "%s: no reply from %s for %.0f s; of %d requests in flight the oldest is %s, sent %.0f s ago, try %d",
            oldest.asked.means.stage or "model",
            name,
            now - max(replied(), oldest.since),
            len(sent),
            oldest.request.request_id,
            now - oldest.since,
            oldest.tries,
        )
