"""Triplets from minutes of the Federal Open Market Committee and the like: figures, decisions, votes (R6-R8)."""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import date

from rarefy.data_contracts.rows import Chunk, Document, Triplet, row_id
from rarefy.tasks.text.dates import NAME, NAMES, iso_day, moments, month_number
from rarefy.tasks.text.sentences import sentences

_DAY = rf"{NAME} \d{{1,2}}, \d{{4}}"
_QUARTERS = {"first": 1, "second": 2, "third": 3, "fourth": 4}
_BETWEEN = "the intermeeting period"
_OPENING = 700  # characters at the start of a document in which its own meeting is named
# The day of a meeting stands in the words that open its record; a file may hold the records of several.
_OPENS = re.compile(
    r"(meeting|conference call)[^.]{0,60}?(?: of)? the Federal Open Market Committee[^;]{0,220}?\bon (?:[A-Z]\w+day, )?"
    rf"({_DAY})(?:[^;]{{0,60}}?continued on (?:[A-Z]\w+day, )?({_DAY}))?"
)
_FORECAST = re.compile(
    r"\b(?:staff|forecast|project\w*|anticipat\w+|expect\w*|estimat\w+|would|could|(?-i:may)|might|likely|assum\w+|outlook"
    r"|if|participants?|members?|previously|revised|had|benchmark|futures|implied)\b",
    re.I,
)
# Part of patterns of whole sentences; the value itself is not reckoned of fractions
_AMOUNT = r"(?P<amount>\d+(?:\.\d+)?(?:[- ]\d[/⁄]\d)?|\d[/⁄]\d|\d*[¼½¾⅛⅜⅝⅞]) percent"
_ABOUT = r"(?P<about>(?:about|around|approximately|roughly|nearly|almost|just under|just over) )?"
_WHEN = (
    rf"(?:[Ii]n|[Oo]ver|[Dd]uring|[Ff]or|at) (?P<when>{NAME}(?: and {NAME})?(?: (?:of )?\d{{4}})?"
    r"|the (?:first|second|third|fourth) quarter(?: of \d{4})?|the intermeeting period"
    rf"|the (?:12|twelve)[- ]months? (?:period )?end(?:ing|ed) in {NAME}(?: (?:of )?\d{{4}})?"
    r"|the (?:year|four quarters) end(?:ing|ed) in the (?:first|second|third|fourth) quarter(?: of \d{4})?)"
)
_SOONER, _MIDDLE = _WHEN.replace("<when>", "<sooner>"), _WHEN.replace("<when>", "<middle>")
_LEAD = "On balance|On net|In the household survey|At the same time|However|Moreover|In addition|As a result"
_BEGIN = rf"(?:^|(?:[;,]|--) (?:and |while |but )|; )(?:(?:{_LEAD}|{_SOONER}), )?"
_SUBJECT = r"(?P<subject>(?:[Tt]he )?[\w.&'/-]+(?: [\w.&'/()-]+){0,11}?(?:, as measured by the [\w ()]+,)?)"
_ADVERB = r"(?:(?:also|further|again|back|slightly|a bit|somewhat|only|just|on (?:net|balance)),? )*"
_TURN = (
    r"rose|fell|(?:edged|ticked|moved|inched) (?:back )?(?:up|down)|increased|declined|decreased|dropped|climbed|jumped"
    r"|dipped|advanced"
)
_REST = r"(?=[.,;]|--| (?:and (?!in\b|[A-Z])|but |despite |because |as |after |even |reflecting |while )|$)"
_LEVEL = re.compile(
    rf"{_BEGIN}{_SUBJECT} {_ADVERB}(?:(?P<verb>(?:{_TURN}) {_ADVERB}(?:{_MIDDLE},? )?to"
    rf"|(?:remained|stayed|held|stood|held steady|was unchanged) at|averaged|was)) "
    rf"{_ABOUT}{_AMOUNT}(?: {_WHEN})?{_REST}"
)
_CHANGE = re.compile(
    rf"{_BEGIN}{_SUBJECT} {_ADVERB}(?P<verb>{_TURN}|grew|expanded|contracted|appreciated|depreciated) {_ADVERB}"
    rf"(?P<annual>at an annual rate of )?{_ABOUT}{_AMOUNT}(?P<annually> at an annual rate)?"
    rf"(?:,? on (?:balance|net),?)?(?: {_WHEN})?{_REST}"
)
_RATES = re.compile(r"\b(?:rate|ratio|utilization|yields?|inflation)\b", re.I)
_CHANGES = re.compile(
    r"\b(?:prices?|index(?:es)?|CPI|PPI|production|payrolls?|employment|sales|GDP|output|spending|orders|starts|wages"
    r"|earnings|expenditures|imports|exports|M2|M3|credit|debt|inventories|income|productivity|dollar|costs?|hour"
    r"|shipments|compensation|employees|employers?)\b"
)
_UNCLEAR = re.compile(
    r"\b(?:its|their|this|these|those|such|it|they|same|latter|former|who|which|that|was|were|then|still|each|both|with"
    r"|rose|fell|said|noted|indicated|reported|remained|increased|declined|while|although|pace|changes?|increases?"
    r"|not|both|total of)\b|^(?:the )?(?:(?:core|overall|total|headline) )?(?:index|rate|measure|component|series"
    r"|indexes|prices|yields?|ratio|inflation|output|costs?|credit|debt|increase)$",
    re.I,
)
_RATE = r"(?P<value>(?:\d to )?(?:\d+(?:\.\d+)?(?:[- ]\d[/⁄]\d)?|\d[/⁄]\d|\d?[¼½¾]) percent)"
_DAYS = rf"{NAME} \d{{1,2}}(?:[-–](?:{NAME} )?\d{{1,2}})?, \d{{4}}"
# What meetings decide, by relation; group `of` is the subject where it is not the meeting, `when` another time.
_SETTLED = {
    "was dissented from by": r"\b(?:Votes?|Voting) against this action: ?(?P<value>(?!None)[A-Z][\w.'’-]+?"
    r"(?:,? (?:and )?(?!Absent|Abst|Voting|It\b)[A-Z][\w.'’-]*?)*?)\.?$",
    "preceded meeting of": r"next (?:regular )?meeting of the Committee would be held on "
    rf"(?:\w+day(?:[-–] ?\w+day)?, )?(?P<value>{_DAYS})",
    "were approved on": rf"[Nn]otation vote completed on (?P<value>{_DAY}), the Committee unanimously approved the "
    rf"(?P<of>minutes of the (?:FOMC meeting|(?:meeting of the )?Federal Open Market Committee(?: meeting)?) held "
    rf"on {_DAYS})",
    "sought average of": r"seeks conditions in reserve markets consistent with \w+ the federal funds rate (?:at|to) an "
    rf"average of around {_RATE}",
    "set target at": r"decided today to (?:keep|maintain|leave|establish|lower|raise|increase|reduce) (?:its|the|a) "
    rf"(?P<of>target (?:range )?for the federal funds rate) (?:by )?(?:\d+ basis points,? )?(?:unchanged )?"
    rf"(?:at|to|of) {_RATE}",
    "was earlier set at": rf"^At its (?P<when>{NAME})(?: [\d-]+)? meeting, the (?:FOMC|Federal Open Market Committee"
    r"(?: \(FOMC\))?) (?:decided to )?(?:kept?|maintain(?:ed)?|lower(?:ed)?|raised?|increased?|reduced?|left) "
    rf"(?:its|the) target (?:level |rate )?(?:for|of) (?P<of>the federal funds rate) (?:\d+ basis points,? )?"
    rf"(?:at|to) {_RATE}",
    "selected as officer": r"the (?:Federal Open Market )?Committee selected (?P<value>(?:[A-Z][\w.]* ){1,3}[A-Z]\w+) "
    r"to serve as (?P<of>[A-Z][\w ]+?) until the selection of (?:a|his|her) successor",
}
_AT_MEETING = ("set target at", "selected as officer")  # about another subject, as of the day of the meeting
_EVENTS = {relation: re.compile(pattern) for relation, pattern in _SETTLED.items()}


