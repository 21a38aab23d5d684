"""What the object of a model's triplet is as a value: amount, unit, scale and period, as its sentence has it."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from decimal import Decimal, InvalidOperation

from rarefy.data_contracts.rows import Document, Fact
from rarefy.tasks.extract.locate import words_within
from rarefy.tasks.extract.periods import of_fact
from rarefy.tasks.extract.prose_values import is_time, period, times, value_over
from rarefy.tasks.text.dates import NAME
from rarefy.tasks.text.quantities import is_number

_ABOUT = (
    r"(?:(?:approximately|about|nearly|roughly|around|over|almost|more than|less than|fewer than|at least|at most|up to"
    r"|perhaps|some|an? estimated|a total of|total of|the) )*"
)
_BOUND = re.compile(
    r"\b(?:over|more than|less than|fewer than|at least|at most|up to|or (?:more|fewer|less|greater))\b", re.I
)
_SPELLED = "one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|fifteen|twenty|thirty|sixty|ninety"
SCALES = {"thousand": Decimal(10**3), "million": Decimal(10**6), "billion": Decimal(10**9), "trillion": Decimal(10**12)}
CURRENCIES = {"$": "USD", "US$": "USD", "C$": "CAD", "€": "EUR", "£": "GBP", "¥": "JPY"}
_WRITTEN = re.compile(
    rf"^{_ABOUT}(?P<minus>[-−–(]\s*)?(?P<currency>US\$|C\$|[$€£¥])?\s?(?P<open>\()?(?P<digits>\d[\d,]*(?:\.\d+)?|\.\d+)\)?"
    r"(?P<percent>\s?(?:%|percent\b|per cent\b)\)?)?(?:[\s-](?P<scale>thousand|million|billion|trillion)s?\b)?"
    r"(?P<dollars>\s(?:U\.S\. )?dollars\b)?(?P<bound> or (?:more|fewer|less|greater)\b)?(?P<rest>.*)$",
    re.S,
)
# digits that are part of a name: 24 CFR part 5, 25 West 43rd Street, 401(k), 5G, 10-K
_NO_AMOUNT = re.compile(r"^(?:[-‑/.]\w|\s(?:CFR|U\.S\.C|USC)\b|\([a-z]\)|[A-Za-z])|^\s[A-Z]")
_TIME_UNIT = (
    r"(?:(?:business|calendar|working|full|consecutive)[ -])?(?:days?|weeks?|months?|quarters?|years?|hours?|minutes?)"
)
_DURATION = re.compile(rf"^{_ABOUT}(?:\d[\d,.]*|{_SPELLED})(?: \(\d+\))?(?: or more| or less)?[ -]{_TIME_UNIT}\b", re.I)
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


@dataclass(frozen=True, slots=True)
class Written:
    """An amount as words give it: `digits` times `scale`, with the sign it is written with."""

    digits: Decimal
    scale: str  # "" | thousand | million | ...
    currency: str  # ISO code, "" where none is written
    percent: bool
    signed: bool
    core: str  # the amount without what follows it


def written(said: str) -> Written | None:
    """The amount that words begin with; None where they begin with none."""
    match = _WRITTEN.match(said)
    if match is None or not is_number(match["digits"]):
        return None
    currency = CURRENCIES.get(match["currency"] or "", "USD" if match["dollars"] else "")
    signed = bool(match["minus"] or match["open"])
    core = said[: match.start("rest")].strip()
    digits = Decimal(match["digits"].replace(",", ""))
    return Written(digits, match["scale"] or "", currency, bool(match["percent"]), signed, core)


def type_of(said: str) -> str:
    """MONEY, PERCENT, NUMBER, DATE or DURATION where the words begin with a value; "" for the name of a thing."""
    if is_time(said) or _DATE.match(said):
        return "DATE"
    if _DURATION.match(said):
        return "DURATION"
    match = _WRITTEN.match(said)
    if not match or not is_number(match["digits"]):
        return ""
    if match["currency"] or match["dollars"]:
        return "MONEY"
    if match["percent"]:
        return "PERCENT"
    in_name = _NO_AMOUNT.match(match["rest"]) and not match["scale"] and "," not in match["digits"]
    return "" if in_name else "NUMBER"


def in_sentence(said: str, sentence: str, start: int, tags: Mapping[int, Fact], document: Document) -> Amount:
    """The value in a sentence of prose, whose number must stand there with the same scale.

    `tags` are those of the chunk by place, `start` the sentence's place in it: a tag says when the value held.
    """
    kind, amount = type_of(said), written(said)
    place = words_within(said, sentence)
    if place is None and amount and kind not in {"DATE", "DURATION"}:
        # "62% of total net sales" where the sentence says "38% and 62%, respectively, of total net sales"
        bare = re.sub(rf"^{_ABOUT}", "", amount.core, flags=re.I)
        forms = [amount.core, bare, re.sub(r"\s?%", " percent", bare), re.sub(r"\s?per ?cent\b", "%", bare)]
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
    if _BOUND.search(answer):
        value = replace(value, value="")  # more or less than the number says
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
    amount = written(answer)
    if amount is None:
        return Amount(kind, answer)
    value = amount.digits * SCALES.get(amount.scale, 1)
    rest = answer[len(amount.core) :].strip() if answer.startswith(amount.core) else ""
    noun = re.fullmatch(r"(?:[\w-]+ ){0,4}?((?:basis |square )?[a-z]+)", rest)
    unit = "percent" if kind == "PERCENT" else amount.currency or (noun[1] if noun else "")
    return Amount(kind, answer, plain(value), unit, f"{amount.scale}s" if amount.scale else "")


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
