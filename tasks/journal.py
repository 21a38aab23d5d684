"""Which benchmarks a store has made, in what order, and what each of them needs (architecture §5)."""

import hashlib
import json
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pyarrow as pa
from pydantic import BaseModel, ConfigDict, ValidationError

from rarefy.tasks.store import Store, TableDamaged

FOLDER = "versions"  # of a store: <line>/<number>-<version>.json
USED = "evaluations"  # of a store: <line of the result>-<version>.json
FORMAT = 1  # of an entry


class Version(BaseModel):
    """A benchmark as it was published: an entry of the journal, which alone knows when that was.

    `line` is all that was ever published in one folder. `tables` are the names of its tables by kind, `touched` that of
    a table of all recipes that lead to them: what a store must keep for it.
    """

    model_config = ConfigDict(frozen=True, extra="ignore")  # an entry of a later format may say more

    format: int = FORMAT
    number: int = 0  # 1, 2, ... within its line; 0: not recorded yet
    version: str
    line: str
    out: str  # the folder, as it was given
    corpus: str
    created: str = ""  # UTC, ISO; of no use for order: clocks are set back
    as_of: str = ""  # ISO date; "": all that the corpus held
    limit: int = 0  # only the first so many documents of it; 0: all
    config: dict[str, Any] = {}
    tables: dict[str, str] = {}
    touched: str = ""
    parent: str = ""  # the version before it in its line
    run_id: str = ""  # of Prefect
    run_url: str = ""
    package: str = ""
    schemas: dict[str, int] = {}
    counts: dict[str, int] = {}
    changes: dict[str, int] = {}  # against the parent


class UnknownVersion(ValueError):
    """No version of that name, or several; the message says which there are."""


def line_of(out: str | Path) -> str:
    """The line of a benchmark: a short digest of the folder that it is published in."""
    place = str(out) if "://" in str(out) else str(Path(out).expanduser().resolve())
    return hashlib.blake2b(place.encode(), digest_size=6).hexdigest()


def versions(store: Store, line: str = "") -> list[Version]:
    """The versions in a store, of one line or of all, in the order they were published.

    What cannot be read (a crash of the disk) is passed over: `unreadable` names it.
    """
    found = [entry for path in _paths(store, line) if (entry := _read(store, path))]
    return sorted(found, key=lambda one: (one.line, one.number))


def unreadable(store: Store) -> list[str]:
    """Entries that are damaged."""
    return [path for path in _paths(store) if _read(store, path) is None]


def find(store: Store, name: str, line: str = "") -> Version:
    """The version that begins so, or has this number in the only line there is; UnknownVersion says what there is.

    Of one that was published more than once, the last entry.
    """
    known = versions(store, line)
    hits = [one for one in known if one.version.startswith(name)] if len(name) >= 4 else []
    if not hits and name.isdecimal():
        hits = [one for one in known if one.number == int(name)]
    if len({one.version for one in hits}) == 1:
        return hits[-1]
    there = ", ".join(f"{one.version[:12]} ({one.number} of {one.out})" for one in (hits or known)[-10:])
    said = f"{name!r} means several" if hits else f"no version {name!r}"
    raise UnknownVersion(f"{said} in {store.url}; there: {there or 'none'}")


def latest(store: Store, line: str) -> Version | None:
    """The last version of a line."""
    return max(versions(store, line), key=lambda one: one.number, default=None)


def record(store: Store, entry: Version, touched: Iterable[str]) -> Version:
    """The entry as it stands in the journal now; the last one of its line where that says the same."""
    while True:
        before = latest(store, entry.line)
        if before and _same(before, entry):
            return _led_to(store, before, touched)
        name = store.keep(_recipes(touched))
        number = max((int(Path(path).name.split("-")[0]) for path in _paths(store, entry.line)), default=0) + 1
        made = entry.model_copy(
            update={
                "number": number,
                "touched": name,
                "parent": before.version if before else "",
                "created": datetime.now(UTC).isoformat(timespec="seconds"),
            }
        )
        if store.create(_name(made), _bytes(made)):
            return made


def _led_to(store: Store, entry: Version, touched: Iterable[str]) -> Version:
    """The entry with these recipes too: another version of a stage may have made the same tables."""
    try:
        known = set(store.table(entry.touched)["recipe"].to_pylist())
    except TableDamaged:
        known = set()
    every = known | set(touched)
    return entry if every == known else _put(store, entry.model_copy(update={"touched": store.keep(_recipes(every))}))


def amend(store: Store, entry: Version, changes: Mapping[str, int]) -> Version:
    """The entry, told what changed against the version before it."""
    return _put(store, entry.model_copy(update={"changes": dict(changes)}))


def _put(store: Store, entry: Version) -> Version:
    store.write(_name(entry), _bytes(entry))
    return entry


def _bytes(entry: Version) -> bytes:
    return json.dumps(entry.model_dump(mode="json"), indent=1, sort_keys=True, ensure_ascii=False).encode()


class Use(BaseModel):
    """A benchmark's evaluation: what a store must keep so that the next one asks for nothing that was answered."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    version: str  # of the benchmark
    line: str  # of the result's folder
    out: str
    touched: str  # name of a table of recipes


def use(store: Store, version: str, out: str, touched: Iterable[str]) -> Use:
    """Note that a benchmark was evaluated into this folder, and with which recipes."""
    name = store.keep(_recipes(touched))
    made = Use(version=version, line=line_of(out), out=out, touched=name)
    store.write(f"{USED}/{made.line}-{version or 'none'}.json", made.model_dump_json(indent=1).encode())
    return made


def uses(store: Store) -> list[Use]:
    """All evaluations that are noted; what cannot be read is passed over."""
    store.fs.invalidate_cache()
    found = []
    for path in sorted(store.fs.glob(f"{store.root}/{USED}/*.json")):
        try:
            found.append(Use.model_validate_json(store.fs.cat_file(path)))
        except (FileNotFoundError, ValueError):
            continue
    return found


def _recipes(touched: Iterable[str]) -> pa.Table:
    return pa.table({"recipe": pa.array(sorted(touched), pa.string())})


def _same(one: Version, other: Version) -> bool:
    return (one.version, one.tables, one.as_of, one.config) == (other.version, other.tables, other.as_of, other.config)


def _name(entry: Version) -> str:
    return f"{FOLDER}/{entry.line}/{entry.number:06d}-{entry.version}.json"


def _paths(store: Store, line: str = "") -> list[str]:
    store.fs.invalidate_cache()  # another machine may have written since
    return sorted(store.fs.glob(f"{store.root}/{FOLDER}/{line or '*'}/[0-9]*-*.json"))


def _read(store: Store, path: str) -> Version | None:
    try:
        return Version.model_validate_json(store.fs.cat_file(path))
    except (FileNotFoundError, ValidationError, ValueError):
        return None
