"""Chains through a year: one figure singles out a year of a company, another figure of that year is the answer.

"In the year when Apple's net sales were lowest, how much did it spend on research?" The year is the pivot that is not
named. A figure that only ever rises singles out the last year or the first, which whoever guesses finds without it.
"""

from collections import defaultdict
from collections.abc import Iterator
from itertools import pairwise

import numpy as np

from rarefy.data_contracts.rows import Triplet
from rarefy.tasks.knowledge.graph.chunks import ChunkRule
from rarefy.tasks.knowledge.graph.computed import FEWEST, NEAR
from rarefy.tasks.knowledge.graph.facts import Array, Graph
from rarefy.tasks.knowledge.graph.headlines import FAMILIES, go_together

_NEAR = float(NEAR)


class YearChains:
    """The figures that single out a year, and the figures that are asked for by it."""

    def __init__(self, graph: Graph, apart: ChunkRule) -> None:
        self.graph, self.apart = graph, apart
        columns = graph.columns
        rows = np.flatnonzero(columns.whole & (columns.family >= 0) & (columns.year > 0) & np.isfinite(columns.number))
        series: defaultdict[tuple[int, int, int], defaultdict[int, list[int]]] = defaultdict(lambda: defaultdict(list))
        for fact in rows.tolist():
            series[int(graph.head[fact]), int(columns.concept[fact]), int(columns.kind[fact])][
                int(columns.year[fact])
            ].append(fact)
        self.clues: defaultdict[tuple[int, int], list[int]] = defaultdict(list)  # (head, year) -> facts
        self.series: dict[int, list[int]] = {}  # fact -> all facts of its measure, over the years
        for years in series.values():
            figures = {year: {float(columns.number[fact]) for fact in facts} for year, facts in years.items()}
            if any(len(values) > 1 for values in figures.values()):
                continue  # the corpus states one of them in two ways
            values = {year: figures[year].pop() for year in sorted(figures)}
            everything = [fact for facts in years.values() for fact in facts]
            self.series.update(dict.fromkeys(everything, everything))
            for year in singled_out(values):
                least = values[year] < max(values.values())
                chosen = [
                    fact
                    for fact in years[year]
                    if columns.flow[fact]
                    and columns.telling[fact]
                    and not (least and FAMILIES[columns.family[fact]] == "acquisitions")  # which most years have few of
                ]
                self.clues[int(graph.head[years[year][0]]), year] += chosen

    def answers(self) -> Array:
        """The facts that may be asked for by a year, ascending; of one figure under two labels the first alone."""
        columns = self.graph.columns
        found: dict[tuple[int, int, int], int] = {}
        for fact in sorted(self.series):
            if self.remaining(fact) > 1 and self.clues_of(fact):
                figure = (int(self.graph.head[fact]), int(columns.concept[fact]), int(columns.year[fact]))
                found.setdefault(figure, fact)
        return np.array(sorted(found.values()), np.int64)

    def remaining(self, answer: int, chunk: int = -1) -> int:
        """The different answers that remain where no year is told, in the corpus or in this chunk.

        Whoever asks for an income does not mean the loss of another year.
        """
        number = self.graph.columns.number
        facts = [fact for fact in self.series[answer] if (number[fact] < 0) == (number[answer] < 0)]
        if chunk >= 0:
            facts = [fact for fact in facts if chunk in self.apart.chunks(fact)]
        return len({float(number[fact]) for fact in facts})

    def clues_of(self, answer: int) -> list[int]:
        """The facts that single out the answer's year and are told by no chunk that tells the answer."""
        columns = self.graph.columns
        return [
            clue
            for clue in self.clues.get((int(self.graph.head[answer]), int(columns.year[answer])), ())
            if go_together(FAMILIES[columns.family[clue]], FAMILIES[columns.family[answer]])
            and self.apart((clue, answer))
        ]

    def count(self) -> int:
        """How many chains through a year there are."""
        return sum(len(self.clues_of(answer)) for answer in self.answers().tolist())


def singled_out(values: dict[int, float]) -> Iterator[int]:
    """The years whose figure is clearly the highest or the lowest of all, where growth alone does not say so."""
    if len(values) < FEWEST or min(values.values()) <= 0 or any(b - a > 1 for a, b in pairwise(values)):
        return
    years, ranked = list(values), sorted(values, key=lambda year: values[year])
    lowest, highest = ranked[0], ranked[-1]
    if highest != years[-1] and values[highest] - values[ranked[-2]] >= _NEAR * values[highest]:
        yield highest
    if lowest != years[0] and values[ranked[1]] - values[lowest] >= _NEAR * values[ranked[1]]:
        yield lowest


def is_through_year(clue: Triplet, answer: Triplet) -> bool:
    """Whether a chain's first fact leads to its last through a year, and not through a thing."""
    return bool(clue.value) and clue.subject_key == answer.subject_key
