"""A webhook: somebody who knows the secret names a document, and it comes into the corpus (docs/triggers.md)."""

import json
import os
import queue
import socket
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from rarefy.flows.faults import UsageFault
from rarefy.tasks.refresh.feeds import arrivals
from rarefy.tasks.refresh.feeds.arrivals import (
    SECRET_VARIABLE,
    SIGNATURE_HEADER,
    BadSignature,
    verify_signature,
)
from rarefy.tasks.refresh.feeds.config import WebhookConfig
from rarefy.tasks.refresh.feeds.faults import Refused, TryLater
from rarefy.tasks.refresh.feeds.fetch import Resolver, check_origin, resolve_host, without_query
from rarefy.tasks.refresh.refresh_queue import request_refresh
from rarefy.tasks.store.journal import line_of
from rarefy.tasks.store.tables import Store

Say = Callable[[str], None]
Answer = tuple[int, str]  # HTTP status, and the reason in words


def read_secrets() -> tuple[str, ...]:
    """The secrets of the environment; UsageFault where there is none, or a weak one."""
    try:
        return arrivals.read_secrets(os.environ.get(SECRET_VARIABLE, ""))
    except ValueError as error:
        raise UsageFault(str(error)) from error


@dataclass
class Hook:
    """Receives signed payloads: each is checked, written down, acknowledged, and its document fetched later."""

    store: Store
    out: str
    corpus: Path
    config: WebhookConfig
    secrets: tuple[str, ...] = field(repr=False)
    say: Say
    resolve: Resolver = resolve_host
    clock: Callable[[], float] = time.time  # Unix time, as signatures tell it
    sleep: Callable[[float], object] = time.sleep
    moved: threading.Event = field(default_factory=threading.Event)  # set where a refresh is wanted

    def __post_init__(self) -> None:
        self.line = line_of(self.out)
        self._todo: queue.Queue[tuple[str, arrivals.Arrival, bool]] = queue.Queue(self.config.waiting)
        self._one = threading.Lock()

    def receive(self, signature: str, body: bytes) -> Answer:
        """The answer to a request, once its payload is written down."""
        try:
            name = verify_signature(signature, body, self.secrets, self.clock(), self.config.window)
        except BadSignature as error:
            return 401, str(error)
        try:
            named = arrivals.parse_payload(body)
        except ValueError as error:
            return 400, str(error)
        try:
            check_origin(named.address, self.config.origins)
        except Refused as error:
            return 403, str(error)
        at = int(signature.strip()[2:].partition(",")[0])
        with self._one:  # what is written down has a place in the queue
            if self._todo.full():
                return 503, f"{self.config.waiting:,} documents wait already; send it again later, signed anew"
            try:
                if not arrivals.save_arrival(self.store, self.line, name, at, named):
                    return 409, "this signature was used before; what it names was taken then"
                noted = arrivals.load_arrival(self.store, self.line, name)
            except OSError as error:
                self.say(f"cannot write arrivals down: {error}")
                return 503, "the arrival cannot be written down; send it again later, signed anew"
            if noted is None:
                return 503, "the arrival cannot be read back; send it again later, signed anew"
            self._todo.put_nowait((name, noted, False))
        return 202, f"noted as {name[:12]}"

    def resume(self) -> int:
        """Queue what was acknowledged and not fetched before this process began; returns how many."""
        left = arrivals.list_waiting(self.store, self.line)
        for name, arrival in left[: self.config.waiting]:
            self._todo.put_nowait((name, arrival, True))
        return len(left)

    def work(self, stop: threading.Event) -> None:
        """Fetch what waits, one document after the other, until told to stop."""
        while not stop.is_set():
            try:
                name, arrival, resumed = self._todo.get(timeout=0.2)
            except queue.Empty:
                continue
            try:
                self.take(name, arrival, resumed)
            except Exception as error:  # a full disk, a store that is away: it stays written down, and is told
                reason = f"{type(error).__name__}: {error}; taken up when this starts again"
                self.say(f"{without_query(arrival.payload.address)}: {reason}")

    def take(self, name: str, arrival: arrivals.Arrival, resumed: bool = False) -> str:
        """Fetch one document, ask for a refresh, and note what came of it.

        In this order, so that a crash anywhere leaves it to be done again; `resumed` asks for a refresh even where the
        document stands there already, since the crash may have come just then.
        """
        try:
            came, path = arrivals.fetch_into_corpus(arrival.payload, self.corpus, self.config, self.resolve, self.sleep)
            if came != "unchanged" or resumed:
                request_refresh(self.store, self.line, f"webhook: {path} {came}")
                self.moved.set()
            outcome = f"{path} {came}"
        except Refused as error:
            outcome = f"refused: {error}"
        except TryLater as error:
            outcome = f"not fetched: {error}"
        arrivals.mark_done(self.store, self.line, name, arrival, outcome)
        self.say(f"{without_query(arrival.payload.address)}: {outcome}")
        return outcome


