"""Replies from files, for tests and demonstrations: found by what the prompt says, never by its place in a run.

A file has one reply per line, as JSON, and a folder is all its *.jsonl in the order of their names:

    {"contains": ["Note 4", "Name the auditor"], "text": "{\\"auditor\\": \\"Deloitte\\"}"}
    {"digest": "9f3c…", "text": "…", "finish_reason": "stop", "prompt_tokens": 812, "completion_tokens": 31}

`contains`: strings that all stand in the prompt's messages, in whichever; `digest`: of the exact request, as `line`
writes it. The first line that matches counts, a line with the request's digest before all others; a line may answer
any number of requests. Further fields are those of a Reply. A request without a line is rejected, never answered.
"""

import asyncio
import json
import threading
from collections import Counter, deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any

from rarefy.data_contracts.rows import Reply, Request, Token
from rarefy.tasks.llm import LLM
from rarefy.tasks.llm.config import LLMConfig, Means
from rarefy.tasks.llm.endpoint import judged
from rarefy.tasks.llm.faults import Failed
from rarefy.tasks.llm.key import key

PIECE = 16  # characters of a string by which lines are looked up
_FIELDS = {field.name for field in fields(Reply)} - {"request_id", "parsed", "remembered"}


@dataclass(frozen=True, slots=True)
class _Line:
    """Where a reply stands and what a prompt must say to get it; the reply itself stays in the file."""

    file: Path
    number: int
    offset: int
    contains: tuple[str, ...]


class Recorded:
    """A provider that knows its answers; its files are read when the first request comes."""

    def __init__(self, place: Path) -> None:
        self.name = f"recorded {place.name}"
        self.files = sorted(place.glob("*.jsonl")) if place.is_dir() else [place]
        if not self.files or not all(file.is_file() for file in self.files):
            raise ValueError(f"no recorded replies at {place}: model must name a .jsonl file or a folder with some")
        self._lock = threading.Lock()
        self._lines: list[_Line] | None = None
        self._exact: dict[str, int] = {}
        self._by_piece: dict[str, list[int]] = {}
        self._always: list[int] = []  # lines with nothing long enough to look them up by

    async def __call__(self, request: Request, seconds: float) -> Reply:
        """The recorded reply; Failed("rejected") with the nearest line where there is none."""
        return await asyncio.to_thread(self.answer, request)

    async def close(self) -> None:
        """Nothing is held open."""

    def answer(self, request: Request) -> Reply:
        """The recorded reply, as `__call__` gives it."""
        lines = self._loaded()
        prompt = "\n".join(message.content for message in request.messages)
        exact = self._exact.get(digest(request)) if self._exact else None
        if exact is not None:
            return _reply(lines[exact], request)
        pieces = {prompt[start : start + PIECE] for start in range(len(prompt) - PIECE + 1)} & self._by_piece.keys()
        likely = sorted({number for piece in pieces for number in self._by_piece[piece]}.union(self._always))
        for number in likely:
            if all(string in prompt for string in lines[number].contains):
                return _reply(lines[number], request)
        raise Failed("rejected", _missing(prompt, [lines[number] for number in likely]))

    def _loaded(self) -> list[_Line]:
        with self._lock:
            if self._lines is None:
                lines = [line for file in self.files for line in self._read(file)]
                uses = Counter(string for line in lines for string in set(line.contains))
                for place, line in enumerate(lines):
                    # by the string that fewest lines have, and there by its middle: beginnings are often alike
                    rare = min(line.contains, key=lambda string: (uses[string], -len(string)), default=None)
                    if rare is not None and len(rare) < PIECE:
                        rare = max(line.contains, key=len)
                    if rare is not None and len(rare) >= PIECE:
                        middle = (len(rare) - PIECE) // 2
                        self._by_piece.setdefault(rare[middle : middle + PIECE], []).append(place)
                    elif rare is not None:
                        self._always.append(place)
                for place, (name, _) in reversed(list(enumerate(self._digests))):
                    self._exact[name] = _
                self._lines = lines
        return self._lines

    _digests: list[tuple[str, int]]

    def _read(self, file: Path) -> Iterator[_Line]:
        raise NotImplementedError


def _reply(line: _Line, request: Request) -> Reply:
    raise NotImplementedError
