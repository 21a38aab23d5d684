"""How exactly a passage must state a figure, so that the answer of a question stays what it is."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal

from rarefy.data_contracts.rows import MULTI_HOP, Question, Triplet
from rarefy.tasks.knowledge.graph.computed import is_of_growth, is_of_shares
from rarefy.tasks.questions.ask.aliases import ROUNDING
from rarefy.tasks.questions.gates.figures import ENOUGH, FEWEST, LEAST, LONG, is_figure
from rarefy.tasks.questions.operands import operation_of


@dataclass(frozen=True, slots=True)
class Precision:
    """The digits that a figure is stated with, at least; with fewer it is off by less than so much."""

    digits: int = 0
    off: Decimal = Decimal(0)


ANY = Precision()


def precisions(question: Question, facts: Sequence[Triplet]) -> Mapping[str, Precision]:
    """By fact, how exactly it must be stated to reckon with it or to tell which of some is largest; ANY where left out.

    Two figures that are each off by less than half of what lies between them are still in their order.
    """
    if not all(map(is_figure, facts)):
        return {}
    if question.pattern in MULTI_HOP:  # a fact leads to the one that is asked for; others tell that it is that one
        return _apart(facts[0], facts[2:]) if len(facts) > 2 else {}
    operation = operation_of(question.arithmetic)
    if have_grown(question.pattern, facts):
        if question.pattern != "listing":
            return _rates_apart(facts, operation, ENOUGH)
        pairs = (facts[at : at + 2] for at in range(0, len(facts), 2))
        return {name: one for older, newer in pairs for name, one in _apart(newer, [older]).items()}
    if question.pattern in ("comparison", "superlative"):
        if is_of_shares(facts):
            return _rates_apart(facts, operation, FEWEST)
        chosen = (min if operation.startswith("smallest") else max)(facts, key=lambda fact: Decimal(fact.value))
        return _apart(chosen, [fact for fact in facts if fact != chosen])
    if question.pattern == "share":
        return {fact.triplet_id: Precision(FEWEST, _size(fact) * ROUNDING / 2) for fact in facts}
    if question.pattern == "change":
        amounts = {Decimal(fact.value) for fact in facts}
        between = max(amounts) - min(amounts)
        needed = Precision(_digits_to_subtract(amounts), between * ROUNDING / 2)
        return {fact.triplet_id: needed for fact in facts}
    return {}


def have_grown(pattern: str, facts: Sequence[Triplet]) -> bool:
    """Whether a question asks what has grown, or grew fastest; of a superlative's years two are no growth."""
    return (pattern in ("comparison", "listing") or (pattern == "superlative" and len(facts) > 2)) and is_of_growth(
        facts
    )


def _size(fact: Triplet) -> Decimal:
    return abs(Decimal(fact.value))


def _apart(chosen: Triplet, others: Sequence[Triplet]) -> dict[str, Precision]:
    """How exactly amounts are told, so that each of the others is on its side of one."""
    amount = Decimal(chosen.value)
    between = {other.triplet_id: abs(Decimal(other.value) - amount) for other in others}
    between[chosen.triplet_id] = min(between.values(), default=Decimal(0))
    digits = _digits_apart(amount, [Decimal(other.value) for other in others])
    return {name: Precision(digits, far / 2) for name, far in between.items()}


def _digits_apart(amount: Decimal, others: Collection[Decimal]) -> int:
    """How many digits tell an amount from others."""
    for kept in range(LEAST, LONG):
        if f"{amount:.{kept - 1}e}" not in {f"{other:.{kept - 1}e}" for other in others}:
            return kept
    return LONG


def _rates_apart(facts: Sequence[Triplet], operation: str, digits: int) -> dict[str, Precision]:
    """How exactly pairs of figures are told, so that the largest of their ratios stays the largest, or the smallest."""
    values = [Decimal(fact.value) for fact in facts]
    if len(values) < 4 or min(values) <= 0:
        return dict.fromkeys((fact.triplet_id for fact in facts), Precision(digits))
    rates = list(_rates(values, operation.endswith("growth")))
    chosen = (max if operation.startswith(("fastest", "largest")) else min)(rates)
    far = [(max(rate, chosen) / min(rate, chosen)).sqrt() for rate in rates]
    nearest = min((one for one in far if one > 1), default=Decimal(1))
    parts = [1 - 2 / (max(one, nearest) + 1) for one in far for _ in range(2)]  # of each figure, by which it may be off
    return {fact.triplet_id: Precision(digits, _size(fact) * part) for fact, part in zip(facts, parts, strict=True)}


def _rates(values: Sequence[Decimal], growth: bool) -> Iterator[Decimal]:
    for first, second in zip(values[::2], values[1::2], strict=True):
        yield second / first if growth else first / second


def _digits_to_subtract(amounts: Collection[Decimal]) -> int:
    """With how many digits the difference of two amounts is no further off than a rounded form of an answer may be."""
    difference, largest = max(amounts) - min(amounts), max(one.adjusted() for one in amounts)
    near = (kept for kept in range(FEWEST, LONG) if Decimal(1).scaleb(largest - kept + 1) <= difference * ROUNDING)
    return next(near, LONG)
