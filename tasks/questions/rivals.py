"""What else a collection says that could be taken for an answer: facts of like words about other things."""

from collections import defaultdict
from collections.abc import Iterable, Sequence

from rarefy.data_contracts.rows import Triplet
from rarefy.tasks.knowledge.graph.facts import BY_MODEL, Claimed, telling_roots


class Rivals:
    """The accepted facts of models, by the words that say what they are about."""

    def __init__(self, triplets: Iterable[Triplet]) -> None:
        self._facts: defaultdict[str, list[Triplet]] = defaultdict(list)
        for fact in triplets:
            if fact.method in BY_MODEL and not fact.rejected_because:
                for word in telling_roots(fact):
                    self._facts[word].append(fact)

    def find(self, fact: Triplet, most: int) -> Sequence[Triplet]:
        """So many facts of another thing with another object of the same kind, those of its relation first.

        Then come those that share more words; of one thing one is shown.
        """
        own = Claimed.of(fact)
        near = {other.triplet_id: other for word in own.words for other in self._facts.get(word, ())} if most else {}
        ranked = sorted(
            (other for other in near.values() if own.may_be_taken_for(Claimed.of(other))),
            key=lambda other: (
                other.relation_key != fact.relation_key,
                -len(own.words & Claimed.of(other).words),
                other.triplet_id,
            ),
        )
        first = {(other.chunk_id, other.start): other for other in reversed(ranked)}
        return [other for other in ranked if first[other.chunk_id, other.start] is other][:most]


def describe(fact: Triplet) -> str:
    """A fact in one line."""
    return " | ".join(" ".join(part.split()) for part in (fact.subject, fact.relation, fact.object))
