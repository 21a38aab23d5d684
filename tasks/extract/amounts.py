"""What the object of a model's triplet is as a value: amount, unit, scale and period, as its sentence or row has it."""

import re
from dataclasses import dataclass, replace
from decimal import Decimal

from rarefy.data_contracts.rows import Document
from rarefy.tasks.extract.locate import words_within
from rarefy.tasks.extract.periods import of_header
from rarefy.tasks.extract.prose_values import is_time, period, value_over
from rarefy.tasks.extract.rows_quoted import Line
from rarefy.tasks.extract.values import FACTORS, number, scale_in

_ABOUT = (
    r"(?:(?:approximately|about|nearly|roughly|around|over|almost|more than|less than|at least|at most|up to|perhaps"
    r"|some|an? estimated|a total of|total of|the) )*"
)
_SPELLED = "one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|fifteen|twenty|thirty|sixty|ninety"
_SCALE = {"thousand": 10**3, "million": 10**6, "billion": 10**9, "trillion": 10**12}
_WRITTEN = re.compile(
    rf"^{_ABOUT}(?P<minus>[-−–(]\s*)?(?P<currency>US\$|C\$|[$€£¥])?\s?(?P<open>\()?(?P<digits>\d[\d,]*(?:\.\d+)?|\.\d+)\)?"
    r"(?P<percent>\s?(?:%|percent\b|per cent\b)\)?)?(?:\s(?P<scale>thousand|million|billion|trillion)s?\b)?"
    r"(?P<dollars>\s(?:U\.S\. )?dollars\b)?(?P<rest>.*)$",
    re.S,
)
_NO_AMOUNT = re.compile(r"^(?:[-‑/(.]?\w*[-‑]|\s(?:CFR|U\.S\.C|USC)\b|\([a-z]\)|[A-Za-z])|^\s[A-Z]")
_TIME_UNIT = r"(?:(?:business|calendar|working|full|consecutive)[ -])?(?:days?|weeks?|months?|quarters?|years?|hours?|minutes?)"
_DURATION = re.compile(rf"^{_ABOUT}(?:\d[\d,.]*|{_SPELLED})(?: \(\d+\))?[ -]{_TIME_UNIT}\b", re.I)
_DATE = re.compile(
    r"^(?:the )?(?:(?:end|beginning|start) of (?:the )?)?(?:(?:early|mid|late)[ -])?(?:(?:first|second|third|fourth) "
    r"(?:fiscal )?(?:quarter|half)(?: of)?|fiscal(?: year)?|calendar year|(?:January|February|March|April|May|June|July"
    r"|August|September|October|November|December))\b(?:,? ?(?:of )?(?:fiscal )?(?:year )?(?:\d{1,2},? ?)?(?:(?:19|20)\d\d)?)*$",
    re.I,
)
_CURRENCIES = {"$": "USD", "US$": "USD", "C$": "CAD", "€": "EUR", "£": "GBP", "¥": "JPY"}
_DECLINE = re.compile(
    r"decreas|declin|\bfell\b|\bfall|lower|\bdown\b|reduc|drop|loss|negative|deficit|benefit|paid|payment|purchase|used|outflow"
    r"|expense|cost|charge|dividend|contract",
    re.I,
)
_NEXT_TIME = re.compile(r"^\)?,? (?:in|for|during|at|as of|at the end of|on) (?:the )?")


@dataclass(frozen=True, slots=True)
class Amount:
    """A value as the proof shows it; `trouble` says why it does not hold."""

    type: str
    answer: str = ""
    value: str = ""
    unit: str = ""
    scale: str = ""
    period: str = ""
    period_start: str = ""
    period_end: str = ""
    trouble: str = ""


def type_of(said: str) -> str:
    """MONEY, PERCENT, NUMBER, DATE or DURATION where the words begin with a value; "" for the name of a thing."""
    if is_time(said) or _DATE.match(said):
        return "DATE"
    if _DURATION.match(said):
        return "DURATION"
    match = _WRITTEN.match(said)
    if not match:
        return ""
    if match["currency"] or match["dollars"]:
        return "MONEY"
    if match["percent"]:
        return "PERCENT"
    return "" if _NO_AMOUNT.match(match["rest"]) and not match["scale"] else "NUMBER"


def in_sentence(said: str, sentence: str) -> Amount:
    """The value in a sentence of prose; its number must stand there, with the same scale."""
    kind = type_of(said)
    place = words_within(said, sentence)
    written = _WRITTEN.match(said)
    if place is None and written:  # "62% of total net sales" where the sentence says "38% and 62%, respectively, of"
        core = said[: written.start("rest")].strip()
        bare = re.sub(rf"^{_ABOUT}", "", core)
        place = words_within(core, sentence) or words_within(bare, sentence)
    if place is None:
        return Amount(kind, trouble="object_not_in_sentence")
    start, end = place
    answer = sentence[start:end].strip()
    if kind in {"DATE", "DURATION"}:
        return Amount(kind, answer)
    found = value_over(sentence, start, end)
    if found and found.type == kind and found.start <= start + 40 and (kind != "NUMBER" or found.end >= end):
        amount = Amount(kind, answer, found.number, found.unit, found.scale)
        if kind != "NUMBER" and found.scale and found.scale.rstrip("s") not in answer:
            amount = replace(amount, answer=sentence[start : max(end, found.end)])  # "$1.2" of "$1.2 billion"
    else:
        amount = _counted(kind, answer)
    when, at = period(sentence)
    near = _NEXT_TIME.match(sentence[end:])
    if not when and near:  # "19% in fiscal year 2023 to 14% in fiscal year 2024"
        told, where = period(re.split(r"[,;]| to | and | from ", sentence[end + near.end() :], maxsplit=1)[0])
        when = told if told and where == 0 else ""
    return replace(amount, period=when)


