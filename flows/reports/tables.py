"""Records as tables on a terminal, and what became of each perturbation as such records."""

from collections.abc import Mapping, Sequence

from rich.table import Table
from rich.text import Text

from rarefy.tasks.export.keep_rates import SURE, KeepRate, Tally, told
from rarefy.tasks.text.visible import visible

Records = list[dict[str, str]]


def as_table(title: str, records: Sequence[dict[str, str]]) -> Table:
    """Records as a table, figures to the right; what they say is no markup, and moves no cursor."""
    table = Table(title=Text(visible(title), "table.title"), title_justify="left")
    for name in records[0] if records else ():
        figures = all(record[name][:1].isdigit() and " " not in record[name] for record in records)
        table.add_column(name, justify="right" if figures else "left", overflow="fold")  # nothing is cut
    for record in records:
        table.add_row(*map(_plain, record.values()))
    return table


def _plain(words: str) -> Text:
    return Text(visible(words))


def keep_records(found: Tally, most: int = 3) -> dict[str, Records]:
    """What became of each perturbation's variants, and of SURE's types beside its own figures, as tables by title."""
    beside = [
        {**_counts({"type": rate.family}, rate), "SURE, Table 1": f"{SURE[rate.family]} %"}
        for rate in found.by_family()
        if rate.family in SURE
    ]
    tables = {
        "Variants": [
            {**_counts({"side": rate.side, "perturbation": rate.name}, rate), "rejected": reasons(rate.rejected, most)}
            for rate in found.each()
        ],
        "Chunks kept where all subtypes of a type were, as SURE counts": beside,
    }
    return {title: records for title, records in tables.items() if records}


def _counts(named: dict[str, str], rate: KeepRate) -> dict[str, str]:
    return {**named, "tried": f"{rate.tried:,}", "kept": f"{rate.kept:,}", "rate": told(rate.percent)}


def reasons(found: Mapping[str, int], most: int) -> str:
    """Reasons with their counts, the first `most` of them."""
    shown = [f"{count:,} {reason}" for reason, count in list(found.items())[:most]]
    return ", ".join(shown + ([f"{len(found) - most:,} more reasons"] if len(found) > most else []))
