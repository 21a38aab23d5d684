"""Single facts (R11)."""

from collections.abc import Iterator

import numpy as np

from rarefy.tasks.knowledge.graph.config import GraphConfig
from rarefy.tasks.knowledge.graph.facts import Array, Graph
from rarefy.tasks.knowledge.graph.found import Found, Pick


def single(graph: Graph, config: GraphConfig, free: Array) -> Found:
    """The facts whose tail nothing else is said of, nor with the paper's rule of their head."""
    nodes = len(graph.nodes)
    out_of, into = np.bincount(graph.head, minlength=nodes), np.bincount(graph.tail, minlength=nodes)
    eligible = (out_of[graph.tail] == 0) & (into[graph.tail] == 1)
    if config.single_rule == "paper":
        eligible &= (out_of[graph.head] == 1) & (into[graph.head] == 0)

    def propose(answer: int, turn: int) -> Iterator[Pick]:
        if turn == 0:
            yield Pick((answer,), answer, int(graph.head[answer]))

    return Found(
        count=lambda: {1: int(eligible.sum())},
        answers=np.flatnonzero(eligible & free),
        propose=propose,
        rule=config.single_rule,
        capped=False,
    )
