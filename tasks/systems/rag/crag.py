"""CRAG: passages rated first; shown refined, or left out, as the ratings say (arXiv 2401.15884; Magic Mushroom E).

There is no web search here. Where all passages are incorrect, CRAG would search the web; `crag_instead_of_web` says
what stands in. Where they are ambiguous, it would show them refined beside what it found: here, refined, alone.
"""

from collections.abc import Sequence
from dataclasses import replace

from rarefy.data_contracts.rows import Passage
from rarefy.tasks.chunk.sentences import sentences
from rarefy.tasks.systems.rag.case import Case
from rarefy.tasks.systems.rag.plain import over
from rarefy.tasks.systems.rag.turns import Ended, Talk

ACTIONS = ("correct", "ambiguous", "incorrect")


def crag(case: Case) -> Talk:
    """One of three actions, by the best rating of the passages, then the answer."""
    if not case.passages:
        return (yield from over(case, ()))
    assert case.rate
    best = max(case.rate(case.asked.query, [passage.text for passage in case.passages]))
    action = action_of(best, case.config.crag_correct, case.config.crag_incorrect)
    way = f"crag: {action} ({best:.2f})"
    if action == "incorrect":
        if case.config.crag_instead_of_web == "refuse" and case.asked.refusal:
            return Ended(case.asked.refusal, detail=way)
        return (yield from over(case, (), way))
    return (yield from over(case, refined(case), way))


def action_of(best: float, correct: float, incorrect: float) -> str:
    """correct where some passage reaches the upper threshold, incorrect where all are below the lower one."""
    if best >= correct:
        return "correct"
    return "ambiguous" if best >= incorrect else "incorrect"


def refined(case: Case) -> tuple[Passage, ...]:
    """Knowledge refinement: passages decomposed into strips, the best of these recomposed in their order.

    What is left of a passage stays under its title; a passage of which nothing is left is not shown.
    """
    assert case.rate
    config = case.config
    strips = [
        (place, strip)
        for place, passage in enumerate(case.passages)
        for strip in decomposed(passage.text, config.crag_strip_sentences)
    ]
    rated = case.rate(case.asked.query, [strip for _, strip in strips])
    by_rating = sorted(range(len(strips)), key=lambda at: (-rated[at], at))[: config.crag_strips]
    kept = {at for at in by_rating if rated[at] >= config.crag_strip_least} or set(by_rating[:1])
    left: dict[int, list[str]] = {}
    for at in sorted(kept):
        left.setdefault(strips[at][0], []).append(strips[at][1])
    return tuple(replace(case.passages[place], text="\n".join(texts)) for place, texts in left.items())


def decomposed(text: str, count: int) -> list[str]:
    """The strips of a passage: so many sentences each, its table rows among them; a short passage is one strip."""
    spans: Sequence[tuple[int, int]] = sentences(text) or [(0, len(text))]
    return [text[spans[at][0] : spans[min(at + count, len(spans)) - 1][1]] for at in range(0, len(spans), count)]
