"""Whether one answer to a question of a benchmark is right, for scorers of other tools."""

from collections.abc import Mapping
from typing import Any

from rarefy.data_contracts.rows import Answer, Question, Score, Trial
from rarefy.data_contracts.tables import from_record
from rarefy.tasks.evaluate.correct.config import CorrectConfig
from rarefy.tasks.evaluate.correct.verdict import Verdicts
from rarefy.tasks.evaluate.protocols import PROTOCOLS

PROTOCOL = "rare"  # its rule is the plain one: values, dates and words; a refusal is wrong where there is an answer


def judge_answer(question: Mapping[str, Any] | Question, text: str, config: CorrectConfig | None = None) -> Score:
    """Return the score of an answer, by rules alone: status "missing" where only a judge could decide.

    `question` is a row of questions.jsonl, or a Question.
    """
    row = question if isinstance(question, Question) else from_record(dict(question), Question)
    trial = Trial("", PROTOCOL, row.question_id, "", "own", "")
    verdict = Verdicts(config or CorrectConfig.model_validate({}), judged=False).of(
        Answer("", "", "", text), trial, row, PROTOCOLS[PROTOCOL]
    )
    return verdict if isinstance(verdict, Score) else verdict[0]
