"""Embeddings over real HTTP: whole, in order, each paid for once, and no key in anything that is told."""

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from rarefy.tasks.models.embed import EmbedConfig, EndpointEmbedder
from rarefy.tasks.models.embed.endpoint import BATCH, CHARACTERS
from rarefy.tasks.models.embed.vector_cache import COMMIT
from rarefy.tasks.models.llm import InferenceContext, Price, RequestPolicy
from rarefy.tasks.models.llm.config import NANO
from rarefy.tasks.models.llm.faults import BudgetSpent, Failed, Unavailable
from rarefy.tasks.models.llm.reply_store import open_reply_store
from rarefy.tasks.models.llm.sending import seconds_before_retry

KEY = "canary-key-5a1f"
Answer = Callable[
    [int, dict[str, Any]], tuple[int, Any, dict[str, str]]
]  # (n-th request, body) -> status, body, headers


def vector(text: str, size: int = 8) -> list[float]:
    return [float(n + 1 + sum(map(ord, text)) % (n + 7)) for n in range(size)]


def fine(_: int, body: dict[str, Any]) -> tuple[int, Any, dict[str, str]]:
    size = body.get("dimensions", 8)
    data = [{"index": at, "embedding": vector(text, size)} for at, text in enumerate(body["input"])]
    return 200, {"data": data[::-1], "usage": {"prompt_tokens": 10 * len(data)}}, {}


@contextmanager
def served(answer: Answer) -> Iterator[tuple[str, list[dict[str, Any]]]]:
    """An endpoint that answers so, its address, and the bodies it was sent."""
    seen: list[dict[str, Any]] = []
    lock = threading.Lock()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["content-length"])))
            with lock:
                seen.append(body | {"path": self.path, "key": self.headers["authorization"]})
                n = len(seen)
            status, told, headers = answer(n, body)
            content = told if isinstance(told, bytes) else json.dumps(told).encode()
            self.send_response(status)
            for name, value in {
                "content-type": "application/json",
                "content-length": str(len(content)),
                **headers,
            }.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}/v1", seen
    finally:
        server.shutdown()
        server.server_close()


@pytest.fixture
def use(monkeypatch: pytest.MonkeyPatch) -> Callable[..., EndpointEmbedder]:
    def connected(
        url: str, cache: Path | None = None, means: InferenceContext | None = None, **config: Any
    ) -> EndpointEmbedder:
        monkeypatch.setenv("MINE_BASE_URL", url)
        monkeypatch.setenv("MINE_API_KEY", KEY)
        made = EmbedConfig(**{"provider": "openai", "endpoint": "MINE", "model": "m", **config}).connect(
            cache, means=means
        )
        assert isinstance(made, EndpointEmbedder)
        return made

    return connected


Use = Callable[..., EndpointEmbedder]


def test_vectors_are_unit_rows_in_the_order_of_the_texts_and_sent_in_batches(use: Use) -> None:
    texts = [f"text {i % 400}" for i in range(500)] + ["x" * (CHARACTERS - 5), "y" * 9]
    with served(fine) as (url, seen):
        embed = use(url)
        vectors = embed(texts)
    expected = np.array([vector(text) for text in texts])
    assert np.allclose(vectors, expected / np.linalg.norm(expected, axis=1, keepdims=True), atol=1e-6)
    assert vectors.dtype == np.float32 and embed.embedded == 402
    assert sorted(text for body in seen for text in body["input"]) == sorted(set(texts))
    assert all(len(body["input"]) <= BATCH and sum(map(len, body["input"])) <= CHARACTERS for body in seen)
    assert all(body["path"] == "/v1/embeddings" and body["key"] == f"Bearer {KEY}" for body in seen)
    assert not any("dimensions" in body for body in seen)


def test_what_was_embedded_is_never_sent_again_and_another_model_or_length_shares_nothing(
    use: Use, tmp_path: Path
) -> None:
    with served(fine) as (url, seen):
        first = use(url, tmp_path)(["a", "b", ""])
        assert np.array_equal(use(url, tmp_path)(["", "b", "a"]), first[::-1]) and len(seen) == 1
        assert seen[0]["input"] == [" ", "a", "b"]
        assert use(url, tmp_path, dimensions=4)(["a"]).shape == (1, 4) and seen[-1]["dimensions"] == 4
        use(url, tmp_path, model="other")(["a"])
        assert len(seen) == 3
    assert use("http://127.0.0.1:9/v1", tmp_path)(["a"]).shape == (1, 8)  # nothing is asked, so nobody need be there


