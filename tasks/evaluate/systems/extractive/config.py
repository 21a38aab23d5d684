"""Configuration of the offline baseline; every option changes answers."""

from typing import Any

from pydantic import BaseModel, Field

from rarefy.tasks.models.embed import EmbedConfig

VERSION = 5  # scales of captions are read by text.scales


class ExtractiveConfig(BaseModel, frozen=True, extra="forbid"):
    """How passages are searched for a short answer, and below which score the baseline refuses."""

    embed: EmbedConfig = Field(
        EmbedConfig.model_validate({}), description="who embeds question and sentences; all else is rules"
    )
    candidates: int = Field(
        12,
        ge=1,
        description="sentences and table rows that are embedded: the best by words in common",
    )
    threshold: float = Field(
        0.55, ge=0, le=1, description="score of the best candidate below which it refuses, where it may"
    )
    prose: float = Field(
        0.4, ge=0, le=1, description="the same for a sentence where the question names no period: words differ more"
    )

    def identity(self) -> dict[str, Any]:
        """Return what determines its answers."""
        return {"version": VERSION, **self.model_dump(mode="json", exclude={"embed"}), "embed": self.embed.identity()}
