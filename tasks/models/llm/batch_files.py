"""What goes to the Batch API and comes from it, line by line, and which batches are under way, by the folder kept."""

import json
import os
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from hashlib import blake2b
from pathlib import Path
from typing import Any

from rarefy.data_contracts.rows import Reply, Request
from rarefy.tasks.models.llm.endpoint import reply_of
from rarefy.tasks.models.llm.faults import Failed
from rarefy.tasks.models.llm.secrets import redacted
from rarefy.tasks.private import make_folder, open_file
from rarefy.tasks.store.atomic_write import put_in_place

KEPT = 30 * 86_400  # seconds for which a provider keeps the results of a batch
_TOO_LONG = ("context_length", "maximum context", "context window", "too many tokens", "too long")
# batches that ended early: code of a line's error -> ours
_ENDED = {"batch_expired": "timeout", "batch_cancelled": "lost"}


@dataclass(frozen=True, slots=True)
class Sent:
    """A batch that was sent, or is about to be: then it has no id yet."""

    digest: str
    address: str
    names: tuple[str, ...]  # of its requests, as in the lines of its file
    at: float  # Unix time
    batch_id: str = ""


def digest(names: Iterable[str], *more: object) -> str:
    """What names a batch of these requests wherever it is sent from."""
    return blake2b(json.dumps([sorted(names), *more]).encode(), digest_size=16).hexdigest()


def remember(folder: Path, sent: Sent) -> None:
    """Write down that it was sent, all of it or nothing."""
    make_folder(folder)
    part = folder / f"{sent.digest}.{os.getpid()}.part"
    with open_file(part, encoding="utf-8") as file:
        json.dump(asdict(sent), file)
    put_in_place(part, folder / f"{sent.digest}.json")


def forget(folder: Path, sent: Sent) -> None:
    """It was never sent, or the provider knows nothing of it any more."""
    (folder / f"{sent.digest}.json").unlink(missing_ok=True)


def remembered(folder: Path, address: str) -> list[Sent]:
    """The batches sent to this address whose results may still be there, oldest first; older ones are forgotten."""
    found = []
    for file in sorted(folder.glob("*.json")):
        told = json.loads(file.read_text(encoding="utf-8"))
        sent = Sent(**(told | {"names": tuple(told["names"])}))
        if time.time() - sent.at > KEPT:
            forget(folder, sent)
        elif sent.address == address:
            found.append(sent)
    return sorted(found, key=lambda sent: sent.at)


def files(bodies: Iterable[tuple[str, dict[str, Any]]], lines: int, size: int) -> Iterator[tuple[list[str], bytes]]:
    """The files of a batch of these named bodies, with the names in each, within the limits of lines and bytes."""
    names: list[str] = []
    content = bytearray()
    for name, body in bodies:
        line = {"custom_id": name, "method": "POST", "url": "/v1/chat/completions", "body": body}
        # in ASCII: so half a character, which no file takes, is written all the same
        told = (json.dumps(line) + "\n").encode()
        if names and (len(names) == lines or len(content) + len(told) > size):
            yield names, bytes(content)
            names, content = [], bytearray()
        names.append(name)
        content += told
    if names:
        yield names, bytes(content)


def named(lines: Iterable[str]) -> Iterator[tuple[str, dict[str, Any]]]:
    """The lines of an output or error file by their custom_id; a line that is none is nobody's."""
    for line in lines:
        try:
            told = json.loads(line)
            name = told["custom_id"]
        except (ValueError, LookupError, TypeError):
            continue
        if isinstance(name, str) and isinstance(told, dict):
            yield name, told


def reply(request: Request, told: dict[str, Any], model: str) -> Reply:
    """The reply in a line of an output or error file, or the code of what went wrong."""
    response, error = told.get("response"), told.get("error")
    if isinstance(response, dict) and response.get("status_code") == 200:
        try:
            return reply_of(request, json.dumps(response.get("body")).encode(), model)
        except Failed as failed:
            return Reply(request.request_id, error=failed.reason, detail=failed.detail)
    status = response.get("status_code", 0) if isinstance(response, dict) else 0
    body = response.get("body") if isinstance(response, dict) else None
    fault = error if isinstance(error, dict) else body
    if isinstance(fault, dict) and isinstance(fault.get("error"), dict):
        fault = fault["error"]
    code, said = (
        (str(fault.get(name) or "") for name in ("code", "message")) if isinstance(fault, dict) else ("", str(fault))
    )
    return Reply(request.request_id, error=reason(int(status or 0), code, said), detail=redacted(f"{code}: {said}"))


def reason(status: int, code: str, said: str) -> str:
    """Our code for what the provider says of a line or of a batch."""
    text = f"{code} {said}".lower()
    if code in _ENDED:
        return _ENDED[code]
    if any(words in text for words in _TOO_LONG):
        return "too_long"
    if "content_filter" in text or "content policy" in text or "content_policy" in text:
        return "filtered"
    if status == 429 or code in ("rate_limit_exceeded", "token_limit_exceeded"):
        return "rate_limited"
    return "server_error" if status >= 500 else "rejected"


def to_each(requests: Sequence[Request], said: Reply) -> Iterator[Reply]:
    """One reply for all who asked the same."""
    for request in requests:
        yield replace(said, request_id=request.request_id)
