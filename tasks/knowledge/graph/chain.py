"""Chains: facts linked head to tail (R12, R20)."""

from collections.abc import Iterator
from itertools import islice

import numpy as np

from rarefy.tasks.knowledge.graph.apart import chains_apart
from rarefy.tasks.knowledge.graph.chunks import Apart, worlds
from rarefy.tasks.knowledge.graph.config import GraphConfig
from rarefy.tasks.knowledge.graph.facts import Array, Graph, view
from rarefy.tasks.knowledge.graph.found import Found, Pick
from rarefy.tasks.knowledge.graph.ring import REACH, Ring, turned
from rarefy.tasks.knowledge.graph.walks import chains, in_worlds, pairs_of

BRANCHES = 4  # facts tried per chunk on the way back from an answer


def chain(graph: Graph, config: GraphConfig, free: Array) -> Found:
    """Facts that lead from a head through things to the answer's tail, no node twice; in the order of the way."""
    sizes = config.chain_sizes
    ring = Ring(graph, graph.tail, len(graph.nodes), np.flatnonzero(free & ~graph.literal))
    apart = Apart(graph, config.chunk_rule)
    led_to = np.zeros(len(graph.nodes), bool)
    led_to[graph.tail[free]] = True
    head, tail, points = view(graph.head), view(graph.tail), view(graph.point)

    def lead(path: tuple[int, ...], size: int, point: int, steps: list[int]) -> Iterator[tuple[int, ...]]:
        """Chains of this size that end in `path`, until the steps are spent."""
        nodes = {tail[path[-1]], *(head[fact] for fact in path)}
        barred = apart.chunks(path[-1]) if size == 2 or apart.distinct else frozenset()
        for chunk, facts in ring.chunks(head[path[0]], point):
            if chunk in barred:
                continue
            for fact in islice(facts, BRANCHES):
                steps[0] -= 1
                if steps[0] < 0:
                    return
                if head[fact] in nodes:
                    continue
                longer = (fact, *path)
                if len(longer) < size:
                    yield from lead(longer, size, point, steps)
                elif apart(longer):
                    yield longer

    def propose(answer: int, turn: int) -> Iterator[Pick]:
        point = turned(points[answer], turn)
        for i in range(len(sizes)):
            for facts in islice(lead((answer,), sizes[(point + i) % len(sizes)], point, [REACH]), 1):
                yield Pick(facts, answer, tail[facts[0]], about=head[answer])

    return Found(
        count=lambda: count(graph, config),
        answers=np.flatnonzero(free & led_to[graph.head]),
        propose=propose,
        rule=config.chunk_rule,
    )


def count(graph: Graph, config: GraphConfig) -> dict[int, int]:
    """By size: the chains that the same-chunk rule lets pass."""
    pairs = pairs_of(graph.head.astype(np.int64), graph.tail.astype(np.int64))
    shared = worlds(graph, config.chunk_rule)
    inside = in_worlds(graph, shared)
    counts = {}
    for size in config.chain_sizes:
        if size == 3 and config.chunk_rule == "distinct":
            counts[size] = chains_apart(graph, pairs, shared)
        else:
            counts[size] = chains(pairs, size) - chains(inside, size)
    return counts
