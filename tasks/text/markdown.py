"""Write Markdown: escaped text and tables; and take the rows of tables apart."""

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from typing import Any

from rarefy.tasks.text.characters import visible

CELL_BAR = re.compile(r"(?<!\\)\|")
_SPECIAL = re.compile(r"([\\`*_{}\[\]<>#|~&])")


def markdown_text(value: Any) -> str:
    """The value as Markdown on one line, whose characters are neither markup nor unseen."""
    return _SPECIAL.sub(r"\\\1", " ".join(str(visible(str(value))).split()))


def markdown_table(
    head: Sequence[str],
    rows: Iterable[Sequence[str]],
    figures: Collection[int] = (),
    cell: Callable[[str], str] = markdown_text,
) -> Iterator[str]:
    """The lines of a pipe table: its head as it is, its cells as plain text, unless `cell` writes them otherwise.

    `figures` are the columns, from 0, that stand to the right.
    """
    yield f"| {' | '.join(head)} |"
    yield f"|{'|'.join('---:' if column in figures else '---' for column in range(len(head)))}|"
    for row in rows:
        yield f"| {' | '.join(map(cell, row))} |"


def split_cells(row: str) -> list[str]:
    """The cells of a row of a pipe table, with the blanks around them."""
    return CELL_BAR.split(row.strip().removeprefix("|").removesuffix("|"))
