"""The log-likelihood of an answer given a prompt: SURE's oracle of a document's use, eq. 1 (arXiv 2503.05587)."""

import json
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, Field

from rarefy.data_contracts.rows import Message, Passage, Reply, Request, Token
from rarefy.tasks.evaluate.systems.rag.conversation import PACKS, render_prompt
from rarefy.tasks.models.llm import LLM, InferenceContext, LLMConfig, replies
from rarefy.tasks.models.llm.endpoint import Endpoint, error_message
from rarefy.tasks.models.llm.faults import Failed, Unavailable, replace_surrogates
from rarefy.tasks.models.llm.secrets import redacted

NO_LOGPROBS = "no_logprobs"  # error of a reply from an endpoint without log-probabilities
NOT_AVAILABLE = "not available: this endpoint gives no logprobs"

Continuation = tuple[str, tuple[Message, ...], str]  # name, prompt, what follows it
OracleQuestion = tuple[str, str, Passage | None, Sequence[str]]  # name, question, document, answers


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
        """Return what determines its numbers."""
        return {"llm": self.llm.identity(), "by": self.by, "most_tokens": self.most_tokens}

    def connect(self, cache: Path, *, threads: int = 1, means: InferenceContext | None = None) -> LLM:
        """Return the model for `score_continuations`: cached, budgeted and retried like every model.

        faults.Unavailable where the environment names no endpoint; an endpoint without log-probabilities answers every
        request with the error "no_logprobs".
        """
        if self.llm.provider != "openai":
            return _answer_no_logprobs
        return connect_scorer(self.llm, self.by, cache, replace(means or InferenceContext(), threads=threads))


@dataclass(frozen=True, slots=True)
class Likelihood:
    """Σ log p(y_t | x, y_<t), natural logarithm; `logprob` is None where there is none, and `error` says why."""

    name: str
    logprob: float | None = None
    tokens: int = 0  # of the continuation; the mean over several answers
    scored: int = 0  # of these with a probability: the first token of a text without a prompt has none
    answers: int = 0  # over which the mean is taken
    error: str = ""  # no_logprobs | no_short_answer | unaligned | a code of rarefy.tasks.models.llm.faults.REASONS
    detail: str = ""


def score_continuations(asks: Iterable[Continuation], llm: LLM) -> Iterator[Likelihood]:
    """Yield the likelihood of each continuation of its prompt, which may be empty, in their order.

    The first is asked alone: where the endpoint gives no log-probabilities, no other is asked.
    """
    source = iter(asks)
    first = next(source, None)
    if first is None:
        return
    likelihood = next(_request_scores([first], llm))
    yield likelihood
    if likelihood.error == NO_LOGPROBS:
        yield from (replace(likelihood, name=name) for name, _, _ in source)
        return
    yield from _request_scores(source, llm)


def score_oracle(puts: Iterable[OracleQuestion], config: LikelihoodConfig, llm: LLM) -> Iterator[Likelihood]:
    """Yield Oracle(x, y, θ) of each question with its document, or closed book (SURE eq. 1, prompt of Figure 11).

    It is the mean over the question's answers of fewer than `most_tokens` tokens; "no_short_answer" where none is.
    """
    waiting: deque[tuple[str, int]] = deque()

    def asks() -> Iterator[Continuation]:
        for name, question, passage, answers in puts:
            forms = list(dict.fromkeys(form.strip() for form in answers if form.strip()))
            waiting.append((name, len(forms)))
            role = PACKS["sure"].role("passages" if passage else "closed_book")
            prompt = render_prompt(role, "general", question, [passage] if passage else [], "NO-RES", titles=True)
            yield from ((name, prompt, form) for form in forms)

    pending: list[Likelihood] = []
    for likelihood in chain(score_continuations(asks(), llm), [None]):
        if likelihood is not None:
            pending.append(likelihood)
        while waiting and (likelihood is None or len(pending) >= waiting[0][1]):
            name, count = waiting.popleft()
            yield _average_short(name, pending[:count], config.most_tokens)
            del pending[:count]


