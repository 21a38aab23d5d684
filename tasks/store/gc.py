"""Removes from a store all that no kept version, no kept evaluation and no run of the last hour needs.

Mark and sweep (McCarthy 1960). Files are written tables first, recipes then, journal last, and removed the other way:
a kill between any two leaves every entry with its tables, and every recipe with what it promises.
"""

import json
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

import pyarrow as pa

from rarefy.data_contracts.schemas import ROWS
from rarefy.tasks.store import journal
from rarefy.tasks.store.journal import Version
from rarefy.tasks.store.tables import ABANDONED_AFTER, TABLE_NAME, Store, StoredFile, TableDamaged, list_files

TOGETHER = 500  # files removed between two looks at the lease
_TABLE = re.compile(r"([0-9a-f]{32})\.parquet")


class CannotSweep(Exception):
    """It is not known what is needed, so nothing is removed; the message says what is wrong and what to do."""


@dataclass(frozen=True)
class Plan:
    """What a sweep would remove, in the order of removal."""

    dropped: tuple[Version, ...] = ()
    kept: tuple[Version, ...] = ()
    too_young: tuple[Version, ...] = ()  # of those: given up, but published or amended within the hour
    entries: tuple[StoredFile, ...] = ()  # of the journal, and notes of evaluations
    recipes: tuple[StoredFile, ...] = ()
    tables: tuple[StoredFile, ...] = ()
    young: int = 0  # files that are not needed, but a run may have written just now; with entries of the journal
    remarks: tuple[str, ...] = ()

    @property
    def files(self) -> tuple[StoredFile, ...]:
        """All of them."""
        return (*self.entries, *self.recipes, *self.tables)

    @property
    def size(self) -> int:
        """Bytes."""
        return sum(file.size for file in self.files)


@dataclass
class _Needed:
    """Names of recipes and tables that must stay."""

    recipes: set[str] = field(default_factory=set)
    tables: set[str] = field(default_factory=set)
    remarks: list[str] = field(default_factory=list)


def plan_sweep(store: Store, keep: int = 0, days: float = 0.0, now: float | None = None) -> Plan:
    """Plan what a store need not keep.

    Versions are given up that are not among the `keep` newest of their line (0: however many) and are older than `days`
    (0: however old); none where both are 0. Those of a day (`as_of`) or of a part of the corpus (`limit`) are
    counted apart from the whole ones; the newest of either of each line is never given up. CannotSweep where the
    journal is empty or damaged.
    """
    now = datetime.now(UTC).timestamp() if now is None else now
    versions, broken = journal.read_entries(store)
    if broken:
        raise CannotSweep(
            f"{broken[0]} cannot be read: what that version needs is not known; restore the file, or remove it to give "
            "the version up"
        )
    if not versions:
        raise CannotSweep(
            f"{store.told} has no version in its journal, so that nothing says what is needed; `rarefy build` and "
            "`rarefy refresh` record what they publish"
        )
    entries = {file.path: file for file in list_files(store, journal.FOLDER)}
    given_up = {_path(store, one) for one in _given_up(versions, keep, days, now)}
    gone = {path for path in given_up if _old(entries.get(path), now)}
    dropped = [one for one in versions if _path(store, one) in gone]
    kept = [one for one in versions if _path(store, one) not in gone]
    too_young = tuple(one for one in kept if _path(store, one) in given_up)
    notes = dict(_evaluations(store, kept, dropped, days, now))
    forgone = [file for file, (_, stays) in notes.items() if not stays]
    needed = _needed(store, kept, [one for file, (one, stays) in notes.items() if stays or not _old(file, now)])
    recipes, tables = list_files(store, "recipes"), list_files(store, "tables")
    loose = [file for file in recipes if TABLE_NAME.fullmatch(file.name) and file.name not in needed.recipes]
    for file in loose:
        if not _old(file, now):
            needed.recipes.add(file.name)
    _follow(store, (file.name for file in recipes if file.name in needed.recipes), needed)
    idle = [file for file in tables if (found := _TABLE.fullmatch(file.name)) and found[1] not in needed.tables]
    return Plan(
        dropped=tuple(dropped),
        kept=tuple(kept),
        too_young=too_young,
        entries=(
            *(entries[_path(store, one)] for one in dropped),
            *(file for file in forgone if _old(file, now)),
        ),
        recipes=tuple(file for file in loose if _old(file, now)),
        tables=tuple(file for file in idle if _old(file, now)),
        young=len(too_young) + len([file for file in (*loose, *idle, *forgone) if not _old(file, now)]),
        remarks=tuple(needed.remarks),
    )


def sweep(store: Store, plan: Plan, again: Callable[[], Plan], check: Callable[[], None]) -> int:
    """Remove what a plan lists; returns the number of files removed.

    `again` makes the plan once more before tables are removed: what was recorded meanwhile stays. `check` raises where
    this run may not go on.
    """
    count = _remove(store, plan.entries, check) + _remove(store, plan.recipes, check)
    still = {file.path for file in again().tables}
    return count + _remove(store, [file for file in plan.tables if file.path in still], check)


