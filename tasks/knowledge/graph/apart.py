"""How many chains of three facts come from three chunks: exact, by inclusion–exclusion over which facts agree."""

from collections.abc import Iterator

import numpy as np

from rarefy.tasks.knowledge.graph.chunks import Worlds
from rarefy.tasks.knowledge.graph.facts import Array, Graph
from rarefy.tasks.knowledge.graph.hubs import total
from rarefy.tasks.knowledge.graph.triangles import triangles
from rarefy.tasks.knowledge.graph.walks import Pairs, circles, in_worlds, opened

BLOCK = 1 << 21  # rows at a time: some 100 MB


class Table:
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


def chains_apart(graph: Graph, pairs: Pairs, worlds: Worlds) -> int:
    """The chains of three facts from three chunks; `worlds` are the chunks.

    All, less those where the first two, the last two or the outer two agree, plus twice those where all three do;
    from each of these the circles, which were cut open, are taken off.
    """
    if not len(pairs.key):
        return 0
    _, numbers = np.unique(np.concatenate([graph.head, graph.tail]), return_inverse=True)  # as in `pairs`
    source, target = numbers[: len(graph.head)], numbers[len(graph.head) :]
    chunks = len(graph.chunk_ids)
    near = Table(pairs.find(source, target)[0], graph.chunk, chunks)
    into, out_of = Table(target, graph.chunk, chunks), Table(source, graph.chunk, chunks)

    back = pairs.back()
    before, after = pairs.into[pairs.source] - back, pairs.out_of[pairs.target] - back
    s, t = pairs.source[near.item], pairs.target[near.item]
    reverse, there = pairs.find(t, s)
    near_back = np.where(there, near.at(reverse, near.chunk), 0)
    arriving, leaving = into.at(s, near.chunk), out_of.at(t, near.chunk)
    first_two = total(near.count * (arriving - near_back) * after[near.item])
    last_two = total(near.count * (leaving - near_back) * before[near.item])

    # What leads from the middle pair's target back to its source is neither a first fact nor a last one.
    leaving, arriving = out_of.at(s, near.chunk), into.at(t, near.chunk)
    middle = np.where(there, pairs.weight[reverse], 0)
    outer_two = meetings(into, pairs.source, out_of, pairs.target, pairs.weight)
    outer_two -= total(middle * near.count * (leaving + arriving - near.count))

    same = in_worlds(graph, worlds)
    cut_open = opened(pairs) - first_two - last_two - outer_two + 2 * opened(same)
    closed = circles(pairs) + 2 * circles(same)
    for a, b, c in triangles(pairs.nodes, pairs.source, pairs.target):
        for one, two, three in ((a, b, c), (b, c, a), (c, a, b)):
            closed -= meetings(near, one, near, two, pairs.weight[three])
    return cut_open - 3 * closed


def meetings(left: Table, left_item: Array, right: Table, right_item: Array, weight: Array) -> int:
    """Over the rows: weight times how often the left and the right item occur in the same chunk."""
    (l_begin, l_end), (r_begin, r_end) = left.rows(left_item), right.rows(right_item)
    short = (l_end - l_begin) <= (r_end - r_begin)
    found = 0
    for these, begin, end, mine, theirs, other in (
        (short, l_begin, l_end, left, right, right_item),
        (~short, r_begin, r_end, right, left, left_item),
    ):
        for i, row in _rows(np.flatnonzero(these), begin, end):
            found += total(weight[i] * mine.count[row] * theirs.at(other[i], mine.chunk[row]))
    return found


def _rows(items: Array, begin: Array, end: Array) -> Iterator[tuple[Array, Array]]:
    """Blocks of (item, row) for every row of every item."""
    lengths = end[items] - begin[items]
    before = np.concatenate([[0], np.cumsum(lengths)])
    i = 0
    while i < len(items):
        j = max(int(np.searchsorted(before, before[i] + BLOCK, side="right")) - 1, i + 1)
        place = np.repeat(np.arange(i, j), lengths[i:j])
        yield items[place], begin[items[place]] + np.arange(len(place)) + before[i] - before[place]
        i = j
