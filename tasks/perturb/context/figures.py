"""One figure put in the place of another, in the notation and with the scale that stood there."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal
from functools import lru_cache
from random import Random

from rarefy.tasks.text.dates import moments
from rarefy.tasks.text.notations import Number, as_number
from rarefy.tasks.text.quantities import Quantity, quantities

# Digits that can be written anew: without separators, or with those of English
_DIGITS = re.compile(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d*\.\d+|\d+")
# "an 8", "an 11", "an 18", "an 80", "an 800", "an 11,000": by how the first group of digits is said
_AN = re.compile(r"[$€£¥]?(?:8|1[18](?!\d)|1[18],\d{3}(?:,\d{6})*(?![\d,]))")


@dataclass(frozen=True, slots=True)
class Figure:
    """A number where it stands: `text[start:end]` are its digits, without sign, currency and scale word."""

    start: int
    end: int
    digits: str
    number: Number
    share: bool  # per cent or percentage points; basis points are none
    quantity: Quantity


@lru_cache(500)  # a passage is searched for each value that could be changed in it
def figures(text: str) -> tuple[Figure, ...]:
    """The quantities of a text, in order: no dates, no numbers of notes, sections and forms, and no zeros."""
    found = quantities(text)
    return tuple(
        Figure(*one.digits, digits, as_number(one), _is_share(one, digits), one)
        for at, one in enumerate(found)
        if one.value and one.kind != "place" and (digits := _written(text, one)) and _whole_range(text, found, at)
    )


def _is_share(one: Quantity, digits: str) -> bool:
    return one.kind in ("percent", "points") and Decimal(digits.replace(",", "")) == one.amount


def _written(text: str, one: Quantity) -> str:
    """The digits of a quantity where they can be written anew; "" of "2-1/4" and "five"."""
    digits = text[slice(*one.digits)]
    return digits if _DIGITS.fullmatch(digits) else ""


def _whole_range(text: str, found: Sequence[Quantity], at: int) -> bool:
    """Can the other end of a range be written anew too? One alone would turn it: "3 to 2-1/4 percent"."""
    beside = {"from": at + 1, "to": at - 1}.get(found[at].part)
    return beside is None or _written(text, found[beside]) != ""


def amount(text: str) -> Decimal | None:
    """The number that a text is, scale word included: 47500000000 of "$47.5 billion"; None where it is not one."""
    return next((one.amount for one in quantities(text)), None)


def like(digits: str, value: Decimal) -> str:
    """`value` with the decimals and the separators of these digits: "26,044" of 26044.2 like "47,525"."""
    decimals = len(digits.partition(".")[2])
    rounded = value.quantize(Decimal(1).scaleb(-decimals), ROUND_HALF_UP)
    grouped = "," in digits or (rounded >= 1000 and len(digits.partition(".")[0]) < 4)
    written = f"{rounded:,f}" if grouped else f"{rounded:f}"
    return written.removeprefix("0") if digits.startswith(".") and rounded < 1 else written


def rescaled(digits: str, ratio: Decimal) -> str:
    """These digits times `ratio`, in their own notation; "" where too little of them would be left to differ."""
    value = Decimal(digits.replace(",", ""))
    written = like(digits, value * ratio)
    new = Decimal(written.replace(",", ""))
    return "" if not new or new == value else written


def with_article(before: str, new: str) -> str | None:
    """The article that stands at the end of `before` as it must be before a new word or figure; None: as it is."""
    match = re.search(r"\b([Aa])(n?)(?=\s+(?:\(?[$€£¥“\"'(]?)?$)", before)
    if match is None or re.search(r"[$€£¥]$", before):
        return None
    wanted = "n" if _vowel(new) else ""
    return None if wanted == match[2] else f"{match[1]}{wanted}"


def _vowel(word: str) -> bool:
    if word[:1].isdigit():
        return _AN.match(word) is not None
    first = word.casefold()
    return first[:1] in "aeiou" and not re.match(r"uni|eu|one\b|use|u\.", first)


def drawn(old: str, random: Random) -> Iterator[str]:
    """Other figures for one of which no kind is known, in its notation: from 0.6 to 1.6 times as much.

    So much is off for whoever knows the right one, and plausible to all others: beyond, a share passes 100 % and a
    headcount another digit. Years move by 1 to 4.
    """
    found = figures(old)
    years = [moment for moment in moments(old) if moment.years] if not found else []
    if not found and not years:
        return
    start, end = (found[0].start, found[0].end) if found else (years[0].end - 4, years[0].end)
    digits = old[start:end]
    if not _DIGITS.fullmatch(digits):
        return
    value = Decimal(digits.replace(",", ""))
    year = not found or found[0].number.year
    percent = bool(found) and found[0].number.percent
    for _ in range(60):
        if year:
            written = str(int(digits) + random.choice((-4, -3, -2, -1, 1, 2, 3)))
        else:
            ratio = Decimal(random.choice((*range(60, 90), *range(112, 160)))) / 100
            written = as_round(digits, value * ratio)
        new = Decimal(written.replace(",", ""))
        if new and new != value and not (percent and value <= 100 < new):
            yield old[:start] + written + old[end:]


def as_round(digits: str, value: Decimal) -> str:
    """As `like`, with as many zeros at the end as the digits have, so that "30 days" do not become "41 days"."""
    zeros = len(digits) - len(digits.rstrip("0,")) - digits[len(digits.rstrip("0,")) :].count(",")
    if "." in digits or not zeros:
        return like(digits, value)
    step = Decimal(10) ** zeros
    if value < 2 * step:
        step /= 2
    return like(digits, max((value / step).quantize(Decimal(1), ROUND_HALF_UP), Decimal(1)) * step)
