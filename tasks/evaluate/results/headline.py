"""The headline table for a terminal of 80 columns or more."""

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from rarefy.tasks.evaluate.results import wording

if TYPE_CHECKING:
    from rich.console import Group
    from rich.table import Table
    from rich.text import Text


def headline(summary: Mapping[str, Any]) -> "Group":
    """Per protocol a table: each system's headline numbers with interval, and how many units they are of."""
    from rich.console import Group
    from rich.text import Text

    told: list[Any] = [*_tables(summary)]
    lines = [
        f"{row['system'] or 'every system'} · {wording.title(row['protocol'], summary['protocols'])}: {row['why']}"
        for row in summary["left_out"]
    ]
    if lines:
        told += [Text("Left out", style="bold"), *(Text(f"  {line}") for line in lines)]
    return Group(*told)


def _tables(summary: Mapping[str, Any]) -> Iterator["Table | Text"]:
    from rich.table import Table
    from rich.text import Text

    rows = wording.headlines(summary["figures"])
    for (protocol,), mine in wording.grouped(rows, "protocol"):
        table = Table(
            title=Text(wording.title(protocol, summary["protocols"]), style="bold"),
            title_justify="left",
            box=None,
            padding=(0, 1, 0, 0),
            pad_edge=False,
        )
        table.add_column("", ratio=None, max_width=26, overflow="fold")
        table.add_column("value [interval]", overflow="fold", min_width=22)
        for name in ("scored", "failed", "missing", "skipped"):
            table.add_column(name, justify="right", no_wrap=True)
        for (system,), its in wording.grouped(mine, "system"):
            table.add_row(Text(wording.system(system), style="bold"))
            for row in wording.accompanied(its, summary["figures"]):
                numbers = [f"{row[f'n_{name}']:,}" for name in ("scored", "failed", "missing", "skipped")]
                table.add_row(
                    Text(_label(row)), _number(row), *(Text(n, style="" if n != "0" else "dim") for n in numbers)
                )
        yield table
        yield Text("\n".join([*_notes(mine), ""]), style="dim")


def _notes(rows: Iterable[Mapping[str, Any]]) -> Iterator[str]:
    """What has to be known beside the numbers: each thing once, with the numbers that it is said of."""
    said: dict[str, list[str]] = {}
    for row in rows:
        for note in row["note"].split("; "):
            if not note or note.endswith("exact bound"):  # how an interval was made: in the files
                continue
            said.setdefault(note, []).append(_label(row).strip())
    for note, of in said.items():
        yield f"  {', '.join(dict.fromkeys(of))}: {note}"


def _label(row: Mapping[str, Any]) -> str:
    if row["metric"].endswith(": refusal rate"):
        return "    refused"
    part = "" if row["slice"] == "all" else f" ({wording.slice_(row['slice'])})"
    return f"  {row['metric']}{part}"


def _number(row: Mapping[str, Any]) -> Any:
    from rich.text import Text

    shown = Text(
        wording.value(row), style="yellow" if row["withheld"] else "bold" if row["value"] is not None else "dim"
    )
    told = wording.interval(row)
    return shown if row["withheld"] or not told else shown.append(f" {told}", style="not bold")