@dataclass(frozen=True, slots=True)
class Origin:
    """The meeting ("Federal Open Market Committee meeting of …") or document that a sentence is from, and its day."""

    name: str
    on: date


def find_origin(document: Document, at: int) -> Origin | None:
    """The meeting whose record holds this place of the document, else the document by its title; None for neither."""
    opened = None
    for match in _OPENS.finditer(document.text, 0, max(at, _OPENING)):
        if match.start() < _OPENING or "was held" in match[0]:
            opened = match
    if opened:
        first, last = _day(opened[2]), _day(opened[3] or opened[2])
        return Origin(f"Federal Open Market Committee {opened[1]} of {_spell_days(first, last)}", last)
    day = document.period_end or document.as_of
    if not day or document.entity == "Federal Open Market Committee" or not re.search(r" .*\b\d{4}", document.title):
        return None
    return Origin(document.title, date.fromisoformat(day))


def _day(text: str) -> date:
    return date.fromisoformat(iso_day(moments(text)[0]))


def _spell_days(first: date, last: date) -> str:
    start, end = f"{NAMES[first.month - 1]} {first.day}", f"{last.day}, {last.year}"
    if first == last:
        return f"{start}, {last.year}"
    return f"{start}-{end}" if first.month == last.month else f"{start}-{NAMES[last.month - 1]} {end}"


