"""Does the question say what it should leave to be found (RARE R19, R22)?"""

import re
from collections.abc import Iterable, Mapping, Sequence

from rarefy.data_contracts.rows import Chunk, Question, Triplet
from rarefy.tasks.questions.ask.aliases import names
from rarefy.tasks.questions.gates.config import GatesConfig
from rarefy.tasks.text import wordnet


def says(text: str, phrase: str) -> bool:
    """Does the text hold the phrase between token boundaries, whatever the case ("12%" is not in "112%")?"""
    folded = re.escape(" ".join(phrase.casefold().split()))
    return bool(folded) and (
        re.search(rf"(?<![\w$€£.,-]){folded}(?![\w%]|[.,]\d)", " ".join(text.casefold().split())) is not None
    )


def answer_given_away(
    questions: Sequence[Question], config: GatesConfig, *, chunks: Mapping[str, Chunk], triplets: Mapping[str, Triplet]
) -> dict[str, str]:
    """Rejects questions that contain their answer or one of its aliases."""
    return {
        q.question_id: "answer_given_away" for q in questions if any(says(q.text, a) for a in (q.answer, *q.aliases))
    }


def pivot_given_away(
    questions: Sequence[Question], config: GatesConfig, *, chunks: Mapping[str, Chunk], triplets: Mapping[str, Triplet]
) -> dict[str, str]:
    """Rejects multi-hop questions that name their pivot: in full, without its legal form, or by a telling word."""
    return {
        q.question_id: "pivot_given_away"
        for q in questions
        if q.pivot and any(says(q.text, name) for name in _names_of(pivot_labels(q, triplets), q.entity))
    }


def pivot_labels(question: Question, triplets: Mapping[str, Triplet]) -> list[str]:
    """What the pivot is called in the question's own facts; its key where they do not say."""
    labels = [
        label
        for triplet in (triplets[t] for t in question.triplet_ids if t in triplets)
        for label, key in ((triplet.subject, triplet.subject_key), (triplet.object, triplet.object_key))
        if question.pivot.casefold() in (key.casefold(), label.casefold())
    ]
    return list(dict.fromkeys(labels)) or [question.pivot]


def _names_of(labels: Iterable[str], entity: str) -> set[str]:
    found: set[str] = set()
    forms = names(entity)
    own = {w for form in forms for w in re.findall(r"[^\W_]{4,}", form)}
    for label in labels:
        cores = names(label)
        found |= cores
        # "NVIDIA" of "NVIDIA Corporation" tells as much as the whole; "General" of "General Motors" does not.
        telling = (w for core in cores for w in re.findall(r"[^\W_]{4,}", core))
        # Whose filing it is may be said: "NVIDIA" does not name NVIDIA Omniverse.
        said = own if cores.isdisjoint(forms) else set()
        found |= {w for w in telling if w[0].isupper() and w not in said and not wordnet.known(w.lower())}
    return {name for name in found if len(name) > 1}
