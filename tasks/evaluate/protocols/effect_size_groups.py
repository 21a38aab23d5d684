"""Scores of groups: an original's, the mean of its variants', and which groups have both (arXiv 2408.01963 §3)."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from rarefy.tasks.evaluate.protocols.effect_size_config import ORIGINAL
from rarefy.tasks.evaluate.protocols.frame import Frame
from rarefy.tasks.evaluate.statistics.measure import Counts

Array = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Groups:
    """One entry per question of the frame; NaN where a group is not scored."""

    original: Array  # score_i^o
    perturbed: Array  # score_i^p, the mean over its m(i) variants
    variants: Array  # m(i), as far as they were scored
    spread: Array  # standard deviation of the variants' scores (m(i) - 1 degrees of freedom); NaN under two
    counts: Counts  # in groups

    @property
    def binary(self) -> bool:
        """Are all originals 0 or 1?"""
        found = self.original[~np.isnan(self.original)]
        return bool(np.isin(found, (0.0, 1.0)).all())


def groups(frame: Frame, mask: Any, complete: bool) -> Groups:
    """The groups of the original and the rows of a mask; those without a variant in the benchmark are skipped.

    A question that the frame has no original of (another slice) is no group at all.
    """
    size = len(frame.questions)
    originals = frame.where(frame.rows["cell"] == ORIGINAL)
    here, first = _by_status(originals, size)
    variants = frame.where(mask)
    _, each = _by_status(variants, size)
    total = variants.sums(variants.rows["value"])
    lost = each["failed"] + each["missing"]
    m = each["scored"]
    before = np.where(first["scored"] > 0, originals.sums(originals.rows["value"]), np.nan)
    have = here & (first["scored"] > 0) & (m > 0) & (~(lost > 0) | (not complete))
    skipped = here & ~have & ((first["skipped"] > 0) | (m + lost == 0))
    failed = here & ~have & ~skipped & (first["failed"] + each["failed"] > 0)
    missing = here & ~have & ~skipped & ~failed
    with np.errstate(invalid="ignore", divide="ignore"):
        after = np.where(have, total / m, np.nan)
    counts = Counts(int(have.sum()), int(failed.sum()), int(missing.sum()), int(skipped.sum()))
    away = variants.rows["value"].to_numpy(dtype=float) - after[variants.rows["at"].to_numpy()]
    with np.errstate(invalid="ignore", divide="ignore"):
        spread = np.where(have & (m > 1), np.sqrt(variants.sums(away**2) / (m - 1)), np.nan)
    return Groups(np.where(have, before, np.nan), after, np.where(have, m, 0.0), spread, counts)


def raw(frame: Frame) -> tuple[Array, Counts]:
    """The original's score of every question that was asked, with variants or without; NaN where it has none."""
    originals = frame.where(frame.rows["cell"] == ORIGINAL)
    _, first = _by_status(originals, len(frame.questions))
    scored = first["scored"] > 0
    counts = Counts(*(int((first[name] > 0).sum()) for name in ("scored", "failed", "missing", "skipped")))
    return np.where(scored, originals.sums(originals.rows["value"]), np.nan), counts


def _by_status(part: Frame, size: int) -> tuple[npt.NDArray[np.bool_], dict[str, Array]]:
    """Which questions have a row here, and how many rows of each status each question has."""
    at, status = part.rows["at"].to_numpy(), part.rows["status"].to_numpy()
    found = {
        name: np.bincount(at[status == name], minlength=size).astype(float)
        for name in ("scored", "failed", "missing", "skipped")
    }
    return np.bincount(at, minlength=size) > 0, found
