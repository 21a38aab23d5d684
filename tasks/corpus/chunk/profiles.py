"""How long a chunk is, by domain (RARE §3.1 and Appendix A; papers.md R1, R3–R5)."""

from typing import Literal

from pydantic import BaseModel, Field, field_validator, model_validator

Unit = Literal["tokens", "words"]


class Profile(BaseModel, frozen=True, extra="forbid"):
    """The most that a chunk of running text holds, and how much of the one before it repeats."""

    size: int = Field(default=600, ge=32, description="the most that a chunk of running text holds, in units")
    overlap: int = Field(default=0, ge=0, description="the most that it repeats of the chunk before, in units")
    unit: Unit = Field(default="tokens", description="what is counted")

    @model_validator(mode="after")
    def _overlap_leaves_room(self) -> "Profile":
        if self.overlap * 2 > self.size:
            raise ValueError(f"overlap {self.overlap} is more than half of size {self.size}: lower the overlap")
        return self


# The paper says 600 tokens (§3.1), 800 with 100 (A.1) and 600 words (A.2, A.3): hence one profile a domain.
PROFILES: dict[str, Profile] = {
    "finance": Profile(size=800, overlap=100),
    "economics": Profile(size=600, unit="words"),
    "policy": Profile(size=600, unit="words"),
    "default": Profile(size=600),
}


class ChunkConfig(BaseModel, frozen=True, extra="forbid"):
    """How documents are cut into chunks."""

    profile: str = Field(default="auto", description='"auto" (by the document\'s domain) or ' + ", ".join(PROFILES))
    size: int | None = Field(default=None, ge=32, description="instead of the profile's")
    overlap: int | None = Field(default=None, ge=0, description="instead of the profile's")
    unit: Unit | None = Field(default=None, description="instead of the profile's")
    fragment: int = Field(default=30, ge=0, description="fewer words than this are merged into a neighbour")
    tokenizer: str = Field(
        default="minilm",
        description='"minilm", "tiktoken:cl100k_base", or a Hugging Face tokenizer (file, folder or name)',
    )

    @field_validator("profile")
    @classmethod
    def _profile_exists(cls, name: str) -> str:
        if name != "auto" and name not in PROFILES:
            raise ValueError(f'no profile {name!r}; have "auto" and {sorted(PROFILES)}')
        return name

    @model_validator(mode="after")
    def _profiles_hold(self) -> "ChunkConfig":
        for name in PROFILES if self.profile == "auto" else (self.profile,):
            self.for_domain(name)
        return self

    def for_domain(self, domain: str) -> Profile:
        """The profile of a document of this domain; `default` for a domain that has none."""
        name = domain if self.profile == "auto" else self.profile
        profile = PROFILES.get(name, PROFILES["default"])
        own = {"size": self.size, "overlap": self.overlap, "unit": self.unit}
        settings = profile.model_dump() | {key: value for key, value in own.items() if value is not None}
        if self.overlap is None:  # one made for longer chunks would fill short ones: keep to finance's 100 of 800
            settings["overlap"] = min(settings["overlap"], settings["size"] // 8)
        return Profile(**settings)
