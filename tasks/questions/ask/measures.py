"""Questions about figures: the measure, its part of the company, its period and its unit, in one sentence."""

import re

from rarefy.data_contracts.rows import Triplet
from rarefy.tasks.knowledge.extract.labels import is_plural

_MONEY = {"USD": "US dollars", "EUR": "euros", "GBP": "pounds sterling", "JPY": "yen", "CAD": "Canadian dollars"}


# "operating lease liabilities, non-current, as of": what trails behind a comma is closed by another
_TAIL = re.compile(
    r", (?:net of|excluding|including|current|less|related|before|basic|diluted|non-?current|long-term|short-term"
    r"|inclusive|after)\b[^,]*$"
)


_SPENT = re.compile(r"cost|expens|deprecia|amortiz|income|profit|loss|assets", re.I)


def possessive(name: str) -> str:
    """ "Apple Inc.'s", "Johnson & Johnson's", "Walgreens'"."""
    return f"{name}'" if name.endswith("s") and not name.endswith("ss") else f"{name}'s"


def inside(name: str) -> str:
    """A name as it stands inside a sentence: "the Coca-Cola Company"."""
    return re.sub(r"^The ", "the ", name)


def unit_phrase(triplet: Triplet) -> str | None:
    """ "in millions of US dollars"; "" where the measure says it, None where the unit has no name."""
    unit = triplet.unit.partition("/")[0]
    if triplet.unit in {"percent", "pure"} or triplet.object_type == "PERCENT":
        return "as a percentage"
    if unit in _MONEY:
        return f"in {triplet.scale} of {_MONEY[unit]}" if triplet.scale else f"in {_MONEY[unit]}"
    if unit == "shares":
        return f"in {triplet.scale} of shares" if triplet.scale else ""
    return None


def when_phrase(triplet: Triplet) -> str:
    """ "in fiscal year 2024" for a span of time, "as of September 28, 2024" for a point in it."""
    return f"in {triplet.period}" if triplet.period_start else f"as of {triplet.period}"


def noun_phrase(triplet: Triplet) -> str:
    """The measure as a noun phrase: "X, net" is "net X"."""
    name = triplet.relation
    if match := re.fullmatch(r"(.+?)(?:, | [-–—] )net", name):
        inner = match[1]
        name = (
            inner
            if re.match(r"net\b", inner)
            else f"net {inner[0].lower() + inner[1:] if inner[1:2].islower() else inner}"
        )
    return name


def part_phrase(triplet: Triplet) -> str:
    """ " in Greater China", " from iPhone", " of the Americas segment"; "" for the whole company."""
    member = triplet.subject.removeprefix(triplet.entity).strip()
    if not member or triplet.subject_type == "ORG":
        return ""
    if triplet.subject_type == "SEGMENT":
        named = re.sub(r"\s+segment$", "", member, flags=re.I)
        return f" for the {named} segment"
    if triplet.subject_type == "REGION":
        place = (
            f"the {member}"
            if re.match(r"United (?:States|Kingdom)|Americas|Rest of|Netherlands|U\.S\.$|Middle East", member)
            else member
        )
        return f" in {place}"
    return f" {'for' if _SPENT.search(triplet.relation) else 'from'} {member}"


def of_holder(triplet: Triplet, holder: str, year_end: str = "") -> str | None:
    """The question for a figure of a company that is described ("the company that …") or named; None without a unit."""
    if triplet.relation == "shares of common stock outstanding":
        return f"How many shares of common stock did {inside(holder)} have outstanding {when_phrase(triplet)}?"
    unit = unit_phrase(triplet)
    if unit is None or not triplet.period:
        return None
    name, part = noun_phrase(triplet), part_phrase(triplet)
    verb = "were" if is_plural(name) else "was"
    when = when_phrase(triplet)
    if holder == triplet.entity:
        tail = f", {unit}" if unit else ""
        comma = "," if _TAIL.search(name) else ""
        return f"What {verb} {possessive(inside(holder))} {name}{part}{comma} {when}{tail}?"
    if year_end:
        when = f"at the end of {year_end}"
    measured = f"the {name}{part}" + (f", {unit}," if unit else "")
    return f"{when[0].upper()}{when[1:]}, what {verb} {measured} of {holder}?"
