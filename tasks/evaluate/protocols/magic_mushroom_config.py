"""What Magic Mushroom leaves to choose (arXiv 2506.03901 §4, F, G; papers.md §003)."""

from typing import Literal

from pydantic import BaseModel, Field, field_validator

from rarefy.tasks.perturb.mix.config import CLASSES, GOLDEN, NATURALLY, NOISE
from rarefy.tasks.perturb.mix.scenarios import SCENARIOS

PROBE, RATIO, CLASS, SCENARIO, POSITION, LENGTH = "probe", "ratio", "class", "scenario", "position", "length"
SHARES = (0.1, 0.2, 0.3, 0.5, 0.7)


class MagicMushroomConfig(BaseModel, frozen=True, extra="forbid"):
    """Which contexts each question is asked with.

    As it stands: the probe, 7 ratios (6 where a question is multi-hop), 4 single classes and 4 scenarios, 16 answers to
    a question. All of Figures 3 to 5 would be over 150.
    """

    k: int = Field(10, ge=1, description="passages in a context; fewer where a question has not enough")
    ratios: tuple[float, ...] = Field(
        (),
        description="shares of noise; none given: 0, .1, .3, .5, .7, .9, 1 for single-hop questions and 0, .2, .4, .6, "
        ".8, 1 for others",
    )
    mixes: tuple[str, ...] = Field((NATURALLY,), description='what that noise is made of: natural, or as "3:1:1:2"')
    classes: tuple[str, ...] = Field(NOISE, description="classes of noise that are tried alone (Figure 3)")
    class_ratios: tuple[float, ...] = Field(
        (0.9,), description="shares of noise for these; 0, .1, .3, .5, .7, .9, 1 for the whole of Figure 3"
    )
    scenarios: tuple[str, ...] = Field(
        tuple(SCENARIOS),
        description="mixes of all five classes by name (Table 3)",
        json_schema_extra={
            "tag": "recon",
            "source": "Magic Mushroom §4.6: SCE2 leaves out the share of inconsequential",
        },
    )
    positions: tuple[Literal["near", "mid", "far"], ...] = Field(
        (), description="near, mid and far for Figure 4; none by default: they are 15 more per class"
    )
    placed: tuple[str, ...] = Field((GOLDEN,), description="classes whose position is tried")
    placed_shares: tuple[float, ...] = Field(SHARES, description="shares that the placed class has of a context")
    lengths: tuple[str, ...] = Field(
        (), description="tokens of a context for Figure 5: 0-299, 300-599, ... 1500+; none by default: 7 more for each"
    )
    question: Literal["before", "after"] = Field(
        "before", description="where the system's prompt has the question, which is what a position is near to"
    )
    order: str = Field("shuffled", description="of passages that no position is asked for: as in `rarefy mix`")
    fill: bool = Field(
        False, description="where a class of noise is short, take other classes instead of fewer passages"
    )
    runs: int = Field(
        1,
        ge=1,
        description="contexts drawn for each setting, each with a seed of its own",
        json_schema_extra={
            "tag": "open",
            "source": "Magic Mushroom D: averages of 3 runs, and no more is said",
        },
    )
    seed: int = Field(0, ge=0, description="another seed, other passages in another order")
    confusion: Literal["count", "degree"] = Field(
        "count",
        description="an abstention from a question that is answered without passages: count: 1 where it was answered "
        "wholly right; degree: as much as was lost by it. H is what is lost without abstaining, so R - H - C is the "
        "change of Cor. with either",
        json_schema_extra={"tag": "recon", "source": "Magic Mushroom F.3, prose only; Tables 6 and 8 fit both"},
    )

    @field_validator("classes", "placed")
    @classmethod
    def _known(cls, names: tuple[str, ...]) -> tuple[str, ...]:
        for name in names:
            if name not in CLASSES:
                raise ValueError(f"no class {name!r}; have {', '.join(CLASSES)}")
        return names

    @field_validator("scenarios")
    @classmethod
    def _scenarios(cls, names: tuple[str, ...]) -> tuple[str, ...]:
        for name in names:
            if name not in SCENARIOS:
                raise ValueError(f"no scenario {name!r}; have {', '.join(SCENARIOS)}")
        return names
