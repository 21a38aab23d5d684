"""A number as a ratio of sums over questions, so that every interval can be drawn from the same resampled questions."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

Sums: TypeAlias = npt.NDArray[np.float64]  # one entry per question of the frame, in its order


@dataclass(frozen=True)
class Counts:
    """How many units a number is of, and how many are not in it."""

    scored: int = 0
    failed: int = 0  # the system or the judge gave no answer, or an error
    missing: int = 0  # nobody answered or judged it (yet)
    skipped: int = 0  # the benchmark cannot fill the cell, or the number is not defined for it


@dataclass(frozen=True)
class Measure:
    """`numerator.sum() / denominator.sum()`; 0/0 is undefined.

    `limits` say which way is better too: (1.0, 0.0) for a share of answers lost, an infinity where there is no end.
    """

    metric: str
    slice: str
    numerator: Sums
    denominator: Sums
    counts: Counts
    unit: str = "trials"
    limits: tuple[float, float] = (0.0, 1.0)  # what one unit can come to at worst and at best
    headline: bool = False
    note: str = ""
    interval: str = ""  # percentile | bca, where its paper names one; "": as configured
    bounds: tuple[float, float] | None = None  # worst and best, where units do not weigh the same (macro means)
    neutral: bool = False  # neither more nor less of it is better: a share of refusals, of Known questions


@dataclass(frozen=True)
class Derived:
    """A number made of others (a geometric mean, a difference): `how` takes their values, single or arrays of draws."""

    metric: str
    slice: str
    of: tuple["Measure", ...]
    how: Callable[..., Any] = field(compare=False)
    unit: str = "trials"
    headline: bool = False
    note: str = ""
    counts: Counts | None = None  # None: of the part that has the fewest scored
    interval: str = ""  # percentile | bca; "": as configured
    neutral: bool = False  # neither more nor less of it is better


Figured: TypeAlias = Measure | Derived
