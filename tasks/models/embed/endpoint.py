"""Embeddings from any endpoint with the OpenAI API, many texts a request, each text paid for once."""

import hashlib
import json
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from rarefy.tasks.models.embed.families import Prompts
from rarefy.tasks.models.embed.vector_cache import VectorCache, Vectors
from rarefy.tasks.models.llm.config import NANO, InferenceContext, LLMConfig, cost, price_of
from rarefy.tasks.models.llm.endpoint import classify_status, error_message, limit_response, load_account
from rarefy.tasks.models.llm.faults import BudgetSpent, Failed, Unavailable
from rarefy.tasks.models.llm.reply_store import Call, open_reply_store
from rarefy.tasks.models.llm.secrets import redacted, strip_address
from rarefy.tasks.models.llm.sending import CHARACTERS_PER_TOKEN, seconds_before_retry

VERSION = 1

BATCH = 128  # texts a request: OpenAI takes 2,048, smaller servers a few hundred
CHARACTERS = 200_000  # a request: OpenAI takes 300,000 tokens
CONCURRENCY = 8  # requests at once, at most


class EndpointEmbedder:
    """A model at an endpoint that remembers; what was embedded before is never asked for again."""

    def __init__(
        self, model: str, endpoint: str, dimensions: int, prompts: Prompts, cache: Path | None, means: InferenceContext
    ) -> None:
        self.model, self.endpoint, self.dimensions, self.prompts = model, endpoint, dimensions, prompts
        self.embedded = 0  # texts that were sent
        self._policy = means.serving
        self._client = _connect(endpoint, means)
        self._name = f"{strip_address(str(self._client.base_url)).rstrip('/')} {model}"
        self._meter = Meter(model, self._name, cache, means)
        identity = json.dumps([VERSION, "openai", model, dimensions])
        self._identity = hashlib.blake2b(identity.encode(), digest_size=32).digest()
        self._cache = VectorCache(cache)

    def __call__(self, texts: Sequence[str], /, role: str = "") -> Vectors:
        prompt = self.prompts.of(role)
        return self._cache(self._identity, [prompt + text for text in texts], self._embed)

    def _embed(self, texts: list[str]) -> Iterator[tuple[list[str], Vectors]]:
        """The vectors, request by request; where one fails, those that came are given before the error is raised."""
        failure: Exception | None = None
        with ThreadPoolExecutor(min(CONCURRENCY, self._policy.concurrency)) as pool:
            requests: list[tuple[list[str], Future[Vectors]]] = [
                (batch, pool.submit(self._request, batch)) for batch in _batches(texts)
            ]
            for batch, future in requests:
                if failure and future.cancel():
                    continue
                try:
                    vectors = future.result()
                except Exception as error:  # raised below, once what others got is kept
                    failure = failure or error
                    continue
                self.embedded += len(batch)
                yield batch, vectors
        if failure:
            raise failure

    def _request(self, texts: list[str]) -> Vectors:
        """The vectors of one request, tried again as often as may be; Unavailable where there are none."""
        end, tries = time.monotonic() + self._policy.call_deadline, 0
        while True:
            tries += 1
            with self._meter.call(sum(map(len, texts))) as attempt:
                try:
                    return self._try_once(texts, attempt)
                except Failed as error:
                    fault, attempt.outcome = error, error.reason
                    wait = seconds_before_retry(fault, tries, texts[0])
                    attempt.final = not fault.again or tries > self._policy.retries or time.monotonic() + wait > end
            if attempt.final:
                raise Unavailable(
                    f"embeddings of {self._name}: {fault.detail} (tried {tries} times); what was embedded is kept, run "
                    "again to go on"
                )
            time.sleep(wait)

    def _try_once(self, texts: list[str], attempt: "Attempt") -> Vectors:
        """The vectors of one try; Failed where it got none, Unavailable where none will."""
        import httpx2
        import openai

        # an empty text is refused by OpenAI; a blank is the nearest thing that is not
        body: dict[str, Any] = {
            "model": self.model,
            "input": [text or " " for text in texts],
            "encoding_format": "float",
        }
        if self.dimensions:
            body["dimensions"] = self.dimensions
        fault: Exception
        try:
            raw = self._client.post("/embeddings", body=body, cast_to=httpx2.Response)
            return self._read(raw.content, len(texts), attempt)
        except openai.APITimeoutError:
            fault = Failed("timeout", f"no answer within {self._policy.try_deadline:g} s", again=True)
        except openai.APIStatusError as error:
            known = classify_status(error, f"embeddings of {self._name}", self.endpoint, "embed.model")
            fault = known or Failed("rejected", f"{error.status_code}: {redacted(error_message(error))}")
        except openai.APIConnectionError as error:
            cause = error.__cause__ or error
            fault = Failed("connection", redacted(f"{type(cause).__name__}: {cause}"), again=True)
        except openai.OpenAIError as error:
            fault = Failed("server_error", redacted(str(error)), again=True)
        raise fault  # out here: inside, the SDK's error, which holds the request with its key, would hang on it

    def _read(self, content: bytes, count: int, attempt: "Attempt") -> Vectors:
        """The unit vectors in an answer, matched by their index; Failed where that is no whole answer."""
        try:
            answer = json.loads(content)
            usage = answer.get("usage") or {}
            attempt.tokens = int(usage.get("prompt_tokens") or usage.get("total_tokens") or 0)
            by_index = {int(item["index"]): item["embedding"] for item in answer["data"]}
            if len(answer["data"]) != count or sorted(by_index) != list(range(count)):
                raise ValueError(f"{len(answer['data'])} embeddings for {count} texts")
            vectors = np.array([by_index[index] for index in range(count)], dtype=np.float64)
            lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
            if vectors.ndim != 2 or not vectors.shape[1] or not np.isfinite(vectors).all() or not lengths.all():
                raise ValueError("a vector is empty, zero or not of finite numbers")
        except (ValueError, LookupError, TypeError, AttributeError) as error:
            start = redacted(content[:200].decode("utf-8", "replace"))
            raise Failed("server_error", f"the answer is no embeddings ({error}): {start}", again=True) from None
        if self.dimensions and vectors.shape[1] != self.dimensions:
            raise Unavailable(
                f"embeddings of {self._name}: vectors have {vectors.shape[1]} numbers, embed.dimensions asks for "
                f"{self.dimensions}; leave it out, or choose what the model has"
            )
        unit: Vectors = (vectors / lengths).astype(np.float32)
        return unit


