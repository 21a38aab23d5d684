"""Any OpenAI-compatible endpoint through the openai SDK: one try of one request, each fault by its code."""

import asyncio
import json
import logging
import os
import re
from collections.abc import Iterator, Mapping
from typing import Any

from rarefy.data_contracts.rows import Reply, Request, Token
from rarefy.tasks.models.llm.account import account, refusal, said
from rarefy.tasks.models.llm.bounded import bounded_in_size
from rarefy.tasks.models.llm.config import InferenceContext, LLMConfig
from rarefy.tasks.models.llm.faults import Failed, Unavailable
from rarefy.tasks.models.llm.secrets import address, forms, hush, own_key, redacted
from rarefy.tasks.models.llm.structured import strict
from rarefy.tasks.models.llm.usable import encodable, judged

LOG = logging.getLogger("rarefy.llm")
MOST = 1_000_000_000  # tokens of one call: what a server says beyond is nonsense

_TOO_LONG = ("context_length", "maximum context", "context window", "too many tokens", "prompt is too long", "too long")
_NO_SCHEMA = ("response_format", "json_schema", "structured", "guided", "grammar")
_KEY = 16  # characters of the shortest key that is one


class Endpoint:
    """A chat endpoint. It never retries: that is the engine's, which counts."""

    def __init__(self, config: LLMConfig, means: InferenceContext) -> None:
        import httpx2  # late, with the SDK: half a second that an offline build need not spend

        self.config = config
        limits = httpx2.Limits(max_connections=means.serving.concurrency, max_keepalive_connections=None)
        timeout = httpx2.Timeout(means.serving.try_deadline, connect=min(15.0, means.serving.try_deadline))
        self._client = _client(config, timeout, limits)
        self.name = f"{address(str(self._client.base_url))} {config.model}"
        self._raw = httpx2.Response
        # a gateway may echo the headers it got, and what it answers is stored; a short key is a placeholder, and a word
        own = forms(self._client.api_key) if len(self._client.api_key) >= _KEY else ("\0",)
        self._own = re.compile(b"|".join(re.escape(form.encode()) for form in own))
        self._ever = False  # it answered a request
        self._without: set[str] = set()  # fields that this endpoint said it does not take

    async def __call__(self, request: Request, seconds: float) -> Reply:
        """The reply to one try, within so many seconds; Failed or Unavailable where there is none."""
        import openai

        fault: Exception
        body = self._body(request)
        try:
            async with asyncio.timeout(seconds):
                # not chat.completions.create: looking at each field of a body and of a reply takes half of the time
                raw = await self._client.post("/chat/completions", body=body, cast_to=self._raw)
            reply = reply_of(request, self._own.sub(b"[key]", raw.content), self.config.model)
            self._ever = True
            return reply
        except (TimeoutError, openai.APITimeoutError) as error:
            broken = _broken(error)  # aiohttp's lost connections come as timeouts too
            late = Failed("timeout", f"no answer within {seconds:.0f} s", again=True)
            fault = Failed("connection", f"{self.name}: {broken}", again=True) if broken else late
        except openai.APIStatusError as error:
            fault = self._fault(body, error)
        except openai.APIConnectionError as error:
            cause = error.__cause__ or error
            told = redacted(f"{type(cause).__name__}: {cause}")
            fault = Failed("connection", f"{self.name}: {told}", again=True)
        except openai.OpenAIError as error:
            fault = Failed("server_error", redacted(str(error)), again=True)
        raise fault  # out here: inside, the SDK's error, which holds the request with its key, would hang on it

    async def models(self) -> list[str]:
        """The names of the models that the server lists; openai.OpenAIError or ValueError where it lists none."""
        return sorted([one.id async for one in self._client.models.list()])

    async def close(self) -> None:
        """Close its connections."""
        await self._client.close()

    def _body(self, request: Request) -> dict[str, Any]:
        body = body_of(request, self.config, structured=self.config.structured != "none")
        if "max_tokens" in self._without and "max_tokens" in body:
            body["max_completion_tokens"] = body.pop("max_tokens")  # newer models of OpenAI want this, and say so
        return {name: value for name, value in body.items() if name not in self._without}

    def _dropped(self, body: Mapping[str, Any], text: str) -> Iterator[str]:
        """The fields of a body that an endpoint says it does not take, and that can be left out or said another way.

        What this try's body held counts: others in flight may have been sent with it too.
        """
        if "max_tokens" in body and "max_completion_tokens" in text:
            yield "max_tokens"
        if "response_format" in body and self.config.structured == "auto" and _any(_NO_SCHEMA, text):
            yield "response_format"  # only the prompt asks from here on; every reply is checked all the same
        if "temperature" in body and "temperature" in text and _any(("unsupported", "not support", "only"), text):
            yield "temperature"

    def _fault(self, body: Mapping[str, Any], error: Any) -> Failed | Unavailable:
        status, told = error.status_code, redacted(said(error))
        text = f"{error.code or ''} {told}".lower()
        if status == 403 and (self._ever or _any(("moderation", "flagged"), text)):
            return Failed("filtered", told)  # it is this prompt that it does not like
        if known := refusal(error, self.name, self.config.endpoint, "model"):
            return known
        if status == 413 or _any(_TOO_LONG, text):
            return Failed("too_long", told)
        if _any(("content_filter", "content policy", "content_policy"), text):
            return Failed("filtered", told)
        if told_of := next((name for name in self._dropped(body, text)), ""):
            if told_of not in self._without:  # others in flight are told so too
                self._without.add(told_of)
                LOG.warning("%s does not take %s: asked without it from here on (%s)", self.name, told_of, told)
            return Failed("rejected", told, again=True, free=True)
        return Failed("rejected", f"{status}: {told}")


