"""The value of a model's triplet as its sentence or table row has it: amount, unit, scale, period."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from decimal import Decimal, InvalidOperation

from rarefy.data_contracts.rows import Document, Fact
from rarefy.tasks.knowledge.extract.locate import TableLine, find_words
from rarefy.tasks.knowledge.extract.markdown import Cell
from rarefy.tasks.knowledge.extract.periods import Period, period_of_fact, period_of_header
from rarefy.tasks.knowledge.extract.values import (
    FACTORS,
    SCALES,
    CellNumber,
    find_period,
    find_scale,
    find_times,
    find_value_at,
    format_number,
    is_time,
    parse_cell_number,
    signed_amount,
)
from rarefy.tasks.text.dates import NAME
from rarefy.tasks.text.quantities import Quantity, number, quantities

_ABOUT = (
    r"(?:(?:approximately|about|nearly|roughly|around|over|almost|more than|less than|fewer than|at least|at most|up to"
    r"|perhaps|some|an? estimated|a total of|total of|the) )*"
)
_BOUND = re.compile(
    r"\b(?:over|more than|less than|fewer than|at least|at most|up to|or (?:more|fewer|less|greater))\b", re.I
)
_HEDGES = re.compile(_ABOUT, re.I)
# "4.0 - 6.9" is no single number; "1-1/4 percent" is one
_RANGE = re.compile(r"[^\w.]*\d[\d.,]*\s?%?\s*(?:[-‑–—]|to\b|through\b)\s*[$€£¥]?\s?\d[\d.,]*(?![\d/-])")
_OR_MORE = re.compile(r" or (?:more|fewer|less|greater)\b")
# words that follow digits and make them part of a name: 25 West 43rd Street
_NO_AMOUNT = re.compile(r"^(?:[-‑/.]\w|\([a-z]\)|[A-Za-z])|^\s[A-Z]")
_TIMES = frozenset("day week month quarter year hour minute".split())
_DATE = re.compile(
    r"^(?:the )?(?:(?:end|beginning|start) of (?:the )?)?(?:(?:early|mid|late)[ -])?(?:(?:first|second|third|fourth) "
    rf"(?:fiscal )?(?:quarter|half)(?: of)?|fiscal(?: year)?|calendar year|{NAME})\b"
    r"(?:[,\d ]|of |fiscal |year )*$",  # one way to read each character: a long text is not tried in many
    re.I,
)
_NEXT_TIME = re.compile(r"^\)?,? (?:in|for|during|at|as of|at the end of|on) (?:the )?")
_ELSEWHERE = re.compile(r"[,;] | (?:and|while|compared|versus|from|respectively)\b")


@dataclass(frozen=True, slots=True)
class Amount:
    """Fields of a triplet: its object's value as the proof shows it, or why it does not hold."""

    object_type: str
    answer: str = ""
    value: str = ""
    unit: str = ""
    scale: str = ""
    period: str = ""
    period_start: str = ""
    period_end: str = ""
    concept: str = ""
    rejected_because: str = ""


def parse_leading_amount(text: str) -> Quantity | None:
    """The amount in figures at the beginning of a text; None where it begins with none."""
    amount = _leading_quantity(text)
    return None if amount is None or amount.worded else amount


def _leading_quantity(text: str) -> Quantity | None:
    first = next(iter(quantities(text)), None)
    return first if first and first.kind != "place" and _HEDGES.fullmatch(text[: first.start]) else None


def _amount_words(text: str, amount: Quantity) -> str:
    """The words of the amount that a text begins with."""
    more = _OR_MORE.match(text, amount.end)
    return text[: more.end() if more else amount.end].strip()


def unscaled_value(text: str, amount: Quantity) -> Decimal:
    """The number that its digits alone say, without scale and unit."""
    shown = number(text[slice(*amount.digits)])
    return shown.amount if shown else amount.amount.scaleb(-amount.scale)


def value_type(text: str) -> str:
    """MONEY, PERCENT, NUMBER, DATE or DURATION of a text that begins with a value; "" for the name of a thing."""
    if is_time(text) or _DATE.match(text):
        return "DATE"
    amount = _leading_quantity(text)
    if amount and amount.kind == "measure" and amount.unit in _TIMES:
        return "DURATION"
    if amount is None or amount.worded:
        return ""
    if amount.kind in ("money", "percent"):
        return amount.kind.upper()
    in_name = _NO_AMOUNT.match(text[amount.end :]) and not amount.scale and not amount.grouped
    return "" if in_name else "NUMBER"


