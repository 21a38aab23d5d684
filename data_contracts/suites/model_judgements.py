"""Rules for what models said of questions, and for what they could not be made to say."""

from collections import defaultdict

import pyarrow as pa

from rarefy.data_contracts.rows import Chunk, Judgement, Question
from rarefy.data_contracts.suites.rule import (
    Judge,
    PartRule,
    Reference,
    References,
    RowRule,
    Suite,
    between,
    coded,
    hashed,
    looked_up,
    one_of,
    unique,
    written,
)

SCORES = ("readability", "clarity", "correctness")


def _scored(_: References) -> Judge:
    def judge(error: str, *scores: int) -> str | None:
        whole = all(score == 0 for score in scores) if error else all(1 <= score <= 5 for score in scores)
        return None if whole else f"scores {', '.join(map(str, scores))} with error {error!r}"

    return judge


def _judged_once(table: pa.Table, _: References) -> list[tuple[str, str]]:
    seen: set[tuple[str, str, int]] = set()
    twice = []
    columns = (table.column(name).to_pylist() for name in ("judgement_id", "question_id", "judge", "round"))
    for name, *key in zip(*columns, strict=True):
        if tuple(key) in seen:
            twice.append((name, "question {} by the {} judge in round {}".format(*key)))
        seen.add((key[0], key[1], key[2]))
    return twice


def _unjudged(table: pa.Table, references: References) -> list[tuple[str, str]]:
    columns = [table.column(name).to_pylist() for name in ("question_id", "judge", "error")]
    judged = {name for name, judge, error in zip(*columns, strict=True) if judge == "first" and not error}
    if not table.num_rows:
        return []  # nobody judges
    reasons = looked_up(references[Question], "question_id", "rejected_because")
    return [(name, "accepted and not judged") for name, reason in reasons.items() if not reason and name not in judged]


def _of_gold(references: References) -> Judge:
    gold = looked_up(references[Question], "question_id", "chunk_ids")

    def judge(question_id: str, chunk_id: str) -> str | None:
        named = chunk_id in gold.get(question_id, [chunk_id])
        return None if named else f"chunk {chunk_id} is no gold chunk of question {question_id}"

    return judge


def _right_with_reason(_: References) -> Judge:
    def judge(right: bool, answer: str, error: str) -> str | None:
        return f"right with answer {answer!r} and error {error!r}" if right and (error or not answer.strip()) else None

    return judge


def _answered_by_one(references: References) -> Judge:
    reasons = looked_up(references[Question], "question_id", "rejected_because")

    def judge(question_id: str, chunk_id: str, right: bool) -> str | None:
        accepted = right and reasons.get(question_id, "unknown") == ""
        return f"question {question_id} was accepted, though chunk {chunk_id} alone answers it" if accepted else None

    return judge


def _untried(table: pa.Table, references: References) -> list[tuple[str, str]]:
    columns = [table.column(name).to_pylist() for name in ("question_id", "chunk_id", "error")]
    tried: dict[str, set[str]] = defaultdict(set)
    for name, chunk_id, error in zip(*columns, strict=True):
        if not error:
            tried[name].add(chunk_id)
    if not table.num_rows:
        return []  # nobody asks
    standing = looked_up(references[Question], "question_id", "rejected_because", "chunk_ids")
    return [
        (name, f"accepted, but never asked with chunk {lost[0]} alone")
        for name, (reason, chunk_ids) in standing.items()
        if not reason and len(chunk_ids) > 1 and (lost := [chunk for chunk in chunk_ids if chunk not in tried[name]])
    ]


JUDGEMENT = Suite(
    key="judgement_id",
    needs=(Question,),
    rules=(
        unique("judgement_id"),
        hashed("judgement_id"),
        Reference("question_id", Question, "question_id"),
        one_of("judge", "first", "second"),
        between("round", 0),
        RowRule("scores are 1 to 5, or 0 with an error", ("error", *SCORES), _scored),
        coded("error"),
        PartRule("a judge judges a question once a round", Judgement, _judged_once),
        PartRule("every accepted question was judged, once any was", Question, _unjudged),
    ),
)

PROBE = Suite(
    key="probe_id",
    needs=(Question, Chunk),
    rules=(
        unique("probe_id"),
        hashed("probe_id"),
        Reference("question_id", Question, "question_id"),
        Reference("chunk_id", Chunk, "chunk_id"),
        RowRule("the chunk is a gold chunk of its question", ("question_id", "chunk_id"), _of_gold),
        RowRule("what is right has an answer and no error", ("right", "answer", "error"), _right_with_reason),
        RowRule(
            "no accepted question is answered by one chunk", ("question_id", "chunk_id", "right"), _answered_by_one
        ),
        coded("error"),
        PartRule("every accepted multi-hop question was tried on each chunk, once any was", Question, _untried),
    ),
)

UNANSWERED = Suite(
    key="unanswered_id",
    rules=(
        unique("unanswered_id"),
        hashed("unanswered_id"),
        written("stage"),
        written("about"),
        written("reason"),
        coded("reason"),
    ),
)
