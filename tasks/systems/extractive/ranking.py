"""How well a sentence or a table row answers, before and after it is embedded."""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from rarefy.tasks.systems.extractive.cells import cells, whole, written
from rarefy.tasks.systems.extractive.reading import Page, Unit
from rarefy.tasks.systems.extractive.spans import spans
from rarefy.tasks.systems.extractive.wanted import Wanted
from rarefy.tasks.systems.extractive.words import dates, stems, years

_AROUND = 0.5  # of a word that stands only in headings or caption; the title's count in full: they say whose it is
_ABSENT = 0.35  # weight of a word of the candidate that was not asked for, in the precision
_OTHER_PERIOD = 0.35  # what a candidate of another period keeps of its score
NAMED = ("person", "place", "organisation", "address")


@dataclass(frozen=True)
class Candidate:
    """An answer with what it was taken from."""

    answer: str
    unit: Unit
    words: float  # 0 to 1: how well its words fit the question's, its period and kind counted in


def candidates(page: Page, want: Wanted, most: int) -> tuple[Candidate, ...]:
    """The best answers that a passage holds, by words alone, the best first; equal ones in their order in it."""
    reach: dict[int, float] = {}
    for word, weight in want.weights:
        for at in page.holds.get(word, ()):
            reach[at] = reach.get(at, 0.0) + weight
    best = sorted(reach, key=lambda at: (-reach[at], at))[: 4 * most]
    found = [one for at in sorted(best) for one in _answers(page, page.units[at], want)]
    return tuple(sorted(found, key=lambda one: -one.words)[:most])


def _answers(page: Page, unit: Unit, want: Wanted) -> Iterator[Candidate]:
    """The best answer of a unit, if it holds one."""
    if not unit.cells:
        score = _fit(stems(unit.text), frozenset(), stems(unit.around), page.about, want)
        if want.years and years(unit.text):
            there = want.days & dates(unit.text) if want.days and dates(unit.text) else want.years & years(unit.text)
            score *= 1.0 if there else _OTHER_PERIOD
        if found := spans(unit.text, want):
            yield Candidate(found[0], unit, score)
        return
    best: Candidate | None = None
    label, group, around = stems(unit.text), stems(unit.group), stems(unit.around)
    if want.kind in NAMED:  # the words of a list of people or places are in its cells
        label |= stems(" ".join(unit.cells))
    for cell in cells(unit, want):
        header = stems(cell.header)
        extra = frozenset() if whole(cell.header) else header
        score = _fit(label, group | extra, around | header, page.about, want)
        score *= 1.0 if cell.period > 0.6 else _OTHER_PERIOD if cell.period < 0 else 0.9
        if best is None or score > best.words:
            best = Candidate(written(cell, unit, want), unit, score)
    if best is not None:
        yield best
    elif want.kind in NAMED and (found := spans(unit.text, want)):
        yield Candidate(found[0], unit, _fit(label, group | stems(unit.first), around, page.about, want))


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
