"""Days, months, quarters and years of a text, in whichever notation: "9/28/2024" and "28 September 2024" are one."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from rarefy.tasks.text.characters import lettered
from rarefy.tasks.text.dates import MONTHS
from rarefy.tasks.text.kept import small

Parts = tuple[int, int, int, int]  # year, month, day, quarter; 0 where it is not said

_M = "|".join(rf"{name[:3]}(?:{name[3:]}|t)?\.?" if len(name) > 3 else name for name in MONTHS)
_DAYS = r"(?P<{d}>\d{{1,2}})(?:st|nd|rd|th)?(?:\s?(?:-|to|and|through)\s?(?P<{e}>\d{{1,2}})(?:st|nd|rd|th)?)?"
_FISCAL = r"(?:(?:of|in|for)\s+)?(?:the\s+)?(?:fiscal(?:\s+year)?|calendar(?:\s+year)?|FY)?\s?'?"
_DATE = re.compile(
    rf"\b(?P<m>{_M})\s+{_DAYS.format(d='d', e='e')}(?:,?\s+(?P<y>\d{{4}}))?(?![\d.]*\d)|"
    rf"\b{_DAYS.format(d='d2', e='e2')}\s+(?:of\s+)?(?P<m2>{_M})(?:,?\s+(?P<y2>\d{{4}}))?\b|"
    rf"\b(?P<m4>{_M}),?\s+(?:of\s+)?(?P<y4>(?:19|20)\d{{2}})\b",
    re.IGNORECASE,
)
_NUMERIC = re.compile(
    r"(?<![\d/.-])(?:(?P<y>\d{4})(?P<by>[/.-])(?P<m>\d{1,2})(?P=by)(?P<d>\d{1,2})"
    r"|(?P<a>\d{1,2})(?P<by2>[/.-])(?P<b>\d{1,2})(?P=by2)(?P<y2>\d{4}|\d\d))(?![\d/-]|\.\d)"
)
_QUARTER = re.compile(
    r"\b(?:(?P<o>first|second|third|fourth|1st|2nd|3rd|4th)(?:\s+fiscal)?[\s-]quarter|Q(?P<q>[1-4])|(?P<q2>[1-4])Q)"
    rf"(?:[\s,-]*{_FISCAL}(?P<y>(?:19|20)\d\d|\d\d(?=\b)))?(?!\d)",
    re.IGNORECASE,
)
_YEAR = re.compile(r"\b(?:fiscal(?:\s+year)?|FY)\s?'?(?P<y>(?:19|20)\d\d|\d\d)\b(?![,.]\d|%)", re.IGNORECASE)
_BARE = re.compile(
    r"(?<![\w.,$€£¥+-])(?<![$€£¥(]\s)(?P<y>(?:19|20)\d\d)(?![\d%]|'?s\b|[.,]\d|-\d|\s?(?:%|percent|thousand|million|billion|trillion)\b)"
)
_ORDER = {"first": 1, "second": 2, "third": 3, "fourth": 4, "1st": 1, "2nd": 2, "3rd": 3, "4th": 4}


@dataclass(frozen=True, slots=True)
class Moment:
    """A day, month, quarter or year where it stands, in all the ways in which its numbers can be read."""

    ways: frozenset[Parts]
    start: int
    end: int

    @property
    def years(self) -> frozenset[int]:
        """The years it may be in."""
        return frozenset(way[0] for way in self.ways if way[0])


def against(gold: Moment, other: Moment) -> str:
    """same: all that `gold` says is said; less: not all of it; other: something else is."""
    verdicts = {_against(mine, theirs) for mine in gold.ways for theirs in other.ways}
    return "same" if "same" in verdicts else "less" if "less" in verdicts else "other"


def _against(gold: Parts, other: Parts) -> str:
    if any(mine and theirs and mine != theirs for mine, theirs in zip(gold, other, strict=True)):
        return "other"
    quarter_of = gold[3] and other[1] and not other[3]  # a month says no fiscal quarter
    return (
        "less" if quarter_of or any(mine and not theirs for mine, theirs in zip(gold, other, strict=True)) else "same"
    )


@small
def moments(text: str) -> tuple[Moment, ...]:
    """Every moment in a text in order; the days of "July 28-29, 2015" are two."""
    text = lettered(text)
    found: list[Moment] = []
    taken = bytearray(len(text))
    for pattern in (_NUMERIC, _DATE, _QUARTER, _YEAR, _BARE):
        for hit in pattern.finditer(text):
            if any(taken[hit.start() : hit.end()]):
                continue
            ways = list(_ways(hit))
            if ways:
                taken[hit.start() : hit.end()] = b"\1" * (hit.end() - hit.start())
                found += [Moment(frozenset(way), *hit.span()) for way in ways]
    return tuple(sorted(found, key=lambda one: (one.start, sorted(one.ways))))


def _ways(hit: re.Match[str]) -> Iterator[set[Parts]]:
    parts = {name: value for name, value in hit.groupdict().items() if value}
    year = _year(parts.get("y") or parts.get("y2") or parts.get("y4") or "")
    if "a" in parts:
        pairs = ((int(parts["a"]), int(parts["b"])), (int(parts["b"]), int(parts["a"])))
        if ways := {(year, m, d, 0) for m, d in pairs if 1 <= m <= 12 and 1 <= d <= 31}:
            yield ways
    elif "by" in parts:
        if 1 <= int(parts["m"]) <= 12 and 1 <= int(parts["d"]) <= 31:
            yield {(year, int(parts["m"]), int(parts["d"]), 0)}
    elif named := parts.get("m") or parts.get("m2") or parts.get("m4"):
        month = next(n for n, name in enumerate(MONTHS, 1) if named.lower()[:3] == name[:3])
        days = [int(day) for name in ("d", "e", "d2", "e2") if (day := parts.get(name))]
        if named.lower() == "may" and not year and not named[0].isupper():
            return  # "5 may"
        if all(1 <= day <= 31 for day in days):
            yield from ({(year, month, day, 0)} for day in days or [0])
    elif quarter := parts.get("o") or parts.get("q") or parts.get("q2"):
        yield {(year, 0, 0, _ORDER.get(quarter.lower()) or int(quarter))}
    elif year:
        yield {(year, 0, 0, 0)}


def _year(text: str) -> int:
    return int(text) if len(text) == 4 else 2000 + int(text) if text else 0


def years(*texts: str) -> frozenset[int]:
    """All years that these texts name."""
    return frozenset(year for text in texts for moment in moments(text) for year in moment.years)
