"""What counts as one relation, and as one thing (RARE §3.2; papers.md R9, R10)."""

from pydantic import BaseModel, Field


class NormaliseConfig(BaseModel, frozen=True, extra="forbid"):
    """What counts as one relation, and as one thing."""

    threshold: float = Field(default=0.9, gt=0, le=1, description="relations nearer than this by cosine are one")
    embedded: tuple[str, ...] = Field(
        default=("prose", "model"),
        description="whose relations are compared by embedding; a table's are names of measures and merge by form only",
    )
    roles: bool = Field(
        default=True,
        description='names with and without whose they are are one ("Executive Council", "Jupyter Executive Council"), '
        "where the documents leave no doubt",
    )
    aliases: dict[str, str] = Field(
        default_factory=dict, description='names that you know to be others\': { "Google" = "Alphabet Inc." }'
    )
