"""What a passage must state so that a question can be answered from it.

For most questions that is the answer. A computed answer stands in no passage: its operands do, as their rows print
them. What looks for an answer in passages, takes it out or changes it, does so with the operands.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from rarefy.data_contracts.rows import WORKED_OUT, Question

OPEN, CLOSE, BETWEEN = "[", "]", " | "  # around and between the operands of Question.arithmetic
AMONG, END = " of {", "}"  # likewise what is chosen from


def write_arithmetic(operation: str, printed: Iterable[str], among: Sequence[str], result: str, *notes: str) -> str:
    """Question.arithmetic: "difference [$31,872 | $62,254] = 30382000000; not rounded; USD".

    The operands are as their rows print them; the notes of a set end with what its members have.
    """
    listed = f"{AMONG}{BETWEEN.join(among)}{END}" if among else ""
    return "; ".join((f"{operation} {OPEN}{BETWEEN.join(printed)}{CLOSE}{listed} = {result}", *notes))


def operation_of(arithmetic: str) -> str:
    """The operation that a question's `arithmetic` names."""
    return arithmetic.partition(f" {OPEN}")[0]


def result_of(arithmetic: str) -> str:
    """The result in a question's `arithmetic`."""
    return arithmetic.rpartition(" = ")[2].partition(";")[0]


def last_note(arithmetic: str) -> str:
    """The last note of a question's `arithmetic`: its unit, or what members of a set have."""
    return arithmetic.rpartition("; ")[2]


def operands_of(question: Question) -> tuple[str, ...]:
    """What a computed answer or a set is made of, as its passages print it, each once; () for other questions."""
    if question.pattern not in WORKED_OUT:
        return ()
    listed = question.arithmetic.partition(OPEN)[2].partition(CLOSE)[0]
    return tuple(dict.fromkeys(figure for figure in listed.split(BETWEEN) if figure))


def candidates_of(question: Question) -> tuple[str, ...]:
    """The names of what an answer is chosen from; () where nothing is."""
    listed = question.arithmetic.partition(AMONG)[2].partition(END)[0]
    return tuple(listed.split(BETWEEN)) if listed else ()


def as_passages_state_it(question: Question) -> Question:
    """The question with what its passages state for an answer: of a computed one an operand, the others as aliases.

    A passage that holds none of them has nothing of the answer, and one in which they are changed leads to another.
    """
    figures = operands_of(question)
    return replace(question, answer=figures[0], aliases=figures[1:]) if figures else question


def is_answerable(question: Question, states: Callable[[str, tuple[str, ...]], bool]) -> bool:
    """Whether passages hold the answer: any form of it, or every operand; `states` looks for a form and its aliases."""
    figures = operands_of(question)
    if not figures:
        return states(question.answer, question.aliases)
    return all(states(figure, ()) for figure in figures)
