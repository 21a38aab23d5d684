"""Limits on requests: so many a minute (the generic cell rate algorithm, GCRA, as arithmetic), so many in flight.

A limit has one number, its mark: the time at which all that was taken is paid off at `rate` per second. To take n is
to send at  s = max(now, mark + (n - burst) / rate)  and to move the mark to  max(mark, s) + n / rate.

Never more than `limit` falls in 60 seconds: let i be the first and j the last taken, in the order of taking, of all
that is sent in a window. Every taking adds its n / rate to the mark, and the mark after i is at least s_i + n_i / rate,
so s_j >= s_i + (n_i + ... + n_j - burst) / rate, that is  n_i + ... + n_j <= burst + rate * (s_j - s_i). With burst +
rate * WINDOW < limit + 1 this whole number is at most `limit`. (What one taking alone asks for is the caller's to keep
under the limit.) Nothing here depends on sending in the order of taking, and n may be larger than the burst.

It counts what was taken. A refund lets those after it go earlier: what was used stays under the limit where refunds
come evenly, and exceeds it at most by what is refunded within the window for requests sent before it.
"""

import asyncio
import time
from collections import deque

WINDOW = 62.0  # seconds: 60, and 2 for senders that wake up late or whose clocks differ
BURST = 0.1  # share of a minute's limit that may go at once: some servers count by shorter spans than they say


def _rate(limit: int) -> tuple[float, float]:
    """What may go at once, and what per second."""
    burst = BURST * limit
    return burst + 0.999, (limit - burst) / WINDOW


def take(
    marks: tuple[float, float], wanted: tuple[int, int], limits: tuple[int, int], now: float
) -> tuple[tuple[float, float], float]:
    """The marks once `wanted` (requests, tokens) are taken, and the seconds to wait before it is sent."""
    send = now
    for mark, n, limit in zip(marks, wanted, limits, strict=True):
        if limit and n > 0:
            burst, rate = _rate(limit)
            send = max(send, mark + (n - burst) / rate)
    requests, tokens = (
        max(mark, send) + n / _rate(limit)[1] if limit and n > 0 else mark
        for mark, n, limit in zip(marks, wanted, limits, strict=True)
    )
    return (requests, tokens), send - now


def give_back(mark: float, n: int, limit: int) -> float:
    """The mark when n were taken and not used."""
    return mark - n / _rate(limit)[1] if limit else mark


# Requests in flight


class ConcurrencyLimit:
    """Additive increase, multiplicative decrease, between 1 and `most`; who waits is let in in order."""

    def __init__(self, most: int, *, at_once: bool = False) -> None:
        self.most, self.limit, self.inside = most, float(most if at_once else min(most, 32)), 0
        self._waiting: deque[asyncio.Future[None]] = deque()
        self._slow_start = True  # until the first complaint each answer lets in one more
        self._cut = 0.0

    async def __aenter__(self) -> None:
        if self.inside < int(self.limit) and not self._waiting:
            self.inside += 1
            return
        turn = asyncio.get_running_loop().create_future()
        self._waiting.append(turn)
        try:
            await turn
        except asyncio.CancelledError:
            if turn.done() and not turn.cancelled():  # let in at the very moment
                self.inside -= 1
                self._let_in()
            raise

    async def __aexit__(self, *_: object) -> None:
        self.inside -= 1
        self._let_in()

    def answered(self) -> None:
        """An answer came: where all the room was used, there is room for more."""
        if self._waiting or self.inside + 1 >= int(self.limit):
            self.limit = min(self.limit + (1.0 if self._slow_start else 1.0 / self.limit), float(self.most))
        self._let_in()

    def complained(self, sent: float) -> None:
        """The server said that what was sent then (monotonic time) is too much.

        As in TCP, one cut per round trip: what was sent before the last cut belongs to the burst that it was for.
        """
        self._slow_start = False
        if sent > self._cut:
            self._cut = time.monotonic()
            self.limit = max(self.limit / 2, 1.0)

    def _let_in(self) -> None:
        while self._waiting and self.inside < int(self.limit):
            turn = self._waiting.popleft()
            if not turn.done():
                self.inside += 1
                turn.set_result(None)
