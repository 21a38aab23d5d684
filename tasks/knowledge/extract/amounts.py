"""What the object of a model's triplet is as a value: amount, unit, scale and period, as its sentence has it."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from decimal import Decimal, InvalidOperation

from rarefy.data_contracts.rows import Document, Fact
from rarefy.tasks.knowledge.extract.locate import words_within
from rarefy.tasks.knowledge.extract.periods import of_fact
from rarefy.tasks.knowledge.extract.prose_values import amount_of, is_time, period, times, value_over
from rarefy.tasks.knowledge.extract.values import SCALES
from rarefy.tasks.text.dates import NAME
from rarefy.tasks.text.quantities import Quantity, number, quantities

_ABOUT = (
    r"(?:(?:approximately|about|nearly|roughly|around|over|almost|more than|less than|fewer than|at least|at most|up to"
    r"|perhaps|some|an? estimated|a total of|total of|the) )*"
)
_BOUND = re.compile(
    r"\b(?:over|more than|less than|fewer than|at least|at most|up to|or (?:more|fewer|less|greater))\b", re.I
)
_LEAD = re.compile(_ABOUT, re.I)
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
    """A value as the proof shows it; `trouble` says why it does not hold."""

    type: str
    answer: str = ""
    value: str = ""
    unit: str = ""
    scale: str = ""
    period: str = ""
    period_start: str = ""
    period_end: str = ""
    concept: str = ""
    trouble: str = ""


def written(said: str) -> Quantity | None:
    """The amount in figures that words begin with; None where they begin with none."""
    one = _begins(said)
    return None if one is None or one.worded else one


def _begins(said: str) -> Quantity | None:
    one = next(iter(quantities(said)), None)
    return one if one and one.kind != "place" and _LEAD.fullmatch(said[: one.start]) else None


def _core(said: str, one: Quantity) -> str:
    """The amount that words begin with, without what follows it."""
    more = _OR_MORE.match(said, one.end)
    return said[: more.end() if more else one.end].strip()


def figure_of(said: str, one: Quantity) -> Decimal:
    """What its digits say, before scale and unit."""
    shown = number(said[slice(*one.digits)])
    return shown.amount if shown else one.amount.scaleb(-one.scale)


def type_of(said: str) -> str:
    """MONEY, PERCENT, NUMBER, DATE or DURATION where the words begin with a value; "" for the name of a thing."""
    if is_time(said) or _DATE.match(said):
        return "DATE"
    one = _begins(said)
    if one and one.kind == "measure" and one.unit in _TIMES:
        return "DURATION"
    if one is None or one.worded:
        return ""
    if one.kind in ("money", "percent"):
        return one.kind.upper()
    in_name = _NO_AMOUNT.match(said[one.end :]) and not one.scale and not one.grouped
    return "" if in_name else "NUMBER"


def in_sentence(said: str, sentence: str, start: int, tags: Mapping[int, Fact], document: Document) -> Amount:
    """The value in a sentence of prose, whose number must stand there with the same scale.

    `tags` are those of the chunk by place, `start` the sentence's place in it: a tag says when the value held.
    """
    kind, amount = type_of(said), written(said)
    place = words_within(said, sentence)
    if place is None and amount and kind not in {"DATE", "DURATION"}:
        # "62% of total net sales" where the sentence says "38% and 62%, respectively, of total net sales"
        core = _core(said, amount)
        bare = _LEAD.sub("", core, count=1)
        forms = [core, bare, re.sub(r"\s?%", " percent", bare), re.sub(r"\s?per ?cent\b", "%", bare)]
        places = [words_within(form, sentence) for form in dict.fromkeys(forms)]
        place = next((p for p in places if p and type_of(sentence[slice(*p)]) == kind), None)
    if place is None:
        return Amount(kind, trouble="object_not_in_sentence")
    first, last = place
    answer = sentence[first:last].strip()
    if kind in {"DATE", "DURATION"}:
        return Amount(kind, answer)
    found = value_over(sentence, first, last)
    if kind != "NUMBER" and found and found.type == kind and found.start < last and first < found.end:
        if found.scale and not re.search(r"illion|thousand", answer):
            return Amount(kind, trouble="object_not_in_sentence")  # "$1.2" of "$1.2 billion" is another amount
        value = Amount(kind, answer, found.number, found.unit, found.scale)
    else:
        value = _counted(kind, answer)
    if _BOUND.search(answer) or (amount and amount.part):
        value = replace(value, value="")  # more or less than the number says, or between it and another
    tag = next((tags[at] for at in range(start + first, start + last) if at in tags), None)
    if tag and value.value and same(tag.value, value.value, kind):
        when = of_fact(tag, document)
        if when:
            return replace(value, period=when.label, period_start=when.start, period_end=when.end, concept=tag.concept)
    return replace(value, period=_when(sentence, first, last))


def same(tagged: str, value: str, kind: str) -> bool:
    """Whether a tag has this value; of percentages it has a hundredth."""
    try:
        number = abs(Decimal(tagged))
    except InvalidOperation:
        return False
    return number == abs(Decimal(value)) / (100 if kind == "PERCENT" else 1)


def plain(value: Decimal) -> str:
    """A number without exponent and trailing zeros."""
    return f"{value.normalize():f}"


def _counted(kind: str, answer: str) -> Amount:
    one = written(answer)
    if one is None:
        return Amount(kind, answer)
    core = _core(answer, one)
    noun = re.fullmatch(r"(?:[\w-]+ ){0,4}?((?:basis |square )?[a-z]+)", answer[len(core) :].strip())
    unit = "percent" if kind == "PERCENT" else one.currency or (noun[1] if noun else "")
    value = amount_of(answer, one)
    if one.kind == "points":  # as they are counted there
        unit, value = answer[one.digits[1] : one.end].strip(), figure_of(answer, one)
    return Amount(kind, answer, plain(value), unit, SCALES.get(one.scale, ""))


def _when(sentence: str, start: int, end: int) -> str:
    """The one time that a sentence gives for what stands at a place of it; "" where that cannot be told."""
    when, _ = period(sentence)
    if when:
        return when
    near = _NEXT_TIME.match(sentence[end:])
    if near:  # "from 19% in fiscal year 2023 to 14% in fiscal year 2024"
        told, at = period(re.split(r"[;]| to | and | from |, ", sentence[end + near.end() :], maxsplit=1)[0])
        if told and at == 0:
            return told
    before = sentence[:start]
    said = times(before)
    if len(said) == 1 and "respectively" not in sentence:  # "revenue for fiscal year 2024 was $47.5 billion, up 217%"
        between = before[before.index(said[0]) + len(said[0]) :]
        return period(before)[0] if not _ELSEWHERE.search(between) else ""
    return ""
