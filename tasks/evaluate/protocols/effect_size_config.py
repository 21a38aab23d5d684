"""What the effect-size paper leaves to choose (arXiv 2408.01963 §2, §3; papers.md §002)."""

from typing import Literal

from pydantic import BaseModel, Field

ORIGINAL, REPEAT, OWN = "original", "repeat", "own"
SUPERFICIAL, PARAPHRASE, DISTRACTION = FAMILIES = ("superficial", "paraphrase", "distraction")


class EffectSizeConfig(BaseModel, frozen=True, extra="forbid"):
    """Which variants make a group with their original, and what the system is shown with them."""

    superficial: tuple[str, ...] = Field(
        (
            "upper_case",
            "lower_case",
            "proper_case",
            "no_punctuation",
            "butter_fingers",
            "character_swap",
            "white_space",
            "superficial_mix",
        ),
        description="perturbations of the question that change no word's meaning (S)",
    )
    paraphrase: tuple[str, ...] = Field(("paraphrase",), description="perturbations that reword the question (P)")
    distraction: tuple[str, ...] = Field(
        ("distraction_before", "distraction_after"),
        description="perturbations of the gold passages (D); only where those are what is shown",
    )
    passages: Literal["gold", "none", "retrieved", "own"] = Field(
        "gold",
        description="what is shown with the question: gold passages (BoolQ's passage), none (PopQA), retrieved ones, "
        "or whatever the system retrieves; a system that only retrieves itself has its own in any case",
        json_schema_extra={"tag": "open", "source": "effect size §2: it hangs on the data set"},
    )
    retriever: str = Field(
        "", description='whose passages are shown where passages = "retrieved"; none: the first by name'
    )
    complete: bool = Field(
        True,
        description="a group of which any answer failed or is missing counts as failed or missing, so that what the "
        "system cannot answer cannot hide in a mean; false: the mean of the variants that were scored",
        json_schema_extra={"tag": "open", "source": "effect size §3 has no failures"},
    )
    repeats: int = Field(
        0,
        ge=0,
        description="times that the original is asked again, to know how much changes where nothing was changed",
        json_schema_extra={"tag": "open", "source": "not in the paper: AH̃ has no null without it"},
    )
    continuous: Literal["where_needed", "always", "never"] = Field(
        "where_needed",
        description="Cohen's d and Hedges' g of original and perturbed scores: where scores other than 0 and 1 occur, "
        "or always, or never",
        json_schema_extra={"tag": "open", "source": "effect size A.1 names both as alternatives"},
    )

    def family(self, perturbation: str) -> str:
        """The family of a perturbation that is asked for."""
        return next(name for name in FAMILIES if perturbation in getattr(self, name))
