"""How many requests may be in flight: more while answers come, half as many when the server says it is too much."""

import asyncio
import time
from collections import deque


class Gate:
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
