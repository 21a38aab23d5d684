"""Asking an HTTP endpoint: reading its replies, the limits of a run, and many questions at once with retries."""

import asyncio
import json
import logging
import math
import os
import re
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import Future
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from random import Random
from typing import Any, TypeVar

from rarefy.data_contracts.rows import Passage
from rarefy.tasks.evaluate.systems.answer_store import AnswerStore
from rarefy.tasks.evaluate.systems.concurrency import FailureBudget, answer_in_order, clean_texts
from rarefy.tasks.evaluate.systems.http.config import (
    HttpConfig,
    MissingPath,
    ReplyPaths,
    describe_value,
    expand_variables,
    fill_template,
    get_at_path,
    map_texts,
    template_values,
)
from rarefy.tasks.evaluate.systems.interface import SystemInput, SystemOutput, explain_error
from rarefy.tasks.models.llm.config import NANO, InferenceContext
from rarefy.tasks.models.llm.endpoint import retry_after
from rarefy.tasks.models.llm.faults import BudgetSpent, Failed, Stopped, Unavailable, copy_error, replace_surrogates
from rarefy.tasks.models.llm.rate_limits import ConcurrencyLimit
from rarefy.tasks.models.llm.reply_store import Call, open_reply_store
from rarefy.tasks.models.llm.secrets import redacted, secret_forms

LOG = logging.getLogger("rarefy.systems")
MAX_NUMBER = 1_000_000_000  # largest plausible tokens or cost of one answer
_DONE = "[DONE]"


def parse_reply(asked_id: str, text: str, config: HttpConfig) -> SystemOutput:
    """Return the output in the text of a reply; Failed where it holds no answer."""
    paths = config.reply
    if config.format == "text":
        return SystemOutput(asked_id, text, calls=1)
    if config.format == "json":
        value = _parse_json(text)
        return _build_output(asked_id, value, _read_answer(value, paths), paths)
    events = list(_parse_events(text))
    if not events:
        raise Failed("not_json", f"no events in it: {_shorten(text)}", again=True)
    pieces = [piece for event in events if (piece := _read_event(event, paths)) is not None]
    if not pieces:
        raise Failed(
            "no_answer",
            f"none of its {len(events)} events has {paths.answer!r}; the last is {describe_value(events[-1])}",
        )
    return _build_output(asked_id, _merge_events(events), "".join(pieces), paths)


def _build_output(asked_id: str, value: Any, answer: str, paths: ReplyPaths) -> SystemOutput:
    refused = _get_optional(value, paths.refused)
    return SystemOutput(
        asked_id,
        answer,
        refused=None if refused is None else bool(refused) and str(refused).lower() not in ("false", "no", "0"),
        retrieved=tuple(_read_passages(value, paths)),
        prompt_tokens=int(_read_number(_get_optional(value, paths.prompt_tokens))),
        completion_tokens=int(_read_number(_get_optional(value, paths.completion_tokens))),
        calls=1,
        cost=_read_number(_get_optional(value, paths.cost)),
        model=str(_get_optional(value, paths.model) or ""),
    )


def _parse_json(text: str) -> Any:
    try:
        return json.loads(text, parse_constant=_ignore_constant)
    except (ValueError, RecursionError) as error:
        why = "nested too deep" if isinstance(error, RecursionError) else str(error).split(": line")[0]
        raise Failed("not_json", f"{why}: {_shorten(text)}", again=True) from None


def _ignore_constant(name: str) -> None:
    """Read NaN and Infinity, which are no JSON but which some servers write for a score, as null."""


def _read_answer(value: Any, paths: ReplyPaths) -> str:
    if fault := _get_optional(value, paths.error):
        raise Failed("system_error", str(fault)[:300], again=True)
    try:
        return _format_answer(get_at_path(value, paths.answer), paths.answer)
    except MissingPath as error:
        raise Failed("no_answer", f"http.reply.answer = {error}") from None


def _format_answer(value: Any, path: str) -> str:
    """Return an answer as text: "" for null; numbers, true and false and lists are written out."""
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int | float):
        return json.dumps(value)
    if isinstance(value, list) and all(isinstance(part, str | int | float) for part in value):
        return ", ".join(_format_answer(part, path) for part in value)
    raise Failed("no_answer", f"http.reply.answer = {path}: {describe_value(value)} is no text")


