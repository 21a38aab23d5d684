"""Triplets in, sampled paths out: single facts, chains, stars and inverted stars (RARE §3.3, R10–R17).

Triplets with keys become one graph per domain; each pattern counts its paths exactly and proposes some for sampling.
Behind them come the paths of kinds whose answer is computed (`computed`), which are no patterns of a graph.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain as concatenate

import numpy as np

from rarefy.data_contracts.rows import Path, Triplet
from rarefy.tasks.find import find
from rarefy.tasks.knowledge.graph import chunks
from rarefy.tasks.knowledge.graph.absences import trace_absences
from rarefy.tasks.knowledge.graph.computed import count_computed, trace_computed
from rarefy.tasks.knowledge.graph.config import GraphConfig
from rarefy.tasks.knowledge.graph.facts import Array, Graph, build_graphs, to_networkx
from rarefy.tasks.knowledge.graph.listings import trace_listings
from rarefy.tasks.knowledge.graph.patterns import PatternPaths, chain, inverted_star, single, star
from rarefy.tasks.knowledge.graph.sample import Allocation, make_path

__all__ = ["PATTERNS", "VERSION", "Census", "GraphConfig", "Shape", "count", "shape", "to_networkx", "trace"]

VERSION = 9  # which of four or five companies had the most; measures that people follow first; no year before the first

Pattern = Callable[[Graph, GraphConfig, Array], PatternPaths]
PATTERNS: dict[str, Pattern] = {f.__name__: f for f in (inverted_star, chain, star, single)}


@dataclass(frozen=True, slots=True)
class Spread:
    """How various the sampled paths of a pattern are: how many different things they ask for and from where."""

    needed: int  # facts of the graph that other answers remain to when they are asked for without a name
    in_chunk: int  # sampled paths whose answer's chunk holds another answer, so that their clue decides there too
    relations: int
    answer_types: int
    documents: int
    crossing: int  # sampled paths with facts of several documents


@dataclass(frozen=True, slots=True)
class PathCount:
    """How many paths of a pattern a domain has, and how many of them were wanted and taken."""

    pattern: str
    domain: str
    eligible: int  # exact; may exceed 64 bits
    sizes: tuple[tuple[int, int], ...]  # (facts in a path, eligible paths of that many)
    quota: int
    sampled: int
    rule: str  # the named options that decided what is eligible; of a computed kind, what it spreads over
    spread: "Spread"
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

    Behind them come computed kinds, listings, and absences, at most a fifth of all.
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
    for row in concatenate(trace_computed(triplets, config), trace_listings(triplets, config)):
        drawn += 1
        yield row
    yield from trace_absences(triplets, config, drawn)


def count_paths(triplets: Iterable[Triplet], config: GraphConfig, paths: Iterable[Path] = ()) -> list[PathCount]:
    """Exactly how many paths each pattern and kind has in each domain, and how many of them are among `paths`."""
    triplets = list(triplets)
    sampled: defaultdict[tuple[str, str], list[Path]] = defaultdict(list)
    for path in paths:
        sampled[path.pattern, path.domain].append(path)
    rows = []
    for graph in build_graphs(triplets):
        number = {name: fact for fact, name in enumerate(graph.triplet_ids)}
        for name in config.patterns:
            paths_of_pattern = find(name, PATTERNS)(graph, config, np.ones(len(graph.head), bool))
            sizes = paths_of_pattern.count()
            eligible, quota, taken = sum(sizes.values()), config.quotas.get(name, 0), len(sampled[name, graph.domain])
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
                    measure_spread(graph, sampled[name, graph.domain], number),
                    reason,
                )
            )
        chunks.signed_sets.cache_clear()
    known = {triplet.triplet_id: triplet for triplet in triplets}
    for kind, domain, sizes, over in count_computed(triplets, config):
        eligible, quota, taken = sum(sizes.values()), config.quotas.get(kind, 0), len(sampled[kind, domain])
        reason = "" if taken >= quota else "no_more_eligible"
        spread = spread_of_kind(sampled[kind, domain], known)
        rows.append(PathCount(kind, domain, eligible, tuple(sizes.items()), quota, taken, over, spread, reason))
    rows += _count_kind("listing", trace_listings(triplets, _unlimited(config)), config, sampled, known)
    rows += _count_kind("absent", trace_absences(triplets, _unlimited(config), MANY), config, sampled, known)
    return rows


MANY = 1_000_000  # paths: more than a corpus has of a kind


def _unlimited(config: GraphConfig) -> GraphConfig:
    return config.model_copy(update={"quotas": {**config.quotas, "listing": MANY, "absent": MANY}})


def _count_kind(
    kind: str,
    paths: Iterable[Path],
    config: GraphConfig,
    sampled: Mapping[tuple[str, str], Sequence[Path]],
    known: Mapping[str, Triplet],
) -> Iterator[PathCount]:
    """The counts of a kind by domain; of absences the quota is that of all domains, and of a fifth of all paths."""
    by_domain: defaultdict[str, Counter[int]] = defaultdict(Counter)
    for path in paths:
        by_domain[path.domain][len(path.triplet_ids)] += 1
    quota = config.quotas.get(kind, 0)
    for domain, sizes in sorted(by_domain.items()):
        eligible, taken = sizes.total(), sampled.get((kind, domain), ())
        reason = "" if len(taken) >= quota else "no_more_eligible" if len(taken) >= eligible else "limits"
        spread = spread_of_kind(taken, known)
        sizes_told = tuple(sorted(sizes.items()))
        yield PathCount(kind, domain, eligible, sizes_told, quota, len(taken), KIND_RULES[kind], spread, reason)


KIND_RULES = {
    "listing": "each thing named is in or out by a fact of its own",
    "absent": "by facts alone, before the documents are searched; at most a fifth of all paths",
}


def spread_of_kind(paths: Iterable[Path], triplets: Mapping[str, Triplet]) -> Spread:
    """The spread of the paths of a kind that is no pattern, whose clues are the operands themselves."""
    operands = [[triplets[name] for name in path.triplet_ids if name in triplets] for path in paths]
    documents = [{triplet.doc_id for triplet in some} for some in operands]
    return Spread(
        needed=0,
        in_chunk=0,
        relations=len({some[-1].relation_key for some in operands if some}),
        answer_types=len({some[-1].object_type for some in operands if some}),
        documents=len(set[str]().union(*documents)),
        crossing=sum(len(several) > 1 for several in documents),
    )


def measure_spread(graph: Graph, paths: Iterable[Path], number: Mapping[str, int]) -> Spread:
    """The spread of these paths; `number` is that of each triplet's fact."""
    columns = graph.columns
    known = [(path, [number[name] for name in path.triplet_ids if name in number]) for path in paths]
    answers = [facts[-1] for _, facts in known if facts]
    documents = [{int(columns.document[fact]) for fact in facts} for _, facts in known]
    return Spread(
        needed=int((graph.rivals > 0).sum()),
        in_chunk=sum(path.remaining_in_chunk > 1 for path, _ in known),
        relations=len({int(graph.relation[fact]) for fact in answers}),
        answer_types=len({int(columns.kind[fact]) for fact in answers}),
        documents=len(set[int]().union(*documents)),
        crossing=sum(len(several) > 1 for several in documents),
    )


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
