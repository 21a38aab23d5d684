"""The OpenAI Batch API: many requests in a file, at half the price, answered within a day.

Which batches are under way stands in a folder, so that a process that was killed finds them again: what it had sent
is neither sent nor paid for twice, whatever else is asked for along with it the next time.
"""

import json
import os
import threading
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, field, replace
from hashlib import blake2b
from pathlib import Path
from typing import Any, Literal

from rarefy.data_contracts.rows import Reply, Request
from rarefy.tasks.atomic_write import put_in_place
from rarefy.tasks.models.llm.config import InferenceContext, LLMConfig
from rarefy.tasks.models.llm.endpoint import body_of, load_account, reply_of
from rarefy.tasks.models.llm.faults import REASONS, Failed, Stopped, Unavailable
from rarefy.tasks.models.llm.reply_store import reply_key
from rarefy.tasks.models.llm.secrets import redacted, strip_address
from rarefy.tasks.private import make_folder, open_file

# Files of the Batch API, and the folder that remembers which batches are under way

RESULTS_KEPT = 30 * 86_400  # seconds for which a provider keeps the results of a batch
_TOO_LONG = ("context_length", "maximum context", "context window", "too many tokens", "too long")
# batches that ended early: code of a line's error -> ours
_LINE_CODES = {"batch_expired": "timeout", "batch_cancelled": "lost"}


@dataclass(frozen=True, slots=True)
class SubmittedBatch:
    """A batch that was sent, or is about to be: then it has no id yet."""

    digest: str
    address: str
    names: tuple[str, ...]  # of its requests, as in the lines of its file
    at: float  # Unix time
    batch_id: str = ""


def batch_digest(names: Iterable[str], *more: object) -> str:
    """What names a batch of these requests wherever it is sent from."""
    return blake2b(json.dumps([sorted(names), *more]).encode(), digest_size=16).hexdigest()


def save_batch(folder: Path, sent: SubmittedBatch) -> None:
    """Write down that it was sent, all of it or nothing."""
    make_folder(folder)
    part = folder / f"{sent.digest}.{os.getpid()}.part"
    with open_file(part, encoding="utf-8") as file:
        json.dump(asdict(sent), file)
    put_in_place(part, folder / f"{sent.digest}.json")


def forget_batch(folder: Path, sent: SubmittedBatch) -> None:
    """It was never sent, or the provider knows nothing of it any more."""
    (folder / f"{sent.digest}.json").unlink(missing_ok=True)


def load_batches(folder: Path, address: str) -> list[SubmittedBatch]:
    """The batches sent to this address whose results may still be there, oldest first; older ones are forgotten."""
    found = []
    for file in sorted(folder.glob("*.json")):
        fields = json.loads(file.read_text(encoding="utf-8"))
        sent = SubmittedBatch(**(fields | {"names": tuple(fields["names"])}))
        if time.time() - sent.at > RESULTS_KEPT:
            forget_batch(folder, sent)
        elif sent.address == address:
            found.append(sent)
    return sorted(found, key=lambda sent: sent.at)


def batch_files(
    bodies: Iterable[tuple[str, dict[str, Any]]], lines: int, size: int
) -> Iterator[tuple[list[str], bytes]]:
    """The files of a batch of these named bodies, with the names in each, within the limits of lines and bytes."""
    names: list[str] = []
    content = bytearray()
    for name, body in bodies:
        line = {"custom_id": name, "method": "POST", "url": "/v1/chat/completions", "body": body}
        # in ASCII: so half a character, which no file takes, is written all the same
        encoded = (json.dumps(line) + "\n").encode()
        if names and (len(names) == lines or len(content) + len(encoded) > size):
            yield names, bytes(content)
            names, content = [], bytearray()
        names.append(name)
        content += encoded
    if names:
        yield names, bytes(content)


def parse_lines(lines: Iterable[str]) -> Iterator[tuple[str, dict[str, Any]]]:
    """The lines of an output or error file by their custom_id; a line that is none is nobody's."""
    for line in lines:
        try:
            record = json.loads(line)
            name = record["custom_id"]
        except (ValueError, LookupError, TypeError):
            continue
        if isinstance(name, str) and isinstance(record, dict):
            yield name, record


def read_line(request: Request, record: dict[str, Any], model: str) -> Reply:
    """The reply in a line of an output or error file, or the code of what went wrong."""
    response, error = record.get("response"), record.get("error")
    if isinstance(response, dict) and response.get("status_code") == 200:
        try:
            return reply_of(request, json.dumps(response.get("body")).encode(), model)
        except Failed as failed:
            return Reply(request.request_id, error=failed.reason, detail=failed.detail)
    status = response.get("status_code", 0) if isinstance(response, dict) else 0
    body = response.get("body") if isinstance(response, dict) else None
    fault = error if isinstance(error, dict) else body
    if isinstance(fault, dict) and isinstance(fault.get("error"), dict):
        fault = fault["error"]
    code, message = (
        (str(fault.get(name) or "") for name in ("code", "message")) if isinstance(fault, dict) else ("", str(fault))
    )
    return Reply(
        request.request_id, error=error_code(int(status or 0), code, message), detail=redacted(f"{code}: {message}")
    )


