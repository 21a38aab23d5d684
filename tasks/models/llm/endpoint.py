"""OpenAI-compatible endpoints: their address and key, what their refusals mean, and one try of one chat request."""

import asyncio
import json
import logging
import math
import os
import re
import time
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any
from urllib.parse import parse_qsl

from rarefy.data_contracts.rows import Reply, Request, Token
from rarefy.tasks.models.llm.config import InferenceContext, LLMConfig
from rarefy.tasks.models.llm.faults import Failed, Unavailable, mark_unusable, replace_surrogates
from rarefy.tasks.models.llm.secrets import hush, redacted, secret_forms, strip_address
from rarefy.tasks.models.llm.structured import response_format

# Accounts and refusals

OPENAI = "https://api.openai.com/v1"
_NO_KEY = "none"  # what a server without keys is sent: the SDK wants something


@dataclass(frozen=True, slots=True)
class Account:
    """Where an endpoint is, and with which key it is asked."""

    prefix: str  # of its environment variables
    key: str = field(repr=False)
    url: str = field(repr=False)  # a gateway may want its key there

    def settings(self) -> dict[str, Any]:
        """What the SDK's clients take of it; a gateway's query apart: the SDK would glue the path behind it."""
        base, _, query = self.url.partition("?")
        return {"api_key": self.key or _NO_KEY, "base_url": base, "default_query": dict(parse_qsl(query))}


def load_account(prefix: str, otherwise: str) -> Account:
    """The endpoint of this prefix; Unavailable, with what to do `otherwise`, where neither key nor address is set."""
    hush()
    key, url = read_key(f"{prefix}_API_KEY"), os.environ.get(f"{prefix}_BASE_URL")
    if not url and not key:
        raise Unavailable(
            f"no endpoint: set {prefix}_API_KEY (and {prefix}_BASE_URL where it is not OpenAI's own API), or "
            f"{otherwise}"
        )
    return Account(prefix, key, url or OPENAI)


def read_key(variable: str) -> str:
    """The key in this environment variable, "" where there is none; Unavailable where no header could carry it."""
    key = os.environ.get(variable, "").strip()
    if not (key.isascii() and key.isprintable()):
        raise Unavailable(f"{variable} holds a character that no key has, as a typographic quote; copy the key again")
    return key


def classify_status(error: Any, name: str, prefix: str, key: str) -> Failed | Unavailable | None:
    """What a status means, whatever was asked; None for one that depends on the request.

    `error` is the SDK's APIStatusError, `name` the endpoint and model as a person knows them, `key` the config's key
    that names the model.
    """
    status, message = error.status_code, redacted(error_message(error))
    text = f"{error.code or ''} {message}".lower()
    wait = retry_after(error.response.headers)
    if status == 429 and "insufficient_quota" in text:
        return Unavailable(f"{name}: no quota left ({message}); look at the account's billing")
    if status == 429:
        return Failed("rate_limited", message, again=True, slow_down=True, retry_after=wait)
    if status >= 500:
        busy = status in {502, 503, 529}
        return Failed("server_error", f"{status}: {message}", again=True, slow_down=busy, retry_after=wait)
    if status in {408, 409, 425}:
        return Failed("server_error", f"{status}: {message}", again=True, retry_after=wait)
    if status == 402:
        return Unavailable(f"{name}: it wants to be paid first ({message}); look at the account's billing")
    if status in {401, 403} or (status == 400 and "api key" in text):
        return Unavailable(f"{name}: the key is not accepted ({status}: {message}); set {prefix}_API_KEY")
    if status == 404:
        return Unavailable(
            f"{name}: no such model or address ({message}); check {key} and {prefix}_BASE_URL, which usually ends in "
            "/v1; `rarefy doctor` lists the models"
        )
    return None


def error_message(error: Any) -> str:
    """What a server says of a fault, in one line, whatever shape it has."""
    body = error.body
    if isinstance(body, dict):
        inner = body.get("error", body)
        return " ".join(str(inner.get("message", inner) if isinstance(inner, dict) else inner).split())
    return " ".join(str(body if body else error.message).split())


