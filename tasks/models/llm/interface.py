"""What every model is to whoever asks it: requests in, replies out."""

from collections.abc import Iterable, Iterator
from typing import Protocol

from rarefy.data_contracts.rows import Reply, Request


class LLM(Protocol):
    """A model: one reply for each request, in the order of the requests, however they came in.

    Requests are taken as they are needed and replies given as soon as they are next, so that any number of them takes
    little memory. A request that fails is a reply with an `error`; raises `faults.Stopped` where no request can be
    answered any more.
    """

    def __call__(self, requests: Iterable[Request], /) -> Iterator[Reply]: ...