def value_in_sentence(text: str, sentence: str, start: int, tags: Mapping[int, Fact], document: Document) -> Amount:
    """An object's value as a sentence of prose has it, where its number must stand with the same scale.

    `tags` are those of the chunk by place, `start` the sentence's place in it: a tag says when the value held.
    """
    kind, amount = value_type(text), parse_leading_amount(text)
    place = find_words(text, sentence)
    if place is None and amount and kind not in {"DATE", "DURATION"}:
        # "62% of total net sales" where the sentence says "38% and 62%, respectively, of total net sales"
        core = _amount_words(text, amount)
        bare = _HEDGES.sub("", core, count=1)
        forms = [core, bare, re.sub(r"\s?%", " percent", bare), re.sub(r"\s?per ?cent\b", "%", bare)]
        places = [find_words(form, sentence) for form in dict.fromkeys(forms)]
        place = next((p for p in places if p and value_type(sentence[slice(*p)]) == kind), None)
    if place is None:
        return Amount(kind, rejected_because="object_not_in_sentence")
    first, last = place
    answer = sentence[first:last].strip()
    if kind in {"DATE", "DURATION"}:
        return Amount(kind, answer)
    shown = find_value_at(sentence, first, last)
    if kind != "NUMBER" and shown and shown.type == kind and shown.start < last and first < shown.end:
        if shown.scale and not re.search(r"illion|thousand", answer):
            return Amount(kind, rejected_because="object_not_in_sentence")  # "$1.2" of "$1.2 billion" is another amount
        value = Amount(kind, answer, shown.number, shown.unit, shown.scale)
    else:
        value = _parse_count(kind, answer)
    if _BOUND.search(answer) or (amount and amount.part) or _RANGE.match(answer):
        value = replace(value, value="")  # more or less than the number says, or between it and another
    tag = next((tags[at] for at in range(start + first, start + last) if at in tags), None)
    if tag and value.value and equals_tag(tag.value, value.value, kind):
        when = period_of_fact(tag, document)
        if when:
            return replace(value, period=when.label, period_start=when.start, period_end=when.end, concept=tag.concept)
    return replace(value, period=_period_in_sentence(sentence, first, last))


def equals_tag(tagged: str, value: str, kind: str) -> bool:
    """Whether a tag has this value; a tag has a percentage as a fraction of 1."""
    try:
        number = abs(Decimal(tagged))
    except InvalidOperation:
        return False
    return number == abs(Decimal(value)) / (100 if kind == "PERCENT" else 1)


def _parse_count(kind: str, answer: str) -> Amount:
    amount = parse_leading_amount(answer)
    if amount is None:
        return Amount(kind, answer)
    core = _amount_words(answer, amount)
    noun = re.fullmatch(r"(?:[\w-]+ ){0,4}?((?:basis |square )?[a-z]+)", answer[len(core) :].strip())
    unit = "percent" if kind == "PERCENT" else amount.currency or (noun[1] if noun else "")
    value = signed_amount(answer, amount)
    if amount.kind == "points":  # as they are counted there
        unit, value = answer[amount.digits[1] : amount.end].strip(), unscaled_value(answer, amount)
    return Amount(kind, answer, format_number(value), unit, SCALES.get(amount.scale, ""))


def _period_in_sentence(sentence: str, start: int, end: int) -> str:
    """The one time that a sentence gives for its words `[start, end)`; "" where that is not clear."""
    when, _ = find_period(sentence)
    if when:
        return when
    near = _NEXT_TIME.match(sentence[end:])
    if near:  # "from 19% in fiscal year 2023 to 14% in fiscal year 2024"
        following, at = find_period(re.split(r"[;]| to | and | from |, ", sentence[end + near.end() :], maxsplit=1)[0])
        if following and at == 0:
            return following
    before = sentence[:start]
    earlier = find_times(before)
    if (
        len(earlier) == 1 and "respectively" not in sentence
    ):  # "revenue for fiscal year 2024 was $47.5 billion, up 217%"
        between = before[before.index(earlier[0]) + len(earlier[0]) :]
        return find_period(before)[0] if not _ELSEWHERE.search(between) else ""
    return ""


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


