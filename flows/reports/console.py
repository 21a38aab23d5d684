"""Text and tables for a terminal, which names and texts of documents, models and systems cannot command."""

from collections.abc import Iterable, Mapping, Sequence

from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment
from rich.table import Table
from rich.text import Text

from rarefy.tasks.export.statistics import Tally, format_percent
from rarefy.tasks.foreign_code import escape_controls
from rarefy.tasks.text.characters import visible


class Terminal(Console):
    """rich's console, where control codes in what is shown are signs; its own colours and lines are as ever."""

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        """The pieces to be written."""
        for text, style, control in super().render(renderable, options):
            yield Segment(text if control else escape_controls(text), style, control)


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


def keep_records(found: Tally, most: int = 3) -> list[dict[str, str]]:
    """What became of each perturbation's variants."""
    return [
        {
            "side": rate.side,
            "perturbation": rate.name,
            "tried": f"{rate.tried:,}",
            "kept": f"{rate.kept:,}",
            "rate": format_percent(rate.percent),
            "rejected": format_reasons(rate.rejected, most),
        }
        for rate in found.each()
    ]


def format_reasons(found: Mapping[str, int], most: int) -> str:
    """Reasons with their counts, the first `most` of them."""
    shown = [f"{count:,} {reason}" for reason, count in list(found.items())[:most]]
    return ", ".join(shown + ([f"{len(found) - most:,} more reasons"] if len(found) > most else []))
