"""The endpoint itself: OpenAI's protocol on a socket, with as little between as may be, so that clients are measured.

    python -m endpoint.server --port 8000 --log requests.jsonl '{"faults": {"429-ms": 0.1, "cut-body": 0.05}}'

One line of JSON in the log for each request, written before it is answered. POST /control changes the options of a
running server, GET /control tells them and how many requests are in flight.
"""

import argparse
import asyncio
import contextlib
import json
import os
import sys
import time
from collections import Counter
from dataclasses import asdict, dataclass, field
from typing import Any

from endpoint import answers, faults


@dataclass
class Options:
    """How the endpoint behaves; each may be changed while it runs."""

    faults: dict[str, float] = field(default_factory=dict)  # share of requests by fault
    seed: int = 0
    models: list[str] = field(default_factory=lambda: ["m"])
    key: str = ""  # "": any
    echo_key: bool = False  # a wrong key is told in full, as some servers do
    latency: float = 0.0  # seconds before each answer
    capacity: int = 0  # more in flight get a 429; 0: no limit
    context: int = 0  # prompt tokens at most; 0: no limit
    rejects: list[str] = field(default_factory=list)  # fields of a request that are answered with a 400
    ignores: list[str] = field(default_factory=list)  # fields that are silently ignored


class Server:
    """What all connections share."""

    def __init__(self, options: Options, log: str) -> None:
        self.options, self.count, self.flying, self.most = options, 0, 0, 0
        self.attempts: Counter[str] = Counter()
        self.log = os.open(log, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644) if log else -1

    def said(self, path: str, asked: dict[str, Any], about: str) -> tuple[faults.Said, str]:
        """The answer, and what was made of it: faults joined by +; "" for none."""
        options = self.options
        for name in options.ignores:
            asked.pop(name, None)
        if asked.get("model", options.models[0]) not in options.models:
            wrong = f"The model `{asked['model']}` does not exist or you do not have access to it."
            return faults.error(404, "model_not_found", wrong), "unknown-model"
        for name in options.rejects:
            if name in asked and not (name == "temperature" and asked[name] == 1):
                return faults.no_field(name), f"no-{name}"
        if options.capacity and self.flying > options.capacity:
            return faults.too_many(), "over-capacity"
        if path.endswith("/embeddings"):
            right, told = faults.Said(200, answers.embeddings(asked)), json.dumps(asked["input"])
        else:
            right = faults.Said(200, answers.completion(asked, f"chatcmpl-{self.count}"))
            told = answers.digest(asked["messages"])
            tokens = right.body["usage"]["prompt_tokens"]
            if options.context and tokens > options.context:
                return faults.WRONG["too-long"](right, ""), "too-long"
        # an order counts how often its question came, re-asks included; chance looks at the very request
        name = about if "[[do:" in about else told
        attempt = self.attempts[name]
        self.attempts[name] += 1
        fault = faults.ordered(about, attempt) or faults.drawn(options.faults, options.seed, name, attempt)
        for step in fault.split("+") if fault else ():
            word, _, value = step.partition("=")
            if word in faults.WRONG:
                right = faults.WRONG[word](right, value)
        return right, fault

    def note(self, **line: object) -> None:
        if self.log >= 0:
            os.write(self.log, json.dumps(line).encode() + b"\n")


