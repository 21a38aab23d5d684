"""The commands `rarefy versions`, `diff` and `gc`: what was published, what changed, what may go."""

import argparse
import dataclasses
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rarefy.flows.cli import checks
from rarefy.flows.cli.options import (
    RAW_TEXT,
    add_json,
    add_store,
    amount,
    count,
)
from rarefy.flows.engine.reachability import check_store
from rarefy.flows.faults import Fault, UsageFault

if TYPE_CHECKING:
    import pyarrow as pa
    from rich.console import Console

    from rarefy.tasks.refresh.versions import Changes
    from rarefy.tasks.store.gc import Plan
    from rarefy.tasks.store.journal import Version
    from rarefy.tasks.store.tables import Store

VERSIONS = """\
List what was published from a store: number and version, when, of which documents, what changed against the version
before, and the run that made it. Every one of them can be compared (`rarefy diff`) for as long as the store keeps it.
"""
DIFF = """\
Say what changed between two benchmarks: documents, sections and paragraphs; facts that came, went or were restated;
questions that were added or retired, whose answer changed, whose evidence moved, and which stand as they were.
OLD and NEW are folders of benchmarks, versions (or their beginnings), or numbers that `rarefy versions` lists.
With --out, DIR gets changes.md, changes.html, changes.jsonl (every row) and changes.json (counts).
"""
DIFF_EXAMPLES = """\
examples:
  rarefy diff 3 4
  rarefy diff last-month/ benchmark/ --out changes/
  rarefy diff 72aeca 9d0143 --json
"""
GC = """\
Say what of a store nothing needs any more, and with --yes remove it. Kept is all that a kept version leads to: its
tables, and what a refresh of it finds made. Without --keep and --older-than no version is given up, and what goes is
what interrupted and superseded runs left. The newest version of a folder always stays, and so does whatever is younger
than an hour. Replies of models, answers of systems, embeddings and indexes are not touched.
"""


