"""The numbers of answers as they are compared: the quantities of a text, without sign, each with its grain."""

from dataclasses import dataclass, replace
from decimal import Decimal

from rarefy.tasks.text import characters
from rarefy.tasks.text.memo import small
from rarefy.tasks.text.quantities import Quantity, quantities, without_zeros


@dataclass(frozen=True, slots=True)
class Value:
    """A number where it stands, with its scale worked in."""

    kind: str  # money | percent | points | times | count | measure | place
    amount: Decimal  # without sign
    grain: Decimal  # what its last written digit is worth
    unit: str  # ISO code of a currency, "year", "mile", ...; "" where none is said
    minus: bool  # written as negative
    enclosed: bool  # in brackets, which may say so
    pointed: bool  # written with decimals, so that zeros at its end count
    about: bool  # said to be so roughly
    grouped: bool  # written with separators of thousands
    scaled: bool  # a scale word stood there
    year: bool  # four plain digits that may be a year
    worded: bool  # "five"
    nouns: str  # the words behind it, which say what it counts
    start: int
    end: int

    @property
    def loose(self) -> Decimal:
        """Its grain if the zeros at its end stand for digits that were rounded away: three figures stay, or "about"."""
        return self.grain if self.pointed else without_zeros(self.amount, self.grain, 0 if self.about else 1000)

    @property
    def strong(self) -> bool:
        """Does it look like a sum, even where no unit is written?"""
        return self.kind != "count" or self.scaled or self.grouped or self.pointed or self.amount >= 1000


def plain(text: str, language: str = "en") -> str:
    """The text with plain quotes, hyphens, blanks and letters; its numbers as English has them where it is not English.

    They are read as German and French write them: "47,5 Milliarden Euro" is "47500000000 EUR".
    """
    text = characters.lettered(characters.plain(text))
    if language == "en":
        return text
    for one in reversed(quantities(text, language=language)):
        if one.kind != "place" and not one.year and not one.worded:
            text = f"{text[: one.start]}{_english(one)}{text[one.end :]}"
    return text


def _english(one: Quantity) -> str:
    ends = {"percent": "%", "points": " percentage points", "times": " times", "money": f" {one.currency}"}
    behind = ends.get(one.kind, f" {one.unit}" if one.kind == "measure" else "")
    return f"({one.amount:f}{behind})" if one.enclosed else f"{one.value:f}{behind}"


@small
def values(text: str) -> tuple[Value, ...]:
    """Every number of a plain text in order but those of days and quarters; a year stands among them, marked."""
    return tuple(_value(one) for one in quantities(text))


def _value(one: Quantity) -> Value:
    return Value(
        "count" if one.kind == "bare" else one.kind,
        one.amount,
        one.grain or Decimal(1).scaleb(one.amount.adjusted() - 1),  # a fraction in words
        one.currency or (one.unit if one.kind == "measure" else ""),
        minus=one.sign == "-",
        enclosed=one.enclosed,
        pointed=one.pointed,
        about=one.bound in ("about", "near"),
        grouped=one.grouped,
        scaled=one.scale > 0,
        year=one.year or (one.enclosed and replace(one, sign="").year),
        worded=one.worded,
        nouns=one.nouns,
        start=one.start,
        end=one.end,
    )
