"""The four patterns of paths: which paths each proposes for an answer (RARE §3.3, R11–R14, R20)."""

import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, islice

import numpy as np

from rarefy.tasks.knowledge.graph.chunks import ChunkRule
from rarefy.tasks.knowledge.graph.config import GraphConfig
from rarefy.tasks.knowledge.graph.counting import count_chains, count_sets, group_starts
from rarefy.tasks.knowledge.graph.facts import Array, Graph, as_sequence, count_others, count_rivals, group_sizes
from rarefy.tasks.knowledge.graph.filers import FilerFigures
from rarefy.tasks.knowledge.graph.headlines import FAMILIES
from rarefy.tasks.knowledge.graph.years import YearChains


@dataclass(frozen=True, slots=True)
class CandidatePath:
    """Facts that make a path, in the order of `Path.triplet_ids`."""

    facts: tuple[int, ...]
    answer: int  # the fact that carries the answer
    pivot: int  # the node that the question does not name
    about: int = -1  # the node that `per_pivot` counts, where it is another
    clues: tuple[int, ...] = ()  # what `per_clue` counts
    nominal: bool = False  # one clue that anybody knows without reading says it all
    time: str = ""  # where the pivot is a year of that node: "fiscal year 2024"
    remaining: tuple[int, int] | None = None  # answers without the clue, where they are not the answer's rivals
    tables: tuple[int, ...] = ()  # the chunks of which `per_tables` counts


@dataclass(frozen=True, slots=True)
class PatternPaths:
    """The paths of one pattern in a graph: counted when asked, and proposed answer by answer."""

    count: Callable[[], dict[int, int]]  # eligible paths by number of facts, exclusivity aside
    answers: Array  # the free facts that may carry an answer, ascending, thus by hash
    propose: Callable[[int, int], Iterator[CandidatePath]]  # (answer, turn) -> paths that end in it, best first
    capped: bool = True  # whether `per_pivot` applies


def single(graph: Graph, config: GraphConfig, free: Array) -> PatternPaths:
    """Single facts (R11): the tail has no other edge, with the paper's rule nor has the head; or any fact.

    With the rule `subject` the tail may also be a thing that others share, where head and relation have no other.
    """
    nodes, own = len(graph.nodes), ~graph.columns.owner
    out_of, into = (np.bincount(ends[own], minlength=nodes) for ends in (graph.head, graph.tail))
    eligible = (out_of[graph.tail] == 0) & (into[graph.tail] == 1)
    if config.single_rule == "any":
        eligible[:] = True
    elif config.single_rule == "subject":
        eligible |= ~graph.literal & (group_sizes(graph.head, graph.relation) == 1)
    elif config.single_rule == "paper":
        eligible &= (out_of[graph.head] == 1) & (into[graph.head] == 0)
    eligible &= own

    def propose(answer: int, turn: int) -> Iterator[CandidatePath]:
        if turn == 0:
            yield CandidatePath((answer,), answer, int(graph.head[answer]))

    return PatternPaths(
        count=lambda: {1: int(eligible.sum())},
        answers=np.flatnonzero(eligible & free),
        propose=propose,
        capped=False,
    )


