"""OwnKnow: an answer from the model's own knowledge first, then with it the one from the passages (appendix C)."""

from rarefy.tasks.evaluate.systems.rag.case import StrategyCase
from rarefy.tasks.evaluate.systems.rag.plain import over
from rarefy.tasks.evaluate.systems.rag.turns import Talk


def own_know(case: StrategyCase) -> Talk:
    """The closed-book answer, shown again as the previous one beside the passages.

    A draft that cannot be read is shown as it came; one that failed ends the talk with its error.
    """
    if not case.passages:
        return (yield from over(case, ()))
    reply = yield case.request("closed_book")
    draft = case.answer(reply, "closed_book")
    if draft.error and draft.error != "unparsable":
        return draft
    said = draft.detail if draft.error else draft.text
    reply = yield case.request("own_know", case.passages, draft=said.strip().rstrip("."))
    return case.answer(reply, "own_know", f"own_know: {said.strip()}"[:200])
