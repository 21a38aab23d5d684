"""Values that are made up for one: other figures, other rates, other surnames, other states."""

import re
from collections.abc import Iterator, Sequence
from decimal import Decimal
from random import Random

from rarefy.data_contracts.rows import Swap, row_id
from rarefy.tasks.knowledge.extract.places import STATES
from rarefy.tasks.perturb.context.figures import drawn
from rarefy.tasks.perturb.context.others import Others, differs

_SECURITY = re.compile(r"(\d{1,2}(?:\.\d+)?)\s?%(?=\s.*\b(?:[Nn]otes?|NOTES?|[Dd]ebentures?|[Bb]onds?)\b)")


def states(old: str, name: str) -> Iterator[Swap]:
    """Other states of the US for one of them."""
    if old in STATES.values():
        for state in sorted(STATES.values(), key=lambda s: row_id(old, s)):
            if differs(state, old, ()):
                yield Swap(old, state, name)


def namesakes(others: Others, old: str, taken: Sequence[str], question: str, seed: str) -> Iterator[Swap]:
    """Persons of the same given name with the surname of one whom another question is answered with.

    Made up as they are, they cannot be of the wrong time or trade, as Shakespeare on the Moon.
    """
    given, surname = old.rsplit(" ", 1)
    found = {value.text.rsplit(" ", 1)[-1] for value in others.near(("NAME who",), None)}
    for other in sorted(found - {surname}, key=lambda name: row_id(seed, name)):
        new = f"{given} {other}"
        if (
            differs(new, old, taken)
            and other not in question
            and all(new != v.text for v in others.by_kind[("NAME who",)])
        ):
            yield Swap(old, new, "PERSON")


def is_security(name: str) -> bool:
    """Is this the name of a debt by its rate: "1.150% Notes Due November 2028"?"""
    return _SECURITY.match(name) is not None


def other_rates(old: str, name: str) -> Iterator[Swap]:
    """The same debt at other rates, by eighths of a per cent as they are issued: made up, and so without a source."""
    match = _SECURITY.match(old)
    if match is None:
        return
    rate = Decimal(match[1])
    places = max(3, len(match[1].partition(".")[2]))
    for step in (2, -2, 1, -1, 3, -3, 4, -4, 5, -5, 6, -6):
        other = rate + Decimal(step) / 8
        if other > 0:
            written = f"{other:.{places}f}"
            yield Swap(old, (written if "." in match[1] else f"{other.normalize():f}") + old[match.end(1) :], name)


def invented(old: str, taken: Sequence[str], name: str, seed: str) -> Iterator[Swap]:
    """Figures for one that nothing like is known of: made up, and so without a source."""
    seen: set[str] = set()
    for new in drawn(old, Random(row_id(seed, old))):
        if new not in seen and differs(new, old, taken):
            seen.add(new)
            yield Swap(old, new, name)