BODY = 16_384  # bytes of a payload, and of a request's headers
SECONDS = 10.0  # for a request in all
AT_ONCE = 32  # connections


class HookServer(ThreadingHTTPServer):
    """Answers for a hook, on this host and port."""

    daemon_threads = True
    request_queue_size = 64

    def __init__(self, hook: Hook, host: str, port: int, seconds: float = SECONDS) -> None:
        self.hook, self.seconds, self._free = hook, seconds, threading.BoundedSemaphore(AT_ONCE)
        self.address_family = socket.AF_INET6 if ":" in host else socket.AF_INET
        super().__init__((host, port), _Request)

    @property
    def address(self) -> str:
        """Where it answers."""
        host, port = self.server_address[:2]
        return f"http://[{host!s}]:{port}" if ":" in str(host) else f"http://{host!s}:{port}"

    def process_request(self, request: Any, client_address: Any) -> None:
        """Answer in a thread, if there is one left: more connections are dropped, and their senders try again."""
        if not self._free.acquire(blocking=False):
            self.shutdown_request(request)
            return
        # however slowly it is sent or read: then it is over
        timer = threading.Timer(self.seconds, _cut, (request,))
        timer.daemon = True

        def answer() -> None:
            timer.start()
            try:
                self.process_request_thread(request, client_address)
            finally:
                timer.cancel()
                self._free.release()

        threading.Thread(target=answer, daemon=True).start()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A connection that broke is its sender's affair."""
        import sys

        error = sys.exception() if hasattr(sys, "exception") else sys.exc_info()[1]
        if not isinstance(error, OSError | ValueError):
            self.hook.say(f"a request from {client_address[0]} failed: {type(error).__name__}: {error}")


def _cut(request: Any) -> None:
    try:
        request.shutdown(socket.SHUT_RDWR)
    except OSError:
        return  # it is closed already


class _Request(BaseHTTPRequestHandler):
    server: HookServer
    server_version, sys_version = "rarefy", ""
    timeout = SECONDS

    def do_POST(self) -> None:
        """A payload."""
        if self.path.partition("?")[0] not in ("/", "/arrive"):
            self._say(404, "POST to /arrive")
            return
        if sum(len(name) + len(value) for name, value in self.headers.items()) > BODY:
            self._say(431, f"more than {BODY:,} bytes of headers")
            return
        length = self.headers.get("Content-Length", "")
        if "Transfer-Encoding" in self.headers or not (length.isascii() and length.isdecimal()):
            self._say(411, "Content-Length is wanted")
            return
        if int(length) > BODY:
            self._say(413, f"a body of {int(length):,} bytes; {BODY:,} are taken")
            return
        if self.headers.get_content_type() != "application/json":
            self._say(415, "Content-Type: application/json is wanted")
            return
        if len(signatures := self.headers.get_all(SIGNATURE_HEADER, [])) != 1:
            self._say(401, f"{len(signatures)} headers {SIGNATURE_HEADER}; one is wanted: t=<unix time>,v1=<hex>")
            return
        body = self.rfile.read(int(length))
        if len(body) != int(length):
            self._say(400, "the body broke off")
            return
        self._say(*self.server.hook.receive(signatures[0], body))

    def do_GET(self) -> None:
        """Is the server there?"""
        self._say(*((200, "ready") if self.path == "/health" else (405, "POST to /arrive")))

    def send_error(self, code: int, message: str | None = None, explain: str | None = None) -> None:
        """What the standard library refuses, in the same form."""
        self._say(code, message or "refused")

    def log_message(self, format: str, *args: Any) -> None:
        """Nothing: what happens to payloads is told by the hook."""

    def _say(self, status: int, told: str) -> None:
        content = json.dumps({"told": told}).encode() + b"\n"
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(content)))
        self.send_header("Connection", "close")
        if status == 503:
            self.send_header("Retry-After", "60")
        self.end_headers()
        self.wfile.write(content)
        self.close_connection = True
