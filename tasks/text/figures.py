"""Sums, shares, dates and periods of a text in one notation each: "$97.3bn" and "97,300 million dollars" are one."""

from collections.abc import Iterator
from dataclasses import dataclass

from rarefy.tasks.text.characters import plain
from rarefy.tasks.text.dates import Moment, Parts, moments
from rarefy.tasks.text.memo import small
from rarefy.tasks.text.quantities import Quantity, quantities

_SYMBOLS = {"USD": "$", "EUR": "€", "GBP": "£", "JPY": "¥"}
_UNITS = {"percent": "%", "points": "pp", "times": "x", "place": "th"}
_KINDS = ("%", "pp", "th", "x")


@dataclass(frozen=True, slots=True)
class Figure:
    """A sum, share, count, date or period where it stands."""

    text: str  # "$97300000000", "75%", "@2024-09-28", "@q1", "@2024", "0.25pp", "3x", "3th", "24"
    unit: str  # of a measure: "day", "mile"; "" for all else
    start: int
    end: int


def figured(text: str) -> tuple[str, list[str]]:
    """The text with each figure as a mark (\\x02, its number, \\x03), and the figures in one notation each.

    A year is read the same whether it is called fiscal or not, as filings call one year by both.
    """
    found = figures(text)
    parts, at = [], 0
    for number, one in enumerate(found):
        parts.append(f"{text[at : one.start]} \x02{number}\x03 ")
        at = max(at, one.end)
    return "".join([*parts, text[at:]]), [one.text for one in found]


@small
def figures(text: str, language: str = "en") -> tuple[Figure, ...]:
    """Every figure of a text in order; what is said in words of a share or place ("half", "first") stays a word."""
    found = [figure for one in moments(text) for figure in _of_moment(one)]
    taken = bytearray(len(text) + 1)
    for one in found:
        taken[one.start : one.end] = b"\x01" * (one.end - one.start)
    told = plain(text)
    found += [
        Figure(_notation(one), one.unit if one.kind == "measure" else "", one.start, one.end)
        for one in quantities(text, language=language)
        if not any(taken[one.start : one.end]) and not _is_word(one, told)
    ]
    return tuple(sorted(found, key=lambda one: (one.start, one.end)))


def kind(figure: str) -> str:
    """What a figure counts: $ (money of any kind), @ (time), %, pp, x (times), th (a place in a row) or "" (things)."""
    if figure.startswith("@"):
        return "@"
    if any(currency in figure for currency in "$€£¥¤"):
        return "$"
    return next((unit for unit in _KINDS if figure.endswith(unit)), "")


def _is_word(one: Quantity, text: str) -> bool:
    """Is it a word that is compared as a word: a place in a row, "twice", a fraction?"""
    if not one.worded:
        return False
    return (one.kind in ("place", "times") and not text[one.end - 1].isdigit()) or (not one.grain and one.value < 1)


def _notation(one: Quantity) -> str:
    # brackets around a bare number mean less than nothing in one layout of a table and not in another: kept as they are
    bare = one.enclosed and one.kind not in ("money", "percent", "points")
    sign = "(" if bare else "-" if one.value < 0 else "+" if one.sign == "+" else ""
    money = _SYMBOLS.get(one.currency, f"¤{one.currency}") if one.kind == "money" else ""
    return f"{sign}{money}{one.amount.normalize():f}{_UNITS.get(one.kind, '')}"


def _of_moment(one: Moment) -> Iterator[Figure]:
    """A day, month or year, in all ways in which it can be read; of a quarter its number, and its year apart."""
    way = max(one.ways)
    part = f"@q{way.quarter}" if way.quarter else f"@h{way.half}" if way.half else ""
    if part:
        yield Figure(part, "", one.start, one.end)
    if not part or way.year:
        told = "|".join(sorted(map(_date, one.ways)))
        yield Figure(f"@{told}{'s' if one.decade else ''}", "", one.start, one.end)


def _date(way: Parts) -> str:
    year = str(way.year or "")
    return f"{year}-{way.month:02d}" + (f"-{way.day:02d}" if way.day else "") if way.month else year
