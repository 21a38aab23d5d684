"""Which model answers (hashed into recipes), how it may be asked and what it costs (never hashed): architecture §4."""

import hashlib
import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from pathlib import Path
from typing import Any, Literal, Protocol

from pydantic import BaseModel, Field, model_validator

from rarefy.data_contracts.rows import Reply, Request
from rarefy.tasks.find import find
from rarefy.tasks.models.llm.faults import Unavailable
from rarefy.tasks.sample import RECORDED


class LLM(Protocol):
    """A model: one reply for each request, in the order of the requests, however they came in.

    Requests are taken as they are needed and replies given as soon as they are next, so that any number of them takes
    little memory. A request that fails is a reply with an `error`; raises `faults.Stopped` where no request can be
    answered any more.
    """

    def __call__(self, requests: Iterable[Request], /) -> Iterator[Reply]: ...


NANO = 1_000_000_000  # costs are whole numbers of a billionth of the currency: sums are exact


class LLMConfig(BaseModel, frozen=True, extra="forbid"):
    """Which model answers; its address and key come from the environment of whoever asks it."""

    provider: str = Field(
        "",
        description="openai (any OpenAI-compatible endpoint) | azure | vllm (in this process) | batch (OpenAI Batch "
        'API) | recorded (replies from a file) | "module:function"; "" for no model',
    )
    model: str = Field(
        "",
        description="the model's name at the provider; for vllm a name or folder; for recorded a file or folder, "
        "or sample/NAME for the packaged benchmark's",
    )
    endpoint: str = Field(
        "OPENAI",
        pattern=r"^[A-Z][A-Z0-9_]*$",
        description="prefix of the environment variables with its address and key: OPENAI_BASE_URL, OPENAI_API_KEY",
    )
    structured: Literal["auto", "json_schema", "none"] = Field(
        "auto",
        description="json_schema: the server is asked to keep to the schema; none: only the prompt asks, for servers "
        "that do not take it; auto: json_schema until the server rejects it. Every reply is checked all the same",
    )
    extra: dict[str, Any] = Field(
        {},
        description="more fields of each request, as the server names them: "
        "{ chat_template_kwargs = { enable_thinking = false } }; for vllm: of its engine",
    )

    @model_validator(mode="after")
    def _whole(self) -> "LLMConfig":
        if self.provider and ":" not in self.provider and not self.model:
            raise ValueError(f"provider {self.provider!r} needs a model")
        if self.model and not self.provider:
            raise ValueError(f'model {self.model!r} needs a provider, as provider = "openai"')
        return self

    def __hash__(self) -> int:
        return hash(json.dumps(self.model_dump(mode="json"), sort_keys=True))

    def connect(self, cache: Path, *, threads: int, means: "InferenceContext") -> LLM:
        """The model; faults.Unavailable with the way out where it cannot be had here.

        Replies are remembered in the folder `cache`, or in the database that `means` names.
        """
        try:  # by name: the engine needs a database and a network, and it needs this module
            connected = find("rarefy.tasks.models.llm.engine:connected", {})
            model: LLM = connected(self, replace(means, cache=str(cache), threads=threads))
            return model
        except ValueError as error:  # no such provider, package, file or database
            raise Unavailable(str(error)) from None

    @property
    def recordings(self) -> Path:
        """Where a recorded model's replies lie: a file, a folder, or `sample/NAME` of the packaged benchmark."""
        place, (first, *rest) = Path(self.model), Path(self.model).parts or ("",)
        return RECORDED.joinpath(*rest) if first == "sample" and not place.exists() else place

    def identity(self) -> dict[str, Any]:
        """What its answers depend on: not the address, nor whether it is asked one by one or in a batch."""
        if self.provider == "recorded":
            return {"recorded": _digest(self.recordings)}
        own = {"provider": self.provider} if ":" in self.provider else {}
        return {**own, "model": self.model, "structured": self.structured, "extra": self.extra}


def _digest(place: Path) -> str:
    """A digest of a file of recorded replies, or of all those of a folder."""
    hashed = hashlib.blake2b(digest_size=16)
    for file in sorted(place.glob("*.jsonl")) if place.is_dir() else [place]:
        hashed.update(file.read_bytes())
    return hashed.hexdigest()