def _get_optional(value: Any, path: str) -> Any:
    """Return the value at a path; None where there is none, and for an empty path."""
    if not path:
        return None
    try:
        return get_at_path(value, path)
    except MissingPath:
        return None


def _read_number(value: Any) -> float:
    """Return a plausible number of tokens or money, 0 for anything else; those of a list are added up."""
    if isinstance(value, list):
        return math.fsum(map(_read_number, value))
    try:
        number = float(value) if isinstance(value, int | float | str) else 0.0
    except (ValueError, OverflowError):
        return 0.0
    return min(max(number, 0.0), MAX_NUMBER) if math.isfinite(number) else 0.0


def _read_passages(value: Any, paths: ReplyPaths) -> Iterator[Passage]:
    """Yield the retrieved passages: of objects with a name and a text, of texts alone, or of names alone."""
    entries = _get_optional(value, paths.retrieved)
    if paths.retrieved and not isinstance(entries, list):
        _warn_no_list(paths.retrieved, describe_value(entries))
    for entry in entries if isinstance(entries, list) else []:
        if isinstance(entry, str | int):
            yield Passage("", str(entry)) if " " in str(entry).strip() else Passage(str(entry), "")
            continue
        score = _get_optional(entry, paths.score)
        name, text, title = (str(_get_optional(entry, path) or "") for path in (paths.id, paths.text, paths.title))
        finite = isinstance(score, int | float) and math.isfinite(score)
        yield Passage(name, text, title, float(score) if finite else None)


def _parse_events(text: str) -> Iterator[Any]:
    """Yield the JSON values of server-sent events, or of the lines of a body."""
    lines = text.splitlines()
    marked = any(line.startswith("data:") for line in lines)
    for line in lines:
        if marked and not line.startswith("data:"):
            continue
        line = line.removeprefix("data:").strip()
        if line and line != _DONE:
            yield _parse_json(line)


def _read_event(event: Any, paths: ReplyPaths) -> str | None:
    """Return an event's piece of the answer, None where it has none."""
    if fault := _get_optional(event, paths.error):
        raise Failed("system_error", str(fault)[:300], again=True)
    try:
        return _format_answer(get_at_path(event, paths.answer), paths.answer)
    except MissingPath:
        return None


def _merge_events(events: list[Any]) -> Any:
    """Return all events as one object; of each name, the last value that is not null."""
    merged: dict[str, Any] = {}
    for event in events:
        if isinstance(event, dict):
            merged |= {name: value for name, value in event.items() if value is not None}
    return merged


@cache
def _warn_no_list(path: str, content: str) -> None:
    """Warn once that a reply has no list where its passages should be; it is an answer all the same."""
    LOG.warning(
        "http.reply.retrieved = %s: there is %s in a reply: what it retrieved there is not known",
        path,
        "nothing" if content == "null" else f"{content}, not a list",
    )


def _shorten(text: str) -> str:
    return re.sub(r"\s+", " ", text[:200]).strip()


Result = TypeVar("Result")


class CallLimits:
    """The limits of a run on calls, shared by all its workers, and its ledger; a run without a name has neither."""

    def __init__(self, name: str, cache: Path, means: InferenceContext) -> None:
        self.name, self.means = name, means
        self.books = open_reply_store(means.books, cache) if means.run else None

    async def take_call(self) -> float:
        """Take one call and return the seconds to wait before it is sent; BudgetSpent where none is left."""
        if self.books is None:
            return 0.0
        most, a_minute = self.means.max_calls, self.means.serving.requests_per_minute
        if most and not await _run_in_thread(self.books.reserve, self.means.run, 0, (most, 0)):
            raise BudgetSpent(
                f"{self.means.stage or self.name}: --max-calls {most:,} is reached; what was answered is kept, run the "
                "same command again to go on"
            )
        if not a_minute:
            return 0.0
        return await _run_in_thread(self.books.pace, self.name, 1, 0, (a_minute, 0), time.time())

    async def record_call(
        self, asked_id: str, outcome: str, seconds: float, final: bool, output: SystemOutput | None = None
    ) -> None:
        """Write a call into the ledger."""
        if self.books is None:
            return
        output = output or SystemOutput(asked_id)
        line = Call(
            self.means.run,
            self.means.stage,
            self.name,
            asked_id,
            outcome,
            prompt_tokens=output.prompt_tokens,
            completion_tokens=output.completion_tokens,
            cost=round(output.cost * NANO),
            seconds=seconds,
            at=time.time(),
            final=final,
        )
        await _run_in_thread(self.books.keep, [line], [])


