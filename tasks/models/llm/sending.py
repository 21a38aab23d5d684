"""The tries of one request: allowed by budget, limits and the server's own word, and each in the ledger."""

import asyncio
import time
from collections import OrderedDict
from collections.abc import Callable, Iterable
from dataclasses import replace
from random import Random
from typing import Any, TypeVar

from rarefy.data_contracts.rows import Reply, Request
from rarefy.tasks.models.llm import structured
from rarefy.tasks.models.llm.aimd import Gate
from rarefy.tasks.models.llm.batched import Batched
from rarefy.tasks.models.llm.config import InferenceContext, LLMConfig, RequestPolicy
from rarefy.tasks.models.llm.faults import REASONS, BudgetSpent, Failed, Unavailable, fresh
from rarefy.tasks.models.llm.in_flight import InFlightRequest, length
from rarefy.tasks.models.llm.ledger import Ledger
from rarefy.tasks.models.llm.prices import cost, price_of
from rarefy.tasks.models.llm.providers import Provider
from rarefy.tasks.models.llm.reply_store import NANO, Call, Kept, ReplyStore

Given = TypeVar("Given")

CHARACTERS = 4  # per token, where nobody counts: of English text, and on the safe side for tables
LOOK = 0.5  # seconds after which one that waits for its turn looks whether its stage was stopped
HELD = 0.25  # seconds for which it is taken for granted that no other worker was told to wait
RECENT = 65_536  # keys answered by this process and perhaps looked up before that: of all callers' requests under way


