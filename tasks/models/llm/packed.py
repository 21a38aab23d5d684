"""A reply as bytes and back: any character, any size, less than half of its length where it is long."""

import json
import zlib
from dataclasses import MISSING, fields
from typing import Any

from rarefy.data_contracts.rows import Reply, Token

LONG = 1_024  # bytes from which zlib is tried: 40 microseconds halve a usual reply, and three fit a page of SQLite
FAST = 1  # level of zlib: three times faster than its default for a tenth more
DEFLATED = b"\x78"  # the first byte of every zlib stream; no UTF-8 of JSON begins with it

_DEFAULTS: dict[str, Any] = {
    field.name: field.default for field in fields(Reply) if field.default is not MISSING and field.name != "remembered"
}
_TOKEN = tuple(field.name for field in fields(Token))


def packed(text: str) -> bytes:
    """The text as few bytes; lone surrogates, as some tokenizers give, survive."""
    content = text.encode("utf-8", "surrogatepass")
    if len(content) >= LONG or content[:1] == DEFLATED:
        small = zlib.compress(content, FAST)
        if len(small) < 0.9 * len(content) or content[:1] == DEFLATED:
            return small
    return content


def unpacked(content: bytes) -> str:
    """The text that was packed."""
    if content[:1] == DEFLATED:
        content = zlib.decompress(content)
    return content.decode("utf-8", "surrogatepass")


def pack(reply: Reply) -> bytes:
    """All of a reply but whether it was remembered."""
    said: dict[str, Any] = {"request_id": reply.request_id}
    for name, default in _DEFAULTS.items():
        if (value := getattr(reply, name)) != default:
            said[name] = value
    if reply.logprobs:
        said["logprobs"] = [[getattr(token, name) for name in _TOKEN] for token in reply.logprobs]
    return packed(json.dumps(said, ensure_ascii=False, separators=(",", ":")))


def unpack(content: bytes) -> Reply:
    """The reply that was packed."""
    said = json.loads(unpacked(content))
    if "logprobs" in said:
        said["logprobs"] = tuple(
            Token(text, logprob, tuple(others), tuple(logprobs)) for text, logprob, others, logprobs in said["logprobs"]
        )
    return Reply(**said)


def plain(text: str) -> str:
    """The text as any database takes it: what is no character, and NUL, written out."""
    return text.encode("utf-8", "backslashreplace").decode().replace("\0", "\\x00")