def _average_short(name: str, likelihoods: Sequence[Likelihood], most: int) -> Likelihood:
    short = [likelihood for likelihood in likelihoods if likelihood.logprob is not None and likelihood.tokens < most]
    if not short:
        failed = next((likelihood for likelihood in likelihoods if likelihood.error), None)
        if failed:
            return replace(failed, name=name)
        return Likelihood(name, error="no_short_answer", detail=f"no answer has fewer than {most} tokens")
    total = sum(likelihood.logprob for likelihood in short if likelihood.logprob is not None)
    tokens, scored = (
        round(sum(getattr(likelihood, part) for likelihood in short) / len(short)) for part in ("tokens", "scored")
    )
    return Likelihood(name, total / len(short), tokens, scored, len(short))


def _request_scores(asks: Iterable[Continuation], llm: LLM) -> Iterator[Likelihood]:
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
        yield _read_likelihood(names.pop(reply.request_id), reply, reply.request_id in bare)


def _read_likelihood(name: str, reply: Reply, bare: bool) -> Likelihood:
    if reply.error:
        return Likelihood(name, error=reply.error, detail=reply.detail)
    # the provider writes 0.0 for a first token that nothing precedes
    unscored = int(bare and bool(reply.logprobs) and reply.logprobs[0].logprob == 0.0)
    tokens = len(reply.logprobs)
    return Likelihood(name, sum(token.logprob for token in reply.logprobs), tokens, tokens - unscored, 1)


def _answer_no_logprobs(requests: Iterable[Request], /) -> Iterator[Reply]:
    for request in requests:
        yield Reply(request.request_id, error=NO_LOGPROBS, detail=f"{NOT_AVAILABLE}; provider openai at vLLM does")


# Log-probabilities of a prompt's end from a server: vLLM's prompt_logprobs, or completions with echo

MIN_LOGPROB = -9999.0  # for minus infinity, as vLLM writes it
# words by which an error message tells that the server does not know an option of ours
_UNSUPPORTED = ("logprob", "echo", "continue_final_message", "add_generation_prompt", "extra inputs", "extra fields")


def connect_scorer(config: LLMConfig, by: str, cache: Path, means: InferenceContext) -> LLM:
    """Return a model whose reply to a request is the log-probabilities of its last message's tokens."""
    from rarefy.tasks.models.llm.engine import Engine  # late: they are not needed for a config
    from rarefy.tasks.models.llm.reply_store import open_reply_store

    # the mark separates these replies in the cache from the model's own to the same messages
    marked = config.model_copy(update={"extra": {**config.extra, "rarefy_scores": by}})
    engine = Engine(marked, means, Scorer(config, means, by), open_reply_store(means.books, cache))
    return lambda requests: engine.ask(requests, means)


class Scorer(Endpoint):
    """A provider that answers with a prompt's log-probabilities, one try at a time; vLLM batches what is in flight."""

    def __init__(self, config: LLMConfig, means: InferenceContext, by: str) -> None:
        super().__init__(config, means)
        self.by = by

    async def __call__(self, request: Request, seconds: float) -> Reply:
        """Return the last message's text and its tokens' log-probabilities; Failed("no_logprobs") without them."""
        import asyncio

        import openai

        *prompt, last = request.messages
        plain = self.by == "completions" or not prompt
        text = replace_surrogates(last.content)
        begins = replace_surrogates("\n".join(message.content for message in prompt)) + (" " if prompt else "")
        body: dict[str, Any] = {"model": self.config.model, "max_tokens": 1, "temperature": 0.0}
        if plain:
            body |= {"prompt": begins + text, "echo": True, "logprobs": 1}
        else:
            turns = [{"role": one.role, "content": replace_surrogates(one.content)} for one in request.messages]
            body |= {"messages": turns, "prompt_logprobs": 0, "add_generation_prompt": False}
            body |= {"continue_final_message": True}
        fault: Exception
        try:
            async with asyncio.timeout(seconds):
                path = "/completions" if plain else "/chat/completions"
                raw = await self._client.post(path, body=body | self.config.extra, cast_to=self._raw)
            content = self._own.sub(b"[key]", raw.content)
            response, tokens = _echoed_tokens(content, text) if plain else _prompt_tokens(content, text)
            self._ever = True
            usage = response.get("usage") or {}
            return Reply(
                request.request_id,
                text=text,
                finish_reason="stop",
                prompt_tokens=int(usage.get("prompt_tokens") or 0),
                completion_tokens=int(usage.get("completion_tokens") or 0),
                logprobs=tokens,
                model=str(response.get("model") or self.config.model),
            )
        except (TimeoutError, openai.APITimeoutError):
            fault = Failed("timeout", f"no answer within {seconds:.0f} s", again=True)
        except openai.APIStatusError as error:
            fault = self._unable(error, body)
        except openai.OpenAIError as error:
            fault = Failed("connection", f"{self.name}: {redacted(str(error.__cause__ or error))}", again=True)
        raise fault  # out here: inside, the SDK's error, which holds the request with its key, would hang on it

    def _unable(self, error: Any, body: dict[str, Any]) -> Failed | Unavailable:
        message = redacted(error_message(error))
        unknown = error.status_code in (400, 422) and any(word in message.lower() for word in _UNSUPPORTED)
        missing = error.status_code in (404, 405, 501) and "model" not in message.lower()
        if unknown or missing:
            return Failed(NO_LOGPROBS, f"{NOT_AVAILABLE} ({error.status_code}: {message})")
        return self._fault(body, error)


