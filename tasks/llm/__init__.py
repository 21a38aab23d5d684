"""The inference core: requests in, replies out, matched by id, each paid for once (RARE §3, field asks 1-6)."""

from collections.abc import Iterable, Iterator
from typing import Protocol

from rarefy.data_contracts.rows import Reply, Request, Unanswered, row_id
from rarefy.tasks.llm.config import LLMConfig, Means, Price, Serving

__all__ = ["LLM", "LLMConfig", "Means", "Price", "Serving", "unanswered"]


class LLM(Protocol):
    """A model: one reply for each request, in the order of the requests, however they came in.

    Requests are taken as they are needed and replies given as soon as they are next, so that any number of them takes
    little memory. A request that fails is a reply with an `error`; raises `faults.Stopped` where no request can be
    answered any more.
    """

    def __call__(self, requests: Iterable[Request], /) -> Iterator[Reply]: ...


def unanswered(stage: str, about: str, reply: Reply) -> Unanswered:
    """The row of a request that failed: what it was about, why, and what the model said."""
    return Unanswered(
        row_id("unanswered", stage, about, reply.request_id), stage, about, reply.error, reply.detail, reply.text
    )