def chain(graph: Graph, config: GraphConfig, free: Array) -> PatternPaths:
    """Chains (R12): facts from a head through things to the answer's tail, no node twice; answer last.

    A link between documents begins one: what it leads from has a name, or the question would be clauses within clauses.
    Others lead through a year, which one figure of a company singles out for another (`years`).
    """
    sizes = config.chain_sizes
    ring = ChunkRing(graph, graph.tail, len(graph.nodes), np.flatnonzero(free & ~graph.literal))
    apart = ChunkRule(graph, config.chunk_rule)
    led_to = np.zeros(len(graph.nodes), bool)
    led_to[graph.tail[free]] = True
    head, tail, points = as_sequence(graph.head), as_sequence(graph.tail), as_sequence(graph.point)
    listed = find_listed(graph, graph.tail) & ~find_relations(graph, (PART,)) & config.needed_clues
    link, year, telling = graph.columns.link, as_sequence(graph.columns.year), as_sequence(graph.columns.telling)
    person, asked, common = graph.columns.person, graph.columns.asked, find_relations(graph, config.common_clues)
    barred_office = person & ~link & ~find_relations(graph, config.telling_offices) & config.needed_clues
    tried = CLUES_TRIED if config.rivals == "words" else 1
    sole = group_sizes(graph.head, graph.relation) == 1
    is_askable = askable_chains(graph) if config.for_model else None  # None keeps all
    years = YearChains(graph, apart) if config.through_years and 2 in sizes else None

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
                if head[fact] in nodes or listed[fact] or barred_office[fact]:
                    continue
                if config.needed_clues and person[fact] and not link[fact] and asked[fact] != asked[path[-1]]:
                    continue  # who holds an office holds it for a time; where somebody once worked stays as it was
                longer = (fact, *path)
                if len(longer) < size and not link[fact]:
                    yield from lead(longer, size, point, steps)
                elif len(longer) == size and apart(longer):
                    yield longer

    def pick(found: Iterator[tuple[int, ...]]) -> tuple[int, ...] | None:
        """The first path whose clue begins with a name or several words, and leads to one thing alone; None for none.

        Where there is none such, one that begins so, then one that leads to one thing. Clues that are said of several
        things do not come first: they would crowd out others.
        """
        best, most = None, -1
        for facts in islice(filter(is_askable, found), tried):
            fit = 2 * is_telling_label(graph.labels[head[facts[0]]]) + bool(sole[facts[0]])
            if fit > most:
                best, most = facts, fit
            if fit == 3:
                break
        return best

    def propose(answer: int, turn: int) -> Iterator[CandidatePath]:
        point = turn_point(points[answer], turn)
        for i in range(len(sizes) if led[answer] else 0):
            if facts := pick(lead((answer,), sizes[(point + i) % len(sizes)], point, [REACH])):
                nominal = len(facts) == 2 and bool(common[facts[0]])
                yield CandidatePath(facts, answer, tail[facts[0]], head[answer], facts[:-1], nominal)
        if years is None or answer not in years.series or years.remaining(answer) < 2:
            return
        clues = [clue for clue in years.clues_of(answer) if free[clue]]
        for clue in sorted(clues, key=lambda clue: (-telling[clue], turn_point(points[clue] ^ point, 0))):
            time, one = f"fiscal year {year[answer]}", years.clues[head[answer], year[answer]][:1]
            remaining = years.remaining(answer), years.remaining(answer, int(graph.chunk[answer]))
            yield CandidatePath((clue, answer), answer, head[answer], clues=(*one,), time=time, remaining=remaining)

    def count() -> dict[int, int]:
        counts = count_chains(graph, config)
        return counts | {2: counts[2] + years.count()} if years else counts

    led = free & led_to[graph.head] & find_asked(graph, config)
    answers = led.copy()
    if years:
        answers[[fact for fact in years.answers() if free[fact]]] = True
    return PatternPaths(count, np.flatnonzero(answers), propose)


def askable_chains(graph: Graph) -> Callable[[tuple[int, ...]], bool]:
    """Which chains a model may be asked about, as far as the graph can tell.

    From one end or the other they lead to one thing; and no chunk of one of two facts names the ends of the other.
    """
    head, tail, relation, chunk = graph.head, graph.tail, graph.relation, graph.chunk
    one_object = group_sizes(head, relation, graph.columns.asked) == 1
    one_subject = group_sizes(relation, tail) == 1
    joined = set(zip(chunk.tolist(), head.tolist(), tail.tolist(), strict=True))

    def names_both(fact: int, of: int) -> bool:
        place, ends = int(chunk[fact]), (int(head[of]), int(tail[of]))
        return (place, *ends) in joined or (place, *ends[::-1]) in joined

    def is_askable(facts: tuple[int, ...]) -> bool:
        first, *_, last = facts
        leads = bool(one_object[list(facts)].all() or one_subject[list(facts)].all())
        return leads and not (len(facts) == 2 and (names_both(first, last) or names_both(last, first)))

    return is_askable