def test_faults_that_pass_are_tried_again_and_a_server_is_given_the_time_it_asks_for(use: Use) -> None:
    faults: list[tuple[int, Any, dict[str, str]]] = [
        (200, b'{"data": [{"index": 0, "emb', {}),
        (429, {"error": {"message": "slow down"}}, {"retry-after-ms": "30"}),
        (500, {"error": {"message": "oops"}}, {"retry-after": "0"}),
        (503, b"<html>", {"retry-after-ms": "1"}),
    ]

    def answer(n: int, body: dict[str, Any]) -> tuple[int, Any, dict[str, str]]:
        return faults[n - 1] if n <= len(faults) else fine(n, body)

    with served(answer) as (url, seen):
        assert use(url)(["a"]).shape == (1, 8) and len(seen) == 5


@pytest.mark.parametrize("retries", [0, 2])
def test_retries_end_and_none_means_none(use: Use, retries: int) -> None:
    def answer(n: int, body: dict[str, Any]) -> tuple[int, Any, dict[str, str]]:
        return 429, {"error": {"message": f"key {KEY} is over its limit"}}, {"retry-after-ms": "1"}

    with served(answer) as (url, seen), pytest.raises(Unavailable, match=rf"tried {retries + 1} times") as told:
        use(url, means=InferenceContext(serving=RequestPolicy(retries=retries)))(["a"])
    assert len(seen) == retries + 1 and KEY not in str(told.value) and "run again" in str(told.value)


def test_a_server_that_says_at_once_is_given_more_time_at_each_try_all_the_same() -> None:
    def waits(retry_after: float | None) -> list[float]:
        fault = Failed("rate_limited", "slow down", again=True, retry_after=retry_after)
        return [seconds_before_retry(fault, tries, "a text") for tries in range(1, 6)]

    assert waits(0) == waits(None)
    assert all(0.25 * 2**n <= wait <= 0.5 * 2**n for n, wait in enumerate(waits(0)))
    assert waits(7) == [7] * 5


def test_a_wait_that_outlasts_the_deadline_is_not_waited_for(use: Use) -> None:
    def answer(n: int, body: dict[str, Any]) -> tuple[int, Any, dict[str, str]]:
        return 429, {"error": {"message": "later"}}, {"retry-after": "3600"}

    with served(answer) as (url, seen), pytest.raises(Unavailable, match="tried 1 times"):
        use(url, means=InferenceContext(serving=RequestPolicy(call_deadline=5)))(["a"])
    assert len(seen) == 1


@pytest.mark.parametrize(
    ("status", "message", "words"),
    [
        (401, f"Incorrect API key provided: {KEY}", "set MINE_API_KEY"),
        (403, "no", "set MINE_API_KEY"),
        (404, "no such model", "check embed.model and MINE_BASE_URL"),
        (400, "input is too long", "400: input is too long"),
        (429, "insufficient_quota: pay", "no quota left"),
    ],
)
def test_faults_that_stay_are_told_at_once_without_the_key(use: Use, status: int, message: str, words: str) -> None:
    with (
        served(lambda n, body: (status, {"error": {"message": message}}, {})) as (url, seen),
        pytest.raises(Unavailable, match=words) as told,
    ):
        use(url)(["a"])
    assert len(seen) == 1
    fault: BaseException | None = told.value
    while fault:
        assert KEY not in str(fault) and KEY not in repr(fault.__dict__)
        fault = fault.__cause__


def wrong(**changes: Any) -> Any:
    return {"data": [{"index": 0, "embedding": [1.0, 2.0]}, {"index": 1, "embedding": [1.0, 2.0]}], **changes}


@pytest.mark.parametrize(
    "told",
    [
        b"",
        b"null",
        {},
        wrong(data=[]),
        wrong(data=[{"index": 0, "embedding": [1.0]}]),
        wrong(data=[{"index": 0, "embedding": [1.0]}, {"index": 0, "embedding": [1.0]}]),
        wrong(data=[{"index": 0, "embedding": [1.0]}, {"index": 2, "embedding": [1.0]}]),
        wrong(data=[{"index": 0, "embedding": [1.0]}, {"index": 1, "embedding": [1.0, 2.0]}]),
        wrong(data=[{"index": 0, "embedding": [0.0]}, {"index": 1, "embedding": [1.0]}]),
        wrong(data=[{"index": 0, "embedding": []}, {"index": 1, "embedding": []}]),
        wrong(data=[{"index": 0, "embedding": None}, {"index": 1, "embedding": [1.0]}]),
        b'{"data": [{"index": 0, "embedding": [NaN]}, {"index": 1, "embedding": [1.0]}]}',
    ],
)
def test_what_is_no_whole_answer_is_never_kept(use: Use, tmp_path: Path, told: Any) -> None:
    with served(lambda n, body: (200, told, {}) if n == 1 else fine(n, body)) as (url, seen):
        once = use(url, tmp_path, means=InferenceContext(serving=RequestPolicy(retries=0)))
        with pytest.raises(Unavailable, match="no embeddings"):
            once(["a", "b"])
        assert use(url, tmp_path)(["a", "b"]).shape == (2, 8) and len(seen) == 2


