"""The tries of one request: allowed by budget, limits and the server's own word, and each in the ledger."""

import asyncio
import logging
import time
from collections import OrderedDict
from collections.abc import Callable, Iterable
from concurrent.futures import Future
from dataclasses import dataclass, field, replace
from random import Random
from typing import Any, TypeVar

from rarefy.data_contracts.rows import Reply, Request
from rarefy.tasks.models.llm import structured
from rarefy.tasks.models.llm.config import NANO, InferenceContext, LLMConfig, RequestPolicy, cost, price_of
from rarefy.tasks.models.llm.faults import REASONS, BudgetSpent, Failed, Stopped, Unavailable, copy_error
from rarefy.tasks.models.llm.providers import Batched, Provider
from rarefy.tasks.models.llm.rate_limits import ConcurrencyLimit
from rarefy.tasks.models.llm.reply_store import Call, LedgerWriter, ReplyStore, StoredReply

# Requests under way

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
    caller: Caller
    known: Reply | None = None  # what the books have under the key, though it cannot be given back as it is
    answer: "Future[Reply]" = field(default_factory=Future)
    since: float = 0.0  # monotonic: when it was first sent
    tries: int = 0
    is_waiting: bool = True  # nothing is reserved for it: it waits for its budget, or between two tries


def prompt_length(request: Request) -> int:
    """The characters of a prompt."""
    return sum(len(message.content) for message in request.messages) + len(request.schema)


async def warn_when_stalled(
    flights: Callable[[], Iterable[InFlightRequest]], last_reply: Callable[[], float], name: str, every: float
) -> None:
    """Say which request has been in flight for longest, whenever none has come back for `every` seconds."""
    last_warning = 0.0
    while True:
        await asyncio.sleep(every / 4)
        sent = [flight for flight in flights() if flight.since and not flight.is_waiting]
        now = time.monotonic()
        oldest = min(sent, key=lambda flight: flight.since, default=None)
        if oldest is None or now - max(last_reply(), oldest.since, last_warning) <= every:
            continue
        last_warning = now
        LOG.warning(
            "%s: no reply from %s for %.0f s; of %d requests in flight the oldest is %s, sent %.0f s ago, try %d",
            oldest.caller.means.stage or "model",
            name,
            now - max(last_reply(), oldest.since),
            len(sent),
            oldest.request.request_id,
            now - oldest.since,
            oldest.tries,
        )


Result = TypeVar("Result")

CHARACTERS_PER_TOKEN = 4  # per token, where nobody counts: of English text, and on the safe side for tables
STOP_CHECK = 0.5  # seconds after which one that waits for its turn looks whether its stage was stopped
HOLD_CHECK = 0.25  # seconds for which it is taken for granted that no other worker was told to wait
RECENT = 65_536  # keys answered by this process and perhaps looked up before that: of all callers' requests under way


