"""The journal of a store: which benchmarks were published, in what order, and what each of them needs (§5)."""

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
from rarefy.tasks.store.lease import no_fence
from rarefy.tasks.store.tables import Store, TableDamaged, list_files

FOLDER = "versions"  # of a store: <line>/<number>.json, of which a second writer is refused
EVALUATIONS = "evaluations"  # of a store: <line of the result>-<version>.json
FORMAT = 1  # of an entry
_ENTRY = re.compile(r"([^/]+)/(\d{6,18})(?:-[^/]*)?\.json")  # early ones have the version in their names, too


class Version(BaseModel):
    """An entry of the journal: a benchmark as it was published.

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
    """There is no version of that name, or several; the message lists those there are."""


def line_of(out: str | Path) -> str:
    """The name of a benchmark's line: a short digest of the folder that it is published in."""
    return hashlib.blake2b(resolve_place(out).encode(), digest_size=6).hexdigest()


def resolve_place(place: str | Path) -> str:
    """The absolute path of a folder or file; a URL as it is."""
    return str(place) if "://" in str(place) else str(Path(place).expanduser().resolve())


def list_versions(store: Store, line: str = "") -> list[Version]:
    """The versions in a store, of one line or of all, in the order they were published.

    Damaged entries are passed over: `list_damaged` names them.
    """
    return read_entries(store, line)[0]


def list_damaged(store: Store) -> list[str]:
    """The paths of damaged entries."""
    return read_entries(store)[1]


def read_entries(store: Store, line: str = "") -> tuple[list[Version], list[str]]:
    """The versions in the order they were published, and the paths of entries that are damaged."""
    places = _places(store, line)
    found = list(store.over(lambda place: _read(store, place), places))
    lost = [f"{store.root}/{place}" for place, one in zip(places, found, strict=True) if one is None]
    return [one for one in found if one], [path for path in lost if store.fs.exists(path)]


def find_version(store: Store, name: str, line: str = "") -> Version:
    """The version whose name begins so, or that has this number in the only line there is; else UnknownVersion.

    Of a version that was published more than once, the last entry.
    """
    known = list_versions(store, line)
    hits = [entry for entry in known if entry.version.startswith(name)] if len(name) >= 4 else []
    if not hits and name.isdecimal():
        hits = [entry for entry in known if entry.number == int(name)]
    if len({entry.version for entry in hits}) == 1:
        return hits[-1]
    there = ", ".join(f"{entry.version[:12]} ({entry.number} of {entry.out})" for entry in (hits or known)[-10:])
    fault = f"{name!r} means several" if hits else f"no version {name!r}"
    raise UnknownVersion(f"{fault} in {store.told}; there: {there or 'none'}")


def latest_version(store: Store, line: str) -> Version | None:
    """The last version of a line that can be read."""
    return _last_readable(store, _places(store, line))


def previous_version(store: Store, entry: Version) -> Version | None:
    """The version before this one in its line."""
    return _last_readable(store, [place for place in _places(store, entry.line) if _number(place) < entry.number])


def record_version(
    store: Store, entry: Version, touched: Iterable[str], fence: Callable[[], None] = no_fence
) -> Version:
    """Add an entry to the journal and return it; the last one of its line instead, where that is the same benchmark.

    Of several publishers of one line each gets a number of its own: the last one's entry is the last. `fence` raises
    for a run that lost its lease: frozen before its number was taken, it finds its successor's there, and tries again.
    """
    while True:
        places = _places(store, entry.line)
        before = _last_readable(store, places)
        if before and _is_same_request(before, entry):
            return _add_recipes(store, before, touched)
        number = max(map(_number, places), default=0) + 1
        made = entry.model_copy(
            update={
                "number": number,
                "touched": store.keep(_recipe_table(touched)),
                "parent": before.version if before else "",
                "created": datetime.now(UTC).isoformat(timespec="seconds"),
                "place": f"{FOLDER}/{entry.line}/{number:06d}.json",
            }
        )
        fence()
        if store.create(made.place, _bytes(made)):
            return made


