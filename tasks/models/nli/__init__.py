"""Does a premise say what a hypothesis says: by a cross-encoder, by a model, or by rules that only prove (SURE S4).

Only the first two are natural language inference. The rules answer another question, whether a text is shown to keep
what another one says, in words of their own, so that no report takes the one for the other.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from pydantic import BaseModel, Field, model_validator

from rarefy.tasks.find import find
from rarefy.tasks.models.llm.config import InferenceContext, LLMConfig

__all__ = ["CHECKS", "NLI", "VERSION", "Label", "NLIConfig", "equivalent"]

VERSION = 9  # questions whose subject the parser took for more are put in no other order

CHECKS: dict[str, str] = {
    "rules": "rarefy.tasks.models.nli.rules:rules",
    "model": "rarefy.tasks.models.nli.by_model:by_model",
    "cross-encoder": "rarefy.tasks.models.nli.cross_encoder:cross_encoder",
}


@dataclass(frozen=True, slots=True)
class Label:
    """What was found for one pair.

    `label`: entailment | neutral | contradiction by inference; kept | not_shown | changed by rules; "" where a model
    gave no answer, with the code of faults.REASONS in `error`.
    """

    label: str
    score: float  # 0 to 1: the share of it that speaks for the label, as the method means it
    why: str = ""
    error: str = ""


class NLI(Protocol):
    """A label for each (premise, hypothesis), in their order; pairs are taken as they are needed."""

    def __call__(self, pairs: Iterable[tuple[str, str]], /) -> Iterator[Label]: ...


class NLIConfig(BaseModel, frozen=True, extra="forbid"):
    """How two texts are compared."""

    method: str = Field(
        "rules",
        description="rules (offline: the same words, or a change that is known to say the same; no inference) "
        '| cross-encoder (a model from Hugging Face on this machine) | model (SURE\'s prompt) | "module:function"',
    )
    model: str = Field("", description="the cross-encoder's folder, or its name in the Hugging Face cache")
    labels: tuple[str, ...] = Field(
        (),
        description="what the outputs of a cross-encoder mean, in their order, for one whose own configuration does "
        "not say: contradiction, entailment, neutral",
    )
    llm: LLMConfig = Field(
        default_factory=lambda: LLMConfig.model_validate({}), description="which model answers, for method model"
    )
    max_tokens: int = Field(300, ge=1, description="of its answer")
    rules_first: bool = Field(
        False, description="what the rules show to be kept is not put to the cross-encoder or the model"
    )

    @model_validator(mode="after")
    def _whole(self) -> "NLIConfig":
        if self.method == "cross-encoder" and not self.model:
            raise ValueError("method cross-encoder needs a model: a folder, or a name in the Hugging Face cache")
        if self.method == "model" and not self.llm.provider:
            raise ValueError("method model needs llm = { provider = ..., model = ... }")
        return self

    @property
    def inference(self) -> bool:
        """Whether its labels are those of natural language inference, for the words of a report."""
        return self.method != "rules"

    def identity(self) -> dict[str, Any]:
        """What its labels depend on."""
        own: dict[str, Any] = {"method": self.method, "version": VERSION}
        if self.method == "rules":
            return own
        own |= {"rules_first": True} if self.rules_first else {}
        if self.method == "model":
            from rarefy.tasks.models import prompts

            return own | {"llm": self.llm.identity(), "prompt": prompts.digest("nli"), "max_tokens": self.max_tokens}
        return own | {"model": self.model, "labels": self.labels}

    def connect(self, cache: Path, *, threads: int = 1, means: InferenceContext | None = None) -> NLI:
        """The check; ValueError or faults.Unavailable with the way out where it cannot be had here.

        A method of one's own is a function (config, cache, threads=, means=) that gives such a callable.
        """
        place = CHECKS.get(self.method, self.method)
        if ":" not in place:
            raise ValueError(f"no method {self.method!r}; have {', '.join(CHECKS)}, or write module:function")

        make: Callable[..., NLI] = find(place, {})
        return self.ask_after_rules(make(self, cache, threads=threads, means=means or InferenceContext()))

    def ask_after_rules(self, nli: NLI) -> NLI:
        """The check, which with `rules_first` asks `nli` only about pairs that the rules do not show to be kept."""
        if not self.rules_first or self.method == "rules":
            return nli
        from rarefy.tasks.models.nli.proof import is_proved

        def check(pairs: Iterable[tuple[str, str]], /) -> Iterator[Label]:
            given = list(pairs)
            kept = [is_proved(premise, hypothesis) for premise, hypothesis in given]
            asked = nli(pair for pair, proved in zip(given, kept, strict=True) if not proved)
            return (Label("kept", 1.0) if proved else next(asked) for proved in kept)

        return check


def equivalent(there: Label, back: Label) -> bool:
    """Whether two texts say the same: each way entailed, or kept (SURE S4)."""
    return all(label.label in ("entailment", "kept") for label in (there, back))
