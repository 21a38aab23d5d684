"""Whether facts point at one thing of the graph, and each of them is needed to (RARE §3.4, R19)."""

from collections.abc import Iterator, Sequence

import numpy as np

from rarefy.tasks.knowledge.graph.facts import Graph


class Pointing:
    """Which heads share a relation and a tail; looked up when asked, so that hubs cost nothing until then."""

    def __init__(self, graph: Graph) -> None:
        pairs = np.stack([graph.relation, graph.tail], axis=1)
        _, self.group = np.unique(pairs, axis=0, return_inverse=True)
        self.group = self.group.reshape(-1)
        self.order = np.argsort(self.group, kind="stable")
        self.begin = np.searchsorted(self.group[self.order], np.arange(self.group.max(initial=-1) + 2))
        self.head = graph.head

    def holders(self, fact: int) -> set[int]:
        """The heads of which the same is said as in this fact."""
        group = self.group[fact]
        return set(self.head[self.order[self.begin[group] : self.begin[group + 1]]].tolist())

    def minimal(self, clues: Sequence[int]) -> bool:
        """Whether the clues leave one head, and without any of them more."""
        held = [self.holders(fact) for fact in clues]
        if len(set.intersection(*held)) != 1:
            return False
        return all(len(set.intersection(*rest)) > 1 for rest in _without_one(held) if rest)


def _without_one(held: Sequence[set[int]]) -> Iterator[list[set[int]]]:
    for at in range(len(held)):
        yield [*held[:at], *held[at + 1 :]]
