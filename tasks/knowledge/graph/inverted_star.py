"""Inverted stars: several heads that meet in one thing (R14, R20)."""

from collections.abc import Iterator

import numpy as np

from rarefy.tasks.knowledge.graph.around import Around, count
from rarefy.tasks.knowledge.graph.chunks import Apart
from rarefy.tasks.knowledge.graph.config import GraphConfig
from rarefy.tasks.knowledge.graph.facts import Array, Graph, view
from rarefy.tasks.knowledge.graph.found import Found, Pick
from rarefy.tasks.knowledge.graph.ring import Ring, turned


def inverted_star(graph: Graph, config: GraphConfig, free: Array) -> Found:
    """Facts of different heads with one tail that is no literal; in the order of their hashes.

    Where few enough meet in the tail all of them are proposed first, since of such a set nothing is left out.
    """
    sizes, things = config.inverted_star_sizes, ~graph.literal
    hub = graph.tail.astype(np.int64)
    if config.same_relation:
        hub = hub * (int(graph.relation.max(initial=0)) + 1) + graph.relation
    hubs, hub = np.unique(hub, return_inverse=True)
    chosen = np.flatnonzero(free & things)
    around = Around(Ring(graph, hub, len(hubs), chosen), view(hub), view(graph.head), Apart(graph, config.chunk_rule))
    meeting = np.bincount(hub[chosen], minlength=len(hubs))
    points, tail = view(graph.point), view(graph.tail)

    def propose(answer: int, turn: int) -> Iterator[Pick]:
        point = turned(points[answer], turn)
        order = [sizes[(point + i) % len(sizes)] for i in range(len(sizes))]
        all_of_them = around.ring.size(hub[answer])
        for size in sorted(order, key=lambda size: size != all_of_them):
            found = around.partners(answer, size, point)
            if found:
                yield Pick(tuple(sorted((*found, answer))), answer, tail[answer])

    relation = "same relation" if config.same_relation else "any relation"
    return Found(
        count=lambda: count(graph, things, hub, graph.head, sizes, config.chunk_rule),
        answers=chosen[meeting[hub[chosen]] > 1],
        propose=propose,
        rule=f"{config.chunk_rule}, {relation}",
    )
