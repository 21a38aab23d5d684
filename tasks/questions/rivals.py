"""What else a collection says that could be taken for an answer: facts of like words about other things."""

from collections import defaultdict
from collections.abc import Iterable, Sequence

from rarefy.data_contracts.rows import Triplet
from rarefy.tasks.knowledge.graph.facts import BY_MODEL, Claimed


class Rivals:
    """The accepted facts of models, by the words that say what they are about."""

    def __init__(self, triplets: Iterable[Triplet]) -> None:
        self._facts: defaultdict[str, list[tuple[Triplet, Claimed]]] = defaultdict(list)
        for fact in triplets:
            if fact.method in BY_MODEL and not fact.rejected_because:
                claimed = Claimed.of(fact)
                for word in claimed.words:
                    self._facts[word].append((fact, claimed))

    def find(self, fact: Triplet, most: int) -> Sequence[Triplet]:
        """So many facts of another thing with another object of the same kind, those of its relation first.

        Then come those that share more words; of one thing one is shown.
        """
        own = Claimed.of(fact)
        near = {pair[0].triplet_id: pair for word in own.words for pair in self._facts.get(word, ())} if most else {}
        alike = [(other, claimed) for other, claimed in near.values() if own.may_be_taken_for(claimed)]
        alike.sort(
            key=lambda pair: (
                pair[0].relation_key != fact.relation_key,
                -len(own.words & pair[1].words),
                pair[0].triplet_id,
            )
        )
        ranked = [other for other, _ in alike]
        first = {(other.chunk_id, other.start): other for other in reversed(ranked)}
        return [other for other in ranked if first[other.chunk_id, other.start] is other][:most]


def describe(fact: Triplet) -> str:
    """A fact in one line."""
    return " | ".join(" ".join(part.split()) for part in (fact.subject, fact.relation, fact.object))
