"""What a stage would ask its models, without asking: the stage itself is run, with a model that only counts."""

import hashlib
import heapq
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path
from typing import Any

import pyarrow as pa

from rarefy.data_contracts.rows import Reply, Request, Variant
from rarefy.data_contracts.tables import from_table
from rarefy.flows.models import roles
from rarefy.flows.models.request_rates import OF_ROOM, REPLY
from rarefy.tasks.models.llm import LLM, InferenceContext, LLMConfig
from rarefy.tasks.models.llm.faults import UNASKED
from rarefy.tasks.models.llm.in_flight import length
from rarefy.tasks.models.llm.reply_store import ReplyStore
from rarefy.tasks.models.nli import NLI, Label, NLIConfig
from rarefy.tasks.models.nli.by_model import asking, requested
from rarefy.tasks.perturb import CATALOGUE, PerturbConfig
from rarefy.tasks.perturb.catalogue import wanted
from rarefy.tasks.perturb.proof import ENTAILMENT
from rarefy.tasks.store.recipe import Given, Job
from rarefy.tasks.store.tables import Store

BLOCK = 256  # requests looked up together
SAMPLE = 200  # prompts whose tokens are counted, chosen by hash; the others go by their characters


@dataclass(eq=False)
class Tally:
    """What one model would be asked by a stage."""

    model: LLMConfig
    calls: int = 0
    remembered: int = 0  # answers that lie in the books: nothing would be sent
    characters: int = 0  # of the prompts to be sent, schemas among them, as the ledger counts them
    words: int = 0  # characters of their messages alone
    most: int = 0  # tokens of the replies, if each took all it may
    likely: float = 0.0  # tokens of the replies, where no ledger knows
    sample: list[tuple[int, str, str]] = field(default_factory=list)  # hash (negative), prompt, schema
    seen: set[str] = field(default_factory=set)  # keys: what is asked twice is sent once

    def add(self, request: Request, key: str, reply: float = 0.0) -> None:
        """Count a request that would be sent; its reply may take so many tokens, or a share of the room it has."""
        if key in self.seen:
            return
        self.seen.add(key)
        text = "\n".join(message.content for message in request.messages)
        self.calls += 1
        self.characters += length(request)
        self.words += len(text)
        self.most += request.max_tokens
        self.likely += reply or OF_ROOM * request.max_tokens
        entry = (-int(hashlib.blake2b(key.encode(), digest_size=8).hexdigest(), 16), text, request.schema)
        (heapq.heappush if len(self.sample) < SAMPLE else heapq.heappushpop)(self.sample, entry)


@dataclass(frozen=True, eq=False)
class Counting:
    """A tool that stands for a model: it answers what is remembered, counts the rest, and sends nothing."""

    tally: Tally
    books: ReplyStore | None
    reply: float = 0.0  # tokens of a reply; 0: by the room that it has

    def identity(self) -> dict[str, Any]:
        """As the model's."""
        return self.tally.model.identity()

    def connect(self, cache: Path, *, threads: int, means: InferenceContext) -> LLM:
        """The counter."""
        return self._ask

    def _ask(self, requests: Iterable[Request]) -> Iterator[Reply]:
        from rarefy.tasks.models.llm.key import key  # late, with what reads replies

        identity = self.identity()
        source = iter(requests)
        while block := list(islice(source, BLOCK)):
            keys = [key(identity, request)[0] for request in block]
            known = self.books.find(keys) if self.books else {}
            for request, name in zip(block, keys, strict=True):
                yield self._answer(request, name, known.get(name), identity)

    def _answer(self, request: Request, name: str, reply: Reply | None, identity: dict[str, Any]) -> Reply:
        from rarefy.tasks.models.llm import structured
        from rarefy.tasks.models.llm.key import key

        asked, answer = request, reply and structured.kept(reply, request)
        if reply and not answer:
            fault = structured.parse(reply.text, request.schema).fault
            asked = structured.again(request, reply.text, fault)
            name = key(identity, asked)[0]
            reply = self.books.find([name]).get(name) if self.books else None
            answer = reply and structured.kept(reply, asked)
        if reply is None:
            self.tally.add(asked, name, self.reply)
            return Reply(request.request_id, error=UNASKED)
        self.tally.remembered += 1
        unread = replace(reply, request_id=request.request_id, error="unparsable")
        return replace(answer or unread, remembered=True)


@dataclass(frozen=True, eq=False)
class Supposing:
    """A tool that stands for an inference by a model: what is not remembered is counted, and taken to be entailed.

    So each variant is asked about once, as it is where the first draft holds.
    """

    config: NLIConfig
    model: Counting

    def identity(self) -> dict[str, Any]:
        """As the inference's."""
        return self.config.identity()

    def connect(self, cache: Path, *, threads: int, means: InferenceContext) -> NLI:
        """The check."""
        check = asking(self.config, self.model.connect(cache, threads=threads, means=means))

        def supposed(pairs: Iterable[tuple[str, str]], /) -> Iterator[Label]:
            for label in check(pairs):
                yield Label("entailment", 1.0) if label.error == UNASKED else label

        return supposed

    def expect(self, variants: Iterable[Variant], config: PerturbConfig) -> None:
        """Count what will be asked about variants that a model has yet to write: each is taken to be as its original.

        A few characters more tell them apart: what is asked twice counts once.
        """
        pairs = [
            pair
            for row in variants
            if row.rejected_because == "unanswered" and row.perturbation in CATALOGUE
            for entry in [CATALOGUE[row.perturbation]]
            if ENTAILMENT in entry.checks
            for number in range(wanted(entry, config))
            for other in [f"{row.text} ({entry.name} {number})"]
            for pair in ((row.text, other), (other, row.text))
        ]
        for _ in self.model.connect(Path(), threads=1, means=InferenceContext())(
            requested(*pair, self.config) for pair in pairs
        ):
            pass


def rehearse(
    job: Job, given: Given, store: Store, books: ReplyStore | None, tallies: dict[str, Tally]
) -> dict[str, pa.Table]:
    """What the job makes of these with what is remembered, its requests added to the tallies of its models.

    A model that is there under two arguments has one tally: what both ask is asked once.
    """
    tools = dict(job.tools)
    checks: Supposing | None = None
    for name, tool in job.tools.items():
        model = roles.behind(tool)
        if model is None:
            continue
        tally = tallies.setdefault(model.model_dump_json(), Tally(model))
        if isinstance(tool, NLIConfig):
            tools[name] = checks = Supposing(tool, Counting(tally, books, REPLY["nli"]))
        else:
            tools[name] = Counting(tally, books)
    made, _ = replace(job, tools=tools).run(given, store)
    if checks and isinstance(job.config, PerturbConfig):
        checks.expect(from_table(made["variants"], Variant), job.config)
    return made
