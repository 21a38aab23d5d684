"""What counts as one relation, and as one thing (RARE §3.2; papers.md R9, R10)."""

from typing import Literal

from pydantic import BaseModel, Field


class NormaliseConfig(BaseModel, frozen=True, extra="forbid"):
    """What counts as one relation, and as one thing."""

    threshold: float = Field(default=0.9, gt=0, le=1, description="relations nearer than this by cosine are one")
    embedded: tuple[str, ...] = Field(
        default=("prose", "model"),
        description="whose relations are compared by embedding; a table's are names of measures and merge by form only",
    )
    entity_threshold: float = Field(
        default=1.0,
        gt=0,
        le=1,
        description="things of one type nearer than this by cosine are one too; 1: things merge by the form of their "
        "names and by what documents say they are called, whatever their embeddings",
    )
    check: Literal["", "model"] = Field(
        default="",
        description="model: pairs near a threshold are put to the model, and only what it calls the same merges; "
        '"": the threshold alone decides',
    )
    band: float = Field(
        default=0.05,
        ge=0,
        le=1,
        description="how near a threshold, on either side, pairs are put to the model; those above it merge unasked",
    )
    aliases: dict[str, str] = Field(
        default_factory=dict, description='names that you know to be others\': { "Google" = "Alphabet Inc." }'
    )
