"""Triplets in, sampled paths out: single facts, chains, stars and inverted stars (RARE §3.3, R10–R17).

Triplets with keys become one graph per domain; each pattern counts its paths exactly and proposes some for sampling.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

import numpy as np

from rarefy.data_contracts.rows import Path, Triplet
from rarefy.tasks.find import find
from rarefy.tasks.knowledge.graph import chunks
from rarefy.tasks.knowledge.graph.absences import propose_absences
from rarefy.tasks.knowledge.graph.config import GraphConfig
from rarefy.tasks.knowledge.graph.facts import Array, Graph, build_graphs, to_networkx
from rarefy.tasks.knowledge.graph.listings import propose_listings
from rarefy.tasks.knowledge.graph.patterns import PatternPaths, chain, inverted_star, single, star
from rarefy.tasks.knowledge.graph.sample import Allocation, make_path

__all__ = ["PATTERNS", "VERSION", "Census", "GraphConfig", "Shape", "count", "shape", "to_networkx", "trace"]

VERSION = 4

Pattern = Callable[[Graph, GraphConfig, Array], PatternPaths]
PATTERNS: dict[str, Pattern] = {f.__name__: f for f in (inverted_star, chain, star, single)}


@dataclass(frozen=True, slots=True)
class PathCount:
    """How many paths of a pattern a domain has, and how many of them were wanted and taken."""

    pattern: str
    domain: str
    eligible: int  # exact; may exceed 64 bits
    sizes: tuple[tuple[int, int], ...]  # (facts in a path, eligible paths of that many)
    quota: int
    sampled: int
    rule: str  # the named options that decided what is eligible
    reason: str  # why fewer than the quota: "", no_more_eligible, limits (exclusivity, per_answer, per_pivot, reserve)


@dataclass(frozen=True, slots=True)
class GraphSummary:
    """A domain's graph in numbers, and what became of its triplets on the way into it."""

    domain: str
    triplets: int
    rejected: int
    unkeyed: int
    self_loops: int
    repeated: int  # state a fact that another triplet stands for
    facts: int
    literals: int
    nodes: int
    chunks: int


def trace(triplets: Iterable[Triplet], config: GraphConfig) -> Iterator[Path]:
    """The sampled paths, domain by domain, the pattern that chooses first first, by hash.

    Star: clues first, the answer last. Chain: in the order of the way, the answer last. Inverted star: by hash.
    The result does not depend on the order of the triplets: a pattern takes the answer facts of the smallest hash.
    """
    triplets = list(triplets)
    drawn = 0
    for graph in build_graphs(triplets):
        allocation = Allocation(graph, config)
        for name in config.patterns:
            paths = find(name, PATTERNS)(graph, config, allocation.free)
            for path in allocation.choose(name, paths):
                drawn += 1
                yield make_path(graph, name, path)
    for listing in propose_listings(triplets, config):
        drawn += 1
        yield listing
    yield from propose_absences(triplets, config, drawn)


def count_paths(triplets: Iterable[Triplet], config: GraphConfig, paths: Iterable[Path] = ()) -> list[PathCount]:
    """Exactly how many paths each pattern has in each domain, and how many of them are among `paths`."""
    sampled = Counter((path.pattern, path.domain) for path in paths)
    rows = []
    for graph in build_graphs(triplets):
        for name in config.patterns:
            paths_of_pattern = find(name, PATTERNS)(graph, config, np.ones(len(graph.head), bool))
            sizes = paths_of_pattern.count()
            eligible, quota, taken = sum(sizes.values()), config.quotas.get(name, 0), sampled[name, graph.domain]
            reason = "" if taken >= quota else "no_more_eligible" if taken >= eligible else "limits"
            looked_at = chunks.signed_sets(graph, config.chunk_rule).supports if name != "single" else 0
            limited = f", first {looked_at} chunks of a fact" if looked_at and config.chunk_rule == "covered" else ""
            rows.append(
                PathCount(
                    name,
                    graph.domain,
                    eligible,
                    tuple(sizes.items()),
                    quota,
                    taken,
                    paths_of_pattern.rule + limited,
                    reason,
                )
            )
        chunks.signed_sets.cache_clear()
    return rows


def summarise_graphs(triplets: Iterable[Triplet]) -> list[GraphSummary]:
    """Per domain: the size of the graph, and what became of the triplets."""
    rows = []
    for graph in build_graphs(triplets):
        left_out = Counter(graph.left_out)
        rows.append(
            GraphSummary(
                domain=graph.domain,
                triplets=len(graph.head) + left_out.total(),
                rejected=left_out["rejected"],
                unkeyed=left_out["unkeyed"],
                self_loops=left_out["self_loop"],
                repeated=left_out["repeated"],
                facts=len(graph.head),
                literals=int(graph.literal.sum()),
                nodes=len(graph.nodes),
                chunks=len(graph.chunk_ids),
            )
        )
    return rows
