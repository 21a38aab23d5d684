"""Questions that ask the same in slightly other words."""

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence

from rarefy.data_contracts.rows import Chunk, Question, Triplet
from rarefy.tasks.questions.gates.config import GatesConfig

_NAMES_AND_NUMBERS = re.compile(r"(?<!^)\b[A-Z][\w&.’'-]*|\S*\d\S*")


def near_duplicate(
    questions: Sequence[Question], config: GatesConfig, *, chunks: Mapping[str, Chunk], triplets: Mapping[str, Triplet]
) -> dict[str, str]:
    """Rejects all but the smallest id of questions worded alike with the same answer.

    Only questions with the same names and numbers are compared: one about another year or company is another question.
    """
    from rapidfuzz import fuzz  # not when the stage is only looked up

    alike: dict[tuple[str, ...], list[Question]] = defaultdict(list)
    for question in sorted(questions, key=lambda q: q.question_id):
        marks = sorted(re.sub(r"\W", "", m).casefold() for m in _NAMES_AND_NUMBERS.findall(question.text))
        alike[question.answer.casefold(), *marks].append(question)
    found: dict[str, str] = {}
    for group in alike.values():
        kept: list[str] = []
        for question in group:
            text = question.text.casefold()
            if any(fuzz.token_sort_ratio(text, other) >= config.near_duplicate for other in kept):
                found[question.question_id] = "near_duplicate"
            else:
                kept.append(text)
    return found
