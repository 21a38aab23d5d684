"""Many questions at an endpoint at once: tried again where that may help, held back where it says so."""

import asyncio
import threading
import time
from collections.abc import Iterable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from dataclasses import dataclass, replace
from random import Random
from typing import Any

from rarefy.tasks.evaluate.systems.asking import Tally, in_order
from rarefy.tasks.evaluate.systems.book import Book
from rarefy.tasks.evaluate.systems.faults import meaning
from rarefy.tasks.evaluate.systems.http.allowance import Allowance
from rarefy.tasks.evaluate.systems.http.config import HttpConfig
from rarefy.tasks.evaluate.systems.http.wire import Wire
from rarefy.tasks.evaluate.systems.interface import SystemInput, SystemOutput
from rarefy.tasks.models.llm.aimd import Gate
from rarefy.tasks.models.llm.faults import Failed, Stopped, Unavailable, fresh

AHEAD = 4  # times the concurrency: asked and not yet given back
_EVERYTHING = frozenset(("http_401", "http_403", "http_404", "http_405", "http_407"))  # said before any answer: to all


class Asking:
    """A system behind an address. What it answered is in the book before anybody gets it."""

    def __init__(self, config: HttpConfig, wire: Wire, book: Book, allowance: Allowance) -> None:
        self.config, self.wire, self.book, self.allowance = config, wire, book, allowance
        self.means = allowance.means

    def __call__(self, asked: Iterable[SystemInput], /) -> Iterator[SystemOutput]:
        with _loop() as loop:
            run = Run(self, loop)
            try:
                yield from in_order(asked, run.begin, self.book, AHEAD * self.config.concurrency)
            finally:
                asyncio.run_coroutine_threadsafe(run.close(), loop).result()


@dataclass
class Run:
    """One caller's questions; lives in its loop."""

    of: Asking
    loop: asyncio.AbstractEventLoop
    ever: bool = False  # it gave an answer
    held: float = 0.0  # monotonic: until when it wants to be left alone
    stopped: Stopped | None = None

    def __post_init__(self) -> None:
        config = self.of.config
        self.gate = Gate(config.concurrency)
        budget = self.of.means.serving.failure_budget
        self.tally = Tally(self.of.wire.name, budget, config.give_up_after, "http.give_up_after")
        self.session: Any = None
        seconds = self.of.means.serving.stage_deadline
        self.end = time.monotonic() + seconds if seconds else float("inf")

    def begin(self, asked: SystemInput) -> "Future[SystemOutput]":
        """What will hold the answer; a call from another thread than the loop's."""
        answer: Future[SystemOutput] = Future()
        asyncio.run_coroutine_threadsafe(self._fly(asked, answer), self.loop)
        return answer

    async def close(self) -> None:
        """Close its connections."""
        if self.session is not None:
            await self.session.close()

    async def _fly(self, asked: SystemInput, answer: "Future[SystemOutput]") -> None:
        try:
            async with self.gate:
                if not answer.set_running_or_notify_cancel():
                    return
                if self.stopped:
                    raise fresh(self.stopped)
                self.session = self.session or self.of.wire.session()
                said = await self._said(asked)
            if not said.error:  # beside the loop: another process may be writing
                said = await self.loop.run_in_executor(None, self.of.book.keep, said)
            answer.set_result(self.tally.count(said))
        except BaseException as error:
            if isinstance(error, Stopped):
                self.stopped = self.stopped or fresh(error)
            answer.set_exception(error)

    async def _said(self, asked: SystemInput) -> SystemOutput:
        """The answer of as many tries as it takes and is allowed, or an error; how long its last try took with it."""
        config, tries, began = self.of.config, 0, time.monotonic()
        end = began + max(self.of.means.serving.call_deadline, config.timeout)
        while True:
            await self._turn()
            if time.monotonic() >= self.end:
                return SystemOutput(asked.asked_id, error="stage_deadline", detail=meaning("stage_deadline"))
            if (pause := await self.of.allowance.take()) > 0:
                await asyncio.sleep(min(pause, max(self.end - time.monotonic(), 0.0)))
            tries, sent = tries + 1, time.monotonic()
            try:
                seconds = max(min(config.timeout, end - sent, self.end - sent), 0.001)
                said = await self.of.wire.once(self.session, asked, seconds)
            except Failed as error:
                fault = error
            else:
                self.gate.answered()
                self.ever = True
                await self.of.allowance.note(asked.asked_id, "answered", time.monotonic() - sent, True, said)
                return replace(said, seconds=round(time.monotonic() - sent, 4), calls=tries)
            if fault.slow_down:
                self.gate.complained(sent)
            wait = self._wait(fault, tries, asked.asked_id)
            final = not fault.again or tries > config.retries or time.monotonic() + wait > min(end, self.end)
            await self.of.allowance.note(asked.asked_id, fault.reason, time.monotonic() - sent, final)
            if final:
                return self._given_up(asked, fault, tries, time.monotonic() - began)
            if fault.retry_after:
                self.held = max(self.held, time.monotonic() + wait)
            await asyncio.sleep(wait)

    async def _turn(self) -> None:
        """Return when it may be asked again."""
        while (wait := self.held - time.monotonic()) > 0 and time.monotonic() < self.end:
            await asyncio.sleep(min(wait, 0.5))
        if self.stopped:
            raise fresh(self.stopped)

    def _wait(self, fault: Failed, tries: int, name: str) -> float:
        """Seconds before the next try: what the server asks for, else twice as long each time, spread by question."""
        if fault.retry_after:
            return fault.retry_after
        return float(min(0.25 * 2 ** (tries - 1), 30.0) * Random(f"{name} {tries}").uniform(0.5, 1.0))

    def _given_up(self, asked: SystemInput, fault: Failed, tries: int, seconds: float) -> SystemOutput:
        where, told = self.of.wire.name, fault.detail
        if not self.ever and fault.reason in _EVERYTHING:
            raise Unavailable(f"{where}: {meaning(fault.reason)}: {told}")
        if not self.ever and fault.reason == "connection":
            raise Unavailable(
                f"{where}: {told} (tried {tries} times, nothing ever answered there); is the system running, and "
                "http.url right?"
            )
        detail = told if tries == 1 else f"{told} (tried {tries} times)"
        return SystemOutput(asked.asked_id, calls=tries, seconds=round(seconds, 4), error=fault.reason, detail=detail)


@contextmanager
def _loop() -> Iterator[asyncio.AbstractEventLoop]:
    """An event loop in a thread of its own, so that it runs beside any other that the caller may be in."""
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, name="rarefy-http", daemon=True)
    thread.start()
    try:
        yield loop
    finally:
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()
