"""What a cell of an untagged source says, by its headers and caption alone."""

import re

from rarefy.data_contracts.rows import Chunk
from rarefy.tasks.knowledge.extract.cell_context import CellFact, Source
from rarefy.tasks.knowledge.extract.grouping import labels_of
from rarefy.tasks.knowledge.extract.labels import lowered, measure
from rarefy.tasks.knowledge.extract.markdown import Row, Table
from rarefy.tasks.knowledge.extract.periods import Period, of_header
from rarefy.tasks.knowledge.extract.scope import untagged_scope
from rarefy.tasks.knowledge.extract.values import FACTORS, Number, scale_in

_SHARES = re.compile(r"\bshares\b(?!.*\bper\b)", re.I)
_PER_SHARE = re.compile(r"\bper (?:common |diluted |basic |ordinary )*(?:share|unit)\b", re.I)


_STOCK = re.compile(
    r"\b(?:assets|liabilities|obligations|equity|deficit|inventor(?:y|ies)|receivables?|payables?|goodwill|debt"
    r"|retained earnings|(?:cash|funds) and (?:cash )?equivalents|accumulated|allowance|unearned|deferred revenue)\b",
    re.I,
)
_FLOW = re.compile(
    r"\b(?:revenues?|sales|income|expenses?|earnings|costs?|loss|profit|margin|payments?|proceeds|purchases?|repayments?"
    r"|repurchases?|changes?|increase|decrease|provided|used|issu\w+|return|acquisitions?|additions|dividends)\b",
    re.I,
)


_OUTFLOW = re.compile(
    r"\b(?:payments?|purchases?|repurchases?|repayments?|additions|acquisitions?|dividends|expenditures?|costs?|expenses?|used)\b",
    re.I,
)


def unlikely(name: str, period: Period) -> bool:
    """Whether a measure that is counted on a day stands under a year, or one that runs over a year under a day."""
    stock, flow = bool(_STOCK.search(name)), bool(_FLOW.search(name))
    return (stock and not flow) if period.start else (flow and not stock)


def untagged(
    value: Number, table: Table, row: Row, groups: tuple[Row, ...], column: int, chunk: Chunk, source: Source
) -> CellFact | None:
    """What a cell of an untagged source says, by its headers and caption alone; None where they leave a doubt."""
    said = f"{table.lead}\n{table.header.cells[0].text}"
    if not untagged_scope(chunk.section, said):
        return None
    header, label = table.header.cells[column].text, row.cells[0].text
    period, name = of_header(header, said, source.document), measure(label, labels_of(row, groups))
    if (
        period is None
        or name is None
        or unlikely(name, period)
        or value.value == 0
        or (value.percent and value.value == 100)
        or not source.document.entity
    ):
        return None
    stated = f"{said}\n{header}"
    scale = scale_in(stated)
    if value.percent:
        unit, scale = "percent", ""
    elif re.search(r"\bshares\b", name, re.I) and not _PER_SHARE.search(name):
        unit, scale = "shares", scale_in(stated, shares=True)
    elif _PER_SHARE.search(f"{name} {' '.join(labels_of(row, groups)[-1:])}"):
        unit, scale = "USD/shares", ""
    elif _SHARES.search(name):
        unit, scale = "shares", scale_in(stated, shares=True)
    elif value.currency or "$" in f"{said} {header}" or scale:
        unit = value.currency or "USD"
    else:
        return None
    if not scale and unit in {"USD", "shares"}:
        return None  # a bare number of a filing is hardly ever whole dollars
    name = lowered(name, source.vocabulary)
    amount = value.value * FACTORS[scale]
    if _OUTFLOW.search(name) and "(" not in name:
        amount = abs(amount)  # parentheses of a statement, not a sign
    return CellFact(name, "", "", period, amount, unit, scale, "", "")
