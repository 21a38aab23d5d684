"""How likely a model finds an answer, given a prompt: SURE's oracle of a document's use, eq. 1 (arXiv 2503.05587)."""

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, Field

from rarefy.data_contracts.rows import Message, Passage, Reply, Request
from rarefy.tasks.evaluate.systems.rag.logprobs import NO_LOGPROBS, NOT_AVAILABLE
from rarefy.tasks.evaluate.systems.rag.packs import PACKS, shown
from rarefy.tasks.find import find
from rarefy.tasks.models.llm import LLM, InferenceContext, LLMConfig, replies

Ask = tuple[str, tuple[Message, ...], str]  # name, prompt, what follows it
Put = tuple[str, str, Passage | None, Sequence[str]]  # name, question, document, answers


class LikelihoodConfig(BaseModel, frozen=True, extra="forbid"):
    """Which model's likelihoods, and how it is asked for them."""

    llm: LLMConfig = Field(
        default_factory=lambda: LLMConfig.model_validate({}),
        description="provider openai at a server that tells log-probabilities of a prompt, as vLLM's",
    )
    by: Literal["chat", "completions"] = Field(
        "chat",
        description="chat: the prompt in the model's chat template, its answer begun (vLLM's prompt_logprobs); "
        "completions: prompt and answer as plain text (echo with logprobs), for models without a template",
        json_schema_extra={"tag": "open", "source": "SURE eq. 1 does not say whether a chat template is used"},
    )
    most_tokens: int = Field(5, ge=2, description="an answer counts that has fewer tokens (SURE: < 5)")

    def identity(self) -> dict[str, Any]:
        """What its numbers hang on."""
        return {"llm": self.llm.identity(), "by": self.by, "most_tokens": self.most_tokens}

    def connect(self, cache: Path, *, threads: int = 1, means: InferenceContext | None = None) -> LLM:
        """What `likelihoods` asks: remembered, budgeted and retried like every model.

        faults.Unavailable where the environment names no endpoint; an endpoint that tells no log-probabilities answers
        every request with the error "no_logprobs".
        """
        if self.llm.provider != "openai":
            return _none
        connected = find("rarefy.tasks.evaluate.systems.rag.scoring:connected", {})  # by name: it needs a network
        model: LLM = connected(self.llm, self.by, cache, replace(means or InferenceContext(), threads=threads))
        return model


@dataclass(frozen=True, slots=True)
class Likelihood:
    """Σ log p(y_t | x, y_<t), natural logarithm; `logprob` is None where there is none, and `error` says why."""

    name: str
    logprob: float | None = None
    tokens: int = 0  # of what follows the prompt; of several answers, on average
    scored: int = 0  # of these, that have a probability: nothing precedes the first token of a bare text
    answers: int = 0  # that were averaged
    error: str = ""  # no_logprobs | no_short_answer | unaligned | a code of rarefy.tasks.models.llm.faults.REASONS
    detail: str = ""


def likelihoods(asks: Iterable[Ask], llm: LLM) -> Iterator[Likelihood]:
    """The likelihood of each continuation, in their order; of a bare text where its prompt is ().

    The first is asked alone: where the endpoint tells no log-probabilities, nothing further is asked.
    """
    source = iter(asks)
    first = next(source, None)
    if first is None:
        return
    found = next(_scored([first], llm))
    yield found
    if found.error == NO_LOGPROBS:
        for name, _, _ in source:
            yield replace(found, name=name)
        return
    yield from _scored(source, llm)


def oracle(puts: Iterable[Put], config: LikelihoodConfig, llm: LLM) -> Iterator[Likelihood]:
    """Oracle(x, y, θ) of each question with a document, or with none, over its answers of few tokens (SURE eq. 1).

    The prompt is SURE's (Figure 11). Sums of several answers are averaged; "no_short_answer" where none is short.
    """
    waiting: deque[tuple[str, int]] = deque()

    def asks() -> Iterator[Ask]:
        for name, question, passage, answers in puts:
            forms = list(dict.fromkeys(form.strip() for form in answers if form.strip()))
            waiting.append((name, len(forms)))
            role = PACKS["sure"].role("passages" if passage else "closed_book")
            prompt = shown(role, "general", question, [passage] if passage else [], "NO-RES", titles=True)
            yield from ((name, prompt, form) for form in forms)

    found: list[Likelihood] = []
    for one in chain(likelihoods(asks(), llm), [None]):
        if one is not None:
            found.append(one)
        while waiting and (one is None or len(found) >= waiting[0][1]):
            name, count = waiting.popleft()
            yield _averaged(name, found[:count], config.most_tokens)
            del found[:count]


def _averaged(name: str, found: Sequence[Likelihood], most: int) -> Likelihood:
    short = [one for one in found if one.logprob is not None and one.tokens < most]
    if not short:
        failed = next((one for one in found if one.error), None)
        if failed:
            return replace(failed, name=name)
        return Likelihood(name, error="no_short_answer", detail=f"no answer has fewer than {most} tokens")
    total = sum(one.logprob for one in short if one.logprob is not None)
    tokens, scored = (round(sum(getattr(one, part) for one in short) / len(short)) for part in ("tokens", "scored"))
    return Likelihood(name, total / len(short), tokens, scored, len(short))


def _scored(asks: Iterable[Ask], llm: LLM) -> Iterator[Likelihood]:
    names: dict[str, str] = {}
    bare: set[str] = set()
    numbers = iter(range(10**12))

    def requests() -> Iterator[Request]:
        for name, prompt, text in asks:
            request_id = f"likelihood-{next(numbers)}"
            names[request_id] = name
            if not prompt:
                bare.add(request_id)
            yield Request(request_id, (*prompt, Message("assistant", text)), max_tokens=1, logprobs=0)

    for reply in replies(llm, requests()):
        yield _read(names.pop(reply.request_id), reply, reply.request_id in bare)


def _read(name: str, reply: Reply, bare: bool) -> Likelihood:
    if reply.error:
        return Likelihood(name, error=reply.error, detail=reply.detail)
    # the provider writes 0.0 for a first token that nothing precedes
    unscored = int(bare and bool(reply.logprobs) and reply.logprobs[0].logprob == 0.0)
    tokens = len(reply.logprobs)
    return Likelihood(name, sum(token.logprob for token in reply.logprobs), tokens, tokens - unscored, 1)


def _none(requests: Iterable[Request], /) -> Iterator[Reply]:
    for request in requests:
        yield Reply(request.request_id, error=NO_LOGPROBS, detail=f"{NOT_AVAILABLE}; provider openai at vLLM does")