def star(graph: Graph, config: GraphConfig, free: Array) -> PatternPaths:
    """Stars (R13): facts of one head with different tails, clues first and the answer last.

    The answer is the literal where there is one, else the fact with the smallest hash that has clues left. A part of a
    company is described by another figure of its own, which its siblings have too, and so is one of two companies.
    """
    sizes, values = config.star_sizes, ~find_clues(graph, config)
    # All literals of a head count as one tail: so no star has two.
    end = np.where(values, len(graph.nodes), graph.tail)
    clues = np.flatnonzero(free & ~values)
    ring = ChunkRing(graph, graph.head, len(graph.nodes), clues)
    around = HubFacts(ring, as_sequence(graph.head), as_sequence(end), ChunkRule(graph, config.chunk_rule))
    clues_at = np.bincount(graph.head[clues], minlength=len(graph.nodes))[graph.head]
    points, literal = as_sequence(graph.point), as_sequence(graph.literal)
    pointing = ClueIndex(graph) if config.needed_clues else None
    common, member = find_relations(graph, config.common_clues), graph.columns.member & (config.star_clues == "member")
    listed = find_listed(graph, graph.head)
    figures = MemberFigures(graph, np.flatnonzero(free & member & graph.literal), around.apart)
    is_askable = askable_stars(graph) if config.for_model else None  # None keeps all
    filers = FilerFigures(graph, np.flatnonzero(free), around.apart) if config.one_of_two and 2 in sizes else None

    def propose(answer: int, turn: int) -> Iterator[CandidatePath]:
        point = turn_point(points[answer], turn)
        if member[answer] and literal[answer]:
            if 2 in sizes:
                for clue in figures.clues(answer, point):
                    tables = (int(graph.chunk[clue]), int(graph.chunk[answer]))
                    yield CandidatePath((clue, answer), answer, around.hub[answer], tables=tables)
            return
        for clue in islice(filers.clues_of(answer) if filers else (), BRANCHES):
            yield CandidatePath((clue, answer), answer, around.hub[answer], clues=(clue,))
        if pointing:
            free_clues = [f for f in around.near(answer, point) if not (literal[f] or listed[f])]
            for described in pointing.minimal_sets(free_clues[:FEW], sizes):
                if is_askable and not is_askable(described):
                    continue
                if end[answer] not in [end[f] for f in described] and around.apart((*described, answer)):
                    nominal = len(described) == 1 and bool(common[described[0]])
                    facts, hub = (*sorted(described), answer), around.hub[answer]
                    yield CandidatePath(facts, answer, hub, clues=facts[:-1], nominal=nominal)
            return
        for i in range(len(sizes)):
            partners = sorted(around.partners(answer, sizes[(point + i) % len(sizes)], point))
            if partners and (literal[answer] or not any(literal[fact] for fact in partners)):
                yield CandidatePath((*partners, answer), answer, around.hub[answer])

    def count() -> dict[int, int]:
        everything = np.ones(len(graph.head), bool)
        counts = count_sets(graph, everything, graph.head, end, sizes, config.chunk_rule)
        return counts | {2: counts[2] + filers.count()} if filers else counts

    answers = free & (clues_at > ~values) & find_asked(graph, config) & ~graph.columns.link
    if filers:
        answers[filers.answers()] = True
    return PatternPaths(count, np.flatnonzero(answers & free), propose)


_PLURAL = ("are .*", "were .*", "have .*")


