"""Which system is under test, what it can be given, and how it is reached: a tool as in architecture §3."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from pydantic import BaseModel, Field, model_validator

from rarefy.data_contracts.evaluation import GIVEN
from rarefy.tasks.evaluate.systems.callable_system import source, taken
from rarefy.tasks.evaluate.systems.extractive.config import ExtractiveConfig
from rarefy.tasks.evaluate.systems.http.config import HttpConfig
from rarefy.tasks.evaluate.systems.rag.config import RagConfig
from rarefy.tasks.models.llm.config import InferenceContext, LLMConfig

if TYPE_CHECKING:
    from rarefy.tasks.evaluate.systems.interface import System

BUILT_IN = ("extractive", "rag")
KINDS = (*BUILT_IN, "http")
Given = Literal["closed_book", "passages", "own"]


class SystemConfig(BaseModel, frozen=True, extra="forbid", hide_input_in_errors=True):
    """A system under test; its addresses and keys come from the environment of whoever asks it."""

    kind: str = Field(
        "extractive",
        description="extractive (offline baseline) | rag (any model, with a protocol's prompts) | http (your own "
        'endpoint) | "module:function"',
    )
    takes: tuple[Given, ...] = Field(
        (),
        description="what it can be asked with: closed_book (no passages), passages (those it is given), own (it "
        "retrieves); empty: extractive and rag take all, http what its request has a place for, a function what its "
        'attribute `takes` says, else ["own"]',
    )
    retriever: str = Field(
        "",
        description="who retrieves where it is asked with `own`: a retriever of [retrieve]; empty: the system itself "
        "(for extractive and rag, which have none: hybrid)",
    )
    k: int = Field(5, ge=1, description="passages that this retriever finds for it")
    context_tokens: int = Field(
        0, ge=0, description="room for question and passages, in tokens; the lowest ranks are dropped; 0: no limit"
    )
    tokenizer: str = Field("minilm", description="who counts these tokens, as [chunk] tokenizer")
    prompted: bool = Field(
        False,
        description="whether an http or module:function system is told the protocol and the words it should refuse "
        "with, and uses them; rag always is",
    )
    version: str = Field(
        "",
        description="what stands behind an address or a function now, as a release or a commit: with it, answers are "
        "kept for later evaluations too; without it, each output folder has its own",
    )
    index: Literal["follows", "fixed"] = Field(
        "follows",
        description="of a system that retrieves by itself: follows: its index holds the benchmark's documents, so "
        "that answers from before they changed are asked for anew; fixed: it does not, and `version` tells all that "
        "these answers hang on",
    )
    extractive: ExtractiveConfig = Field(ExtractiveConfig.model_validate({}), description="of kind extractive")
    rag: RagConfig = Field(RagConfig.model_validate({}), description="of kind rag")
    http: HttpConfig = Field(HttpConfig.model_validate({}), description="of kind http")

    @model_validator(mode="after")
    def _whole(self) -> "SystemConfig":
        if self.kind not in KINDS and ":" not in self.kind:
            raise ValueError(f'no system {self.kind!r}; have {", ".join(KINDS)}, or write "module:function"')
        if self.kind == "http" and not self.http.url:
            raise ValueError('kind = "http" needs its address, as http.url = "${MY_RAG_URL}/ask"')
        if self.kind == "extractive" and self.prompted:
            raise ValueError("extractive reads no prompt: leave prompted out")
        # what follows from the kind is said in the rows of this config, and in its recipes, as if it had been written
        if self.kind in BUILT_IN:
            self._fill(takes=self.takes or GIVEN, retriever=self.retriever or "hybrid", prompted=self.kind == "rag")
        elif not self.takes:
            self._fill(takes=self.http.takes if self.kind == "http" else taken(self.kind))
        return self

    def _fill(self, **told: object) -> None:
        for name, value in told.items():
            object.__setattr__(self, name, value)

    def __hash__(self) -> int:
        return hash(json.dumps(self.model_dump(mode="json"), sort_keys=True))

    @property
    def retrieves(self) -> bool:
        """Whether it retrieves by itself, inside, where it is asked with no passages."""
        return "own" in self.takes and not self.retriever

    @property
    def follows(self) -> bool:
        """Whether what it answers from its own index hangs on the benchmark's documents."""
        return self.retrieves and self.index == "follows"

    @property
    def llm(self) -> LLMConfig | None:
        """The model that it asks through the inference core, None where it asks none."""
        return self.rag.llm if self.kind == "rag" else None

    @property
    def pinned(self) -> bool:
        """Whether `identity` tells all that its answers hang on.

        What stands behind an address or a function changes without a word of it in the config: unless `version` says
        what it is now, answers of another time must not be taken for its own.
        """
        return self.kind in BUILT_IN or bool(self.version)

    def identity(self) -> dict[str, Any]:
        """What its answers hang on, and not how it is reached; ValueError where a function cannot be imported."""
        told: dict[str, Any] = {"kind": self.kind, "version": self.version} if self.version else {"kind": self.kind}
        if self.kind == "extractive":
            return told | self.extractive.identity()
        if self.kind == "rag":
            return told | self.rag.identity()
        if self.kind == "http":
            return told | self.http.identity()
        return told | source(self.kind)

    def connect(self, cache: Path, *, threads: int, means: InferenceContext) -> "System":
        """The system; faults.Unavailable with the way out where it cannot be had here.

        In the folder `cache` lie what it remembers, and the answers of http and module:function systems: a folder
        of the evaluation's own where the system is not `pinned`.
        """
        if self.kind == "extractive":
            from rarefy.tasks.evaluate.systems.extractive import extractive

            return extractive(self.extractive, cache, threads=threads, means=means)
        if self.kind == "rag":
            from rarefy.tasks.evaluate.systems.rag import rag

            return rag(self.rag, self.rag.llm.connect(cache, threads=threads, means=means), cache, threads, means)
        if self.kind == "http":
            from rarefy.tasks.evaluate.systems.http import http

            return http(self.http, self.identity(), cache, means=means)
        from rarefy.tasks.evaluate.systems.callable_system import outsider

        return outsider(self.kind, self.identity(), cache, threads=threads, means=means)
