"""The value of a model's triplet as a cell of its table's row has it, with unit, scale, sign and period."""

import re
from collections.abc import Mapping
from decimal import Decimal

from rarefy.data_contracts.rows import Document, Fact
from rarefy.tasks.knowledge.extract.amounts import Amount, figure_of, plain, same, type_of, written
from rarefy.tasks.knowledge.extract.locate import words_within
from rarefy.tasks.knowledge.extract.markdown import Cell
from rarefy.tasks.knowledge.extract.periods import Period, of_fact, of_header
from rarefy.tasks.knowledge.extract.rows_quoted import Line
from rarefy.tasks.knowledge.extract.values import FACTORS, SCALES, Number, number, scale_in
from rarefy.tasks.text.quantities import Quantity

_LEAD = 600  # characters before a table in which its caption stands
# What a row, a subject or a relation says that is negative or an outflow by itself
_DECLINE = re.compile(
    r"decreas|declin|\bfell\b|\bfall|lower|\bdown\b|reduc|drop|\bloss|negative|deficit|benefit|\bpa(?:y|id)|purchase"
    r"|\bused\b|outflow|expense|cost|charge|dividend|contract|shrank",
    re.I,
)
_PER_SHARE = re.compile(r"\bper (?:\w+ ){0,2}(?:share|unit)\b|\bearnings per\b", re.I)
_SHARES = re.compile(r"\bshares\b", re.I)
_WHOLE = re.compile(r"\b(?:in|whole) dollars\b|\bper (?:month|hour|square foot)\b", re.I)
_YEAR = re.compile(r"(?:fiscal(?: year)? )?((?:19|20)\d\d)", re.I)


def in_row(said: str, line: Line, around: str, tags: Mapping[int, Fact], document: Document) -> Amount:
    """The value in the one cell of a row that has it; a reason where the row has none, or where sign or unit is lost.

    `around` is what else the triplet says, by which a sign that the object lacks is forgiven; `tags` are those of the
    chunk, by place.
    """
    kind, amount = type_of(said), written(said)
    if kind in {"DATE", "DURATION"} or amount is None:
        cell = next((c for c in line.row.cells if words_within(said, c.text)), None)
        place = words_within(said, cell.text) if cell else None
        return (
            Amount(kind, cell.text[slice(*place)]) if cell and place else Amount(kind, trouble="object_not_in_sentence")
        )
    hits = []
    scales = set()
    shown, named = figure_of(said, amount), SCALES.get(amount.scale, "")
    for column, cell in enumerate(line.row.cells[1:], start=1):
        value = number(cell.text)
        if value is None or (kind != "PERCENT" and value.percent) or (kind == "PERCENT" and value.currency):
            continue
        scale = "" if kind == "PERCENT" else _scale(line, column, kind)
        factor = FACTORS.get(scale, Decimal(1))
        if abs(value.value) * factor == amount.amount or (abs(value.value) == shown and (not named or not scale)):
            hits.append((column, cell, value, scale or named))
        elif abs(value.value) == shown:
            scales.add(scale)
    if not hits:  # the digits are there, but not in what the object counts in
        return Amount(kind, trouble="unit_not_shown" if scales else "object_not_in_sentence")
    column, cell, value, scale = hits[0]
    if kind == "MONEY" and not scale and not _is_whole(line) and value.value >= 1_000 and not tags:
        return Amount(kind, trouble="unit_not_shown")  # a bare number of a filing is hardly ever whole dollars
    if value.value < 0 and not amount.sign and not _DECLINE.search(f"{around} {line.row.cells[0].text}"):
        return Amount(kind, trouble="sign_not_said")
    return _told(kind, amount, cell, value, scale, line, column, len(hits) > 1, tags, document)


def _told(
    kind: str,
    amount: Quantity,
    cell: Cell,
    value: Number,
    scale: str,
    line: Line,
    column: int,
    twice: bool,
    tags: Mapping[int, Fact],
    document: Document,
) -> Amount:
    negative = value.value < 0
    signed = value.value if amount.sign or not negative else abs(value.value)
    plainly = plain(signed * (FACTORS.get(scale, Decimal(1)) if kind != "PERCENT" else 1))
    tag = tags.get(cell.start + value.start)
    tag = tag if tag and same(tag.value, plainly, kind) else None
    when: Period | None = None
    if not twice:  # the same number in two columns: which of them is meant cannot be told
        when = of_fact(tag, document) if tag else None
        when = when or of_header(line.heading(column), f"{line.lead[-_LEAD:]}\n{line.heading(0)}", document)
    bare = _YEAR.fullmatch(line.heading(column).strip())
    label = when.label if when else bare[1] if bare and not twice else ""
    unit = {"PERCENT": "percent", "MONEY": value.currency or amount.currency or "USD"}.get(kind, "")
    if kind == "MONEY" and _PER_SHARE.search(line.row.cells[0].text):
        unit = f"{unit}/shares"
    elif kind == "NUMBER" and _SHARES.search(line.row.cells[0].text):
        unit = "shares"
    return Amount(
        kind,
        _shown(cell.text, value, negative),
        plainly,
        unit,
        scale,
        label,
        when.start if when else "",
        when.end if when else "",
        tag.concept if tag else "",
    )


def _scale(line: Line, column: int, kind: str) -> str:
    """What the cells of a row count in, by their header and the caption nearest to the table."""
    label = " ".join([*(row.cells[0].text for row in line.groups[-1:]), line.row.cells[0].text])
    counted = kind == "NUMBER" and bool(_SHARES.search(label))  # "Shares used in computing earnings per share:"
    if _PER_SHARE.search(label) and not counted:
        return ""
    over = [cell.text for row in line.headers for cell in row.cells]
    for said in (line.heading(column), *over, label, *reversed(line.lead[-_LEAD:].split("\n"))):
        if scale_in(said):
            return scale_in(said, shares=counted)
    return ""


def _is_whole(line: Line) -> bool:
    label = line.row.cells[0].text
    return bool(_PER_SHARE.search(label) or _WHOLE.search(f"{line.lead[-_LEAD:]} {label}"))


def _shown(cell: str, value: Number, negative: bool) -> str:
    """The digits with what belongs to them in their cell: "$109,158", "(4)%", "75.4%"."""
    before, after = cell[: value.start], cell[value.end :]
    sign = r"[-−–(]?\s*(?:US\$|C\$|[$€£¥])?\s*[-−–(]?\s*$" if negative else r"(?:US\$|C\$|[$€£¥])\s*$"
    opened = re.search(sign, before)
    closed = re.match(r"\s*\)?\s*(?:%|percent)?\s*\)?" if negative else r"\s*(?:%|percent)?", after)
    start = opened.start() if opened else value.start
    return cell[start : value.end + (closed.end() if closed else 0)].strip()
