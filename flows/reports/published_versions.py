"""What a store has published, for a terminal of 80 columns: a heading for each folder, and a row for each version."""

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table
from rich.text import Text

from rarefy.tasks.refresh.versions.shown import counted
from rarefy.tasks.store.journal import Version
from rarefy.tasks.text.visible import visible

SHORT = 12  # digits of a version that are shown
COLUMNS = {"no.": True, "version": False, "when (UTC)": False, "documents": True, "questions": True}  # to the right?


def show(found: Sequence[Version], console: Console) -> None:
    """Each line of versions under its folder and its corpus; which run made them, where there is a server to ask."""
    for line in dict.fromkeys(one.line for one in found):
        _show_line([one for one in found if one.line == line], console)


def changed(one: Version) -> str:
    """What changed against the version before it, in a few words: documents and questions."""
    if not one.parent:
        return "the first"
    if not one.changes:
        return "not compared"
    return ", ".join(_changed(one)) or "none in documents and questions"


def near(place: str) -> str:
    """A path as short as it can be said here: from this folder, or from one's own (~); anything else as it is."""
    path = Path(place)
    if "://" in place or not path.is_absolute():
        return place
    if path.is_relative_to(here := Path.cwd()):
        return str(path.relative_to(here))
    home = Path.home()
    return f"~/{path.relative_to(home)}" if path.is_relative_to(home) and path != home else place


def _changed(one: Version) -> Iterator[str]:
    """One class of a kind by its name; several in one number, which fits."""
    for kind in ("documents", "questions"):
        its = {
            name: count
            for name, count in one.changes.items()
            if count and name.startswith(f"{kind}_") and not name.endswith("_unchanged")
        }
        if its:
            yield counted(next(iter(its)) if len(its) == 1 else f"{kind}_changed", sum(its.values()))


def _show_line(found: Sequence[Version], console: Console) -> None:
    corpora = list(dict.fromkeys(one.corpus for one in found))
    _say(console, f"{near(found[-1].out)}, of {near(corpora[-1])}")
    table = Table(box=SIMPLE_HEAD, show_edge=False, pad_edge=False, collapse_padding=True)
    for name, figures in COLUMNS.items():
        table.add_column(name, justify="right" if figures else "left", no_wrap=True)
    table.add_column("changes", overflow="fold")
    for one in found:
        aside = [f"as of {one.as_of}"] if one.as_of else []
        aside += [f"of {near(one.corpus)}"] if one.corpus != corpora[-1] else []
        counts = (f"{one.counts.get(kind, 0):,}" for kind in ("documents", "questions"))
        cells = (str(one.number), one.version[:SHORT], _when(one.created), *counts, "; ".join([changed(one), *aside]))
        table.add_row(*(Text(visible(cell)) for cell in cells))
    console.print(table)
    for one in found:
        if one.run_url:
            _say(console, f"{one.number} was made by {one.run_url}")
    console.print()


def _say(console: Console, text: str) -> None:
    console.print(visible(text), markup=False, highlight=False, emoji=False, soft_wrap=True)


def _when(created: str) -> str:
    """To the minute."""
    try:
        return datetime.fromisoformat(created).astimezone(UTC).strftime("%Y-%m-%d %H:%M")
    except ValueError:
        return created
