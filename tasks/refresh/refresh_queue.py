"""Requests for a refresh that wait in the store: a file for each, so that none is lost and many are served at once."""

import contextlib
import json
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from uuid import uuid4

from rarefy.tasks.store.tables import Store

FOLDER = "wanted"  # of a store: <line>/<any name>.json


@dataclass(frozen=True, slots=True)
class RefreshRequest:
    """A request for a refresh. `why` and `at` are for people; a damaged file is a request all the same."""

    line: str
    name: str  # of its file
    why: str
    at: str  # UTC, ISO


def request_refresh(store: Store, line: str, why: str) -> None:
    """Ask for a refresh of a line, once the documents stand in the corpus. OSError where it cannot be written down."""
    content = {"why": why, "at": datetime.now(UTC).isoformat(timespec="seconds")}
    store.write(f"{FOLDER}/{line}/{uuid4().hex}.json", json.dumps(content, ensure_ascii=False).encode())


def pending_requests(store: Store, line: str) -> list[RefreshRequest]:
    """The waiting requests, oldest first. Read them before the corpus: what comes later waits for the next refresh."""
    folder = f"{store.root}/{FOLDER}/{line}"
    store.fs.invalidate_cache(folder)  # another machine may have written since
    try:
        names = [str(path).rpartition("/")[2] for path in store.fs.ls(folder, detail=False)]
    except FileNotFoundError:
        return []
    requests = [_read(store, line, name) for name in names if name.endswith(".json") and not name.startswith(".")]
    return sorted(filter(None, requests), key=lambda request: (request.at, request.name))


def remove_requests(store: Store, requests: Iterable[RefreshRequest]) -> None:
    """Remove requests that a refresh has served."""
    for request in requests:
        with contextlib.suppress(FileNotFoundError):
            store.fs.rm_file(f"{store.root}/{FOLDER}/{request.line}/{request.name}")


def _read(store: Store, line: str, name: str) -> RefreshRequest | None:
    try:
        content = store.read(f"{FOLDER}/{line}/{name}")
    except FileNotFoundError:
        return None  # served just now
    try:
        fields = json.loads(content)
        return RefreshRequest(line, name, str(fields["why"]), str(fields["at"]))
    except (ValueError, LookupError, TypeError):
        return RefreshRequest(line, name, "it cannot be read", "")
