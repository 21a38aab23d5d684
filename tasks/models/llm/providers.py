"""Who answers: providers by name, or `module:function` for anybody's own function of many requests."""

import asyncio
import threading
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Future
from dataclasses import replace
from typing import Protocol

from rarefy.data_contracts.rows import Reply, Request
from rarefy.tasks.find import find
from rarefy.tasks.models.llm.config import InferenceContext, LLMConfig
from rarefy.tasks.models.llm.faults import Failed, copy_error, mark_unusable

# Functions of many requests as providers

AskMany = Callable[[Sequence[Request]], Iterable[Reply]]
GATHER = 0.02  # seconds in which a block comes in


class Batched:
    """A provider around a plain function of many requests, which has a thread of its own for each batch in turn."""

    def __init__(self, ask: AskMany, name: str, size: int, patience: float = 0.2) -> None:
        self.ask, self.name, self.size, self.patience = ask, name, size, patience
        self.more: Callable[[], bool] = lambda: False  # are more requests about to come in?
        self._waiting: list[tuple[Request, asyncio.Future[Reply]]] = []
        self._runner: asyncio.Task[None] | None = None

    async def __call__(self, request: Request, seconds: float) -> Reply:
        """The reply, from the batch that the request went in; a batch has no deadline but the stage's."""
        answer: asyncio.Future[Reply] = asyncio.get_running_loop().create_future()
        self._waiting.append((request, answer))
        if self._runner is None or self._runner.done():
            self._runner = asyncio.create_task(self._run())
        return await answer

    async def close(self) -> None:
        """Nothing is held between two batches."""

    async def _run(self) -> None:
        while self._waiting:
            before, still = 0, 0.0
            # a caller that is about to ask more is waited for, but not for ever: it may itself wait for one of these
            while len(self._waiting) < self.size and (before < len(self._waiting) or self.more()):
                still = 0.0 if before < len(self._waiting) else still + GATHER
                if still > self.patience:
                    break
                before = len(self._waiting)
                await asyncio.sleep(GATHER)
            batch, self._waiting = self._waiting[: self.size], self._waiting[self.size :]
            await self._answer(batch)

    async def _answer(self, batch: list[tuple[Request, asyncio.Future[Reply]]]) -> None:
        # ids of ours: two askers may use the same one for different requests
        requests = {f"{place}": request for place, (request, _) in enumerate(batch)}
        replies: dict[str, Reply] = {}
        error: Exception | None = None
        try:
            replies = await asyncio.wrap_future(self._beside(requests))
        except Exception as raised:  # a stop, or a bug of the model's code: every asker gets to see it
            error = raised
        for place, (_, answer) in enumerate(batch):
            if answer.done():
                continue
            if reply := replies.get(f"{place}"):
                answer.set_result(reply)
            else:
                lost = Failed("lost", f"{self.name} answered others of its batch")
                answer.set_exception(copy_error(error) if error else lost)

    def _beside(self, requests: dict[str, Request]) -> "Future[dict[str, Reply]]":
        """What the function answers, in a thread that holds up nobody's exit."""
        done: Future[dict[str, Reply]] = Future()

        def work() -> None:
            try:
                done.set_result(self._ask_many(requests))
            except Exception as error:
                done.set_exception(error)
            except BaseException as error:  # an exit that the model's code asks for would take our loop along
                done.set_exception(RuntimeError(f"{self.name}: {error!r}"))

        threading.Thread(target=work, name=f"rarefy-batch {self.name}", daemon=True).start()
        return done

    def _ask_many(self, requests: dict[str, Request]) -> dict[str, Reply]:
        renamed = [replace(request, request_id=name) for name, request in requests.items()]
        replies: dict[str, Reply] = {}
        for reply in self.ask(renamed):
            if reply.request_id in requests:
                # the first of several counts; a reply to no request of ours is nobody's
                own = replace(reply, request_id=requests[reply.request_id].request_id)
                replies.setdefault(reply.request_id, own if own.error else mark_unusable(own))
        return replies


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
