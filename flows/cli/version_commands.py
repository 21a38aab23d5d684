"""The commands `rarefy versions`, `diff` and `gc`: what was published, what changed, what may go."""

import argparse
import dataclasses
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rarefy.flows.cli import commands
from rarefy.flows.faults import Fault, UsageFault

if TYPE_CHECKING:
    import pyarrow as pa
    from rich.console import Console

    from rarefy.tasks.refresh.versions import Changes
    from rarefy.tasks.store.gc import Plan
    from rarefy.tasks.store.journal import Version
    from rarefy.tasks.store.tables import Store

SHOWN = 5  # rows of a class on the terminal
LONG = 160  # characters of a text
SHORT = 12  # digits of a version that are shown


@dataclass(frozen=True)
class Side:
    """A benchmark that is compared."""

    said: str  # what it is called here
    version: str
    tables: "Mapping[type, pa.Table]"


def versions(given: argparse.Namespace) -> int:
    """List what a store has published."""
    from rarefy.flows.reports import published_versions
    from rarefy.flows.reports.console import Terminal
    from rarefy.tasks.store import journal

    store = _store(given.store)
    found, broken = journal.read(store, journal.line_of(given.out) if given.out else "")
    if given.json:
        print(json.dumps([one.model_dump(mode="json") for one in found], indent=1, ensure_ascii=False))
        return 0
    if not found:
        of = f" of {given.out}" if given.out else ""
        raise UsageFault(
            f"no version{of} in {store.told}; `rarefy build` and `rarefy refresh` record what they publish"
        )
    published_versions.show(found, Terminal())
    for path in broken:
        commands.tell(f"{path} cannot be read and is left out: restore it, or remove it", 1)
    return 0


def diff(given: argparse.Namespace) -> int:
    """Tell what changed between two benchmarks."""
    from rarefy.flows.reports.console import Terminal
    from rarefy.tasks.refresh.versions import changes, plain, write

    old, new = (side(name, given.store, given.of) for name in (given.old, given.new))
    found = changes(old.tables, new.tables)
    if given.out:
        _check_out(given.out)
        write(given.out, found, old.said, new.said)
    if given.json:
        told = {**plain(found, old.said, new.said), "rows": [dataclasses.asdict(row) for row in found.rows]}
        print(json.dumps(told, indent=1, ensure_ascii=False))
    else:
        show(found, old.said, new.said, Terminal())
        if given.out:
            commands.tell(f"Every one of them: {given.out / 'changes.html'}", 0)
    return 0


def gc(given: argparse.Namespace) -> int:
    """Say what a store need not keep, and remove it where that was asked for."""
    from rarefy.tasks.store.active_runs import Running, alone, living
    from rarefy.tasks.store.gc import Unsure, plan, sweep
    from rarefy.tasks.store.lease import Busy, LeaseLost, taken

    store = _store(given.store)

    def made() -> "Plan":
        return plan(store, given.keep, given.older_than)

    try:
        if not given.yes:
            _tell_plan(store, made(), given, False)
            for run in living(store).values():
                commands.tell(f"{run} works on this store: nothing is removed until it has ended", 0)
            return 0
        held = taken(store, "rarefy gc", say=lambda text: void(commands.tell(text, 0)))
        with held as lease, alone(store, "rarefy gc"):
            wanted = made()
            sweep(store, wanted, made, lease.check)
            store.sweep()
        _tell_plan(store, wanted, given, True)
    except Unsure as error:
        raise UsageFault(str(error)) from error
    except (Busy, LeaseLost, Running) as error:
        raise Fault(str(error)) from error
    return 0


def void(_: object) -> None:
    """Nothing, of something."""


def side(name: str, url: str, of: str = "") -> Side:
    """A benchmark by its folder, its version or the beginning of it, or its number in a line; UsageFault otherwise.

    `of` is the folder whose line a number counts in, where the store knows more than one.
    """
    from rarefy.tasks.refresh.versions.stored import of as stored
    from rarefy.tasks.store import journal

    if Path(name).is_dir():
        return _folder(Path(name))
    try:
        store = _store(url)
        found = journal.find(store, name, journal.line_of(of) if of else "")
    except journal.UnknownVersion as error:
        way_out = "" if of else "; a number counts in one folder's versions, which --of DIR names"
        raise UsageFault(f"{name}: no such folder, and {error}{way_out}") from error
    return Side(f"{found.number} ({found.version[:SHORT]})", found.version, _known(stored, store, found))


def _known(read: Any, store: "Store", version: "Version") -> "Mapping[type, pa.Table]":
    from rarefy.data_contracts.schemas import NewerSchema

    try:
        tables: Mapping[type, pa.Table] = read(store, version)
    except NewerSchema as error:
        raise UsageFault(f"version {version.number} ({version.version[:SHORT]}): {error}") from error
    return tables