async def _run_in_thread(work: Callable[..., Result], *arguments: Any) -> Result:
    return await asyncio.get_running_loop().run_in_executor(None, work, *arguments)


_SHORTEST_SECRET = 8  # characters of a secret: a shorter value would blank out ordinary words of answers
_RETRIED_STATUSES = frozenset((408, 409, 425, 429))  # and all of 5xx: another try may help
_SLOW_DOWN_STATUSES = frozenset((429, 502, 503, 504, 529))
_CHUNK_BYTES = 65_536


class HttpEndpoint:
    """Sends one question to an endpoint and reads its reply; address and keys are read from the environment once."""

    def __init__(self, config: HttpConfig) -> None:
        self.config = config
        self.name = config.url  # as written in the config: the values of variables stay private
        self._url = str(expand_variables(config.url, "http.url"))
        if not self._url.startswith(("http://", "https://")):
            raise Unavailable(
                f"http.url = {config.url!r} does not become an address that begins with http:// or https://"
            )
        self._headers = {
            name: _check_header(name, expand_variables(value, f"http.headers.{name}"))
            for name, value in config.headers.items()
        }
        self._request = expand_variables(config.request, "http.request")
        kept = [os.environ.get(name, "").strip() for name in config.secrets()]
        self._secrets = sorted(
            {form for value in kept if len(value) >= _SHORTEST_SECRET for form in secret_forms(value)},
            key=len,
            reverse=True,
        )

    def session(self) -> Any:
        """Return an aiohttp session; to be made and closed within a running loop."""
        import aiohttp  # late: a fifth of a second that an offline evaluation need not spend

        return aiohttp.ClientSession(
            connector=aiohttp.TCPConnector(limit=0, force_close=False),
            headers={"Accept": "text/event-stream" if self.config.format == "events" else "*/*", **self._headers},
            timeout=aiohttp.ClientTimeout(total=None, sock_connect=None),  # each try has its own
            cookie_jar=aiohttp.DummyCookieJar(),  # no answer may depend on another question
            trust_env=True,
            auto_decompress=True,
        )

    async def try_once(self, session: Any, asked: SystemInput, seconds: float) -> SystemOutput:
        """Return its answer within so many seconds; Failed where there is none."""
        import aiohttp

        started, fault = False, None
        try:
            async with asyncio.timeout(seconds):
                async with session.request(
                    self.config.method, self._url, allow_redirects=False, **self._build_request(asked)
                ) as response:
                    started = True
                    body = await self._read_body(response)
                    status, headers, encoding = response.status, response.headers, response.charset
        except TimeoutError:
            fault = Failed("timeout", f"no whole reply within {seconds:.0f} s", again=True)
        except aiohttp.InvalidURL as error:
            fault = Failed("connection", self._describe(error))
        except (aiohttp.ClientError, ConnectionError) as error:  # the reply may break HTTP itself
            dropped = isinstance(error, aiohttp.ServerDisconnectedError | ConnectionError)
            within = dropped or not isinstance(error, aiohttp.ClientConnectionError)  # it failed while it was open
            fault = Failed("cut" if started and within else "connection", self._describe(error), again=True)
        if fault:
            raise fault  # out here: the library's error holds the request with its headers
        if status >= 300 or status < 200:
            raise self._status_error(status, headers, body)
        return clean_texts(parse_reply(asked.asked_id, self._decode(body, encoding), self.config), self.clean)

    def clean(self, text: str) -> str:
        """Return a text without the secrets of this endpoint, and without lone surrogates."""
        for secret in self._secrets:
            text = text.replace(secret, "[key]")
        return replace_surrogates(text)

    def _build_request(self, asked: SystemInput) -> dict[str, Any]:
        """Return the request as arguments of aiohttp."""
        body = fill_template(self._request, template_values(asked, self.config.passage))
        if self.config.sends == "json":
            return {
                "data": json.dumps(map_texts(body, replace_surrogates)).encode(),
                "headers": {"Content-Type": "application/json"},
            }
        flat = {name: value if isinstance(value, str) else json.dumps(value) for name, value in body.items()}
        flat = {name: replace_surrogates(value) for name, value in flat.items()}
        return {"params": flat} if self.config.sends == "query" else {"data": flat}

    async def _read_body(self, response: Any) -> bytes:
        """Return the whole body; Failed as soon as it is larger than `largest`."""
        most, pieces, size = self.config.largest, [], 0
        async for piece in response.content.iter_chunked(_CHUNK_BYTES):
            size += len(piece)
            if size > most:
                response.close()
                raise Failed("too_large", f"more than {most:,} bytes (http.largest)")
            pieces.append(piece)
        return b"".join(pieces)

    def _decode(self, body: bytes, encoding: str | None) -> str:
        if not body.strip():
            raise Failed("empty", "status 200 and no body", again=True)
        try:
            return body.decode(encoding or "utf-8-sig")
        except (UnicodeDecodeError, LookupError) as error:
            raise Failed("not_text", self._describe(error)) from None

    def _status_error(self, status: int, headers: Mapping[str, str], body: bytes) -> Failed:
        message = " ".join(body[:400].decode("utf-8", "replace").split())
        where = headers.get("Location", "")
        message = f"it redirects to {where}" if where and status < 400 else message or "no body"
        return Failed(
            "rate_limited" if status == 429 else f"http_{status}",
            f"{status}: {self._describe(message)}",
            again=status in _RETRIED_STATUSES or status >= 500,
            slow_down=status in _SLOW_DOWN_STATUSES,
            retry_after=retry_after({name.lower(): value for name, value in headers.items()}),
        )

    def _describe(self, error: object) -> str:
        """Return class and message of an exception, or a text, without secrets."""
        name = f"{type(error).__name__}: " if isinstance(error, BaseException) else ""
        return redacted(self.clean(f"{name}{error}"), most=300)


