"""Rules for what was retrieved, tried, answered and scored: every row leads back to a question and says all it must."""

from itertools import pairwise
from typing import Any

from rarefy.data_contracts.rows import GIVEN, STATUSES, Answer, Chunk, Hits, Question, Score, Trial
from rarefy.data_contracts.suites.rule import (
    Reference,
    Suite,
    between,
    coded,
    hashed,
    row_rule,
    unique,
)


def _check_ranking(chunk_ids: list[str], scores: list[float], best: list[str]) -> str | None:
    if len(chunk_ids) != len(scores):
        return f"{len(chunk_ids)} chunks with {len(scores)} scores"
    if len(set(chunk_ids)) != len(chunk_ids):
        return "a chunk is found twice"
    if any(low < high for low, high in pairwise(scores)):
        return "scores rise down the ranking"
    missing = [name for name in best if name not in chunk_ids]
    return f"{missing[0]} is among the best and was not found" if missing else None


def _check_trial(given: str, passage_ids: list[str], ranks: list[int], skipped_because: str) -> str | None:
    if given not in GIVEN:
        return f"given {given!r}"
    if len(passage_ids) != len(ranks):
        return f"{len(passage_ids)} passages with {len(ranks)} ranks"
    if given != "passages" and passage_ids:
        return f"{given} with {len(passage_ids)} passages"
    if given == "passages" and not passage_ids and not skipped_because:
        return "no passages, and not skipped"
    return None


def _check_gold_share(gold: Any) -> str | None:
    return None if gold == -1.0 or 0.0 <= gold <= 1.0 else f"{gold}"


def _check_error_detail(text: str, error: str, detail: str) -> str | None:
    return f"{error} without a word of detail" if error and not (detail.strip() or text) else None


def _check_score(status: str, value: float | None, stage: str, why: str) -> str | None:
    if status not in STATUSES:
        return f"status {status!r}"
    if status == "scored":
        if value is None or not 0.0 <= value <= 1.0:
            return f"scored, with value {value}"
        return None if stage else "scored, and nobody says what decided"
    if value is not None:
        return f"{status}, with value {value}"
    return None if why.strip() else f"{status}, and nobody says why"


HITS = Suite(
    "hits_id",
    (
        unique("hits_id"),
        hashed("hits_id"),
        row_rule("a ranking is one", ("chunk_ids", "scores", "best"), _check_ranking),
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
        row_rule(
            "what is shown fits how it is given", ("given", "passage_ids", "ranks", "skipped_because"), _check_trial
        ),
        row_rule("gold is a share, or -1", ("gold",), _check_gold_share),
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
        row_rule("gold is a share, or -1", ("gold",), _check_gold_share),
        row_rule("an error has its detail", ("text", "error", "detail"), _check_error_detail),
        *(between(name, 0) for name in ("shown", "prompt_tokens", "completion_tokens", "calls", "seconds", "cost")),
        Reference("trial_id", Trial, "trial_id"),
    ),
    (Trial,),
)

SCORE = Suite(
    "trial_id",
    (
        unique("system", "trial_id"),
        row_rule("a score is one, or says why not", ("status", "value", "stage", "why"), _check_score),
        Reference("trial_id", Trial, "trial_id"),
    ),
    (Trial,),
)

OF_EVALUATION: dict[type, Suite] = {Hits: HITS, Trial: TRIAL, Answer: ANSWER, Score: SCORE}
