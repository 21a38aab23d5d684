"""The smallest difference that so many questions could have shown, and how many would show one that matters."""

import math


def smallest_difference(error: float, *, alpha: float = 0.05, power: float = 0.8) -> float:
    """The difference that a two-sided test at `alpha` finds with a chance of `power`, for this standard error of it.

    With the error seen (clustered, paired) it is that of this number of questions and the variance they showed.
    """
    from scipy.stats import norm  # late: a second

    return float((norm.isf(alpha / 2) + norm.ppf(power)) * error)


def needed(clusters: int, smallest: float, difference: float) -> int:
    """How many clusters of the same kind would have shown this difference, where so many show the smallest one."""
    if not smallest > 0:
        return clusters
    return math.ceil(clusters * (smallest / difference) ** 2 - 1e-9)
