"""Who asked for a refresh and was not served yet: a file for each, so that none is lost and many become one."""

import contextlib
import json
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from uuid import uuid4

from rarefy.tasks.store.tables import Store

FOLDER = "wanted"  # of a store: <line>/<any name>.json


@dataclass(frozen=True, slots=True)
class Want:
    """A refresh that somebody asked for. `why` and `at` are told; a file that was damaged is a want all the same."""

    line: str
    name: str  # of its file
    why: str
    at: str  # UTC, ISO


def want(store: Store, line: str, why: str) -> None:
    """Ask for a refresh of a line, once what it is to see stands in the corpus. OSError where it cannot be kept."""
    told = {"why": why, "at": datetime.now(UTC).isoformat(timespec="seconds")}
    store.write(f"{FOLDER}/{line}/{uuid4().hex}.json", json.dumps(told, ensure_ascii=False).encode())


def wanted(store: Store, line: str) -> list[Want]:
    """What was asked for and not answered yet. To be read before the corpus is: what comes later waits for the next."""
    folder = f"{store.root}/{FOLDER}/{line}"
    store.fs.invalidate_cache(folder)  # another machine may have written since
    try:
        names = [str(path).rpartition("/")[2] for path in store.fs.ls(folder, detail=False)]
    except FileNotFoundError:
        return []
    found = [_read(store, line, name) for name in names if name.endswith(".json") and not name.startswith(".")]
    return sorted((one for one in found if one), key=lambda one: (one.at, one.name))


def answered(store: Store, wants: Iterable[Want]) -> None:
    """These are served, and no others."""
    for one in wants:
        with contextlib.suppress(FileNotFoundError):
            store.fs.rm_file(f"{store.root}/{FOLDER}/{one.line}/{one.name}")


def _read(store: Store, line: str, name: str) -> Want | None:
    try:
        content = store.read(f"{FOLDER}/{line}/{name}")
    except FileNotFoundError:
        return None  # answered just now
    try:
        told = json.loads(content)
        return Want(line, name, str(told["why"]), str(told["at"]))
    except (ValueError, LookupError, TypeError):
        return Want(line, name, "it cannot be read", "")
