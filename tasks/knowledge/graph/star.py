"""Stars: several facts around one head (R13, R20)."""

from collections.abc import Iterator

import numpy as np

from rarefy.tasks.knowledge.graph.around import Around, count
from rarefy.tasks.knowledge.graph.chunks import Apart
from rarefy.tasks.knowledge.graph.config import GraphConfig
from rarefy.tasks.knowledge.graph.facts import Array, Graph, view
from rarefy.tasks.knowledge.graph.found import Found, Pick
from rarefy.tasks.knowledge.graph.pointing import Pointing
from rarefy.tasks.knowledge.graph.ring import Ring, turned


def star(graph: Graph, config: GraphConfig, free: Array) -> Found:
    """Facts of one head with different tails, clues first and the answer last.

    The answer is the literal where there is one, else the fact with the smallest hash that has clues left.
    """
    sizes, values = config.star_sizes, graph.literal & (config.star_clues == "entity")
    # All literals of a head count as one tail: so no star has two.
    end = np.where(values, len(graph.nodes), graph.tail)
    clues = np.flatnonzero(free & ~values)
    ring = Ring(graph, graph.head, len(graph.nodes), clues)
    around = Around(ring, view(graph.head), view(end), Apart(graph, config.chunk_rule))
    clues_at = np.bincount(graph.head[clues], minlength=len(graph.nodes))[graph.head]
    points, literal = view(graph.point), view(graph.literal)
    pointing = Pointing(graph) if config.needed_clues else None

    def propose(answer: int, turn: int) -> Iterator[Pick]:
        point = turned(points[answer], turn)
        for i in range(len(sizes)):
            found = sorted(around.partners(answer, sizes[(point + i) % len(sizes)], point))
            fits = found and (literal[answer] or not any(literal[fact] for fact in found))
            if fits and (pointing is None or pointing.minimal(found)):
                yield Pick((*found, answer), answer, around.hub[answer])

    everything = np.ones(len(graph.head), bool)
    return Found(
        count=lambda: count(graph, everything, graph.head, end, sizes, config.chunk_rule),
        answers=np.flatnonzero(free & (clues_at > ~values)),
        propose=propose,
        rule=f"{config.chunk_rule}, {config.star_clues} clues",
    )
