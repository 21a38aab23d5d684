"""Embeddings from any endpoint with the OpenAI API, many texts a request, each text paid for once."""

import hashlib
import json
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from random import Random
from typing import Any

import numpy as np

from rarefy.tasks.models.embed.families import Prompts
from rarefy.tasks.models.embed.metered import Meter, Told
from rarefy.tasks.models.embed.remembered import Remembered, Vectors
from rarefy.tasks.models.llm.account import account, refusal, said
from rarefy.tasks.models.llm.bounded import bounded
from rarefy.tasks.models.llm.config import InferenceContext
from rarefy.tasks.models.llm.faults import Failed, Unavailable
from rarefy.tasks.models.llm.secrets import address, redacted

VERSION = 1

BATCH = 128  # texts a request: OpenAI takes 2,048, smaller servers a few hundred
CHARACTERS = 200_000  # a request: OpenAI takes 300,000 tokens
SIDE_BY_SIDE = 8  # requests at once, at most


class EndpointEmbedder:
    """A model at an endpoint that remembers; what was embedded before is never asked for again."""

    def __init__(
        self, model: str, endpoint: str, dimensions: int, prompts: Prompts, cache: Path | None, means: InferenceContext
    ) -> None:
        self.model, self.endpoint, self.dimensions, self.prompts = model, endpoint, dimensions, prompts
        self.embedded = 0  # texts that were sent
        self._serving = means.serving
        self._client = _client(endpoint, means)
        self._name = f"{address(str(self._client.base_url)).rstrip('/')} {model}"
        self._meter = Meter(model, self._name, cache, means)
        told = json.dumps([VERSION, "openai", model, dimensions])
        self._identity = hashlib.blake2b(told.encode(), digest_size=32).digest()
        self._remembered = Remembered(cache)

    def __call__(self, texts: Sequence[str], /, role: str = "") -> Vectors:
        prompt = self.prompts.of(role)
        return self._remembered(self._identity, [prompt + text for text in texts], self._parts)

    def _parts(self, texts: list[str]) -> Iterator[tuple[list[str], Vectors]]:
        """The vectors, request by request; where one fails, those that came are given before it is told."""
        failure: Exception | None = None
        with ThreadPoolExecutor(min(SIDE_BY_SIDE, self._serving.concurrency)) as pool:
            asked: list[tuple[list[str], Future[Vectors]]] = [
                (some, pool.submit(self._asked, some)) for some in _batches(texts)
            ]
            for some, future in asked:
                if failure and future.cancel():
                    continue
                try:
                    vectors = future.result()
                except Exception as error:  # told below, once what others got is kept
                    failure = failure or error
                    continue
                self.embedded += len(some)
                yield some, vectors
        if failure:
            raise failure

    def _asked(self, texts: list[str]) -> Vectors:
        """The vectors of one request, tried again as often as may be; Unavailable where there are none."""
        end, tries = time.monotonic() + self._serving.call_deadline, 0
        while True:
            tries += 1
            with self._meter.call(sum(map(len, texts))) as told:
                try:
                    return self._once(texts, told)
                except Failed as error:
                    fault, told.outcome = error, error.reason
                    wait = _wait(fault, tries, texts[0])
                    told.final = not fault.again or tries > self._serving.retries or time.monotonic() + wait > end
            if told.final:
                raise Unavailable(
                    f"embeddings of {self._name}: {fault.detail} (tried {tries} times); what was embedded is kept, run "
                    "again to go on"
                )
            time.sleep(wait)

    def _once(self, texts: list[str], told: Told) -> Vectors:
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
            return self._read(raw.content, len(texts), told)
        except openai.APITimeoutError:
            fault = Failed("timeout", f"no answer within {self._serving.try_deadline:g} s", again=True)
        except openai.APIStatusError as error:
            known = refusal(error, f"embeddings of {self._name}", self.endpoint, "embed.model")
            fault = known or Failed("rejected", f"{error.status_code}: {redacted(said(error))}")
        except openai.APIConnectionError as error:
            cause = error.__cause__ or error
            fault = Failed("connection", redacted(f"{type(cause).__name__}: {cause}"), again=True)
        except openai.OpenAIError as error:
            fault = Failed("server_error", redacted(str(error)), again=True)
        raise fault  # out here: inside, the SDK's error, which holds the request with its key, would hang on it

    def _read(self, content: bytes, count: int, told: Told) -> Vectors:
        """The unit vectors in an answer, matched by their index; Failed where that is no whole answer."""
        try:
            answer = json.loads(content)
            usage = answer.get("usage") or {}
            told.tokens = int(usage.get("prompt_tokens") or usage.get("total_tokens") or 0)
            by_index = {int(one["index"]): one["embedding"] for one in answer["data"]}
            if len(answer["data"]) != count or sorted(by_index) != list(range(count)):
                raise ValueError(f"{len(answer['data'])} embeddings for {count} texts")
            vectors = np.array([by_index[at] for at in range(count)], dtype=np.float64)
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


def _wait(fault: Failed, tries: int, name: str) -> float:
    """Seconds before the next try: what the server asks for, else twice as long each time, spread by the texts."""
    if fault.retry_after:  # 0 is no answer: at once, again and again, uses up every try in a moment
        return fault.retry_after
    return float(min(0.5 * 2 ** (tries - 1), 30.0) * Random(f"{name} {tries}").uniform(0.5, 1.0))


def _batches(texts: Sequence[str]) -> Iterator[list[str]]:
    """The texts in their order, as many together as a request may hold."""
    some: list[str] = []
    size = 0
    for text in texts:
        if some and (len(some) == BATCH or size + len(text) > CHARACTERS):
            yield some
            some, size = [], 0
        some.append(text)
        size += len(text)
    if some:
        yield some


def _client(endpoint: str, means: InferenceContext) -> Any:
    """The SDK's client, with address and key from the environment."""
    import openai  # late: half a second that an offline build need not spend

    otherwise = 'embed with a model on this machine (embed.provider = "")'
    seconds = means.serving.try_deadline
    client = openai.DefaultHttpxClient(timeout=seconds, event_hooks={"response": [bounded(seconds)]})
    settings = account(endpoint, otherwise).settings()
    return openai.OpenAI(**settings, max_retries=0, timeout=seconds, http_client=client)
