"""Replies of endpoints that never end: cut at so many bytes, and at so many seconds for all of one.

A client's own timeouts are for the time between two pieces, so that whoever sends a byte a second is read for ever.
"""

import time
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator
from typing import Any

LARGEST = 1 << 28  # bytes on the wire: the largest reply known to be wanted, of 1,000 long vectors, has 61 million


def bounded(seconds: float, largest: int = LARGEST) -> Callable[[Any], None]:
    """A hook for the responses of an httpx2 client: their bodies end, by ReadTimeout or ReadError where they do not."""
    import httpx2  # late, with the SDK

    class Body(httpx2.SyncByteStream):
        def __init__(self, stream: Any) -> None:
            self.stream, self.bound = stream, _Bound(seconds, largest)

        def __iter__(self) -> Iterator[bytes]:
            for piece in self.stream:
                self.bound.take(piece)
                yield piece

        def close(self) -> None:
            self.stream.close()

    def hook(response: Any) -> None:
        response.stream = Body(response.stream)

    return hook


def bounded_in_size(largest: int = LARGEST) -> Callable[[Any], Coroutine[Any, Any, None]]:
    """The same for an asynchronous client, whose caller ends it by time."""
    import httpx2

    class Body(httpx2.AsyncByteStream):
        def __init__(self, stream: Any) -> None:
            self.stream, self.bound = stream, _Bound(float("inf"), largest)

        async def __aiter__(self) -> AsyncIterator[bytes]:
            async for piece in self.stream:
                self.bound.take(piece)
                yield piece

        async def aclose(self) -> None:
            await self.stream.aclose()

    async def hook(response: Any) -> None:
        response.stream = Body(response.stream)

    return hook


class _Bound:
    """How much of a body there may still be, and until when."""

    def __init__(self, seconds: float, largest: int) -> None:
        self.seconds, self.largest, self.came = seconds, largest, 0
        self.end = time.monotonic() + seconds

    def take(self, piece: bytes) -> None:
        """Count a piece; the exception of a client where it is one too many."""
        import httpx2

        self.came += len(piece)
        if self.came > self.largest:
            raise httpx2.ReadError(f"more than {self.largest:,} bytes")
        if time.monotonic() > self.end:
            raise httpx2.ReadTimeout(f"no whole reply within {self.seconds:g} s")
