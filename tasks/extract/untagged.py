"""What a cell of an untagged source says, by its headers and caption alone."""

import re

from rarefy.data_contracts.rows import Chunk
from rarefy.tasks.extract.grouping import labels_of
from rarefy.tasks.extract.labels import lowered, measure
from rarefy.tasks.extract.markdown import Row, Table
from rarefy.tasks.extract.periods import of_header
from rarefy.tasks.extract.said import Said, Source
from rarefy.tasks.extract.scope import untagged_scope
from rarefy.tasks.extract.values import FACTORS, Number, scale_in

_SHARES = re.compile(r"\bshares\b(?!.*\bper\b)", re.I)
_PER_SHARE = re.compile(r"\bper (?:common |diluted |basic |ordinary )*(?:share|unit)\b", re.I)


def untagged(
    value: Number, table: Table, row: Row, groups: tuple[Row, ...], column: int, chunk: Chunk, source: Source
) -> Said | None:
    """What a cell of an untagged source says, by its headers and caption alone; None where they leave a doubt."""
    said = f"{table.lead}\n{table.header.cells[0].text}"
    if not untagged_scope(chunk.section, said):
        return None
    header, label = table.header.cells[column].text, row.cells[0].text
    period, name = of_header(header, said, source.document), measure(label, labels_of(row, groups))
    if period is None or name is None or value.value == 0 or not source.document.entity:
        return None
    scale = scale_in(f"{said}\n{header}")
    if value.percent:
        unit, scale = "percent", ""
    elif _PER_SHARE.search(f"{name} {' '.join(labels_of(row, groups)[-1:])}"):
        unit, scale = "USD/shares", ""
    elif _SHARES.search(name):
        unit = "shares"
    elif value.currency or "$" in f"{said} {header}" or scale:
        unit = value.currency or "USD"
    else:
        return None
    if not scale and unit in {"USD", "shares"}:
        return None  # a bare number of a filing is hardly ever whole dollars
    name = lowered(name, source.vocabulary)
    return Said(name, "", "", period, value.value * FACTORS[scale], unit, scale, "", "")