def _counted(kind: str, answer: str) -> Amount:
    match = _WRITTEN.match(answer)
    if not match:
        return Amount(kind, answer)
    value = Decimal(match["digits"].replace(",", "")) * _SCALE.get(match["scale"] or "", 1)
    unit = _CURRENCIES.get(match["currency"] or "", "USD" if match["dollars"] else "")
    if kind == "PERCENT":
        unit = "percent"
    noun = re.match(r"^(?: [a-z-]+){0,3}? ([a-z]+s)\b", match["rest"])
    scale = f"{match['scale']}s" if match["scale"] else ""
    return Amount(kind, answer, _plain(value), unit or (noun[1] if noun else ""), scale)


def in_row(said: str, line: Line, around: str, document: Document) -> Amount:
    """The value in a table's row; `around` is what else the triplet says of it, by which a lost sign is forgiven."""
    kind = type_of(said)
    written = _WRITTEN.match(said)
    if kind in {"DATE", "DURATION"} or written is None:
        cell = next((c for c in line.row.cells if words_within(said, c.text)), None)
        place = words_within(said, cell.text) if cell else None
        return Amount(kind, cell.text[slice(*place)]) if cell and place else Amount(kind, trouble="object_not_in_sentence")
    told = Decimal(written["digits"].replace(",", ""))
    stated = f"{written['scale']}s" if written["scale"] else ""
    caption = scale_in(f"{line.table.lead[-600:]}\n{line.heading(0)}\n{line.table.notes[:0]}")
    hits = []
    for column, cell in enumerate(line.row.cells[1:], start=1):
        shown = number(cell.text)
        if shown is None:
            continue
        scale = scale_in(line.heading(column)) or caption or _group_scale(line)
        same = abs(shown.value) == told
        if stated and scale and kind != "PERCENT":
            factor = Decimal(_SCALE.get(stated[:-1], 1)) / FACTORS.get(scale, Decimal(1))
            same = abs(shown.value) == told * factor
        if same and (kind != "PERCENT" or not shown.currency) and (kind != "MONEY" or not shown.percent):
            hits.append((column, cell, shown, "" if kind == "PERCENT" else scale or stated))
    if not hits:
        return Amount(kind, trouble="object_not_in_sentence")
    column, cell, shown, scale = hits[0]
    if kind == "MONEY" and not scale and "," in shown.digits and shown.value >= 1_000 and not document_is_whole(line):
        return Amount(kind, trouble="unit_not_shown")
    negative = shown.value < 0
    signed = bool(written["minus"] or written["open"])
    if negative and not signed and not _DECLINE.search(f"{around} {line.row.cells[0].text}"):
        return Amount(kind, trouble="sign_not_said")
    value = shown.value if signed or not negative else abs(shown.value)
    unit = "percent" if kind == "PERCENT" else shown.currency or _CURRENCIES.get(written["currency"] or "", "")
    when = of_header(line.heading(column), line.table.lead[-600:], document) if len(hits) == 1 else None
    label = when.label if when else ""
    bare = re.fullmatch(r"(?:fiscal(?: year)? )?((?:19|20)\d\d)", line.heading(column).strip(), re.I)
    if not label and len(hits) == 1 and bare:
        label = bare[1]
    return Amount(
        kind,
        _shown(cell.text, shown.start, shown.end, negative),
        _plain(value * FACTORS.get(scale, Decimal(1))) if kind != "PERCENT" else _plain(value),
        unit or ("USD" if kind == "MONEY" else ""),
        scale,
        label,
        when.start if when else "",
        when.end if when else "",
    )


def document_is_whole(line: Line) -> bool:
    """Whether the table says that it counts in whole units: per share, per unit, or in dollars."""
    return bool(re.search(r"\bper (?:\w+ )?(?:share|unit|month|hour)\b|\bin dollars\b", f"{line.table.lead} {line.row.cells[0].text}", re.I))


def _group_scale(line: Line) -> str:
    rows = [row for row in line.table.rows if row.end <= line.header_end]
    return next((s for row in rows for cell in row.cells if (s := scale_in(cell.text))), "")


def _shown(cell: str, start: int, end: int, negative: bool) -> str:
    """The digits with what belongs to them in their cell: "$109,158", "(4)%", "75.4%"."""
    opened = re.search(r"[-−–(]?\s*(?:US\$|C\$|[$€£¥])?\s*[-−–(]?\s*$" if negative else r"(?:US\$|C\$|[$€£¥])\s*$", cell[:start])
    closed = re.match(r"\s*\)?\s*(?:%|percent)?\s*\)?" if negative else r"\s*(?:%|percent)?", cell[end:])
    return cell[opened.start() if opened else start : end + (closed.end() if closed else 0)].strip()


def _plain(value: Decimal) -> str:
    return f"{value.normalize():f}"
