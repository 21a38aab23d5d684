"""The result for a terminal of 80 columns or more: the summary in plain sentences, and a short table per protocol."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from rarefy.tasks.evaluate.protocols import display_of
from rarefy.tasks.evaluate.results import wording
from rarefy.tasks.evaluate.results.own_retrieval import tables_for_terminal
from rarefy.tasks.evaluate.results.plain_summary import plain_summary

if TYPE_CHECKING:
    from rich.console import Group
    from rich.table import Table
    from rich.text import Text


ABOUT_TABLES = (
    "By protocol. Each has its own prompts and counts the kinds of question that its paper has, so that no accuracy "
    "here is the share above."
)
WHERE_MORE = "What each says: summary.md and report.html, or {}."


def headline(summary: Mapping[str, Any], folder: str, *, python: bool = False, verbose: bool = False) -> "Group":
    """The plain summary, then per protocol accuracy and main numbers of each system; all others are in summary.md.

    `folder` is where the result lies, for the commands that the summary names; `python`: it names arguments instead.
    `verbose`: each protocol has its question, and each number what it says; the system's own retrieval has a table.
    """
    from rich.console import Group
    from rich.padding import Padding
    from rich.text import Text

    budget = wording.describe_budget(summary)
    parts: list[Any] = [Text(f"{budget}\n", style="bold")] if budget else []
    for line in plain_summary(summary, folder, python=python).splitlines():
        words = line.lstrip()
        parts.append(Padding(Text(words), (0, 0, 0, len(line) - len(words)), expand=False))
    about = [] if verbose else [WHERE_MORE.format("summary(verbose=True)" if python else "--verbose")]
    about = [*filter(None, (ABOUT_TABLES if parts else "", wording.why_no_intervals(summary))), *about]
    parts += [Text(f"\n{' '.join(about)}\n" if about else "", style="dim")]
    parts += [*_tables(summary), *tables_for_terminal(summary)] if verbose else [*_brief_table(summary)]
    lines = []
    for row in summary["left_out"]:
        title = wording.protocol_title(row["protocol"], summary["protocols"])
        lines.append(f"{wording.system_title(row['system'])} · {title}: {row['why']}")
    if lines:
        parts += [Text("Left out", style="bold"), *(Text(f"  {line}") for line in lines)]
    return Group(*parts)


def _brief_table(summary: Mapping[str, Any]) -> Iterator["Table | Text"]:
    """One table of all protocols, a line for each number, and what to mind of them."""
    from rich.text import Text

    table = _empty_table(summary)
    cautions: list[str] = []
    for (protocol,), mine in wording.group_rows(wording.headline_rows(summary["figures"]), "protocol"):
        table.add_row(Text(wording.protocol_title(protocol, summary["protocols"]), style="bold"))
        _add_rows(table, cautions, summary, protocol, mine, name_protocol=True)
    if table.row_count:
        yield table
    yield Text("\n".join(cautions), style="yellow") if cautions else Text("", end="")


def brief_rows(summary: Mapping[str, Any]) -> list[dict[str, str]]:
    """A record for each number of the brief table, all in words."""
    records = []
    for (protocol, system), _ in wording.group_rows(wording.headline_rows(summary["figures"]), "protocol", "system"):
        about = {"protocol": wording.protocol_title(protocol, summary["protocols"])}
        about |= {"system": wording.system_title(system)} if len(summary["systems"]) > 1 else {}
        for row in wording.table_rows(summary["figures"], protocol, system, brief=True):
            named = about | {
                "number": _full_label(row, summary).strip(),
                _value_head(summary): _number(row).plain,
                "scored": _scored(row),
            }
            records.append(named | {wording.cluster_name(summary): f"{row['clusters']:,}"})
    return records


def _tables(summary: Mapping[str, Any]) -> Iterator["Table | Text"]:
    from rich.text import Text

    for (protocol,), mine in wording.group_rows(wording.headline_rows(summary["figures"]), "protocol"):
        about = display_of(protocol).about
        title = Text(wording.protocol_title(protocol, summary["protocols"]), style="bold")
        yield title.append(f": {about}" if about else "", style="not bold")
        table = _empty_table(summary)
        cautions: list[str] = []
        shown = _add_rows(table, cautions, summary, protocol, mine)
        yield table
        yield Text("\n".join(cautions), style="yellow") if cautions else Text("", end="")
        yield Text("\n".join([*_explanations(shown, summary["figures"]), *_notes(shown), ""]), style="dim")


def _empty_table(summary: Mapping[str, Any]) -> "Table":
    from rich.table import Table

    table = Table(box=None, padding=(0, 1, 0, 0), pad_edge=False)
    table.add_column("", ratio=None, max_width=36, overflow="fold")
    table.add_column(_value_head(summary), overflow="fold", min_width=22)
    table.add_column("scored", justify="right", overflow="fold")
    table.add_column(wording.cluster_name(summary).replace(" ", "\n"), justify="right", overflow="fold")
    return table


def _value_head(summary: Mapping[str, Any]) -> str:
    return "value [95 % interval]" if wording.has_intervals(summary) else "value"


def _add_rows(
    table: "Table",
    cautions: list[str],
    summary: Mapping[str, Any],
    protocol: str,
    mine: Iterable[Mapping[str, Any]],
    *,
    name_protocol: bool = False,
) -> list[Mapping[str, Any]]:
    """Add the numbers of each system under a protocol to a table, and what to mind of them; returns the numbers."""
    from rich.text import Text

    shown: list[Mapping[str, Any]] = []
    systems = [system for (system,), _ in wording.group_rows(mine, "system")]
    for system in systems:
        rows = wording.table_rows(summary["figures"], protocol, system, brief=True)
        if len(summary["systems"]) > 1 or system not in summary["systems"]:
            table.add_row(Text(wording.system_title(system), style="bold"))
        for row in rows:
            table.add_row(Text(_full_label(row, summary)), _number(row), _scored(row), f"{row['clusters']:,}")
        caution = wording.describe_caution(rows, protocol)
        of = f" ({wording.system_title(system)})" if len(systems) > 1 else ""
        of = f", {wording.protocol_title(protocol, summary['protocols'])}{of}" if name_protocol else of
        cautions += [f"  Mind{of}: {caution}."] if caution else []
        shown += rows
    return shown


def _explanations(rows: Iterable[Mapping[str, Any]], figures: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """What each number says, each once."""
    yield from (f"  {name}: {about}" for name, about in wording.describe_metrics(rows, figures))


def _notes(rows: Iterable[Mapping[str, Any]]) -> Iterator[str]:
    """What is missing from these numbers or too little, each once with the numbers; other notes are in summary.md."""
    labels: dict[str, list[str]] = {}
    for row in rows:
        for note in row["note"].split("; "):
            if not note.startswith("no ") and not note.endswith("too narrow"):
                continue
            labels.setdefault(wording.note_in_words(note), []).append(_label(row).strip())
    for note, names in labels.items():
        yield f"  {', '.join(dict.fromkeys(names))}: {note}"


def _full_label(row: Mapping[str, Any], summary: Mapping[str, Any]) -> str:
    of = wording.whose_passages(row, summary["figures"])
    return f"{_label(row)}{f', {of}' if of else ''}"


def _label(row: Mapping[str, Any]) -> str:
    part = "" if row["slice"] == "all" else f" ({wording.format_slice(row['slice'])})"
    return f"  {wording.metric_title(row).name}{part}"


def _scored(row: Mapping[str, Any]) -> str:
    due = row["n_scored"] + row["n_failed"] + row["n_missing"]
    return f"{row['n_scored']:,} of {due:,}"


def _number(row: Mapping[str, Any]) -> Any:
    from rich.text import Text

    style = "yellow" if row["withheld"] else "bold" if row["value"] is not None else "dim"
    shown, ends = Text(wording.format_value(row, bare=True), style=style), wording.format_ends(row)
    return shown.append(f" {ends}", style="not bold") if ends else shown
