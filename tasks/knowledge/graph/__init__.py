"""Triplets in, sampled paths out: single facts, chains, stars and inverted stars (RARE §3.3, R10–R17).

Triplets with keys become one graph per domain; each pattern counts its paths exactly and proposes some for sampling.
Behind them come the paths of kinds whose answer is computed (`computed`), which are no patterns of a graph.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain as concatenate

import numpy as np

from rarefy.data_contracts.rows import Path, Triplet
from rarefy.tasks.find import find
from rarefy.tasks.knowledge.graph import chunks
from rarefy.tasks.knowledge.graph.absences import trace_absences
from rarefy.tasks.knowledge.graph.computed import count_computed, trace_computed
from rarefy.tasks.knowledge.graph.config import GraphConfig
from rarefy.tasks.knowledge.graph.cover_lines import is_cover_line
from rarefy.tasks.knowledge.graph.facts import Array, Graph, build_graphs
from rarefy.tasks.knowledge.graph.listings import trace_listings
from rarefy.tasks.knowledge.graph.patterns import PatternPaths, chain, inverted_star, single, star
from rarefy.tasks.knowledge.graph.sample import Allocation, make_path

VERSION = 25  # for models: named stars, things that meet across documents; equal words are one value
COUNT_VERSION = 24  # likewise

Pattern = Callable[[Graph, GraphConfig, Array], PatternPaths]
PATTERNS: dict[str, Pattern] = {f.__name__: f for f in (inverted_star, chain, star, single)}


@dataclass(frozen=True, slots=True)
class PathCount:
    """How many paths of a pattern a domain has, and how many of them were wanted and taken."""

    pattern: str
    domain: str
    eligible: int  # may exceed 64 bits
    at_most: bool  # whether fewer may be eligible; else it is exact
    sizes: tuple[tuple[int, int], ...]  # (facts in a path, eligible paths of that many)
    quota: int
    sampled: int
    crossing: int  # sampled paths with facts of several documents
    reason: str  # why fewer than the quota: "", no_more_eligible, limits (exclusivity, per_answer, per_pivot, reserve)


def trace(triplets: Iterable[Triplet], config: GraphConfig) -> Iterator[Path]:
    """The sampled paths, domain by domain, the pattern that chooses first first, by hash.

    Behind them come computed kinds, listings, and absences, at most a fifth of all.
    Star: clues first, the answer last. Chain: in the order of the way, the answer last. Inverted star: by hash.
    The result does not depend on the order of the triplets: a pattern takes the answer facts of the smallest hash.
    """
    triplets = list(triplets)
    drawn = 0
    by_id = {triplet.triplet_id: triplet for triplet in triplets} if config.cover_facts is False else {}
    for graph in build_graphs(triplets):
        allocation = Allocation(graph, config)
        facts = [by_id[name] for name in graph.triplet_ids] if by_id else []
        for name in config.patterns:
            free = allocation.free & ~_cover_lines(facts, name, last=False) if facts else allocation.free
            paths = find(name, PATTERNS)(graph, config, free)
            if facts:
                paths = replace(paths, answers=paths.answers[~_cover_lines(facts, name, last=True)[paths.answers]])
            for path in allocation.choose(name, paths):
                drawn += 1
                yield make_path(graph, name, path)
    for row in concatenate(trace_computed(triplets, config), trace_listings(triplets, config)):
        drawn += 1
        yield row
    yield from trace_absences(triplets, config, drawn)


def _cover_lines(facts: Sequence[Triplet], pattern: str, last: bool) -> Array:
    return np.array([is_cover_line(fact, pattern, last) for fact in facts], bool)


def count_paths(triplets: Iterable[Triplet], config: GraphConfig, paths: Iterable[Path] = ()) -> list[PathCount]:
    """Exactly how many paths each pattern and kind has in each domain, and how many of them are among `paths`."""
    triplets = list(triplets)
    sampled: defaultdict[tuple[str, str], list[Path]] = defaultdict(list)
    for path in paths:
        sampled[path.pattern, path.domain].append(path)
    document_of = {triplet.triplet_id: triplet.doc_id for triplet in triplets}
    rows = []
    for graph in build_graphs(triplets):
        for name in config.patterns:
            sizes = find(name, PATTERNS)(graph, config, np.ones(len(graph.head), bool)).count()
            eligible, quota, taken = sum(sizes.values()), config.quotas.get(name, 0), len(sampled[name, graph.domain])
            reason = "" if taken >= quota else "no_more_eligible" if taken >= eligible else "limits"
            at_most = name != "single" and chunks.signed_sets(graph, config.chunk_rule).at_most
            crossing = count_crossing(sampled[name, graph.domain], document_of)
            by_size = tuple(sizes.items())
            rows.append(PathCount(name, graph.domain, eligible, at_most, by_size, quota, taken, crossing, reason))
        chunks.signed_sets.cache_clear()
    for kind, domain, sizes in count_computed(triplets, config):
        eligible, quota, taken = sum(sizes.values()), config.quotas.get(kind, 0), len(sampled[kind, domain])
        reason = "" if taken >= quota else "no_more_eligible"
        crossing = count_crossing(sampled[kind, domain], document_of)
        rows.append(PathCount(kind, domain, eligible, False, tuple(sizes.items()), quota, taken, crossing, reason))
    rows += _count_kind("listing", trace_listings(triplets, _unlimited(config)), config, sampled, document_of)
    rows += _count_kind("absent", trace_absences(triplets, _unlimited(config), MANY), config, sampled, document_of)
    return rows


MANY = 1_000_000  # paths: more than a corpus has of a kind


def _unlimited(config: GraphConfig) -> GraphConfig:
    return config.model_copy(update={"quotas": {**config.quotas, "listing": MANY, "absent": MANY}})


def _count_kind(
    kind: str,
    paths: Iterable[Path],
    config: GraphConfig,
    sampled: Mapping[tuple[str, str], Sequence[Path]],
    document_of: Mapping[str, str],
) -> Iterator[PathCount]:
    """The counts of a kind by domain; of absences the quota is that of all domains, and of a fifth of all paths.

    Absences are counted by facts alone, before the documents are searched.
    """
    by_domain: defaultdict[str, Counter[int]] = defaultdict(Counter)
    for path in paths:
        by_domain[path.domain][len(path.triplet_ids)] += 1
    quota = config.quotas.get(kind, 0)
    for domain, sizes in sorted(by_domain.items()):
        eligible, taken = sizes.total(), sampled.get((kind, domain), ())
        reason = "" if len(taken) >= quota else "no_more_eligible" if len(taken) >= eligible else "limits"
        crossing, by_size = count_crossing(taken, document_of), tuple(sorted(sizes.items()))
        yield PathCount(kind, domain, eligible, False, by_size, quota, len(taken), crossing, reason)


def count_crossing(paths: Iterable[Path], document_of: Mapping[str, str]) -> int:
    """How many of these paths have facts of several documents; `document_of` is by triplet."""
    return sum(len({document_of.get(name) for name in path.triplet_ids} - {None}) > 1 for path in paths)