def complete_period(when: str, on: date) -> str:
    """A time with its year, as far as the day of the record determines it ("September" → "September 2010"); else ""."""
    if when == _BETWEEN or re.search(r"\d{4}$", when):
        return when
    if quarter := re.search(r"(first|second|third|fourth) quarter", when):
        now, asked = (on.month + 2) // 3, _QUARTERS[quarter[1]]
        return "" if now == asked else f"{when} of {on.year - (asked > now)}"
    month = re.findall(NAME, when)[-1]
    return f"{when} {on.year - (month_number(month) > on.month)}"


def extract_readings(document: Document, chunks: Iterable[Chunk]) -> Iterator[Triplet]:
    """The figures, decisions and votes that a record states; where it says two things, that is the reason against."""
    rows: list[Triplet] = []
    values: dict[tuple[str, ...], set[str]] = defaultdict(set)
    for chunk in chunks if document.domain == "economics" else ():
        for start, end in sentences(chunk.text) if chunk.kind == "text" else ():
            sentence = chunk.text[start:end]
            if not re.search(r"\d|against", sentence):
                continue
            statements = [*_find_figures(sentence), *_find_events(sentence)]
            origin = find_origin(document, chunk.start + start) if statements else None
            if origin is None:
                continue
            for subject, relation, answer, when in statements:
                period = complete_period(when, origin.on) if when else ""
                if when and not period:
                    continue
                if relation in _AT_MEETING:
                    period = origin.name.rpartition(" of ")[2]
                about = subject or origin.name  # without a subject it is about the meeting
                percent = re.fullmatch(r"([\d.]+) percent", answer)  # "6-1/2" has no plain form that would be sure
                row = Triplet(
                    row_id("reading", chunk.chunk_id, start, about, relation, answer, period),
                    *(chunk.chunk_id, document.doc_id, start, end, about, relation, answer, sentence, "reading"),
                    object_type="PERCENT" if "percent" in answer else "TEXT",
                    answer=answer,
                    value=percent[1] if percent else "",
                    unit="percent" if "percent" in answer else "",
                    period=period.replace(_BETWEEN, f"{_BETWEEN} before the {origin.name}"),
                    entity=document.entity,
                    domain=document.domain,
                )
                rows.append(row)
                values[_figure_key(row)].add(answer)
    for row in rows:
        yield replace(row, rejected_because="two_values_in_document") if len(values[_figure_key(row)]) > 1 else row


def _figure_key(row: Triplet) -> tuple[str, ...]:
    words = row.relation.removesuffix(" about")
    level = "level" if words.endswith((" to", " at")) or words in ("was", "averaged") else "change"
    return row.subject, row.relation if row.relation in _EVENTS else level, row.period


def _find_figures(sentence: str) -> Iterator[tuple[str, str, str, str]]:
    """(measure, relation, value, time) of the first figure that a sentence gives for a named measure."""
    if _FORECAST.search(sentence) or len(sentence.split()) > 45:
        return
    for pattern, kinds in ((_LEVEL, _RATES), (_CHANGE, _CHANGES)):
        for match in pattern.finditer(sentence):
            part = match.groupdict()
            subject = re.sub(r"^[Tt]he ", "", part["subject"]).removesuffix(",")
            inner = re.fullmatch(rf"(.+?) {_WHEN}", subject)
            subject, when = (inner[1], inner["when"]) if inner else (subject, "")
            times = {t for t in (when, part["when"], part["sooner"], part.get("middle")) if t}
            if (
                len(times) != 1
                or not kinds.search(subject)
                or _UNCLEAR.search(subject)
                or "," in subject.partition(", as measured by")[0]
            ):
                continue
            verb = re.sub(rf" (?:{_ADVERB.rstrip('*')}|{_MIDDLE},? )+", " ", part["verb"] + " ").strip()
            relation = verb + (" annually" if part.get("annual") or part.get("annually") else "")
            yield subject, relation + (" about" if part["about"] else ""), f"{part['amount']} percent", times.pop()
            return


def _find_events(sentence: str) -> Iterator[tuple[str, str, str, str]]:
    """(subject or "" for the meeting, relation, value, time) of every decision that a sentence states."""
    for relation, pattern in _EVENTS.items():
        if match := pattern.search(sentence):
            part = match.groupdict()
            yield part.get("of") or "", relation, part["value"], part.get("when") or ""