def askable_stars(graph: Graph) -> Callable[[tuple[int, ...]], bool]:
    """By which clues a model may be asked about a star, as far as the graph can tell.

    They describe one thing by others, all written as names: whoever asks about all of a kind ("CPC Directors", of which
    something is said in the plural) calls them so, and nobody has a phrase in hand. What a single clue gives leads to
    that thing alone, whatever the relation, under its name or a longer one ("iRobot Create 3", "Create 3").
    """
    several = np.zeros(len(graph.nodes), bool)
    several[graph.head[find_relations(graph, _PLURAL)]] = True
    known = {label: node for node, label in enumerate(graph.labels) if " " in label}

    def shortest(node: int, label: str) -> int:
        ends = (label.split(" ", at)[-1] for at in range(label.count(" ") - 1, 0, -1))
        return next((known[end] for end in ends if end in known), node)

    thing = np.array([shortest(node, label) for node, label in enumerate(graph.labels)], np.int64)
    led = np.unique(np.stack([thing[graph.tail], graph.head], axis=1), axis=0)
    leading = np.bincount(led[:, 0], minlength=len(graph.nodes))

    def is_name(node: int) -> bool:
        label = graph.labels[node]
        return label[:1].isupper() or not label.replace(" ", "").replace("-", "").isalpha()

    def is_askable(clues: tuple[int, ...]) -> bool:
        pivot, given = int(graph.head[clues[0]]), [int(graph.tail[clue]) for clue in clues if not graph.literal[clue]]
        if several[pivot] or not all(is_name(node) for node in (pivot, *given)):
            return False
        return len(clues) > 1 or not given or leading[thing[given[0]]] == 1

    return is_askable


MET = 3  # facts that lead to what two things share: more do where many have to do with it, in whatever words


def inverted_star(graph: Graph, config: GraphConfig, free: Array) -> PatternPaths:
    """Inverted stars (R14): facts of different heads with one tail that is no literal, in the order of their hashes.

    Where few enough meet in the tail all of them are proposed first, since of such a set nothing is left out; but never
    more than two of which the times tell them apart.
    """
    sizes, things = config.inverted_star_sizes, ~(graph.literal | graph.columns.link)
    dated = find_relations(graph, (BOUGHT,))
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
    leading, document = np.bincount(graph.tail, minlength=len(graph.nodes)), graph.columns.document

    def propose(answer: int, turn: int) -> Iterator[CandidatePath]:
        point = turn_point(points[answer], turn)
        order = [sizes[(point + i) % len(sizes)] for i in range(len(sizes))]
        all_of_them = around.ring.size(hub[answer])
        if config.for_model:
            order = [2] if all_of_them == 2 and leading[tail[answer]] <= MET else []
        order = [size for size in order if size == 2 or not dated[answer]]
        for size in sorted(order, key=lambda size: size != all_of_them):
            partners = around.partners(answer, size, point)
            if config.for_model and any(document[fact] == document[answer] for fact in partners):
                continue  # one document says it of both, where it speaks of the thing that they share
            if partners:
                yield CandidatePath(tuple(sorted((*partners, answer))), answer, tail[answer])

    return PatternPaths(
        count=lambda: count_sets(graph, things, hub, graph.head, sizes, config.chunk_rule),
        answers=chosen[meeting[hub[chosen]] > 1],
        propose=propose,
    )


def is_telling_label(label: str) -> bool:
    """Whether a label is written as a name, or has two long words: "laptops of leavers", not "new laptop"."""
    return label[:1].isupper() or sum(len(word) > LONG for word in label.split()) > 1


LONG = 4  # letters
CLUES_TRIED = 12  # on the way to one answer


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
            for fact in self.near(answer, point):
                if self.end[fact] not in ends:
                    picked.append(fact)
                    ends.add(self.end[fact])
                    if len(picked) == size:
                        return tuple(picked[1:])
        elif len(own) > 1 and size > 2:
            for others in combinations(islice(self.near(answer, point), FEW), size - 1):
                if len({self.end[answer], *(self.end[f] for f in others)}) == size and self.apart((answer, *others)):
                    return others
        return ()

    def near(self, answer: int, point: int) -> Iterator[int]:
        """The other free facts of its hub, chunk by chunk from this point."""
        for _, facts in self.ring.chunks(self.hub[answer], point):
            for fact in islice(facts, REACH):
                if fact != answer:
                    yield fact


