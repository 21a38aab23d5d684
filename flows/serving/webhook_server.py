"""The HTTP server of the webhook: small requests, one to a connection, none of which can hold it up."""

import json
import socket
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from rarefy.flows.serving.webhook import Hook
from rarefy.tasks.refresh.feeds.signed import HEADER

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
        if len(signatures := self.headers.get_all(HEADER, [])) != 1:
            self._say(401, f"{len(signatures)} headers {HEADER}; one is wanted: t=<unix time>,v1=<hex>")
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
