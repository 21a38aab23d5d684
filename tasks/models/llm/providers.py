"""Who answers: providers by name, or `module:function` for anybody's own."""

from collections.abc import Callable
from typing import Protocol

from rarefy.data_contracts.rows import Reply, Request
from rarefy.tasks.find import find
from rarefy.tasks.models.llm.batched import Batched
from rarefy.tasks.models.llm.config import InferenceContext, LLMConfig


class Provider(Protocol):
    """One try of one request at a time, any number of them together."""

    name: str  # endpoint and model, as limits are kept and faults are told

    async def __call__(self, request: Request, seconds: float) -> Reply:
        """The reply, within so many seconds; faults.Failed where this try got none, faults.Unavailable for all."""

    async def close(self) -> None:
        """Let go of what it holds."""


# where each is, so that none is imported but the one that is used
_BUILT_IN: dict[str, str] = {
    "openai": "rarefy.tasks.models.llm.endpoint:Endpoint",
    "azure": "rarefy.tasks.models.llm.endpoint:Endpoint",
    "recorded": "rarefy.tasks.models.llm.recorded:recorded",
}
_OF_MANY: dict[str, str] = {  # functions of many requests, made by these
    "vllm": "rarefy.tasks.models.llm.in_process:vllm",
    "batch": "rarefy.tasks.models.llm.batch_api:batch",
}
PROVIDERS = (*_BUILT_IN, *_OF_MANY)


def provider(config: LLMConfig, means: InferenceContext) -> Provider:
    """The provider of this config, connected; ValueError or Unavailable with the way out where it cannot be.

    A provider of one's own, "module:function", is a function of many requests: (Sequence[Request]) -> Iterable[Reply].
    """
    if config.provider in _BUILT_IN:
        make: Callable[[LLMConfig, InferenceContext], Provider] = find(_BUILT_IN[config.provider], {})
        return make(config, means)
    # one batch of the Batch API after the other may take a day each: as many requests in one as it takes
    size = max(means.serving.batch_size, 50_000) if config.provider == "batch" else means.serving.batch_size
    name = f"{config.provider} {config.model}".strip()
    if config.provider in _OF_MANY:
        patience = 5.0 if config.provider == "batch" else 0.2  # seconds: a batch of the Batch API may take hours
        return Batched(find(_OF_MANY[config.provider], {})(config, means), name, size, patience)
    if ":" not in config.provider:
        raise ValueError(f"no provider {config.provider!r}; have {', '.join(PROVIDERS)}, or write module:function")
    return Batched(find(config.provider, {}), name, size)