def _add_recipes(store: Store, entry: Version, touched: Iterable[str]) -> Version:
    """Add these recipes to an entry: another version of a stage may have made the same tables."""
    try:
        known = set(store.table(entry.touched)["recipe"].to_pylist())
    except TableDamaged:
        known = set()
    every = known | set(touched)
    return (
        entry if every == known else _put(store, entry.model_copy(update={"touched": store.keep(_recipe_table(every))}))
    )


def record_changes(store: Store, entry: Version, changes: Mapping[str, int]) -> Version:
    """Add the counts of what changed against the version before to an entry."""
    return _put(store, entry.model_copy(update={"changes": dict(changes)}))


def _put(store: Store, entry: Version) -> Version:
    store.write(entry.place, _bytes(entry))
    return entry


def _bytes(entry: Version) -> bytes:
    return json.dumps(entry.model_dump(mode="json"), indent=1, sort_keys=True, ensure_ascii=False).encode()


class Evaluation(BaseModel):
    """An evaluation of a benchmark: what a store must keep so that the next one asks no model again."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    version: str  # of the benchmark
    line: str  # of the result's folder
    out: str
    touched: str  # name of a table of recipes


def record_evaluation(store: Store, version: str, out: str, touched: Iterable[str]) -> Evaluation:
    """Write down that a benchmark was evaluated into this folder, and with which recipes."""
    name = store.keep(_recipe_table(touched))
    made = Evaluation(version=version, line=line_of(out), out=out, touched=name)
    store.write(f"{EVALUATIONS}/{made.line}-{version or 'none'}.json", made.model_dump_json(indent=1).encode())
    return made


def list_evaluations(store: Store) -> list[Evaluation]:
    """All evaluations that were written down; what cannot be read is passed over."""
    names = [file.name for file in list_files(store, EVALUATIONS) if file.name.endswith(".json")]
    return [found for found in store.over(lambda name: _read_evaluation(store, name), names) if found]


def _read_evaluation(store: Store, name: str) -> Evaluation | None:
    try:
        return Evaluation.model_validate_json(store.read(f"{EVALUATIONS}/{name}"))
    except (FileNotFoundError, ValueError):
        return None


def _recipe_table(touched: Iterable[str]) -> pa.Table:
    return pa.table({"recipe": pa.array(sorted(touched), pa.string())})


def _is_same_request(one: Version, other: Version) -> bool:
    """Are two entries of the same benchmark, built with the same settings?"""
    tables = [{kind: name for kind, name in its.tables.items() if kind not in BESIDE} for its in (one, other)]
    return (
        line_of(one.corpus) == line_of(other.corpus)
        and tables[0] == tables[1]
        and all(getattr(one, name) == getattr(other, name) for name in ("version", "as_of", "limit", "config"))
    )


def _places(store: Store, line: str = "") -> list[str]:
    """The files of entries, relative to the store, in the order of lines and numbers."""
    found = [file.path.removeprefix(f"{store.root}/") for file in list_files(store, f"{FOLDER}/{line}")]
    places = [place for place in found if _ENTRY.fullmatch(place.removeprefix(f"{FOLDER}/"))]
    return sorted(places, key=lambda place: (place.split("/")[1], _number(place), place))


def _number(place: str) -> int:
    """The number in the file name of an entry, which a damaged one keeps."""
    found = _ENTRY.fullmatch(place.removeprefix(f"{FOLDER}/"))
    assert found
    return int(found[2])


def _last_readable(store: Store, places: Iterable[str]) -> Version | None:
    return next((one for place in reversed([*places]) if (one := _read(store, place))), None)


def _read(store: Store, place: str) -> Version | None:
    try:
        return Version.model_validate_json(store.read(place)).model_copy(update={"place": place})
    except (FileNotFoundError, ValueError):
        return None
