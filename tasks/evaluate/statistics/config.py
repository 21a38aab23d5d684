"""Options of the statistics: draws, intervals, clusters, floors, margins."""

from typing import Literal

from pydantic import BaseModel, Field

Rule = Literal["percentile", "bca"]
Correction = Literal["holm", "benjamini_hochberg", "none"]


class StatisticsConfig(BaseModel, frozen=True, extra="forbid"):
    """How intervals and tests are made, and when a number is withheld."""

    draws: int = Field(
        10_000,
        ge=100,
        description="resamples behind every interval",
        json_schema_extra={"tag": "open", "source": "effect size A.2 says bootstrapped; its code draws 1,000"},
    )
    seed: int = Field(0, ge=0, description="of all resampling; the same seed gives the same digits")
    level: float = Field(0.95, gt=0.5, lt=1, description="confidence of the intervals")
    interval: Rule = Field(
        "percentile",
        description="how an interval is read off the resamples; bca is corrected for bias and skew (Efron 1987). A "
        "protocol whose paper names one has its own",
        json_schema_extra={"tag": "open", "source": "the five papers, but for effect size A.2"},
    )
    cluster: Literal["question", "document"] = Field(
        "question",
        description="what is resampled as a whole: all trials of a question, or of all questions on a document",
        json_schema_extra={"tag": "open", "source": "RARE G.3 takes 30 trials of a question for independent"},
    )
    floor: float = Field(
        0.95, ge=0, le=1, description="share of the units that must be scored before a number is printed"
    )
    few: int = Field(10, ge=2, description="under so many clusters the note says that an interval is too narrow")
    permutations: int = Field(10_000, ge=100, description="swaps of the permutation test; all, where fewer")
    margin: float = Field(
        0.01,
        gt=0,
        lt=1,
        description="a difference smaller than this does not matter (0.01: one point): two systems are tied where the "
        "whole interval lies within it",
    )
    alpha: float = Field(0.05, gt=0, lt=0.5, description="chance of a false alarm that a test may have")
    power: float = Field(0.8, gt=0.5, lt=1, description="chance to see it that the smallest detectable difference has")
    correction: Correction = Field(
        "holm",
        description="for many slices looked at together: holm keeps the chance of any false alarm, benjamini_hochberg "
        "the share of false ones among the alarms; both are always printed, this one decides",
    )