class Price(BaseModel, frozen=True, extra="forbid"):
    """What a model costs, in `currency` per million tokens."""

    model: str = Field(description="as in [llm], or a prefix of it that ends in *")
    prompt: float = Field(ge=0, description="per million prompt tokens")
    completion: float = Field(ge=0, description="per million completion tokens")
    cached_prompt: float | None = Field(None, ge=0, description="per million prompt tokens from the provider's cache")
    batch: float = Field(0.5, ge=0, le=1, description="share of these prices that the Batch API charges")
    currency: str = Field("USD", description="ISO 4217")
    as_of: date = Field(description="when this price was looked up")
    source: str = Field(description="where it was looked up")


class RequestPolicy(BaseModel, frozen=True, extra="forbid"):
    """How models may be asked: nothing here changes what is made, so that none of it makes anything anew."""

    requests_per_minute: int = Field(0, ge=0, description="per endpoint and model, over all workers; 0: no limit")
    tokens_per_minute: int = Field(0, ge=0, description="per endpoint and model, over all workers; 0: no limit")
    concurrency: int = Field(64, ge=1, description="requests in flight per worker, at most; it adapts below that")
    retries: int = Field(6, ge=0, description="further tries after 429, 5xx, timeouts and cut connections; 0: none")
    call_deadline: float = Field(300, gt=0, description="seconds for one request, its retries included")
    try_deadline: float = Field(120, gt=0, description="seconds for one try")
    stage_deadline: float = Field(0, ge=0, description="seconds for all requests of a stage; 0: no end")
    watchdog: float = Field(30, gt=0, description="seconds without a reply after which the oldest request is named")
    failure_budget: float = Field(
        0.05, ge=0, le=1, description="share of a stage's requests that may fail before the stage is stopped"
    )
    batch_size: int = Field(2_000, ge=1, description="requests per batch, for vllm in process and the Batch API")
    engine: dict[str, Any] = Field(
        {},
        description="arguments of vLLM's engine in process that change no answer: { tensor_parallel_size = 2 }; those "
        "that do, as quantization, belong to [llm] extra",
    )
    prices: tuple[Price, ...] = Field((), description="what models cost, for the ledger, the estimate and --max-cost")

    def __hash__(self) -> int:
        return hash(json.dumps(self.model_dump(mode="json"), sort_keys=True))


@dataclass(frozen=True)
class InferenceContext:
    """Where and for which run models are asked; it travels to the workers beside the job and is never hashed."""

    stage: str = ""
    run: str = ""  # names the run in the ledger, and its budget
    # URL of replies and ledger: sqlite:///path or postgresql://..., "" for the cache folder's own; it may hold a
    # password, which the repr of a failed task's arguments would tell a log
    books: str = field(default="", repr=False)
    serving: RequestPolicy = field(default_factory=lambda: RequestPolicy.model_validate({}))
    max_calls: int = 0  # 0: no limit
    max_cost: float = 0.0  # in the prices' currency; 0: no limit
    threads: int = 1
    cache: str = ""  # folder for what a provider remembers, as batches under way; set when a model is connected


# Prices

PRICED_TOKENS = 1_000_000  # tokens that a price is for


def price_of(config: LLMConfig, prices: Sequence[Price]) -> Price | None:
    """The price of a model: its own, else that of the longest prefix that ends in *; None where none is known."""
    known = {price.model: price for price in prices}
    if config.model in known:
        return known[config.model]
    fitting = [p for p in prices if p.model.endswith("*") and config.model.startswith(p.model[:-1])]
    return max(fitting, key=lambda price: len(price.model), default=None)


def cost(price: Price | None, prompt: int, completion: int, cached: int = 0, *, batch: bool = False) -> int:
    """The cost of so many tokens, `cached` of the prompt's from the provider's cache; 0 where no price is known."""
    if price is None:
        return 0
    of_cached = price.prompt if price.cached_prompt is None else price.cached_prompt
    total = (prompt - cached) * price.prompt + cached * of_cached + completion * price.completion
    return round(total * (price.batch if batch else 1.0) * (NANO // PRICED_TOKENS))
