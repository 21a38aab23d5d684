"""Numbers as filings print them: signs, parentheses, percents, currencies, footnote marks."""

import re
from dataclasses import dataclass
from decimal import Decimal

LONGEST = 100  # characters of a cell with a number; in a longer one stands more than that
MOST_DIGITS = 18  # of an amount: more are a serial number, or an attempt to break arithmetic
_NUMBER = re.compile(
    r"""^\s*
    (?P<open>\()?\s*
    (?P<minus>[-−–])?\s*
    (?P<currency>US\$|C\$|[$€£¥])?\s*
    (?P<open2>\()?\s*(?P<minus2>[-−–])?\s*
    (?P<digits>\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?|\.\d+)
    \s*(?P<percent>%|percent)?\s*
    (?P<close>\))?
    \s*(?P<percent2>%|percent)?
    (?:\s*(?:\((?:\d{1,2}|[a-z])\)|[*†‡])+)?\s*$""",
    re.VERBOSE,
)

_CURRENCIES = {"$": "USD", "US$": "USD", "€": "EUR", "£": "GBP", "¥": "JPY", "C$": "CAD"}


@dataclass(frozen=True, slots=True)
class Number:
    """A number as printed: `text[start:end]` are its digits alone."""

    value: Decimal  # signed, unscaled
    digits: str
    start: int
    end: int
    currency: str = ""  # ISO code, "" where none is printed
    percent: bool = False


def number(text: str) -> Number | None:
    """The number that a whole cell holds; None for words, dashes, ranges and what is too long for an amount."""
    match = _NUMBER.match(text) if len(text) <= LONGEST else None
    if match is None:
        return None
    opened, closed = bool(match["open"] or match["open2"]), bool(match["close"])
    if opened != closed:
        return None
    digits = match["digits"].replace(",", "")
    if len(digits) > MOST_DIGITS:
        return None
    value = Decimal(digits)
    if opened or match["minus"] or match["minus2"]:
        value = -value
    return Number(
        value,
        match["digits"],
        match.start("digits"),
        match.end("digits"),
        _CURRENCIES.get(match["currency"] or "", ""),
        bool(match["percent"] or match["percent2"]),
    )


_SCALES = (
    ("billions", re.compile(r"\bin billions\b|\(billions", re.I)),
    ("millions", re.compile(r"\bin millions\b|\(millions|\$ ?millions|\bmillions of (?:U\.?S\.? )?dollars", re.I)),
    ("thousands", re.compile(r"\bin thousands\b|\(thousands|\b(?:in )?000[’']?s\b|\bthousands of dollars", re.I)),
)

FACTORS = {"billions": Decimal(10**9), "millions": Decimal(10**6), "thousands": Decimal(10**3), "": Decimal(1)}


def scale_in(text: str) -> str:
    """The scale that a caption states ("(in millions, except per share data)"); the last one said, "" for none."""
    found = [(match.start(), name) for name, pattern in _SCALES for match in pattern.finditer(text)]
    return max(found)[1] if found else ""
