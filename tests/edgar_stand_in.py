"""A stand-in for the SEC's servers: serves the shapes beside tests of feeds as the SEC serves them, and counts."""

import gzip
import hashlib
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

SHAPES = Path(__file__).parent / "tasks" / "refresh" / "feeds" / "edgar"
UNDECLARED = b"<html><body><h1>Your Request Originates from an Undeclared Automated Tool</h1></body></html>"
TOO_FAST = b"<html><head><title>SEC.gov | Request Rate Threshold Exceeded</title></head><body></body></html>"


@dataclass
class Edgar:
    """What is served, by path with its query, and what was asked."""

    url: str = ""
    pages: dict[str, bytes] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)
    statuses: list[int] = field(default_factory=list)
    faults: dict[str, list[Callable[["Handler"], None]]] = field(default_factory=dict)  # each is used once

    def count(self, part: str) -> int:
        """How many requests had this in their path."""
        return sum(part in path for path in self.asked)


class Handler(BaseHTTPRequestHandler):
    """Answers one request."""

    edgar: Edgar
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        """As the SEC does."""
        edgar = self.edgar
        edgar.asked.append(self.path)
        if waiting := edgar.faults.get(self.path, []):
            waiting.pop(0)(self)
        elif "@" not in self.headers.get("User-Agent", ""):
            self.answer(403, UNDECLARED)
        elif (content := edgar.pages.get(self.path)) is None:
            self.answer(404, b"<Error><Code>NoSuchKey</Code></Error>")
        else:
            etag = f'"{hashlib.md5(content).hexdigest()}"'
            if self.headers.get("If-None-Match") == etag:
                self.answer(304, b"", {"ETag": etag})
                return
            packed = "gzip" in self.headers.get("Accept-Encoding", "")
            headers = {"ETag": etag} | ({"Content-Encoding": "gzip"} if packed else {})
            self.answer(200, gzip.compress(content) if packed else content, headers)

    def answer(self, status: int, content: bytes, headers: dict[str, str] | None = None, cut: int = 0) -> None:
        """A reply, of which the last `cut` bytes never come."""
        self.edgar.statuses.append(status)
        self.send_response_only(status)
        for name, value in (headers or {}).items():
            self.send_header(name, value)
        if status != 304:
            self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content[: len(content) - cut])
        if cut:
            self.close_connection = True

    def log_message(self, format: str, *args: object) -> None:
        """Nothing."""


class Server(ThreadingHTTPServer):
    """One thread a request; that a client has gone, as one does whose test is over, is no error of it to print."""

    daemon_threads = True

    def handle_error(self, request: object, client_address: object) -> None:
        """Print any other error with its traceback."""
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)  # type: ignore[arg-type]


@contextmanager
def standing_in() -> Iterator[Edgar]:
    """A server of its own on a port that the system chooses."""
    edgar = Edgar()
    server = Server(("127.0.0.1", 0), type("OfThis", (Handler,), {"edgar": edgar}))
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    edgar.url = f"http://127.0.0.1:{server.server_address[1]}"
    try:
        yield edgar
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def apple(edgar: Edgar) -> None:
    """Serve Apple: its submissions, an older page, tickers, feeds, and a document for each of its annual reports."""
    for name in ("CIK0000320193.json", "CIK0000320193-submissions-001.json"):
        edgar.pages[f"/submissions/{name}"] = (SHAPES / name).read_bytes()
    edgar.pages["/files/company_tickers.json"] = (SHAPES / "company_tickers.json").read_bytes()
    for address, text in DOCUMENTS.items():
        edgar.pages[f"/Archives/edgar/data/320193/{address}"] = document(text)


def document(text: str) -> bytes:
    """A document that says this."""
    return f"<html><body><p>Form 10-K. Apple Inc. {text}.</p></body></html>".encode()


DOCUMENTS = {
    "000032019325000079/aapl-20250927.htm": "For the fiscal year ended September 27, 2025",
    "000032019324000123/aapl-20240928.htm": "For the fiscal year ended September 28, 2024",
    "000119312510012091/d10ka.htm": "Amendment No. 1, for the fiscal year ended September 26, 2009",
    "000119312509214859/d10k.htm": "For the fiscal year ended September 26, 2009",
    "0000320193-96-000023.txt": "For the fiscal year ended September 27, 1996",
}
