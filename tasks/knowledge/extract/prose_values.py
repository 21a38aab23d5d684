"""Knows values and times as sentences write them: "$2.1 billion", "approximately 166,000 people", "fiscal 2024"."""

import re
from dataclasses import dataclass
from decimal import Decimal

from rarefy.tasks.knowledge.extract.values import SCALES
from rarefy.tasks.text.dates import NAME
from rarefy.tasks.text.quantities import Quantity, per, quantities

_KINDS = ("MONEY", "PERCENT", "NUMBER")

# What goes with an amount as it is said, and what it may be of
_ABOUT = re.compile(r"(?:(?:approximately|about|nearly|roughly|over|almost|more than|less than|at least|up to) )?\Z")
_PER = frozenset("share unit barrel month year hour".split())
_COUNTED = re.compile(
    r" (?:[a-z]+(?:-[a-z]+)*(?:,? and |, | )){0,4}?"
    r"(?P<noun>people|persons|employees|associates|teammates|colleagues|members|stores|restaurants|countries|patents"
    r"|square feet|acres|customers|subscribers|locations|branches|shares|units|states|facilities|hotels"
    r"|megawatts|barrels"
    r"|households|districts|families|days|months|years|hours|properties|plants|vehicles|stations)\b"
)

_DATE = rf"{NAME} \d{{1,2}}, ?\d{{4}}"
# Times as a sentence has them, in words that become part of a question; their days are read by text.dates
_TIME = re.compile(
    rf"\b(?:(?:the )?(?:first|second|third|fourth) quarters? of (?:fiscal |calendar )?(?:year )?\d{{4}}"
    rf"|(?:fiscal|calendar)(?: year)? \d{{4}}|(?:the )?(?:fiscal )?years? ended {_DATE}|{_DATE}|{NAME},? \d{{4}}"
    r"|(?:19|20)\d{2})\b(?!\s*(?:U\.S\.C|CFR|F\.))"
)

_YEARLESS = re.compile(rf"{_TIME.pattern}|\b{NAME}\b(?! \d)|\b(?:first|second|third|fourth) quarter\b")
_IN_A_NAME = re.compile(r"[A-Z][\w’']* of \0|\0 [A-Z]\w+ |[A-Z]\w+ \0(?=[ ,.]*[A-Z])|-\0|\0-")
_BOUND = re.compile(
    r"(?:[Ss]ubsequent to|[Ss]ince|[Uu]ntil|[Tt]hrough|[Bb]efore|[Pp]rior to|[Aa]fter|[Bb]y|[Bb]eginning"
    r"(?: in| on)?|[Ff]rom|due(?: in| on)?"
    r"|[Ee]xpir\w+(?: in| on)?|[Mm]atur\w+(?: in| on)?)(?: the)? $"
)


@dataclass(frozen=True, slots=True)
class Value:
    """An amount as written, `text[start:end]`, and as a number."""

    start: int
    end: int
    said: str
    type: str  # MONEY | PERCENT | NUMBER
    number: str
    unit: str
    scale: str

    def fields(self) -> dict[str, str]:
        """What a triplet keeps of it."""
        return {"value": self.number, "unit": self.unit, "scale": self.scale}


def value_over(text: str, start: int, end: int) -> Value | None:
    """The amount written over `text[start:end]`, whole even where that is a part of it; None where there is none."""
    found = [value for one in quantities(text) if (value := _value(text, one)) and _lies(value, one, start, end)]
    return min(found, key=lambda value: _KINDS.index(value.type), default=None)


def several(text: str, kind: str) -> bool:
    """Whether a text names more than one amount of a kind ("money", "percent")."""
    return sum(one.kind == kind and not _borrows(one) for one in quantities(text)) > 1


def amount_of(text: str, one: Quantity) -> Decimal:
    """Its value in prose, where brackets around a sum are no more than brackets: "$(18)" is below zero, "($18)" not."""
    return one.amount if text[one.start] == "(" else one.value


def _lies(value: Value, one: Quantity, start: int, end: int) -> bool:
    return (value.start <= start and value.end >= end) or start <= one.digits[0] < end


def _borrows(one: Quantity) -> bool:
    """The "2" of "2 to 3 percent": its unit stands elsewhere, and alone it is no amount."""
    return one.part == "from" and one.digits == (one.start, one.end)


def _value(text: str, one: Quantity) -> Value | None:
    """A quantity in figures as an amount of money, a share or a count; None for all other quantities."""
    start, end, scale = one.start, one.end, SCALES.get(one.scale, "")
    if one.worded or _borrows(one):
        return None
    if text[start] == "(":
        start, end = start + 1, end - (text[end - 1] == ")")
    if one.kind == "money" and one.currency:
        of = per(text, one) if text.startswith(" per ", end) else ""
        unit = f"{one.currency}/{of}s" if of in _PER else one.currency
        end = text.lower().index(of, end) + len(of) if of in _PER else end
        kind = "MONEY"
    elif one.kind == "percent":
        kind, unit = "PERCENT", "percent"
    elif one.kind in ("count", "measure", "bare") and (counted := _COUNTED.match(text, end)):
        kind, unit, end = "NUMBER", counted["noun"].split()[-1], counted.end()
    else:
        return None
    about = _ABOUT.search(text, max(0, start - 20), start)
    start = about.start() if about else start
    return Value(start, end, text[start:end], kind, f"{amount_of(text, one).normalize():f}", unit, scale)


def times(text: str, yearless: bool = False) -> list[str]:
    """The explicit times that a sentence names, each once, in order; not the years of acts and plans.

    With `yearless`, also "in February" and "the third quarter", as reports on the current year have them.
    """
    found: list[str] = []
    for match in (_YEARLESS if yearless else _TIME).finditer(text):
        said = re.sub(r"^the ", "", match[0])
        if said not in found and not (
            len(said) == 4 and _IN_A_NAME.search(text[: match.start()] + "\0" + text[match.end() :])
        ):
            found.append(said)
    return found


def period(text: str, yearless: bool = False) -> tuple[str, int]:
    """The one time at which what the sentence says held or happened, and where it stands.

    "" where it names none, several, or only a bound ("since 2011").
    """
    said = times(text, yearless)
    if len(said) != 1 or _BOUND.search(text[: text.index(said[0])]):
        return "", 0
    return said[0], text.index(said[0])


def is_time(said: str) -> bool:
    """Whether this is nothing but a time."""
    return _TIME.fullmatch(said.strip()) is not None


def is_vague_time(said: str) -> bool:
    """Whether this is a month, quarter or part of a date without its year."""
    return (
        re.fullmatch(
            rf"(?:{NAME}|\d{{1,2}}|years?|quarters?|months?|fiscal|{NAME} \d{{1,2}}|.* quarters?)", said.strip()
        )
        is not None
    )