def retry_after(headers: Mapping[str, str]) -> float | None:
    """The seconds a server asks to wait, in any of the three ways servers say it; None where it does not."""
    try:
        if "retry-after-ms" in headers:
            seconds = float(headers["retry-after-ms"]) / 1000
        elif (value := headers.get("retry-after")) is None:
            return None
        elif re.fullmatch(r"\s*\d+(?:\.\d+)?\s*", value):
            seconds = float(value)
        else:
            seconds = (parsedate_to_datetime(value) - datetime.now(UTC)).total_seconds()
    except (ValueError, TypeError, OverflowError):
        return None
    return max(seconds, 0.0) if math.isfinite(seconds) else None


# Bounds on replies that never end: a client's own timeouts are for the time between two pieces, so that whoever sends
# a byte a second is read for ever

LARGEST = 1 << 28  # bytes on the wire: the largest reply known to be wanted, of 1,000 long vectors, has 61 million


def limit_response(seconds: float, largest: int = LARGEST) -> Callable[[Any], None]:
    """A hook for the responses of an httpx2 client: their bodies end, by ReadTimeout or ReadError where they do not."""
    import httpx2  # late, with the SDK

    class Body(httpx2.SyncByteStream):
        def __init__(self, stream: Any) -> None:
            self.stream, self.bound = stream, _Bound(seconds, largest)

        def __iter__(self) -> Iterator[bytes]:
            for piece in self.stream:
                self.bound.take(piece)
                yield piece

        def close(self) -> None:
            self.stream.close()

    def hook(response: Any) -> None:
        response.stream = Body(response.stream)

    return hook


def limit_response_size(largest: int = LARGEST) -> Callable[[Any], Coroutine[Any, Any, None]]:
    """The same for an asynchronous client, whose caller ends it by time."""
    import httpx2

    class Body(httpx2.AsyncByteStream):
        def __init__(self, stream: Any) -> None:
            self.stream, self.bound = stream, _Bound(float("inf"), largest)

        async def __aiter__(self) -> AsyncIterator[bytes]:
            async for piece in self.stream:
                self.bound.take(piece)
                yield piece

        async def aclose(self) -> None:
            await self.stream.aclose()

    async def hook(response: Any) -> None:
        response.stream = Body(response.stream)

    return hook


class _Bound:
    """How much of a body there may still be, and until when."""

    def __init__(self, seconds: float, largest: int) -> None:
        self.seconds, self.largest, self.came = seconds, largest, 0
        self.end = time.monotonic() + seconds

    def take(self, piece: bytes) -> None:
        """Count a piece; the exception of a client where it is one too many."""
        import httpx2

        self.came += len(piece)
        if self.came > self.largest:
            raise httpx2.ReadError(f"more than {self.largest:,} bytes")
        if time.monotonic() > self.end:
            raise httpx2.ReadTimeout(f"no whole reply within {self.seconds:g} s")


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
        self.name = f"{strip_address(str(self._client.base_url))} {config.model}"
        self._raw = httpx2.Response
        # a gateway may echo the headers it got, and what it answers is stored; a short key is a placeholder, and a word
        own = secret_forms(self._client.api_key) if len(self._client.api_key) >= _KEY else ("\0",)
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
            reason = redacted(f"{type(cause).__name__}: {cause}")
            fault = Failed("connection", f"{self.name}: {reason}", again=True)
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
        status, message = error.status_code, redacted(error_message(error))
        text = f"{error.code or ''} {message}".lower()
        if status == 403 and (self._ever or _any(("moderation", "flagged"), text)):
            return Failed("filtered", message)  # it is this prompt that it does not like
        if known := classify_status(error, self.name, self.config.endpoint, "model"):
            return known
        if status == 413 or _any(_TOO_LONG, text):
            return Failed("too_long", message)
        if _any(("content_filter", "content policy", "content_policy"), text):
            return Failed("filtered", message)
        if dropped := next((name for name in self._dropped(body, text)), ""):
            if dropped not in self._without:  # others in flight are told so too
                self._without.add(dropped)
                LOG.warning("%s does not take %s: asked without it from here on (%s)", self.name, dropped, message)
            return Failed("rejected", message, again=True, free=True)
        return Failed("rejected", f"{status}: {message}")


