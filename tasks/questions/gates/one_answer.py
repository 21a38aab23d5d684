"""Does the corpus give another answer to the same question?"""

from collections import defaultdict
from collections.abc import Mapping, Sequence

from rarefy.data_contracts.rows import Chunk, Question, Triplet
from rarefy.tasks.questions.gates.config import GatesConfig
from rarefy.tasks.questions.gates.given_away import says
from rarefy.tasks.text.notations import numbers, same

Key = tuple[str, ...]


def one_answer(
    questions: Sequence[Question], config: GatesConfig, *, chunks: Mapping[str, Chunk], triplets: Mapping[str, Triplet]
) -> dict[str, str]:
    """Rejects questions to which another fact of the corpus, or a question worded alike, gives a second answer."""
    said: dict[Key, dict[str, Triplet]] = defaultdict(dict)  # what is said of a subject, by its object
    held: dict[Key, dict[str, str]] = defaultdict(dict)  # of which subjects an object is said, and their names
    for triplet in triplets.values():
        if not triplet.rejected_because:
            for about in (_about(triplet), _about(triplet, always=True)):
                said[_subject(triplet), *about].setdefault(_object(triplet), triplet)
                held[_object(triplet), *about].setdefault(_subject(triplet), triplet.subject)
    worded: dict[str, list[Question]] = defaultdict(list)
    for question in questions:
        worded[_plain(question.text)].append(question)
    return {
        q.question_id: "several_answers"
        for q in questions
        if _ambiguous(q, triplets, said, held) or any(_differ(q, other) for other in worded[_plain(q.text)])
    }


def _ambiguous(
    question: Question,
    triplets: Mapping[str, Triplet],
    said: Mapping[Key, Mapping[str, Triplet]],
    held: Mapping[Key, Mapping[str, str]],
) -> bool:
    used = [triplets[t] for t in question.triplet_ids if t in triplets]
    answers = {question.answer, *question.aliases}
    for target in used:
        if target.answer == question.answer and target.subject != question.answer:
            others = said[_subject(target), *_about(target, question.latest)].values()
            if any(_contradicts(target, other) for other in others):
                return True
        elif target.subject in answers:
            told = [held[_object(t), *_about(t, question.latest)] for t in used if _subject(t) == _subject(target)]
            fit = set.intersection(*(set(subjects) for subjects in told))
            # "listed on the same exchange as NVIDIA" is true of NVIDIA too, but does not ask for it.
            if any(not says(question.text, told[0][subject]) for subject in fit - {_subject(target)}):
                return True
    return False


def _contradicts(one: Triplet, other: Triplet) -> bool:
    """Do two facts with the same subject, relation, unit and period say different things?"""
    if one.value and other.value:
        return one.value != other.value and not _same_number(one.value, other.value)
    a, b = _plain(one.answer or one.object), _plain(other.answer or other.object)
    return _object(one) != _object(other) and a not in b and b not in a


def _same_number(one: str, other: str) -> bool:
    if one.startswith("-") != other.startswith("-"):
        return False  # a profit is not a loss
    a, b = numbers(one.lstrip("-")), numbers(other.lstrip("-"))
    return len(a) == len(b) == 1 and a[0].power == b[0].power and same(a[0], b[0], fewest=3)


def _differ(one: Question, other: Question) -> bool:
    mine, theirs = ({_plain(a) for a in (q.answer, *q.aliases)} for q in (one, other))
    return not mine & theirs


def _about(triplet: Triplet, always: bool = False) -> Key:
    """What a fact is about but for its ends; `always`, whenever it holds, as a question asks that names no period."""
    relation = triplet.relation_key or triplet.relation.casefold()
    if always:
        return "always", relation, triplet.unit
    return relation, triplet.unit, triplet.period_start, triplet.period_end or triplet.period


def _subject(triplet: Triplet) -> str:
    return triplet.subject_key or triplet.subject.casefold()


def _object(triplet: Triplet) -> str:
    return triplet.object_key or triplet.object.casefold()


def _plain(text: str) -> str:
    return " ".join(text.casefold().split())
