"""A reply that never ends is cut: at so many bytes, and, where a caller does not end it by time, at so many seconds."""

import asyncio
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import httpx2
import pytest

from rarefy.data_contracts.rows import Message, Request
from rarefy.tasks.models.embed import EmbedConfig
from rarefy.tasks.models.llm import InferenceContext, LLMConfig, RequestPolicy, endpoint
from rarefy.tasks.models.llm.endpoint import limit_response, limit_response_size
from rarefy.tasks.models.llm.faults import Failed, Unavailable


@pytest.fixture
def endless() -> Iterator[Callable[[float, int], str]]:
    """The address of a server whose reply goes on as long as somebody reads: pieces of a size, with pauses between."""
    stop = threading.Event()
    servers = []

    def start(pause: float, size: int) -> str:
        piece = f"{size:x}\r\n".encode() + b" " * size + b"\r\n"

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self) -> None:
                self.rfile.read(int(self.headers.get("Content-Length", 0)))
                self.send_response(200)
                self.send_header("Content-Type", "application/json")
                self.send_header("Transfer-Encoding", "chunked")
                self.end_headers()
                try:
                    while not stop.wait(pause):
                        self.wfile.write(piece)
                except OSError:
                    return

            do_POST = do_GET

            def log_message(self, format: str, *args: object) -> None:
                pass

        server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        server.daemon_threads = True
        servers.append(server)
        threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
        return f"http://127.0.0.1:{server.server_address[1]}/v1"

    yield start
    stop.set()
    for one in servers:
        one.shutdown()
        one.server_close()


def test_a_body_without_end_is_cut_at_its_size(endless):
    client = httpx2.Client(event_hooks={"response": [limit_response(60.0, largest=1_000_000)]})
    with client, pytest.raises(httpx2.ReadError, match="more than 1,000,000 bytes"):
        client.get(endless(0.0, 65_536))


def test_a_body_that_drips_is_cut_at_its_time_though_every_piece_is_in_time(endless):
    client = httpx2.Client(timeout=30.0, event_hooks={"response": [limit_response(0.3)]})
    with client, pytest.raises(httpx2.ReadTimeout, match="no whole reply"):
        client.get(endless(0.02, 1))


def test_an_asynchronous_body_without_end_is_cut_at_its_size(endless):
    async def ask() -> None:
        async with httpx2.AsyncClient(event_hooks={"response": [limit_response_size(1_000_000)]}) as client:
            await client.get(endless(0.0, 65_536))

    with pytest.raises(httpx2.ReadError, match="more than 1,000,000 bytes"):
        asyncio.run(ask())


def test_a_model_that_never_ends_its_reply_is_a_fault_and_no_memory(endless, monkeypatch):
    monkeypatch.setattr(endpoint, "limit_response_size", lambda: limit_response_size(1_000_000))
    monkeypatch.setenv("OPENAI_BASE_URL", endless(0.0, 65_536))
    monkeypatch.setenv("OPENAI_API_KEY", "none")

    async def ask() -> None:
        asked = endpoint.Endpoint(LLMConfig(provider="openai", model="m"), InferenceContext())
        try:
            await asked(Request("r", (Message("user", "hello"),)), 60.0)
        finally:
            await asked.close()

    with pytest.raises(Failed) as caught:
        asyncio.run(ask())
    assert caught.value.reason == "connection" and "1,000,000 bytes" in str(caught.value.detail)


def test_embeddings_that_drip_are_given_up(endless, monkeypatch, tmp_path):
    monkeypatch.setenv("OPENAI_BASE_URL", endless(0.02, 1))
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    means = InferenceContext(serving=RequestPolicy(try_deadline=0.5, retries=0))
    embed = EmbedConfig(provider="openai", model="m").connect(tmp_path, means=means)
    with pytest.raises(Unavailable, match=r"no answer within 0\.5 s"):
        embed(["a"])
