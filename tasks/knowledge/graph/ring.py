"""Partners for a fact, drawn by hash without a list of all of them (consistent hashing)."""

from bisect import bisect_left
from collections.abc import Iterator

import numpy as np

from rarefy.tasks.knowledge.graph.facts import Array, Graph, view
from rarefy.tasks.knowledge.graph.hubs import starts

REACH = 256  # chunks looked at in vain before a fact is passed over, so that no hub is searched to its end for each
_MASK = (1 << 64) - 1


def turned(point: int, turn: int) -> int:
    """Another 64-bit point for every turn (splitmix64)."""
    mixed = (point + (turn + 1) * 0x9E3779B97F4A7C15) & _MASK
    mixed = ((mixed ^ (mixed >> 30)) * 0xBF58476D1CE4E5B9) & _MASK
    mixed = ((mixed ^ (mixed >> 27)) * 0x94D049BB133111EB) & _MASK
    return mixed ^ (mixed >> 31)


class Ring:
    """The chosen facts of each hub on a ring of chunks, and on a ring within each chunk.

    Whoever asks starts at his own point and goes clockwise: a new fact comes into the way of few.
    """

    def __init__(self, graph: Graph, hub: Array, count: int, chosen: Array) -> None:
        chunk = graph.chunk
        order = chosen[np.lexsort((chosen, chunk[chosen], graph.chunk_point[chunk[chosen]], hub[chosen]))]
        groups = starts(hub[order], chunk[order])
        hubs = starts(hub[order][groups]) if len(groups) else groups
        self.facts = view(order.astype(np.int64))
        self.points = view(graph.point[order])
        self.group = view(np.append(groups, len(order)).astype(np.int64))
        self.group_chunk = view(chunk[order][groups].astype(np.int64))
        self.group_point = view(graph.chunk_point[chunk[order][groups]])
        first = np.zeros(count + 1, np.int64)
        sizes = np.diff(hubs, append=len(groups))
        first[hub[order][groups[hubs]] + 1] = sizes
        self.first = view(np.cumsum(first))

    def size(self, hub: int) -> int:
        """How many facts the hub has."""
        return self.group[self.first[hub + 1]] - self.group[self.first[hub]]

    def chunks(self, hub: int, point: int) -> Iterator[tuple[int, Iterator[int]]]:
        """The chunks at a hub, clockwise from this point, each with its facts likewise."""
        low, high = self.first[hub], self.first[hub + 1]
        begin = bisect_left(self.group_point, point, low, high)
        for i in range(begin, min(high, begin + REACH)):
            yield self.group_chunk[i], self._within(i, point)
        for i in range(low, min(begin, low + REACH)):
            yield self.group_chunk[i], self._within(i, point)

    def _within(self, group: int, point: int) -> Iterator[int]:
        low, high = self.group[group], self.group[group + 1]
        begin = bisect_left(self.points, turned(point, 0), low, high)
        for i in range(begin, high):
            yield self.facts[i]
        for i in range(low, begin):
            yield self.facts[i]
