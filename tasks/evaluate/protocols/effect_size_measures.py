"""PDR, H, H̃ and AH̃ over groups, set against the noise of asking again (arXiv 2408.01963 §3, A.1, A.2)."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from rarefy.tasks.evaluate.protocols.columns import narrowed
from rarefy.tasks.evaluate.protocols.effect_size_config import FAMILIES, ORIGINAL, OWN, REPEAT, EffectSizeConfig
from rarefy.tasks.evaluate.protocols.effect_size_groups import Groups, groups, raw
from rarefy.tasks.evaluate.protocols.effect_size_noise import against, floor
from rarefy.tasks.evaluate.protocols.effect_size_scale import scaled
from rarefy.tasks.evaluate.protocols.frame import Frame, slices
from rarefy.tasks.evaluate.statistics.effect_size import ah_tilde, band, h, h_tilde, pdr
from rarefy.tasks.evaluate.statistics.measure import Counts, Figured, Measure

PERTURBED = "Perturbed score"
UNDEFINED = "PDR undefined"


def measures(frame: Frame, config: EffectSizeConfig) -> Iterator[Figured]:
    """The numbers of one system: of all variants of a group together, of each family, and of each perturbation."""
    frame = narrowed(frame, ("cell", "query", "document", "retriever"))
    own = (frame.rows["retriever"] == OWN).to_numpy()
    beside = bool(own.any() and not own.all())
    every = frame.where(~own) if beside else frame
    yield from _of(every, config, "all", headline=True)
    for name, part in slices(every, ("pattern", "domain", "hops", "entity", "period")):
        if name != "all":
            few = name.startswith(("entity=", "period="))  # there may be hundreds of them
            yield from (one for one in _of(part, config, name) if not few or one.metric in ("PDR", "H̃", "AH̃"))
    for family in FAMILIES:
        mask = (every.rows["cell"] == family).to_numpy()
        if mask.any():
            yield from _of(every, config, f"family={family}", mask)
            for perturbation in sorted(set(_names(every)[mask])):
                yield from _of(every, config, f"perturbation={perturbation}", mask & (_names(every) == perturbation))
    if beside:
        yield from _of(frame.where(own), config, f"retriever={OWN}")


def _names(frame: Frame) -> npt.NDArray[Any]:
    """The perturbation of each row, whether of the wording or of the passages."""
    rows = frame.rows
    found: npt.NDArray[Any] = np.where(rows["query"] == "none", rows["document"], rows["query"])
    return found


def _of(
    part: Frame, config: EffectSizeConfig, name: str, mask: Any = None, headline: bool = False
) -> Iterator[Figured]:
    """All numbers of the groups of these variants; of all but original and repeats where none are told."""
    rows = part.rows
    chosen = ~rows["cell"].isin((ORIGINAL, REPEAT)).to_numpy() if mask is None else mask
    found = groups(part, chosen, config.complete)
    originals, asked = raw(part)
    yield of_groups("Original score", name, originals, asked, note="of the raw data set (Table 3), variants or none")
    yield of_groups(PERTURBED, name, found.perturbed, found.counts, note=_scores(found))
    yield from _pdr(found, name)
    if name == "all" or name.startswith("family="):
        yield of_groups("H", name, h(found.original, found.perturbed), found.counts, limits=(-np.pi, np.pi))
    above = h_tilde(found.original, found.perturbed)
    yield of_groups("H̃", name, above, found.counts, limits=(-1.0, 1.0), headline=headline, note=_band(above))
    away = ah_tilde(found.original, found.perturbed)
    told = (_band(away), "never under 0, so that its interval says nothing of significance", against(part))
    note = "; ".join(text for text in (told if name == "all" else told[:1]) if text)
    yield of_groups("AH̃", name, away, found.counts, limits=(1.0, 0.0), headline=headline, note=note)
    yield from floor(part, chosen, name, config)
    yield from scaled(found, name, config, of_groups)


def _pdr(found: Groups, name: str) -> Iterator[Measure]:
    """PDR over the groups where it is defined, and the share of groups where it is not."""
    drop = pdr(found.original, found.perturbed)
    scored = ~np.isnan(found.perturbed)
    undefined = scored & np.isnan(drop)
    lost, c = int(undefined.sum()), found.counts
    counts = Counts(c.scored - lost, c.failed, c.missing, c.skipped + lost)
    note = f"undefined and discarded for {lost} of {c.scored} groups" if lost else ""
    least = 0.0 if found.binary else -np.inf  # with an original of 1 nothing can rise
    yield of_groups("PDR", name, drop, counts, limits=(1.0, least), note=note)
    share = np.where(scored, undefined.astype(float), np.nan)
    told = "the original scores 0, a variant does not"
    yield of_groups(UNDEFINED, name, share, c, limits=(1.0, 0.0), note=told, neutral=True)


def of_groups(metric: str, name: str, values: Any, counts: Counts, **told: Any) -> Measure:
    """The mean of a group score over the groups that have one, with the paper's interval (A.2: BCa over groups)."""
    have = ~np.isnan(values)
    return Measure(
        metric, name, np.where(have, values, 0.0), have.astype(float), counts, unit="groups", interval="bca", **told
    )


def _band(values: Any) -> str:
    have = values[~np.isnan(values)]
    return f"{band(float(have.mean()))} effect" if len(have) else ""


def _scores(found: Groups) -> str:
    have = found.variants[found.variants > 0]
    return f"m(i) from {int(have.min())} to {int(have.max())}, mean {have.mean():.1f}" if len(have) else ""
