"""Whether a number that an answer states is the gold one: kind, unit, scale, sign, and how it is rounded."""

import re
from decimal import ROUND_DOWN, ROUND_HALF_UP, Decimal

from rarefy.tasks.evaluate.correct.claim_status import negative
from rarefy.tasks.evaluate.correct.gold import Exact, Expectation
from rarefy.tasks.evaluate.correct.values import Value
from rarefy.tasks.evaluate.correct.words import EMPTY, tokens
from rarefy.tasks.text.quantities import without_zeros
from rarefy.tasks.text.stems import stem

_JOINS = EMPTY | frozenset("up down compared versus vs against than during while but respectively "
"per ended ending over since "
                           "due because driven including excluding total net gross approximately "
                           "year fiscal not".split())  # fmt: skip
_REACHES = re.compile(
    r"\bto\s+(?:(?:about|approximately|roughly|nearly|almost|some|an?|just)\s+)*$", re.IGNORECASE
)  # "fell 2% to 5": not -5
_BRACKETS = re.compile(r"\([^()]*\)")  # "income (loss)" does not ask for a loss
_LEAST = 3  # figures that must be equal where the scale is not said
_COARSE = Decimal("0.1")  # a right rounding that is further off is another number to every reader
_CUT = Decimal("0.01")  # so much may be cut off where it should have been rounded, and a judge be asked
_PEOPLE = frozenset(
    stem(word)
    for word in "people person persons individuals staff workers associates employees colleagues "
    "headcount fte teammates".split()
)


def same_kind(gold: Exact, one: Value, about: Expectation, whole: bool) -> str:
    """yes: it counts what the gold answer counts; unit: as much of another unit; no: something else altogether.

    A bare number may be a sum whose unit is said elsewhere; it is a percentage only where one is asked for.
    """
    if (
        one.year
        and not whole
        and not (gold.kind == "count" and {stem(word) for word in tokens(one.nouns)[:2]} & {gold.noun, *about.words})
    ):
        return "no"
    if one.kind == gold.kind:
        if one.kind == "count":
            return _counted(gold, one, about)
        return "yes" if not (gold.unit and one.unit) or gold.unit == one.unit else "unit"
    if one.kind == "count" and _bare(one, about):
        if gold.kind == "money":
            return "yes"
        if gold.kind in ("percent", "points") and one.scaled:
            return "unit"
        if gold.kind in ("percent", "points"):
            return "yes" if about.percent or (gold.kind == "percent" and about.unit == "percent") else "unit"
        return "unit"
    if gold.kind == "count" and gold.open and not gold.noun and one.kind == "money" and not about.many:
        return "yes"  # a cell without its unit
    return (
        "unit"
        if one.kind in ("money", "percent", "points", "times", "measure", "count") and _bare(one, about)
        else "no"
    )


def _bare(one: Value, about: Expectation) -> bool:
    """Does nothing but sentence go on behind it, or what the question itself speaks of?"""
    noun = next(iter(tokens(one.nouns)), "")
    return one.kind != "count" or not one.nouns or not noun or noun in _JOINS or stem(noun) in about.words


def _counted(gold: Exact, one: Value, about: Expectation) -> str:
    nouns = {stem(word) for word in tokens(one.nouns)}
    if nouns & about.words or (nouns & _PEOPLE and (about.words | {gold.noun}) & _PEOPLE):
        return "yes"
    if not nouns or _bare(one, about) or (gold.noun and gold.noun in nouns):
        return "yes"
    return "unit" if gold.noun or not about.many else "no"


def agrees(gold: Exact, one: Value, rounding: float, gap: str, about: Expectation) -> str:
    """same | other, or in what it is not clear: scale, sign, rounding.

    A rounding is the same while it is a right one and off by no more than `rounding` of the number.
    """
    verdict = _magnitude(gold, one, rounding)
    if verdict != "same":
        return verdict
    return "same" if _signed(gold, one, gap, about) else "sign"


def _magnitude(gold: Exact, one: Value, rounding: float) -> str:
    ways = [one.amount]
    if not one.scaled and gold.shown is not None and gold.shown:
        ways.append(one.amount * gold.amount / gold.shown)
    verdicts = {_near(gold, way, one, rounding) for way in ways}
    for verdict in ("same", "rounding"):
        if verdict in verdicts:
            return verdict
    if _shifted(gold, one):
        if gold.open and one.scaled and _figures(gold.amount) == _figures(one.amount):
            return "same"  # a cell that does not say in what it counts
        told = (one.scaled and gold.shown is not None) or (one.scaled and not gold.open)
        return "other" if told else "scale"
    return "other"


def _near(gold: Exact, amount: Decimal, one: Value, rounding: float) -> str:
    if amount == gold.amount:
        return "same"
    if not amount or not gold.amount:
        return "other"
    factor = amount / one.amount if one.amount else Decimal(1)
    mine = without_zeros(gold.amount, gold.grain) if gold.loose else gold.grain
    its = one.loose * factor
    fine, coarse, grain = (gold.amount, amount, its) if its > mine else (amount, gold.amount, mine)
    if its == mine or not grain:
        return "other"
    off = abs(amount - gold.amount) / gold.amount
    if (fine / grain).quantize(Decimal(1), ROUND_HALF_UP) == coarse / grain:
        if mine > its and gold.shown is not None and not gold.loose:
            return "same"  # the gold answer is this one, rounded to the scale that was asked for
        return "same" if off <= Decimal(str(rounding)) else "rounding" if off <= _COARSE else "other"
    cut = its > mine and (fine / grain).quantize(Decimal(1), ROUND_DOWN) == coarse / grain
    return "rounding" if cut and off <= _CUT else "other"


def _figures(amount: Decimal) -> tuple[int, ...]:
    return amount.normalize().as_tuple().digits


def _shifted(gold: Exact, one: Value) -> bool:
    """The same figures with the point elsewhere, by thousands."""
    if not gold.amount or not one.amount:
        return False
    for power in (3, 6, 9, 12, -3, -6, -9, -12):
        moved = one.amount.scaleb(power)
        grain = max(one.grain.scaleb(power), gold.grain)
        digits = len(str(int(one.amount / one.grain)))
        if abs(moved - gold.amount) <= grain / 2 and (digits >= _LEAST or moved == gold.amount):
            return True
    return False


def _signed(gold: Exact, one: Value, gap: str, about: Expectation) -> bool:
    word = "" if _REACHES.search(gap) else negative(gap)
    asked_so = negative(_BRACKETS.sub("", about.question.text))
    mine = {-1} if one.minus else {1}
    if one.enclosed:
        mine = {-1} if not gap.strip(" :") or one.start == 0 else {1, -1}
    elif not one.minus and word == "below":
        mine = {1, -1} if asked_so else {-1}
    elif not one.minus and (word or asked_so == "below"):
        mine = {1, -1}
    return bool(mine & gold.signs)