def _folder(place: Path) -> Side:
    """The benchmark in a folder, each file proved to be what the manifest says."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    from rarefy.flows.engine.table_versions import brought_up, manifest_of
    from rarefy.tasks.export.files import sha256
    from rarefy.tasks.export.tables import NAMES
    from rarefy.tasks.refresh.versions import COLUMNS

    told = manifest_of(place)
    tables = {}
    for row_type, columns in COLUMNS.items():
        kind = NAMES[row_type]
        file = place / f"{kind}.parquet"
        if file.name not in told["files"]:
            raise UsageFault(f"{place}: no {file.name} in its manifest; give the folder of `rarefy build` or `refresh`")
        try:
            if sha256(file) != told["files"][file.name]:
                raise UsageFault(f"{file} is not the file that the manifest lists: it was changed; build it again")
            there = pq.read_schema(file).names
            table = pq.read_table(file, columns=[column for column in columns if column in there])
        except FileNotFoundError:
            raise UsageFault(f"{file} is not there, so that this is no whole benchmark; build it again") from None
        except pa.ArrowException as error:
            raise UsageFault(f"{file} cannot be read ({error}); build it again") from error
        tables[row_type] = brought_up(kind, table, told, file)
    version = str(told.get("version", ""))
    return Side(f"{place.resolve().name} ({version[:SHORT]})", version, tables)


def show(found: "Changes", old: str, new: str, console: "Console") -> None:
    """Counts, and the first rows of each class but those that follow from others."""
    from rarefy.flows.reports.tables import as_table
    from rarefy.tasks.refresh.versions.shown import FOLLOWS, beside, shortened, shown
    from rarefy.tasks.text.visible import visible

    old, new = visible(old), visible(new)
    if found.nothing:
        console.print(f"Nothing changed from {old} to {new}", markup=False, highlight=False, emoji=False)
        return
    rows = [
        {"what": kind, "became": ", ".join(f"{n:,} {what.replace('_', ' ')}" for what, n in its.items() if n)}
        for kind, its in found.by_kind.items()
        if any(its.values())
    ]
    console.print(as_table(f"From {old} to {new}", rows))
    for one in shown(found, SHOWN):
        if one.rows and one.kind not in FOLLOWS and one.change != "unchanged":
            console.print(f"\n{one.title} ({one.count:,}):", markup=False, highlight=False)
            for row in one.rows:
                about, before, after, detail = (
                    " ".join(part.split())
                    for part in (row.about or row.section or row.doc_id, row.before, row.after, row.detail)
                )
                said = [shortened(about, LONG), *_both(*beside(before, after, LONG)), shortened(detail, LONG)]
                line = visible(" | ".join(filter(None, said)))
                console.print(f"  {line}", markup=False, highlight=False, emoji=False, soft_wrap=True)
            if one.more:
                console.print(f"  … and {one.more:,} more", markup=False, highlight=False)


def _both(before: str, after: str) -> list[str]:
    return [f"{before} → {after}"] if before and after else [before or after]


def _tell_plan(store: "Store", told: "Plan", given: argparse.Namespace, done: bool) -> None:
    counts = {
        "versions": len(told.dropped),
        "entries": len(told.entries),
        "recipes": len(told.recipes),
        "tables": len(told.tables),
    }
    if given.json:
        about = {
            **counts, "bytes": told.size, "removed": done, "kept": [one.version for one in told.kept],
            "dropped": [one.version for one in told.dropped], "young": told.young, "remarks": list(told.remarks),
            "too_young": [one.version for one in told.too_young],
            "files": [file.path for file in told.files],
        }  # fmt: skip
        print(json.dumps(about, indent=1, ensure_ascii=False))
        return
    for remark in told.remarks:
        commands.tell(remark, 0)
    for one in told.dropped:
        print(f"version {one.number} ({one.version[:SHORT]}) of {one.out}, {one.created[:10]}")
    said = ", ".join(f"{count:,} {name}" for name, count in counts.items())
    print(f"{'removed' if done else 'would go'}: {said}; {len(told.files):,} files, {told.size / 1e6:,.1f} MB")
    print(
        f"kept: {len(told.kept):,} versions with all they need; replies of models, embeddings and indexes as they are"
    )
    for one in told.too_young:
        print(
            f"left alone: version {one.number} ({one.version[:SHORT]}) of {one.out}, whose entry in the journal was "
            "written within the hour; later it may go"
        )
    if told.young:
        print(f"left alone: {told.young:,} files younger than an hour, which a run may need; later they may go")
    if not done and told.files:
        print("nothing was removed: say --yes to do it")


def _store(url: str) -> "Store":
    from rarefy.tasks.store.tables import Store

    commands.check_store(url)
    return Store(url)


def _check_out(place: Path) -> None:
    if place.exists() and not place.is_dir():
        raise UsageFault(f"--out {place}: a file stands there; choose a folder")
