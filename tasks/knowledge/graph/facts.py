"""Triplets as the arrays of one graph per domain, every fact one edge (R10: documents merge within their domain)."""

import hashlib
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, fields
from typing import Any, cast

import numpy as np
import numpy.typing as npt

from rarefy.data_contracts.rows import LITERALS, Triplet
from rarefy.tasks.knowledge.graph.headlines import FAMILIES, family_of, how_telling
from rarefy.tasks.text.quantities import UNITS
from rarefy.tasks.text.stems import root

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
    columns: "FactColumns"  # what else is compared between facts
    rivals: Array  # int64: facts about others that answer the same question otherwise (`count_rivals`)
    rivals_in_chunk: Array  # int64: those of them that the fact's own chunk states
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


@dataclass(slots=True)
class FactColumns:
    """What is compared between facts, one row each; equal numbers mean equal things."""

    head: Array
    relation: Array
    whole: Array  # bool: the head is the company that the document is about
    sort: Array  # what a head is called without its name: "company", "segment of Apple"
    member: Array  # bool: the head is a part of a company
    person: Array  # bool: the head is a person
    link: Array  # bool: it leads to what another document is about
    kind: Array  # type and unit of the tail
    measured: Array  # those of a literal; things are all alike, since what sort of thing a name means is a guess
    asked: Array  # the period as it is asked for: a day that ends a fiscal year is that year's
    value: Array
    said: Array  # likewise, but for how it is written: "one year" is "1 year"
    concept: Array  # the tag, -1 for none
    document: Array
    number: Array  # float64: the value, nan where it is none
    family: Array  # in `FAMILIES`, of a measure by which people follow a company; -1 for none
    telling: Array  # how readily people describe a year or a segment by it; 0: not
    flow: Array  # bool: the period is a span of time
    year: Array  # the fiscal year of the period as it is asked for; 0 for another
    owner: Array  # bool: the fact is about what belongs to the head, and stands under its own name too
    alike: Array  # bool: another fact of a model, about another head, answers a question of like words otherwise

    def take(self, rows: Array) -> "FactColumns":
        """These rows, in this order."""
        return FactColumns(*(getattr(self, column.name)[rows] for column in fields(self)))


OWNER = "owner"  # the method of facts of what belongs to a thing (`link.owners`)
BY_MODEL = frozenset(("model", OWNER))
# words of relations that many facts have in common by chance
EMPTY_WORDS = frozenset(
    """
    the and any for from has have had with was were are been being its their than that this which who whose not may must
    can could should shall will would made make makes into onto upon over under after before within about other all
    day days week weeks month months year years hour hours percent
    one two three four five six seven eight nine ten
    """.split()
)
MEMBERS = frozenset(("SEGMENT", "PRODUCT", "REGION"))  # types of what is a part of a company


def is_member(triplet: Triplet) -> bool:
    """Whether the subject is a part of the company that its table reports on: "Apple Inc. Americas".

    "Total Property" is what several of the parts beside it make together.
    """
    part = triplet.subject.removeprefix(f"{triplet.entity} ") if triplet.entity else triplet.subject
    return triplet.subject_type in MEMBERS and part != triplet.subject and not _TOTAL.match(part)


_TOTAL = re.compile(r"(?:sub)?total\b", re.IGNORECASE)


_ROLE = re.compile(
    r"(?:participant|operator|agent|principal|less(?:or|ee)|licens(?:or|ee)|counterparty|guarantor|obligor|customer"
    r"|vendor|supplier|partner|member|affiliate|third part(?:y|ies))",
    re.IGNORECASE,
)


