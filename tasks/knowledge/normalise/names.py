"""Every name of a corpus with how often and where it is said, and the merging of two."""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field

from rarefy.data_contracts.rows import Merge, Triplet, row_id
from rarefy.tasks.knowledge.graph.facts import is_literal

SENTENCES_KEPT = 40  # of an organisation, to find its short name in; those of the smallest hash


@dataclass(slots=True)
class MentionCount:
    """How often a name is said, and the sentence of the smallest hash that says it.

    A model may be shown it: a document of another name, or one sentence more of many, rarely shows it another.
    """

    support: int = 0
    sentence: str = ""
    by_form_only: bool = False  # a relation that a table or cover has


@dataclass(slots=True)
class Names:
    """Every name of a corpus, counted; the same whatever the order of its triplets."""

    relations: dict[str, MentionCount] = field(default_factory=lambda: defaultdict(MentionCount))
    pairs: dict[tuple[str, str], set[str]] = field(default_factory=lambda: defaultdict(set))  # types → relations
    entities: dict[tuple[str, str], MentionCount] = field(
        default_factory=lambda: defaultdict(MentionCount)
    )  # (type, name)
    registrants: set[str] = field(default_factory=set)
    told: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))  # organisation → sentences

    def said(self, kind: str, of: str, name: str) -> MentionCount:
        """What is known of a relation or of an entity of type `of`; a name that only the config says is never said."""
        known = self.relations.get(name) if kind == "relation" else self.entities.get((of, name))
        return known or MentionCount()

    def entity_rank(self, kind: str, name: str) -> tuple[bool, int, int, str]:
        """A registrant goes by its registered name: more mentions of another, in a new document, must not rename it."""
        return name not in self.registrants, -self.said("entity", kind, name).support, len(name), name


def gathered(rows: Iterable[Triplet], embedded: Iterable[str]) -> Names:
    """The names of the triplets that stand; relations of other methods than `embedded` merge by form only."""
    names = Names()
    distinct = {row.triplet_id: row for row in rows if not row.rejected_because}
    for row in sorted(distinct.values(), key=lambda row: (row_id(row.source_sentence), row.triplet_id)):
        ends = [(row.subject_type, row.subject)] + [(row.object_type, row.object)] * (not is_literal(row))
        for said in (names.relations[row.relation], *(names.entities[end] for end in ends)):
            said.support += 1
            said.sentence = said.sentence or row.source_sentence
        names.relations[row.relation].by_form_only |= row.method not in embedded
        names.pairs[row.subject_type, row.object_type].add(row.relation)
        names.registrants.add(row.entity)
        for kind, name in ends:
            if kind == "ORG" and not row.header and len(names.told[name]) < SENTENCES_KEPT:
                names.told[name].append(row.source_sentence)
    return names


def types(subject_type: str, object_type: str) -> str:
    """What a relation joins, in words."""
    return f"{subject_type or 'THING'} > {object_type or 'THING'}"


def merge(names: Names, kind: str, of: str, name: str, best: str, rule: str) -> Merge:
    """The row that says that a name is another, by which rule, with a sentence of each."""
    said, by = names.said(kind, of, name), names.said(kind, of, best)
    evidence = f"{rule}: “{said.sentence[:300]}” / “{by.sentence[:300]}”"
    return Merge(row_id(kind, of, name, best), kind, name, best, of, evidence)
