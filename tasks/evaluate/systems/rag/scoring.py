"""The log-probabilities that a server gives to the end of a prompt: vLLM's prompt_logprobs, and echo (SURE eq. 1)."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rarefy.data_contracts.rows import Reply, Request, Token
from rarefy.tasks.evaluate.systems.rag.logprobs import NO_LOGPROBS, NOT_AVAILABLE
from rarefy.tasks.models.llm import LLM, InferenceContext, LLMConfig
from rarefy.tasks.models.llm.account import said
from rarefy.tasks.models.llm.endpoint import Endpoint
from rarefy.tasks.models.llm.engine import Engine
from rarefy.tasks.models.llm.faults import Failed, Unavailable
from rarefy.tasks.models.llm.open_reply_store import open_reply_store
from rarefy.tasks.models.llm.secrets import redacted
from rarefy.tasks.models.llm.usable import encodable

LEAST = -9999.0  # for minus infinity, as vLLM writes it
_WORDS = ("logprob", "echo", "continue_final_message", "add_generation_prompt", "extra inputs", "extra fields")


def connected(config: LLMConfig, by: str, cache: Path, means: InferenceContext) -> LLM:
    """A model whose reply to a request is the log-probabilities of its last message's tokens."""
    # the mark keeps these replies apart from what the model itself says to the same messages
    marked = config.model_copy(update={"extra": {**config.extra, "rarefy_scores": by}})
    engine = Engine(marked, means, Scorer(config, means, by), open_reply_store(means.books, cache))
    return lambda requests: engine.ask(requests, means)


class Scorer(Endpoint):
    """A provider that answers with a prompt's log-probabilities, one try at a time; vLLM batches what is in flight."""

    def __init__(self, config: LLMConfig, means: InferenceContext, by: str) -> None:
        super().__init__(config, means)
        self.by = by

    async def __call__(self, request: Request, seconds: float) -> Reply:
        """The last message's tokens with their log-probabilities, and its text; Failed("no_logprobs") without them."""
        import asyncio

        import openai

        *prompt, last = request.messages
        plain = self.by == "completions" or not prompt
        text = encodable(last.content)
        begins = encodable("\n".join(message.content for message in prompt)) + (" " if prompt else "")
        body: dict[str, Any] = {"model": self.config.model, "max_tokens": 1, "temperature": 0.0}
        if plain:
            body |= {"prompt": begins + text, "echo": True, "logprobs": 1}
        else:
            turns = [{"role": one.role, "content": encodable(one.content)} for one in request.messages]
            body |= {"messages": turns, "prompt_logprobs": 0, "add_generation_prompt": False}
            body |= {"continue_final_message": True}
        fault: Exception
        try:
            async with asyncio.timeout(seconds):
                path = "/completions" if plain else "/chat/completions"
                raw = await self._client.post(path, body=body | self.config.extra, cast_to=self._raw)
            content = self._own.sub(b"[key]", raw.content)
            told, tokens = _echoed(content, text) if plain else _prompted(content, text)
            self._ever = True
            usage = told.get("usage") or {}
            return Reply(
                request.request_id,
                text=text,
                finish_reason="stop",
                prompt_tokens=int(usage.get("prompt_tokens") or 0),
                completion_tokens=int(usage.get("completion_tokens") or 0),
                logprobs=tokens,
                model=str(told.get("model") or self.config.model),
            )
        except (TimeoutError, openai.APITimeoutError):
            fault = Failed("timeout", f"no answer within {seconds:.0f} s", again=True)
        except openai.APIStatusError as error:
            fault = self._unable(error, body)
        except openai.OpenAIError as error:
            fault = Failed("connection", f"{self.name}: {redacted(str(error.__cause__ or error))}", again=True)
        raise fault  # out here: inside, the SDK's error, which holds the request with its key, would hang on it

    def _unable(self, error: Any, body: dict[str, Any]) -> Failed | Unavailable:
        told = redacted(said(error))
        unknown = error.status_code in (400, 422) and any(word in told.lower() for word in _WORDS)
        missing = error.status_code in (404, 405, 501) and "model" not in told.lower()
        if unknown or missing:
            return Failed(NO_LOGPROBS, f"{NOT_AVAILABLE} ({error.status_code}: {told})")
        return self._fault(body, error)


def _read(content: bytes) -> dict[str, Any]:
    try:
        told = json.loads(content)
        told["choices"][0]
    except (ValueError, LookupError, TypeError) as error:
        start = redacted(content[:200].decode("utf-8", "replace"))
        raise Failed("server_error", f"the answer is no reply ({type(error).__name__}): {start}", again=True) from None
    return dict(told)


def _prompted(content: bytes, text: str) -> tuple[dict[str, Any], tuple[Token, ...]]:
    """The prompt's last tokens that make up the text, as vLLM tells them."""
    told = _read(content)
    places = told.get("prompt_logprobs") or told["choices"][0].get("prompt_logprobs")
    if not places:
        raise Failed(NO_LOGPROBS, NOT_AVAILABLE)
    # of several at a place the first is the prompt's own
    tokens = [_token(next(iter(place.values()))) for place in places if place]
    return told, _ending(tokens, text)


def _token(told: Any) -> Token:
    return Token(encodable(str(told.get("decoded_token") or "")), max(float(told["logprob"]), LEAST))


def _ending(tokens: Sequence[Token], text: str) -> tuple[Token, ...]:
    """The fewest tokens at the end that hold the text; Failed("unaligned") where they do not end in it.

    Blanks do not count: some tokenizers give a word's token without the blank before it.
    """
    wanted, end = "".join(text.split()), ""
    for count in range(1, len(tokens) + 1):
        end = "".join(tokens[-count].text.split()) + end
        if len(end) >= len(wanted):
            if end == wanted:
                return tuple(tokens[-count:])
            break
    raise Failed("unaligned", f"the prompt's last tokens read {end[-80:]!r}, not {wanted[-80:]!r}")


def _echoed(content: bytes, text: str) -> tuple[dict[str, Any], tuple[Token, ...]]:
    """The last tokens of an echoed prompt that make up the text, without what the model says after it."""
    told = _read(content)
    echoed = told["choices"][0].get("logprobs") or {}
    words, numbers = (echoed.get(name) or [] for name in ("tokens", "token_logprobs"))
    made = int((told.get("usage") or {}).get("completion_tokens") or 1)
    if len(words) <= made or len(words) != len(numbers) or not any(numbers[:-made]):
        raise Failed(NO_LOGPROBS, NOT_AVAILABLE)  # what is told is of the reply alone
    tokens = [
        # nothing precedes the first token of a text, so that it has no probability
        Token(encodable(str(word)), 0.0 if number is None else max(float(number), LEAST))
        for word, number in zip(words[:-made], numbers[:-made], strict=True)
    ]
    return told, _ending(tokens, text)
