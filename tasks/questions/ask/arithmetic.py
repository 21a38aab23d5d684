"""Computes the answers of computed kinds, and says how: from the values of triplets, or from what their rows print.

An operation takes the operands in the order of their path and gives an answer in words. Who asks and who checks both
call `answer_of`, one with the values, the other with the figures that the gold sentences show.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from decimal import ROUND_HALF_UP, Decimal

from rarefy.data_contracts.rows import Triplet
from rarefy.tasks.knowledge.extract.cell_names import read_cell_name
from rarefy.tasks.knowledge.extract.values import FACTORS, format_number, parse_cell_number
from rarefy.tasks.questions.ask.aliases import answer_aliases, company_names
from rarefy.tasks.questions.ask.facts import part_phrase
from rarefy.tasks.questions.operands import write_arithmetic

TENTH, HUNDREDTH = Decimal("0.1"), Decimal("0.01")
_HUNDRED = Decimal(100)


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer that was computed, the other ways to write it, and how it came about."""

    text: str
    aliases: tuple[str, ...]
    arithmetic: str


def stated_value(triplet: Triplet) -> Decimal:
    """The value of a triplet."""
    return Decimal(triplet.value)


def shown_value(triplet: Triplet) -> Decimal | None:
    """The figure as the cell of its row prints it, times the scale of its table; None where no cell prints it.

    Brackets are left aside: a table of cash flows prints a payment in them.
    """
    printed = parse_cell_number(triplet.answer)
    if printed is None:
        return None
    for cell in triplet.source_sentence.split("|"):
        number = parse_cell_number(cell.strip())
        if number is not None and number.digits == printed.digits:
            percent = triplet.unit in ("percent", "pure")
            return abs(number.value) * (HUNDREDTH if percent else FACTORS.get(triplet.scale, Decimal(1)))
    return None


def answer_of(operation: str, operands: Sequence[Triplet], values: Sequence[Decimal]) -> Answer:
    """The answer of an operation on these values of its operands."""
    return OPERATIONS[operation](operands, values)


def _say(
    operation: str, operands: Sequence[Triplet], result: str, rounding: str, unit: str, among: Sequence[str] = ()
) -> str:
    return write_arithmetic(operation, (operand.answer for operand in operands), among, result, rounding, unit)


def ratio_of(operation: str, first: Decimal, second: Decimal) -> Decimal:
    """What a percentage is of: of a share the part and the whole, of a change the old figure and the new."""
    return first / second if operation == "share" else abs(second - first) / first


def round_half_up(number: Decimal, step: Decimal = TENTH) -> Decimal:
    return number.quantize(step, ROUND_HALF_UP)


def _percentage(operation: str, operands: Sequence[Triplet], ratio: Decimal) -> Answer:
    """A ratio as a percentage to a tenth; whoever gives another digit, or none that changes it much, is right, too."""
    percent = ratio * _HUNDRED
    text = f"{round_half_up(percent):,}"
    fine = f"{round_half_up(percent, HUNDREDTH):,}"
    whole = f"{round_half_up(percent, Decimal(1)):,}"
    forms = [text, fine, *([whole] if percent >= 10 else [])]
    aliases = [form for n in forms for form in (f"{n}%", f"{n} percent")]
    if text.endswith(".0"):
        aliases += [f"{text[:-2]}%", f"{text[:-2]} percent"]
    return Answer(
        f"{text}%",
        tuple(dict.fromkeys(alias for alias in aliases if alias != f"{text}%")),
        _say(operation, operands, f"{fine}%", "rounded half up to a tenth", "percent"),
    )


def percentage_change(operands: Sequence[Triplet], values: Sequence[Decimal]) -> Answer:
    """By what percentage the second figure differs from the first."""
    return _percentage("percentage change", operands, ratio_of("percentage change", *values))


def share(operands: Sequence[Triplet], values: Sequence[Decimal]) -> Answer:
    """What percentage of the second figure the first is."""
    return _percentage("share", operands, ratio_of("share", *values))


def difference(operands: Sequence[Triplet], values: Sequence[Decimal]) -> Answer:
    """By what amount the second figure differs from the first, in their unit and scale."""
    old, new = values
    amount, of = abs(new - old), operands[-1]
    if of.unit in ("percent", "pure"):
        points = format_number(amount * _HUNDRED)
        text = f"{points} percentage points"
        aliases: tuple[str, ...] = (f"{points} points", f"{points}%", f"{points} percent")
        counted = "percentage points"
    else:
        symbol = "$" if of.unit.startswith("USD") else ""
        shown = amount / FACTORS.get(of.scale, Decimal(1))
        cents = of.unit.endswith("/shares") and shown == shown.quantize(HUNDREDTH)
        digits = f"{shown:,.2f}" if cents else f"{shown:,f}"
        scale = f" {of.scale[:-1]}" if of.scale else ""
        text = f"{symbol}{digits}{scale}" + (
            " shares" if of.unit == "shares" else "" if symbol or not of.unit else f" {of.unit}"
        )
        made = replace(of, answer=text, value=format_number(amount), source_sentence="")
        aliases = answer_aliases(made)
        counted = of.unit
    return Answer(
        text,
        tuple(alias for alias in aliases if alias != text),
        _say("difference", operands, format_number(new - old), "not rounded", counted),
    )


