"""Paths of listings: facts that say of each of several things whether it is one of those asked for.

Membership is settled for every candidate by a fact of its own: the same relation with the same or another object, or a
figure on one side or the other of a threshold. That a thing has no fact is never taken for a no.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from decimal import Decimal
from itertools import pairwise

from rarefy.data_contracts.rows import Path, Triplet, row_id
from rarefy.tasks.knowledge.graph.config import GraphConfig

# Relations of which a company has one object at a time
ONE_OBJECT = ("is audited by", "is incorporated in", "is based in", "is listed on")
PARTS = ("SEGMENT", "PRODUCT", "REGION")  # types of subject that tables set side by side
FEWEST, MOST = 2, 6  # members
CANDIDATES = (4, 5)  # that a question names; fewer where there are no more
APART = Decimal("1.05")  # a threshold and any figure beside it differ by this factor at least
LEADING = tuple(Decimal(number) for number in "1 5 2 3 4 2.5 1.5 6 8 7 9".split())  # of a threshold, roundest first

# A label that says which way its figure counts, or that it is what is left: no measure to hold several against
_SLANTED = re.compile(
    r"[()]|\b(?:loss(?:es)?|benefits?|credits?|decreas\w+|increas\w+|changes?|used|other|net cash|adjust\w*|before"
    r"|impact|effects?|attributable|excluding|including|average|pro forma|deferred|acquisitions)\b|:",
    re.IGNORECASE,
)


def is_slanted(label: str) -> bool:
    """Whether a label leans one way, or names a remainder."""
    return bool(_SLANTED.search(label))


def propose_listings(triplets: Iterable[Triplet], config: GraphConfig) -> Iterator[Path]:
    """The listings of the smallest hashes; `pivot` is what members have: the key of an object, or a threshold."""
    kept = [t for t in triplets if not t.rejected_because and t.subject_key and t.relation_key and t.object_key]
    found: dict[str, Path] = {}
    for path in (*_same_object(kept), *_above_threshold(_figures_of_companies(kept)), *_above_threshold(_parts(kept))):
        found.setdefault(path.path_id, path)
    yield from [found[name] for name in sorted(found)][: config.quotas.get("listing", 0)]


def is_member(fact: Triplet, pivot: str) -> bool:
    """Whether what a candidate's fact says makes it one of those asked for."""
    return Decimal(fact.value) > Decimal(pivot) if fact.value else fact.object_key == pivot


