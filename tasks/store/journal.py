"""Which benchmarks a store has made, in what order, and what each of them needs (architecture §5)."""

import hashlib
import json
import re
from collections.abc import Callable, Iterable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pyarrow as pa
from pydantic import BaseModel, ConfigDict, Field

from rarefy.data_contracts.schemas import BESIDE
from rarefy.tasks.listed import files
from rarefy.tasks.store.lease import unfenced
from rarefy.tasks.store.tables import Store, TableDamaged

FOLDER = "versions"  # of a store: <line>/<number>.json, of which a second writer is refused
USED = "evaluations"  # of a store: <line of the result>-<version>.json
FORMAT = 1  # of an entry
_ENTRY = re.compile(r"([^/]+)/(\d{6,18})(?:-[^/]*)?\.json")  # early ones have the version in their names, too


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
    place: str = Field("", exclude=True)  # its file in the store, of which the file itself says nothing


class UnknownVersion(ValueError):
    """No version of that name, or several; the message says which there are."""


def line_of(out: str | Path) -> str:
    """The line of a benchmark: a short digest of the folder that it is published in."""
    return hashlib.blake2b(resolved(out).encode(), digest_size=6).hexdigest()


def resolved(place: str | Path) -> str:
    """A folder's or a file's path wherever one stands; a URL as it is."""
    return str(place) if "://" in str(place) else str(Path(place).expanduser().resolve())


def versions(store: Store, line: str = "") -> list[Version]:
    """The versions in a store, of one line or of all, in the order they were published.

    What cannot be read (a crash of the disk) is passed over: `unreadable` names it.
    """
    return read(store, line)[0]


def unreadable(store: Store) -> list[str]:
    """Entries that are damaged."""
    return read(store)[1]


def read(store: Store, line: str = "") -> tuple[list[Version], list[str]]:
    """The versions in the order they were published, and the paths of entries that are damaged."""
    places = _places(store, line)
    found = list(store.over(lambda place: _read(store, place), places))
    lost = [f"{store.root}/{place}" for place, one in zip(places, found, strict=True) if one is None]
    return [one for one in found if one], [path for path in lost if store.fs.exists(path)]


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
    raise UnknownVersion(f"{said} in {store.told}; there: {there or 'none'}")


def latest(store: Store, line: str) -> Version | None:
    """The last version of a line that can be read."""
    return _last(store, _places(store, line))


def previous(store: Store, entry: Version) -> Version | None:
    """The version before this one in its line."""
    return _last(store, [place for place in _places(store, entry.line) if _number(place) < entry.number])


def record(store: Store, entry: Version, touched: Iterable[str], fence: Callable[[], None] = unfenced) -> Version:
    """The entry as it stands in the journal now; the last one of its line where that says the same.

    Of several publishers of one line each gets a number of its own: the last one's entry is the last. `fence` raises
    for one that lost its lease: frozen before its number was taken, it finds its successor's there, and asks again.
    """
    while True:
        places = _places(store, entry.line)
        before = _last(store, places)
        if before and _same(before, entry):
            return _led_to(store, before, touched)
        number = max(map(_number, places), default=0) + 1
        made = entry.model_copy(
            update={
                "number": number,
                "touched": store.keep(_recipes(touched)),
                "parent": before.version if before else "",
                "created": datetime.now(UTC).isoformat(timespec="seconds"),
                "place": f"{FOLDER}/{entry.line}/{number:06d}.json",
            }
        )
        fence()
        if store.create(made.place, _bytes(made)):
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
    store.write(entry.place, _bytes(entry))
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
    names = [file.name for file in files(store, USED) if file.name.endswith(".json")]
    return [one for one in store.over(lambda name: _noted(store, name), names) if one]


def _noted(store: Store, name: str) -> Use | None:
    try:
        return Use.model_validate_json(store.read(f"{USED}/{name}"))
    except (FileNotFoundError, ValueError):
        return None


def _recipes(touched: Iterable[str]) -> pa.Table:
    return pa.table({"recipe": pa.array(sorted(touched), pa.string())})


def _same(one: Version, other: Version) -> bool:
    """Is it the same benchmark, asked for in the same way?"""
    tables = [{kind: name for kind, name in its.tables.items() if kind not in BESIDE} for its in (one, other)]
    return (
        line_of(one.corpus) == line_of(other.corpus)
        and tables[0] == tables[1]
        and all(getattr(one, name) == getattr(other, name) for name in ("version", "as_of", "limit", "config"))
    )


def _places(store: Store, line: str = "") -> list[str]:
    """The entries' files, as the store names them, in the order of lines and numbers."""
    found = [file.path.removeprefix(f"{store.root}/") for file in files(store, f"{FOLDER}/{line}")]
    places = [place for place in found if _ENTRY.fullmatch(place.removeprefix(f"{FOLDER}/"))]
    return sorted(places, key=lambda place: (place.split("/")[1], _number(place), place))


def _number(place: str) -> int:
    """The number in an entry's name: a damaged one keeps its own."""
    found = _ENTRY.fullmatch(place.removeprefix(f"{FOLDER}/"))
    assert found
    return int(found[2])


def _last(store: Store, places: Iterable[str]) -> Version | None:
    return next((one for place in reversed([*places]) if (one := _read(store, place))), None)


def _read(store: Store, place: str) -> Version | None:
    try:
        return Version.model_validate_json(store.read(place)).model_copy(update={"place": place})
    except (FileNotFoundError, ValueError):
        return None