def find_asked(graph: Graph, config: GraphConfig) -> Array:
    """Which facts may be asked of what is described: those to which other answers remain without the clue.

    None says what kind of thing it is, since whoever asks says that. Of a model's facts those of like words count too.

    Of a whole company's tagged figures those that people follow, in words that others use too: nobody wonders about the
    lease costs of the company that bought another, and "international transaction revenue" says which one it was.
    """
    if not config.needed_clues:
        return np.ones(len(graph.head), bool)
    columns = graph.columns
    tagged = columns.whole & (columns.concept >= 0)
    in_words = count_others(columns, columns.sort, columns.kind, columns.asked, columns.relation)
    rivals = count_rivals(replace(columns, value=columns.said)) if config.for_model else graph.rivals
    asked: Array = (rivals > 0) & (~tagged | (columns.family >= 0) & (in_words > 0))
    if config.rivals == "words":
        asked |= columns.alike
    if config.for_model:
        asked &= ~find_relations(graph, (LIGHT,)) | find_kindred(graph)
    return asked & ~find_relations(graph, config.class_relations)


# what things of all kinds do: that a board adds an interface is no other answer to what a camera adds
LIGHT = (
    "(adds?|uses?|has|have|includes?|requires?|needs?|provides?|supports?|contains?|offers?|implements?|means?|runs?)"
)


def find_kindred(graph: Graph) -> Array:
    """Of which facts the relation is also said of a thing of the same kind, with another object.

    Of one kind are things to which one relation leads, or whose names share a word; so are objects that end alike.
    """
    facts = list(zip(graph.relation.tolist(), graph.head.tolist(), graph.tail.tolist(), strict=True))
    led_by: defaultdict[int, set[object]] = defaultdict(set)
    for relation, _, tail in facts:
        led_by[tail].add(relation)

    def traits(head: int, tail: int) -> Iterator[object]:
        yield from led_by[head]
        yield from (word for word in graph.labels[head].split() if word[:1].isupper())
        if last := graph.labels[tail].rpartition(" ")[2]:
            yield "object", last

    having: defaultdict[tuple[int, object], set[tuple[int, int]]] = defaultdict(set)
    for relation, head, tail in facts:
        for trait in traits(head, tail):
            having[relation, trait].add((head, tail))

    def is_kindred(relation: int, head: int, tail: int) -> bool:
        alike = (pair for trait in traits(head, tail) for pair in having[relation, trait])
        return any(other != head and thing != tail for other, thing in alike)

    return np.array([is_kindred(*fact) for fact in facts], bool)


def find_clues(graph: Graph, config: GraphConfig) -> Array:
    """Which facts may be a star's clues: all that are no values or links, and values of parts of a company."""
    if config.star_clues == "any":
        return np.ones(len(graph.head), bool)
    return ~(graph.literal | graph.columns.link) | (graph.columns.member & (config.star_clues == "member"))


PART, BOUGHT = "is part of", "was acquired by"


def find_relations(graph: Graph, patterns: Sequence[str]) -> Array:
    """Which facts have a relation that one of these regular expressions describes."""
    known = [bool(re.fullmatch("|".join(patterns), name, re.I)) for name in graph.relations]
    return np.array(known, bool)[graph.relation] if known else np.zeros(0, bool)


LIST = 3  # things of which one chunk says the same are a list


def find_listed(graph: Graph, hub: Array) -> Array:
    """Which facts are one of a list: their chunk says the same of their hub several times."""
    return group_sizes(hub, graph.relation, graph.chunk) >= LIST