def _same_object(triplets: Sequence[Triplet]) -> Iterator[Path]:
    """Companies that say the same of themselves, among others that say something else."""
    said: dict[tuple[str, str], dict[str, list[Triplet]]] = defaultdict(lambda: defaultdict(list))
    for triplet in triplets:
        if triplet.relation in ONE_OBJECT and triplet.method == "cover" and triplet.subject == triplet.entity:
            said[triplet.domain, triplet.relation_key][triplet.subject_key].append(triplet)
    for (domain, relation), facts in sorted(said.items()):
        # one that moved, or changed its auditor, is neither here nor there
        steady = {name: min(its, key=lambda t: t.triplet_id) for name, its in facts.items() if _is_one_object(its)}
        for key in sorted({fact.object_key for fact in steady.values()}):
            inside = _by_hash([f for f in steady.values() if f.object_key == key], relation, key)
            outside = _by_hash([f for f in steady.values() if f.object_key != key], relation, key)
            for turn, size in enumerate(CANDIDATES):
                members = inside[turn : turn + 1 + (size + turn) // 2]
                chosen = [*members, *outside[turn : turn + size - len(members)]]
                if len(members) >= FEWEST and len(chosen) == size:
                    yield _path(domain, key, chosen)


def _is_one_object(facts: Sequence[Triplet]) -> bool:
    return len({fact.object_key for fact in facts}) == 1


# Nobody asks by name for what is left
_REMAINDER = re.compile(r"\b(?:other|excluding|unallocated|eliminations?|corporate)\b", re.IGNORECASE)
Group = tuple[str, Sequence[Triplet]]  # domain, and a fact of each candidate


def _figures_of_companies(triplets: Sequence[Triplet]) -> Iterator[Group]:
    """Figures that carry the same tag, of several companies in one period, most of them under the same label."""
    said: dict[tuple[str, ...], dict[str, list[Triplet]]] = defaultdict(lambda: defaultdict(list))
    for triplet in triplets:
        if triplet.concept and triplet.subject == triplet.entity and _is_figure(triplet) and triplet.period_start:
            group = said[triplet.domain, triplet.concept, triplet.unit, triplet.period]
            group[triplet.subject_key].append(triplet)
    for (domain, *names), companies in sorted(said.items()):
        # what one company says of itself twice must be the same figure, under labels that lean neither way
        facts = {
            name: its
            for name, its in companies.items()
            if len({t.value for t in its}) == 1 and not any(is_slanted(t.relation) for t in its)
        }
        labels: dict[str, set[str]] = defaultdict(set)
        for name, its in facts.items():
            for triplet in its:
                labels[triplet.relation].add(name)
        common = min(labels, key=lambda label: (-len(labels[label]), label), default="")
        if not common or len(labels[common]) < 2:
            continue
        ranked = [
            min(its, key=lambda t: (t.relation != common, t.triplet_id))
            for its in sorted(facts.values(), key=lambda its: row_id("listing", *names, its[0].subject_key))
        ]
        size = CANDIDATES[int(row_id("size", *names), 16) % len(CANDIDATES)]
        ranked.sort(key=lambda t: t.relation != common)  # those that use the label asked with come first
        if len(ranked) > FEWEST:
            yield domain, ranked[:size]


def _parts(triplets: Sequence[Triplet]) -> Iterator[Group]:
    """Figures of the segments, products or regions that one table sets side by side."""
    rows: dict[tuple[str, ...], dict[str, Triplet]] = defaultdict(dict)
    values: dict[tuple[str, ...], set[str]] = defaultdict(set)
    for triplet in triplets:
        if triplet.subject_type in PARTS and triplet.subject != triplet.entity and _is_figure(triplet):
            measure = (triplet.domain, triplet.relation, triplet.unit, triplet.period)
            values[triplet.subject_key, *measure].add(triplet.value)
            rows[*measure, triplet.entity, triplet.subject_type, triplet.chunk_id].setdefault(
                triplet.subject_key, triplet
            )
    for (domain, relation, unit, period, *_), facts in sorted(rows.items()):
        settled = all(len(values[name, domain, relation, unit, period]) == 1 for name in facts)
        named = [fact for fact in facts.values() if not _REMAINDER.search(fact.subject.removeprefix(fact.entity))]
        if settled and len(named) > FEWEST and not is_slanted(relation):
            yield domain, _by_hash(named, relation, period)[: max(CANDIDATES)]


def _is_figure(triplet: Triplet) -> bool:
    """Whether this is an amount of money above nothing, of a table, whose currency has a sign."""
    if triplet.method != "table" or triplet.unit.partition("/")[0] not in ("USD", "EUR", "GBP", "JPY"):
        return False
    return bool(re.fullmatch(r"\d+(?:\.\d+)?", triplet.value)) and Decimal(triplet.value) > 0 and bool(triplet.period)


def _above_threshold(groups: Iterable[Group]) -> Iterator[Path]:
    for domain, facts in groups:
        if threshold := choose_threshold([Decimal(fact.value) for fact in facts]):
            yield _path(domain, str(threshold), facts)


def choose_threshold(values: Sequence[Decimal]) -> Decimal | None:
    """The roundest number clear of all values that leaves two to six of them above it, and at least one below.

    Where several gaps have one, it is the one nearest the middle.
    """
    falling = sorted(values, reverse=True)
    found = []
    for above, (high, low) in enumerate(pairwise(falling), 1):
        threshold = _round_number(low * APART, high / APART)
        if FEWEST <= above <= MOST and threshold is not None:
            found.append((abs(2 * above - len(falling)), LEADING.index(_leading(threshold)), threshold))
    return min(found)[2] if found else None


def _round_number(low: Decimal, high: Decimal) -> Decimal | None:
    powers = range(low.adjusted(), high.adjusted() + 1)
    fits = [
        (rank, number)
        for power in powers
        for rank, leading in enumerate(LEADING)
        if low <= (number := leading.scaleb(power)) <= high
    ]
    return Decimal(f"{min(fits)[1]:f}") if fits else None


def _leading(number: Decimal) -> Decimal:
    return number.scaleb(-number.adjusted()).normalize()


def _by_hash(facts: Iterable[Triplet], *names: str) -> list[Triplet]:
    return sorted(facts, key=lambda fact: row_id("listing", *names, fact.subject_key))


def _path(domain: str, pivot: str, facts: Sequence[Triplet]) -> Path:
    """The path of these candidates, in an order that does not tell who is in."""
    facts = _by_hash(facts, "order", pivot)
    names = [fact.triplet_id for fact in facts]
    return Path(
        row_id("path", "listing", pivot, *names),
        "listing",
        tuple(names),
        tuple(fact.chunk_id for fact in facts),
        pivot,
        domain,
    )


def measure_label(facts: Iterable[Triplet]) -> str:
    """What most of these facts call their measure."""
    counts: dict[str, int] = defaultdict(int)
    for fact in facts:
        counts[fact.relation] += 1
    return min(counts, key=lambda label: (-counts[label], label))
