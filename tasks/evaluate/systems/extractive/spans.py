"""Which figure or date of a sentence answers: of the kind that is wanted, nearest to the words that were looked for."""

import re
from functools import lru_cache
from typing import NamedTuple

from rarefy.tasks.evaluate.systems.extractive.phrases import gap
from rarefy.tasks.evaluate.systems.extractive.wanted import Wanted
from rarefy.tasks.evaluate.systems.extractive.words import dates, stems, years
from rarefy.tasks.text.dates import moments
from rarefy.tasks.text.quantities import Quantity, quantities
from rarefy.tasks.text.stems import stem

KINDS = ("amount", "percent", "count", "date", "address")
_ADDRESS = re.compile(r"(?:\d+|One|Two|Three)\s(?:[A-Z][\w.’'-]*\s?){1,5}")
_BARE = ("bare", "count", "place", "measure", "times")
_SAME_YEAR = 1.5  # weight of the year that is asked about, beside a span


def spans(text: str, want: Wanted) -> list[str]:
    """The spans of a sentence that could answer, the best first; [] where none is of the kind that is wanted."""
    for matched in _matched(want.kind, text):
        found = [one for one in matched if _fits(one.text, want)]
        if found:
            order = sorted(
                found,
                key=lambda one: (
                    -_beside(text, one, want),
                    -counts(text, one, want),
                    -_near(text, one, want),
                    one.start,
                ),
            )
            first = _respectively(text, [one.text for one in found], want)
            named = [one.text.strip(" .,;") for one in order]
            return [first, *named] if first else named
    return []


class Span(NamedTuple):
    """A part of a sentence."""

    text: str
    start: int
    end: int


@lru_cache(maxsize=50_000)
def _matched(kind: str, text: str) -> tuple[tuple[Span, ...], ...]:
    """All spans of a kind in a sentence: first those that surely are of it."""
    if kind == "address":
        return (tuple(Span(one[0], *one.span()) for one in _ADDRESS.finditer(text)),)
    told = moments(text)
    if kind == "date":
        days = [one for one in told if one.kind in ("day", "month")]
        return tuple(_spans(text, [(one.start, one.end) for one in some]) for some in (days, told))
    taken = {at for one in told for at in range(one.start, one.end)}
    found = [one for one in quantities(text) if one.start not in taken]
    if kind == "percent":
        return (_spans(text, _ranges([one for one in found if one.kind in ("percent", "points")])),)
    bare = [one for one in found if one.kind in _BARE]
    if kind == "amount":
        money = [one for one in found if one.kind == "money" or (one.kind in _BARE and one.scale and not one.worded)]
        return tuple(_spans(text, [(one.start, one.end) for one in some]) for some in (money, bare))
    digits = [one for one in bare if not one.worded]
    return tuple(_spans(text, _ranges(some)) for some in (digits, bare))


def _spans(text: str, places: list[tuple[int, int]]) -> tuple[Span, ...]:
    return tuple(Span(text[start:end], start, end) for start, end in dict.fromkeys(places))


def _ranges(found: list[Quantity]) -> list[tuple[int, int]]:
    """Where they stand, both ends of a range as one."""
    places: list[tuple[int, int]] = []
    for one in found:
        start = places.pop()[0] if one.part == "to" and places else one.start
        places.append((start, one.end))
    return places


def _fits(span: str, want: Wanted) -> bool:
    """Whether a span tells anything that the question did not say."""
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


def _beside(text: str, span: Span, want: Wanted) -> int:
    """1 where the period asked about stands in brackets right behind a span, -1 where another does, else 0."""
    found = re.match(r"\s?\(([^()]*)\)", text[span.end :])
    behind = found[1] if found else ""
    if not want.years or not years(behind):
        return 0
    same = want.days & dates(behind) if want.days and dates(behind) else want.years & years(behind)
    return 1 if same else -1


def counts(text: str, span: Span, want: Wanted) -> bool:
    """Whether what is counted stands within three words behind a span: "how many species", "100 living species"."""
    noun = gap(want.text).noun if want.kind == "count" else ""
    return bool(noun) and noun in [
        stem(word.lower()) for word in re.findall(r"[^\W\d_]+", text[span.end : span.end + 60])[:3]
    ]


def _near(text: str, span: Span, want: Wanted) -> float:
    """How near the words that were looked for stand, those before it counting more."""
    score = 0.0
    weights = dict(want.weights)
    for word in re.finditer(r"[^\W_]+(?:[’'-][^\W_]+)*", text):
        weight = weights.get(stem(word[0].lower()), 0.0)
        if want.kind != "date" and word[0].isdecimal() and int(word[0]) in want.years:
            weight = _SAME_YEAR
        if weight and not span.start <= word.start() < span.end:
            before = word.start() < span.start
            gap = span.start - word.end() if before else word.start() - span.end
            score += weight * (1.0 if before else 0.7) / (10.0 + gap)
    return score


def _respectively(text: str, found: list[str], want: Wanted) -> str:
    """Of "$88.4 billion and $90.8 billion, respectively" the one that belongs to the period asked about."""
    if "respectively" not in text or not (want.years or want.days):
        return ""
    told = [text[one.start : one.end] for one in moments(text) if one.years]
    if len(told) != len(found):
        return ""
    for period, answer in zip(told, found, strict=True):
        if want.days & dates(period) if want.days else want.years & years(period):
            return answer.strip(" .,;")
    return ""
