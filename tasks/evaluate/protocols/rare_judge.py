"""When an answer is robust: right, refused or either, by what was shown and what is known without it (RARE Table 3)."""

from typing import Any

import numpy as np

from rarefy.tasks.evaluate.protocols.frame import Frame
from rarefy.tasks.evaluate.protocols.rare_config import OWN, PROBE, RETRIEVED, SIMILAR, RareConfig


def judged(frame: Frame, config: RareConfig) -> Frame:
    """The cells of a frame, its probes left out: `value` is 1 where robust, 0 where not, NaN where that is not known.

    Columns beside: `correct` and `refusal` (1, 0, NaN), which hang on no probe, with `answered`, the status of the cell
    by itself; `known` (yes | no | ""). A cell whose verdict hangs on a probe
    that has no score has the probe's status; one that hangs on whether gold was retrieved, where nobody knows, is
    skipped. Where a system is shown passages and retrieves itself too, the rows of its own retrieval have
    `apart` True, and no mean over retrievers has them.
    """
    import pandas as pd  # late: half a second

    rows = frame.rows
    probes, cells = rows[rows["cell"] == PROBE], rows[rows["cell"] != PROBE].copy()
    known, probed = _known(frame, probes, cells, config)
    scored = (cells["status"] == "scored").to_numpy()
    correct = np.where(scored, cells["value"].to_numpy(dtype=float) >= 1, np.nan)
    refused = np.where(scored, cells["refused"].to_numpy(dtype=bool), np.nan)
    gold = cells["gold"].to_numpy(dtype=float)
    gold = np.where(gold < 0, np.nan, gold)

    similar = (cells["cell"] == SIMILAR).to_numpy()
    real = (cells["cell"] == RETRIEVED).to_numpy()
    must_answer = np.zeros(len(cells), bool) if config.real_world == "table" else real & (gold > 0)
    either = np.fmax(correct, refused)
    if_unknown = np.where(similar | (real & (config.real_world == "strict")), refused, np.where(real, either, correct))
    if_unknown = np.where(must_answer, correct, if_unknown)
    hangs = (similar | real) & ~must_answer
    verdict = np.where(hangs & (known == 0), if_unknown, correct)
    no_gold = real & np.isnan(gold) & (config.real_world != "table")
    verdict[(hangs & np.isnan(known)) | no_gold] = np.nan

    cells["answered"] = cells["status"]
    status = cells["status"].to_numpy(dtype=object)
    status = np.where(scored & hangs & np.isnan(known), probed, status)
    cells["status"] = pd.Categorical(np.where((status == "scored") & no_gold, "skipped", status))
    cells["correct"], cells["refusal"], cells["value"] = correct, refused, np.where(scored, verdict, np.nan)
    cells["known"] = pd.Categorical(np.where(known == 1, "yes", np.where(known == 0, "no", "")))
    own = (cells["retriever"] == OWN).to_numpy()
    cells["apart"] = own & bool((real & ~own).any())
    return Frame(cells, frame.questions)


def _known(frame: Frame, probes: Any, cells: Any, config: RareConfig) -> tuple[Any, Any]:
    """Of each cell: 1 where its question is answered without passages, 0 where not, NaN; and the probe's status."""
    at = cells["at"].to_numpy()
    if probes.empty:
        return np.full(len(cells), 0.0 if config.without_probe == "unknown" else np.nan), np.full(len(cells), "skipped")
    known, status = np.full(len(frame.questions), np.nan), np.full(len(frame.questions), "missing", dtype=object)
    where = probes["at"].to_numpy()
    known[where] = np.where(probes["status"] == "scored", probes["value"] >= 1, np.nan)
    status[where] = probes["status"].to_numpy(dtype=object)
    return known[at], status[at]