def body_of(request: Request, config: LLMConfig, structured: bool) -> dict[str, Any]:
    """The fields of a chat completion, as the OpenAI API names them."""
    body: dict[str, Any] = {
        "model": config.model,
        "messages": [
            {"role": message.role, "content": replace_surrogates(message.content)} for message in request.messages
        ],
        "temperature": request.temperature,
        "max_tokens": request.max_tokens,
    }
    if request.seed is not None:
        body["seed"] = request.seed
    if request.logprobs is not None:
        body |= {"logprobs": True, "top_logprobs": request.logprobs}
    if request.schema and structured:
        body["response_format"] = response_format(request.schema)
    if "max_completion_tokens" in config.extra:
        del body["max_tokens"]
    return body | config.extra


def reply_of(request: Request, content: bytes, model: str) -> Reply:
    """The reply in the body of an answer; Failed where that is no reply."""
    try:
        answer = json.loads(content)
        choice = answer["choices"][0]
        message = choice["message"]
        text, refusal = message.get("content") or "", message.get("refusal") or ""
        if isinstance(text, list):  # in parts, as some gateways give it
            text = "".join(part["text"] for part in text if part.get("type") == "text")
        if not isinstance(text, str):
            raise TypeError("content is no text")
        usage = answer.get("usage") or {}
        cached = (usage.get("prompt_tokens_details") or {}).get("cached_tokens") or 0
        reply = Reply(
            request_id=request.request_id,
            text=text or str(refusal),
            finish_reason=str(choice.get("finish_reason") or ""),
            prompt_tokens=_count(usage.get("prompt_tokens")),
            completion_tokens=_count(usage.get("completion_tokens")),
            cached_tokens=min(_count(cached), _count(usage.get("prompt_tokens"))),
            logprobs=_tokens(choice.get("logprobs")),
            model=str(answer.get("model") or model),
        )
    except (ValueError, LookupError, TypeError, AttributeError, ArithmeticError, RecursionError) as error:
        start = redacted(content[:200].decode("utf-8", "replace"))
        raise Failed("server_error", f"the answer is no reply ({type(error).__name__}): {start}", again=True) from None
    return mark_unusable(reply, str(refusal))


def _count(value: Any) -> int:
    """A number of tokens that can be one."""
    return min(max(int(value or 0), 0), MOST)


def _tokens(logprobs: Any) -> tuple[Token, ...]:
    return tuple(
        Token(
            replace_surrogates(token["token"]),
            float(token["logprob"]),
            tuple(replace_surrogates(other["token"]) for other in token.get("top_logprobs") or ()),
            tuple(float(other["logprob"]) for other in token.get("top_logprobs") or ()),
        )
        for token in (logprobs or {}).get("content") or ()
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
            timeout=timeout, limits=limits, event_hooks={"response": [limit_response_size()]}
        ),
    }
    if config.provider != "azure":
        account = load_account(config.endpoint, "use another provider in the config")
        return openai.AsyncOpenAI(**account.settings(), **more)
    hush()
    prefix = config.endpoint if config.endpoint != "OPENAI" else "AZURE_OPENAI"
    azure, key = os.environ.get(f"{prefix}_ENDPOINT", ""), read_key(f"{prefix}_API_KEY")
    if not azure or not key:
        raise Unavailable("provider azure needs AZURE_OPENAI_ENDPOINT, AZURE_OPENAI_API_KEY, OPENAI_API_VERSION")
    version = os.environ.get("OPENAI_API_VERSION", "2025-03-01-preview")
    return openai.AsyncAzureOpenAI(azure_endpoint=azure, api_key=key, api_version=version, **more)