def _pick(operation: str, operands: Sequence[Triplet], values: Sequence[Decimal]) -> Answer:
    """The name of the operand with the largest or smallest value."""
    best = (max if operation.startswith("largest") else min)(values)
    chosen = operands[list(values).index(best)]
    names = [name_of(operand, operands) for operand in operands]
    made = _say(operation, operands, format_number(best), "not rounded", chosen.unit, names)
    return Answer(name_of(chosen, operands), other_names(chosen, operands), made)


def largest(operands: Sequence[Triplet], values: Sequence[Decimal]) -> Answer:
    """The name of the thing or time with the largest figure."""
    return _pick("largest", operands, values)


def smallest(operands: Sequence[Triplet], values: Sequence[Decimal]) -> Answer:
    """The name of the thing or time with the smallest figure."""
    return _pick("smallest", operands, values)


def _pick_rate(operation: str, operands: Sequence[Triplet], rates: Sequence[Decimal], most: bool) -> Answer:
    """The name of the thing with the largest or smallest rate, of pairs of its figures."""
    best, things = (max if most else min)(rates), operands[1::2]
    chosen, names = things[list(rates).index(best)], [name_of(thing, things) for thing in things]
    percent = f"{round_half_up(best * _HUNDRED, HUNDREDTH):,}%"
    made = _say(operation, operands, percent, "rounded half up to a hundredth", "percent", names)
    return Answer(name_of(chosen, things), other_names(chosen, things), made)


def _growths(values: Sequence[Decimal]) -> list[Decimal]:
    return [new / old - 1 for old, new in zip(values[::2], values[1::2], strict=True)]


def _shares(values: Sequence[Decimal]) -> list[Decimal]:
    return [part / whole for part, whole in zip(values[::2], values[1::2], strict=True)]


def fastest(operands: Sequence[Triplet], values: Sequence[Decimal]) -> Answer:
    """The name of the thing that grew by the highest percentage."""
    return _pick_rate("fastest growth", operands, _growths(values), most=True)


def slowest(operands: Sequence[Triplet], values: Sequence[Decimal]) -> Answer:
    """The name of the thing that grew by the lowest percentage."""
    return _pick_rate("slowest growth", operands, _growths(values), most=False)


def largest_share(operands: Sequence[Triplet], values: Sequence[Decimal]) -> Answer:
    """The name of the thing whose first figure is the highest percentage of its second."""
    return _pick_rate("largest share", operands, _shares(values), most=True)


def smallest_share(operands: Sequence[Triplet], values: Sequence[Decimal]) -> Answer:
    """The name of the thing whose first figure is the lowest percentage of its second."""
    return _pick_rate("smallest share", operands, _shares(values), most=False)


def are_times(operands: Sequence[Triplet]) -> bool:
    """Whether the operands are one thing at several times, not several things at one."""
    return len({operand.subject_key for operand in operands}) == 1 and operands[0].subject_type != "TABLE"


def name_of(operand: Triplet, operands: Sequence[Triplet]) -> str:
    """What tells an operand from the others: its time, its company, its part of a company."""
    if are_times(operands):
        return operand.period
    if operand.subject_type == "TABLE" and (cell := read_cell_name(operand.relation)):
        return cell.thing
    return member_of(operand) or operand.subject


def member_of(triplet: Triplet) -> str:
    """A part of a company without the company's name: "Greater China"; "" for a whole company."""
    if triplet.subject_type == "ORG" or not triplet.subject.startswith(triplet.entity):
        return ""
    return re.sub(r"^[Tt]otal (?=[A-Z])", "", triplet.subject.removeprefix(triplet.entity).strip())


def member_phrase(triplet: Triplet) -> str:
    """A part of a company within a sentence: "the Americas segment", "the United States", "iPhone"."""
    return part_phrase(triplet).strip().partition(" ")[2]


def other_names(operand: Triplet, operands: Sequence[Triplet]) -> tuple[str, ...]:
    """Other ways to write what tells an operand from the others."""
    name = name_of(operand, operands)
    if operand.subject_type == "TABLE":
        return ()
    if are_times(operands):
        year = name.removeprefix("fiscal year ")
        forms = {f"fiscal {year}", f"FY{year}", f"FY {year}", year} if year != name else set()
    elif member_of(operand):
        forms = {
            member_phrase(operand),
            operand.subject,
            f"{name} segment" if operand.subject_type == "SEGMENT" else "",
        }
    else:
        forms = company_names(operand.subject)
    return tuple(sorted((form for form in forms - {name} if form), key=lambda form: (len(form), form)))


Operation = Callable[[Sequence[Triplet], Sequence[Decimal]], Answer]
OPERATIONS: dict[str, Operation] = {
    "percentage change": percentage_change,
    "difference": difference,
    "share": share,
    "largest": largest,
    "smallest": smallest,
    "fastest growth": fastest,
    "slowest growth": slowest,
    "largest share": largest_share,
    "smallest share": smallest_share,
}
