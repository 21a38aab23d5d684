"""Which rows of a number a page carries: wrong ones first, a few of every outcome, the same for the same result."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from rarefy.tasks.evaluate.results.drill.blocks import Block
from rarefy.tasks.evaluate.results.drill.scope import rows_of
from rarefy.tasks.evaluate.results.drill.verdicts import OUTCOMES

MOST = 200  # rows of a number
ROWS = 4_500  # of all numbers together
_CAPS = (200, 100, 60, 40, 25, 15, 8, 4)  # rows of a number that is no headline: the first that fits
_SHARES = {"wrong": 0.45, "partly": 0.1, "refused": 0.2, "right": 0.15, "unscored": 0.1}


@dataclass(frozen=True)
class Behind:
    """What stands behind a number: how many rows of each outcome, and those of them that are shown."""

    counts: tuple[int, ...]  # by OUTCOMES
    block: int
    rows: tuple[int, ...]  # of the block
    unused: tuple[str, ...]  # parts of the slice that narrow nothing down


def behind(
    blocks: Sequence[Block], numbers: Iterable[tuple[int, dict[str, Any], bool]], budget: int = ROWS
) -> dict[int, Behind]:
    """For each number (its name, its row, whether it comes first) what stands behind it; none for what has no block."""
    place = {(block.system, block.protocol): at for at, block in enumerate(blocks)}
    found: dict[int, tuple[int, bool, tuple[int, ...], list[npt.NDArray[np.int64]], tuple[str, ...]]] = {}
    for name, figure, first in numbers:
        at = place.get((figure["system"], figure["protocol"]))
        if at is None:
            continue
        mask, unused = rows_of(blocks[at], figure["metric"], figure["slice"])
        counts = tuple(int(n) for n in np.bincount(blocks[at].outcome[mask], minlength=len(OUTCOMES)))
        first_few = [rows[mask[rows]][:MOST] for rows in blocks[at].of_outcome]
        found[name] = (at, first, counts, first_few, unused)
    cap = _cap(found, budget)
    return {
        name: Behind(counts, at, tuple(map(int, _picked(few, MOST if first else cap))), unused)
        for name, (at, first, counts, few, unused) in found.items()
    }


def _cap(found: dict[int, Any], budget: int) -> int:
    """The most rows a number can show so that all of them together stay within the budget."""
    for cap in _CAPS:
        union = {(at, row) for at, first, _, few, _ in found.values() for row in _picked(few, MOST if first else cap)}
        if len(union) <= budget:
            return cap
    return _CAPS[-1]


def _picked(few: Sequence[npt.NDArray[np.int64]], cap: int) -> list[int]:
    """So many rows: each outcome its share, what one does not need goes to the others in order."""
    sizes = [min(len(rows), round(_SHARES[name] * cap)) for name, rows in zip(OUTCOMES, few, strict=True)]
    left = cap - sum(sizes)
    for at, rows in enumerate(few):
        more = max(0, min(len(rows) - sizes[at], left))
        sizes[at] += more
        left -= more
    return [int(row) for rows, size in zip(few, sizes, strict=True) for row in rows[:size]]
