"""Compares two facts about one value: same, other, or not to be told from their notation."""

import re
from decimal import Decimal, InvalidOperation
from functools import cache

from rarefy.data_contracts.rows import Triplet
from rarefy.tasks.text.names import company, plain
from rarefy.tasks.text.quantities import quantities
from rarefy.tasks.text.states import STATES

SAME, OTHER, UNTOLD = "same", "other", "untold"


def compare_figures(one: Triplet, other: Triplet) -> str:
    """SAME, OTHER or UNTOLD of two figures: 12.3 billion is 12,345 million, as far as it is written out.

    UNTOLD where their tags are of two measures, or where they differ in nothing but the sign, which is a matter of how
    a table is set.
    """
    a, b = parse_number(one.value), parse_number(other.value)
    if one.value == other.value or (
        a is not None and b is not None and _rounds(a, b, max(last_digit(one), last_digit(other)))
    ):
        return SAME
    measures = {_measure(fact.concept) for fact in (one, other) if fact.concept}
    turned = a is not None and b is not None and abs(a) == abs(b)
    return UNTOLD if turned or len(measures) > 1 else OTHER


def _rounds(a: Decimal, b: Decimal, last: Decimal) -> bool:
    return abs(a - b) <= last / 2


def _measure(concept: str) -> str:
    """A tag without its taxonomy: a company's own tag may be a standard one the year after."""
    return concept.rpartition(":")[2].casefold()


def compare_objects(one: Triplet, other: Triplet) -> str:
    """SAME or OTHER of two facts' objects: a name that contains the other is the same name."""
    if one.value and other.value:
        return compare_figures(one, other)
    return SAME if _is_same_key(one.object_key, other.object_key) or _are_alike(one.object, other.object) else OTHER


def compare_subjects(one: Triplet, other: Triplet) -> str:
    """SAME or OTHER of two facts' subjects: people who share initial and last name count as the same."""
    if _is_same_key(one.subject_key, other.subject_key) or _are_alike(one.subject, other.subject):
        return SAME
    a, b = (plain(name).replace(",", "").split() for name in (one.subject, other.subject))
    return SAME if a[:1] and b[:1] and a[0][0] == b[0][0] and _last_name(a) == _last_name(b) else OTHER


def parse_number(text: str) -> Decimal | None:
    """A plain number; None for what is none, such as a day."""
    try:
        return Decimal(text)
    except InvalidOperation:
        return None


@cache
def _last_digit(answer: str, value: str) -> Decimal:
    shown, amount = next(iter(quantities(answer)), None), parse_number(value)
    if shown is None or not amount or not shown.amount:
        return Decimal(0)
    factor = abs(amount) / shown.amount
    if factor.normalize().as_tuple().digits != (1,):  # what is shown is not what the value was taken from
        return Decimal(0)
    return factor * shown.grain


def last_digit(fact: Triplet) -> Decimal:
    """The value of one unit in a figure's last digit: 100,000,000 of "12.3 billion"; 0 where it is exact."""
    return _last_digit(fact.answer or fact.object, fact.value)


def _is_same_key(key: str, other: str) -> bool:
    return bool(key) and key == other


def _are_alike(one: str, other: str) -> bool:
    a, b = (re.sub(r"\W+", " ", company(_spell_state(name))[0]).strip() for name in (one, other))
    return bool(a and b) and (f" {a} " in f" {b} " or f" {b} " in f" {a} ")


def _spell_state(name: str) -> str:
    """A place with its state in full: "Milpitas, California" for "Milpitas, CA"."""
    head, comma, tail = name.rpartition(", ")
    return f"{head}{comma}{STATES[tail]}" if tail in STATES else name


def _last_name(words: list[str]) -> str:
    return next((word for word in reversed(words) if word.strip(".") not in {"jr", "sr", "ii", "iii", "iv"}), "")
