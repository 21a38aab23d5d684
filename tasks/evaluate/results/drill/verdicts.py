"""What came of a row, in the words of the filters: wrong, partly right, refused, right, unscored."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

OUTCOMES = ("wrong", "partly", "refused", "right", "unscored")
WRONG, PARTLY, REFUSED, RIGHT, UNSCORED = range(len(OUTCOMES))


def outcomes(
    tables: Mapping[str, pa.Table], score: npt.NDArray[np.int64], robust: npt.NDArray[np.float64], ids: Any
) -> npt.NDArray[np.int8]:
    """The place in OUTCOMES of each row; a refusal is one whatever it is worth, what has no score is unscored."""
    scores = tables["scores"]
    if not scores.num_rows:
        return np.full(len(score), UNSCORED, dtype=np.int8)
    status = scores["status"].to_numpy(zero_copy_only=False)[score]
    value = scores["value"].to_numpy(zero_copy_only=False).astype(float)[score]
    refused = scores["refused"].to_numpy(zero_copy_only=False).astype(bool)[score]
    found = np.where(value >= 1, RIGHT, np.where(value > 0, PARTLY, WRONG))
    found = np.where(refused, REFUSED, found)
    return np.where((score < 0) | (status != "scored"), UNSCORED, found).astype(np.int8)


def robust(
    summary: Mapping[str, Any], tables: Mapping[str, pa.Table], system: str, at_trial: Mapping[str, int], size: int
) -> npt.NDArray[np.float64]:
    """RARE's verdict on each trial of a system, by its Table 3: 1 robust, 0 not, NaN where it has none."""
    from rarefy.tasks.evaluate.protocols.frame import frame
    from rarefy.tasks.evaluate.protocols.rare_config import RareConfig
    from rarefy.tasks.evaluate.protocols.rare_judge import judged

    found = np.full(size, np.nan)
    trials = tables["trials"].filter(pc.equal(tables["trials"]["protocol"], "rare"))
    scores = tables["scores"]
    mine = scores.filter(pc.and_(pc.equal(scores["system"], system), pc.equal(scores["protocol"], "rare")))
    if not (trials.num_rows and mine.num_rows):
        return found
    answers = tables["answers"].filter(pc.equal(tables["answers"]["system"], system))
    options = {row["name"]: row["value"] for row in summary["protocols"].get("rare", {}).get("options", ())}
    cells = judged(frame(trials, answers, mine, tables["questions"]), RareConfig(**options)).rows
    for name, value in zip(cells["trial_id"], cells["value"], strict=True):
        found[at_trial[name]] = value
    return found
