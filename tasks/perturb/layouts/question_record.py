"""What every layout is read into: a question with its answers and the passages that came with it."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Passage:
    """A context of a question. `gold` is what the file says of it; None where it says nothing."""

    text: str
    title: str = ""
    gold: bool | None = None
    evidence: tuple[str, ...] = ()  # sentences of it that the file names as proof, verbatim
    at: tuple[int, ...] = ()  # where the file says that an answer begins
    number: int = -1  # of it in its document, where the file says


@dataclass(frozen=True, slots=True)
class QuestionRecord:
    """A question of a file; the first answer is the answer, the others are aliases."""

    place: str  # "line 3", "record 3", "paragraph 2 of 'Oslo'"
    question_id: str  # "" where the file gives none
    text: str
    answers: tuple[str, ...] = ()
    passages: tuple[Passage, ...] = ()
    language: str = ""  # as the file says it; "" where it does not


@dataclass(frozen=True, slots=True)
class Skipped:
    """What a file holds and nothing can be asked of: where, why, and the way out."""

    place: str
    reason: str  # a code: not_json, no_question, unanswerable, duplicate_id, ...
    detail: str
