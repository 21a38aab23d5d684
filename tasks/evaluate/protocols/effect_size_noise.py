"""How much changes where nothing was changed: the null that AH̃ lacks (papers.md 002-B)."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from rarefy.tasks.evaluate.protocols.effect_size_config import ORIGINAL, REPEAT, EffectSizeConfig
from rarefy.tasks.evaluate.protocols.effect_size_groups import groups
from rarefy.tasks.evaluate.protocols.frame import Frame
from rarefy.tasks.evaluate.statistics.effect_size import ah_tilde
from rarefy.tasks.evaluate.statistics.measure import Derived, Figured, Measure

EACH, REPEATED, ABOVE = "AH̃ of one variant", "AH̃ of one repeat", "AH̃ above noise"
UNKNOWN = "noise floor unknown: set repeats"


def against(part: Frame) -> str:
    """What an AH̃ is to be set against."""
    return f"see {ABOVE}" if (part.rows["cell"] == REPEAT).any() else UNKNOWN


def floor(part: Frame, chosen: Any, name: str, config: EffectSizeConfig) -> Iterator[Figured]:
    """The AH̃ of single variants against that of single repeats of the original, and their difference.

    One at a time, since AH̃ of a mean hangs on how many it is the mean of: a chance p of another answer gives p for one
    variant and about 2/π·√p for the mean of many. Nothing without repeats.
    """
    again = (part.rows["cell"] == REPEAT).to_numpy()
    if not again.any():
        return
    limits = (1.0, 0.0)
    changed = _each(part, chosen, EACH, name, config, limits)
    same = _each(part, again, REPEATED, name, config, limits)
    yield changed
    yield same
    yield Derived(ABOVE, name, (changed, same), _less, unit="groups", interval="bca", note=f"{EACH} less {REPEATED}")


def _each(
    part: Frame, mask: Any, metric: str, name: str, config: EffectSizeConfig, limits: tuple[float, float]
) -> Measure:
    """The mean over groups of the mean over their rows of |H̃|, each row against the original by itself."""
    found = groups(part, mask, config.complete)
    rows = part.where(mask)
    originals = part.where(part.rows["cell"] == ORIGINAL)
    before = np.full(len(part.questions), np.nan)
    before[originals.rows["at"].to_numpy()] = originals.rows["value"].to_numpy(dtype=float)
    away = rows.sums(ah_tilde(before[rows.rows["at"].to_numpy()], rows.rows["value"].to_numpy(dtype=float)))
    have = ~np.isnan(found.perturbed)
    values = np.where(have, away / np.maximum(found.variants, 1), 0.0)
    return Measure(metric, name, values, have.astype(float), found.counts, unit="groups", limits=limits, interval="bca")


def _less(changed: Any, same: Any) -> Any:
    return changed - same
