"""Numbers as filings print them: signs, parentheses, percents, currencies, footnote marks."""

from dataclasses import dataclass
from decimal import Decimal

from rarefy.tasks.text import quantities
from rarefy.tasks.text.scales import NAMES, counted_in

LONGEST = 100  # characters of a cell with a number; in a longer one stands more than that
_OF_CELLS = ("money", "percent", "bare")


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
    """The number in digits that a whole cell holds, without a scale of its own; None for all else.

    Words, dashes, ranges and what is too long for an amount are no numbers.
    """
    one = quantities.number(text) if len(text) <= LONGEST else None
    if one is None or one.worded or one.scale or not one.grain or one.bound or one.kind not in _OF_CELLS:
        return None
    if one.grain < 1 and not one.pointed:
        return None  # "50 cents": not what the digits say
    start, end = one.digits
    return Number(one.value, text[start:end], start, end, one.currency, one.kind == "percent")


SCALES = {power: f"{name}s" for power, name in NAMES.items()}  # powers of ten, as a triplet names them
FACTORS = {name: Decimal(10**power) for power, name in SCALES.items()} | {"": Decimal(1)}


def scale_in(text: str, *, shares: bool = False) -> str:
    """The scale that a caption states for sums, or for numbers of shares; "" where it states none."""
    return SCALES.get(counted_in(text, shares=shares) or 0, "")
