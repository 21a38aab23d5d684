"""How many chains of two and three facts there are, no node twice: exact, from degrees less the circles (R12)."""

from dataclasses import dataclass

import numpy as np

from rarefy.tasks.knowledge.graph.chunks import Worlds
from rarefy.tasks.knowledge.graph.facts import Array, Graph
from rarefy.tasks.knowledge.graph.hubs import total
from rarefy.tasks.knowledge.graph.triangles import triangles


@dataclass(frozen=True, slots=True, eq=False)
class Pairs:
    """Node pairs that facts join, each once, sorted by (source, target); nodes of different worlds are different."""

    nodes: int
    source: Array
    target: Array
    weight: Array  # facts from source to target
    key: Array
    sign: Array  # of the pair's world
    into: Array  # facts per node
    out_of: Array
    node_sign: Array

    def find(self, source: Array, target: Array) -> tuple[Array, Array]:
        """Per (source, target): the number of the pair, and whether there is one."""
        wanted = source * self.nodes + target
        place = np.minimum(np.searchsorted(self.key, wanted), max(len(self.key) - 1, 0))
        return place, self.key[place] == wanted

    def back(self) -> Array:
        """Per pair: how many facts lead from its target to its source."""
        return self.weights(self.target, self.source)

    def weights(self, source: Array, target: Array) -> Array:
        """How many facts lead from one to the other."""
        place, there = self.find(source, target)
        return np.where(there, self.weight[place], 0)


def pairs_of(source: Array, target: Array, sign: Array | None = None) -> Pairs:
    """Facts as pairs; `sign` is that of each fact's world, the same throughout a connected part."""
    names, numbers = np.unique(np.concatenate([source, target]), return_inverse=True)
    count = len(names)
    source, target = numbers[: len(source)], numbers[len(source) :]
    signs = np.ones(len(source), np.int64) if sign is None else sign
    node_sign = np.zeros(count, np.int64)
    node_sign[source] = signs
    node_sign[target] = signs
    key, weight = np.unique(source * count + target, return_counts=True)
    s, t = key // max(count, 1), key % max(count, 1)
    return Pairs(
        nodes=count,
        source=s,
        target=t,
        weight=weight,
        key=key,
        sign=node_sign[s],
        into=np.bincount(target, minlength=count),
        out_of=np.bincount(source, minlength=count),
        node_sign=node_sign,
    )


def chains(pairs: Pairs, size: int) -> int:
    """The chains of `size` facts through these pairs, each counted with the sign of its world."""
    if not len(pairs.key):
        return 0
    if size == 2:
        turns = total(pairs.sign * pairs.weight * pairs.back())
        return total(pairs.node_sign * pairs.into * pairs.out_of) - turns
    return opened(pairs) - 3 * circles(pairs)  # a circle can be cut open in three places


def opened(pairs: Pairs) -> int:
    """The chains of three facts, circles cut open among them: around each middle pair, what comes before and after."""
    back = pairs.back()
    before, after = pairs.into[pairs.source] - back, pairs.out_of[pairs.target] - back
    return total(pairs.sign * pairs.weight * before * after)


def circles(pairs: Pairs) -> int:
    """The circles of three facts, each counted with the sign of its world."""
    return sum(
        total(pairs.sign[a] * pairs.weight[a] * pairs.weight[b] * pairs.weight[c])
        for a, b, c in triangles(pairs.nodes, pairs.source, pairs.target)
    )


def in_worlds(graph: Graph, worlds: Worlds) -> Pairs:
    """The pairs of every world side by side, those of different worlds apart."""
    offset = worlds.world * len(graph.nodes)
    sign = worlds.sign[worlds.world]
    there = sign != 0
    fact = worlds.fact[there]
    return pairs_of(offset[there] + graph.head[fact], offset[there] + graph.tail[fact], sign[there])