def test_vectors_of_another_length_than_asked_for_or_than_before_are_refused(use: Use, tmp_path: Path) -> None:
    def stubborn(n: int, body: dict[str, Any]) -> tuple[int, Any, dict[str, str]]:
        return fine(n, {"input": body["input"]})

    with served(stubborn) as (url, _), pytest.raises(Unavailable, match="vectors have 8 numbers"):
        use(url, dimensions=4)(["a"])
    with served(fine) as (url, _):
        use(url, tmp_path)(["a"])
    with (
        served(lambda n, body: fine(n, body | {"dimensions": 6})) as (url, _),
        pytest.raises(OSError, match="different lengths"),
    ):
        use(url, tmp_path)(["a", "b"])


def test_where_one_request_fails_the_others_are_kept(use: Use, tmp_path: Path) -> None:
    texts = [f"{i:03} {'bad' if i == 200 else 'good'}" for i in range(COMMIT)]  # what is put at once

    def answer(n: int, body: dict[str, Any]) -> tuple[int, Any, dict[str, str]]:
        return (400, {"error": {"message": "no"}}, {}) if any("bad" in t for t in body["input"]) else fine(n, body)

    with served(answer) as (url, _), pytest.raises(Unavailable):
        use(url, tmp_path)(texts)
    with served(fine) as (url, seen):
        use(url, tmp_path)(texts)
    sent = [text for body in seen for text in body["input"]]
    assert "200 bad" in sent and len(sent) < 2 * BATCH


def test_queries_and_passages_get_the_prompts_of_the_family_and_equals_the_symmetric_one(use: Use) -> None:
    with served(fine) as (url, seen):
        embed = use(url, model="intfloat/e5-mistral-7b-instruct")
        embed(["a"]), embed(["a"], role="query"), embed(["a"], role="passage")
    given = [body["input"][0] for body in seen]
    assert given[0] == "Instruct: Retrieve semantically similar text.\nQuery: a"
    assert given[1].startswith("Instruct: Given a web search query") and given[1].endswith("\nQuery: a")
    assert given[2] == "a"


def test_each_request_is_in_the_ledger_with_its_cost_and_within_the_budget(use: Use, tmp_path: Path) -> None:
    price = Price(model="m", prompt=2.0, completion=0, as_of="2026-11-01", source="test")  # type: ignore[arg-type]
    serving = RequestPolicy(prices=(price,))

    def answer(n: int, body: dict[str, Any]) -> tuple[int, Any, dict[str, str]]:
        return (500, {}, {"retry-after-ms": "1"}) if n == 1 else fine(n, body)

    with served(answer) as (url, seen):
        use(url, tmp_path, InferenceContext(stage="normalise", run="r", serving=serving))(["a", "b"])
        by = {line.outcome: line for line in open_reply_store("", tmp_path).usage("r")}
        assert (by["answered"].calls, by["answered"].prompt_tokens, by["answered"].unmetered) == (1, 20, 0)
        assert by["answered"].cost == 20 * 2 * NANO // 1_000_000 and by["answered"].stage == "normalise"
        assert (by["server_error"].calls, by["server_error"].cost, by["server_error"].final) == (1, 0, False)
        few = use(url, tmp_path, InferenceContext(stage="normalise", run="s", serving=serving, max_calls=1))
        few(["c"])
        with pytest.raises(BudgetSpent, match="--max-calls 1 is reached"):
            few(["d"])
        assert len(seen) == 3
        with pytest.raises(BudgetSpent, match="--max-cost"):
            use(url, tmp_path, InferenceContext(run="t", serving=serving, max_cost=1e-6))(["e"])
        assert len(seen) == 3


def test_a_key_in_the_address_is_sent_and_never_told(use: Use) -> None:
    with served(fine) as (url, seen):
        use(f"{url}?api-key={KEY}")(["a"])
    assert seen[0]["path"] == f"/v1/embeddings?api-key={KEY}"
    with pytest.raises(Unavailable) as told:
        use(f"http://127.0.0.1:9/v1?api-key={KEY}", means=InferenceContext(serving=RequestPolicy(retries=0)))(["a"])
    assert KEY not in str(told.value)


def test_an_endpoint_that_nobody_named_or_nobody_answers_at_is_told(use: Use, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    with pytest.raises(Unavailable, match="set OPENAI_API_KEY"):
        EmbedConfig(provider="openai", model="m").connect()
    with pytest.raises(Unavailable, match=r"127\.0\.0\.1:9/v1 m.*tried 2 times"):
        use("http://user:secret@127.0.0.1:9/v1", means=InferenceContext(serving=RequestPolicy(retries=1)))(["a"])
