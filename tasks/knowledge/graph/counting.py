"""Exact counts of the paths of each pattern, without listing them (RARE §3.3, R12–R14, R16)."""

from collections.abc import Iterator
from dataclasses import dataclass
from math import factorial

import numpy as np

from rarefy.tasks.knowledge.graph.chunks import SignedSets, signed_sets
from rarefy.tasks.knowledge.graph.config import GraphConfig, Sizes
from rarefy.tasks.knowledge.graph.facts import Array, Graph

# Sets of up to four of n facts are counted modulo 2**64, which is right while n**4 < 2**63; then by Python's ints.
LARGE = 50_000


BLOCK = 1 << 21  # rows at a time: some 100 MB


def count_sets(graph: Graph, chosen: Array, hub: Array, end: Array, sizes: Sizes, rule: str) -> dict[int, int]:
    """By size: the sets of chosen facts with one hub and different ends that no one chunk states.

    `hub` and `end` are per fact of the graph.
    """
    every = count_subsets(hub[chosen], end[chosen], sizes)
    shared = signed_sets(graph, rule)
    counted = chosen[shared.fact] & (shared.sign[shared.set_id] != 0)
    fact, set_id = shared.fact[counted], shared.set_id[counted]
    place = set_id * (int(hub.max(initial=0)) + 1) + hub[fact]
    covered = count_subsets(place, end[fact], sizes, shared.sign[set_id])
    return {size: every[size] - covered[size] for size in sizes}


def sets_from_cumulants(cumulants: list[Array], size: int) -> Array:
    """The sets of `size` facts in each hub, from the signed number of ways in which 1, 2, ... facts clash."""
    w = [cumulants[0], *cumulants]
    if size == 1:
        ordered = w[1]
    elif size == 2:
        ordered = w[1] ** 2 + w[2]
    elif size == 3:
        ordered = w[1] ** 3 + 3 * w[1] * w[2] + w[3]
    else:
        ordered = w[1] ** 4 + 6 * w[1] ** 2 * w[2] + 4 * w[1] * w[3] + 3 * w[2] ** 2 + w[4]
    return ordered // factorial(size)


def count_subsets(hub: Array, end: Array, sizes: tuple[int, ...], sign: Array | None = None) -> dict[int, int]:
    """By size: the sets of facts of one hub with different ends, each counted with the sign of its hub."""
    order = np.lexsort((end, hub))
    hub, end = hub[order], end[order]
    ends = group_starts(hub, end)
    if not len(ends):
        return dict.fromkeys(sizes, 0)
    repeats = np.diff(ends, append=len(hub))
    hubs = group_starts(hub[ends])
    signs = np.ones(len(hubs), np.int64) if sign is None else sign[order][ends][hubs]
    degree = np.add.reduceat(repeats, hubs)
    counts = dict.fromkeys(sizes, 0)
    for large in (False, True):
        chosen = (degree > LARGE) == large
        if not chosen.any():
            continue
        in_chosen = np.repeat(chosen, np.diff(hubs, append=len(ends)))
        powers = repeats[in_chosen].astype(object) if large else repeats[in_chosen]
        first = group_starts(hub[ends][in_chosen])
        cumulants = [
            (-1) ** (j - 1) * factorial(j - 1) * np.add.reduceat(powers**j, first) for j in range(1, max(sizes) + 1)
        ]
        for size in sizes:
            counts[size] += exact_sum(sets_from_cumulants(cumulants, size) * signs[chosen])
    return counts


def count_chains(graph: Graph, config: GraphConfig) -> dict[int, int]:
    """By size: the chains that no one chunk states."""
    pairs = node_pairs(graph.head.astype(np.int64), graph.tail.astype(np.int64))
    covered = pairs_within_sets(graph, signed_sets(graph, config.chunk_rule))
    return {size: count_sized_chains(pairs, size) - count_sized_chains(covered, size) for size in config.chain_sizes}


def exact_sum(values: Array) -> int:
    """The exact sum of 64-bit integers, or of Python's."""
    if values.dtype == object:
        return int(sum(values.tolist()))
    return (int((values >> 32).sum()) << 32) + int((values & 0xFFFFFFFF).sum())


def group_starts(*columns: Array) -> Array:
    """Where a new value begins in columns sorted together."""
    if not len(columns[0]):
        return np.zeros(0, np.int64)
    new = np.ones(len(columns[0]), bool)
    new[1:] = np.any([column[1:] != column[:-1] for column in columns], axis=0)
    return np.flatnonzero(new)


