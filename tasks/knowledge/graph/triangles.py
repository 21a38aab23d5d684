"""Circles of three among pairs of nodes, found without looking at every way through a hub."""

from collections.abc import Iterator

import numpy as np

from rarefy.tasks.knowledge.graph.facts import Array
from rarefy.tasks.knowledge.graph.hubs import starts

BLOCK = 1 << 21  # candidates at a time: some 100 MB


def triangles(count: int, source: Array, target: Array) -> Iterator[tuple[Array, Array, Array]]:
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
    first = starts(low, high)
    edge = np.repeat(np.arange(len(first)), np.diff(first, append=len(low)))
    up, down = np.full(len(first), -1), np.full(len(first), -1)
    up[edge[upward]], down[edge[~upward]] = pair[upward], pair[~upward]
    low, high = low[first], high[first]
    key = low * count + high
    end = np.searchsorted(low, low, side="right")
    maybe = _Sieve(key)
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


class _Sieve:
    """Says of most keys that they are not among the known ones, with one look into memory."""

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
