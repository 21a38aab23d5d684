"""Every name of a corpus, with how often and in which sentence it is said."""

import re
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cache

from rarefy.data_contracts.rows import Merge, Triplet, row_id
from rarefy.tasks.knowledge.graph.facts import is_literal
from rarefy.tasks.text.names import plain


@cache
def fold_label(text: str) -> str:
    """A relation without case and punctuation: "Non-current assets" and "noncurrent assets" are one.

    Signs that carry meaning stay: "gross margin %" is not "gross margin", and "other (income) expense" has the opposite
    sign of "other income (expense)". So do the digits of a number.
    """
    kept = re.sub(r"(?<=\d)[.,](?=\d)", "·", plain(text).replace("&", " and "))
    return re.sub(r"[^\w%$#+·()]|_", "", kept)


UNTYPED = "NAME"  # the type of what a name alone does not tell
LONGEST_ROLE = 8  # words
SENTENCES_KEPT = 40  # of an organisation, to find its short name in; those of the smallest hash


@dataclass(slots=True)
class MentionCount:
    """How often a name is mentioned, and the sentence of the smallest hash that does so.

    By hash, so that a renamed document or one more sentence rarely shows a model another sentence.
    """

    support: int = 0
    sentence: str = ""
    by_form_only: bool = False  # a relation that a table or cover has
    documents: set[str] = field(default_factory=set)  # that name it, of a short name


@dataclass(slots=True)
class Names:
    """Every name of a corpus, counted; the same whatever the order of its triplets."""

    relations: dict[str, MentionCount] = field(default_factory=lambda: defaultdict(MentionCount))
    pairs: dict[tuple[str, str], set[str]] = field(default_factory=lambda: defaultdict(set))  # types → relations
    entities: dict[tuple[str, str], MentionCount] = field(
        default_factory=lambda: defaultdict(MentionCount)
    )  # (type, name)
    registrants: set[str] = field(default_factory=set)
    # by organisation; of other names those sentences alone that may say what the name is for short
    sentences: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))

    def mentions(self, kind: str, of: str, name: str) -> MentionCount:
        """The mentions of a relation, or of an entity of type `of`; none for a name that only the config has."""
        known = self.relations.get(name) if kind == "relation" else self.entities.get((of, name))
        return known or MentionCount()

    def entity_rank(self, kind: str, name: str) -> tuple[bool, int, int, str]:
        """Sort key of a name, the best first: a registrant's, the most mentioned, the shortest.

        A registrant keeps its registered name, so that more mentions of another in a new document do not rename it.
        """
        return name not in self.registrants, -self.mentions("entity", kind, name).support, len(name), name


def collect_names(rows: Iterable[Triplet], embedded: Iterable[str]) -> Names:
    """The names in the accepted triplets; relations of other methods than `embedded` merge by form only."""
    names = Names()
    distinct = {row.triplet_id: row for row in rows if not row.rejected_because}
    for row in sorted(distinct.values(), key=lambda row: (row_id(row.source_sentence), row.triplet_id)):
        ends = [(row.subject_type, row.subject)] + [(row.object_type, row.object)] * (not is_literal(row))
        for mentions in (names.relations[row.relation], *(names.entities[end] for end in ends)):
            mentions.support += 1
            mentions.sentence = mentions.sentence or row.source_sentence
        names.relations[row.relation].by_form_only |= row.method not in embedded
        names.pairs[row.subject_type, row.object_type].add(row.relation)
        names.registrants.add(row.entity)
        for kind, name in ends:
            may_tell = kind == "ORG" or f"{name} (" in row.source_sentence
            if may_tell and not row.header and len(names.sentences[name]) < SENTENCES_KEPT:
                names.sentences[name].append(row.source_sentence)
            if len(name.split()) <= LONGEST_ROLE:
                names.entities[kind, name].documents.add(row.doc_id)
    return names


def joined_types(subject_type: str, object_type: str) -> str:
    """The types that a relation joins, as one text: "ORG > PERSON"."""
    return f"{subject_type or 'THING'} > {object_type or 'THING'}"


def make_merge(names: Names, kind: str, of: str, name: str, best: str, rule: str, best_of: str = "") -> Merge:
    """The row that merges a name into another, of another type `best_of`: by which rule, a sentence of each."""
    types = (of, best_of or of)
    sentences = (names.mentions(kind, *each).sentence[:300] for each in zip(types, (name, best), strict=True))
    evidence = f"{rule}: " + " / ".join(f"“{sentence}”" for sentence in sentences)
    return Merge(row_id(kind, of, name, best), kind, name, best, of, evidence)
