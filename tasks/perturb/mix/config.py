"""Settings of mixed contexts, and scenarios of how much of each class is in them (Magic Mushroom §4, F.1, G.2)."""

import json
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from math import gcd, lcm
from pathlib import Path
from typing import Any, Literal

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


# Scenarios: shares of all five classes (Magic Mushroom §4.6, G.2)

FITTED = "fitted"  # table of a scenario file with what was measured; ignored when read


@dataclass(frozen=True, slots=True)
class Scenario:
    """The share of each class in a context; the shares sum to 1."""

    name: str
    shares: Mapping[str, Fraction] = field(hash=False)

    @property
    def ratio(self) -> float:
        """The share of noise."""
        return float(1 - self.shares[GOLDEN])

    @property
    def mix(self) -> str:
        """The classes of noise as a vector."""
        shares = [self.shares[name] for name in NOISE]
        whole = lcm(*(share.denominator for share in shares))
        numbers = [int(share * whole) for share in shares]
        return ":".join(str(number // (gcd(*numbers) or 1)) for number in numbers)


def make_scenario(name: str, shares: Mapping[str, Any]) -> Scenario:
    """A scenario of shares or percentages, which need not sum exactly; ValueError says what is wrong with them."""
    unknown = sorted(set(shares) - set(CLASSES))
    if unknown:
        raise ValueError(f"scenario {name!r}: no class {unknown[0]!r}; have {', '.join(CLASSES)}")
    found: dict[str, Fraction] = {}
    for part in CLASSES:
        value = shares.get(part, 0)
        if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < float("inf"):
            raise ValueError(f"scenario {name!r}: {part} is {value!r}, and no share of 0 or more")
        found[part] = Fraction(str(value))
    total = sum(found.values(), Fraction(0))
    if not any(abs(total - whole) <= whole * Fraction(2, 100) for whole in (1, 100)):
        raise ValueError(f"scenario {name!r}: its shares sum to {float(total):g}; make it 1, or 100 for percentages")
    return Scenario(name, {part: share / total for part, share in found.items()})


# Golden, distracting, low quality, inconsequential, irrelevant, per cent. The inconsequential share of SCE2 is not in
# the paper: it is what is missing to 100.
_PAPER = {
    "SCE1": (30, 30, 10, 10, 20),
    "SCE2": (30, 10, 20, 10, 30),
    "SCE3": (20, 20, 10, 20, 30),
    "SCE4": (20, 40, 10, 20, 10),
}
SCENARIOS: dict[str, Scenario] = {
    name: make_scenario(name, dict(zip(CLASSES, shares, strict=True))) for name, shares in _PAPER.items()
}


def read_scenarios(path: Path) -> dict[str, Scenario]:
    """The scenarios of a TOML or JSON file, `name → {class: share}`; ValueError names the file and what is wrong."""
    try:
        text = path.read_text(encoding="utf-8")
        tables = json.loads(text) if path.suffix.lower() == ".json" else tomllib.loads(text)
    except (ValueError, OSError) as error:
        raise ValueError(f"{path}: no file of scenarios ({error})") from error
    if not isinstance(tables, dict) or not all(isinstance(table, dict) for table in tables.values()):
        raise ValueError(f"{path}: a file of scenarios has a table of shares under each name")
    try:
        return {
            name: make_scenario(name, {key: value for key, value in table.items() if key != FITTED})
            for name, table in tables.items()
        }
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from error
