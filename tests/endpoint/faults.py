"""How an endpoint misbehaves: what it says wrongly, and how it hands over what it says.

To order: `[[do: 429-ms=50, cut-body, ok]]` in a message is what happens at the first, second and each later time that
its question is asked. By chance: a share for each fault, drawn from the seed, the request and the attempt. `+` joins a
wrong word and a wrong way to say it, `late=0.2+500`; `+key` tells the caller's key in the answer.
"""

import asyncio
import json
import random
import re
import socket
import struct
from collections.abc import Callable
from dataclasses import dataclass, field
from email.utils import formatdate
from time import time
from typing import Any

DO = re.compile(r"\[\[do:([^\]]*)\]\]")


@dataclass
class Said:
    """An answer: as JSON, or as raw bytes; `billed` says that the provider takes money for it."""

    status: int = 200
    body: Any = None
    headers: dict[str, str] = field(default_factory=dict)
    billed: bool = True


def error(status: int, code: str, message: str, kind: str = "invalid_request_error", **headers: str) -> Said:
    """An error as the OpenAI API words it."""
    told = {"error": {"message": message, "type": kind, "param": None, "code": code}}
    return Said(status, told, {name.replace("_", "-"): value for name, value in headers.items()}, billed=False)


def too_many(**headers: str) -> Said:
    return error(429, "rate_limit_exceeded", "Rate limit reached for requests", "requests", **headers)


def no_field(name: str) -> Said:
    """What servers say of a field of a request that they do not take."""
    told = {
        "response_format": "'response_format' of type 'json_schema' is not supported with this model.",
        "max_tokens": "Unsupported parameter: 'max_tokens' is not supported with this model. "
        "Use 'max_completion_tokens' instead.",
        "temperature": "Unsupported value: 'temperature' does not support 0 with this model. "
        "Only the default (1) value is supported.",
    }
    return error(400, "unsupported_parameter", told.get(name, f"Unsupported parameter: '{name}'"))


def _choice(said: Said, **changes: Any) -> Said:
    message = {"content", "refusal"} & changes.keys()
    said.body["choices"][0].update({name: changes[name] for name in changes.keys() - message})
    said.body["choices"][0]["message"].update({name: changes[name] for name in message})
    return said


def _body(said: Said, **changes: Any) -> Said:
    said.body.update(changes)
    return said


def _cut(said: Said, share: str) -> Said:
    text = said.body["choices"][0]["message"]["content"]
    return _choice(said, content=text[: int(len(text) * float(share or 0.5))], finish_reason="length")


def _around(before: str, after: str) -> "Wrong":
    return lambda said, _: _choice(said, content=before + said.body["choices"][0]["message"]["content"] + after)


Wrong = Callable[[Said, str], Said]  # from the right answer and the fault's value