def add_commands(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Add versions, diff and gc to the command line."""
    parser = commands.add_parser(
        "versions", help="what was published, and what changed", description=VERSIONS, **RAW_TEXT
    )
    parser.add_argument("--out", metavar="DIR", default="", help="only what was published in this folder")
    add_json(parser, "all there is to say of each, as JSON")
    add_store(parser)
    parser.set_defaults(run=versions)

    parser = commands.add_parser(
        "diff", help="what changed between two benchmarks", description=DIFF, epilog=DIFF_EXAMPLES, **RAW_TEXT
    )
    parser.add_argument("old", metavar="OLD", help="a folder, a version, or its number")
    parser.add_argument("new", metavar="NEW", help="another")
    parser.add_argument("--of", metavar="DIR", default="", help="the folder whose versions the numbers are of")
    parser.add_argument("--out", metavar="DIR", type=Path, help="folder for the changes")
    add_json(parser, "counts and rows as JSON")
    add_store(parser)
    parser.set_defaults(run=diff)

    parser = commands.add_parser("gc", help="give up what nothing needs", description=GC, **RAW_TEXT)
    parser.add_argument("--keep", metavar="N", type=count, default=0, help="of each folder's versions the N newest")
    parser.add_argument(
        "--older-than",
        metavar="DAYS",
        type=amount,
        default=0.0,
        help="give up versions published so long ago; with --keep, of those that are not among the N",
    )
    parser.add_argument("--yes", action="store_true", help="do it (default: only say what would go)")
    add_json(parser, "as JSON, with every file")
    add_store(parser)
    parser.set_defaults(run=gc)


SHOWN = 5  # rows of a class on the terminal
LONG = 160  # characters of a text
SHORT = 12  # digits of a version that are shown


@dataclass(frozen=True)
class Side:
    """A benchmark that is compared, with its name in messages."""

    label: str
    version: str
    tables: "Mapping[type, pa.Table]"


def versions(given: argparse.Namespace) -> int:
    """List the versions that were published from a store."""
    from rarefy.flows.reports import version_report
    from rarefy.flows.reports.console import Terminal
    from rarefy.tasks.store import journal

    store = _store(given.store)
    found, broken = journal.read_entries(store, journal.line_of(given.out) if given.out else "")
    if given.json:
        print(json.dumps([one.model_dump(mode="json") for one in found], indent=1, ensure_ascii=False))
        return 0
    if not found:
        of = f" of {given.out}" if given.out else ""
        raise UsageFault(
            f"no version{of} in {store.told}; `rarefy build` and `rarefy refresh` record what they publish"
        )
    version_report.show_versions(found, Terminal())
    for path in broken:
        checks.print_message(f"{path} cannot be read and is left out: restore it, or remove it", 1)
    return 0


def diff(given: argparse.Namespace) -> int:
    """Print what changed between two benchmarks."""
    from rarefy.flows.reports.console import Terminal
    from rarefy.tasks.refresh.versions import compare_tables, summarise_changes, write_changes

    old, new = (side(name, given.store, given.of) for name in (given.old, given.new))
    found = compare_tables(old.tables, new.tables)
    if given.out:
        _check_out(given.out)
        write_changes(given.out, found, old.label, new.label)
    if given.json:
        content = {
            **summarise_changes(found, old.label, new.label),
            "rows": [dataclasses.asdict(row) for row in found.rows],
        }
        print(json.dumps(content, indent=1, ensure_ascii=False))
    else:
        show(found, old.label, new.label, Terminal())
        if given.out:
            checks.print_message(f"Every one of them: {given.out / 'changes.html'}", 0)
    return 0


def gc(given: argparse.Namespace) -> int:
    """Print what a store need not keep; with --yes remove it."""
    from rarefy.tasks.store.active_runs import StoreInUse, living_runs, mark_sweep
    from rarefy.tasks.store.gc import CannotSweep, plan_sweep, sweep
    from rarefy.tasks.store.lease import LeaseBusy, LeaseLost, hold_lease

    store = _store(given.store)

    def make_plan() -> "Plan":
        return plan_sweep(store, given.keep, given.older_than)

    try:
        if not given.yes:
            _print_plan(store, make_plan(), given, False)
            for run in living_runs(store).values():
                checks.print_message(f"{run} works on this store: nothing is removed until it has ended", 0)
            return 0
        held = hold_lease(store, "rarefy gc", say=lambda text: void(checks.print_message(text, 0)))
        with held as lease, mark_sweep(store, "rarefy gc"):
            wanted = make_plan()
            sweep(store, wanted, make_plan, lease.check)
            store.sweep()
        _print_plan(store, wanted, given, True)
    except CannotSweep as error:
        raise UsageFault(str(error)) from error
    except (LeaseBusy, LeaseLost, StoreInUse) as error:
        raise Fault(str(error)) from error
    return 0


def void(_: object) -> None:
    """None, whatever the argument is."""


def side(name: str, url: str, of: str = "") -> Side:
    """A benchmark by its folder, its version or the beginning of it, or its number in a line; UsageFault otherwise.

    `of` is the folder whose line a number counts in, where the store knows more than one.
    """
    from rarefy.tasks.refresh.versions.compare import load_version_tables as stored
    from rarefy.tasks.store import journal

    if Path(name).is_dir():
        return _folder(Path(name))
    try:
        store = _store(url)
        found = journal.find_version(store, name, journal.line_of(of) if of else "")
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

    from rarefy.flows.engine.benchmark_folder import migrate_table, read_manifest
    from rarefy.tasks.export.files import sha256
    from rarefy.tasks.export.tables import NAMES
    from rarefy.tasks.refresh.versions import COLUMNS

    manifest = read_manifest(place)
    tables = {}
    for row_type, columns in COLUMNS.items():
        kind = NAMES[row_type]
        file = place / f"{kind}.parquet"
        if file.name not in manifest["files"]:
            raise UsageFault(f"{place}: no {file.name} in its manifest; give the folder of `rarefy build` or `refresh`")
        try:
            if sha256(file) != manifest["files"][file.name]:
                raise UsageFault(f"{file} is not the file that the manifest lists: it was changed; build it again")
            there = pq.read_schema(file).names
            table = pq.read_table(file, columns=[column for column in columns if column in there])
        except FileNotFoundError:
            raise UsageFault(f"{file} is not there, so that this is no whole benchmark; build it again") from None
        except pa.ArrowException as error:
            raise UsageFault(f"{file} cannot be read ({error}); build it again") from error
        tables[row_type] = migrate_table(kind, table, manifest, file)
    version = str(manifest.get("version", ""))
    return Side(f"{place.resolve().name} ({version[:SHORT]})", version, tables)


def show(found: "Changes", old: str, new: str, console: "Console") -> None:
    """Print counts, and the first rows of each kind of change but those that follow from others."""
    from rarefy.flows.reports.console import as_table
    from rarefy.tasks.refresh.versions.report import COUNTED_ONLY, crop_pair, group_changes
    from rarefy.tasks.text.characters import shorten, visible

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
    for one in group_changes(found, SHOWN):
        if (one.rows or one.note) and one.kind not in COUNTED_ONLY and one.change != "unchanged":
            console.print(f"\n{one.title} ({one.count:,}): {one.note}".rstrip(), markup=False, highlight=False)
            for row in one.rows:
                about, before, after, detail = (
                    " ".join(part.split())
                    for part in (row.about or row.section or row.doc_id, row.before, row.after, row.detail)
                )
                said = [shorten(about, LONG), *_both(*crop_pair(before, after, LONG)), shorten(detail, LONG)]
                line = visible(" | ".join(filter(None, said)))
                console.print(f"  {line}", markup=False, highlight=False, emoji=False, soft_wrap=True)
            if one.more:
                console.print(f"  … and {one.more:,} more", markup=False, highlight=False)


def _both(before: str, after: str) -> list[str]:
    return [f"{before} → {after}"] if before and after else [before or after]


def _print_plan(store: "Store", told: "Plan", given: argparse.Namespace, done: bool) -> None:
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
        checks.print_message(remark, 0)
    for one in told.dropped:
        print(f"version {one.number} ({one.version[:SHORT]}) of {one.out}, {one.created[:10]}")
    summary = ", ".join(f"{count:,} {name}" for name, count in counts.items())
    print(f"{'removed' if done else 'would go'}: {summary}; {len(told.files):,} files, {told.size / 1e6:,.1f} MB")
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

    check_store(url)
    return Store(url)


def _check_out(place: Path) -> None:
    if place.exists() and not place.is_dir():
        raise UsageFault(f"--out {place}: a file stands there; choose a folder")
