"""The four patterns of paths: which paths each proposes for an answer (RARE §3.3, R11–R14, R20)."""

from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, islice

import numpy as np

from rarefy.tasks.knowledge.graph.chunks import ChunkRule
from rarefy.tasks.knowledge.graph.config import GraphConfig
from rarefy.tasks.knowledge.graph.counting import count_chains, count_sets, group_starts
from rarefy.tasks.knowledge.graph.facts import Array, Graph, as_sequence


@dataclass(frozen=True, slots=True)
class CandidatePath:
    """Facts that make a path, in the order of `Path.triplet_ids`."""

    facts: tuple[int, ...]
    answer: int  # the fact that carries the answer
    pivot: int  # the node that the question does not name
    about: int = -1  # the node that `per_pivot` counts, where it is another


@dataclass(frozen=True, slots=True)
class PatternPaths:
    """The paths of one pattern in a graph: counted when asked, and proposed answer by answer."""

    count: Callable[[], dict[int, int]]  # eligible paths by number of facts, exclusivity aside
    answers: Array  # the free facts that may carry an answer, ascending, thus by hash
    propose: Callable[[int, int], Iterator[CandidatePath]]  # (answer, turn) -> paths that end in it, best first
    rule: str  # the named options that decided
    capped: bool = True  # whether `per_pivot` applies


def single(graph: Graph, config: GraphConfig, free: Array) -> PatternPaths:
    """Single facts (R11): the tail has no other edge, and with the paper's rule nor has the head."""
    nodes = len(graph.nodes)
    out_of, into = np.bincount(graph.head, minlength=nodes), np.bincount(graph.tail, minlength=nodes)
    eligible = (out_of[graph.tail] == 0) & (into[graph.tail] == 1)
    if config.single_rule == "paper":
        eligible &= (out_of[graph.head] == 1) & (into[graph.head] == 0)

    def propose(answer: int, turn: int) -> Iterator[CandidatePath]:
        if turn == 0:
            yield CandidatePath((answer,), answer, int(graph.head[answer]))

    return PatternPaths(
        count=lambda: {1: int(eligible.sum())},
        answers=np.flatnonzero(eligible & free),
        propose=propose,
        rule=config.single_rule,
        capped=False,
    )


def chain(graph: Graph, config: GraphConfig, free: Array) -> PatternPaths:
    """Chains (R12): facts from a head through things to the answer's tail, no node twice; answer last."""
    sizes = config.chain_sizes
    ring = ChunkRing(graph, graph.tail, len(graph.nodes), np.flatnonzero(free & ~graph.literal))
    apart = ChunkRule(graph, config.chunk_rule)
    led_to = np.zeros(len(graph.nodes), bool)
    led_to[graph.tail[free]] = True
    head, tail, points = as_sequence(graph.head), as_sequence(graph.tail), as_sequence(graph.point)

    def lead(path: tuple[int, ...], size: int, point: int, steps: list[int]) -> Iterator[tuple[int, ...]]:
        """Chains of this size that end in `path`, until the steps are spent."""
        nodes = {tail[path[-1]], *(head[fact] for fact in path)}
        barred = apart.chunks(path[-1]) if size == 2 or apart.distinct else frozenset()
        for chunk, facts in ring.chunks(head[path[0]], point):
            if chunk in barred:
                continue
            for fact in islice(facts, BRANCHES):
                steps[0] -= 1
                if steps[0] < 0:
                    return
                if head[fact] in nodes:
                    continue
                longer = (fact, *path)
                if len(longer) < size:
                    yield from lead(longer, size, point, steps)
                elif apart(longer):
                    yield longer

    def propose(answer: int, turn: int) -> Iterator[CandidatePath]:
        point = turn_point(points[answer], turn)
        for i in range(len(sizes)):
            for facts in islice(lead((answer,), sizes[(point + i) % len(sizes)], point, [REACH]), 1):
                yield CandidatePath(facts, answer, tail[facts[0]], about=head[answer])

    return PatternPaths(
        count=lambda: count_chains(graph, config),
        answers=np.flatnonzero(free & led_to[graph.head]),
        propose=propose,
        rule=config.chunk_rule,
    )


