"""Which part of a sentence answers: the span of the kind that is wanted, nearest to the words that were looked for."""

import re
from collections.abc import Iterator
from functools import lru_cache

from rarefy.tasks.systems.extractive.wanted import Wanted
from rarefy.tasks.systems.extractive.words import blanked, dates, stem, stems, years

_SCALE = r"(?:thousand|million|billion|trillion|bn|mn)"
_NUMBER = r"(?:\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?)"
_MONEY = (
    rf"[-–(]?(?:(?:US|C|A)?\$|€|£|¥|USD |EUR )\s?\(?{_NUMBER}\)?(?:\s{_SCALE})?\)?"
    rf"|{_NUMBER}\s(?:{_SCALE}\s)?(?:dollars|euros|pounds|yen)|{_NUMBER}\s{_SCALE}"
)
_SHARE = r"\d+(?:-\d+/\d+|\s\d+/\d+|\.\d+)?"  # Federal Reserve minutes count in quarters: 5-1/4
_PERCENT = rf"{_SHARE}(?:\s(?:to|and)\s{_SHARE})?\s?(?:%|per ?cent\b|percentage points?|basis points?)"
_MONTH = (
    "(?:January|February|March|April|May|June|July|August|September|October|November|December"
    r"|(?:Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept?|Oct|Nov|Dec)\.?)"
)
_DAY = (
    rf"{_MONTH}\s\d{{1,2}}(?:\s?[-–]\s?(?:{_MONTH}\s)?\d{{1,2}})?,?\s(?:19|20)\d\d|\d{{1,2}}\s{_MONTH}\s(?:19|20)\d\d"
    rf"|{_MONTH}\s\d{{1,2}}\b|{_MONTH},?\s(?:19|20)\d\d|(?:19|20)\d\d-\d\d-\d\d"
)
_YEAR = r"(?<![\d$,.])(?:19|20)\d\d(?![\d,]\d)"
_NAME = r"[A-Z][\w&.’'-]*(?:\s(?:of|the|and|&|de|van|von|for)(?=\s[A-Z])|\s[A-Z][\w&.’'-]*)*"
_PLACE = rf"{_NAME}(?:,\s{_NAME})?"
_PERSON = r"(?:[A-Z][a-zé’'-]+|[A-Z]\.)(?:\s(?:[A-Z]\.|[A-Z][a-zé’'-]+|de|van|von)){1,3}"
# of each kind, the surer pattern first
SPANS: dict[str, tuple[re.Pattern[str], ...]] = {
    "amount": (re.compile(_MONEY), re.compile(rf"\(?(?<![\w.,/-]){_NUMBER}(?![\w%]|[-/]\d)\)?")),
    "percent": (re.compile(_PERCENT),),
    "count": (re.compile(rf"(?<![\w.,$€£/-]){_NUMBER}(?:\s{_SCALE})?(?![\w%]|[-/]\d|\spercent)"),),
    "date": (re.compile(_DAY), re.compile(_YEAR)),
    "person": (re.compile(_PERSON),),
    "address": (re.compile(r"(?:\d+|One|Two|Three)\s(?:[A-Z][\w.’'-]*\s?){1,5}"),),
    "place": (re.compile(rf"(?<=\bin )(?:{_PLACE})"), re.compile(_PLACE)),
    "organisation": (re.compile(_NAME),),
}
_DIGIT = re.compile(r"\d")
_NOTE = re.compile(r"\b(?:Note|Notes|Item|Page|Part|Section|Form|No\.|Rule|Topic|Level)\s\d+[A-Z]?\b", re.IGNORECASE)
_SAME_YEAR = 1.5  # weight of the year that is asked about, beside a span


def spans(text: str, want: Wanted) -> list[str]:
    """The spans of a sentence that could answer, the best first; [] where none is of the kind that is wanted."""
    if want.kind == "any":
        return [text]
    for matched in _matched(want.kind, text):
        found = [one for one in matched if _fits(one[0], want)]
        if found:
            order = sorted(found, key=lambda one: (-_beside(text, one, want), -_near(text, one, want), one.start()))
            first = _respectively(text, [one[0] for one in found], want)
            named = [one[0].strip(" .,;") for one in order]
            return [first, *named] if first else named
    return []


@lru_cache(maxsize=50_000)
def _matched(kind: str, text: str) -> tuple[tuple[re.Match[str], ...], ...]:
    """All spans of a kind in a sentence, for each of its patterns."""
    if kind in ("amount", "percent", "count", "date") and not _DIGIT.search(text):
        return ()
    where = text
    if kind in ("amount", "count"):  # neither the 18 of February 18 nor the 20 of Note 20 is one
        where = _NOTE.sub(lambda one: " " * len(one[0]), blanked(text))
    return tuple(tuple(one for one in pattern.finditer(where) if one[0].strip()) for pattern in SPANS[kind])


def _fits(span: str, want: Wanted) -> bool:
    """Whether a span tells anything that the question did not say."""
    if want.kind in ("person", "place", "organisation"):
        return tells(span, want)
    if want.kind == "date":
        days, named = dates(span), years(span)
        return not (days <= want.days if days else bool(named) and named <= want.years)
    if want.kind in ("amount", "count"):
        return not re.fullmatch(r"\(?(?:19|20)\d\d\)?|\(\d{1,2}\)", span)
    return True


def tells(name: str, want: Wanted) -> bool:
    """Whether a name is made of more than the question's own words."""
    words = stems(name)
    return bool(words) and 2 * len(words & want.words) <= len(words)


def _beside(text: str, span: re.Match[str], want: Wanted) -> int:
    """1 where the period asked about stands in brackets right behind a span, -1 where another does, else 0."""
    found = re.match(r"\s?\(([^()]*)\)", text[span.end() :])
    behind = found[1] if found else ""
    if not want.years or not years(behind):
        return 0
    same = want.days & dates(behind) if want.days and dates(behind) else want.years & years(behind)
    return 1 if same else -1


def _near(text: str, span: re.Match[str], want: Wanted) -> float:
    """How near the words that were looked for stand, those before it counting more."""
    score = 0.0
    weights = dict(want.weights)
    for word in re.finditer(r"[^\W_]+(?:[’'-][^\W_]+)*", text):
        weight = weights.get(stem(word[0].lower()), 0.0)
        if want.kind != "date" and word[0].isdecimal() and int(word[0]) in want.years:
            weight = _SAME_YEAR
        if weight and not span.start() <= word.start() < span.end():
            before = word.start() < span.start()
            gap = span.start() - word.end() if before else word.start() - span.end()
            score += weight * (1.0 if before else 0.7) / (10.0 + gap)
    return score


def _respectively(text: str, found: list[str], want: Wanted) -> str:
    """Of "$88.4 billion and $90.8 billion, respectively" the one that belongs to the period asked about."""
    if "respectively" not in text or not (want.years or want.days):
        return ""
    told = list(_periods(text))
    if len(told) != len(found):
        return ""
    for at, (day, year) in enumerate(told):
        if (want.days and day in want.days) or (not want.days and year in want.years):
            return found[at].strip(" .,;")
    return ""


def _periods(text: str) -> Iterator[tuple[tuple[int, int, int] | None, int]]:
    seen = re.compile(rf"{_MONTH}\s\d{{1,2}},?\s(?:19|20)\d\d|{_YEAR}")
    for one in seen.finditer(text):
        days = sorted(dates(one[0]))
        yield (days[0] if days else None), min(years(one[0]))
