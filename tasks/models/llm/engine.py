"""Requests in, replies out, in order, each matched by id and paid for once, however the endpoint behaves.

One event loop per process and model, in a thread of its own, serves any number of callers: their requests are taken in
blocks, sorted so that those with a common prefix are sent together, looked up, sent, kept, and only then given back.
"""

import asyncio
import os
import threading
import time
from collections import Counter, deque
from collections.abc import Iterable, Iterator
from concurrent.futures import Future, wait
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path

from rarefy.data_contracts.rows import Reply, Request
from rarefy.tasks.models.llm import LLM, structured
from rarefy.tasks.models.llm.config import InferenceContext, LLMConfig
from rarefy.tasks.models.llm.faults import REASONS, Stopped, TooManyFailures, copy_error
from rarefy.tasks.models.llm.providers import Batched, Provider, provider
from rarefy.tasks.models.llm.reply_store import ReplyStore, open_reply_store, reply_key
from rarefy.tasks.models.llm.secrets import redacted
from rarefy.tasks.models.llm.sending import Caller, InFlightRequest, Sender, prompt_length, warn_when_stalled

BLOCK = 256  # requests looked up, sorted and handed over together
AHEAD = 4_096  # requests taken and not yet given back, at most
AHEAD_CHARACTERS = 64_000_000  # of their prompts together
INTERRUPTED = 3.0  # seconds for what is in flight once a person wants out
SEEN = 200  # replies before the failure budget is looked at: 5 % of fewer says nothing

_engines: dict[tuple[object, ...], "Engine"] = {}
_lock = threading.Lock()


def connected(config: LLMConfig, means: InferenceContext) -> LLM:
    """The model, with one engine per process behind it whatever the stage."""
    with _lock:
        where = tuple(os.environ.get(f"{config.endpoint}_{name}") for name in ("BASE_URL", "API_KEY"))
        known = (config, means.books, means.cache, means.serving, hash(where))
        if known not in _engines:
            _engines[known] = Engine(
                config, means, provider(config, means), open_reply_store(means.books, Path(means.cache))
            )
        engine = _engines[known]
    return lambda requests: engine.ask(requests, means)


@dataclass
class Tally:
    """How the requests of a stage fared in this process."""

    seen: int = 0
    failed: Counter[str] = field(default_factory=Counter)


