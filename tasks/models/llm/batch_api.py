"""The OpenAI Batch API: many requests in a file, at half the price, answered within a day.

Which batches are under way stands in a folder, so that a process that was killed finds them again: what it had sent
is neither sent nor paid for twice, whatever else is asked for along with it the next time.
"""

import threading
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal

from rarefy.data_contracts.rows import Reply, Request
from rarefy.tasks.models.llm import batch_files
from rarefy.tasks.models.llm.account import account
from rarefy.tasks.models.llm.batch_files import Sent
from rarefy.tasks.models.llm.config import InferenceContext, LLMConfig
from rarefy.tasks.models.llm.endpoint import body_of
from rarefy.tasks.models.llm.faults import REASONS, Failed, Stopped, Unavailable
from rarefy.tasks.models.llm.key import key
from rarefy.tasks.models.llm.secrets import address, redacted

MARK = "rarefy"  # names our digest in a batch's metadata
LISTED = 300  # of the newest batches, looked through for ours
ROUNDS = 4  # batches that a request goes into at most, where the one before was refused as a whole
PATIENCE = 27 * 3_600.0  # seconds: the day that a batch has, and some
UNREACHABLE = 3_600.0  # seconds without an answer to "how far is it"
_ENDED = {"completed", "failed", "expired", "cancelled"}


def batch(config: LLMConfig, means: InferenceContext) -> "BatchAPI":
    """The provider `batch`, a function of many requests; Unavailable where no key or address is set."""
    return BatchAPI(config, means)


