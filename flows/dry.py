"""What a stage would ask its models, without asking: the stage itself is run, with a model that only counts."""

import hashlib
import heapq
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path
from typing import Any

import pyarrow as pa

from rarefy.data_contracts.rows import Reply, Request
from rarefy.tasks.llm import LLM, LLMConfig, Means
from rarefy.tasks.llm.books import Books
from rarefy.tasks.llm.flight import length
from rarefy.tasks.recipe import Given, Job
from rarefy.tasks.store import Store

BLOCK = 256  # requests looked up together
SAMPLE = 200  # prompts whose tokens are counted, chosen by hash; the others go by their characters
UNASKED = "unasked"


@dataclass(eq=False)
class Tally:
    """What one model would be asked by a stage."""

    model: LLMConfig
    calls: int = 0
    remembered: int = 0  # answers that lie in the books: nothing would be sent
    characters: int = 0  # of the prompts to be sent, schemas among them, as the ledger counts them
    words: int = 0  # characters of their messages alone
    most: int = 0  # tokens of the replies, if each took all it may
    sample: list[tuple[int, str, str]] = field(default_factory=list)  # hash (negative), prompt, schema

    def add(self, request: Request, key: str) -> None:
        """Count a request that would be sent."""
        text = "\n".join(message.content for message in request.messages)
        self.calls += 1
        self.characters += length(request)
        self.words += len(text)
        self.most += request.max_tokens
        entry = (-int(hashlib.blake2b(key.encode(), digest_size=8).hexdigest(), 16), text, request.schema)
        (heapq.heappush if len(self.sample) < SAMPLE else heapq.heappushpop)(self.sample, entry)


@dataclass(frozen=True, eq=False)
class Counting:
    """A tool that stands for a model: it answers what is remembered, counts the rest, and sends nothing."""

    tally: Tally
    books: Books | None

    def identity(self) -> dict[str, Any]:
        """As the model's."""
        return self.tally.model.identity()

    def connect(self, cache: Path, *, threads: int, means: Means) -> LLM:
        """The counter."""
        return self._ask

    def _ask(self, requests: Iterable[Request]) -> Iterator[Reply]:
        from rarefy.tasks.llm.key import key  # late, with what reads replies

        identity = self.identity()
        source = iter(requests)
        while block := list(islice(source, BLOCK)):
            keys = [key(identity, request)[0] for request in block]
            known = self.books.find(keys) if self.books else {}
            for request, name in zip(block, keys, strict=True):
                yield self._answer(request, name, known.get(name), identity)

    def _answer(self, request: Request, name: str, reply: Reply | None, identity: dict[str, Any]) -> Reply:
        from rarefy.tasks.llm import structured
        from rarefy.tasks.llm.key import key

        asked, answer = request, reply and structured.kept(reply, request)
        if reply and not answer:
            fault = structured.parse(reply.text, request.schema).fault
            asked = structured.again(request, reply.text, fault)
            name = key(identity, asked)[0]
            reply = self.books.find([name]).get(name) if self.books else None
            answer = reply and structured.kept(reply, asked)
        if reply is None:
            self.tally.add(asked, name)
            return Reply(request.request_id, error=UNASKED)
        self.tally.remembered += 1
        unread = replace(reply, request_id=request.request_id, error="unparsable")
        return replace(answer or unread, remembered=True)


def rehearse(
    job: Job, given: Given, store: Store, books: Books | None, tallies: dict[str, Tally]
) -> dict[str, pa.Table]:
    """What the job makes of these with what is remembered, its requests added to the tallies by argument."""
    tools = dict(job.tools)
    for name, tool in job.tools.items():
        if isinstance(tool, LLMConfig):
            tools[name] = Counting(tallies.setdefault(name, Tally(tool)), books)
    return replace(job, tools=tools).run(given, store)