def star(graph: Graph, config: GraphConfig, free: Array) -> PatternPaths:
    """Stars (R13): facts of one head with different tails, clues first and the answer last.

    The answer is the literal where there is one, else the fact with the smallest hash that has clues left.
    """
    sizes, values = config.star_sizes, graph.literal & (config.star_clues == "entity")
    # All literals of a head count as one tail: so no star has two.
    end = np.where(values, len(graph.nodes), graph.tail)
    clues = np.flatnonzero(free & ~values)
    ring = ChunkRing(graph, graph.head, len(graph.nodes), clues)
    around = HubFacts(ring, as_sequence(graph.head), as_sequence(end), ChunkRule(graph, config.chunk_rule))
    clues_at = np.bincount(graph.head[clues], minlength=len(graph.nodes))[graph.head]
    points, literal = as_sequence(graph.point), as_sequence(graph.literal)
    pointing = ClueIndex(graph) if config.needed_clues else None

    def propose(answer: int, turn: int) -> Iterator[CandidatePath]:
        point = turn_point(points[answer], turn)
        for i in range(len(sizes)):
            partners = sorted(around.partners(answer, sizes[(point + i) % len(sizes)], point))
            fits = partners and (literal[answer] or not any(literal[fact] for fact in partners))
            if fits and (pointing is None or pointing.minimal(partners)):
                yield CandidatePath((*partners, answer), answer, around.hub[answer])

    everything = np.ones(len(graph.head), bool)
    return PatternPaths(
        count=lambda: count_sets(graph, everything, graph.head, end, sizes, config.chunk_rule),
        answers=np.flatnonzero(free & (clues_at > ~values)),
        propose=propose,
        rule=f"{config.chunk_rule}, {config.star_clues} clues",
    )


def inverted_star(graph: Graph, config: GraphConfig, free: Array) -> PatternPaths:
    """Inverted stars (R14): facts of different heads with one tail that is no literal, in the order of their hashes.

    Where few enough meet in the tail all of them are proposed first, since of such a set nothing is left out.
    """
    sizes, things = config.inverted_star_sizes, ~graph.literal
    hub = graph.tail.astype(np.int64)
    if config.same_relation:
        hub = hub * (int(graph.relation.max(initial=0)) + 1) + graph.relation
    hubs, hub = np.unique(hub, return_inverse=True)
    chosen = np.flatnonzero(free & things)
    around = HubFacts(
        ChunkRing(graph, hub, len(hubs), chosen),
        as_sequence(hub),
        as_sequence(graph.head),
        ChunkRule(graph, config.chunk_rule),
    )
    meeting = np.bincount(hub[chosen], minlength=len(hubs))
    points, tail = as_sequence(graph.point), as_sequence(graph.tail)

    def propose(answer: int, turn: int) -> Iterator[CandidatePath]:
        point = turn_point(points[answer], turn)
        order = [sizes[(point + i) % len(sizes)] for i in range(len(sizes))]
        all_of_them = around.ring.size(hub[answer])
        for size in sorted(order, key=lambda size: size != all_of_them):
            partners = around.partners(answer, size, point)
            if partners:
                yield CandidatePath(tuple(sorted((*partners, answer))), answer, tail[answer])

    relation = "same relation" if config.same_relation else "any relation"
    return PatternPaths(
        count=lambda: count_sets(graph, things, hub, graph.head, sizes, config.chunk_rule),
        answers=chosen[meeting[hub[chosen]] > 1],
        propose=propose,
        rule=f"{config.chunk_rule}, {relation}",
    )


BRANCHES = 4  # facts tried per chunk on the way back from an answer


FEW = 12  # partners among which every set is tried, where none of them alone is far enough away


REACH = 256  # chunks looked at in vain before a fact is passed over, so that no hub is searched to its end for each


_MASK = (1 << 64) - 1


def turn_point(point: int, turn: int) -> int:
    """A new 64-bit hash point for every turn (splitmix64)."""
    mixed = (point + (turn + 1) * 0x9E3779B97F4A7C15) & _MASK
    mixed = ((mixed ^ (mixed >> 30)) * 0xBF58476D1CE4E5B9) & _MASK
    mixed = ((mixed ^ (mixed >> 27)) * 0x94D049BB133111EB) & _MASK
    return mixed ^ (mixed >> 31)


