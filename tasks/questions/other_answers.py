"""Whether a computed answer is another where a passage states one of its operands otherwise, by what is printed."""

from collections.abc import Sequence
from decimal import Decimal
from functools import lru_cache

from rarefy.data_contracts.rows import Question
from rarefy.tasks.knowledge.extract.values import FACTORS, parse_cell_number
from rarefy.tasks.questions.ask.arithmetic import TENTH, ratio_of
from rarefy.tasks.questions.operands import candidates_of, last_note, operands_of, operation_of, result_of


def leads_elsewhere(question: Question, old: str, new: str) -> bool:
    """Whether the answer changes where the operand `old` reads `new`; False, too, where that is not sure.

    Figures are compared as they are printed. Where that does not give the question's own answer, as of operands that
    are counted in different scales, nothing is sure.
    """
    printed = operands_of(question)
    numbers = [_number(figure) for figure in printed]
    changed = [_number(new) if figure == old else number for figure, number in zip(printed, numbers, strict=True)]
    before, after = [n for n in numbers if n is not None], [n for n in changed if n is not None]
    if old not in printed or len(before) < len(printed) or len(after) < len(printed):
        return False
    if question.pattern == "listing":
        return _changes_members(question, before, after)
    operation = operation_of(question.arithmetic)
    first = _result(operation, before)
    if first is None or not _is_stated(question, operation, first, before):
        return False
    second = _result(operation, after)
    return second is not None and first != second


@lru_cache(10_000)  # an operand is tried with each figure that could stand in its place
def _number(figure: str) -> Decimal | None:
    """A printed figure without its sign: tables of cash flows print payments in brackets."""
    found = parse_cell_number(figure)
    return abs(found.value) if found else None


def _result(operation: str, values: Sequence[Decimal]) -> Decimal | int | None:
    """The result, a percentage to a tenth; of a choice its place; None where there is none."""
    if operation in ("largest", "smallest"):
        best = (max if operation == "largest" else min)(values)
        return list(values).index(best) if list(values).count(best) == 1 else None
    if len(values) != 2:
        return None
    first, second = values
    if operation == "difference":
        return second - first
    divisor = second if operation == "share" else first
    return (ratio_of(operation, first, second) * 100).quantize(TENTH) if divisor else None


def _is_stated(question: Question, operation: str, result: Decimal | int, values: Sequence[Decimal]) -> bool:
    """Whether the printed figures give the answer that the question has."""
    said = result_of(question.arithmetic)
    if operation in ("largest", "smallest"):
        return _is_scaled(values[int(result)], Decimal(said))
    if operation == "difference":
        return _is_scaled(Decimal(result), Decimal(said))
    return abs(Decimal(said.rstrip("%").replace(",", "")) - result) <= TENTH


def _is_scaled(printed: Decimal, value: Decimal) -> bool:
    return any(printed * factor == value for factor in (*FACTORS.values(), Decimal("0.01")))


def _changes_members(question: Question, before: Sequence[Decimal], after: Sequence[Decimal]) -> bool:
    """Whether another of the things named is above the limit; of all scales just one must give the members."""
    names, limit = candidates_of(question), Decimal(last_note(question.arithmetic))
    if len(names) != len(before):
        return False

    def above(values: Sequence[Decimal], factor: Decimal) -> frozenset[str]:
        return frozenset(name for name, value in zip(names, values, strict=True) if value * factor > limit)

    fitting = {above(after, f) for f in FACTORS.values() if above(before, f) == set(question.members)}
    return bool(fitting) and frozenset(question.members) not in fitting
