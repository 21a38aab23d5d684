"""Inverted star: heads that meet in one tail; one is asked for (RARE R20: A = head1, B = tail, C = head2)."""

from rarefy.data_contracts.rows import Path, Triplet, row_id
from rarefy.tasks.knowledge.extract.places import STATES
from rarefy.tasks.questions.ask.clauses import about_subject, article, noun
from rarefy.tasks.questions.ask.index import Index, object_of, relation_of, subject_of
from rarefy.tasks.questions.ask.wording import Wording, refuse

_SHARED = {  # relation → how two things share its object
    "is audited by": "has the same independent auditor as {other}",
    "is listed on": "has its common stock listed on the same stock exchange as {other}",
    "is incorporated in": "is incorporated in the same jurisdiction as {other}",
    "is headquartered in": "is headquartered in the same city as {other}",
}


def inverted_star(path: Path, known: Index) -> Wording:
    """Which other thing shares the tail with the named ones; a trait narrows it down where several do."""
    arms = [known.triplets[i] for i in path.triplet_ids]
    if len({relation_of(arm) for arm in arms}) != 1:
        return refuse("heads_share_no_meaning")
    named_by_all = known.subjects[relation_of(arms[0]), object_of(arms[0])]
    refused = refuse("answer_not_unique")
    for at, answer in enumerate(arms):
        given = arms[:at] + arms[at + 1 :]
        others = named_by_all - {subject_of(arm) for arm in given}
        # with a trait one named company says enough; several are named only where each has to be ruled out
        trait = None if len(others) == 1 or len(given) > 1 else narrowing(given, answer, others, path, known)
        if len(others) == 1 or trait:
            wording = worded(given, answer, trait, known)
            if wording.text:
                return wording
            refused = wording
    return refused


def narrowing(given: list[Triplet], second: Triplet, others: set[str], path: Path, known: Index) -> Triplet | None:
    """A trait that, of all that share the tail, only the answer has; one that gives it away alone is no trait."""
    fits = []
    for trait in known.traits.get(subject_of(second), ()):
        holders = known.subjects[relation_of(trait), object_of(trait)]
        narrows = others & holders == {subject_of(second)} and len(holders - {subject_of(arm) for arm in given}) > 1
        if narrows and relation_of(trait) != relation_of(second) and trait.doc_id == second.doc_id:
            fits.append(trait)
    return min(fits, key=lambda t: row_id(path.path_id, t.triplet_id), default=None)


def worded(given: list[Triplet], second: Triplet, trait: Triplet | None, known: Index) -> Wording:
    """The question for the second head, its name found in its own document."""
    kind = noun(second.subject_type, second.entity, second.subject)
    names = sorted(article(arm.subject, arm.subject_type) for arm in given)
    shared = shares(second, names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}")
    if not kind or not shared:
        return refuse("no_wording")
    document = known.documents[second.doc_id]
    traits = (trait,) if trait else ()
    naming = known.naming(document, [t.chunk_id for t in (second, *traits)])
    if naming is None or second.subject != document.entity:
        return refuse("answer_not_named")
    text = f"Which {kind} that {about_subject(trait)} {shared}?" if trait else f"Which other {kind} {shared}?"
    return Wording(text, second.subject, second, (naming,), restrictions=traits)


def shares(triplet: Triplet, other: str) -> str | None:
    """ "has the same independent auditor as Tesla, Inc."; None for relations that two things do not share in words."""
    template = _SHARED.get(triplet.relation)
    if triplet.relation == "is based in":
        return f"is headquartered in the same state as {other}" if triplet.object in STATES.values() else None
    return template.format(other=other) if template else None
