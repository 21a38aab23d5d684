"""Effect sizes of a change of scores: PDR, Cohen's h, d and Hedges' g (arXiv 2408.01963 §3 and A.1)."""

import math
from typing import Any

import numpy as np
import numpy.typing as npt

Values = npt.NDArray[np.float64]
# Sawilowsky's words for |h|, each up to but not including its number (Table 5); for |H̃| the numbers are divided by pi
BANDS: tuple[tuple[str, float], ...] = (
    ("essentially zero", 0.01),
    ("very small", 0.2),
    ("small", 0.5),
    ("medium", 0.8),
    ("large", 1.2),
    ("very large", 2.0),
    ("huge", math.inf),
)


def pdr(original: Any, perturbed: Any) -> Values:
    """Performance drop rate `1 - perturbed / original`: 0 where both are 0, NaN where only the original is."""
    before, after = _shares(original), _shares(perturbed)
    with np.errstate(invalid="ignore", divide="ignore"):
        drop = 1 - after / before
    return np.where(before > 0, drop, np.where(after == 0, 0.0, np.nan))


def psi(share: Any) -> Values:
    """`2 arcsin(sqrt(share))`; ValueError where it is not between 0 and 1."""
    return np.asarray(2 * np.arcsin(np.sqrt(_shares(share))))


def h(original: Any, perturbed: Any) -> Values:
    """Cohen's h of a change, between -pi and pi: over 0 is an improvement."""
    return np.asarray(psi(perturbed) - psi(original))


def h_tilde(original: Any, perturbed: Any) -> Values:
    """H̃ = h / pi, between -1 and 1."""
    return np.asarray(h(original, perturbed) / math.pi)


def ah_tilde(original: Any, perturbed: Any) -> Values:
    """AH̃ = |H̃|. It is never under 0, so that its interval is over 0 wherever anything changed: set it against noise."""
    return np.abs(h_tilde(original, perturbed))


def band(h_tilde: float) -> str:
    """The word for an effect of this H̃ (or AH̃), whichever way it goes; "undefined" for NaN."""
    if math.isnan(h_tilde):
        return "undefined"
    size = abs(h_tilde) * math.pi
    return next(word for word, end in BANDS if size < end)


def cohens_d(before: Any, after: Any) -> float:
    """Difference of the means, after less before, in pooled standard deviations of two samples (Cohen 1988).

    One sample may be a single value (an original beside its variants), whose squares are 0. NaN where a sample is
    empty, both are single values, or neither varies.
    """
    first, second = np.asarray(before, dtype=float).ravel(), np.asarray(after, dtype=float).ravel()
    if min(len(first), len(second)) < 1 or len(first) + len(second) < 3:
        return math.nan
    freedom = len(first) + len(second) - 2
    squares = ((first - first.mean()) ** 2).sum() + ((second - second.mean()) ** 2).sum()
    if not squares > 0 or (np.ptp(first) == 0 and np.ptp(second) == 0):
        return math.nan
    return float((second.mean() - first.mean()) / math.sqrt(squares / freedom))


def hedges_g(before: Any, after: Any) -> float:
    """Cohen's d without its bias in small samples; NaN where that is, or the samples have fewer than four values."""
    return cohens_d(before, after) * correction(np.asarray(before).size + np.asarray(after).size - 2)


def correction(freedom: int) -> float:
    """Hedges' exact factor of gamma functions for so many degrees of freedom; NaN under two (Hedges 1981)."""
    if freedom < 2:
        return math.nan
    return math.exp(math.lgamma(freedom / 2) - math.lgamma((freedom - 1) / 2) - math.log(freedom / 2) / 2)


def _shares(score: Any) -> Values:
    """Scores from 0 to 1, NaN where there is none."""
    found = np.asarray(score, dtype=float)
    if ((found < 0) | (found > 1)).any():
        raise ValueError("a score is not between 0 and 1: effect sizes of shares do not apply (use Cohen's d)")
    return found
