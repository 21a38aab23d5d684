"""Triplets as the arrays of one graph per domain, every fact one edge (R10: documents merge within their domain)."""

import hashlib
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, cast

import numpy as np
import numpy.typing as npt

from rarefy.data_contracts.rows import LITERALS, Triplet

if TYPE_CHECKING:
    import networkx as nx

Array = npt.NDArray[Any]


@dataclass(frozen=True, slots=True, eq=False)
class Graph:
    """The facts of one domain in the order of their hashes; row `i` of every array is fact `i`.

    A fact is (subject_key, relation_key, object_key, period). Where several triplets state it, the one with the
    smallest id stands for it, and all their chunks are its support. Literal tails are nodes of their own, whatever
    they are called.
    """

    domain: str
    head: Array  # int32, node
    tail: Array  # int32, node
    relation: Array  # int32
    literal: Array  # bool: the tail is a value
    chunk: Array  # int32: of the triplet that stands for the fact
    point: Array  # uint64, ascending: the fact's hash, a literal's without its value
    support_start: Array  # int64, one longer: support[support_start[i]:support_start[i + 1]], own chunk first
    support: Array  # int32
    chunk_point: Array  # uint64 per chunk: its hash
    triplet_ids: list[str]
    chunk_ids: list[str]
    nodes: list[str]  # keys
    relations: list[str]  # keys
    labels: list[str]  # the name most often used for a node; "" for literals
    left_out: dict[str, int]  # triplets that are no edge: rejected, unkeyed, self_loop, repeated


@dataclass(slots=True)
class _GraphBuilder:
    """Collects the triplets of one domain."""

    nodes: dict[tuple[bool, str], int] = field(default_factory=dict)
    relations: dict[str, int] = field(default_factory=dict)
    chunks: dict[str, int] = field(default_factory=dict)
    facts: dict[tuple[int, int, int, str], int] = field(default_factory=dict)
    points: list[int] = field(default_factory=list)
    ids: list[str] = field(default_factory=list)
    chunk: list[int] = field(default_factory=list)
    stated: list[int] = field(default_factory=list)  # fact, chunk, fact, chunk, ... of the repeated ones
    names: list[str] = field(default_factory=list)  # the first name of each node
    mentions: list[int] = field(default_factory=list)
    other_names: dict[int, Counter[str]] = field(default_factory=dict)
    left_out: Counter[str] = field(default_factory=Counter)

    def node(self, key: str, name: str, literal: bool) -> int:
        node = self.nodes.setdefault((literal, key), len(self.names))
        if node == len(self.names):
            self.names.append("" if literal else name)
            self.mentions.append(0)
        if not literal:
            self.mentions[node] += 1
            if name != self.names[node]:
                self.other_names.setdefault(node, Counter())[name] += 1
        return node

    def add(self, triplet: Triplet) -> None:
        if triplet.rejected_because:
            self.left_out["rejected"] += 1
            return
        if not (triplet.subject_key and triplet.relation_key and triplet.object_key):
            self.left_out["unkeyed"] += 1
            return
        literal = is_literal(triplet)
        if triplet.subject_key == triplet.object_key and not literal:
            self.left_out["self_loop"] += 1
            return
        fact_key = (
            self.node(triplet.subject_key, triplet.subject, False),
            self.relations.setdefault(triplet.relation_key, len(self.relations)),
            self.node(triplet.object_key, triplet.object, literal),
            triplet.period,
        )
        chunk = self.chunks.setdefault(triplet.chunk_id, len(self.chunks))
        fact = self.facts.setdefault(fact_key, len(self.ids))
        if fact == len(self.ids):
            # a value that is restated is drawn where the old one was, so that its question takes the old one's place
            thing = "" if literal else triplet.object_key
            self.points.append(hash_point(triplet.subject_key, triplet.relation_key, thing, triplet.period))
            self.ids.append(triplet.triplet_id)
            self.chunk.append(chunk)
            return
        self.left_out["repeated"] += 1
        self.stated += (fact, chunk)
        if triplet.triplet_id < self.ids[fact]:
            self.stated += (fact, self.chunk[fact])
            self.ids[fact], self.chunk[fact] = triplet.triplet_id, chunk

    def label(self, node: int) -> str:
        others = self.other_names.get(node)
        if not others:
            return self.names[node]
        counts = others + Counter({self.names[node]: self.mentions[node] - others.total()})
        return min(counts, key=lambda name: (-counts[name], name))

    def graph(self, domain: str) -> Graph:
        keys = np.array([key[:3] for key in self.facts], np.int32).reshape(-1, 3)
        literal_node = np.array([literal for literal, _ in self.nodes], bool)
        ids = np.array(self.ids, object)
        points = np.array(self.points, np.uint64)
        order = np.argsort(points)
        if np.any(points[order][1:] == points[order][:-1]):  # two values of one thing
            order = np.lexsort((np.argsort(np.argsort(ids)), points))
        place = np.empty_like(order)
        place[order] = np.arange(len(order))
        chunk = np.array(self.chunk, np.int32)[order]
        tail = keys[order, 2]
        start, support = _supports(chunk, place, np.array(self.stated, np.int64).reshape(-1, 2))
        return Graph(
            domain=domain,
            head=keys[order, 0],
            tail=tail,
            relation=keys[order, 1],
            literal=literal_node[tail] if len(tail) else np.zeros(0, bool),
            chunk=chunk,
            point=points[order],
            support_start=start,
            support=support,
            chunk_point=np.array([hash_point(chunk_id) for chunk_id in self.chunks], np.uint64),
            triplet_ids=ids[order].tolist(),
            chunk_ids=list(self.chunks),
            nodes=[key for _, key in self.nodes],
            relations=list(self.relations),
            labels=[self.label(node) for node in range(len(self.names))],
            left_out=dict(self.left_out),
        )


