"""Configuration of a system under test: its kind, what it takes, and the options of each kind."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from pydantic import BaseModel, Field, model_validator

from rarefy.data_contracts.rows import GIVEN
from rarefy.tasks.evaluate.systems.callable_system import identify_function, read_takes
from rarefy.tasks.evaluate.systems.extractive.config import ExtractiveConfig
from rarefy.tasks.evaluate.systems.http.config import HttpConfig
from rarefy.tasks.evaluate.systems.rag.config import RagConfig
from rarefy.tasks.evaluate.systems.recorded import RecordedConfig
from rarefy.tasks.models.llm.config import InferenceContext, LLMConfig

if TYPE_CHECKING:
    from rarefy.tasks.evaluate.systems.interface import System

BUILT_IN = ("extractive", "rag")
DETERMINED = (*BUILT_IN, "recorded")  # kinds whose config determines their answers
KINDS = (*DETERMINED, "http")
Given = Literal["closed_book", "passages", "own"]


class SystemConfig(BaseModel, frozen=True, extra="forbid", hide_input_in_errors=True):
    """A system under test; addresses and keys come from the environment of the process that asks it."""

    kind: str = Field(
        "extractive",
        description="extractive (offline baseline) | rag (any model, with a protocol's prompts) | http (your own "
        'endpoint) | recorded (answers in a file) | "module:function"',
    )
    takes: tuple[Given, ...] = Field(
        (),
        description="what it can be asked with: closed_book (no passages), passages (those it is given), own (it "
        "retrieves); empty: extractive, rag and recorded take all, http what its request has a place for, a function "
        'what its attribute `takes` says, else ["own"]',
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
        "these answers depend on",
    )
    extractive: ExtractiveConfig = Field(ExtractiveConfig.model_validate({}), description="of kind extractive")
    rag: RagConfig = Field(RagConfig.model_validate({}), description="of kind rag")
    http: HttpConfig = Field(HttpConfig.model_validate({}), description="of kind http")
    recorded: RecordedConfig = Field(RecordedConfig.model_validate({}), description="of kind recorded")

    @model_validator(mode="after")
    def _check_kind(self) -> "SystemConfig":
        if self.kind not in KINDS and ":" not in self.kind:
            raise ValueError(f'no system {self.kind!r}; have {", ".join(KINDS)}, or write "module:function"')
        if self.kind == "http" and not self.http.url:
            raise ValueError('kind = "http" needs its address, as http.url = "${MY_RAG_URL}/ask"')
        if self.kind == "recorded" and not self.recorded.file:
            raise ValueError('kind = "recorded" needs its file, as recorded.file = "answers.jsonl"')
        if self.kind == "extractive" and self.prompted:
            raise ValueError("extractive reads no prompt: leave prompted out")
        # defaults that follow from the kind are filled in, so that rows and recipes show them
        if self.kind in BUILT_IN:
            self._fill(takes=self.takes or GIVEN, retriever=self.retriever or "hybrid", prompted=self.kind == "rag")
        elif not self.takes:
            own = {"http": self.http.takes, "recorded": GIVEN}
            self._fill(takes=own[self.kind] if self.kind in own else read_takes(self.kind))
        return self

    def _fill(self, **values: object) -> None:
        for name, value in values.items():
            object.__setattr__(self, name, value)

    def __hash__(self) -> int:
        return hash(json.dumps(self.model_dump(mode="json"), sort_keys=True))

    @property
    def retrieves(self) -> bool:
        """Return whether the system retrieves by itself when it is asked without passages."""
        return "own" in self.takes and not self.retriever

    @property
    def follows(self) -> bool:
        """Return whether its own index, and so its answers, follow the benchmark's documents."""
        return self.retrieves and self.index == "follows"

    @property
    def llm(self) -> LLMConfig | None:
        """Return the model that it asks through the inference core, None for none."""
        return self.rag.llm if self.kind == "rag" else None

    @property
    def pinned(self) -> bool:
        """Return whether `identity` determines its answers, so that stored ones can be used by later evaluations.

        An endpoint or a function may change while the config stays the same, unless `version` says which one it is.
        """
        return self.kind in DETERMINED or bool(self.version)

    def identity(self) -> dict[str, Any]:
        """Return what determines its answers, without its address; ValueError where a function cannot be imported."""
        identity: dict[str, Any] = {"kind": self.kind, "version": self.version} if self.version else {"kind": self.kind}
        own: dict[str, Any] = (
            getattr(self, self.kind).identity() if self.kind in KINDS else identify_function(self.kind)
        )
        return identity | own

    def connect(self, cache: Path, *, threads: int, means: InferenceContext) -> "System":
        """Return the system; faults.Unavailable, saying what to do, where it is not available here.

        The folder `cache` holds its caches and the answers of http and module:function systems. For a system that is
        not `pinned` it must be a folder of this evaluation alone.
        """
        if self.kind == "extractive":
            from rarefy.tasks.evaluate.systems.extractive import extractive

            return extractive(self.extractive, cache, threads=threads, means=means)
        if self.kind == "rag":
            return self.rag.connect(cache, threads=threads, means=means)
        if self.kind == "http":
            from rarefy.tasks.evaluate.systems.http import http

            return http(self.http, self.identity(), cache, means=means)
        if self.kind == "recorded":
            from rarefy.tasks.evaluate.systems.recorded import recorded

            return recorded(self.recorded)
        from rarefy.tasks.evaluate.systems.callable_system import connect_function

        return connect_function(self.kind, self.identity(), cache, threads=threads, means=means)
