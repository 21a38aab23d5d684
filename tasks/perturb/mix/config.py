"""How contexts are mixed (Magic Mushroom §4.1, §4.4–4.6, F.1)."""

from typing import Literal

from pydantic import BaseModel, Field, field_validator

GOLDEN = "golden"
NOISE = ("distracting", "low_quality", "inconsequential", "irrelevant")
CLASSES = (GOLDEN, *NOISE)
NATURALLY = "natural"
NATURAL = {"distracting": 10, "low_quality": 7, "inconsequential": 7, "irrelevant": 7}  # passages per question, §4.1
RATIOS_SINGLE = (0.0, 0.1, 0.3, 0.5, 0.7, 0.9, 1.0)  # MM_s, Table 1
RATIOS_MULTI = (0.0, 0.2, 0.4, 0.6, 0.8, 1.0)  # MM_m, Table 8


class MixConfig(BaseModel, frozen=True, extra="forbid"):
    """Which contexts are made of a question's passages: every ratio with every mix, and every scenario."""

    k: int = Field(10, ge=1, description="passages in a context")
    ratios: tuple[float, ...] = Field(
        (),
        description="shares of noise; none given: 0, .1, .3, .5, .7, .9, 1 for single-hop questions and 0, .2, .4, .6, "
        ".8, 1 for others, as Magic Mushroom; not used where only scenarios are asked for",
    )
    mixes: tuple[str, ...] = Field(
        (),
        description='what the noise is made of: natural (drawn as 10:7:7:7), a class, or a vector "3:1:1:2" in the '
        "order distracting, low_quality, inconsequential, irrelevant; none given: natural, or no ratios where there "
        "are scenarios",
    )
    scenarios: tuple[str, ...] = Field((), description="SCE1 to SCE4, or names in a file of scenarios")
    position: Literal["", "near", "mid", "far"] = Field("", description="where a class stands, seen from the question")
    placed: str = Field(GOLDEN, description="the class that `position` is about")
    question: Literal["before", "after"] = Field(
        "before",
        description="where the prompt has the question: before the passages, as all of Magic Mushroom's, so that the "
        "first passage is the nearest; or after them",
    )
    order: str = Field(
        "shuffled",
        description="of the passages that no position is asked for: shuffled | original (golden, then noise by class) "
        '| reversed | ranked (as alike the question as an embedder finds them) | "module:function"',
    )
    length: str = Field("", description="tokens of a context: 0-299, 300-599, ... 1500+, or any such range")
    fill: bool = Field(
        False, description="where a class of noise is short, take other classes instead of making the context smaller"
    )
    titles: bool = Field(True, description="passages are shown with the title of their document")
    tokenizer: str = Field("minilm", description="counts the tokens; as chunk.tokenizer")
    seed: int = Field(0, description="another seed, other passages in another order")

    @field_validator("ratios")
    @classmethod
    def _shares(cls, ratios: tuple[float, ...]) -> tuple[float, ...]:
        for ratio in ratios:
            if not 0 <= ratio <= 1:
                raise ValueError(f"a ratio of noise is 0 to 1, and not {ratio:g}")
        return ratios

    @field_validator("placed")
    @classmethod
    def _class(cls, name: str) -> str:
        if name not in CLASSES:
            raise ValueError(f"no class {name!r}; have {', '.join(CLASSES)}")
        return name
