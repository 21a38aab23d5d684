"""Parts of a frame: their rows, columns and values, however often they were cut."""

import numpy as np
import pandas as pd

from rarefy.tasks.evaluate.protocols.frame import Frame, proper_slices

ROWS = pd.DataFrame(
    {
        "at": [0, 0, 1, 1, 2],
        "cell": ["gold", "gold", "probe", "", None],
        "status": ["scored", "failed", "scored", "missing", "skipped"],
        "value": [1.0, np.nan, 0.0, np.nan, np.nan],
        "not_drawn": [False, False, False, False, True],
    }
)
FRAME = Frame(ROWS, ["a", "b", "c"])


def test_a_part_of_a_part_is_what_both_masks_leave() -> None:
    part = FRAME.where(ROWS["at"] > 0).only("status", "scored")
    assert part.rows.index.tolist() == [2] and part.size == 1
    assert part.column("value").tolist() == [0.0]
    assert FRAME.drawn().at([3, 0]).column("at").tolist() == [1, 0]


def test_what_is_no_value_is_in_no_part() -> None:
    assert FRAME.values("cell") == ["gold", "probe"] and FRAME.drawn().only("at", 1).values("cell") == ["probe"]
    assert FRAME.has("cell", "gold", "nowhere").tolist() == [True, True, False, False, False]
    assert [name for name, _ in proper_slices(FRAME, ["cell"])] == ["cell=gold", "cell=probe"]


def test_counts_and_means_are_of_the_part_alone() -> None:
    part = FRAME.where(ROWS["at"] < 2)
    assert vars(part.counts()) == {"scored": 2, "failed": 1, "missing": 1, "skipped": 0}
    found = part.mean("right", "all")
    assert found.numerator.tolist() == [1.0, 0.0, 0.0] and found.denominator.tolist() == [1.0, 1.0, 0.0]
