"""Rules for what was retrieved, tried, answered and scored: every row leads back to a question and says all it must."""

from itertools import pairwise

from rarefy.data_contracts.evaluation import GIVEN, STATUSES
from rarefy.data_contracts.rows import Answer, Chunk, Hits, Question, Score, Trial
from rarefy.data_contracts.suites.rule import (
    Judge,
    Reference,
    References,
    RowRule,
    Suite,
    between,
    coded,
    hashed,
    unique,
)


def _ranked(_: References) -> Judge:
    def judge(chunk_ids: list[str], scores: list[float], best: list[str]) -> str | None:
        if len(chunk_ids) != len(scores):
            return f"{len(chunk_ids)} chunks with {len(scores)} scores"
        if len(set(chunk_ids)) != len(chunk_ids):
            return "a chunk is found twice"
        if any(low < high for low, high in pairwise(scores)):
            return "scores rise down the ranking"
        missing = [name for name in best if name not in chunk_ids]
        return f"{missing[0]} is among the best and was not found" if missing else None

    return judge


def _whole(_: References) -> Judge:
    def judge(given: str, passage_ids: list[str], ranks: list[int], skipped_because: str) -> str | None:
        if given not in GIVEN:
            return f"given {given!r}"
        if len(passage_ids) != len(ranks):
            return f"{len(passage_ids)} passages with {len(ranks)} ranks"
        if given != "passages" and passage_ids:
            return f"{given} with {len(passage_ids)} passages"
        if given == "passages" and not passage_ids and not skipped_because:
            return "no passages, and not skipped"
        return None

    return judge


def _gold(_: References) -> Judge:
    return lambda gold: None if gold == -1.0 or 0.0 <= gold <= 1.0 else f"{gold}"


def _told(_: References) -> Judge:
    def judge(text: str, error: str, detail: str) -> str | None:
        return f"{error} without a word of detail" if error and not (detail.strip() or text) else None

    return judge


def _scored(_: References) -> Judge:
    def judge(status: str, value: float | None, stage: str, why: str) -> str | None:
        if status not in STATUSES:
            return f"status {status!r}"
        if status == "scored":
            if value is None or not 0.0 <= value <= 1.0:
                return f"scored, with value {value}"
            return None if stage else "scored, and nobody says what decided"
        if value is not None:
            return f"{status}, with value {value}"
        return None if why.strip() else f"{status}, and nobody says why"

    return judge


HITS = Suite(
    "hits_id",
    (
        unique("hits_id"),
        hashed("hits_id"),
        RowRule("a ranking is one", ("chunk_ids", "scores", "best"), _ranked),
        Reference("question_id", Question, "question_id"),
        Reference("chunk_ids", Chunk, "chunk_id"),
    ),
    (Question, Chunk),
)

TRIAL = Suite(
    "trial_id",
    (
        unique("trial_id"),
        hashed("trial_id"),
        coded("protocol"),
        coded("skipped_because"),
        between("k", 0),
        RowRule("what is shown fits how it is given", ("given", "passage_ids", "ranks", "skipped_because"), _whole),
        RowRule("gold is a share, or -1", ("gold",), _gold),
        Reference("question_id", Question, "question_id"),
    ),
    (Question,),
)

ANSWER = Suite(
    "trial_id",
    (
        unique("system", "trial_id"),
        hashed("asked_id"),
        coded("error"),
        RowRule("gold is a share, or -1", ("gold",), _gold),
        RowRule("an error has its detail", ("text", "error", "detail"), _told),
        *(between(name, 0) for name in ("shown", "prompt_tokens", "completion_tokens", "calls", "seconds", "cost")),
        Reference("trial_id", Trial, "trial_id"),
    ),
    (Trial,),
)

SCORE = Suite(
    "trial_id",
    (
        unique("system", "trial_id"),
        RowRule("a score is one, or says why not", ("status", "value", "stage", "why"), _scored),
        Reference("trial_id", Trial, "trial_id"),
    ),
    (Trial,),
)

OF_EVALUATION: dict[type, Suite] = {Hits: HITS, Trial: TRIAL, Answer: ANSWER, Score: SCORE}