def _parse_response(content: bytes) -> dict[str, Any]:
    try:
        response = json.loads(content)
        response["choices"][0]
    except (ValueError, LookupError, TypeError) as error:
        start = redacted(content[:200].decode("utf-8", "replace"))
        raise Failed("server_error", f"the answer is no reply ({type(error).__name__}): {start}", again=True) from None
    return dict(response)


def _prompt_tokens(content: bytes, text: str) -> tuple[dict[str, Any], tuple[Token, ...]]:
    """Return a vLLM response and the prompt's last tokens, which make up the text."""
    response = _parse_response(content)
    places = response.get("prompt_logprobs") or response["choices"][0].get("prompt_logprobs")
    if not places:
        raise Failed(NO_LOGPROBS, NOT_AVAILABLE)
    # of several at a place the first is the prompt's own
    tokens = [_parse_token(next(iter(place.values()))) for place in places if place]
    return response, _match_ending(tokens, text)


def _parse_token(token: Any) -> Token:
    return Token(replace_surrogates(str(token.get("decoded_token") or "")), max(float(token["logprob"]), MIN_LOGPROB))


def _match_ending(tokens: Sequence[Token], text: str) -> tuple[Token, ...]:
    """Return the fewest last tokens that make up the text; Failed("unaligned") where none do.

    White space is ignored: some tokenizers give a word's token without the blank before it.
    """
    wanted, end = "".join(text.split()), ""
    for count in range(1, len(tokens) + 1):
        end = "".join(tokens[-count].text.split()) + end
        if len(end) >= len(wanted):
            if end == wanted:
                return tuple(tokens[-count:])
            break
    raise Failed("unaligned", f"the prompt's last tokens read {end[-80:]!r}, not {wanted[-80:]!r}")


def _echoed_tokens(content: bytes, text: str) -> tuple[dict[str, Any], tuple[Token, ...]]:
    """Return a response and the echoed prompt's last tokens, which make up the text, without the model's own."""
    response = _parse_response(content)
    echoed = response["choices"][0].get("logprobs") or {}
    words, numbers = (echoed.get(name) or [] for name in ("tokens", "token_logprobs"))
    generated = int((response.get("usage") or {}).get("completion_tokens") or 1)
    if len(words) <= generated or len(words) != len(numbers) or not any(numbers[:-generated]):
        raise Failed(NO_LOGPROBS, NOT_AVAILABLE)  # they are of the reply alone
    tokens = [
        # nothing precedes the first token of a text, so that it has no probability
        Token(replace_surrogates(str(word)), 0.0 if number is None else max(float(number), MIN_LOGPROB))
        for word, number in zip(words[:-generated], numbers[:-generated], strict=True)
    ]
    return response, _match_ending(tokens, text)
