"""Whether the corpus has another thing that fits a path as its pivot and leads to another answer (RARE R19)."""

from collections.abc import Sequence

from rarefy.data_contracts.rows import Triplet
from rarefy.tasks.questions.ask.index import Index, object_of, relation_of, subject_of


def leads_elsewhere(pattern: str, facts: Sequence[Triplet], target: Triplet, known: Index) -> bool:
    """Whether the same relations lead from what is given to a second answer through another pivot.

    A model may describe a pivot better than its relation does ("the largest segment", where the fact says "has
    segment"), which nobody can check here: such a question is given up with the others. Inverted stars are the gate's.
    """
    if pattern == "chain":
        return _chain(facts, target, known)
    if pattern == "star":
        clues = [fact for fact in facts if fact != target]
        others = set.intersection(*(known.subjects[relation_of(c), object_of(c)] for c in clues))
        return any(_differs(f, target) for other in others for f in known.facts.get(_of(other, target), ()))
    return False


def _chain(facts: Sequence[Triplet], target: Triplet, known: Index) -> bool:
    *links, last = facts
    if target == last:
        reached = {subject_of(facts[0])}
        for link in links:
            reached = {thing for name in reached for thing in known.objects.get(_of(name, link), ())}
        return any(_differs(fact, last) for name in reached for fact in known.facts.get(_of(name, last), ()))
    reached = {object_of(last)}
    for link in reversed(facts[1:]):
        reached = {name for thing in reached for name in known.subjects.get((relation_of(link), thing), ())}
    heads = {head for thing in reached for head in known.subjects.get((relation_of(target), thing), ())}
    return len(heads) > 1


def _of(name: str, fact: Triplet) -> tuple[str, str]:
    return name, relation_of(fact)


def _differs(fact: Triplet, target: Triplet) -> bool:
    """Whether a fact of the same relation and time says another thing."""
    if (fact.unit, _when(fact)) != (target.unit, _when(target)):
        return False
    return object_of(fact) != object_of(target) and (not fact.value or fact.value != target.value)


def _when(fact: Triplet) -> str:
    """The time of a fact; "" where it says none: then it holds until a later document says another thing."""
    return fact.period_end or fact.period
