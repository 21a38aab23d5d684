"""Whether two facts say the same in the place of one value, as far as their notation tells."""

import re
from decimal import Decimal, InvalidOperation
from functools import cache

from rarefy.data_contracts.rows import Triplet
from rarefy.tasks.knowledge.extract.places import STATES
from rarefy.tasks.text.names import company, plain
from rarefy.tasks.text.quantities import quantities

SAME, OTHER, UNTOLD = "same", "other", "untold"


def figures(one: Triplet, other: Triplet) -> str:
    """SAME, OTHER or UNTOLD of two figures: 12.3 billion is 12,345 million, as far as it is written out.

    UNTOLD where their tags are of two measures, or where they differ in nothing but the sign, which is a matter of how
    a table is set.
    """
    a, b = number(one.value), number(other.value)
    if one.value == other.value or (a is not None and b is not None and _rounds(a, b, max(step(one), step(other)))):
        return SAME
    measures = {_measure(fact.concept) for fact in (one, other) if fact.concept}
    turned = a is not None and b is not None and abs(a) == abs(b)
    return UNTOLD if turned or len(measures) > 1 else OTHER


def _rounds(a: Decimal, b: Decimal, last: Decimal) -> bool:
    return abs(a - b) <= last / 2


def _measure(concept: str) -> str:
    """A tag whatever its taxonomy: a measure of one's own may become everybody's the year after."""
    return concept.rpartition(":")[2].casefold()


def objects(one: Triplet, other: Triplet) -> str:
    """SAME or OTHER of what two facts say of their subject: a name that holds the other is no other name."""
    if one.value and other.value:
        return figures(one, other)
    return SAME if _one(one.object_key, other.object_key) or _alike(one.object, other.object) else OTHER


def subjects(one: Triplet, other: Triplet) -> str:
    """SAME or OTHER of whom two facts say something of: people who share initial and last name are not told apart."""
    if _one(one.subject_key, other.subject_key) or _alike(one.subject, other.subject):
        return SAME
    a, b = (plain(name).replace(",", "").split() for name in (one.subject, other.subject))
    return SAME if a[:1] and b[:1] and a[0][0] == b[0][0] and _last(a) == _last(b) else OTHER


def number(text: str) -> Decimal | None:
    """A plain number; None for what is none, such as a day."""
    try:
        return Decimal(text)
    except InvalidOperation:
        return None


@cache
def _step(answer: str, value: str) -> Decimal:
    one, amount = next(iter(quantities(answer)), None), number(value)
    if one is None or not amount or not one.amount:
        return Decimal(0)
    factor = abs(amount) / one.amount
    if factor.normalize().as_tuple().digits != (1,):  # what is shown is not what the value was taken from
        return Decimal(0)
    return factor * one.grain


def step(fact: Triplet) -> Decimal:
    """What the last digit of a figure counts as it is written: 100,000,000 of "12.3 billion"; 0 where it is exact."""
    return _step(fact.answer or fact.object, fact.value)


def _one(key: str, other: str) -> bool:
    return bool(key) and key == other


def _alike(one: str, other: str) -> bool:
    a, b = (re.sub(r"\W+", " ", company(_spelled(name))[0]).strip() for name in (one, other))
    return bool(a and b) and (f" {a} " in f" {b} " or f" {b} " in f" {a} ")


def _spelled(name: str) -> str:
    """A place with its state in full: "Milpitas, California" for "Milpitas, CA"."""
    head, comma, tail = name.rpartition(", ")
    return f"{head}{comma}{STATES[tail]}" if tail in STATES else name


def _last(words: list[str]) -> str:
    return next((word for word in reversed(words) if word.strip(".") not in {"jr", "sr", "ii", "iii", "iv"}), "")
