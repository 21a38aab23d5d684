"""Knows values and times as sentences write them: "$2.1 billion", "approximately 166,000 people", "fiscal 2024"."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal

from rarefy.tasks.text.dates import NAME
from rarefy.tasks.text.quantities import is_number

_ABOUT = r"(?:(?:approximately|about|nearly|roughly|over|almost|more than|less than|at least|up to) )?"
_DIGITS = r"\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?"
_SCALES = {"thousand": 10**3, "million": 10**6, "billion": 10**9, "trillion": 10**12}
MONEY = re.compile(
    rf"{_ABOUT}(?P<currency>US\$|C\$|[$€£¥]) ?(?P<digits>{_DIGITS})(?: (?P<scale>thousand|million|billion|trillion))?"
    r"(?P<per> per (?:diluted )?(?:common )?(?:share|unit|barrel|month|year|hour))?"
)
PERCENT = re.compile(rf"{_ABOUT}(?P<digits>{_DIGITS}) ?(?:%|percent\b)")
COUNT = re.compile(
    rf"{_ABOUT}(?P<digits>{_DIGITS})(?: (?P<scale>thousand|million|billion))? (?P<noun>(?:[a-z]+"
    rf"(?:-[a-z]+)*(?:,? and |, | ))"
    r"{0,4}?(?:people|persons|employees|associates|teammates|colleagues|members|stores|restaurants|countries|patents"
    r"|square feet|acres|customers|subscribers|locations|branches|shares|units|states|facilities|hotels"
    r"|megawatts|barrels"
    r"|households|districts|families|days|months|years|hours|properties|plants|vehicles|stations))\b"
)
_CURRENCIES: Mapping[str, str] = {"$": "USD", "US$": "USD", "C$": "CAD", "€": "EUR", "£": "GBP", "¥": "JPY"}

_DATE = rf"{NAME} \d{{1,2}}, ?\d{{4}}"
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
    for kind, pattern in (("MONEY", MONEY), ("PERCENT", PERCENT), ("NUMBER", COUNT)):
        for match in pattern.finditer(text, max(0, start - 60)):
            if match.start() > end:
                break
            if not is_number(match["digits"]):
                continue
            if (match.start() <= start and match.end() >= end) or start <= match.start("digits") < end:
                scale = match.groupdict().get("scale") or ""
                number = Decimal(match["digits"].replace(",", "")) * _SCALES.get(scale, 1)
                if kind == "MONEY":
                    unit = _CURRENCIES[match["currency"]] + _per(match["per"])
                else:
                    unit = "percent" if kind == "PERCENT" else match["noun"].split()[-1]
                plural = {"thousand": "thousands", "million": "millions", "billion": "billions"}.get(scale, "")
                return Value(match.start(), match.end(), match[0], kind, f"{number.normalize():f}", unit, plural)
    return None


def _per(said: str | None) -> str:
    return f"/{said.split()[-1]}s" if said else ""


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
