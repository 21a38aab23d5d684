"""Sets of facts around a hub: counted without a list of them, and proposed for an answer."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, islice

import numpy as np

from rarefy.tasks.knowledge.graph.chunks import Apart, worlds
from rarefy.tasks.knowledge.graph.config import Sizes
from rarefy.tasks.knowledge.graph.facts import Array, Graph
from rarefy.tasks.knowledge.graph.hubs import subsets
from rarefy.tasks.knowledge.graph.matchings import matchings
from rarefy.tasks.knowledge.graph.ring import REACH, Ring

FEW = 12  # partners among which every set is tried, where none of them alone is far enough away


def count(graph: Graph, chosen: Array, hub: Array, end: Array, sizes: Sizes, rule: str) -> dict[int, int]:
    """By size: the sets of chosen facts with one hub and different ends that the same-chunk rule lets pass.

    `hub` and `end` are per fact of the graph.
    """
    if rule == "distinct":
        facts = np.flatnonzero(chosen)
        return matchings(hub[facts], end[facts], graph.chunk[facts], sizes)
    every = subsets(hub[chosen], end[chosen], sizes)
    found = worlds(graph, rule)
    here = chosen[found.fact] & (found.sign[found.world] != 0)
    fact, world = found.fact[here], found.world[here]
    place = world * (int(hub.max(initial=0)) + 1) + hub[fact]
    covered = subsets(place, end[fact], sizes, found.sign[world])
    return {size: every[size] - covered[size] for size in sizes}


@dataclass(frozen=True, slots=True)
class Around:
    """The free facts around hubs, from which an answer's partners are drawn."""

    ring: Ring
    hub: Sequence[int]
    end: Sequence[int]
    apart: Apart

    def partners(self, answer: int, size: int, point: int) -> tuple[int, ...]:
        """`size - 1` facts that make a path with this one, by hash; () where none were found near enough.

        From different chunks first; from the same where there are no others and the rule allows it.
        """
        picked = [answer]
        ends = {self.end[answer]}
        own = self.apart.chunks(answer)
        far = False  # a fact that shares no chunk with the answer is among the picked, which settles "covered"
        taken = set(own)
        for chunk, facts in self.ring.chunks(self.hub[answer], point):
            if chunk in taken:
                continue
            for fact in islice(facts, REACH):
                if self.end[fact] in ends or not (far or own.isdisjoint(self.apart.chunks(fact))):
                    continue
                picked.append(fact)
                ends.add(self.end[fact])
                taken.add(chunk)
                far = True
                break
            if len(picked) == size:
                return tuple(picked[1:])
        if self.apart.distinct:
            return ()
        if far:
            for fact in self._near(answer, point):
                if self.end[fact] not in ends:
                    picked.append(fact)
                    ends.add(self.end[fact])
                    if len(picked) == size:
                        return tuple(picked[1:])
        elif len(own) > 1 and size > 2:
            for others in combinations(islice(self._near(answer, point), FEW), size - 1):
                if len({self.end[answer], *(self.end[f] for f in others)}) == size and self.apart((answer, *others)):
                    return others
        return ()

    def _near(self, answer: int, point: int) -> Iterator[int]:
        for _, facts in self.ring.chunks(self.hub[answer], point):
            for fact in islice(facts, REACH):
                if fact != answer:
                    yield fact
