"""How many sets of facts around a hub differ in both end and chunk: exact, by a cluster expansion."""

from collections import Counter
from dataclasses import dataclass
from functools import cache
from itertools import permutations
from math import factorial, prod

import numpy as np

from rarefy.tasks.knowledge.graph.facts import Array
from rarefy.tasks.knowledge.graph.hubs import LARGE, bell, starts, total

Shape = tuple[tuple[int, ...], ...]  # facts between the i-th end and the j-th chunk of a cluster


def matchings(hub: Array, end: Array, chunk: Array, sizes: tuple[int, ...]) -> dict[int, int]:
    """By size: the sets of facts of one hub with different ends and from different chunks."""
    counts = dict.fromkeys(sizes, 0)
    _, hub = np.unique(hub, return_inverse=True)
    degree = np.bincount(hub) if len(hub) else np.zeros(0, np.int64)
    for large in (False, True):
        here = (degree > LARGE)[hub] == large if len(hub) else np.zeros(0, bool)
        if not here.any():
            continue
        table = _table(hub[here], end[here], chunk[here], object if large else np.int64)
        cumulants = [
            sum(weight * _ways(shape, table) for shape, weight in _clusters(j).items())
            for j in range(1, max(sizes) + 1)
        ]
        for size in sizes:
            counts[size] += total(np.asarray(bell(cumulants, size)))  # type: ignore[arg-type]
    return counts


@dataclass(frozen=True, slots=True, eq=False)
class _Table:
    """Facts counted by hub, end and chunk, sorted by them."""

    count: Array
    end: Array  # number of the (hub, end) of each row
    chunk: Array  # number of the (hub, chunk)
    end_starts: Array
    by_chunk: Array  # the rows sorted by (hub, chunk)
    chunk_starts: Array
    hub_starts: Array  # of (hub, end)

    def per_end(self, values: Array) -> Array:
        return np.asarray(np.add.reduceat(values, self.end_starts))

    def per_chunk(self, values: Array) -> Array:
        return np.asarray(np.add.reduceat(values[self.by_chunk], self.chunk_starts))

    def per_hub(self, values: Array) -> Array:
        return np.asarray(np.add.reduceat(values, self.hub_starts))


def _table(hub: Array, end: Array, chunk: Array, kind: type) -> _Table:
    order = np.lexsort((chunk, end, hub))
    hub, end, chunk = hub[order], end[order], chunk[order]
    rows = starts(hub, end, chunk)
    count: Array = np.diff(rows, append=len(hub)).astype(kind)
    hub, end, chunk = hub[rows], end[rows], chunk[rows]
    end_starts = starts(hub, end)
    by_chunk = np.lexsort((end, chunk, hub))
    chunk_starts = starts(hub[by_chunk], chunk[by_chunk])
    number = np.empty(len(hub), np.int64)
    number[by_chunk] = np.repeat(np.arange(len(chunk_starts)), np.diff(chunk_starts, append=len(hub)))
    return _Table(
        count=count,
        end=np.repeat(np.arange(len(end_starts)), np.diff(end_starts, append=len(hub))),
        chunk=number,
        end_starts=end_starts,
        by_chunk=by_chunk,
        chunk_starts=chunk_starts,
        hub_starts=starts(hub[end_starts]),
    )


@cache
def _clusters(size: int) -> dict[Shape, int]:
    """The ways in which `size` facts hang together by shared ends and chunks, with their Möbius weights."""
    weights: Counter[Shape] = Counter()
    for ends in _partitions(size):
        for chunks in _partitions(size):
            shape = [[0] * (max(chunks) + 1) for _ in range(max(ends) + 1)]
            for e, c in zip(ends, chunks, strict=True):
                shape[e][c] += 1
            if _connected(shape):
                weights[_canonical(shape)] += _moebius(ends) * _moebius(chunks)
    return {shape: weight for shape, weight in weights.items() if weight}


def _partitions(size: int) -> list[tuple[int, ...]]:
    found: list[tuple[int, ...]] = [(0,)]
    for _ in range(size - 1):
        found = [(*blocks, b) for blocks in found for b in range(max(blocks) + 2)]
    return found


def _moebius(blocks: tuple[int, ...]) -> int:
    return prod((-1) ** (n - 1) * factorial(n - 1) for n in Counter(blocks).values())


def _connected(shape: list[list[int]]) -> bool:
    rows, columns = {0}, set[int]()
    for _ in range(len(shape) + len(shape[0])):
        columns |= {c for r in rows for c, n in enumerate(shape[r]) if n}
        rows |= {r for r, row in enumerate(shape) for c in columns if row[c]}
    return len(rows) == len(shape) and len(columns) == len(shape[0])


def _canonical(shape: list[list[int]]) -> Shape:
    columns = permutations(range(len(shape[0])))
    return min(tuple(sorted(tuple(row[c] for c in order) for row in shape)) for order in columns)


def _ways(shape: Shape, table: _Table) -> Array:
    """In how many ways, per hub, a cluster of this shape can be laid into the table; facts and places may repeat."""
    if sum(n > 0 for row in shape for n in row) == len(shape) + len(shape[0]):
        return _squares(table)  # the only shape of four facts that has a circle

    def from_end(r: int, parent: int) -> Array:
        ways = np.ones(len(table.end_starts), table.count.dtype)
        for c, n in enumerate(shape[r]):
            if n and c != parent:
                ways = ways * table.per_end(table.count**n * from_chunk(c, r)[table.chunk])
        return ways

    def from_chunk(c: int, parent: int) -> Array:
        ways = np.ones(len(table.chunk_starts), table.count.dtype)
        for r, row in enumerate(shape):
            if row[c] and r != parent:
                ways = ways * table.per_chunk(table.count ** row[c] * from_end(r, c)[table.end])
        return ways

    return table.per_hub(from_end(0, -1))


def _squares(table: _Table) -> Array:
    """Two ends times two chunks: the squared number of chunks in common, summed over pairs of ends.

    An end with one chunk has that one in common with its neighbours there, which needs no list of pairs.
    """
    several = (np.diff(table.end_starts, append=len(table.end)) > 1)[table.end]
    squared = table.count**2
    one, more = table.per_chunk(squared * ~several), table.per_chunk(squared * several)
    hub_of_end = np.repeat(np.arange(len(table.hub_starts)), np.diff(table.hub_starts, append=len(table.end_starts)))
    hub_of_chunk = hub_of_end[table.end[table.by_chunk[table.chunk_starts]]]
    ways = np.zeros(len(table.hub_starts), table.count.dtype)
    np.add.at(ways, hub_of_chunk, one**2 + 2 * one * more)
    rows = table.by_chunk[several[table.by_chunk]]
    first = starts(table.chunk[rows])
    sizes = np.diff(first, append=len(rows))
    partners = np.repeat(sizes, sizes)
    left = np.repeat(np.arange(len(rows)), partners)
    right = np.repeat(first, sizes)[left] + np.arange(len(left)) - np.repeat(np.cumsum(partners) - partners, partners)
    a, b = rows[left], rows[right]
    order = np.lexsort((table.end[b], table.end[a]))
    a, b = a[order], b[order]
    pairs = starts(table.end[a], table.end[b])
    if len(pairs):
        common = np.add.reduceat(table.count[a] * table.count[b], pairs)
        np.add.at(ways, hub_of_end[table.end[a[pairs]]], common**2)
    return ways
