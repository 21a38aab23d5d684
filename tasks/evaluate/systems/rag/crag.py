"""CRAG: passages rated first; shown refined, or left out, as the ratings say (arXiv 2401.15884; Magic Mushroom E).

There is no web search here. Where all passages are incorrect, CRAG would search the web; `crag_instead_of_web` says
what stands in. Where they are ambiguous, it would show them refined beside what it found: here, refined, alone.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from rarefy.data_contracts.rows import Passage
from rarefy.tasks.evaluate.systems.rag.case import StrategyCase
from rarefy.tasks.evaluate.systems.rag.config import RagConfig
from rarefy.tasks.evaluate.systems.rag.plain import over
from rarefy.tasks.evaluate.systems.rag.turns import Ended, Talk
from rarefy.tasks.text.sentences import sentences

_TABLE = re.compile(r"((?:^[ \t]*\|.*(?:\n|\Z))+)", re.MULTILINE)
_RULE = re.compile(r"[ \t]*\|(?:\s*:?-+:?\s*\|)+\s*")


def crag(case: StrategyCase) -> Talk:
    """One of three actions, by the best rating of the passages, then the answer."""
    if not case.passages:
        return (yield from over(case, ()))
    assert case.rate
    query, config = case.asked.query, case.config
    strips = [
        Strip(place, text, head)
        for place, passage in enumerate(case.passages)
        for head, text in decomposed(passage.text, config.crag_strip_sentences)
    ]
    rated = case.rate(query, [f"{strip.head}\n{strip.text}".strip() for strip in strips])
    # a short text is told from others more surely than a long one, and no evaluator cuts it
    whole = config.crag_rates == "passages"
    best = max(case.rate(query, [passage.text for passage in case.passages]) if whole else rated)
    action = action_of(best, config.crag_correct, config.crag_incorrect)
    way = f"crag: {action} ({best:.2f})"
    if action == "incorrect":
        if config.crag_instead_of_web == "refuse" and case.asked.refusal:
            return Ended(case.asked.refusal, detail=way)
        return (yield from over(case, (), way))
    return (yield from over(case, refined(case.passages, strips, rated, config), way))


@dataclass(frozen=True, slots=True)
class Strip:
    """A part of a passage that is rated by itself."""

    place: int  # of its passage
    text: str
    head: str = ""  # a table's head, without which its rows say nothing


def action_of(best: float, correct: float, incorrect: float) -> str:
    """correct where some passage reaches the upper threshold, incorrect where all are below the lower one."""
    if best >= correct:
        return "correct"
    return "ambiguous" if best >= incorrect else "incorrect"


def refined(
    passages: Sequence[Passage], strips: Sequence[Strip], rated: Sequence[float], config: RagConfig
) -> tuple[Passage, ...]:
    """Knowledge refinement: the best strips put together again in their order.

    What is left of a passage stays under its title; a passage of which nothing is left is not shown.
    """
    by_rating = sorted(range(len(strips)), key=lambda at: (-rated[at], at))[: config.crag_strips]
    kept = {at for at in by_rating if rated[at] >= config.crag_strip_least} or set(by_rating[:1])
    left: dict[int, list[str]] = {}
    head = ""
    for at in sorted(kept):
        strip = strips[at]
        told = left.setdefault(strip.place, [])
        if strip.head and not (told and strip.head == head):
            told.append(strip.head)
        told.append(strip.text)
        head = strip.head
    return tuple(replace(passages[place], text="\n".join(texts)) for place, texts in left.items())


def decomposed(text: str, count: int) -> list[tuple[str, str]]:
    """The strips of a passage, each behind its head: so many sentences, or so many rows of a table behind its first.

    A passage shorter than that is one strip; nothing of it is lost.
    """
    strips: list[tuple[str, str]] = []
    for table in _TABLE.split(text):
        lines = table.rstrip("\n").split("\n")
        if not table.lstrip().startswith("|") or len(lines) < 3:
            spans = sentences(table)
            parts = [(spans[at][0], spans[min(at + count, len(spans)) - 1][1]) for at in range(0, len(spans), count)]
            strips += [("", table[start:end]) for start, end in parts]
            continue
        first = 2 if _RULE.fullmatch(lines[1]) else 1
        head, rows = "\n".join(lines[:first]), lines[first:]
        strips += [(head, "\n".join(rows[at : at + count])) for at in range(0, len(rows), count)]
    return strips or [("", text)]