def error_code(status: int, code: str, message: str) -> str:
    """Our code for what the provider says of a line or of a batch."""
    text = f"{code} {message}".lower()
    if code in _LINE_CODES:
        return _LINE_CODES[code]
    if any(words in text for words in _TOO_LONG):
        return "too_long"
    if "content_filter" in text or "content policy" in text or "content_policy" in text:
        return "filtered"
    if status == 429 or code in ("rate_limit_exceeded", "token_limit_exceeded"):
        return "rate_limited"
    return "server_error" if status >= 500 else "rejected"


def copy_to_each(requests: Sequence[Request], reply: Reply) -> Iterator[Reply]:
    """One reply for all who asked the same."""
    for request in requests:
        yield replace(reply, request_id=request.request_id)


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

        known = load_account(self.config.endpoint, "use another provider in the config")
        self._client = openai.OpenAI(**known.settings(), max_retries=5)
        self._address = strip_address(str(self._client.base_url))
        self._folder = Path(self.means.cache) / "batches"
        self._structured = self.config.structured != "none"

    def __call__(self, requests: Sequence[Request]) -> Iterator[Reply]:
        """A reply for each request, as their batches end; Unavailable, Failed or Stopped for all that still wait."""
        import openai

        try:
            yield from self._answer(requests)
        except (openai.AuthenticationError, openai.PermissionDeniedError) as error:
            fault = f"the key is not accepted ({_describe_error(error)}); set {self.config.endpoint}_API_KEY"
            raise Unavailable(f"{self._address}: {fault}") from None
        except (openai.BadRequestError, openai.NotFoundError, openai.UnprocessableEntityError) as error:
            raise Unavailable(f"{self._address}: no Batch API for this ({_describe_error(error)})") from None
        except openai.RateLimitError as error:
            raise Failed("rate_limited", _describe_error(error), again=True, slow_down=True) from None
        except openai.APIConnectionError as error:
            raise Failed("connection", _describe_error(error), again=True) from None
        except openai.OpenAIError as error:
            raise Failed("server_error", _describe_error(error), again=True) from None

    def _answer(self, requests: Sequence[Request]) -> Iterator[Reply]:
        open_: dict[str, list[Request]] = {}  # by the name of what they ask: the same is asked once
        for request in requests:
            open_.setdefault(reply_key(self.config.identity(), request)[0], []).append(request)
        limit = self.means.serving.stage_deadline
        self._deadline = time.monotonic() + (min(limit, PATIENCE) if limit else PATIENCE)
        running = []
        for sent in self._earlier_batches(open_):  # those that have ended are read before any is sent
            if self._fetch(sent).status in _ENDED:
                yield from self._read_batch(sent, open_, "answered")
            else:
                running.append(sent)
        for round_ in range(ROUNDS):
            taken = {name for sent in running for name in sent.names}
            new = self._submit_all({name: same for name, same in open_.items() if name not in taken}, round_)
            for sent in running:
                yield from self._read_batch(sent, open_, "answered")
            for sent in new:
                yield from self._read_batch(sent, open_, "all" if round_ == ROUNDS - 1 else "settled")
            running = []
            if not open_:
                return
        for same in open_.values():
            yield from copy_to_each(same, Reply("", error="lost", detail=f"no answer in {ROUNDS} batches"))

    def _earlier_batches(self, open_: dict[str, list[Request]]) -> list[SubmittedBatch]:
        """Batches of earlier runs with some of these; of one that was just being sent the server knows if it was."""
        import openai

        found = []
        for sent in load_batches(self._folder, self._address):
            if open_.keys().isdisjoint(sent.names):
                continue
            try:
                known = self._fetch(sent).id if sent.batch_id else self._find_batch_id(sent.digest)
            except openai.NotFoundError:  # of another account, or cleared away
                known = ""
            if not known:
                forget_batch(self._folder, sent)
                continue
            if not sent.batch_id:
                sent = replace(sent, batch_id=known)
                save_batch(self._folder, sent)
            found.append(sent)
        return found

    def _submit_all(self, requests: dict[str, list[Request]], round_: int) -> list[SubmittedBatch]:
        """These requests in new batches, each written down before it is sent and again when it has its id."""
        bodies = ((name, self._body(same[0])) for name, same in requests.items())
        return [self._submit(names, content, round_) for names, content in batch_files(bodies, self.lines, self.size)]

    def _submit(self, names: list[str], content: bytes, round_: int) -> SubmittedBatch:
        import openai

        # a batch of the same requests that has ended and did not answer them is another one
        before = sum(set(sent.names) == set(names) for sent in load_batches(self._folder, self._address))
        digest = batch_digest(names, self._address, before, round_)
        sent = SubmittedBatch(digest, self._address, tuple(names), time.time())
        save_batch(self._folder, sent)
        file = self._client.files.create(file=(f"{digest}.jsonl", content), purpose="batch")
        wait = self.first_wait
        for tries in range(6, 0, -1):
            # an answer to "create" that got lost on its way may have created it
            if known := self._find_batch_id(digest):
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
        save_batch(self._folder, sent)
        return sent

    def _find_batch_id(self, digest: str) -> str:
        """The id of the batch with this digest among the newest ones that the server knows; "" where there is none."""
        for place, known in enumerate(self._client.batches.list(limit=100)):
            if (known.metadata or {}).get(MARK) == digest:
                return known.id
            if place >= LISTED:
                break
        return ""

    def _read_batch(
        self, sent: SubmittedBatch, open_: dict[str, list[Request]], which: Literal["answered", "settled", "all"]
    ) -> Iterator[Reply]:
        """Replies of a batch once it has ended; who got one is taken out of `open_`.

        answered: of those whose fault another batch may mend, none; settled: of all but those that the next batch asks
        in another way, and those that had no chance in this one; all: of each, whatever came of it.
        """
        batch = self._wait_for(sent)
        if batch is None:
            late = Reply("", error="stage_deadline", detail=REASONS["stage_deadline"])
            for name in [name for name in sent.names if name in open_]:
                yield from copy_to_each(open_.pop(name), late)
            return
        theirs = {name for name in sent.names if name in open_}
        for name, record in self._lines(batch):
            if name in theirs:
                reply = read_line(open_[name][0], record, self.config.model)
                adapted = which == "settled" and reply.error == "rejected" and self._adapt(reply.detail)
                if not adapted and (which != "answered" or not _may_change(reply.error)):
                    yield from copy_to_each(open_.pop(name), reply)
                theirs.discard(name)
        if which == "answered":
            return
        faults = _batch_faults(batch, sent) if batch.status == "failed" else {"": _lost_reply(batch)}
        for name in sent.names:
            fault = faults.get(name) or faults.get("")
            if name in theirs and (fault or which == "all"):  # else it was refused for other lines
                yield from copy_to_each(open_.pop(name), fault or _lost_reply(batch))

    def _adapt(self, detail: str) -> bool:
        """Whether the next batch says something in another way, after a model that does not know this one."""
        if "max_completion_tokens" in detail:
            self.most = "max_completion_tokens"
            return True
        if self.config.structured == "auto" and any(word in detail for word in ("response_format", "json_schema")):
            self._structured = False
            return True
        return False

    def _body(self, request: Request) -> dict[str, Any]:
        body = body_of(request, self.config, self._structured)
        if self.most != "max_tokens":
            body[self.most] = body.pop("max_tokens")
        return body

    def _wait_for(self, sent: SubmittedBatch) -> Any:
        """The batch when it has ended; None where the stage's deadline came first."""
        import openai

        wait, answered = self.first_wait, time.monotonic()
        while True:
            try:
                batch, answered = self._fetch(sent), time.monotonic()
                if batch.status in _ENDED:
                    return batch
            except (openai.APIConnectionError, openai.InternalServerError, openai.RateLimitError):
                if time.monotonic() - answered > UNREACHABLE:
                    raise
            if time.monotonic() > self._deadline:
                return None
            self._sleep(min(wait, max(self._deadline - time.monotonic(), 0.0)))
            wait = min(1.5 * wait, self.longest_wait)

    def _fetch(self, sent: SubmittedBatch) -> Any:
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
                        for name, record in parse_lines(content.iter_lines()):
                            if name not in seen:
                                seen.add(name)
                                yield name, record
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


def _may_change(error: str) -> bool:
    """Whether another batch may get another answer: what the model itself said stays as it is."""
    return error not in ("", "refused", "filtered", "truncated", "empty", "too_long")


def _batch_faults(batch: Any, sent: SubmittedBatch) -> dict[str, Reply]:
    """Why a batch was not taken, by the name of each line that the fault names, under "" for all of it."""
    faults: dict[str, Reply] = {}
    for error in (batch.errors and batch.errors.data) or ():
        code, message = str(error.code or ""), str(error.message or "")
        fault = Reply("", error=error_code(0, code, message), detail=redacted(f"{code}: {message}"))
        in_file = error.line is not None and 1 <= error.line <= len(sent.names)
        faults.setdefault(sent.names[error.line - 1] if in_file else "", fault)
    return faults or {"": Reply("", error="rejected", detail=f"batch {batch.id} failed without a word")}


def _lost_reply(batch: Any) -> Reply:
    code = {"expired": "timeout", "failed": "rejected"}.get(batch.status, "lost")
    return Reply("", error=code, detail=f"batch {batch.id} is {batch.status} and has no line for it")


def _describe_error(error: Any) -> str:
    return redacted(f"{type(error).__name__}: {error}")