class Engine:
    """All requests of one model in this process."""

    def __init__(self, config: LLMConfig, means: InferenceContext, ask: Provider, books: ReplyStore) -> None:
        self.identity, self.books, self.budget = config.identity(), books, means.serving.failure_budget
        self.sender = Sender(config, means.serving, ask, books)
        self.sender.running = lambda: self._running.values()
        self.ahead = max(AHEAD, 2 * self.sender.most)
        self._lock = threading.Lock()
        self._filling = 0  # callers that are taking requests just now
        if isinstance(ask, Batched):
            ask.more = lambda: self._filling > 0
        self._waiting: deque[InFlightRequest] = deque()
        self._running: dict[int, InFlightRequest] = {}
        self._being_sent: dict[str, asyncio.Future[Reply]] = {}  # by key: the same request is sent once
        self._tallies: dict[tuple[str, str], Tally] = {}
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._serve, name=f"rarefy-llm {ask.name}", daemon=True)
        self._thread.start()

    def ask(self, requests: Iterable[Request], means: InferenceContext) -> Iterator[Reply]:
        """One reply for each request, in their order; raises Stopped once what is under way has come in."""
        seconds = means.serving.stage_deadline
        caller = Caller(means, time.monotonic() + seconds if seconds else float("inf"))
        source = iter(requests)
        queue: deque[tuple[int, Future[Reply] | Reply]] = deque()
        size, more = 0, True
        # a batch may take hours, and what it holds is asked for again by whoever comes next
        patience = INTERRUPTED if self.sender.in_batches else None
        try:
            while True:
                with self._taking():
                    while more and len(queue) + BLOCK <= self.ahead and size < AHEAD_CHARACTERS:
                        block = list(islice(source, BLOCK))
                        more = len(block) == BLOCK
                        for request, answer in zip(block, self._look_up(block, caller), strict=True):
                            queue.append((prompt_length(request), answer))
                            size += queue[-1][0]
                if not queue:
                    return
                characters, answer = queue.popleft()
                size -= characters
                yield answer if isinstance(answer, Reply) else answer.result()
        except KeyboardInterrupt:
            patience = INTERRUPTED
            raise
        finally:
            # a caller that takes no more, or is told to stop: what was sent is paid for, and still comes into the books
            caller.stopped = caller.stopped or Stopped("the caller takes no more replies")
            if threading.current_thread() is not self._thread:  # where a collector of garbage closed this, say
                wait([answer for _, answer in queue if isinstance(answer, Future)], patience)  # each has a deadline
                self.sender.ledger.write(()).result()  # whoever adds up now sees it all

    @contextmanager
    def _taking(self) -> Iterator[None]:
        with self._lock:
            self._filling += 1
        try:
            yield
        finally:
            with self._lock:
                self._filling -= 1

    def _look_up(self, block: list[Request], caller: Caller) -> "list[Future[Reply] | Reply]":
        """Each request's reply, if it is remembered and right, else what will hold it."""
        keys = [reply_key(self.identity, request) for request in block]
        known = self.books.find([name for name, _ in keys])
        answers: list[Future[Reply] | Reply] = []
        new: list[InFlightRequest] = []
        remembered: list[Reply] = []
        for request, (name, made_of) in zip(block, keys, strict=True):
            reply = known.get(name)
            if found := reply and structured.accept_reply(reply, request):
                remembered.append(replace(found, remembered=True))
                answers.append(remembered[-1])
            else:
                new.append(InFlightRequest(request, name, made_of, caller, reply))
                answers.append(new[-1].answer)
        if remembered:
            self._tally(caller.means, remembered)
            self.sender.ledger.write([self.sender.ledger_line(caller.means, "", "remembered", count=len(remembered))])
        if new:
            # sorted by what they say: a server that remembers prefixes works on each common one once
            new.sort(key=lambda flight: [message.content for message in flight.request.messages])
            self._loop.call_soon_threadsafe(self._accept, new)
        return answers

    # from here on in the loop's thread

    def _serve(self) -> None:
        asyncio.set_event_loop(self._loop)
        sender = self.sender
        name, patience = sender.provider.name, sender.policy.watchdog
        warnings = warn_when_stalled(sender.running, lambda: sender.last_reply, name, patience)
        self._watching = self._loop.create_task(warnings)
        self._loop.run_forever()

    def _accept(self, flights: list[InFlightRequest]) -> None:
        self._waiting.extend(flights)
        self._start()

    def _start(self) -> None:
        # twice as many as may be in flight, so that those that wait between two tries keep nobody out
        while self._waiting and len(self._running) < 2 * self.sender.most:
            flight = self._waiting.popleft()
            self._running[id(flight)] = flight
            task = self._loop.create_task(self._run(flight))
            task.add_done_callback(lambda _, flight=flight: self._finish(flight))  # type: ignore[misc]

    def _finish(self, flight: InFlightRequest) -> None:
        self._running.pop(id(flight), None)
        self._start()

    async def _run(self, flight: InFlightRequest) -> None:
        try:
            reply = await self._answer(flight)
            self._tally(flight.caller.means, [reply])
            flight.answer.set_result(reply)
        except Stopped as stopped:
            flight.caller.stopped = flight.caller.stopped or copy_error(stopped)
            flight.answer.set_exception(stopped)
        except BaseException as error:  # a bug: its traceback belongs to whoever asked, and the loop goes on
            stopped_by = Stopped(f"another request ended in {type(error).__name__}: {redacted(str(error))}")
            flight.caller.stopped = flight.caller.stopped or stopped_by
            flight.answer.set_exception(error)

    async def _answer(self, flight: InFlightRequest) -> Reply:
        """The reply, read by its schema; asked once more where it cannot be (the ladder of field ask 1)."""
        first = flight.request
        reply = await self._once(flight, again=False)
        if reply.error:
            return reply
        if whole := _read(reply, first):
            return whole
        fault = structured.parse(reply.text, first.schema).fault
        flight.request = structured.build_reask(first, reply.text, fault)
        (flight.key, flight.made_of), flight.known = reply_key(self.identity, flight.request), None
        second = await self._once(flight, again=True)
        combined = replace(
            second,
            request_id=first.request_id,
            prompt_tokens=reply.prompt_tokens + second.prompt_tokens,
            completion_tokens=reply.completion_tokens + second.completion_tokens,
            cached_tokens=reply.cached_tokens + second.cached_tokens,
            seconds=round(reply.seconds + second.seconds, 4),
        )
        if second.error:
            return replace(combined, text=second.text or reply.text)
        if whole := _read(combined, first):
            return whole
        return replace(combined, error="unparsable", detail=structured.parse(second.text, first.schema).fault)

    async def _once(self, flight: InFlightRequest, *, again: bool) -> Reply:
        """The reply to this very request: remembered, on its way for another caller, or sent for."""
        name, found = flight.key, flight.known
        while found is None and (sent := self._being_sent.get(name)):
            try:
                found = await asyncio.shield(sent)
                break
            except Stopped:  # whoever sent it was stopped; that need not be ours
                if flight.caller.stopped:
                    raise
        if found is None:
            self._being_sent[name] = sent = self._loop.create_future()
            try:
                # it may have come since its block was looked up, and of a re-ask nobody has looked yet
                if again or name in self.sender.recent:
                    found = (await self.sender.in_thread(self.books.find, [name])).get(name)
                reply = found or await self.sender.send(flight, again)
                sent.set_result(reply)
            except BaseException as error:
                sent.set_exception(error)
                sent.exception()  # it may be that nobody else waits
                raise
            finally:
                del self._being_sent[name]
            if not found:
                return reply
        request_id = flight.request.request_id
        self.sender.ledger.write([self.sender.ledger_line(flight.caller.means, request_id, "remembered")])
        return replace(found, request_id=request_id, remembered=True)

    def _tally(self, means: InferenceContext, replies: list[Reply]) -> None:
        """Count how a stage fares; TooManyFailures when more fail than may."""
        with self._lock:
            tally = self._tallies.setdefault((means.run, means.stage), Tally())
            tally.seen += len(replies)
            tally.failed.update(reply.error for reply in replies if reply.error)
            failed = tally.failed.total()
        # twice the budget while it runs, since failures come in bursts; the whole stage is held to it at its end
        if failed > min(2 * self.budget, 1.0) * max(tally.seen, SEEN):
            raise TooManyFailures(failure_message(means.stage, tally.seen, tally.failed, self.budget))


def _read(reply: Reply, request: Request) -> Reply | None:
    """As structured.accept_reply, of a reply that may have been read when it came in."""
    return reply if reply.parsed else structured.accept_reply(reply, request)


def failure_message(stage: str, seen: int, failed: "Counter[str]", budget: float) -> str:
    """What is told when a stage is stopped for its failures."""
    reasons = "; ".join(f"{count:,} {reason} ({REASONS.get(reason, reason)})" for reason, count in failed.most_common())
    return (
        f"{stage or 'model'}: {failed.total():,} of {seen:,} requests failed, over serving.failure_budget = "
        f"{budget:g}: {reasons}; mend the cause or raise the budget, and run again: what was answered is kept"
    )
