"""p-values of several tests looked at together: Holm (1979), Benjamini and Hochberg (1995)."""

from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt

Values = npt.NDArray[np.float64]


def holm(p: Sequence[float]) -> list[float]:
    """Adjusted p: those up to alpha hold all together with a chance of alpha for any false alarm. NaN stays NaN."""
    return _adjusted(p, lambda ordered: np.asarray(np.maximum.accumulate(ordered * np.arange(len(ordered), 0, -1))))


def benjamini_hochberg(p: Sequence[float]) -> list[float]:
    """Adjusted p: of those up to alpha a share of alpha is expected to be false alarms. NaN stays NaN."""

    def step(ordered: Values) -> Values:
        scaled = ordered * len(ordered) / np.arange(1, len(ordered) + 1)
        return np.asarray(np.minimum.accumulate(scaled[::-1])[::-1])

    return _adjusted(p, step)


def _adjusted(p: Sequence[float], step: Callable[[Values], Values]) -> list[float]:
    values = np.asarray(p, dtype=float)
    found = np.full(len(values), np.nan)
    tested = np.flatnonzero(~np.isnan(values))
    if len(tested):
        order = tested[np.argsort(values[tested], kind="stable")]
        found[order] = np.minimum(step(values[order]), 1.0)
    return [float(one) for one in found]
