"""Units of measurement: the one that a question asks for, and what an answer's number is in it."""

import re
from collections.abc import Callable
from functools import lru_cache
from typing import TYPE_CHECKING

from rarefy.tasks.evaluate.correct.normalise import EMPTY

if TYPE_CHECKING:
    from pint import UnitRegistry
    from pint.util import UnitsContainer

_NAMED = re.compile(  # "Rated flow (m³/h)", "weight, in kg?", "In min, what ...", "How many months ...?"
    r"\((?P<label>[^\d\s()][^\s()]{0,11}(?:\s[^\s()]{1,9}){0,2}(?:\([A-Z]\))?)\)"
    r"|(?:^|,\s)in (?P<end>[^\s,?\d$€£]{1,12}(?: per \w+)?)(?: of [a-z]+(?: [a-z]+)?)?(?=\?|,)"
    r"|\bhow many (?P<many>[a-z]+)\b",
    re.IGNORECASE,
)
_BEHIND = re.compile(
    r"[\s-]?(?P<unit>(?:(?:square|cubic|sq\.?|cu\.?)\s)?[^\W\d_][^\s\d,;:!?()]*(?:\sper\s\w+)?"
    r"|[°µμΩ][^\s\d,;:!?()]*)"
)
# As pint spells them: a torque is of pounds of force, "Nm" no number of metres
_SPELLED: tuple[tuple[re.Pattern[str], str | Callable[[re.Match[str]], str]], ...] = (
    (
        re.compile(r"\b(?:lb|lbf)[- ·]?(?:ft|foot|feet)\b|\b(?:ft|foot)[- ·]?(?:lbs?|pounds?)\b"),
        "force_pound*foot",
    ),
    (re.compile(r"^v(?=olts?$|$)", re.IGNORECASE), "V"),
    (re.compile(r"°\s?([cf])\b", re.IGNORECASE), lambda hit: f"deg{hit[1].upper()}"),
    (re.compile(r"^square-(\w+)$"), r"\1**2"),
    (re.compile(r"\bN(?:ewton)?[ -]?m(?:et(?:er|re)s?)?\b"), "N*m"),
)
_NO_UNITS = frozenset("point points pt pts hand hands".split())  # what is counted, rather than printers' and horses'
_LONGEST = 30  # characters of a unit


def asked_unit(question: str) -> str:
    """Return the unit of measurement in which a question asks, as it stands there; "" unless it names just one."""
    found = {next(filter(None, hit.groups())) for hit in _NAMED.finditer(question)}
    known = [name for name in found if is_unit(name)]
    return known[0] if len(known) == 1 else ""


def unit_behind(text: str, at: int) -> tuple[str, int]:
    """Return the unit that stands right behind a number, and where it ends; "" where none does."""
    hit = _BEHIND.match(text, at)
    if hit is None:
        return "", at
    words = hit["unit"].rstrip(".")
    for unit in dict.fromkeys((words, words.partition(" ")[0])):
        if unit.casefold() not in EMPTY and is_unit(unit):
            return unit, hit.start("unit") + len(unit)
    return "", at


@lru_cache(1000)
def is_unit(text: str) -> bool:
    """Return whether a text is the name or the sign of a unit of measurement, and no mere number of things."""
    return _dimension(text) is not None


def convert(amount: float, unit: str, wanted: str) -> float | None:
    """Return an amount in the wanted unit; None where the two measure different things."""
    if _dimension(unit) != _dimension(wanted):
        return None
    return float(_registry().Quantity(amount, _spell(unit)).to(_spell(wanted)).magnitude)


def measure_different_things(one: str, other: str) -> bool:
    """Return whether two texts are units of measurement that do not convert into each other."""
    dimensions = [_dimension(one), _dimension(other)]
    return None not in dimensions and dimensions[0] != dimensions[1]


@lru_cache(1000)
def _dimension(unit: str) -> "UnitsContainer | None":
    if len(unit) > _LONGEST or re.search(r"\d", unit) or unit.casefold() in _NO_UNITS:
        return None
    registry = _registry()  # not below: that pint is missing says nothing of a unit
    try:
        found = registry.Quantity(1.0, _spell(unit)).to_base_units()
    except Exception:  # pint's grammar raises errors of many kinds for words that are no unit
        return None
    return found.dimensionality or None


def _spell(unit: str) -> str:
    for written, spelled in _SPELLED:
        unit = written.sub(spelled, unit)
    return unit.lower() if re.fullmatch(r"[A-Z][a-z]{2,}", unit) else unit


@lru_cache(1)
def _registry() -> "UnitRegistry[float]":
    from pint import UnitRegistry  # takes most of a second, once, where a question has a bracket or "how many"

    return UnitRegistry(autoconvert_offset_to_baseunit=True)