def find_triangles(count: int, source: Array, target: Array) -> Iterator[tuple[Array, Array, Array]]:
    """Blocks of numbers of the pairs (u, v), (v, x), (x, u), each circle once; the pairs differ and none is a loop.

    Every circle is looked for from its node of least degree, whose neighbours are few even in a graph with hubs.
    """
    pair = np.arange(len(source))
    for _ in range(3):  # what nothing leads to, or from, is on no circle
        leaves, arrives = np.zeros(count, bool), np.zeros(count, bool)
        leaves[source[pair]], arrives[target[pair]] = True, True
        pair = pair[arrives[source[pair]] & leaves[target[pair]]]
    if len(pair) < 3:
        return
    degree = np.bincount(source[pair], minlength=count) + np.bincount(target[pair], minlength=count)
    rank = np.empty(count, np.int64)
    rank[np.argsort(degree, kind="stable")] = np.arange(count)
    s, t = rank[source[pair]], rank[target[pair]]
    low, high, upward = np.minimum(s, t), np.maximum(s, t), s < t
    order = np.lexsort((high, low))
    low, high, upward, pair = low[order], high[order], upward[order], pair[order]
    first = group_starts(low, high)
    edge = np.repeat(np.arange(len(first)), np.diff(first, append=len(low)))
    up, down = np.full(len(first), -1), np.full(len(first), -1)
    up[edge[upward]], down[edge[~upward]] = pair[upward], pair[~upward]
    low, high = low[first], high[first]
    key = low * count + high
    end = np.searchsorted(low, low, side="right")
    maybe = _KeyFilter(key)
    candidates = end - np.arange(len(low)) - 1
    before = np.concatenate([[0], np.cumsum(candidates)])
    i = 0
    while i < len(low):
        j = max(int(np.searchsorted(before, before[i] + BLOCK, side="right")) - 1, i + 1)
        left = np.repeat(np.arange(i, j), candidates[i:j])
        right = left + 1 + np.arange(len(left)) - (before[left] - before[i])
        i = j
        turns = ((up[left] >= 0) & (down[right] >= 0)) | ((up[right] >= 0) & (down[left] >= 0))
        left, right = left[turns], right[turns]
        wanted = high[left] * count + high[right]
        passed = maybe(wanted)
        left, right, wanted = left[passed], right[passed], wanted[passed]
        across = np.searchsorted(key, wanted)
        across[across == len(key)] = 0
        there = key[across] == wanted
        left, right, across = left[there], right[there], across[there]
        for circle in ((up[left], up[across], down[right]), (up[right], down[across], down[left])):
            whole = (circle[0] >= 0) & (circle[1] >= 0) & (circle[2] >= 0)
            if whole.any():
                yield circle[0][whole], circle[1][whole], circle[2][whole]


class _KeyFilter:
    """A Bloom filter of keys with one hash: most unknown keys are recognised with one look into memory."""

    def __init__(self, keys: Array) -> None:
        self.bits = max(10, len(keys).bit_length() + 3)
        self.known = np.zeros(1 << self.bits, bool)
        self.known[self._place(keys)] = True

    def _place(self, keys: Array) -> Array:
        mixed: Array = keys.astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15)
        return mixed >> np.uint64(64 - self.bits)

    def __call__(self, keys: Array) -> Array:
        found: Array = self.known[self._place(keys)]
        return found


@dataclass(frozen=True, slots=True, eq=False)
class NodePairs:
    """Node pairs that facts join, each once, sorted by (source, target); those of different signed sets apart."""

    nodes: int
    source: Array
    target: Array
    weight: Array  # facts from source to target
    key: Array
    sign: Array  # of the pair's set
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


def node_pairs(source: Array, target: Array, sign: Array | None = None) -> NodePairs:
    """Facts as pairs; `sign` is that of each fact's set, the same throughout a connected part."""
    names, numbers = np.unique(np.concatenate([source, target]), return_inverse=True)
    count = len(names)
    source, target = numbers[: len(source)], numbers[len(source) :]
    signs = np.ones(len(source), np.int64) if sign is None else sign
    node_sign = np.zeros(count, np.int64)
    node_sign[source] = signs
    node_sign[target] = signs
    key, weight = np.unique(source * count + target, return_counts=True)
    s, t = key // max(count, 1), key % max(count, 1)
    return NodePairs(
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


def count_sized_chains(pairs: NodePairs, size: int) -> int:
    """The chains of `size` facts through these pairs, each counted with the sign of its set."""
    if not len(pairs.key):
        return 0
    if size == 2:
        turns = exact_sum(pairs.sign * pairs.weight * pairs.back())
        return exact_sum(pairs.node_sign * pairs.into * pairs.out_of) - turns
    return count_opened(pairs) - 3 * count_circles(pairs)  # a circle can be cut open in three places


def count_opened(pairs: NodePairs) -> int:
    """The chains of three facts, circles cut open among them: around each middle pair, what comes before and after."""
    back = pairs.back()
    before, after = pairs.into[pairs.source] - back, pairs.out_of[pairs.target] - back
    return exact_sum(pairs.sign * pairs.weight * before * after)


def count_circles(pairs: NodePairs) -> int:
    """The circles of three facts, each counted with the sign of its set."""
    return sum(
        exact_sum(pairs.sign[a] * pairs.weight[a] * pairs.weight[b] * pairs.weight[c])
        for a, b, c in find_triangles(pairs.nodes, pairs.source, pairs.target)
    )


def pairs_within_sets(graph: Graph, sets: SignedSets) -> NodePairs:
    """The pairs of every signed set side by side, those of different sets apart."""
    offset = sets.set_id * len(graph.nodes)
    sign = sets.sign[sets.set_id]
    there = sign != 0
    fact = sets.fact[there]
    return node_pairs(offset[there] + graph.head[fact], offset[there] + graph.tail[fact], sign[there])
