"""Stars around one of two companies: a figure in which they are near each other tells which of them is meant.

"In fiscal 2024, how much did the larger of Coca-Cola and Procter & Gamble by net income spend on advertising?" The
company that is asked about is one of two that are named; which one it is takes a figure of each.
"""

from collections import defaultdict
from collections.abc import Iterator

import numpy as np

from rarefy.data_contracts.rows import Triplet
from rarefy.tasks.knowledge.graph.chunks import ChunkRule
from rarefy.tasks.knowledge.graph.computed import CLOSE, NEAR
from rarefy.tasks.knowledge.graph.facts import Array, Graph
from rarefy.tasks.knowledge.graph.headlines import FAMILIES, go_together

_NEAR, _CLOSE = float(NEAR), float(CLOSE)


def are_near(one: float, other: float) -> bool:
    """Whether two figures differ by enough to say which is larger, and by too little to know it without reading."""
    small, large = sorted((one, other))
    return small > 0 and large - small >= _NEAR * large and large <= _CLOSE * small


def is_by_rank(clue: Triplet, answer: Triplet) -> bool:
    """Whether a star's first fact is a figure of a whole company, by which it is told from another one."""
    return bool(clue.value) and clue.subject == clue.entity == answer.subject


class FilerFigures:
    """Figures of whole companies by which one of two is told from the other, and what is asked of it by them."""

    def __init__(self, graph: Graph, chosen: Array, apart: ChunkRule) -> None:
        self.graph, self.apart = graph, apart
        columns = graph.columns
        self.asked = columns.whole & graph.literal & (columns.family >= 0) & (columns.year > 0)
        self.values: defaultdict[tuple[int, ...], defaultdict[int, set[float]]] = defaultdict(lambda: defaultdict(set))
        for fact in np.flatnonzero(self.asked & np.isfinite(columns.number)).tolist():
            self.values[self._measure(fact)][int(graph.head[fact])].add(float(columns.number[fact]))
        self.rivals: dict[int, set[int]] = {}  # clue -> the companies whose figure is near it
        self.clues: defaultdict[tuple[int, int], list[int]] = defaultdict(list)  # (head, year) -> facts
        for clue in chosen[self.asked[chosen] & (columns.telling[chosen] > 0) & columns.flow[chosen]].tolist():
            if rivals := self._find_rivals(clue):
                self.rivals[clue] = rivals
                self.clues[int(graph.head[clue]), int(columns.year[clue])].append(clue)

    def _measure(self, fact: int) -> tuple[int, ...]:
        columns = self.graph.columns
        return int(columns.concept[fact]), int(columns.kind[fact]), int(columns.flow[fact]), int(columns.year[fact])

    def _find_rivals(self, clue: int) -> set[int]:
        """The companies whose figure is near a clue's; none where a company states its own in two ways."""
        of = self.values[self._measure(clue)]
        single = {head: next(iter(values)) for head, values in of.items() if len(values) == 1}
        own, head = float(self.graph.columns.number[clue]), int(self.graph.head[clue])
        return {other for other, value in single.items() if other != head and head in single and are_near(own, value)}

    def clues_of(self, answer: int) -> Iterator[int]:
        """The clues to an answer's company in its year that no chunk states with it, the most telling first.

        Another company near it has a figure of what is asked as well.
        """
        columns = self.graph.columns
        year = int(self.graph.head[answer]), int(columns.year[answer])
        found = self.clues.get(year, ()) if self.asked[answer] else ()
        holders = self.values[self._measure(answer)].keys() if found else ()
        for clue in sorted(found, key=lambda clue: (-columns.telling[clue], clue)):
            together = go_together(FAMILIES[columns.family[clue]], FAMILIES[columns.family[answer]])
            if together and not self.rivals[clue].isdisjoint(holders) and self.apart((clue, answer)):
                yield clue

    def answers(self) -> Array:
        """The facts that may be asked of one of two companies, ascending."""
        rows = np.flatnonzero(self.asked & (self.graph.rivals > 0))
        return np.array([fact for fact in rows.tolist() if next(self.clues_of(fact), None) is not None], np.int64)

    def count(self) -> int:
        """How many stars around one of two companies there are."""
        return sum(len([*self.clues_of(answer)]) for answer in self.answers().tolist())
