"""How well a sentence or a table row answers, before and after it is embedded."""

import math
from dataclasses import dataclass
from functools import lru_cache

from rarefy.tasks.evaluate.systems.extractive.cells import Cell, cells, whole, written
from rarefy.tasks.evaluate.systems.extractive.reading import Page, Unit
from rarefy.tasks.evaluate.systems.extractive.spans import KINDS, spans
from rarefy.tasks.evaluate.systems.extractive.wanted import Wanted
from rarefy.tasks.evaluate.systems.extractive.words import dates, stems, years

_AROUND = 0.5  # of a word that stands only in headings or caption; the title's count in full: they say whose it is
_ABSENT = 0.35  # weight of a word of the candidate that was not asked for, in the precision
_OTHER_PERIOD = 0.35  # what a candidate of another period keeps of its score
BEHIND = 0.3  # by words: who is further behind the best would need a likeness that is 0.55 better
NAMED = ("person", "place", "organisation", "address")


@dataclass(frozen=True)
class Candidate:
    """An answer with what it was taken from."""

    answer: str
    unit: Unit
    words: float  # 0 to 1: how well its words fit the question's, its period and kind counted in
    whole: bool = False  # a sentence of which a phrase is the answer: which one is looked for in the best alone


def candidates(page: Page, want: Wanted, most: int) -> tuple[Candidate, ...]:
    """The best answers that a passage holds, by words alone, the best first; equal ones in their order in it."""
    reach: dict[int, float] = {}
    for word, weight in want.weights:
        for at in page.holds.get(word, ()):
            reach[at] = reach.get(at, 0.0) + weight
    near = sorted(reach or range(len(page.units)), key=lambda at: (-reach.get(at, 0.0), at))[: 3 * most]
    scored = [(*_scored(page, page.units[at], want), at) for at in near]
    found: list[Candidate] = []
    for score, cell, at in sorted(scored, key=lambda it: (-it[0], it[2])):  # spans are looked for in the best alone
        if len(found) == most or (found and score < found[0].words - BEHIND):
            break
        unit = page.units[at]
        if cell is not None:
            found.append(Candidate(written(cell, unit, want), unit, score))
        elif want.kind in KINDS:
            if inside := spans(unit.text, want):
                found.append(Candidate(inside[0], unit, score))
        else:  # in another language than English all of it
            found.append(Candidate(unit.text, unit, score, want.asks))
    return tuple(found)


def _scored(page: Page, unit: Unit, want: Wanted) -> tuple[float, Cell | None]:
    """How well a unit's words fit, and the cell that answers; None where a span of its text or label would."""
    if not unit.cells:
        score = _fit(stems(unit.text), frozenset(), stems(unit.around), page.about, want)
        if want.years and years(unit.text):
            there = want.days & dates(unit.text) if want.days and dates(unit.text) else want.years & years(unit.text)
            score *= 1.0 if there else _OTHER_PERIOD
        return score, None
    label, group, around = stems(unit.text), stems(unit.group), stems(unit.around)
    if want.kind in NAMED:  # the words of a list of people or places are in its cells
        label |= stems(" ".join(unit.cells))
    best: tuple[float, Cell | None] = (0.0, None)
    for cell in cells(unit, want):
        header = stems(cell.header)
        extra = frozenset() if whole(cell.header) else header
        score = _fit(label, group | extra, around | header, page.about, want)
        score *= 1.0 if cell.period > 0.6 else _OTHER_PERIOD if cell.period < 0 else 0.9
        if score > best[0]:
            best = score, cell
    if best[1] is None and want.kind in NAMED:
        return _fit(label, group | stems(unit.first), around, page.about, want), None
    return best


@lru_cache(maxsize=50_000)
def _fit(
    own: frozenset[str], beside: frozenset[str], around: frozenset[str], title: frozenset[str], want: Wanted
) -> float:
    """How much of what was asked for is there, and how much is there that was not asked for."""
    had = wanted = 0.0
    for word, weight in want.weights:
        wanted += weight
        if word in own or word in title:
            had += weight
        elif word in beside:
            had += 0.9 * weight
        elif word in around:
            had += _AROUND * weight
    if not wanted:
        return 0.0
    told = (own | beside) - title
    precise = len(told & want.words) / (len(told & want.words) + _ABSENT * len(told - want.words)) if told else 0.0
    return math.pow(had / wanted, 0.6) * (0.5 + 0.5 * precise)
