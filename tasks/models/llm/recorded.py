"""Replies from files, for tests and demonstrations: found by what the prompt says, never by its place in a run.

A file has one reply per line, as JSON, and a folder is all its *.jsonl in the order of their names:

    {"contains": ["Note 4", "Name the auditor"], "text": "{\\"auditor\\": \\"Deloitte\\"}"}
    {"said": "51ad…", "text": "…"}
    {"digest": "9f3c…", "text": "…", "finish_reason": "stop", "prompt_tokens": 812, "completion_tokens": 31}

`contains`: strings that all stand in the prompt's messages, in whichever; `said`: a digest of all messages but the
instructions, so that it outlives a prompt that is worded anew; `digest`: of the exact request, as `line` writes it. The
first line that matches counts, a line with a digest before all others; a line may answer any number of requests.
Further fields are those of a Reply. A request without a line is rejected, never answered.
"""

import asyncio
import hashlib
import json
import threading
from collections import Counter, deque
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

from rarefy.data_contracts.rows import Reply, Request, Token
from rarefy.tasks.models.llm import LLM
from rarefy.tasks.models.llm.config import InferenceContext, LLMConfig
from rarefy.tasks.models.llm.faults import Failed, mark_unusable
from rarefy.tasks.models.llm.reply_store import reply_key

PIECE = 16  # characters of a string by which lines are looked up
_NAMES = {"contains", "said", "digest"}
_FIELDS = {field.name for field in fields(Reply)} - {"request_id", "parsed", "remembered"}


@dataclass(frozen=True, slots=True)
class _Line:
    """Where a reply stands and what a prompt must say to get it; the reply itself stays in the file."""

    file: Path
    number: int
    offset: int
    contains: tuple[str, ...]
    digest: str  # of the request, or of what is said in it


@dataclass(frozen=True)
class _Index:
    """The lines of all files, and which of them to look at for a prompt."""

    lines: list[_Line]
    exact: dict[str, int]  # by digest
    by_piece: dict[str, list[int]]  # by PIECE characters of one of its strings
    always: list[int]  # lines of short strings


class Recorded:
    """A provider that knows its answers; its files are read when the first request comes."""

    def __init__(self, place: Path) -> None:
        self.name = f"recorded {place.name}"
        self.files = sorted(place.glob("*.jsonl")) if place.is_dir() else [place]
        if not self.files or not all(file.is_file() for file in self.files):
            raise ValueError(f"no recorded replies at {place}: model must name a .jsonl file or a folder with some")
        self._lock, self._index = threading.Lock(), None

    _index: _Index | None

    async def __call__(self, request: Request, seconds: float) -> Reply:
        """The recorded reply; Failed("rejected") telling the nearest line where there is none."""
        return await asyncio.to_thread(self.answer, request)

    async def close(self) -> None:
        """Nothing is held open."""

    def answer(self, request: Request) -> Reply:
        """The recorded reply, as `__call__` gives it; ValueError names a line that is none."""
        with self._lock:
            index = self._index = self._index or _indexed(self.files)
        for name_of in (digest, digest_said) if index.exact else ():
            if (exact := index.exact.get(name_of(request))) is not None:
                return _reply(index.lines[exact], request)
        prompt = "\n".join(message.content for message in request.messages)
        pieces = {prompt[start : start + PIECE] for start in range(len(prompt) - PIECE + 1)} & index.by_piece.keys()
        likely = {number for piece in pieces for number in index.by_piece[piece]}.union(index.always)
        lines = [index.lines[number] for number in sorted(likely)]
        for line in lines:
            if all(string in prompt for string in line.contains):
                return _reply(line, request)
        raise Failed("rejected", _missing(prompt, lines, self.name))


def recorded(config: LLMConfig, means: InferenceContext) -> Recorded:
    """The provider `recorded`: `model` is the file or folder; ValueError where there is none."""
    return Recorded(config.recordings)


def digest(request: Request) -> str:
    """What names this very request in a line: all of it but its id."""
    return reply_key({}, request)[0]


def digest_said(request: Request) -> str:
    """What names a request by its messages but the instructions: what it is about, and what it wants of that."""
    said = [[message.role, message.content] for message in request.messages if message.role != "system"]
    return hashlib.blake2b(json.dumps(said, ensure_ascii=False).encode(), digest_size=16).hexdigest()


