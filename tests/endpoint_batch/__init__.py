"""The files and batches of the OpenAI API over real HTTP, in this process, with the faults that a test orders."""

import json
import re
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Line = dict[str, Any]


@dataclass
class Service:
    """What the server knows, and how it behaves."""

    looks: int = 0  # at a batch before it has ended
    ends: str = "completed"
    errors: Callable[[list[Line]], list[dict[str, Any]]] = lambda lines: []  # of a batch: it fails if there are any
    says: Callable[[Line], Line | None] = lambda line: said(line, f"echo {line['body']['messages'][-1]['content']}")
    arrange: Callable[[list[Line]], list[Line]] = lambda lines: lines  # of the output file
    garbage: str = ""  # more lines of the output file
    loses: int = 0  # answers to "create batch" that never arrive
    fails: int = 0  # looks at a batch that end in a 503
    key: str = ""
    url: str = ""
    files: dict[str, bytes] = field(default_factory=dict)
    batches: dict[str, dict[str, Any]] = field(default_factory=dict)
    looked: dict[str, int] = field(default_factory=dict)
    created: threading.Event = field(default_factory=threading.Event)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def sent(self, batch: dict[str, Any]) -> list[Line]:
        """The lines that a batch was made of."""
        return [json.loads(line) for line in self.files[batch["input_file_id"]].decode().splitlines()]

    def end(self, batch: dict[str, Any]) -> None:
        """Let a batch run."""
        lines = self.sent(batch)
        batch["status"] = self.ends
        if errors := self.errors(lines):
            batch |= {"status": "failed", "errors": {"object": "list", "data": errors}}
            return
        answers = [answer for line in lines if (answer := self.says(line))]
        good = [one for one in answers if one["error"] is None and one["response"]["status_code"] == 200]
        bad = [one for one in answers if one not in good]
        for kind, found in (("output", self.arrange(good)), ("error", bad)):
            if found:
                batch[f"{kind}_file_id"] = self.store(
                    "".join(json.dumps(one) + "\n" for one in found).encode() + self.garbage.encode()
                )

    def store(self, content: bytes) -> str:
        """The id of a new file."""
        name = f"file-{len(self.files)}"
        self.files[name] = content
        return name


def said(line: Line, text: str, status: int = 200, finish: str = "stop") -> Line:
    """A line of an output file in which the model says this."""
    body: dict[str, Any] = {
        "model": "m-1",
        "choices": [{"message": {"role": "assistant", "content": text}, "finish_reason": finish}],
        "usage": {"prompt_tokens": 10, "completion_tokens": 2},
    }
    if status != 200:
        body = {"error": {"message": text, "code": None}}
    return {"custom_id": line["custom_id"], "response": {"status_code": status, "body": body}, "error": None}


def failed(line: Line, code: str) -> Line:
    """A line of an error file."""
    return {"custom_id": line["custom_id"], "response": None, "error": {"code": code, "message": f"it is {code}"}}


@contextmanager
def served(service: Service) -> Iterator[Service]:
    """The service under its url."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), type("Bound", (_Handler,), {"service": service}))
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
    service.url = f"http://127.0.0.1:{server.server_port}/v1"
    try:
        yield service
    finally:
        server.shutdown()
        server.server_close()


class _Handler(BaseHTTPRequestHandler):
    service: Service
    protocol_version = "HTTP/1.1"

    def log_message(self, *_: object) -> None:
        pass

    def do_POST(self) -> None:
        content = self.rfile.read(int(self.headers["Content-Length"]))
        service = self.service
        if service.key and self.headers["Authorization"] != f"Bearer {service.key}":
            self._answer({"error": {"message": f"Incorrect API key: {self.headers['Authorization']}"}}, 401)
            return
        if self.path == "/v1/files":
            edge = re.search(r"boundary=(\S+)", self.headers["Content-Type"])
            assert edge and b'name="purpose"\r\n\r\nbatch' in content
            part = next(part for part in content.split(f"--{edge[1]}".encode()) if b"filename=" in part)
            with service.lock:
                name = service.store(part.partition(b"\r\n\r\n")[2].removesuffix(b"\r\n"))
            told = {"id": name, "object": "file", "bytes": 0, "created_at": 0, "filename": "f", "purpose": "batch"}
            self._answer(told | {"status": "processed"})
            return
        asked = json.loads(content)
        assert asked["endpoint"] == "/v1/chat/completions" and asked["completion_window"] == "24h"
        with service.lock:
            name = f"batch_{len(service.batches)}"
            batch = service.batches[name] = asked | {
                "id": name,
                "object": "batch",
                "created_at": 0,
                "status": "validating",
                "output_file_id": None,
                "error_file_id": None,
                "errors": None,
            }
            lost, service.loses = service.loses > 0, service.loses - 1
        service.created.set()
        if lost:
            self.close_connection = True  # no answer at all
        else:
            self._answer(batch)

    def do_GET(self) -> None:
        service, path = self.service, self.path.partition("?")[0].split("/")[2:]
        if path[0] == "files":
            content = service.files[path[1]]
            self.send_response(200)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)
        elif len(path) == 1:
            found = list(reversed(service.batches.values()))
            self._answer({"object": "list", "data": found, "has_more": False, "first_id": None, "last_id": None})
        elif path[1] not in service.batches:
            self._answer({"error": {"message": "No batch found"}}, 404)
        else:
            with service.lock:
                batch = service.batches[path[1]]
                looks = service.looked[path[1]] = service.looked.get(path[1], 0) + 1
                broken, service.fails = service.fails > 0, service.fails - 1
                if looks > service.looks and batch["status"] == "validating":
                    service.end(batch)
            self._answer({"error": {"message": "busy"}} if broken else batch, 503 if broken else 200)

    def _answer(self, told: dict[str, Any], status: int = 200) -> None:
        content = json.dumps(told).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)