def value_in_row(
    text: str, line: TableLine, around: str, tags: Mapping[int, Fact], document: Document, ranges: bool = True
) -> Amount:
    """An object's value as a cell of its row has it; a reason where no cell has it, or where sign or unit is lost.

    `around` is what else the triplet says, by which a sign that the object lacks is forgiven; `tags` are those of the
    chunk, by place; `ranges`: whether "4.0 - 6.9" may be a value.
    """
    kind, amount = value_type(text), parse_leading_amount(text)
    if kind in {"DATE", "DURATION"} or amount is None or (ranges and _RANGE.match(text)):
        cell = next((c for c in line.row.cells if find_words(text, c.text)), None)
        place = find_words(text, cell.text) if cell else None
        return (
            Amount(kind, cell.text[slice(*place)])
            if cell and place
            else Amount(kind, rejected_because="object_not_in_sentence")
        )
    hits = []
    scales = set()
    shown, named = unscaled_value(text, amount), SCALES.get(amount.scale, "")
    for column, cell in enumerate(line.row.cells[1:], start=1):
        value = parse_cell_number(cell.text)
        if value is None or (kind != "PERCENT" and value.percent) or (kind == "PERCENT" and value.currency):
            continue
        scale = "" if kind == "PERCENT" else _scale_of_cell(line, column, kind)
        factor = FACTORS.get(scale, Decimal(1))
        if abs(value.value) * factor == amount.amount or (abs(value.value) == shown and (not named or not scale)):
            hits.append((column, cell, value, scale or named))
        elif abs(value.value) == shown:
            scales.add(scale)
    if not hits:  # the digits are there, but not in what the object counts in
        return Amount(kind, rejected_because="unit_not_shown" if scales else "object_not_in_sentence")
    column, cell, value, scale = hits[0]
    if kind == "MONEY" and not scale and not _is_in_whole_units(line) and value.value >= 1_000 and not tags:
        return Amount(kind, rejected_because="unit_not_shown")  # a bare number of a filing is hardly ever whole dollars
    if value.value < 0 and not amount.sign and not _DECLINE.search(f"{around} {line.row.cells[0].text}"):
        return Amount(kind, rejected_because="sign_not_said")
    return _amount_in_cell(kind, amount, cell, value, scale, line, column, len(hits) > 1, tags, document)


def _amount_in_cell(
    kind: str,
    amount: Quantity,
    cell: Cell,
    value: CellNumber,
    scale: str,
    line: TableLine,
    column: int,
    twice: bool,
    tags: Mapping[int, Fact],
    document: Document,
) -> Amount:
    negative = value.value < 0
    signed = value.value if amount.sign or not negative else abs(value.value)
    plainly = format_number(signed * (FACTORS.get(scale, Decimal(1)) if kind != "PERCENT" else 1))
    tag = tags.get(cell.start + value.start)
    tag = tag if tag and equals_tag(tag.value, plainly, kind) else None
    when: Period | None = None
    if not twice:  # the same number in two columns: which of them is meant cannot be told
        when = period_of_fact(tag, document) if tag else None
        when = when or period_of_header(line.heading(column), f"{line.lead[-_LEAD:]}\n{line.heading(0)}", document)
    bare = _YEAR.fullmatch(line.heading(column).strip())
    label = when.label if when else bare[1] if bare and not twice else ""
    unit = {"PERCENT": "percent", "MONEY": value.currency or amount.currency or "USD"}.get(kind, "")
    if kind == "MONEY" and _PER_SHARE.search(line.row.cells[0].text):
        unit = f"{unit}/shares"
    elif kind == "NUMBER" and _SHARES.search(line.row.cells[0].text):
        unit = "shares"
    return Amount(
        kind,
        _cell_answer(cell.text, value, negative),
        plainly,
        unit,
        scale,
        label,
        when.start if when else "",
        when.end if when else "",
        tag.concept if tag else "",
    )


def _scale_of_cell(line: TableLine, column: int, kind: str) -> str:
    """The scale of a row's cells, by their header and the caption nearest to the table."""
    label = " ".join([*(row.cells[0].text for row in line.groups[-1:]), line.row.cells[0].text])
    counted = kind == "NUMBER" and bool(_SHARES.search(label))  # "Shares used in computing earnings per share:"
    if _PER_SHARE.search(label) and not counted:
        return ""
    above = [cell.text for row in line.headers for cell in row.cells]
    for words in (line.heading(column), *above, label, *reversed(line.lead[-_LEAD:].split("\n"))):
        if find_scale(words):
            return find_scale(words, shares=counted)
    return ""


def _is_in_whole_units(line: TableLine) -> bool:
    label = line.row.cells[0].text
    return bool(_PER_SHARE.search(label) or _WHOLE.search(f"{line.lead[-_LEAD:]} {label}"))


def _cell_answer(cell: str, value: CellNumber, negative: bool) -> str:
    """The digits with the signs around them in the cell: "$109,158", "(4)%", "75.4%"."""
    before, after = cell[: value.start], cell[value.end :]
    sign = r"[-−–(]?\s*(?:US\$|C\$|[$€£¥])?\s*[-−–(]?\s*$" if negative else r"(?:US\$|C\$|[$€£¥])\s*$"
    opened = re.search(sign, before)
    closed = re.match(r"\s*\)?\s*(?:%|percent)?\s*\)?" if negative else r"\s*(?:%|percent)?", after)
    start = opened.start() if opened else value.start
    return cell[start : value.end + (closed.end() if closed else 0)].strip()
