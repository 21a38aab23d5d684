"""Which facts one chunk states together, as signed sets of an inclusion–exclusion (R16)."""

from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from rarefy.tasks.knowledge.graph.facts import Array, Graph, as_sequence

# Members of sets to look at before giving up, besides EACH for every statement: about half a second. A corpus in which
# every fact is said in three tables needs some ten for each.
BUDGET, EACH = 500_000, 12


@dataclass(frozen=True, slots=True, eq=False)
class SignedSets:
    """Sets of facts with a sign each: a set of two or more facts lies in sets of total sign 1 when one chunk
    states them all, else 0. So the paths that one chunk covers are the signed sum of the paths in each set."""

    fact: Array  # int64
    set_id: Array  # int64, of the fact beside it
    sign: Array  # int64 per set
    at_most: bool  # whether facts that share a chunk may lie in no set


class ChunkRule:
    """Whether facts come from enough chunks for a multi-hop path: GraphConfig.chunk_rule, applied to one graph."""

    def __init__(self, graph: Graph, rule: str) -> None:
        self.distinct = rule == "distinct"
        self.start, self.support = as_sequence(graph.support_start), as_sequence(graph.support)
        self.chunk = as_sequence(graph.chunk)

    def chunks(self, fact: int) -> frozenset[int]:
        """The chunks of which none may state the whole path alone."""
        if self.distinct:
            return frozenset((self.chunk[fact],))
        return frozenset(self.support[self.start[fact] : self.start[fact + 1]])

    def __call__(self, facts: Iterable[int]) -> bool:
        chunks = [self.chunks(fact) for fact in facts]
        if self.distinct:
            return len(frozenset().union(*chunks)) == len(chunks)
        return not frozenset.intersection(*chunks)


@lru_cache(maxsize=1)  # every pattern of a graph asks for the same
def signed_sets(graph: Graph, rule: str) -> SignedSets:
    """The sets that decide by this rule which facts share a chunk."""
    return covering_sets(graph) if rule == "covered" else one_set_per_chunk(graph, True)


def one_set_per_chunk(graph: Graph, at_most: bool) -> SignedSets:
    """One set per chunk, each fact only in the chunk of the triplet that stands for it.

    By the rule "distinct" that is exact for two facts alone: of three, two may share a chunk without the third.
    """
    facts = np.arange(len(graph.chunk))
    return SignedSets(facts, graph.chunk.astype(np.int64), np.ones(len(graph.chunk_ids), np.int64), at_most)


def covering_sets(graph: Graph) -> SignedSets:
    """The sets of facts that share a chunk, counting every chunk that states a fact.

    Chunks that repeat each other in many combinations would need too many terms: then only the first 8, 4, 2 or 1
    chunks of each fact are looked at (`at_most` says so), and the sets counted as covered are too few.
    """
    if np.all(np.diff(graph.support_start) == 1):
        return one_set_per_chunk(graph, False)
    for most in (0, 8, 4, 2):
        sets = _covering_sets(graph, most)
        if sets:
            return sets
    return one_set_per_chunk(graph, True)


def _covering_sets(graph: Graph, most: int) -> SignedSets | None:
    sizes = np.diff(graph.support_start)
    fact = np.repeat(np.arange(len(sizes)), sizes)
    chunk = graph.support.astype(np.int64)
    if most:
        kept = np.arange(len(fact)) - graph.support_start[fact] < most
        fact, chunk = fact[kept], chunk[kept]
        sizes = np.minimum(sizes, most)
    sign = np.ones(len(graph.chunk_ids), np.int64)
    repeated = sizes[fact] > 1
    columns: dict[int, set[int]] = defaultdict(set)
    for c, f in zip(chunk[repeated].tolist(), fact[repeated].tolist(), strict=True):
        columns[c].add(f)
    alone = set(chunk[~repeated].tolist())
    budget = [BUDGET + EACH * len(fact)]
    terms: list[tuple[int, frozenset[int]]] = []
    seen = _SeenColumns()
    # Large ones first, so that what repeats a part of another chunk is found to add nothing.
    for c in sorted((c for c in columns if len(columns[c]) > 1), key=lambda c: (-len(columns[c]), c)):
        column = frozenset(columns[c])
        shared = seen.shared(column, budget)
        if column not in shared:
            _append_union_terms(shared, -1, terms, budget)
            seen.add(column)
        elif c in alone:
            terms.append((-1, column))
        else:
            sign[c] = 0
        if budget[0] < 0:
            return None
    lengths = [len(members) for _, members in terms]
    extra = np.repeat(np.arange(len(terms)), lengths) + len(sign)
    members = np.fromiter((f for _, term in terms for f in term), np.int64, sum(lengths))
    return SignedSets(
        np.concatenate([fact, members]),
        np.concatenate([chunk, extra]),
        np.concatenate([sign, np.array([s for s, _ in terms], np.int64)]),
        most > 0,
    )


class _SeenColumns:
    """The chunks' sets of facts met so far, by member."""

    def __init__(self) -> None:
        self.columns: list[frozenset[int]] = []
        self.of: dict[int, list[int]] = defaultdict(list)

    def shared(self, column: frozenset[int], budget: list[int]) -> set[frozenset[int]]:
        """What this column has in common with each of them, where that is two facts or more."""
        counts: Counter[int] = Counter()
        for member in column:
            counts.update(self.of.get(member, ()))
        budget[0] -= len(column) + sum(counts.values())
        return {column & self.columns[i] for i, count in counts.items() if count > 1}

    def add(self, column: frozenset[int]) -> None:
        for member in column:
            self.of[member].append(len(self.columns))
        self.columns.append(column)


def _append_union_terms(
    columns: Iterable[frozenset[int]], sign: int, terms: list[tuple[int, frozenset[int]]], budget: list[int]
) -> None:
    """Append the terms of the union of these columns: each less what it shares with those before it."""
    seen = _SeenColumns()
    for column in sorted(columns, key=lambda c: (-len(c), sorted(c))):
        shared = seen.shared(column, budget)
        if budget[0] < 0:
            return
        if column in shared:
            continue
        terms.append((sign, column))
        _append_union_terms(shared, -sign, terms, budget)
        seen.add(column)
