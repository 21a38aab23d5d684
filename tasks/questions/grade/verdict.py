"""What a judge must say, and what follows from it (RARE §3.4, R23)."""

from collections.abc import Sequence
from statistics import median_low
from typing import Annotated

from pydantic import BaseModel, BeforeValidator, Field, WithJsonSchema

from rarefy.data_contracts.rows import Judgement

DIMENSIONS = ("readability", "clarity", "correctness")
LOWEST, HIGHEST = 1, 5


def _whole(value: object) -> object:
    """A number that some models write as 4.0 is 4; 4.5 stays and is refused."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


# told to the server as an enumeration: not all that constrain a reply know minimum and maximum
Score = Annotated[
    int,
    BeforeValidator(_whole),
    Field(strict=True, ge=LOWEST, le=HIGHEST),
    WithJsonSchema({"type": "integer", "enum": list(range(LOWEST, HIGHEST + 1))}),
]


class Verdict(BaseModel, frozen=True):
    """A judge's reply; the reason comes first, so that the scores follow from it. What else it says is not read."""

    reason: str = Field(description="at most 40 words: the worst fault, or why there is none")
    readability: Score
    clarity: Score
    correctness: Score


def scores(judgements: Sequence[Judgement]) -> dict[str, int]:
    """The median of each score over the rounds that were answered, of two in the middle the lower; {} for none."""
    answered = [one for one in judgements if not one.error]
    return {name: median_low(getattr(one, name) for one in answered) for name in DIMENSIONS} if answered else {}


def against(judgements: Sequence[Judgement], keep_above: int) -> str:
    """The first reason against a question that was judged so, "" for none; one that nobody judged is not kept."""
    found = scores(judgements)
    if not found:
        return "not_judged"
    return next((f"judge_{name}" for name, score in found.items() if score <= keep_above), "")