def _supports(chunk: Array, place: Array, stated: Array) -> tuple[Array, Array]:
    """Per fact its chunks, its own first; each once."""
    facts = np.concatenate([np.arange(len(chunk)), place[stated[:, 0]]])
    chunks = np.concatenate([chunk, stated[:, 1]])
    own = chunks == chunk[facts]
    order = np.lexsort((chunks, ~own, facts))
    facts, chunks = facts[order], chunks[order]
    first = np.ones(len(facts), bool)
    first[1:] = (facts[1:] != facts[:-1]) | (chunks[1:] != chunks[:-1])
    start = np.zeros(len(chunk) + 1, np.int64)
    np.cumsum(np.bincount(facts[first], minlength=len(chunk)), out=start[1:])
    return start, chunks[first].astype(np.int32)


def hash_point(*names: str) -> int:
    """The 64-bit hash of some names, by which facts are ordered; takes a third of the time of `row_id`."""
    return int.from_bytes(hashlib.blake2b("\x1f".join(names).encode("utf-8", "surrogatepass"), digest_size=8).digest())


def as_sequence(array: Array) -> Sequence[int]:
    """The array as Python's numbers, quick to read one by one, without a copy."""
    return cast(Sequence[int], memoryview(cast(Any, np.ascontiguousarray(array))))


def is_literal(triplet: Triplet) -> bool:
    """Whether the object is a value rather than a thing."""
    return triplet.object_type in LITERALS


def build_graphs(triplets: Iterable[Triplet]) -> list[Graph]:
    """One graph per domain, by name of domain; the same whatever the order of the triplets."""
    domains: defaultdict[str, _GraphBuilder] = defaultdict(_GraphBuilder)
    for triplet in triplets:
        domains[triplet.domain].add(triplet)
    return [gathered.graph(domain) for domain, gathered in sorted(domains.items())]


def to_networkx(triplets: Iterable[Triplet]) -> "nx.MultiDiGraph":
    """Every fact of the patterns as an edge, keyed by the triplet that stands for it; nodes are entity keys."""
    import networkx as nx  # late: half a second that a build never needs

    network = nx.MultiDiGraph()
    for graph in build_graphs(triplets):
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