def body_of(request: Request, config: LLMConfig, structured: bool) -> dict[str, Any]:
    """The fields of a chat completion, as the OpenAI API names them."""
    body: dict[str, Any] = {
        "model": config.model,
        "messages": [{"role": message.role, "content": encodable(message.content)} for message in request.messages],
        "temperature": request.temperature,
        "max_tokens": request.max_tokens,
    }
    if request.seed is not None:
        body["seed"] = request.seed
    if request.logprobs is not None:
        body |= {"logprobs": True, "top_logprobs": request.logprobs}
    if request.schema and structured:
        body["response_format"] = strict(request.schema)
    if "max_completion_tokens" in config.extra:
        del body["max_tokens"]
    return body | config.extra


def reply_of(request: Request, content: bytes, model: str) -> Reply:
    """The reply in the body of an answer; Failed where that is no reply."""
    try:
        told = json.loads(content)
        choice = told["choices"][0]
        message = choice["message"]
        text, refusal = message.get("content") or "", message.get("refusal") or ""
        if isinstance(text, list):  # in parts, as some gateways give it
            text = "".join(part["text"] for part in text if part.get("type") == "text")
        if not isinstance(text, str):
            raise TypeError("content is no text")
        usage = told.get("usage") or {}
        cached = (usage.get("prompt_tokens_details") or {}).get("cached_tokens") or 0
        reply = Reply(
            request_id=request.request_id,
            text=text or str(refusal),
            finish_reason=str(choice.get("finish_reason") or ""),
            prompt_tokens=_count(usage.get("prompt_tokens")),
            completion_tokens=_count(usage.get("completion_tokens")),
            cached_tokens=min(_count(cached), _count(usage.get("prompt_tokens"))),
            logprobs=_tokens(choice.get("logprobs")),
            model=str(told.get("model") or model),
        )
    except (ValueError, LookupError, TypeError, AttributeError, ArithmeticError, RecursionError) as error:
        start = redacted(content[:200].decode("utf-8", "replace"))
        raise Failed("server_error", f"the answer is no reply ({type(error).__name__}): {start}", again=True) from None
    return judged(reply, str(refusal))


def _count(told: Any) -> int:
    """A number of tokens that can be one."""
    return min(max(int(told or 0), 0), MOST)


def _tokens(told: Any) -> tuple[Token, ...]:
    return tuple(
        Token(
            encodable(one["token"]),
            float(one["logprob"]),
            tuple(encodable(other["token"]) for other in one.get("top_logprobs") or ()),
            tuple(float(other["logprob"]) for other in one.get("top_logprobs") or ()),
        )
        for one in (told or {}).get("content") or ()
    )


def _broken(error: BaseException | None) -> str:
    """What broke a connection, from the causes of an error; "" where it was time alone."""
    from aiohttp import ClientConnectionError, ServerTimeoutError

    while error is not None:
        if isinstance(error, ClientConnectionError) and not isinstance(error, ServerTimeoutError):
            return redacted(f"{type(error).__name__}: {error}")
        error = error.__cause__ or error.__context__
    return ""


def _any(words: tuple[str, ...], text: str) -> bool:
    return any(word in text for word in words)


def _client(config: LLMConfig, timeout: Any, limits: Any) -> Any:
    """The SDK's client, with address and key from the environment."""
    import openai

    more = {
        "max_retries": 0,
        "timeout": timeout,
        "http_client": openai.DefaultAioHttpClient(
            timeout=timeout, limits=limits, event_hooks={"response": [bounded_in_size()]}
        ),
    }
    if config.provider != "azure":
        return openai.AsyncOpenAI(**account(config.endpoint, "use another provider in the config").settings(), **more)
    hush()
    prefix = config.endpoint if config.endpoint != "OPENAI" else "AZURE_OPENAI"
    azure, key = os.environ.get(f"{prefix}_ENDPOINT", ""), own_key(f"{prefix}_API_KEY")
    if not azure or not key:
        raise Unavailable("provider azure needs AZURE_OPENAI_ENDPOINT, AZURE_OPENAI_API_KEY, OPENAI_API_VERSION")
    version = os.environ.get("OPENAI_API_VERSION", "2025-03-01-preview")
    return openai.AsyncAzureOpenAI(azure_endpoint=azure, api_key=key, api_version=version, **more)
