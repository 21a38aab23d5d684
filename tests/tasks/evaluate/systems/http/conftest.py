"""A system behind an address that behaves as badly as it is told to, on this machine."""

import gzip
import json
import re
import socket
import struct
import threading
import time
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

import pytest

from rarefy.tasks.evaluate.systems.config import SystemConfig
from rarefy.tasks.evaluate.systems.interface import SystemInput, SystemOutput
from rarefy.tasks.models.llm.config import InferenceContext, RequestPolicy

DO = re.compile(r"\[\[do: ?([^\]]*)\]\]")


@dataclass
class Endpoint:
    """What it was sent, and how it answers: `[[do: 503, cut, ok]]` in a question orders reply by reply."""

    url: str = ""
    requests: list[dict[str, Any]] = field(default_factory=list)
    tries: Counter[str] = field(default_factory=Counter)
    always: str = "ok"
    delay: float = 0.0
    open: int = 0
    most_open: int = 0
    lock: threading.Lock = field(default_factory=threading.Lock)

    def asked(self) -> list[str]:
        return [request["query"] for request in self.requests]


def whole(status: int, body: bytes, kind: str = "application/json", **headers: str) -> bytes:
    lines = [f"HTTP/1.1 {status} X", f"Content-Length: {len(body)}", f"Content-Type: {kind}"]
    lines += [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + body


def answered(query: str) -> bytes:
    told = {
        "answer": f"re {query}",
        "sources": [{"id": "c1", "text": "one", "score": -1.5}, {"id": "c2", "text": "two"}],
        "usage": {"in": 7, "out": 3, "cost": 0.01},
    }
    return json.dumps(told).encode()


def reply(step: str, query: str, head: str) -> bytes:
    word, _, value = step.partition("=")
    bodies = {
        "html": (b"<!DOCTYPE html><h1>Sign in</h1>", "text/html"),
        "nothing": (b"", "application/json"),
        "half-json": (answered(query)[:25], "application/json"),
        "other-json": (b'{"result": {"text": "x"}}', "application/json"),
        "number": (b'{"answer": 47.5}', "application/json"),
        "null": (b'{"answer": null}', "application/json"),
        "object": (b'{"answer": {"a": 1}}', "application/json"),
        "nan": (b'{"answer": "x", "usage": {"in": NaN}}', "application/json"),
        "deep": (b'{"answer": ' + b"[" * 200_000, "application/json"),
        "huge": (b'{"answer": "' + b"x" * 10_000_000 + b'"}', "application/json"),
        "not-utf8": (b'{"answer": "\xff\xfe"}', "application/json"),
        "half-character": (b'{"answer": "a \\ud83d b"}', "application/json"),
        "error-200": (b'{"error": "no index", "answer": ""}', "application/json"),
        "echo": (json.dumps({"answer": f"you sent {head}"}).encode(), "application/json"),
        "bad-usage": (b'{"answer": "x", "usage": {"in": -5, "out": "many", "cost": 1e999}}', "application/json"),
    }
    if word.isdigit():
        headers = {"Retry_After": value} if value else {}
        return whole(int(word), json.dumps({"error": f"code {word}; you sent {head}"}).encode(), **headers)
    if word == "redirect":
        return whole(307, b"", Location="http://elsewhere.example/login")
    if word == "bomb":
        return whole(200, gzip.compress(b'{"answer": "' + b"x" * 30_000_000), Content_Encoding="gzip")
    if word == "events":
        lines = [json.dumps({"delta": piece}) for piece in ("The ", "answer")] + [json.dumps({"usage": {"in": 4}})]
        return whole(200, "".join(f"data: {line}\n\n" for line in [*lines, "[DONE]"]).encode(), "text/event-stream")
    body, kind = bodies.get(word, (answered(query), "application/json"))
    return whole(200, body, kind)


def serve(endpoint: Endpoint, connection: socket.socket) -> None:
    with connection:
        file = connection.makefile("rb")
        while start := file.readline():
            head = start + b"".join(iter(file.readline, b"\r\n"))
            size = re.search(rb"(?i)content-length: *(\d+)", head)
            body = file.read(int(size[1])) if size else b""
            sent = json.loads(body) if body[:1] == b"{" else {"query": f"{start.decode()} {body.decode()}"}
            query = str(sent.get("query", sent))
            with endpoint.lock:
                endpoint.requests.append({**sent, "query": query, "head": head.decode()})
                attempt = endpoint.tries[query]
                endpoint.tries[query] += 1
                endpoint.open += 1
                endpoint.most_open = max(endpoint.open, endpoint.most_open)
            steps = (DO.search(query) or [None, endpoint.always])[1].split(",")
            step = steps[min(attempt, len(steps) - 1)].strip()
            time.sleep(endpoint.delay)
            payload = reply(step, query, " ".join(head.decode().split()))
            with endpoint.lock:
                endpoint.open -= 1
            if step == "hang":
                time.sleep(30)
                return
            if step == "drip":
                for at in range(0, len(payload), 10):
                    connection.sendall(payload[at : at + 10])
                    time.sleep(0.3)
                continue
            if step in ("cut-before", "cut", "reset"):
                connection.sendall(payload[: len(payload) - 20] if step != "cut-before" else b"")
                if step == "reset":
                    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                return
            if step == "not-http":
                connection.sendall(b"SSH-2.0-OpenSSH_9.9\r\n")
                return
            connection.sendall(payload)


@pytest.fixture
def endpoint(monkeypatch):
    """An endpoint that answers "re <question>" where it is not told to misbehave."""
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    one = Endpoint()
    listening = socket.create_server(("127.0.0.1", 0), backlog=128)
    one.url = f"http://127.0.0.1:{listening.getsockname()[1]}/ask"

    def accept() -> None:
        while True:
            try:
                connection, _ = listening.accept()
            except OSError:
                return
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            threading.Thread(target=quietly, args=(connection,), daemon=True).start()

    def quietly(connection: socket.socket) -> None:
        try:
            serve(one, connection)
        except OSError:  # the client hung up, as it should
            return

    threading.Thread(target=accept, daemon=True).start()
    yield one
    listening.close()


@pytest.fixture
def ask(endpoint, tmp_path):
    """Ask questions of the endpoint, with more of its config and of how models are served."""

    def asking(
        *questions: str, serving: dict[str, Any] | None = None, means: dict[str, Any] | None = None, **http: Any
    ) -> list[SystemOutput]:
        told = {"url": endpoint.url, "timeout": 60.0, "retries": 1, **http}
        config = SystemConfig.model_validate({"kind": "http", "http": told})
        how = InferenceContext(
            **(means or {}), serving=RequestPolicy.model_validate({"failure_budget": 1.0, **(serving or {})})
        )
        system = config.connect(tmp_path / "cache", threads=1, means=how)
        return list(system(SystemInput(f"id {question}", question) for question in questions))

    return asking