class ChunkRing:
    """The chosen facts of each hub on a ring of chunks, and on a ring within each chunk.

    Each answer starts at its own point and goes clockwise, so that a new fact changes few paths (consistent hashing).
    """

    def __init__(self, graph: Graph, hub: Array, count: int, chosen: Array) -> None:
        chunk = graph.chunk
        order = chosen[np.lexsort((chosen, chunk[chosen], graph.chunk_point[chunk[chosen]], hub[chosen]))]
        groups = group_starts(hub[order], chunk[order])
        hubs = group_starts(hub[order][groups]) if len(groups) else groups
        self.facts = as_sequence(order.astype(np.int64))
        self.points = as_sequence(graph.point[order])
        self.group = as_sequence(np.append(groups, len(order)).astype(np.int64))
        self.group_chunk = as_sequence(chunk[order][groups].astype(np.int64))
        self.group_point = as_sequence(graph.chunk_point[chunk[order][groups]])
        first = np.zeros(count + 1, np.int64)
        sizes = np.diff(hubs, append=len(groups))
        first[hub[order][groups[hubs]] + 1] = sizes
        self.first = as_sequence(np.cumsum(first))

    def size(self, hub: int) -> int:
        """How many facts the hub has."""
        return self.group[self.first[hub + 1]] - self.group[self.first[hub]]

    def chunks(self, hub: int, point: int) -> Iterator[tuple[int, Iterator[int]]]:
        """The chunks at a hub, clockwise from this point, each with its facts likewise."""
        low, high = self.first[hub], self.first[hub + 1]
        begin = bisect_left(self.group_point, point, low, high)
        for i in range(begin, min(high, begin + REACH)):
            yield self.group_chunk[i], self._within(i, point)
        for i in range(low, min(begin, low + REACH)):
            yield self.group_chunk[i], self._within(i, point)

    def _within(self, group: int, point: int) -> Iterator[int]:
        low, high = self.group[group], self.group[group + 1]
        begin = bisect_left(self.points, turn_point(point, 0), low, high)
        for i in range(begin, high):
            yield self.facts[i]
        for i in range(low, begin):
            yield self.facts[i]


@dataclass(frozen=True, slots=True)
class HubFacts:
    """The free facts around hubs, from which an answer's partners are drawn."""

    ring: ChunkRing
    hub: Sequence[int]
    end: Sequence[int]
    apart: ChunkRule

    def partners(self, answer: int, size: int, point: int) -> tuple[int, ...]:
        """`size - 1` facts that make a path with this one, by hash; () where none were found near enough.

        From different chunks first; from the same where there are no others and the rule allows it.
        """
        picked = [answer]
        ends = {self.end[answer]}
        own = self.apart.chunks(answer)
        far = False  # a fact that shares no chunk with the answer is among the picked, which settles "covered"
        taken = set(own)
        for chunk, facts in self.ring.chunks(self.hub[answer], point):
            if chunk in taken:
                continue
            for fact in islice(facts, REACH):
                if self.end[fact] in ends or not (far or own.isdisjoint(self.apart.chunks(fact))):
                    continue
                picked.append(fact)
                ends.add(self.end[fact])
                taken.add(chunk)
                far = True
                break
            if len(picked) == size:
                return tuple(picked[1:])
        if self.apart.distinct:
            return ()
        if far:
            for fact in self._near(answer, point):
                if self.end[fact] not in ends:
                    picked.append(fact)
                    ends.add(self.end[fact])
                    if len(picked) == size:
                        return tuple(picked[1:])
        elif len(own) > 1 and size > 2:
            for others in combinations(islice(self._near(answer, point), FEW), size - 1):
                if len({self.end[answer], *(self.end[f] for f in others)}) == size and self.apart((answer, *others)):
                    return others
        return ()

    def _near(self, answer: int, point: int) -> Iterator[int]:
        for _, facts in self.ring.chunks(self.hub[answer], point):
            for fact in islice(facts, REACH):
                if fact != answer:
                    yield fact


class ClueIndex:
    """Which heads share a relation and a tail; looked up lazily, so that hubs cost nothing until then (R19)."""

    def __init__(self, graph: Graph) -> None:
        pairs = np.stack([graph.relation, graph.tail], axis=1)
        _, self.group = np.unique(pairs, axis=0, return_inverse=True)
        self.group = self.group.reshape(-1)
        self.order = np.argsort(self.group, kind="stable")
        self.begin = np.searchsorted(self.group[self.order], np.arange(self.group.max(initial=-1) + 2))
        self.head = graph.head

    def holders(self, fact: int) -> set[int]:
        """The heads that have this fact's relation and tail."""
        group = self.group[fact]
        return set(self.head[self.order[self.begin[group] : self.begin[group + 1]]].tolist())

    def minimal(self, clues: Sequence[int]) -> bool:
        """Whether the clues single out one head, and none of them can be left out."""
        held = [self.holders(fact) for fact in clues]
        if len(set.intersection(*held)) != 1:
            return False
        others = ([*held[:at], *held[at + 1 :]] for at in range(len(held)))
        return all(len(set.intersection(*rest)) > 1 for rest in others if rest)
