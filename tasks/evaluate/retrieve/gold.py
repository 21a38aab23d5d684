"""Gold recall by answer string: does any form of the answer stand in what was found (papers.md 001-B5)?"""

import math
from collections.abc import Mapping, Sequence
from typing import Literal

from pydantic import BaseModel, Field

from rarefy.data_contracts.rows import VERDICTS, Chunk, Question


class AnswersConfig(BaseModel, frozen=True, extra="forbid"):
    """How an answer is looked for among passages."""

    forms: Literal["any", "answer"] = Field(
        default="any",
        description="any: the answer or one of its other forms | answer: as it is given",
        json_schema_extra={"tag": "given", "source": "arXiv 2505.21870 Figure 3: any answer form"},
    )
    casefold: bool = Field(
        default=False,
        description="whether Small And Capital Letters are alike; the paper says exact",
        json_schema_extra={"tag": "open", "source": "arXiv 2505.21870 Figure 3"},
    )


class Answers:
    """Where the answers of questions stand; each pair of question and passage is looked at once."""

    def __init__(self, questions: Mapping[str, Question], chunks: Mapping[str, Chunk], config: AnswersConfig) -> None:
        self._chunks, self._casefold = chunks, config.casefold
        self._forms = {
            name: tuple(dict.fromkeys(map(self._plain, forms(question, config.forms == "any"))))
            for name, question in questions.items()
        }
        self._seen: dict[tuple[str, str], bool] = {}

    def first(self, question_id: str, chunk_ids: Sequence[str]) -> float:
        """The place of the first of these passages that a form of the answer is an exact part of, from 0.

        Infinite where it is in none, NaN for an answer without any form that a passage can hold. Passages are taken one
        by one: a form that begins in one and ends in the next was written by nobody.
        """
        if not self._forms[question_id]:
            return math.nan
        return next((at for at, chunk_id in enumerate(chunk_ids) if self._holds(question_id, chunk_id)), math.inf)

    def _holds(self, question_id: str, chunk_id: str) -> bool:
        pair = (question_id, chunk_id)
        if pair not in self._seen:
            text = self._plain(self._chunks[chunk_id].text)
            self._seen[pair] = any(form in text for form in self._forms[question_id])
        return self._seen[pair]

    def _plain(self, text: str) -> str:
        return text.casefold() if self._casefold else text


def forms(question: Question, every: bool = True) -> tuple[str, ...]:
    """The forms of an answer that a passage can hold; none for yes or no, which stand anywhere and say nothing."""
    if question.answer.strip().casefold() in VERDICTS:
        return ()
    told = (question.answer, *question.aliases) if every else (question.answer,)
    return tuple(form for form in told if form.strip() and form.strip().casefold() not in VERDICTS)