class Sender:
    """Sends requests of one model for one process; lives in its engine's loop."""

    def __init__(self, config: LLMConfig, serving: RequestPolicy, ask: Provider, books: ReplyStore) -> None:
        self.config, self.serving, self.provider, self.books = config, serving, ask, books
        self.price = price_of(config, serving.prices)
        self.batch = config.provider == "batch"
        self.of_many = isinstance(ask, Batched)
        # of batches as many as fill two: one under way, one gathering
        self.most = 2 * serving.batch_size if self.of_many else serving.concurrency
        self.gate = Gate(self.most, at_once=self.of_many)
        self.ledger = Ledger(books)
        self.recent: OrderedDict[str, None] = OrderedDict()
        self.replied = time.monotonic()
        self.running: Callable[[], Iterable[InFlightRequest]] = tuple  # the engine's flights
        self._answered = False
        self._held = (0.0, 0.0)  # monotonic: until when nobody asks, and when that was looked up

    async def send(self, flight: InFlightRequest, again: bool) -> Reply:
        """The reply of as many tries as it takes and is allowed; it is in the books when this returns."""
        request, means, serving = flight.request, flight.asked.means, self.serving
        worst, end, tries = self._worst(request), float("inf"), 0
        while True:
            await self._reserved(flight, worst)
            began, sent = time.monotonic(), False
            try:
                async with self.gate:
                    # only now, so that what has its turn goes at once, and does not pile up behind a slow server
                    await self._turn(flight, end)
                    tries, sent, began = tries + 1, True, time.monotonic()
                    flight.tries, flight.since = tries, flight.since or began
                    end = min(end, began + serving.call_deadline)
                    seconds = max(min(serving.try_deadline, end - began, flight.asked.deadline - began), 0.001)
                    reply = await self.provider(request, seconds)
                return await self._received(flight, reply, worst, time.monotonic() - began, again)
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
            wait = 0.0 if failed.free else self._wait(failed, tries, request.request_id)
            final = not sent or not failed.again or tries > serving.retries or time.monotonic() + wait > end
            line = self.line(means, request.request_id, failed.reason, seconds=time.monotonic() - began, final=final)
            await self.ledger.kept([self._priced(line, *failed.tokens)])
            await self._give_back(means, worst - (self._sunk(request, failed) if sent else 0), calls=int(not sent))
            flight.aside = True
            if final:
                if failed.reason == "connection" and not self._answered:
                    raise Unavailable(
                        f"{failed.detail} (tried {tries} times, nothing ever answered there); check "
                        f"{self.config.endpoint}_BASE_URL and the network, or run `rarefy doctor`"
                    )
                return Reply(request.request_id, error=failed.reason, detail=failed.detail)
            await asyncio.sleep(wait)

    async def _received(self, flight: InFlightRequest, reply: Reply, worst: int, seconds: float, again: bool) -> Reply:
        """The reply, once it and its line of the ledger are in the books."""
        request, means = flight.request, flight.asked.means
        self._answered, self.replied = True, time.monotonic()
        self.gate.answered()
        prompt, completion, unmetered = reply.prompt_tokens, reply.completion_tokens, 0
        if not prompt and not completion:
            prompt, completion, unmetered = length(request) // CHARACTERS + 1, len(reply.text) // CHARACTERS + 1, 1
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
        line = self.line(means, request.request_id, reply.error or "answered", parse=how, seconds=seconds, final=final)
        line = self._priced(line, prompt, completion, reply.cached_tokens)
        line = replace(line, unmetered=unmetered, characters=0 if unmetered else length(request))
        kept = [] if reply.error else [Kept(flight.key, flight.made_of, reply)]
        await self.ledger.kept([line], kept)
        if kept:
            self.recent[flight.key] = None
            while len(self.recent) > RECENT:
                self.recent.popitem(last=False)
        await self._give_back(means, worst - line.cost)
        if self.serving.tokens_per_minute:
            over = self._tokens(request) - prompt - completion
            await self.off(self.books.refund, self.provider.name, over, self._per_minute())
        return whole

    async def _reserved(self, flight: InFlightRequest, worst: int) -> None:
        """Return when a call and the most it can cost are taken from the run's budget; Stopped where none is left."""
        means, asked = flight.asked.means, flight.asked
        limits = (means.max_calls, round(means.max_cost * NANO))
        flight.aside = True
        patience = time.monotonic() + self.serving.call_deadline
        while True:
            if asked.stopped:
                raise fresh(asked.stopped)
            if not any(limits) or await self.off(self.books.reserve, means.run, worst, limits):
                flight.aside = False
                return
            # what is in flight, here or in another process, may give back a part of what it reserved
            if all(other.aside for other in self.running()) and (
                time.monotonic() > patience or await self.off(self._is_spent, means.run, worst, limits)
            ):
                raise BudgetSpent(_spent(means, worst))
            await asyncio.sleep(0.1)

    def _is_spent(self, run: str, worst: int, limits: tuple[int, int]) -> bool:
        """Is too little left of a budget even if all that is reserved came back?"""
        sent = [used for used in self.books.usage(run) if used.outcome not in {"remembered", "stage_deadline"}]
        calls, cost_ = sum(used.calls for used in sent), sum(used.cost for used in sent)
        return (0 < limits[0] <= calls) or (0 < limits[1] < cost_ + worst)

    async def _turn(self, flight: InFlightRequest, end: float) -> None:
        """Return when its turn in the limits has come and nobody was told to wait; Failed past its deadlines."""
        wait, deadline = 0.0, flight.asked.deadline
        if any(self._per_minute()) and time.monotonic() < deadline:
            taken = (self.provider.name, 1, self._tokens(flight.request), self._per_minute(), time.time())
            wait = await self.off(self.books.pace, *taken)
        ready = time.monotonic() + wait
        while (wait := max(ready - time.monotonic(), await self._held_for())) > 0 and not flight.asked.stopped:
            if time.monotonic() + wait > min(deadline, end):
                break
            await asyncio.sleep(min(wait, LOOK))
        if flight.asked.stopped:
            raise fresh(flight.asked.stopped)
        if time.monotonic() + wait > deadline:
            raise Failed("stage_deadline", REASONS["stage_deadline"])
        if time.monotonic() + wait > end:
            raise Failed("timeout", "its turn comes after the call's deadline")

    async def _held_for(self) -> float:
        """Seconds for which some worker was told to wait."""
        until, looked = self._held
        now = time.monotonic()
        if until <= now and now - looked > HELD:
            until = now + await self.off(self.books.held, self.provider.name, time.time())
            self._held = (until, now)
        return until - now

    async def _hold(self, seconds: float) -> None:
        # never longer than a call may take: a server that says "in an hour" fails these and is asked again by the next
        seconds = min(seconds, self.serving.call_deadline)
        self._held = (max(self._held[0], time.monotonic() + seconds), time.monotonic())
        now = time.time()
        await self.off(self.books.hold, self.provider.name, now + seconds, now)

    async def off(self, work: Callable[..., Given], *arguments: Any) -> Given:
        """What some work on the books gives, done beside the loop."""
        return await asyncio.get_running_loop().run_in_executor(None, work, *arguments)

    async def _give_back(self, means: InferenceContext, amount: int, calls: int = 0) -> None:
        if means.max_calls or means.max_cost:
            await self.off(self.books.settle, means.run, amount, calls)

    def _wait(self, failed: Failed, tries: int, name: str) -> float:
        """Seconds before the next try: what the server asks for, else twice as long each time, spread by request."""
        if failed.retry_after:  # 0 is no answer
            return failed.retry_after
        return float(min(0.5 * 2 ** (tries - 1), 30.0) * Random(f"{name} {tries}").uniform(0.5, 1.0))

    def line(self, means: InferenceContext, request_id: str, outcome: str, **more: object) -> Call:
        line = Call(means.run, means.stage, self.config.model or self.config.provider, request_id, outcome)
        return replace(line, at=time.time(), **more)  # type: ignore[arg-type]

    def _priced(self, line: Call, prompt: int, completion: int, cached: int = 0) -> Call:
        amount = cost(self.price, prompt, completion, cached, batch=self.batch)
        return replace(line, prompt_tokens=prompt, completion_tokens=completion, cached_tokens=cached, cost=amount)

    def _worst(self, request: Request) -> int:
        """The most that one try can cost: no tokenizer makes more tokens of a text than it has bytes."""
        extra = self.config.extra
        wanted = [request.max_tokens, extra.get("max_tokens", 0), extra.get("max_completion_tokens", 0)]
        prompt = (
            sum(len(message.content.encode(errors="surrogatepass")) + 8 for message in request.messages)
            + len(request.schema)
            + 50
        )
        return cost(self.price, prompt, max(map(int, wanted)) * int(extra.get("n", 1)), batch=self.batch)

    def _sunk(self, request: Request, failed: Failed) -> int:
        """What of the budget a failed try may have used up though nobody told: its prompt, where it got that far."""
        if any(failed.tokens) or failed.reason not in {"timeout", "connection", "server_error"} or failed.slow_down:
            return cost(self.price, *failed.tokens, batch=self.batch)
        return cost(self.price, length(request) // CHARACTERS, 0, batch=self.batch)

    def _tokens(self, request: Request) -> int:
        most = self.serving.tokens_per_minute
        wanted = length(request) // CHARACTERS + request.max_tokens
        return min(wanted, most) if most else wanted

    def _per_minute(self) -> tuple[int, int]:
        return self.serving.requests_per_minute, self.serving.tokens_per_minute


def _spent(means: InferenceContext, worst: int) -> str:
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