def _batches(texts: Sequence[str]) -> Iterator[list[str]]:
    """The texts in their order, as many together as a request may hold."""
    batch: list[str] = []
    size = 0
    for text in texts:
        if batch and (len(batch) == BATCH or size + len(text) > CHARACTERS):
            yield batch
            batch, size = [], 0
        batch.append(text)
        size += len(text)
    if batch:
        yield batch


def _connect(endpoint: str, means: InferenceContext) -> Any:
    """The SDK's client, with address and key from the environment."""
    import openai  # late: half a second that an offline build need not spend

    seconds = means.serving.try_deadline
    client = openai.DefaultHttpxClient(timeout=seconds, event_hooks={"response": [limit_response(seconds)]})
    settings = load_account(endpoint, 'embed with a model on this machine (embed.provider = "")').settings()
    return openai.OpenAI(**settings, max_retries=0, timeout=seconds, http_client=client)


@dataclass(slots=True)
class Attempt:
    """What became of one try of a request."""

    outcome: str = "answered"  # or a code of faults.REASONS
    tokens: int = 0  # as the provider counts them; 0: it does not
    final: bool = True


class Meter:
    """Lets requests pass as the run's limits allow, and writes each in the ledger; a run without a name has neither."""

    def __init__(self, model: str, name: str, cache: Path | None, means: InferenceContext) -> None:
        self.model, self.name, self.means = model, name, means
        self.price = price_of(LLMConfig.model_validate({"provider": "openai", "model": model}), means.serving.prices)
        self.books = (
            open_reply_store(means.books, cache or Path(means.cache)) if means.run and (cache or means.books) else None
        )

    @contextmanager
    def call(self, characters: int) -> Iterator[Attempt]:
        """One try of a request with so many characters, once it is allowed; BudgetSpent where nothing is left."""
        attempt, means, books = Attempt(), self.means, self.books
        if books is None:
            yield attempt
            return
        limits = (means.max_calls, round(means.max_cost * NANO))
        worst = cost(self.price, characters // 2 + 50, 0)  # a token is rarely under two characters
        if any(limits):
            self._reserve(worst, limits)
        try:
            self._wait(characters)
            began = time.monotonic()
            yield attempt
        except BaseException:  # nothing will ever be answered there, so that nothing is owed
            if any(limits):
                books.settle(means.run, worst, 1)
            raise
        tokens = attempt.tokens or (characters // CHARACTERS_PER_TOKEN + 1) * (attempt.outcome == "answered")
        line = Call(
            means.run,
            means.stage,
            self.model,
            "",
            attempt.outcome,
            prompt_tokens=tokens,
            cost=cost(self.price, tokens, 0),
            seconds=time.monotonic() - began,
            at=time.time(),
            final=attempt.final,
            unmetered=int(tokens > 0 and not attempt.tokens),
        )
        try:
            books.keep([line], [])
        finally:  # the call was made, whether it could be written down or not
            if any(limits):
                books.settle(means.run, worst - line.cost)

    def _reserve(self, worst: int, limits: tuple[int, int]) -> None:
        """Take a call and the most it can cost of the run's budget; BudgetSpent with the limit, where it cannot.

        Other requests under way may give back a part of what they reserved, so that the ledger says what is spent.
        """
        assert self.books is not None
        means = self.means
        stage = means.stage or "embeddings"
        patience = time.monotonic() + means.serving.call_deadline
        calls_limit, cost_limit = f"--max-calls {limits[0]:,}", f"--max-cost {means.max_cost:g}"
        while not self.books.reserve(means.run, worst, limits):
            calls, spent = self.books.spent(means.run)
            if 0 < limits[0] <= calls:
                limit = calls_limit
            elif 0 < limits[1] < worst:
                raise BudgetSpent(
                    f"{stage}: {cost_limit} is too little for one request, which may cost up to {worst / NANO:.4f}; "
                    "raise it"
                )
            elif 0 < limits[1] < spent + worst:
                limit = cost_limit
            elif time.monotonic() > patience:  # a run that was killed gives nothing back
                limit = " or ".join(text for text, most in zip((calls_limit, cost_limit), limits, strict=True) if most)
            else:
                time.sleep(0.05)
                continue
            raise BudgetSpent(
                f"{stage}: {limit} is reached; what was embedded is kept, run the same command again to go on"
            )

    def _wait(self, characters: int) -> None:
        """Return when this request's turn in the limits per minute has come and nobody is told to wait."""
        assert self.books is not None
        policy = self.means.serving
        per_minute = (policy.requests_per_minute, policy.tokens_per_minute)
        wait = 0.0
        if any(per_minute):
            tokens = min(characters // CHARACTERS_PER_TOKEN + 1, per_minute[1] or characters)
            wait = self.books.pace(self.name, 1, tokens, per_minute, time.time())
        while wait > 0 or (wait := self.books.held(self.name, time.time())) > 0:
            time.sleep(wait)
            wait = 0.0