def line(request: Request, reply: Reply, *, by: str = "digest") -> str:
    """A line that gives this reply to this very request, or (`by` "said") to what says the same; no line break."""
    record = {name: value for name, value in asdict(reply).items() if name in _FIELDS and value not in ("", 0, ())}
    name = digest(request) if by == "digest" else digest_said(request)
    return json.dumps({by: name, **record}, ensure_ascii=False)


def recording(llm: LLM, place: Path, *, by: str = "digest") -> LLM:
    """The same model, whose replies are added to this file as they come, as `line` does; but for those that failed."""

    def ask(requests: Iterable[Request], /) -> Iterator[Reply]:
        pending: deque[Request] = deque()

        def noted() -> Iterator[Request]:
            for request in requests:
                pending.append(request)
                yield request

        with place.open("a", encoding="utf-8", errors="replace") as file:
            for reply in llm(noted()):
                request = pending.popleft()
                if not reply.error:
                    file.write(line(request, reply, by=by) + "\n")
                yield reply

    return ask


def _indexed(files: list[Path]) -> _Index:
    index = _Index([found for file in files for found in _lines(file)], {}, {}, [])
    uses = Counter(string for line in index.lines for string in set(line.contains))
    for place, line in enumerate(index.lines):
        if line.digest:
            index.exact.setdefault(line.digest, place)
            continue
        long = [string for string in line.contains if len(string) >= PIECE]
        if not long:
            index.always.append(place)
            continue
        # by the string that fewest lines have, and there by its middle: beginnings are often alike
        rare = min(long, key=lambda string: (uses[string], -len(string)))
        middle = (len(rare) - PIECE) // 2
        index.by_piece.setdefault(rare[middle : middle + PIECE], []).append(place)
    return index


def _lines(file: Path) -> Iterator[_Line]:
    offset = 0
    with file.open("rb") as opened:
        for number, raw in enumerate(opened, 1):
            if raw.strip():
                record = _parse_record(file, number, raw)
                named = record.get("digest") or record.get("said", "")
                yield _Line(file, number, offset, tuple(record.get("contains", ())), named)
            offset += len(raw)


def _parse_record(file: Path, number: int, raw: bytes) -> dict[str, Any]:
    where = f"{file}, line {number}"
    try:
        record = json.loads(raw)
    except ValueError as error:
        raise ValueError(f"{where}: no JSON ({error})") from error
    if not isinstance(record, dict) or (unknown := record.keys() - _FIELDS - _NAMES):
        raise ValueError(
            f"{where}: not a recorded reply; unknown {sorted(unknown) if isinstance(record, dict) else record!r}"
        )
    strings = record.get("contains", [])
    if not isinstance(strings, list) or not all(isinstance(string, str) and string for string in strings):
        raise ValueError(f"{where}: contains must be a list of strings")
    if sum(bool(record.get(name)) for name in _NAMES) != 1:
        raise ValueError(f"{where}: needs one of contains, said and digest, to say which request it answers")
    if not isinstance(record.get("text", ""), str) or not ("text" in record or "error" in record):
        raise ValueError(f"{where}: needs a text or an error")
    return record


def _reply(line: _Line, request: Request) -> Reply:
    with line.file.open("rb") as file:
        file.seek(line.offset)
        record = _parse_record(line.file, line.number, file.readline())
    logprobs = tuple(
        Token(token["text"], token["logprob"], tuple(token.get("others", ())), tuple(token.get("other_logprobs", ())))
        for token in record.pop("logprobs", ())
    )
    own = {"finish_reason": "stop", "model": "recorded"} | {name: record[name] for name in record.keys() & _FIELDS}
    reply = Reply(request.request_id, **own, logprobs=logprobs)
    return reply if reply.error else mark_unusable(reply)


def _missing(prompt: str, lines: list[_Line], name: str) -> str:
    """That there is no reply for a prompt, and which line comes nearest."""
    message = f"{name} has no reply for this prompt, which ends in {prompt[-80:]!r}"
    lacking = [(sum(string not in prompt for string in line.contains), line) for line in lines]
    if not lacking:
        return message
    missing, near = min(lacking, key=lambda found: (found[0] / len(found[1].contains), found[1].number))
    first = next(string for string in near.contains if string not in prompt)
    nearest = f"{near.file.name}, line {near.number}"
    return f"{message}; nearest is {nearest}, of whose strings {missing} miss, as {first[:80]!r}"