WRONG: dict[str, Wrong] = {
    "ok": lambda said, _: said,
    # it is too much, in each way that servers say when to come again
    "429": lambda _, __: too_many(),
    "429-seconds": lambda _, value: too_many(retry_after=value or "1"),
    "429-date": lambda _, value: too_many(retry_after=formatdate(time() + float(value or 1) + 0.999, usegmt=True)),
    "429-ms": lambda _, value: too_many(retry_after_ms=value or "20"),
    "429-nonsense": lambda _, __: too_many(retry_after="soon"),
    "429-nan": lambda _, __: too_many(retry_after_ms="nan"),
    "429-ever": lambda _, __: too_many(retry_after="1e400"),
    "429-past": lambda _, __: too_many(retry_after_ms="-5"),
    "quota": lambda _, __: error(429, "insufficient_quota", "You exceeded your current quota", "insufficient_quota"),
    # it fails
    "500": lambda _, __: error(500, "", "The server had an error while processing your request", "server_error"),
    "500-ms": lambda _, value: error(500, "", "try again", "server_error", retry_after_ms=value or "20"),
    "502": lambda _, __: Said(502, b"<html><body>502 Bad Gateway</body></html>", {"content-type": "text/html"}, False),
    "503": lambda _, __: error(503, "", "The engine is currently overloaded", "server_error"),
    "503-ms": lambda _, value: error(503, "", "overloaded", "server_error", retry_after_ms=value or "20"),
    "529": lambda _, __: error(529, "overloaded_error", "Overloaded", "overloaded_error"),
    "408": lambda _, __: error(408, "", "Request timeout", "timeout"),
    # it says no to this request
    "too-long": lambda _, __: error(
        400,
        "context_length_exceeded",
        "This model's maximum context length is 8192 tokens. However, your messages resulted in 9000 tokens.",
    ),
    "filter-400": lambda _, __: error(400, "content_filter", "The response was filtered due to the prompt"),
    "400": lambda _, __: error(400, "invalid_value", "Invalid value for 'temperature'"),
    "no-n": lambda _, __: error(400, "unsupported_value", "'n' must be 1"),
    # it says no to everything
    "401": lambda _, value: error(401, "invalid_api_key", f"Incorrect API key provided: {value or 'sk-***'}."),
    "403": lambda _, __: error(403, "permission_denied", "You are not allowed to use this model"),
    "404": lambda _, __: error(404, "model_not_found", "The model does not exist or you do not have access to it."),
    # 200, and yet no answer
    "html": lambda _, __: Said(200, b"<!DOCTYPE html><h1>Maintenance</h1>", {"content-type": "text/html"}, False),
    "nothing": lambda _, __: Said(200, b"", {}, False),
    "no-choices": lambda said, _: _body(Said(200, {"id": said.body["id"], "object": "chat.completion"}, {}, False)),
    "choices-empty": lambda said, _: Said(200, {**said.body, "choices": [], "usage": None}, {}, False),
    "list": lambda _, __: Said(200, [], {}, False),
    "deep": lambda _, __: Said(200, b'{"choices":' + b"[" * 100_000, {}, False),
    "error-200": lambda _, __: Said(200, {"error": {"message": "upstream failed", "code": 502}}, {}, False),
    # an answer, and not a good one
    "empty": lambda said, _: _choice(said, content=""),
    "null": lambda said, _: _choice(said, content=None),
    "length": _cut,
    "refusal": lambda said, _: _choice(said, content=None, refusal="I'm sorry, I can't help with that."),
    "filter": lambda said, _: _choice(said, content="", finish_reason="content_filter"),
    "wrong-model": lambda said, value: _body(said, model=value or "another-model"),
    "no-usage": lambda said, _: Said(200, {name: part for name, part in said.body.items() if name != "usage"}),
    "null-usage": lambda said, _: _body(said, usage=None),
    "usage-infinite": lambda said, _: _body(said, usage={"prompt_tokens": 1e999, "completion_tokens": 1}),
    "usage-huge": lambda said, _: _body(said, usage={"prompt_tokens": 1, "completion_tokens": 10**30}),
    "usage-negative": lambda said, _: _body(said, usage={"prompt_tokens": -5_000, "completion_tokens": -7}),
    "usage-words": lambda said, _: _body(said, usage={"prompt_tokens": "many", "completion_tokens": [1]}),
    "stranger": lambda said, _: _body(said, id="chatcmpl-of-another-request"),
    # JSON as models write it
    "fenced": _around("```json\n", "\n```"),
    "chatty": _around("Sure! Here is the JSON:\n", "\nLet me know if you need more."),
    "trailing-comma": lambda said, _: _choice(
        said, content=said.body["choices"][0]["message"]["content"].rstrip("}] ") + ",}"
    ),
    "prose": lambda said, _: _choice(said, content="I think that the segment grew."),
}


