"""How retrieved passages are told apart: by rules or a model, and from which shares on."""

from typing import Literal

from pydantic import BaseModel, Field


class ClassifyConfig(BaseModel, frozen=True, extra="forbid"):
    """How retrieved passages are told apart."""

    by: Literal["rules", "model"] = Field(
        "rules", description="rules: offline; model: the model is asked about every passage"
    )
    evidence: float = Field(
        0.6, gt=0, le=1, description="share of an evidence sentence that a passage must say to say the same"
    )
    rival: float = Field(
        0.6,
        gt=0,
        le=1,
        description="share of it, without the answer, that a passage must say to say something against it",
    )
    debris: float = Field(
        0.5, gt=0, le=1, description="from here on a passage is debris: 0 in good order, 1 nothing else"
    )
    altered: float = Field(
        0.2, gt=0, le=1, description="share of a passage's sentences that say otherwise than the gold document does"
    )
    topic: tuple[float, float] = Field(
        (0.2, 0.4),
        description="share of the question that a passage of an unknown document must say: below the first it is "
        "irrelevant, from the second on it is on topic, in between that is unclear",
    )
    alike: tuple[float, float] = Field(
        (0.25, 0.45), description="as `topic`, by the cosine of an embedder, where one is given"
    )
    reach: int = Field(
        5, ge=0, description="chunks before and after a gold chunk that a passage is checked against for altered facts"
    )
    temperature: float = Field(0.0, ge=0, le=2, description="of the model")
    max_tokens: int = Field(200, ge=1, description="of its reply")
    seed: int = Field(0, description="of the model, for a provider that takes one")