class MemberFigures:
    """The figures of parts of a company by part, from which the clue to one of them is drawn."""

    def __init__(self, graph: Graph, chosen: Array, apart: ChunkRule) -> None:
        self.graph, self.apart = graph, apart
        columns = graph.columns
        chosen = chosen[np.argsort(graph.head[chosen], kind="stable")]
        self.order, self.heads = chosen, graph.head[chosen]
        table = (columns.sort, columns.relation, columns.kind, columns.asked, graph.chunk)
        self.above, self.size = count_larger(columns.number, *table), group_sizes(*table)
        measure = zip(*(column[chosen].tolist() for column in table[:4]), strict=True)
        self.ranks: dict[tuple[int, ...], dict[int, set[int]]] = {}  # measure and time -> larger ones -> parts
        for fact, of in zip(chosen.tolist(), measure, strict=True):
            self.ranks.setdefault(of, {}).setdefault(int(self.above[fact]), set()).add(int(graph.head[fact]))

    def clues(self, answer: int, point: int) -> Iterator[int]:
        """The sales or profits of the same part from other chunks by which it leads, comes second, or trails.

        Those of another document come first, then those of the same time, then the largest before the second.
        """
        columns = self.graph.columns
        low, high = (
            np.searchsorted(self.heads, self.graph.head[answer], side="left"),
            np.searchsorted(self.heads, self.graph.head[answer], side="right"),
        )
        order = []
        for clue in self.order[low:high].tolist():
            above, size = int(self.above[clue]), int(self.size[clue])
            second = above == 1 and size > 3  # of three it is the middle one
            ranked = size >= 3 and (second or above in (0, size - 1))
            if not ranked or not self.describes(clue, answer) or not self.apart((clue, answer)):
                continue
            other_time = columns.asked[clue] != columns.asked[answer]
            if other_time and not self.another_led(clue, answer):
                continue
            near = columns.document[clue] == columns.document[answer]
            turned = turn_point(int(self.graph.point[clue]) ^ point, 0)
            order.append((near, other_time, above == 1, turned, clue))
        return (clue for *_, clue in sorted(order)[:BRANCHES])

    def describes(self, clue: int, answer: int) -> bool:
        """Whether people rank parts by this figure, and it says something else than the answer."""
        columns = self.graph.columns
        family = columns.family[clue]
        ranks = columns.telling[clue] > 1 and FAMILIES[family] in ("sales", "profit")
        return bool(ranks and family != columns.family[answer] and columns.relation[clue] != columns.relation[answer])

    def another_led(self, clue: int, answer: int) -> bool:
        """Whether another part had the clue's rank at the answer's time, so that the clue's time is needed."""
        columns = self.graph.columns
        time = int(columns.asked[answer])
        ranks = self.ranks.get((*(int(c[clue]) for c in (columns.sort, columns.relation, columns.kind)), time), {})
        above, size = int(self.above[clue]), int(self.size[clue])
        place = above if above < 2 or not ranks else max(ranks) - (size - 1 - above)
        holders = ranks.get(place, set())
        return bool(holders) and int(self.graph.head[clue]) not in holders


def count_larger(number: Array, *columns: Array) -> Array:
    """Per row: how many rows with these values have a larger number."""
    order = np.lexsort((-number, *columns))
    place = np.arange(len(order))
    first = np.ones(len(order), bool)
    first[1:] = np.any([column[order][1:] != column[order][:-1] for column in columns], axis=0)
    place -= np.maximum.accumulate(np.where(first, place, 0))
    found = np.empty(len(order), np.int64)
    found[order] = place
    return found


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

    def minimal_sets(self, clues: Sequence[int], sizes: Sequence[int]) -> Iterator[tuple[int, ...]]:
        """The sets of these clues that are minimal, for stars of these sizes: those of several clues first."""
        for size in sorted(sizes, key=lambda size: (size == 2, size)):
            for chosen in combinations(clues, size - 1):
                if self.minimal(chosen):
                    yield chosen

    def minimal(self, clues: Sequence[int]) -> bool:
        """Whether the clues single out one head, and none of them can be left out."""
        held = [self.holders(fact) for fact in clues]
        if len(set.intersection(*held)) != 1:
            return False
        others = ([*held[:at], *held[at + 1 :]] for at in range(len(held)))
        return all(len(set.intersection(*rest)) > 1 for rest in others if rest)