class Sender:
    """Sends requests of one model for one process; lives in its engine's loop."""

    def __init__(self, config: LLMConfig, policy: RequestPolicy, provider: Provider, books: ReplyStore) -> None:
        self.config, self.policy, self.provider, self.books = config, policy, provider, books
        self.price = price_of(config, policy.prices)
        self.batch = config.provider == "batch"
        self.in_batches = isinstance(provider, Batched)
        # of batches as many as fill two: one under way, one gathering
        self.most = 2 * policy.batch_size if self.in_batches else policy.concurrency
        self.gate = ConcurrencyLimit(self.most, at_once=self.in_batches)
        self.ledger = LedgerWriter(books)
        self.recent: OrderedDict[str, None] = OrderedDict()
        self.last_reply = time.monotonic()
        self.running: Callable[[], Iterable[InFlightRequest]] = tuple  # the engine's flights
        self._answered = False
        self._held = (0.0, 0.0)  # monotonic: until when nobody asks, and when that was looked up

    async def send(self, flight: InFlightRequest, again: bool) -> Reply:
        """The reply of as many tries as it takes and is allowed; it is in the books when this returns."""
        request, means, policy = flight.request, flight.caller.means, self.policy
        worst, end, tries = self._worst_cost(request), float("inf"), 0
        while True:
            await self._reserve(flight, worst)
            began, sent = time.monotonic(), False
            try:
                async with self.gate:
                    # only now, so that what has its turn goes at once, and does not pile up behind a slow server
                    await self._wait_for_turn(flight, end)
                    tries, sent, began = tries + 1, True, time.monotonic()
                    flight.tries, flight.since = tries, flight.since or began
                    end = min(end, began + policy.call_deadline)
                    seconds = max(min(policy.try_deadline, end - began, flight.caller.deadline - began), 0.001)
                    reply = await self.provider(request, seconds)
                return await self._record(flight, reply, worst, time.monotonic() - began, again)
            except Failed as fault:
                failed = fault
            except BaseException:  # it was stopped, nobody answers there, or a bug
                await self._give_back(means, worst, calls=1)
                raise
            if failed.slow_down:
                self.gate.complained(began)
            if failed.retry_after:
                await self._hold(failed.retry_after)
            self._answered = self._answered or failed.reason not in {"connection", "timeout"}
            tries -= failed.free
            wait = 0.0 if failed.free else seconds_before_retry(failed, tries, request.request_id)
            final = not sent or not failed.again or tries > policy.retries or time.monotonic() + wait > end
            seconds = time.monotonic() - began
            line = self.ledger_line(means, request.request_id, failed.reason, seconds=seconds, final=final)
            await self.ledger.record([self._priced(line, *failed.tokens)])
            owed = self._cost_of_failure(request, failed) if sent else 0
            await self._give_back(means, worst - owed, calls=int(not sent))
            flight.is_waiting = True
            if final:
                if failed.reason == "connection" and not self._answered:
                    raise Unavailable(
                        f"{failed.detail} (tried {tries} times, nothing ever answered there); check "
                        f"{self.config.endpoint}_BASE_URL and the network, or run `rarefy doctor`"
                    )
                return Reply(request.request_id, error=failed.reason, detail=failed.detail)
            await asyncio.sleep(wait)

    async def _record(self, flight: InFlightRequest, reply: Reply, worst: int, seconds: float, again: bool) -> Reply:
        """The reply, once it and its line of the ledger are in the books."""
        request, means = flight.request, flight.caller.means
        self._answered, self.last_reply = True, time.monotonic()
        self.gate.answered()
        prompt, completion, unmetered = reply.prompt_tokens, reply.completion_tokens, 0
        if not prompt and not completion:
            prompt, completion, unmetered = (
                prompt_length(request) // CHARACTERS_PER_TOKEN + 1,
                len(reply.text) // CHARACTERS_PER_TOKEN + 1,
                1,
            )
        if self.config.provider != "recorded":  # those took what their file says, and not what reading it takes
            reply = replace(reply, seconds=round(seconds, 4))
        how, final, whole = "", True, reply
        if request.schema and not reply.error:
            parsed = structured.parse(reply.text, request.schema)
            whole = replace(reply, parsed=parsed.value)
            how = parsed.how or ("rejected" if again else "failed")
            if again and parsed.how:
                how = "reasked"
            final = bool(parsed.how) or again
        outcome = reply.error or "answered"
        line = self.ledger_line(means, request.request_id, outcome, parse=how, seconds=seconds, final=final)
        line = self._priced(line, prompt, completion, reply.cached_tokens)
        line = replace(line, unmetered=unmetered, characters=0 if unmetered else prompt_length(request))
        kept = [] if reply.error else [StoredReply(flight.key, flight.made_of, reply)]
        await self.ledger.record([line], kept)
        if kept:
            self.recent[flight.key] = None
            while len(self.recent) > RECENT:
                self.recent.popitem(last=False)
        await self._give_back(means, worst - line.cost)
        if self.policy.tokens_per_minute:
            over = self._tokens_to_take(request) - prompt - completion
            await self.in_thread(self.books.refund, self.provider.name, over, self._per_minute())
        return whole

    async def _reserve(self, flight: InFlightRequest, worst: int) -> None:
        """Return when a call and the most it can cost are taken from the run's budget; Stopped where none is left."""
        means, caller = flight.caller.means, flight.caller
        limits = (means.max_calls, round(means.max_cost * NANO))
        flight.is_waiting = True
        patience = time.monotonic() + self.policy.call_deadline
        while True:
            if caller.stopped:
                raise copy_error(caller.stopped)
            if not any(limits) or await self.in_thread(self.books.reserve, means.run, worst, limits):
                flight.is_waiting = False
                return
            # what is in flight, here or in another process, may give back a part of what it reserved
            if all(other.is_waiting for other in self.running()) and (
                time.monotonic() > patience or await self.in_thread(self._is_spent, means.run, worst, limits)
            ):
                raise BudgetSpent(_budget_message(means, worst))
            await asyncio.sleep(0.1)

    def _is_spent(self, run: str, worst: int, limits: tuple[int, int]) -> bool:
        """Is too little left of a budget even if all that is reserved came back?"""
        calls, spent = self.books.spent(run)
        return (0 < limits[0] <= calls) or (0 < limits[1] < spent + worst)

    async def _wait_for_turn(self, flight: InFlightRequest, end: float) -> None:
        """Return when its turn in the limits has come and nobody was told to wait; Failed past its deadlines."""
        wait, deadline = 0.0, flight.caller.deadline
        if any(self._per_minute()) and time.monotonic() < deadline:
            taken = (self.provider.name, 1, self._tokens_to_take(flight.request), self._per_minute(), time.time())
            wait = await self.in_thread(self.books.pace, *taken)
        ready = time.monotonic() + wait
        while (wait := max(ready - time.monotonic(), await self._seconds_held())) > 0 and not flight.caller.stopped:
            if time.monotonic() + wait > min(deadline, end):
                break
            await asyncio.sleep(min(wait, STOP_CHECK))
        if flight.caller.stopped:
            raise copy_error(flight.caller.stopped)
        if time.monotonic() + wait > deadline:
            raise Failed("stage_deadline", REASONS["stage_deadline"])
        if time.monotonic() + wait > end:
            raise Failed("timeout", "its turn comes after the call's deadline")

    async def _seconds_held(self) -> float:
        """Seconds for which some worker was told to wait."""
        until, looked = self._held
        now = time.monotonic()
        if until <= now and now - looked > HOLD_CHECK:
            until = now + await self.in_thread(self.books.held, self.provider.name, time.time())
            self._held = (until, now)
        return until - now

    async def _hold(self, seconds: float) -> None:
        # never longer than a call may take: a server that says "in an hour" fails these and is asked again by the next
        seconds = min(seconds, self.policy.call_deadline)
        self._held = (max(self._held[0], time.monotonic() + seconds), time.monotonic())
        now = time.time()
        await self.in_thread(self.books.hold, self.provider.name, now + seconds, now)

    async def in_thread(self, work: Callable[..., Result], *arguments: Any) -> Result:
        """What some work on the books gives, done beside the loop."""
        return await asyncio.get_running_loop().run_in_executor(None, work, *arguments)

    async def _give_back(self, means: InferenceContext, amount: int, calls: int = 0) -> None:
        if means.max_calls or means.max_cost:
            await self.in_thread(self.books.settle, means.run, amount, calls)

    def ledger_line(self, means: InferenceContext, request_id: str, outcome: str, **more: object) -> Call:
        line = Call(means.run, means.stage, self.config.model or self.config.provider, request_id, outcome)
        return replace(line, at=time.time(), **more)  # type: ignore[arg-type]

    def _priced(self, line: Call, prompt: int, completion: int, cached: int = 0) -> Call:
        amount = cost(self.price, prompt, completion, cached, batch=self.batch)
        return replace(line, prompt_tokens=prompt, completion_tokens=completion, cached_tokens=cached, cost=amount)

    def _worst_cost(self, request: Request) -> int:
        """The most that one try can cost: no tokenizer makes more tokens of a text than it has bytes."""
        extra = self.config.extra
        wanted = [request.max_tokens, extra.get("max_tokens", 0), extra.get("max_completion_tokens", 0)]
        prompt = (
            sum(len(message.content.encode(errors="surrogatepass")) + 8 for message in request.messages)
            + len(request.schema)
            + 50
        )
        return cost(self.price, prompt, max(map(int, wanted)) * int(extra.get("n", 1)), batch=self.batch)

    def _cost_of_failure(self, request: Request, failed: Failed) -> int:
        """What of the budget a failed try may have used up though nobody told: its prompt, where it got that far."""
        if any(failed.tokens) or failed.reason not in {"timeout", "connection", "server_error"} or failed.slow_down:
            return cost(self.price, *failed.tokens, batch=self.batch)
        return cost(self.price, prompt_length(request) // CHARACTERS_PER_TOKEN, 0, batch=self.batch)

    def _tokens_to_take(self, request: Request) -> int:
        most = self.policy.tokens_per_minute
        wanted = prompt_length(request) // CHARACTERS_PER_TOKEN + request.max_tokens
        return min(wanted, most) if most else wanted

    def _per_minute(self) -> tuple[int, int]:
        return self.policy.requests_per_minute, self.policy.tokens_per_minute


def seconds_before_retry(failed: Failed, tries: int, name: str) -> float:
    """What the server asks for, else twice as long after each try, spread by the name of the request."""
    if failed.retry_after:  # 0 is no answer: at once, again and again, uses up every try in a moment
        return failed.retry_after
    return float(min(0.5 * 2 ** (tries - 1), 30.0) * Random(f"{name} {tries}").uniform(0.5, 1.0))


def _budget_message(means: InferenceContext, worst: int) -> str:
    calls = f"--max-calls {means.max_calls:,}" if means.max_calls else ""
    money = f"--max-cost {means.max_cost:g}" if means.max_cost else ""
    if 0 < means.max_cost * NANO < worst:  # the same command would never get on
        return (
            f"{means.stage or 'model'}: {money} is too little for one call, which may cost up to {worst / NANO:.4f}; "
            "raise it, or lower max_tokens"
        )
    return (
        f"{means.stage or 'model'}: {' or '.join(filter(None, (calls, money)))} is reached; what was answered is "
        "kept, run the same command again to go on"
    )