class Out:
    """The way out to one client, as a fault sees it."""

    def __init__(self, transport: asyncio.Transport, done: Callable[[], None]) -> None:
        self.transport, self.done = transport, done
        self.loop = asyncio.get_running_loop()

    def now(self, payload: bytes) -> None:
        self.transport.write(payload)
        self.done()

    def drip(self, payload: bytes, seconds: float, pieces: int = 10) -> None:
        size = -(-len(payload) // pieces)
        for n in range(pieces):
            self.loop.call_later(seconds * n / pieces, self.transport.write, payload[n * size : (n + 1) * size])
        self.loop.call_later(seconds, self.done)

    def cut(self, payload: bytes) -> None:
        if payload:
            self.transport.write(payload)
        self.transport.close()

    def reset(self, payload: bytes) -> None:
        self.transport.write(payload)
        own = self.transport.get_extra_info("socket")
        own.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))  # RST instead of FIN
        self.transport.abort()


def _half(payload: bytes) -> bytes:
    """The same head over half of the body, with the right length for it: whole to HTTP, and not to JSON."""
    head, _, body = payload.partition(b"\r\n\r\n")
    body = body[: len(body) // 2]
    return re.sub(rb"(?i)content-length: \d+", b"content-length: %d" % len(body), head) + b"\r\n\r\n" + body


def _chunked(payload: bytes) -> bytes:
    head, _, body = payload.partition(b"\r\n\r\n")
    head = re.sub(rb"(?i)content-length: \d+", b"transfer-encoding: chunked", head)
    return head + b"\r\n\r\n" + b"".join(b"%x\r\n%b\r\n" % (len(p), p) for p in (body[:7], body[7:], b"")[:3])


def _headers_end(payload: bytes) -> int:
    return payload.index(b"\r\n\r\n") + 4


# what is handed over so badly that a client cannot know what it was charged
LOST = {"hang", "cut-before", "cut-headers", "cut-body", "reset", "half"}

HANDED: dict[str, Callable[[Out, bytes, str], None]] = {
    "hang": lambda out, payload, value: None,
    "late": lambda out, payload, value: void(out.loop.call_later(float(value or 0.05), out.now, payload)),
    "slow": lambda out, payload, value: out.drip(payload, float(value or 0.3)),
    "cut-before": lambda out, payload, value: out.cut(b""),
    "cut-headers": lambda out, payload, value: out.cut(payload[:20]),
    "cut-body": lambda out, payload, value: out.cut(payload[: (_headers_end(payload) + len(payload)) // 2]),
    "reset": lambda out, payload, value: out.reset(payload[: _headers_end(payload) + 5]),
    "half": lambda out, payload, value: out.now(_half(payload)),
    "twice": lambda out, payload, value: out.now(payload + payload),
    "chunked": lambda out, payload, value: out.now(_chunked(payload)),
}


def void(_: object) -> None:
    return None


def with_key(said: Said, key: str) -> Said:
    """The same answer, with the key that it was asked with told in it, as careless servers and proxies do."""
    told = f" (you sent: Authorization: Bearer {key})"
    if isinstance(said.body, bytes):
        said.body += told.encode()
    elif "error" in said.body:
        said.body["error"]["message"] += told
    else:
        message = said.body["choices"][0]["message"]
        message["refusal"] = (message["refusal"] or "No.") + told
    return said


def ordered(text: str, attempt: int) -> str:
    """What a message orders for this attempt (from 0); "" where it orders nothing."""
    found = DO.search(text)
    if not found:
        return ""
    steps = [step.strip() for step in found[1].split(",")]
    return steps[min(attempt, len(steps) - 1)]


def drawn(faults: dict[str, float], seed: int, name: str, attempt: int) -> str:
    """The fault that befalls this attempt, if any."""
    if not faults:
        return ""
    at = random.Random(f"{seed} {name} {attempt}").random()
    for fault, share in faults.items():
        at -= share
        if at < 0:
            return fault
    return ""


def as_bytes(said: Said) -> bytes:
    body = said.body if isinstance(said.body, bytes) else json.dumps(said.body).encode()
    head = [f"HTTP/1.1 {said.status} X", f"content-length: {len(body)}"]
    head += [f"{name}: {value}" for name, value in ({"content-type": "application/json"} | said.headers).items()]
    return "\r\n".join(head).encode() + b"\r\n\r\n" + body
