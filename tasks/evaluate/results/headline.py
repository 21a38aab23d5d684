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

    budget = wording.describe_budget(summary)
    parts: list[Any] = [*([Text(f"{budget}\n", style="bold")] if budget else []), *_tables(summary)]
    lines = []
    for row in summary["left_out"]:
        title = wording.protocol_title(row["protocol"], summary["protocols"])
        lines.append(f"{wording.system_title(row['system'])} · {title}: {row['why']}")
    if lines:
        parts += [Text("Left out", style="bold"), *(Text(f"  {line}") for line in lines)]
    return Group(*parts)


def _tables(summary: Mapping[str, Any]) -> Iterator["Table | Text"]:
    from rich.table import Table
    from rich.text import Text

    rows = wording.headline_rows(summary["figures"])
    for (protocol,), mine in wording.group_rows(rows, "protocol"):
        table = Table(
            title=Text(wording.protocol_title(protocol, summary["protocols"]), style="bold"),
            title_justify="left",
            box=None,
            padding=(0, 1, 0, 0),
            pad_edge=False,
        )
        table.add_column("", ratio=None, max_width=26, overflow="fold")
        table.add_column("value [interval]", overflow="fold", min_width=22)
        for name in ("scored", "failed", "missing", "skipped"):
            table.add_column(name, justify="right", no_wrap=True)
        for (system,), its in wording.group_rows(mine, "system"):
            table.add_row(Text(wording.system_title(system), style="bold"))
            for row in wording.with_companions(its, summary["figures"]):
                numbers = [f"{row[f'n_{name}']:,}" for name in ("scored", "failed", "missing", "skipped")]
                table.add_row(
                    Text(_label(row)), _number(row), *(Text(n, style="" if n != "0" else "dim") for n in numbers)
                )
        yield table
        yield Text("\n".join([*_notes(mine), ""]), style="dim")


def _notes(rows: Iterable[Mapping[str, Any]]) -> Iterator[str]:
    """The notes of these numbers, each once with the numbers it applies to."""
    labels: dict[str, list[str]] = {}
    for row in rows:
        for note in row["note"].split("; "):
            if not note or note.endswith("exact bound"):  # how an interval was made: in the files
                continue
            labels.setdefault(note, []).append(_label(row).strip())
    for note, names in labels.items():
        yield f"  {', '.join(dict.fromkeys(names))}: {note}"


def _label(row: Mapping[str, Any]) -> str:
    if row["metric"].endswith(": refusal rate"):
        return "    refused"
    part = "" if row["slice"] == "all" else f" ({wording.format_slice(row['slice'])})"
    return f"  {row['metric']}{part}"


def _number(row: Mapping[str, Any]) -> Any:
    from rich.text import Text

    shown = Text(
        wording.format_value(row), style="yellow" if row["withheld"] else "bold" if row["value"] is not None else "dim"
    )
    interval = wording.format_interval(row)
    return shown if row["withheld"] or not interval else shown.append(f" {interval}", style="not bold")
