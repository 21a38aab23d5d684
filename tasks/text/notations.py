"""One number in its many notations: "$47,525", "47.525 billion" and "$47.5 billion" are the same sum in millions."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from rarefy.data_contracts.rows import VERDICTS
from rarefy.tasks.text.memo import small
from rarefy.tasks.text.quantities import CURRENCIES, MEASURES, Quantity, quantities

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
def numbers(text: str, language: str = "en") -> tuple[Number, ...]:
    """Every number written in digits in a text, in order, zeros and places in a row apart."""
    return tuple(as_number(one) for one in _digital(text, language))


def _digital(text: str, language: str = "en") -> Iterator[Quantity]:
    return (one for one in quantities(text, language=language) if one.value and one.kind != "place" and not one.worded)


def as_number(one: Quantity) -> Number:
    """A quantity, other than nothing, without its sign."""
    _, digits, exponent = one.amount.scaleb(-one.scale).normalize().as_tuple()
    assert isinstance(exponent, int)  # of a finite number
    return Number(
        figures="".join(map(str, digits)),
        power=len(digits) + exponent,
        scale=one.scale or -1,
        percent=one.kind in ("percent", "points"),
        year=one.year,
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


def occurs(text: str, answer: str, aliases: Iterable[str] = (), language: str = "en") -> bool:
    """Can the answer still be read in this text: itself, an alias, or its number in another notation?

    Words are looked for as a containment metric would, whatever their case and spacing; short answers and numbers
    between token boundaries. A verdict (yes, no, true, false) is not looked for: what speaks for it has other words.
    `language` is that of the numbers in the text: "1.234" is another one in German.
    """
    wanted = [a for a in (answer, *aliases) if a.strip() and a.strip(" .").casefold() not in VERDICTS]
    folded = _folded(text)
    if any(_contains(folded, _folded(w)) for w in wanted):
        return True
    sought = list(dict.fromkeys(filter(None, map(only_number, wanted))))
    if not sought:
        return False
    firsts = {number.figures[0] for number in sought}  # no two that begin otherwise are the same
    likely = [other for other in numbers(text, language) if other.figures[0] in firsts]
    return any(same(number, other) for other in likely for number in sought)


def _contains(text: str, wanted: str) -> bool:
    if len(wanted) >= SHORT and not wanted[0].isdigit() and not wanted[-1].isdigit():
        return wanted in text
    return wanted in text and re.search(rf"(?<![\w.,]){re.escape(wanted)}(?![\w%]|[.,]\d)", text) is not None


def _folded(text: str) -> str:
    return " ".join(text.casefold().split())


@small
def only_number(answer: str) -> Number | None:
    """The number that a text is, with its unit and little else, so that its value is all that matters."""
    found = numbers(answer)
    if len(found) != 1:
        return None
    one = next(_digital(answer))
    beside = re.findall(r"[^\W\d_]{3,}", f"{answer[: one.start]} {answer[one.end :]}".casefold())
    return found[0] if all(word in _BESIDE or word.removesuffix("s") in _BESIDE for word in beside) else None


# Words beside a number that say nothing but how exactly it is meant and what is counted
_BESIDE = {"approximately", "about", "around", "roughly", "nearly", "almost", "per", "share", "employee", "people",
           "square", "store", *MEASURES, *CURRENCIES}  # fmt: skip
