"""Axes: where ticks stand, and which place a value has."""

import math
from collections.abc import Iterable
from dataclasses import dataclass

_STEPS = (1.0, 2.0, 2.5, 5.0, 10.0)


@dataclass(frozen=True)
class Scale:
    """An axis from `low` to `high` with its ticks."""

    low: float
    high: float
    ticks: tuple[float, ...]

    def at(self, value: float) -> float:
        """The place of a value, 0 to 1; what lies outside stands at the end."""
        if self.high == self.low:
            return 0.5
        return min(1.0, max(0.0, (value - self.low) / (self.high - self.low)))

    def label(self, tick: float) -> str:
        """A tick in as few digits as tell it from the next."""
        step = self.ticks[1] - self.ticks[0] if len(self.ticks) > 1 else abs(tick) or 1.0
        digits = max(0, -math.floor(math.log10(step) + 1e-9))
        if round(step, digits) != round(step, digits + 1):  # 2.5 and 0.25 need one more than 2 and 0.2
            digits += 1
        text = f"{abs(tick):,.{digits}f}"
        return f"−{text}" if tick < 0 and any(digit in text for digit in "123456789") else text


def fitted(values: Iterable[float | None], least: float = 0.1, ticks: int = 5) -> Scale:
    """A scale that holds these values with air around them, and is no narrower than `least`.

    Shares stay between 0 and 1: no axis suggests that there could be more.
    """
    found = [value for value in values if value is not None and math.isfinite(value)]
    if not found:
        return Scale(0.0, 1.0, (0.0, 0.5, 1.0))
    low, high = min(found), max(found)
    shares = low >= 0.0 and high <= 1.0
    air = max((least - (high - low)) / 2, (high - low) * 0.06)
    low, high = low - air, high + air
    if shares:
        low, high = max(0.0, low), min(1.0, high)
    step = _step((high - low) / max(1, ticks - 1))
    first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
    marks = tuple(round(n * step, 10) for n in range(first, last + 1))
    return Scale(marks[0], marks[-1], marks)


def _step(rough: float) -> float:
    size = 10.0 ** math.floor(math.log10(rough))
    return next(step * size for step in _STEPS if step * size >= rough - 1e-12)
