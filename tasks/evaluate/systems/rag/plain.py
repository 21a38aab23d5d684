"""Strategies of one turn: NoRAG, Vanilla, ChainOfNote (retrieval robustness C; Magic Mushroom Figures 15-17)."""

from collections.abc import Sequence

from rarefy.data_contracts.rows import Passage
from rarefy.tasks.evaluate.systems.rag.case import StrategyCase
from rarefy.tasks.evaluate.systems.rag.turns import Talk


def no_rag(case: StrategyCase) -> Talk:
    """The model's own knowledge, whatever passages there are."""
    return over(case, ())


def vanilla(case: StrategyCase) -> Talk:
    """All passages in the prompt; the closed-book prompt where there are none."""
    return over(case, case.passages)


def chain_of_note(case: StrategyCase) -> Talk:
    """Notes on the passages first, then the answer; the closed-book prompt where there are none."""
    if not case.passages:
        return (yield from over(case, ()))
    reply = yield case.request("chain_of_note", case.passages)
    return case.answer(reply, "chain_of_note")


def over(case: StrategyCase, passages: Sequence[Passage], way: str = "") -> Talk:
    """The answer from these passages by the pack's own prompt, from the model's knowledge where there are none."""
    step = "passages" if passages else "closed_book"
    reply = yield case.request(step, passages)
    return case.answer(reply, step, way)
