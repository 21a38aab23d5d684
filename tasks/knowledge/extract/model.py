"""Triplets that a language model takes from windows of chunks, each held to the text (RARE §3.2, R6-R8)."""

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from pydantic import BaseModel, Field, model_validator

from rarefy.data_contracts.rows import Chunk, Document, Reply, Request, Triplet, Unanswered, row_id
from rarefy.tasks.corpus.chunk import repeated
from rarefy.tasks.knowledge.extract.claims import Claim, Claims, triplet_of
from rarefy.tasks.knowledge.extract.windows import Window, windows
from rarefy.tasks.models.llm import LLM, heard, replies, unanswered

SCHEMA = json.dumps(Claims.model_json_schema())
Own = tuple[Document, list[Chunk]]  # a document with its chunks


class ModelExtractConfig(BaseModel, frozen=True, extra="forbid"):
    """How a model is asked for triplets; which model it is, [llm] says."""

    window: int = Field(
        default=5,
        ge=1,
        description="consecutive chunks shown together (RARE R6): about so many, half as many more or less, cut where "
        "the chunks' own words say, so that an edit is asked about with its neighbours alone; 1: with none",
    )
    window_tokens: int = Field(default=8000, ge=100, description="tokens of chunks shown together, at most")
    passes: int = Field(
        default=1, ge=1, description="how often a window is asked about; from the second on, for further ones"
    )
    fewest: int = Field(default=15, ge=0, description="triplets asked for per window and pass, at least (RARE R7)")
    most: int = Field(default=20, ge=1, description="triplets asked for per window and pass, at most")
    temperature: float = Field(default=0.2, ge=0, le=2, description="of the model (RARE R7)")
    max_tokens: int = Field(default=8000, ge=1, description="of a reply (RARE R7)")

    @model_validator(mode="after")
    def _ordered(self) -> "ModelExtractConfig":
        if self.fewest > self.most:
            raise ValueError(f"fewest ({self.fewest}) is more than most ({self.most})")
        return self


@dataclass
class _Asked:
    """A window, and what the model said of it."""

    window: Window
    chunks: Mapping[str, Chunk]  # of its document, by id
    claims: list[Claim] = field(default_factory=list)
    failed: list[Unanswered] = field(default_factory=list)
    exhausted: bool = False  # nothing more to be had


def of_model(owns: Iterable[Own], config: ModelExtractConfig, llm: LLM) -> Iterator[Triplet | Unanswered]:
    """Every triplet that the model claims of these documents, window by window, and every window it did not answer.

    The windows of all documents are one stream of requests. A triplet that its words do not prove is rejected with the
    reason. Later passes ask about the windows in which the pass before found something.
    """
    asked = list(_windows(owns, config))
    for nth in range(config.passes):
        _ask([one for one in asked if not one.exhausted], nth, config, llm)
    seen: set[str] = set()
    for one in asked:
        yield from _told(one, config, seen)
        yield from one.failed


def requests(owns: Iterable[Own], config: ModelExtractConfig) -> Iterator[Request]:
    """What a model would be asked about these documents in the first pass; each further pass asks as often at most."""
    for one in _windows(owns, config):
        yield _request(_name(one, 0), one, config)


def _windows(owns: Iterable[Own], config: ModelExtractConfig) -> Iterator[_Asked]:
    for document, chunks in owns:
        by_id = {chunk.chunk_id: chunk for chunk in chunks}
        for window in windows(document, chunks, repeated(chunks), config.window, config.window_tokens):
            yield _Asked(window, by_id)


def _ask(asked: Sequence[_Asked], nth: int, config: ModelExtractConfig, llm: LLM) -> None:
    by_name = {_name(one, nth): one for one in asked}
    for reply in replies(llm, (_request(name, one, config) for name, one in by_name.items())):
        _hear(by_name[reply.request_id], reply)


def _name(one: _Asked, nth: int) -> str:
    return row_id("triplets", one.window.window_id, nth)


def _request(name: str, one: _Asked, config: ModelExtractConfig) -> Request:
    found = [claim.model_dump() for claim in one.claims]
    prompt = one.window.prompt(found, config.fewest, config.most)
    return Request(name, prompt, SCHEMA, config.temperature, config.max_tokens)


def _hear(one: _Asked, reply: Reply) -> None:
    """Take in what a reply claims, or that it says nothing usable."""
    said, reply = heard(reply, Claims)
    claims = said.triplets if said else ()
    if reply.error:
        about = " ".join(dict.fromkeys(shown.chunk.chunk_id for shown in one.window.shown))
        one.failed.append(unanswered("extract", about, reply))
    one.claims.extend(claims)
    one.exhausted = not claims


def _told(one: _Asked, config: ModelExtractConfig, seen: set[str]) -> Iterator[Triplet]:
    """A window's claims as rows; one that says again what an accepted one says is a duplicate."""
    system = one.window.prompt((), config.fewest, config.most)[0].content
    for nth, claim in enumerate(one.claims):
        row = triplet_of(claim, one.window, one.chunks, system, nth)
        if row.triplet_id in seen:
            name = row_id("model", one.window.window_id, nth, row.subject, row.relation, row.object)
            row = replace(row, triplet_id=name, rejected_because="duplicate")
        seen.add(row.triplet_id)
        yield row


@dataclass(frozen=True, slots=True)
class Yield:
    """How many triplets a model claimed of a domain's chunks, and how many of them hold."""

    domain: str
    chunks: int
    claimed: int
    accepted: int

    @property
    def per_chunk(self) -> float:
        """Accepted triplets per chunk (RARE asks 15 to 20 of five chunks); 0 where there are no chunks."""
        return self.accepted / self.chunks if self.chunks else 0.0


def yields(triplets: Iterable[Triplet], chunks: Iterable[Chunk]) -> list[Yield]:
    """The yield of each domain, by name, all its chunks counted: those of windows without an answer too."""
    shown = Counter(chunk.domain for chunk in chunks)
    rows = [(row.domain, row.rejected_because) for row in triplets if row.method == "model"]
    claimed, accepted = Counter(d for d, _ in rows), Counter(d for d, reason in rows if not reason)
    return [Yield(name, shown[name], claimed[name], accepted[name]) for name in sorted(shown.keys() | claimed.keys())]
