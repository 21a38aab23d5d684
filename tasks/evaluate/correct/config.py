"""How answers are held to be right or wrong, and which model is asked where no rule can tell (papers.md §0, 004-K)."""

from typing import Any, Literal

from pydantic import BaseModel, Field

from rarefy.tasks.models.llm.config import LLMConfig


def _tag(tag: str, source: str) -> dict[str, Any]:
    """Return schema notes that the results print beside an option: how far a paper settles it, and where."""
    return {"tag": tag, "source": source}


class CorrectConfig(BaseModel, frozen=True, extra="forbid"):
    """Which rules decide, what they do in doubt, and the judge for all else."""

    match: Literal["guarded", "plain"] = Field(
        "guarded",
        description="guarded: a form of the answer must be what the text says, not merely stand in it (no denial, no "
        "choice of several, no list of numbers, its unit and scale); plain: any form that stands in it as whole words "
        "makes it right, as the papers' inclusive match has it",
        json_schema_extra=_tag("open", "RARE §6.1 and SURE §3.4 do not guard their match"),
    )
    rounding: float = Field(
        0.005,
        ge=0,
        le=0.1,
        description="a rounded number is the same number while it is off by no more than this share of it; a coarser "
        "rounding is left to the judge",
        json_schema_extra=_tag("open", "no paper says how numbers are compared"),
    )
    value: bool = Field(
        True,
        description="an answer that states exactly one value of the gold answer's kind and unit, and another one, is "
        "wrong without a judge: that is arithmetic. false: it is left to the judge",
        json_schema_extra=_tag("open", "the papers ask the judge"),
    )
    unmatched: Literal["unscored", "wrong"] = Field(
        "unscored",
        description="what no rule decides and no judge is there for: unscored, and counted as missing; wrong: all "
        "scores are then a lexical lower bound",
        json_schema_extra=_tag("open", "RARE §6.1"),
    )
    extra: Literal["judge", "right", "wrong"] = Field(
        "judge",
        description="an answer that gives the right value and others of its kind beside it, which are not told apart "
        "as another period's or a comparison's. judge: left to the judge in an answer of a few words and in a row of a "
        "table; in answers of sentences 97 of 100 such are right to people, and so they are here. right: always right",
        json_schema_extra=_tag("open", "retrieval robustness, App. C: 'no additional incorrect information'; "
                                 "RARE §6.1: inclusive match"),
    )  # fmt: skip
    refusal_with_answer: Literal["answered", "refused"] = Field(
        "answered",
        description="words of refusal beside a right answer, or beside a guess that is named as one: answered: it is "
        "scored as the answer it gives and counts as no refusal; refused: value 0 and a refusal",
        json_schema_extra=_tag("open", "no paper says; section 6.2 of the acceptance list asks for one"),
    )
    refusals: Literal["general", "protocol"] = Field(
        "general",
        description="general: the protocol's words of refusal and others to the same effect, for systems with prompts "
        "of their own; protocol: the protocol's own words alone, which a protocol without any never hears",
        json_schema_extra=_tag("open", "RARE [repo], SURE Fig. 11, Magic Mushroom Figs. 15-17 give one string each"),
    )
    groups: Literal["fraction", "all"] = Field(
        "fraction",
        description="retrieval robustness, an answer of several parts: the share of parts that is covered, or 1 where "
        "all are and else 0; in the other protocols all must be",
        json_schema_extra=_tag("open", "retrieval robustness, ASQA (B3)"),
    )
    judge: LLMConfig = Field(
        default_factory=lambda: LLMConfig.model_validate({}),
        description="the model that judges what no rule decides; empty: none, it is unscored",
    )
    temperature: float = Field(0.0, ge=0, le=2, description="of the judge")
    max_tokens: int = Field(
        100,
        ge=1,
        description="of a judgement; more for a judge that thinks aloud",
        json_schema_extra=_tag("given", "retrieval robustness §4"),
    )
    seed: int = Field(0, description="of the judge's first round; the others count on from it")
    rounds: int = Field(
        1,
        ge=1,
        le=9,
        description="how often an answer is judged, each time with another seed; the median decides (of two in the "
        "middle the lower), and the results say how far the rounds agree",
        json_schema_extra=_tag("open", "RARE and Magic Mushroom judge once"),
    )
    off_scale: Literal["failed", "kept"] = Field(
        "failed",
        description="Magic Mushroom, a judge's 2 or 4, which its scale 0, 1, 3, 5 does not have: failed, or kept as "
        ".4 or .8",
        json_schema_extra=_tag("open", "Magic Mushroom Fig. 21 says 'from 0 to 5' and describes four scores"),
    )
    longest: int = Field(
        4_000,
        ge=100,
        description="characters of an answer that the judge is shown; the middle of a longer one is left out",
    )
