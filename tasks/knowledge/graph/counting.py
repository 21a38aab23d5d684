"""Exact counts of the paths of each pattern, without listing them (RARE §3.3, R12–R14, R16)."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import permutations
from math import factorial, prod

import numpy as np

from rarefy.tasks.knowledge.graph.chunks import SignedSets, signed_sets
from rarefy.tasks.knowledge.graph.config import GraphConfig, Sizes
from rarefy.tasks.knowledge.graph.facts import Array, Graph

# Sets of up to four of n facts are counted modulo 2**64, which is right while n**4 < 2**63; then by Python's ints.
LARGE = 50_000


BLOCK = 1 << 21  # rows at a time: some 100 MB


def count_matchings(hub: Array, end: Array, chunk: Array, sizes: tuple[int, ...]) -> dict[int, int]:
    """By size: the sets of facts of one hub with different ends and from different chunks."""
    counts = dict.fromkeys(sizes, 0)
    _, hub = np.unique(hub, return_inverse=True)
    degree = np.bincount(hub) if len(hub) else np.zeros(0, np.int64)
    for large in (False, True):
        chosen = (degree > LARGE)[hub] == large if len(hub) else np.zeros(0, bool)
        if not chosen.any():
            continue
        table = _hub_table(hub[chosen], end[chosen], chunk[chosen], object if large else np.int64)
        cumulants = [
            sum(weight * _count_ways(shape, table) for shape, weight in _clusters(j).items())
            for j in range(1, max(sizes) + 1)
        ]
        for size in sizes:
            counts[size] += exact_sum(np.asarray(sets_from_cumulants(cumulants, size)))  # type: ignore[arg-type]
    return counts


def count_sets(graph: Graph, chosen: Array, hub: Array, end: Array, sizes: Sizes, rule: str) -> dict[int, int]:
    """By size: the sets of chosen facts with one hub and different ends that the same-chunk rule lets pass.

    `hub` and `end` are per fact of the graph.
    """
    if rule == "distinct":
        facts = np.flatnonzero(chosen)
        return count_matchings(hub[facts], end[facts], graph.chunk[facts], sizes)
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
    """By size: the chains that the same-chunk rule lets pass."""
    pairs = node_pairs(graph.head.astype(np.int64), graph.tail.astype(np.int64))
    shared = signed_sets(graph, config.chunk_rule)
    covered = pairs_within_sets(graph, shared)
    counts = {}
    for size in config.chain_sizes:
        if size == 3 and config.chunk_rule == "distinct":
            counts[size] = count_distinct_chunk_chains(graph, pairs, shared)
        else:
            counts[size] = count_sized_chains(pairs, size) - count_sized_chains(covered, size)
    return counts


@dataclass(frozen=True, slots=True, eq=False)
class _HubTable:
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


def _hub_table(hub: Array, end: Array, chunk: Array, kind: type) -> _HubTable:
    order = np.lexsort((chunk, end, hub))
    hub, end, chunk = hub[order], end[order], chunk[order]
    rows = group_starts(hub, end, chunk)
    count: Array = np.diff(rows, append=len(hub)).astype(kind)
    hub, end, chunk = hub[rows], end[rows], chunk[rows]
    end_starts = group_starts(hub, end)
    by_chunk = np.lexsort((end, chunk, hub))
    chunk_starts = group_starts(hub[by_chunk], chunk[by_chunk])
    number = np.empty(len(hub), np.int64)
    number[by_chunk] = np.repeat(np.arange(len(chunk_starts)), np.diff(chunk_starts, append=len(hub)))
    return _HubTable(
        count=count,
        end=np.repeat(np.arange(len(end_starts)), np.diff(end_starts, append=len(hub))),
        chunk=number,
        end_starts=end_starts,
        by_chunk=by_chunk,
        chunk_starts=chunk_starts,
        hub_starts=group_starts(hub[end_starts]),
    )


Shape = tuple[tuple[int, ...], ...]  # facts between the i-th end and the j-th chunk of a cluster


@cache
def _clusters(size: int) -> dict[Shape, int]:
    """The ways in which `size` facts hang together by shared ends and chunks, with their Möbius weights."""
    weights: Counter[Shape] = Counter()
    for ends in _partitions(size):
        for chunks in _partitions(size):
            shape = [[0] * (max(chunks) + 1) for _ in range(max(ends) + 1)]
            for e, c in zip(ends, chunks, strict=True):
                shape[e][c] += 1
            if _is_connected(shape):
                weights[_canonical(shape)] += _moebius(ends) * _moebius(chunks)
    return {shape: weight for shape, weight in weights.items() if weight}


def _partitions(size: int) -> list[tuple[int, ...]]:
    found: list[tuple[int, ...]] = [(0,)]
    for _ in range(size - 1):
        found = [(*blocks, b) for blocks in found for b in range(max(blocks) + 2)]
    return found


def _moebius(blocks: tuple[int, ...]) -> int:
    return prod((-1) ** (n - 1) * factorial(n - 1) for n in Counter(blocks).values())


def _is_connected(shape: list[list[int]]) -> bool:
    rows, columns = {0}, set[int]()
    for _ in range(len(shape) + len(shape[0])):
        columns |= {c for r in rows for c, n in enumerate(shape[r]) if n}
        rows |= {r for r, row in enumerate(shape) for c in columns if row[c]}
    return len(rows) == len(shape) and len(columns) == len(shape[0])


def _canonical(shape: list[list[int]]) -> Shape:
    columns = permutations(range(len(shape[0])))
    return min(tuple(sorted(tuple(row[c] for c in order) for row in shape)) for order in columns)


def _count_ways(shape: Shape, table: _HubTable) -> Array:
    """In how many ways, per hub, a cluster of this shape can be laid into the table; facts and places may repeat."""
    if sum(n > 0 for row in shape for n in row) == len(shape) + len(shape[0]):
        return _count_squares(table)  # the only shape of four facts that has a circle

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


def _count_squares(table: _HubTable) -> Array:
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
    first = group_starts(table.chunk[rows])
    sizes = np.diff(first, append=len(rows))
    partners = np.repeat(sizes, sizes)
    left = np.repeat(np.arange(len(rows)), partners)
    right = np.repeat(first, sizes)[left] + np.arange(len(left)) - np.repeat(np.cumsum(partners) - partners, partners)
    a, b = rows[left], rows[right]
    order = np.lexsort((table.end[b], table.end[a]))
    a, b = a[order], b[order]
    pairs = group_starts(table.end[a], table.end[b])
    if len(pairs):
        common = np.add.reduceat(table.count[a] * table.count[b], pairs)
        np.add.at(ways, hub_of_end[table.end[a[pairs]]], common**2)
    return ways


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


class OccurrenceTable:
    """How often each item (a pair, a node's arrivals) occurs in each chunk."""

    def __init__(self, item: Array, chunk: Array, chunks: int) -> None:
        self.chunks = chunks
        self.key, self.count = np.unique(item.astype(np.int64) * chunks + chunk, return_counts=True)
        self.item, self.chunk = self.key // chunks, self.key % chunks

    def at(self, item: Array, chunk: Array) -> Array:
        """Per item and chunk: how often."""
        wanted = item * self.chunks + chunk
        place = np.minimum(np.searchsorted(self.key, wanted), len(self.key) - 1)
        return np.where(self.key[place] == wanted, self.count[place], 0)

    def rows(self, item: Array) -> tuple[Array, Array]:
        """Where the rows of each item begin and end."""
        return np.searchsorted(self.item, item), np.searchsorted(self.item, item, side="right")


def count_distinct_chunk_chains(graph: Graph, pairs: NodePairs, sets: SignedSets) -> int:
    """The chains of three facts from three chunks; `sets` has one set per chunk.

    All, less those where the first two, the last two or the outer two agree, plus twice those where all three do;
    from each of these the circles, which were cut open, are taken off.
    """
    if not len(pairs.key):
        return 0
    _, numbers = np.unique(np.concatenate([graph.head, graph.tail]), return_inverse=True)  # as in `pairs`
    source, target = numbers[: len(graph.head)], numbers[len(graph.head) :]
    chunks = len(graph.chunk_ids)
    near = OccurrenceTable(pairs.find(source, target)[0], graph.chunk, chunks)
    into, out_of = OccurrenceTable(target, graph.chunk, chunks), OccurrenceTable(source, graph.chunk, chunks)

    back = pairs.back()
    before, after = pairs.into[pairs.source] - back, pairs.out_of[pairs.target] - back
    s, t = pairs.source[near.item], pairs.target[near.item]
    reverse, there = pairs.find(t, s)
    near_back = np.where(there, near.at(reverse, near.chunk), 0)
    arriving, leaving = into.at(s, near.chunk), out_of.at(t, near.chunk)
    first_two = exact_sum(near.count * (arriving - near_back) * after[near.item])
    last_two = exact_sum(near.count * (leaving - near_back) * before[near.item])

    # What leads from the middle pair's target back to its source is neither a first fact nor a last one.
    leaving, arriving = out_of.at(s, near.chunk), into.at(t, near.chunk)
    middle = np.where(there, pairs.weight[reverse], 0)
    outer_two = weighted_meetings(into, pairs.source, out_of, pairs.target, pairs.weight)
    outer_two -= exact_sum(middle * near.count * (leaving + arriving - near.count))

    same = pairs_within_sets(graph, sets)
    cut_open = count_opened(pairs) - first_two - last_two - outer_two + 2 * count_opened(same)
    closed = count_circles(pairs) + 2 * count_circles(same)
    for a, b, c in find_triangles(pairs.nodes, pairs.source, pairs.target):
        for one, two, three in ((a, b, c), (b, c, a), (c, a, b)):
            closed -= weighted_meetings(near, one, near, two, pairs.weight[three])
    return cut_open - 3 * closed


def weighted_meetings(
    left: OccurrenceTable, left_item: Array, right: OccurrenceTable, right_item: Array, weight: Array
) -> int:
    """Over the rows: weight times how often the left and the right item occur in the same chunk."""
    (l_begin, l_end), (r_begin, r_end) = left.rows(left_item), right.rows(right_item)
    short = (l_end - l_begin) <= (r_end - r_begin)
    found = 0
    for these, begin, end, mine, theirs, other in (
        (short, l_begin, l_end, left, right, right_item),
        (~short, r_begin, r_end, right, left, left_item),
    ):
        for i, row in _row_blocks(np.flatnonzero(these), begin, end):
            found += exact_sum(weight[i] * mine.count[row] * theirs.at(other[i], mine.chunk[row]))
    return found


def _row_blocks(items: Array, begin: Array, end: Array) -> Iterator[tuple[Array, Array]]:
    """Blocks of (item, row) for every row of every item."""
    lengths = end[items] - begin[items]
    before = np.concatenate([[0], np.cumsum(lengths)])
    i = 0
    while i < len(items):
        j = max(int(np.searchsorted(before, before[i] + BLOCK, side="right")) - 1, i + 1)
        place = np.repeat(np.arange(i, j), lengths[i:j])
        yield items[place], begin[items[place]] + np.arange(len(place)) + before[i] - before[place]
        i = j
