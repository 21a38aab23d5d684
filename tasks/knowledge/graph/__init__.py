"""From triplets to paths: single facts, chains, stars and inverted stars, counted and sampled (RARE §3.3, R10–R17)."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from rarefy.data_contracts.rows import Path, Triplet
from rarefy.tasks.find import find
from rarefy.tasks.knowledge.graph import chunks
from rarefy.tasks.knowledge.graph.chain import chain
from rarefy.tasks.knowledge.graph.config import GraphConfig
from rarefy.tasks.knowledge.graph.facts import Array, Graph, gather
from rarefy.tasks.knowledge.graph.found import Found
from rarefy.tasks.knowledge.graph.inverted_star import inverted_star
from rarefy.tasks.knowledge.graph.networks import to_networkx
from rarefy.tasks.knowledge.graph.sample import Allocation, free_of, told
from rarefy.tasks.knowledge.graph.single import single
from rarefy.tasks.knowledge.graph.star import star

__all__ = ["PATTERNS", "VERSION", "Census", "GraphConfig", "Shape", "count", "shape", "to_networkx", "trace"]

VERSION = 3

Pattern = Callable[[Graph, GraphConfig, Array], Found]
PATTERNS: dict[str, Pattern] = {f.__name__: f for f in (inverted_star, chain, star, single)}


@dataclass(frozen=True, slots=True)
class Census:
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
class Shape:
    """What became of a domain's triplets on the way into the graph."""

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
    The same for any order of the triplets; a pattern's paths are those with the smallest hash of the answer fact.
    """
    for graph in gather(triplets):
        allocation = Allocation(graph, config)
        for name in config.patterns:
            found = find(name, PATTERNS)(graph, config, allocation.free)
            for pick in allocation.choose(name, found):
                yield told(graph, name, pick)


def count(triplets: Iterable[Triplet], config: GraphConfig, paths: Iterable[Path] = ()) -> list[Census]:
    """Exactly how many paths each pattern has in each domain, and how many of them are among `paths`."""
    sampled = Counter((path.pattern, path.domain) for path in paths)
    rows = []
    for graph in gather(triplets):
        for name in config.patterns:
            found = find(name, PATTERNS)(graph, config, free_of(graph))
            sizes = found.count()
            eligible, quota, taken = sum(sizes.values()), config.quotas.get(name, 0), sampled[name, graph.domain]
            reason = "" if taken >= quota else "no_more_eligible" if taken >= eligible else "limits"
            looked_at = chunks.worlds(graph, config.chunk_rule).supports if name != "single" else 0
            limited = f", first {looked_at} chunks of a fact" if looked_at and config.chunk_rule == "covered" else ""
            rows.append(
                Census(name, graph.domain, eligible, tuple(sizes.items()), quota, taken, found.rule + limited, reason)
            )
        chunks.worlds.cache_clear()
    return rows


def shape(triplets: Iterable[Triplet]) -> list[Shape]:
    """Per domain: what became of the triplets, and how large the graph is."""
    rows = []
    for graph in gather(triplets):
        left_out = Counter(graph.left_out)
        rows.append(
            Shape(
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