def is_in_a_role(triplet: Triplet) -> bool:
    """Whether a part of a company is called by what a party to a contract is: "Participant"."""
    return bool(triplet.entity) and bool(_ROLE.fullmatch(triplet.subject.removeprefix(triplet.entity).strip()))


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
    details: list[tuple[Any, ...]] = field(default_factory=list)  # a row of FactColumns without head and relation
    codes: dict[tuple[str, ...], int] = field(default_factory=dict)
    years: dict[tuple[str, str], str] = field(default_factory=dict)  # entity and last day → the fiscal year it ends
    stated: list[int] = field(default_factory=list)  # fact, chunk, fact, chunk, ... of the repeated ones
    names: list[str] = field(default_factory=list)  # the first name of each node
    mentions: list[int] = field(default_factory=list)
    other_names: dict[int, Counter[str]] = field(default_factory=dict)

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
        literal = is_literal(triplet)
        whole = triplet.subject_key and triplet.relation_key and triplet.object_key
        if triplet.rejected_because or not whole or (triplet.subject_key == triplet.object_key and not literal):
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
            self.details.append(self.detail(triplet))
            return
        self.stated += (fact, chunk)
        if triplet.triplet_id < self.ids[fact]:
            self.stated += (fact, self.chunk[fact])
            self.ids[fact], self.chunk[fact] = triplet.triplet_id, chunk
            self.details[fact] = self.detail(triplet)

    def code(self, *names: str) -> int:
        return self.codes.setdefault(names, len(self.codes))

    def detail(self, triplet: Triplet) -> tuple[Any, ...]:
        member, family, by_model = is_member(triplet), family_of(triplet), triplet.method in BY_MODEL
        ends = (triplet.entity, triplet.period_end)
        if triplet.period_start and triplet.period.startswith("fiscal year"):
            self.years[ends] = min(triplet.period, self.years.get(ends, triplet.period))
        instant = triplet.period_end and not triplet.period_start
        return (
            triplet.subject == triplet.entity,
            self.code("sort", triplet.subject_type, triplet.entity if member else ""),
            member,
            triplet.subject_type == "PERSON",
            triplet.method == "link",
            self.code("kind", triplet.object_type, triplet.unit),
            self.code("kind", triplet.object_type, triplet.unit) if is_literal(triplet) else -1,
            ("", *ends) if instant else (triplet.period,),
            self.code("value", triplet.value or triplet.object_key),
            self.code("said", said_value(triplet) if is_literal(triplet) else triplet.object_key),
            self.code("concept", triplet.concept) if triplet.concept else -1,
            self.code("document", triplet.doc_id),
            _number(triplet.value),
            FAMILIES.index(family) if family else -1,
            how_telling(triplet),
            bool(triplet.period_start),
            triplet.method == OWNER,
            Claimed.of(triplet) if by_model else None,
        )

    def columns(self, keys: Array, order: Array) -> FactColumns:
        rows = [self.details[i] for i in order.tolist()]
        periods = [self.years.get(row[7][1:], row[7][-1]) for row in rows]
        columns = zip(*rows, strict=True) if rows else [()] * 18
        whole, sort, member, person, link, kind, measured, _, value, said, concept, document, *more = columns
        number, family, telling, flow, owner, claimed = more
        found = FactColumns(
            head=keys[order, 0],
            relation=keys[order, 1],
            whole=np.array(whole, bool),
            sort=np.array(sort, np.int64),
            member=np.array(member, bool),
            person=np.array(person, bool),
            link=np.array(link, bool),
            kind=np.array(kind, np.int64),
            measured=np.array(measured, np.int64),
            asked=np.array([self.code("asked", period) for period in periods], np.int64),
            value=np.array(value, np.int64),
            said=np.array(said, np.int64),
            concept=np.array(concept, np.int64),
            document=np.array(document, np.int64),
            number=np.array(number, np.float64),
            family=np.array(family, np.int64),
            telling=np.array(telling, np.int64),
            flow=np.array(flow, bool),
            year=np.array([_year(period) for period in periods], np.int64),
            owner=np.array(owner, bool),
            alike=np.zeros(len(rows), bool),
        )
        found.alike = find_alike(claimed)
        return found

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
        columns = self.columns(keys, order)
        return Graph(
            domain=domain,
            head=keys[order, 0],
            tail=tail,
            relation=keys[order, 1],
            literal=literal_node[tail] if len(tail) else np.zeros(0, bool),
            columns=columns,
            rivals=count_rivals(columns),
            rivals_in_chunk=count_rivals_in_chunk(columns, chunk, start, support),
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


def _number(value: str) -> float:
    try:
        return float(value)
    except ValueError:
        return float("nan")


def _year(period: str) -> int:
    name, _, year = period.rpartition(" ")
    return int(year) if name == "fiscal year" and year.isdecimal() else 0


def count_rivals(columns: FactColumns) -> Array:
    """Per fact: the facts about other heads of its sort that answer the same question otherwise.

    They have the same relation or the same tag, the period as it is asked for, of a literal the type and the unit, and
    another value. Without its clue a question has them as answers too, so that a clue is needed where there is one.
    """
    same = (columns.sort, columns.measured, columns.asked)
    relation, concept = columns.relation, columns.concept
    tagged = count_others(columns, *same, concept) - count_others(columns, *same, concept, relation)
    return count_others(columns, *same, relation) + np.where(concept >= 0, tagged, 0)


def count_rivals_in_chunk(columns: FactColumns, chunk: Array, start: Array, support: Array) -> Array:
    """Per fact: those of its rivals that its own chunk states too, whichever chunk stands for them."""
    stated = columns.take(np.repeat(np.arange(len(chunk)), np.diff(start)))
    stated.sort = stated.sort * (int(support.max(initial=0)) + 1) + support
    return count_rivals(stated)[start[:-1]]  # a fact's own chunk stands first


def count_others(columns: FactColumns, *same: Array) -> Array:
    """The facts with equal columns, less those of the same head or of the same value."""
    head, value = columns.head, columns.value
    either: Array = group_sizes(*same, head) + group_sizes(*same, value) - group_sizes(*same, head, value)
    others: Array = group_sizes(*same) - either
    return others


@dataclass(frozen=True, slots=True)
class Claimed:
    """What a model's fact says, as far as another may say it of another thing."""

    subject: str
    value: str
    kind: str  # the type of a value; of other ends whether they are named or described
    words: frozenset[str]

    @classmethod
    def of(cls, triplet: Triplet) -> "Claimed":
        """That of a triplet."""
        is_named = re.match(r"[A-Z\d#@]|\S*[@:/_]|[a-z]\S* [A-Z]", triplet.object)  # "etcd Operator", "2.5mm hex key"
        kind = triplet.object_type if is_literal(triplet) else NAMED if is_named else DESCRIBED
        return cls(triplet.subject.casefold(), said_value(triplet), kind, telling_roots(triplet))

    def may_be_taken_for(self, other: "Claimed") -> bool:
        """Whether the other says another thing of another one, in words that are alike."""
        apart = self.subject not in other.subject and other.subject not in self.subject
        return apart and self.value != other.value and self.is_worded_as(other.kind, other.words)

    def is_worded_as(self, kind: str, words: frozenset[str]) -> bool:
        """Whether most of the words are both's; of values, half of the words of the shorter.

        "Is elected to a 2-year term" and "has no term length" answer one question, of two councils.
        """
        values = {self.kind, kind} - {DESCRIBED}
        if NAMED in values or not values:
            shared, every = (self.words & words) - {AGENT}, (self.words | words) - {AGENT}
            same_kind = self.kind == kind and (AGENT in self.words) == (AGENT in words)  # who is not when or where
            return same_kind and len(shared) > ALIKE * len(every)
        shared = self.words & words
        return len(values) == 1 and len(shared) >= ALIKE * max(1, min(len(self.words), len(words)))


NAMED, DESCRIBED = "named", "described"
ENOUGH = 8  # facts of one wording that are compared
ALIKE = 0.5  # of the words of two relations
AGENT = "by"  # at the end of a relation


def find_alike(facts: Sequence[Claimed | None]) -> Array:
    """Which facts could be taken for an answer to a question about another's thing, whose page words it as its own."""
    groups: defaultdict[tuple[str, frozenset[str]], list[Claimed]] = defaultdict(list)
    having: defaultdict[str, dict[tuple[str, frozenset[str]], None]] = defaultdict(dict)
    for fact in filter(None, facts):
        group = groups[fact.kind, fact.words]
        if len(group) < ENOUGH:
            group.append(fact)
            for word in fact.words:
                having[word][fact.kind, fact.words] = None

    def has_rival(fact: Claimed) -> bool:
        near = {key: None for word in sorted(fact.words) for key in having[word]}
        return any(fact.may_be_taken_for(other) for key in near if fact.is_worded_as(*key) for other in groups[key])

    return np.array([fact is not None and has_rival(fact) for fact in facts], bool)


def group_sizes(*columns: Array) -> Array:
    """Per row: how many rows have its values."""
    order = np.lexsort(columns)
    new = np.ones(len(order), bool)
    new[1:] = np.any([column[order][1:] != column[order][:-1] for column in columns], axis=0)
    sizes = np.diff(np.flatnonzero(new), append=len(order))
    found = np.empty(len(order), np.int64)
    found[order] = np.repeat(sizes, sizes)
    return found


def hash_point(*names: str) -> int:
    """The 64-bit hash of some names, by which facts are ordered; takes a third of the time of `row_id`."""
    return int.from_bytes(hashlib.blake2b("\x1f".join(names).encode("utf-8", "surrogatepass"), digest_size=8).digest())


def as_sequence(array: Array) -> Sequence[int]:
    """The array as Python's numbers, quick to read one by one, without a copy."""
    return cast(Sequence[int], memoryview(cast(Any, np.ascontiguousarray(array))))


def is_literal(triplet: Triplet) -> bool:
    """Whether the object is a value rather than a thing."""
    return triplet.object_type in LITERALS


_DIGITS = {word: str(number) for word, number in UNITS.items() if number <= 10}


def said_value(triplet: Triplet) -> str:
    """What an object comes to, by which two facts say the same: "one (1) year" and "one-year" are equal."""
    words = re.findall(r"[^\W_]+|[^\w\s()-]", re.sub(r"\(\d+\)", "", triplet.object.casefold()))
    return triplet.value or " ".join(_DIGITS.get(word, word.removesuffix("s")) for word in words)


def telling_roots(triplet: Triplet) -> frozenset[str]:
    """The roots of the words that say what a fact is about, of a value those beside its number too.

    `AGENT` stands for a "by" at the end of a relation.
    """
    said = f"{triplet.relation} {triplet.object}" if is_literal(triplet) else triplet.relation
    roots = {root(word) for word in re.findall(r"[a-z]{3,}", said) if word not in EMPTY_WORDS}
    return frozenset(roots | ({AGENT} if triplet.relation.endswith(" by") and not is_literal(triplet) else set()))


def build_graphs(triplets: Iterable[Triplet]) -> list[Graph]:
    """One graph per domain, by name of domain; the same whatever the order of the triplets."""
    domains: defaultdict[str, _GraphBuilder] = defaultdict(_GraphBuilder)
    for triplet in triplets:
        domains[triplet.domain].add(triplet)
    return [gathered.graph(domain) for domain, gathered in sorted(domains.items())]
