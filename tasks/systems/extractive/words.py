"""Words as the baseline compares them: small letters, no endings of plurals, periods told in one way."""

import re
from functools import lru_cache

from rarefy.tasks.nli.figures import lettered

_WORD = re.compile(r"\d+(?:[.,/]\d+)*|[^\W\d_]+(?:[’'-][^\W\d_]+)*")
_EMPTY = frozenset(
    "a an the of in on at to for from by with as and or is are was were be been being do does did has have had having "
    "its it their his her this that these those which what who whose whom when where how much many according per into "
    "during under over there than then we our us any each also such i.e e.g "
    "year years ended ending fiscal inc corp corporation company co ltd llc plc".split()
)
_MONTHS = "jan feb mar apr may jun jul aug sep oct nov dec".split()
_DATE = re.compile(
    r"\b(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?\s+(\d{1,2})(?:\s*[-–]\s*\d{1,2})?\s*,?\s+((?:19|20)\d\d)\b"
    r"|\b(\d{1,2})\.?\s+(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?,?\s+((?:19|20)\d\d)\b"
    r"|\b((?:19|20)\d\d)-(\d\d)-(\d\d)\b",
    re.IGNORECASE,
)
_YEAR = re.compile(r"(?<![\d,.$/-])(?:FY\s?)?((?:19|20)\d\d)(?![\d,]\d|%|\.\d)", re.IGNORECASE)


@lru_cache(maxsize=50_000)
def stems(text: str) -> frozenset[str]:
    """The telling words of a text, dates and years apart from them."""
    return frozenset(
        stem(word) for word in _WORD.findall(undated(text).lower()) if word not in _EMPTY and len(word) > 1
    )


@lru_cache(maxsize=50_000)
def stem(word: str) -> str:
    """A word in small letters without its endings, the same for all forms of one: not always a word."""
    word = re.sub(r"['’]s?$", "", word)
    if len(word) > 4 and word.endswith("ies"):
        word = word[:-3] + "y"
    elif len(word) > 4 and word.endswith(("sses", "xes", "ches", "shes", "zes")):
        word = word[:-2]
    elif len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is")):
        word = word[:-1]
    for ending, least in (("ing", 7), ("ed", 6), ("e", 5)):
        if len(word) >= least and word.endswith(ending):
            return word.removesuffix(ending)
    return word


@lru_cache(maxsize=50_000)
def dates(text: str) -> frozenset[tuple[int, int, int]]:
    """The days that a text names, as (year, month, day)."""
    return frozenset(_day(found) for found in _DATE.finditer(lettered(text)))


@lru_cache(maxsize=50_000)
def years(text: str) -> frozenset[int]:
    """The years that a text names, in days or alone."""
    return frozenset(int(found[1]) for found in _YEAR.finditer(text)) | {day[0] for day in dates(text)}


def undated(text: str) -> str:
    """The text without its days and years."""
    return _YEAR.sub(" ", _DATE.sub(" ", text))


def blanked(text: str) -> str:
    """The text with blanks for its days, of the same length."""
    return _DATE.sub(lambda found: " " * len(found[0]), text)


def _day(found: re.Match[str]) -> tuple[int, int, int]:
    month, day, year, day2, month2, year2, *iso = found.groups()
    if iso[0]:
        return int(iso[0]), int(iso[1]), int(iso[2])
    return int(year or year2), _MONTHS.index((month or month2)[:3].lower()) + 1, int(day or day2)