def _check_header(name: str, value: str) -> str:
    if not value.isascii() or not value.isprintable():
        raise Unavailable(
            f"http.headers.{name} becomes a value that no header can carry; look at the variable it names"
        )
    return value


AHEAD = 4  # times the concurrency: questions asked whose outputs are not yet yielded
_FATAL_CODES = frozenset(
    ("http_401", "http_403", "http_404", "http_405", "http_407")
)  # before any answer: every question would fail alike


class HttpSystem:
    """An HTTP endpoint as a system; each answer is stored before it is yielded."""

    def __init__(self, config: HttpConfig, wire: HttpEndpoint, book: AnswerStore, allowance: CallLimits) -> None:
        self.config, self.wire, self.book, self.allowance = config, wire, book, allowance
        self.means = allowance.means

    def __call__(self, asked: Iterable[SystemInput], /) -> Iterator[SystemOutput]:
        with _running_loop() as loop:
            run = HttpRun(self, loop)
            try:
                yield from answer_in_order(asked, run.begin, self.book, AHEAD * self.config.concurrency)
            finally:
                asyncio.run_coroutine_threadsafe(run.close(), loop).result()


@dataclass
class HttpRun:
    """The questions of one caller, asked within one event loop."""

    of: HttpSystem
    loop: asyncio.AbstractEventLoop
    has_answered: bool = False
    held_until: float = 0.0  # monotonic: the end of the pause that the endpoint asked for
    stopped: Stopped | None = None

    def __post_init__(self) -> None:
        config = self.of.config
        self.gate = ConcurrencyLimit(config.concurrency)
        budget = self.of.means.serving.failure_budget
        self.tally = FailureBudget(self.of.wire.name, budget, config.give_up_after, "http.give_up_after")
        self.session: Any = None
        seconds = self.of.means.serving.stage_deadline
        self.end = time.monotonic() + seconds if seconds else float("inf")

    def begin(self, asked: SystemInput) -> "Future[SystemOutput]":
        """Return the future of an answer; called from another thread than the loop's."""
        answer: Future[SystemOutput] = Future()
        asyncio.run_coroutine_threadsafe(self._answer(asked, answer), self.loop)
        return answer

    async def close(self) -> None:
        """Close its connections."""
        if self.session is not None:
            await self.session.close()

    async def _answer(self, asked: SystemInput, answer: "Future[SystemOutput]") -> None:
        try:
            async with self.gate:
                if not answer.set_running_or_notify_cancel():
                    return
                if self.stopped:
                    raise copy_error(self.stopped)
                self.session = self.session or self.of.wire.session()
                output = await self._try_until_answered(asked)
            if not output.error:  # outside the loop: another process may be writing
                output = await self.loop.run_in_executor(None, self.of.book.keep, output)
            answer.set_result(self.tally.count(output))
        except BaseException as error:
            if isinstance(error, Stopped):
                self.stopped = self.stopped or copy_error(error)
            answer.set_exception(error)

    async def _try_until_answered(self, asked: SystemInput) -> SystemOutput:
        """Return the answer of the first try that succeeds, with that try's seconds, or the last try's error."""
        config, tries, began = self.of.config, 0, time.monotonic()
        end = began + max(self.of.means.serving.call_deadline, config.timeout)
        while True:
            await self._wait_while_held()
            if time.monotonic() >= self.end:
                return SystemOutput(asked.asked_id, error="stage_deadline", detail=explain_error("stage_deadline"))
            if (pause := await self.of.allowance.take_call()) > 0:
                await asyncio.sleep(min(pause, max(self.end - time.monotonic(), 0.0)))
            tries, sent = tries + 1, time.monotonic()
            try:
                seconds = max(min(config.timeout, end - sent, self.end - sent), 0.001)
                output = await self.of.wire.try_once(self.session, asked, seconds)
            except Failed as error:
                fault = error
            else:
                self.gate.answered()
                self.has_answered = True
                seconds = time.monotonic() - sent
                await self.of.allowance.record_call(asked.asked_id, "answered", seconds, True, output)
                return replace(output, seconds=round(time.monotonic() - sent, 4), calls=tries)
            if fault.slow_down:
                self.gate.complained(sent)
            wait = _backoff(fault, tries, asked.asked_id)
            final = not fault.again or tries > config.retries or time.monotonic() + wait > min(end, self.end)
            await self.of.allowance.record_call(asked.asked_id, fault.reason, time.monotonic() - sent, final)
            if final:
                return self._give_up(asked, fault, tries, time.monotonic() - began)
            if fault.retry_after:
                self.held_until = max(self.held_until, time.monotonic() + wait)
            await asyncio.sleep(wait)

    async def _wait_while_held(self) -> None:
        while (wait := self.held_until - time.monotonic()) > 0 and time.monotonic() < self.end:
            await asyncio.sleep(min(wait, 0.5))
        if self.stopped:
            raise copy_error(self.stopped)

    def _give_up(self, asked: SystemInput, fault: Failed, tries: int, seconds: float) -> SystemOutput:
        """Return the error of a question; Unavailable where the endpoint never answered any, and never will."""
        where, detail = self.of.wire.name, fault.detail
        if not self.has_answered and fault.reason in _FATAL_CODES:
            raise Unavailable(f"{where}: {explain_error(fault.reason)}: {detail}")
        if not self.has_answered and fault.reason == "connection":
            raise Unavailable(
                f"{where}: {detail} (tried {tries} times, nothing ever answered there); is the system running, and "
                "http.url right?"
            )
        detail = detail if tries == 1 else f"{detail} (tried {tries} times)"
        return SystemOutput(asked.asked_id, calls=tries, seconds=round(seconds, 4), error=fault.reason, detail=detail)


def _backoff(fault: Failed, tries: int, name: str) -> float:
    """Return the seconds before the next try: what the server asks for, else doubling, spread by name."""
    if fault.retry_after:
        return fault.retry_after
    return float(min(0.25 * 2 ** (tries - 1), 30.0) * Random(f"{name} {tries}").uniform(0.5, 1.0))


@contextmanager
def _running_loop() -> Iterator[asyncio.AbstractEventLoop]:
    """Run an event loop in a thread of its own, since the caller may be within another loop."""
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, name="rarefy-http", daemon=True)
    thread.start()
    try:
        yield loop
    finally:
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()
