"""What a store has published, and what came of a refresh, for a person at a terminal."""

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table
from rich.text import Text

from rarefy.flows.refresh import RefreshResult
from rarefy.flows.reports import build_report
from rarefy.flows.reports.console import as_table
from rarefy.tasks.refresh.versions.compare import describe_differing_settings
from rarefy.tasks.refresh.versions.report import format_count
from rarefy.tasks.store.journal import Version
from rarefy.tasks.text.characters import visible

SHORT = 12  # digits of a version that are shown
COLUMNS = {"no.": True, "version": False, "when (UTC)": False, "documents": True, "questions": True}  # to the right?


def show_versions(found: Sequence[Version], console: Console) -> None:
    """Print a table for each line of versions: folder, corpus, a row for each version, and their runs in Prefect."""
    for line in dict.fromkeys(one.line for one in found):
        _show_line([one for one in found if one.line == line], console)


def describe_changes(one: Version) -> str:
    """What changed against the version before it, in a few words: documents and questions."""
    if not one.parent:
        return "the first"
    if not one.changes:
        return "not compared"
    return ", ".join(_change_counts(one)) or "none in documents and questions"


def shorten_path(place: str) -> str:
    """A path relative to the current folder or to ~, where it lies in one of them."""
    path = Path(place)
    if "://" in place or not path.is_absolute():
        return place
    if path.is_relative_to(here := Path.cwd()):
        return str(path.relative_to(here))
    home = Path.home()
    return f"~/{path.relative_to(home)}" if path.is_relative_to(home) and path != home else place


def _change_counts(one: Version) -> Iterator[str]:
    """Changes of documents and of questions: one kind of change by its name, several as one number."""
    for kind in ("documents", "questions"):
        its = {
            name: count
            for name, count in one.changes.items()
            if count and name.startswith(f"{kind}_") and not name.endswith("_unchanged")
        }
        if its:
            yield format_count(next(iter(its)) if len(its) == 1 else f"{kind}_changed", sum(its.values()))


def _show_line(found: Sequence[Version], console: Console) -> None:
    corpora = list(dict.fromkeys(one.corpus for one in found))
    _print(console, f"{shorten_path(found[-1].out)}, of {shorten_path(corpora[-1])}")
    table = Table(box=SIMPLE_HEAD, show_edge=False, pad_edge=False, collapse_padding=True)
    for name, figures in COLUMNS.items():
        table.add_column(name, justify="right" if figures else "left", no_wrap=True)
    table.add_column("changes", overflow="fold")
    for one in found:
        aside = [f"as of {one.as_of}"] if one.as_of else []
        aside += [f"of {shorten_path(one.corpus)}"] if one.corpus != corpora[-1] else []
        counts = (f"{one.counts.get(kind, 0):,}" for kind in ("documents", "questions"))
        cells = (
            str(one.number),
            one.version[:SHORT],
            _when(one.created),
            *counts,
            "; ".join([describe_changes(one), *aside]),
        )
        table.add_row(*(Text(visible(cell)) for cell in cells))
    console.print(table)
    for one in found:
        if one.run_url:
            _print(console, f"{one.number} was made by {one.run_url}")
    console.print()


def _print(console: Console, text: str) -> None:
    console.print(visible(text), markup=False, highlight=False, emoji=False, soft_wrap=True)


def _when(created: str) -> str:
    """To the minute."""
    try:
        return datetime.fromisoformat(created).astimezone(UTC).strftime("%Y-%m-%d %H:%M")
    except ValueError:
        return created


NOTHING_DONE = {
    "not wanted": "Nobody asked for a refresh since the last one: nothing done",
    "busy": "Another refresh runs here; it goes again when it is done",
}


def show_refresh(done: RefreshResult, console: Console, *, verbose: bool = False) -> None:
    """Print what changed since the version before, then the report of the build, where something was made."""
    if done.status in NOTHING_DONE or done.built is None or done.version is None:
        console.print(NOTHING_DONE[done.status], markup=False)
        return
    if done.status == "unchanged":
        console.print(
            f"Nothing changed: version {done.version.number} ({done.version.version[:12]}) stands", markup=False
        )
        return
    if done.settings and done.before is not None:
        console.print(
            describe_differing_settings(done.settings, str(done.before.number)),
            markup=False,
            highlight=False,
            soft_wrap=True,
        )
    if done.changes is not None and done.before is not None:
        rows = [
            {"what": name.replace("_", " "), "rows": f"{count:,}"}
            for name, count in done.changes.counts.items()
            if count
        ]
        console.print(as_table(f"Changes since version {done.before.number}", rows))
        every = Path(done.version.out, "changes.html")
        console.print(f"Every one of them: {every}", markup=False, soft_wrap=True)
    console.print()
    build_report.show(done.built, console, verbose=verbose)
