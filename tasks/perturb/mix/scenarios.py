"""Mixes of all five classes by name: Magic Mushroom's four (§4.6, G.2), and those of a file."""

import json
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from math import gcd, lcm
from pathlib import Path
from typing import Any

from rarefy.tasks.perturb.mix.config import CLASSES, GOLDEN, NOISE

FITTED = "fitted"  # what was measured, beside the shares in a file of scenarios; the builder does not read it


@dataclass(frozen=True, slots=True)
class Scenario:
    """What share of a context each class has; the shares sum to 1."""

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


def scenario(name: str, shares: Mapping[str, Any]) -> Scenario:
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
    name: scenario(name, dict(zip(CLASSES, shares, strict=True))) for name, shares in _PAPER.items()
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
            name: scenario(name, {key: value for key, value in table.items() if key != FITTED})
            for name, table in tables.items()
        }
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from error