class Connection(asyncio.Protocol):
    """One client's connection: requests one after another, kept alive."""

    def __init__(self, server: Server) -> None:
        self.server, self.buffer, self.busy = server, b"", False
        self.transport: asyncio.Transport

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = transport  # type: ignore[assignment]

    def connection_lost(self, fault: Exception | None) -> None:
        if self.busy:
            self.busy = False
            self.server.flying -= 1

    def data_received(self, data: bytes) -> None:
        self.buffer += data
        self.look()

    def look(self) -> None:
        while not self.busy and (end := self.buffer.find(b"\r\n\r\n")) >= 0:
            head = self.buffer[:end].decode("latin-1").split("\r\n")
            headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in head[1:])}
            size = int(headers.get("content-length", 0))
            if len(self.buffer) < end + 4 + size:
                return
            body, self.buffer = self.buffer[end + 4 : end + 4 + size], self.buffer[end + 4 + size :]
            method, path, _ = head[0].split(" ")
            self.busy = True
            self.server.flying += 1
            self.server.most = max(self.server.most, self.server.flying)
            self.handle(method, path.partition("?")[0], headers, body)

    def handle(self, method: str, path: str, headers: dict[str, str], body: bytes) -> None:
        server, options = self.server, self.server.options
        if path == "/control":
            for name, value in json.loads(body or b"{}").items():
                setattr(options, name, value)
            told = {**asdict(options), "flying": server.flying - 1, "most": server.most, "count": server.count}
            if method == "POST":
                server.most = 0
            return self.hand(faults.Said(200, told), "")
        key = headers.get("authorization", "").removeprefix("Bearer ") or headers.get("api-key", "")
        if options.key and key != options.key:
            shown = key if options.echo_key else f"{key[:3]}***"
            server.note(n=server.count, at=time.time(), about="", fault="wrong-key", status=401, billed=[0, 0, 0])
            return self.hand(faults.WRONG["401"](faults.Said(), shown), "")
        if path.endswith("/models"):
            models = [{"id": name, "object": "model", "created": 0, "owned_by": "test"} for name in options.models]
            return self.hand(faults.Said(200, {"object": "list", "data": models}), "")
        if not path.startswith(("/v1/", "/openai/")) or not path.endswith(("/chat/completions", "/embeddings")):
            return self.hand(faults.error(404, "unknown_url", f"Unknown request URL: {method} {path}"), "")
        return self.answer(path, body, key)

    def answer(self, path: str, body: bytes, key: str) -> None:
        server = self.server
        try:
            asked = json.loads(body)
        except ValueError:
            return self.hand(faults.error(400, "", "We could not parse the JSON body of your request."), "")
        if "messages" in asked:
            about = next((m["content"] for m in asked["messages"] if m["role"] == "user"), "")
            name = answers.digest(asked["messages"])
        else:
            about, name = str(asked.get("input"))[:200], ""
        said, fault = server.said(path, asked, about)
        if "key" in fault.split("+"):
            said = faults.with_key(said, key)
        usage = said.body.get("usage") if isinstance(said.body, dict) else None
        if said.billed and not usage and "messages" in asked:  # charged for, and not told
            text = said.body["choices"][0]["message"]["content"] or ""
            usage, known = answers.usage(asked["messages"], text), False
        else:
            known = bool(usage) and not faults.LOST & {step.partition("=")[0] for step in fault.split("+")}
        cached = ((usage or {}).get("prompt_tokens_details") or {}).get("cached_tokens", 0)
        billed = [(usage or {}).get("prompt_tokens", 0), (usage or {}).get("completion_tokens", 0), cached]
        server.note(
            n=server.count,
            at=time.time(),
            digest=name,
            about=about[:200],
            fault=fault,
            status=said.status,
            billed=billed if said.billed else [0, 0, 0],
            known=known,  # to a client that reads what it is sent
            flying=server.flying,
            model=asked.get("model"),
        )
        server.count += 1
        return self.hand(said, fault)

    def hand(self, said: faults.Said, fault: str) -> None:
        payload = faults.as_bytes(said)
        out = faults.Out(self.transport, self.done)
        for step in fault.split("+") if fault else ():
            word, _, value = step.partition("=")
            if word in faults.HANDED:
                return faults.HANDED[word](out, payload, value)
        if self.server.options.latency:
            out.loop.call_later(self.server.options.latency, out.now, payload)
        else:
            out.now(payload)
        return None

    def done(self) -> None:
        if self.busy:
            self.busy = False
            self.server.flying -= 1
            if self.buffer:
                self.look()


async def serve(port: int, log: str, options: Options, held: bool) -> None:
    loop = asyncio.get_running_loop()
    server = Server(options, log)
    listening = await loop.create_server(lambda: Connection(server), "127.0.0.1", port, backlog=1024)
    print(f"http://127.0.0.1:{listening.sockets[0].getsockname()[1]}/v1", flush=True)
    ended: asyncio.Future[None] = loop.create_future()
    if held:  # whoever started it is gone, however that came: so is this

        def gone() -> None:
            if not os.read(0, 100) and not ended.done():
                ended.set_result(None)

        loop.add_reader(0, gone)
    with contextlib.suppress(asyncio.CancelledError):
        await ended


def main() -> None:
    reader = argparse.ArgumentParser(prog="endpoint.server", description=__doc__)
    reader.add_argument("options", nargs="?", default="{}", help="as JSON")
    reader.add_argument("--port", type=int, default=0)
    reader.add_argument("--log", default="")
    reader.add_argument("--held", action="store_true", help="end when standard input does")
    asked = reader.parse_args()
    with contextlib.suppress(KeyboardInterrupt):
        asyncio.run(serve(asked.port, asked.log, Options(**json.loads(asked.options)), asked.held))


if __name__ == "__main__":
    sys.exit(main())
