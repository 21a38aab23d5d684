"""How well a system's own retriever finds the gold, by wording: the numbers of a summary as rows of a table."""

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from rarefy.tasks.evaluate.results import wording
from rarefy.tasks.text.markdown import markdown_table, markdown_text

if TYPE_CHECKING:
    from rich.table import Table

UNCHANGED = "none"
SHOWN = 4  # wordings on a terminal: as they stand, and what hurts most
TITLE = "What {} retrieves itself, against all the gold, by wording of the question"


def own_retrieval(summary: Mapping[str, Any]) -> dict[str, list[dict[str, Any]]]:
    """By system that says what it retrieved: a row for the questions as they stand, then one for each perturbation.

    The perturbation that costs most recall comes first. A row has "perturbation", then figures of the summary by name:
    recall at the depth that the system retrieves to and at 5, nDCG, MRR, and the change of that recall.
    """
    found: dict[str, dict[str, dict[str, Any]]] = {}
    for row in summary["figures"]:
        where = wording.slice_fields(row["slice"])
        if row["protocol"] == wording.RETRIEVAL and row["system"] and set(where) == {"retriever", "perturbation"}:
            found.setdefault(row["system"], {}).setdefault(where["perturbation"], {})[row["metric"]] = row
    tables = {}
    for system, by_name in found.items():
        changed = next((some for name, some in by_name.items() if name != UNCHANGED), by_name.get(UNCHANGED, {}))
        recalls = [name for name in changed if name.startswith("Recall@") and " " not in name]
        names = [*sorted(recalls, key=wording.natural_key)]
        names += [name for name in changed if name.startswith(("nDCG@", "MRR@")) and " " not in name]
        names += [f"{name} against the original" for name in names[:1] if names]
        rows = [
            {"perturbation": perturbation, **{name: some.get(name) for name in names}}
            for perturbation, some in by_name.items()
        ]
        tables[system] = sorted(rows, key=lambda row: _order(row, names[-1] if names else ""))
    return tables


def _order(row: Mapping[str, Any], change: str) -> tuple[bool, float, str]:
    lost = row.get(change) or {}
    value = lost.get("value")
    return row["perturbation"] != UNCHANGED, 0.0 if value is None else value, row["perturbation"]


def cells_of(row: Mapping[str, Any], *, short: bool = False) -> list[str]:
    """The cells of a row: the wording, each number with its interval, and how many were scored and missing.

    `short`: without intervals.
    """
    figures = [value for name, value in row.items() if name != "perturbation"]
    name = "as they stand" if row["perturbation"] == UNCHANGED else wording.plain_words(row["perturbation"])
    counted = next((one for one in figures if one), None)
    counts = [f"{counted[f'n_{kind}']:,}" if counted else wording.NOTHING for kind in ("scored", "missing")]
    written = wording.format_value if short else wording.format_estimate
    return [name, *(written(one).strip() if one else wording.NOTHING for one in figures), *counts]


def heads_of(row: Mapping[str, Any]) -> list[str]:
    """The heads of these cells."""
    names = [name.replace(" against the original", " change") for name in row if name != "perturbation"]
    return ["wording", *names, "scored", "missing"]


def tables_for_terminal(summary: Mapping[str, Any]) -> Iterator["Table"]:
    """A short table for each system that says what it retrieved."""
    from rich.table import Table
    from rich.text import Text

    for system, rows in own_retrieval(summary).items():
        title = Text(TITLE.format(wording.system_title(system)), style="bold")
        table = Table(title=title, title_justify="left", box=None, padding=(0, 1, 0, 0), pad_edge=False)
        for at, name in enumerate(heads_of(rows[0])):
            table.add_column(name, justify="right" if at else "left", overflow="fold")
        for row in rows[:SHOWN]:
            table.add_row(*(Text(cell) for cell in cells_of(row, short=True)))
        if len(rows) > SHOWN:
            table.caption = Text(f"{len(rows) - SHOWN:,} more wordings in summary.md and report.html")
        yield table


def lines_for_markdown(summary: Mapping[str, Any]) -> Iterator[str]:
    """A section with a table for each system that says what it retrieved; nothing without one."""
    for system, rows in own_retrieval(summary).items():
        yield from (f"## {markdown_text(TITLE.format(wording.system_title(system)))}", "")
        heads = heads_of(rows[0])
        yield from markdown_table(heads, (cells_of(row) for row in rows), range(1, len(heads)))
        yield ""
