"""Triplets that a language model takes from windows of consecutive chunks, each held to the text (RARE §3.2, R6-R8)."""

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Literal

from pydantic import BaseModel, Field, model_validator

from rarefy.data_contracts.rows import Chunk, Document, Reply, Request, Triplet, Unanswered, row_id
from rarefy.tasks.corpus.chunk import repeated
from rarefy.tasks.knowledge.extract.claims import Claim, Claims, claim_to_triplet
from rarefy.tasks.knowledge.extract.windows import Window, build_windows
from rarefy.tasks.models.llm import LLM, parse_reply, replies, unanswered

SCHEMA = json.dumps(Claims.model_json_schema())
DocumentChunks = tuple[Document, list[Chunk]]


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
    fewest: int = Field(
        default=8,
        ge=0,
        description="triplets that a window usually holds, as the prompt says, which wants fewer where fewer are worth "
        "asking about; RARE asks for 15 at least (R7), and gets trivia where there are not so many",
    )
    most: int = Field(default=20, ge=1, description="triplets asked for per window and pass, at most (RARE R7)")
    proof: Literal["near", "sentence"] = Field(
        default="near",
        description="near: a subject may be what the heading above names or what its sentence calls by its last word, "
        "and a row's value a range; sentence: none of these",
    )
    temperature: float = Field(default=0.2, ge=0, le=2, description="of the model (RARE R7)")
    max_tokens: int = Field(default=8000, ge=1, description="of a reply (RARE R7)")

    @model_validator(mode="after")
    def _ordered(self) -> "ModelExtractConfig":
        if self.fewest > self.most:
            raise ValueError(f"fewest ({self.fewest}) is more than most ({self.most})")
        return self


@dataclass
class _WindowClaims:
    """A window, and what the model has claimed of it so far."""

    window: Window
    chunks: Mapping[str, Chunk]  # of its document, by id
    claims: list[Claim] = field(default_factory=list)
    failed: list[Unanswered] = field(default_factory=list)
    exhausted: bool = False  # the last pass found nothing


def extract_by_model(
    documents: Iterable[DocumentChunks], config: ModelExtractConfig, llm: LLM
) -> Iterator[Triplet | Unanswered]:
    """Every triplet that the model claims of these documents, window by window, and every window it did not answer.

    The windows of all documents are one stream of requests. A triplet that its words do not prove is rejected with the
    reason. Later passes ask about the windows in which the pass before found something.
    """
    states = list(_build_states(documents, config))
    for turn in range(config.passes):
        asked = {_request_id(state, turn): state for state in states if not state.exhausted}
        for reply in replies(llm, (_build_request(name, state, config) for name, state in asked.items())):
            _add_reply(asked[reply.request_id], reply)
    seen: set[str] = set()
    for state in states:
        yield from _claims_to_triplets(state, config, seen)
        yield from state.failed


def build_requests(documents: Iterable[DocumentChunks], config: ModelExtractConfig) -> Iterator[Request]:
    """What a model would be asked about these documents in the first pass; each further pass asks as often at most."""
    for state in _build_states(documents, config):
        yield _build_request(_request_id(state, 0), state, config)


def _build_states(documents: Iterable[DocumentChunks], config: ModelExtractConfig) -> Iterator[_WindowClaims]:
    for document, chunks in documents:
        by_id = {chunk.chunk_id: chunk for chunk in chunks}
        for window in build_windows(document, chunks, repeated(chunks), config.window, config.window_tokens):
            yield _WindowClaims(window, by_id)


def _request_id(state: _WindowClaims, turn: int) -> str:
    return row_id("triplets", state.window.window_id, turn)


def _build_request(name: str, state: _WindowClaims, config: ModelExtractConfig) -> Request:
    prompt = state.window.prompt([claim.model_dump() for claim in state.claims], config.fewest, config.most)
    return Request(name, prompt, SCHEMA, config.temperature, config.max_tokens)


def _add_reply(state: _WindowClaims, reply: Reply) -> None:
    """Add what a reply claims, or that it holds nothing usable."""
    parsed, reply = parse_reply(reply, Claims)
    claims = parsed.triplets if parsed else ()
    if reply.error:
        about = " ".join(dict.fromkeys(shown.chunk.chunk_id for shown in state.window.shown))
        state.failed.append(unanswered("extract", about, reply))
    state.claims.extend(claims)
    state.exhausted = not claims


def _claims_to_triplets(state: _WindowClaims, config: ModelExtractConfig, seen: set[str]) -> Iterator[Triplet]:
    """A window's claims as rows; one that repeats an accepted one is rejected as a duplicate."""
    system = state.window.prompt((), config.fewest, config.most)[0].content
    for number, claim in enumerate(state.claims):
        row = claim_to_triplet(claim, state.window, state.chunks, system, number, config.proof == "near")
        if row.triplet_id in seen:
            name = row_id("model", state.window.window_id, number, row.subject, row.relation, row.object)
            row = replace(row, triplet_id=name, rejected_because="duplicate")
        seen.add(row.triplet_id)
        yield row


@dataclass(frozen=True, slots=True)
class ExtractionYield:
    """How many triplets a model claimed of a domain's chunks, and how many of them hold."""

    domain: str
    chunks: int
    claimed: int
    accepted: int

    @property
    def per_chunk(self) -> float:
        """Accepted triplets per chunk (RARE asks 15 to 20 of five chunks); 0 where there are no chunks."""
        return self.accepted / self.chunks if self.chunks else 0.0


def count_yields(triplets: Iterable[Triplet], chunks: Iterable[Chunk]) -> list[ExtractionYield]:
    """The yield of each domain, by name, all its chunks counted: those of windows without an answer too."""
    shown = Counter(chunk.domain for chunk in chunks)
    rows = [(row.domain, row.rejected_because) for row in triplets if row.method == "model"]
    claimed, accepted = Counter(d for d, _ in rows), Counter(d for d, reason in rows if not reason)
    return [
        ExtractionYield(name, shown[name], claimed[name], accepted[name])
        for name in sorted(shown.keys() | claimed.keys())
    ]
