"""The graph for those who want to look at it with networkx."""

from collections.abc import Iterable
from typing import TYPE_CHECKING

from rarefy.data_contracts.rows import Triplet
from rarefy.tasks.knowledge.graph.facts import gather

if TYPE_CHECKING:
    import networkx as nx


def to_networkx(triplets: Iterable[Triplet]) -> "nx.MultiDiGraph":
    """Every fact of the patterns as an edge, keyed by the triplet that stands for it; nodes are entity keys."""
    import networkx as nx  # late: half a second that a build never needs

    network = nx.MultiDiGraph()
    for graph in gather(triplets):
        for i, key in enumerate(graph.triplet_ids):
            head, tail = int(graph.head[i]), int(graph.tail[i])
            network.add_node(graph.nodes[head], label=graph.labels[head], literal=False)
            network.add_node(
                graph.nodes[tail], label=graph.labels[tail] or graph.nodes[tail], literal=bool(graph.literal[i])
            )
            support = graph.support[graph.support_start[i] : graph.support_start[i + 1]]
            network.add_edge(
                graph.nodes[head],
                graph.nodes[tail],
                key=key,
                relation=graph.relations[graph.relation[i]],
                domain=graph.domain,
                chunk_ids=tuple(graph.chunk_ids[chunk] for chunk in support),
            )
    return network