def _given_up(versions: Iterable[Version], keep: int, days: float, now: float) -> Iterator[Version]:
    """The versions that are neither the newest of their line and kind nor asked to be kept."""
    if not keep and not days:
        return
    kinds: dict[tuple[str, bool], list[Version]] = defaultdict(list)
    for one in versions:
        kinds[one.line, _part(one)].append(one)
    for its in kinds.values():
        numbers = sorted({one.number for one in its}, reverse=True)
        ranks = {number: rank for rank, number in enumerate(numbers)}  # the newest has rank 0
        for one in its:
            rank = ranks[one.number]
            if rank and (not keep or rank >= keep) and (not days or _before(one.created, now, days)):
                yield one


def _part(one: Version) -> bool:
    """Is the version of a day, or of a part of the corpus, and so no successor of the whole ones before it?"""
    return bool(one.as_of or one.limit)


def _before(created: str, now: float, days: float) -> bool:
    """Was it published more than so many days ago? False where it does not say when."""
    try:
        moment = datetime.fromisoformat(created)
    except ValueError:
        return False
    moment = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    return moment.timestamp() < now - timedelta(days=days).total_seconds()


def _path(store: Store, one: Version) -> str:
    """The path of a version's entry: two entries may hold the same."""
    return f"{store.root}/{one.place}"


def _evaluations(
    store: Store, kept: Iterable[Version], dropped: Iterable[Version], days: float, now: float
) -> Iterator[tuple[StoredFile, tuple[journal.Evaluation, bool]]]:
    """The file of each evaluation, and whether it stays.

    Those of kept versions do, those of dropped ones do not, and those of benchmarks that the journal does not know do
    until they are too old.
    """
    stay, go = {one.version for one in kept}, {one.version for one in dropped}
    noted = {file.path: file for file in list_files(store, journal.EVALUATIONS)}
    for one in journal.list_evaluations(store):
        if file := noted.get(f"{store.root}/{journal.EVALUATIONS}/{one.line}-{one.version or 'none'}.json"):
            too_old = bool(days) and file.written < now - timedelta(days=days).total_seconds()
            yield file, (one, one.version in stay or (one.version not in go and not too_old))


def _needed(store: Store, kept: Iterable[Version], evaluations: Iterable[journal.Evaluation]) -> _Needed:
    """The tables of these versions, and the recipes that led to them."""
    needed = _Needed()
    touched: dict[str, str] = {}
    for one in kept:
        needed.tables |= {*one.tables.values()}
        touched.setdefault(one.touched, f"version {one.number} of {one.out}")
    for use in evaluations:
        touched.setdefault(use.touched, f"the evaluation in {use.out}")
    needed.tables |= {*touched}
    for name, whose in touched.items():
        try:
            needed.recipes |= set(store.table(name)["recipe"].to_pylist()) if name else set()
        except TableDamaged as damage:
            needed.remarks.append(f"{damage}: what led to {whose} is not known, and the next run makes it anew")
    return needed


def _follow(store: Store, recipes: Iterable[str], needed: _Needed) -> None:
    """Add the tables that these recipes name, and those that such tables name in turn, to the needed ones."""
    naming: set[str] = set()
    for made in store.over(lambda name: _made(store, name), recipes):
        for kind, name in made.items():
            needed.tables.add(str(name))
            if kind not in ROWS:  # a table of batches names the tables of its batches
                naming.add(str(name))
    for names in store.over(lambda name: _names_in(store, name), sorted(naming)):
        needed.tables |= names


def _made(store: Store, recipe: str) -> Mapping[str, Any]:
    try:
        found = json.loads(store.fs.cat_file(f"{store.root}/recipes/{recipe}"))
    except (FileNotFoundError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def _names_in(store: Store, name: str) -> set[str]:
    """Every value of a table that looks like the name of a table."""
    try:
        table = store.table(name)
    except TableDamaged:
        return set()
    texts = [table[column] for column in table.column_names if pa.types.is_string(table[column].type)]
    return {text for column in texts for text in column.to_pylist() if text and TABLE_NAME.fullmatch(text)}


def _old(file: StoredFile | None, now: float) -> bool:
    """Is the file too old to be of a run that still goes on? A run writes its tables long before their recipe."""
    return file is not None and file.written < now - ABANDONED_AFTER


def _remove(store: Store, files: Iterable[StoredFile], check: Callable[[], None]) -> int:
    """Remove files, some at a time; returns how many were still there."""

    def remove(file: StoredFile) -> int:
        try:
            store.fs.rm_file(file.path)
        except FileNotFoundError:
            return 0
        return 1

    count, rest = 0, list(files)
    for start in range(0, len(rest), TOGETHER):
        check()
        count += sum(store.over(remove, rest[start : start + TOGETHER]))
    return count