@dataclass
class BatchAPI:
    """Requests in, replies out as their batches end; each batch is remembered in the cache folder before it is sent."""

    config: LLMConfig
    means: InferenceContext
    lines: int = 50_000  # per file, as the API takes
    size: int = 200_000_000  # bytes per file
    first_wait: float = 2.0  # seconds between two looks at a batch, at first
    longest_wait: float = 60.0
    most: str = field(default="max_tokens", init=False)  # what the model calls it

    def __post_init__(self) -> None:
        import openai  # late: an offline build needs none

        known = account(self.config.endpoint, "use another provider in the config")
        self._client = openai.OpenAI(**known.settings(), max_retries=5)
        self._address = address(str(self._client.base_url))
        self._folder = Path(self.means.cache) / "batches"
        self._structured = self.config.structured != "none"

    def __call__(self, requests: Sequence[Request]) -> Iterator[Reply]:
        """A reply for each request, as their batches end; Unavailable, Failed or Stopped for all that still wait."""
        import openai

        try:
            yield from self._ask(requests)
        except (openai.AuthenticationError, openai.PermissionDeniedError) as error:
            told = f"the key is not accepted ({_said(error)}); set {self.config.endpoint}_API_KEY"
            raise Unavailable(f"{self._address}: {told}") from None
        except (openai.BadRequestError, openai.NotFoundError, openai.UnprocessableEntityError) as error:
            raise Unavailable(f"{self._address}: no Batch API for this ({_said(error)})") from None
        except openai.RateLimitError as error:
            raise Failed("rate_limited", _said(error), again=True, slow_down=True) from None
        except openai.APIConnectionError as error:
            raise Failed("connection", _said(error), again=True) from None
        except openai.OpenAIError as error:
            raise Failed("server_error", _said(error), again=True) from None

    def _ask(self, requests: Sequence[Request]) -> Iterator[Reply]:
        open_: dict[str, list[Request]] = {}  # by the name of what they ask: the same is asked once
        for request in requests:
            open_.setdefault(key(self.config.identity(), request)[0], []).append(request)
        limit = self.means.serving.stage_deadline
        self._deadline = time.monotonic() + (min(limit, PATIENCE) if limit else PATIENCE)
        running = []
        for sent in self._remembered(open_):  # of an earlier run: those that have ended are read before any is sent
            if self._look(sent).status in _ENDED:
                yield from self._read(sent, open_, "answered")
            else:
                running.append(sent)
        for round_ in range(ROUNDS):
            taken = {name for sent in running for name in sent.names}
            new = self._send({name: same for name, same in open_.items() if name not in taken}, round_)
            for sent in running:
                yield from self._read(sent, open_, "answered")
            for sent in new:
                yield from self._read(sent, open_, "all" if round_ == ROUNDS - 1 else "settled")
            running = []
            if not open_:
                return
        for asked in open_.values():
            yield from batch_files.to_each(asked, Reply("", error="lost", detail=f"no answer in {ROUNDS} batches"))

    def _remembered(self, open_: dict[str, list[Request]]) -> list[Sent]:
        """Batches of earlier runs with some of these; of one that was just being sent the server knows if it was."""
        import openai

        found = []
        for sent in batch_files.remembered(self._folder, self._address):
            if open_.keys().isdisjoint(sent.names):
                continue
            try:
                known = self._look(sent).id if sent.batch_id else self._listed(sent.digest)
            except openai.NotFoundError:  # of another account, or cleared away
                known = ""
            if not known:
                batch_files.forget(self._folder, sent)
                continue
            if not sent.batch_id:
                sent = replace(sent, batch_id=known)
                batch_files.remember(self._folder, sent)
            found.append(sent)
        return found

    def _send(self, asked: dict[str, list[Request]], round_: int) -> list[Sent]:
        """These requests in new batches, each written down before it is sent and again when it has its id."""
        bodies = ((name, self._body(same[0])) for name, same in asked.items())
        return [
            self._sent(names, content, round_) for names, content in batch_files.files(bodies, self.lines, self.size)
        ]

    def _sent(self, names: list[str], content: bytes, round_: int) -> Sent:
        import openai

        # a batch of the same requests that has ended and did not answer them is another one
        before = sum(set(sent.names) == set(names) for sent in batch_files.remembered(self._folder, self._address))
        digest = batch_files.digest(names, self._address, before, round_)
        sent = Sent(digest, self._address, tuple(names), time.time())
        batch_files.remember(self._folder, sent)
        file = self._client.files.create(file=(f"{digest}.jsonl", content), purpose="batch")
        wait = self.first_wait
        for tries in range(6, 0, -1):
            # an answer to "create" that got lost on its way may have created it
            if known := self._listed(digest):
                break
            try:
                known = (
                    self._client.with_options(max_retries=0)
                    .batches.create(
                        input_file_id=file.id,
                        endpoint="/v1/chat/completions",
                        completion_window="24h",
                        metadata={MARK: digest},
                    )
                    .id
                )
                break
            except (openai.APIConnectionError, openai.InternalServerError, openai.RateLimitError):
                if tries == 1:
                    raise
                self._sleep(wait)
                wait = min(2 * wait, self.longest_wait)
        sent = replace(sent, batch_id=known)
        batch_files.remember(self._folder, sent)
        return sent

    def _listed(self, digest: str) -> str:
        """The id of the batch with this digest among the newest ones that the server knows; "" where there is none."""
        for place, known in enumerate(self._client.batches.list(limit=100)):
            if (known.metadata or {}).get(MARK) == digest:
                return known.id
            if place >= LISTED:
                break
        return ""

    def _read(
        self, sent: Sent, open_: dict[str, list[Request]], which: Literal["answered", "settled", "all"]
    ) -> Iterator[Reply]:
        """Replies of a batch once it has ended; who got one is taken out of `open_`.

        answered: of those whose fault another batch may mend, none; settled: of all but those that the next batch asks
        in another way, and those that had no chance in this one; all: of each, whatever came of it.
        """
        batch = self._finished(sent)
        if batch is None:
            late = Reply("", error="stage_deadline", detail=REASONS["stage_deadline"])
            for name in [name for name in sent.names if name in open_]:
                yield from batch_files.to_each(open_.pop(name), late)
            return
        theirs = {name for name in sent.names if name in open_}
        for name, told in self._lines(batch):
            if name in theirs:
                reply = batch_files.reply(open_[name][0], told, self.config.model)
                adapted = which == "settled" and reply.error == "rejected" and self._adapted(reply.detail)
                if not adapted and (which != "answered" or not _may_pass(reply.error)):
                    yield from batch_files.to_each(open_.pop(name), reply)
                theirs.discard(name)
        if which == "answered":
            return
        faults = _refused(batch, sent) if batch.status == "failed" else {"": _lost(batch)}
        for name in sent.names:
            fault = faults.get(name) or faults.get("")
            if name in theirs and (fault or which == "all"):  # else it was refused for other lines
                yield from batch_files.to_each(open_.pop(name), fault or _lost(batch))

    def _adapted(self, told: str) -> bool:
        """Whether the next batch says something in another way, after a model that does not know this one."""
        if "max_completion_tokens" in told:
            self.most = "max_completion_tokens"
            return True
        if self.config.structured == "auto" and any(word in told for word in ("response_format", "json_schema")):
            self._structured = False
            return True
        return False

    def _body(self, request: Request) -> dict[str, Any]:
        body = body_of(request, self.config, self._structured)
        if self.most != "max_tokens":
            body[self.most] = body.pop("max_tokens")
        return body

    def _finished(self, sent: Sent) -> Any:
        """The batch when it has ended; None where the stage's deadline came first."""
        import openai

        wait, answered = self.first_wait, time.monotonic()
        while True:
            try:
                batch, answered = self._look(sent), time.monotonic()
                if batch.status in _ENDED:
                    return batch
            except (openai.APIConnectionError, openai.InternalServerError, openai.RateLimitError):
                if time.monotonic() - answered > UNREACHABLE:
                    raise
            if time.monotonic() > self._deadline:
                return None
            self._sleep(min(wait, max(self._deadline - time.monotonic(), 0.0)))
            wait = min(1.5 * wait, self.longest_wait)

    def _look(self, sent: Sent) -> Any:
        return self._client.batches.retrieve(sent.batch_id)

    def _lines(self, batch: Any) -> Iterator[tuple[str, dict[str, Any]]]:
        """The lines of its output and error files by name, each name once; a file that breaks off is read again."""
        import httpx2
        import openai

        seen: set[str] = set()
        for file in filter(None, (batch.output_file_id, batch.error_file_id)):
            for tries in range(5, 0, -1):
                try:
                    with self._client.files.with_streaming_response.content(file) as content:
                        for name, told in batch_files.named(content.iter_lines()):
                            if name not in seen:
                                seen.add(name)
                                yield name, told
                    break
                except (httpx2.TransportError, openai.APIConnectionError):
                    if tries == 1:
                        raise Failed("connection", f"{self._address}: file {file} breaks off", again=True) from None
                    self._sleep(self.first_wait)

    def _sleep(self, seconds: float) -> None:
        """Wait, but not while the process wants to end."""
        end = time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0:
            if not threading.main_thread().is_alive():
                raise Stopped("the run ends; its batches go on and are found again by the next one")
            time.sleep(min(left, 0.5))


def _may_pass(error: str) -> bool:
    """Whether another batch may get another answer: what the model itself said stays as it is."""
    return error not in ("", "refused", "filtered", "truncated", "empty", "too_long")


def _refused(batch: Any, sent: Sent) -> dict[str, Reply]:
    """Why a batch was not taken, by the name of each line that is told, under "" for all of it."""
    faults: dict[str, Reply] = {}
    for error in (batch.errors and batch.errors.data) or ():
        code, said = str(error.code or ""), str(error.message or "")
        fault = Reply("", error=batch_files.reason(0, code, said), detail=redacted(f"{code}: {said}"))
        in_file = error.line is not None and 1 <= error.line <= len(sent.names)
        faults.setdefault(sent.names[error.line - 1] if in_file else "", fault)
    return faults or {"": Reply("", error="rejected", detail=f"batch {batch.id} failed without a word")}


def _lost(batch: Any) -> Reply:
    code = {"expired": "timeout", "failed": "rejected"}.get(batch.status, "lost")
    return Reply("", error=code, detail=f"batch {batch.id} is {batch.status} and has no line for it")


def _said(error: Any) -> str:
    return redacted(f"{type(error).__name__}: {error}")
