"""One number in its many notations: "$47,525", "47.525 billion" and "$47.5 billion" are the same sum in millions."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from rarefy.data_contracts.rows import VERDICTS
from rarefy.tasks.nli.kept import small
from rarefy.tasks.text.quantities import SCALES, is_number

# Of more digits nothing is reckoned: no text counts so far, and what arithmetic would make of them is no longer exact.
_TOO_LONG = r"(?!\d{19}|\d{1,3}(?:,\d{3}){6}|[\d,]*\.\d{10})"
NUMBER = re.compile(
    r"(?<![\w.,])(?P<sign>[-−–]\s?|\(\s?)?(?:US)?[$€£¥]?\s?(?P<sign2>[-−–(])?"
    rf"{_TOO_LONG}(?P<digits>\d{{1,3}}(?:,\d{{3}})+(?:\.\d+)?|\d+(?:\.\d+)?|\.\d+)"
    r"(?:[\s\u00a0-]?(?P<scale>(?:thousand|million|billion|trillion)s?\b|(?:mm|bn|tn|[kKmMbB])\b))?"
    r"(?P<percent>\)?\s?(?:%|percent\b|per\scent\b|percentage\spoints?\b))?(?![\w])"
)
_YEAR = re.compile(r"(?:19|20)\d\d")

# A text that a containment metric would find by accident ("5" is in "2015") must stand between token boundaries.
SHORT = 4


@dataclass(frozen=True, slots=True)
class Number:
    """A number as it is written, without its sign."""

    figures: str  # its significant digits, without zeros at the end: "47525" of 47,525.0
    power: int  # of ten, of the first of them
    scale: int  # the power of ten of its scale word; -1: none
    percent: bool
    year: bool  # looks like one: plain four digits from 1900 to 2099


@small  # the rows of a chunk are searched for the answer of each of its questions
def numbers(text: str) -> tuple[Number, ...]:
    """Every number written in a text, in order, zeros apart."""
    return tuple(_numbers(text))


def _numbers(text: str) -> Iterator[Number]:
    for match in NUMBER.finditer(text):
        if not is_number(match["digits"]):
            continue
        whole, _, fraction = match["digits"].replace(",", "").partition(".")
        figures = (whole + fraction).lstrip("0")
        word = (match["scale"] or "").lower()
        if figures:
            yield Number(
                figures=figures.rstrip("0"),
                power=len(figures) - len(fraction),
                scale=SCALES[word if len(word) < 3 else word.rstrip("s")] if word else -1,
                percent=bool(match["percent"]),
                year=not word and _YEAR.fullmatch(match["digits"]) is not None,
            )


def same(answer: Number, other: Number, fewest: int = 2) -> bool:
    """Would a reader take `other` for `answer`: equal, counted in another unit, or rounded to `fewest` digits or more?

    Tables count in thousands or millions without saying so in the row, so a number without a scale word may be any of
    them, as long as it shows three digits or more: shorter ones ("12", "5%") are equal only as they stand.
    """
    if answer.figures[0] != other.figures[0] or (other.year and not answer.year):
        return False
    short = min(len(answer.figures), len(other.figures)) < 3
    if short and answer.percent != other.percent:
        return False
    shift = other.power - answer.power
    plain = [n for n in (answer, other) if n.scale < 0]
    if not plain:
        fits = shift == answer.scale - other.scale
    elif short and len(plain) == 1:  # "$2 billion" and "2,000" may be the same, "Item 2" is not
        fits = shift % 3 == 0 and plain[0].power >= 4
    else:
        fits = shift == 0 if short else shift % 3 == 0
    return fits and _rounds(answer.figures, other.figures, fewest)


def _rounds(answer: str, other: str, fewest: int) -> bool:
    """Are these figures equal, or the answer's rounded to `fewest` at least, or the other's to three?"""
    if answer == other:
        return True
    longer, shorter = (answer, other) if len(answer) > len(other) else (other, answer)
    kept = len(shorter)
    if kept == len(longer) or kept < (fewest if shorter is other else 3):
        return False
    return (int(longer[: kept + 1]) + 5) // 10 == int(shorter)


def occurs(text: str, answer: str, aliases: Iterable[str] = ()) -> bool:
    """Can the answer still be read in this text: itself, an alias, or its number in another notation?

    Words are looked for as a containment metric would, whatever their case and spacing; short answers and numbers
    between token boundaries. A verdict (yes, no, true, false) is not looked for: what speaks for it has other words.
    """
    wanted = [a for a in (answer, *aliases) if a.strip() and a.strip(" .").casefold() not in VERDICTS]
    folded = _folded(text)
    if any(_contains(folded, _folded(w)) for w in wanted):
        return True
    sought = list(dict.fromkeys(filter(None, map(_only_number, wanted))))
    if not sought:
        return False
    firsts = {number.figures[0] for number in sought}  # no two that begin otherwise are the same
    likely = [other for other in numbers(text) if other.figures[0] in firsts]
    return any(same(number, other) for other in likely for number in sought)


def _contains(text: str, wanted: str) -> bool:
    if len(wanted) >= SHORT and not wanted[0].isdigit() and not wanted[-1].isdigit():
        return wanted in text
    return wanted in text and re.search(rf"(?<![\w.,]){re.escape(wanted)}(?![\w%]|[.,]\d)", text) is not None


def _folded(text: str) -> str:
    return " ".join(text.casefold().split())


@small
def _only_number(answer: str) -> Number | None:
    found = numbers(answer)
    return found[0] if len(found) == 1 and not re.search(r"[^\W\d_]{3,}", _UNITS.sub("", answer)) else None


_UNITS = re.compile(
    r"\b(approximately|about|roughly|nearly|thousand|million|billion|trillion|percent|per|cent|dollar|share"
    r"|employee|people|point|basis|square|feet|store|year|month|day|USD|EUR)s?\b",
    re.IGNORECASE,
)
