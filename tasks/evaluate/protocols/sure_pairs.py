"""Pairs of answers before and after a change of the document: C = Y(y) − Y(ŷ) (SURE §3.6, papers.md §000-E)."""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from rarefy.tasks.evaluate.protocols.case import NONE
from rarefy.tasks.evaluate.protocols.frame import SLICES, Frame
from rarefy.tasks.evaluate.protocols.sure_trials import GOLDEN, NOISE, PROBE, SureConfig, baselines, type_of
from rarefy.tasks.evaluate.statistics.measure import Counts, Measure

if TYPE_CHECKING:
    import pandas as pd

SUBSETS = ("K-G", "K-N", "U-G", "U-N")
# the worst last: a pair is as well known as the less known of its two answers
STATUSES = ("scored", "missing", "failed", "skipped")
KEY = ["question_id", "chunk_id"]
Mask = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Pairs:
    """A row for each (question, document, change), of all baselines.

    Columns: at, question_id, chunk_id, cell (golden | noise), known (K | U | ""), subset (K-G | ... | ""),
    perturbation, type, against (the baseline: none | html | ...), main (is that the first of the change's baselines),
    before and after (0 or 1, NaN unless scored), same (1 where both answers are the same words, or both refuse),
    status of the pair, kept (whether there is a changed document), trial_id and before_id, and the columns of its
    question.
    """

    rows: "pd.DataFrame"
    frame: Frame

    def where(self, mask: Any) -> "Pairs":
        """The pairs of a mask."""
        return replace(self, rows=self.rows[mask])

    def difference(self) -> npt.NDArray[np.float64]:
        """C of each pair: −1 won, 0 robust, 1 lost; NaN unless both answers are scored."""
        before, after = (np.asarray(self.rows[name], dtype=float) for name in ("before", "after"))
        return np.asarray(before - after, dtype=float)

    def counts(self) -> Counts:
        """Pairs by what is known of them."""
        found = self.rows["status"].value_counts()
        return Counts(*(int(found.get(name, 0)) for name in ("scored", "failed", "missing", "skipped")))

    def mean(self, metric: str, slice_: str, values: Any, **told: Any) -> Measure:
        """The mean of these values, one per pair, NaN where there is none."""
        found = np.asarray(values, dtype=float)
        at, size = self.rows["at"].to_numpy(), len(self.frame.questions)
        have = ~np.isnan(found)
        above, below = (
            np.bincount(at, weights=values, minlength=size).astype(float)
            for values in (np.where(have, found, 0.0), have.astype(float))
        )
        return Measure(metric, slice_, above, below, self.counts(), unit="pairs", **told)


def pairs(frame: Frame, config: SureConfig) -> Pairs:
    """The pairs of a frame; ValueError where an answer is neither right nor wrong, as Y must be (eq. 4)."""
    import pandas as pd  # late: half a second

    rows = frame.rows
    values = rows["value"].dropna()
    if not values.isin((0.0, 1.0)).all():
        raise ValueError(
            f"SURE compares answers that are right (1) or wrong (0); one is {values[~values.isin((0, 1))].iloc[0]}"
        )
    documents = rows[rows["cell"].isin((GOLDEN, NOISE)) & (rows["document"] != "")]
    documents = documents.assign(said=_said(documents))
    known = _known(rows)
    parts = []
    for name in config.perturbations:
        changed = documents[documents["document"] == name]
        for place, against in enumerate(baselines(name, config)):
            if against != name:
                parts.append(_compared(changed, documents[documents["document"] == against], against, place == 0))
    found = pd.concat(parts, ignore_index=True) if parts else _compared(documents[:0], documents[:0], NONE, True)
    found["known"] = found["question_id"].map(known).fillna("")
    side = found["cell"].map({GOLDEN: "G", NOISE: "N"})
    found["subset"] = (found["known"] + "-" + side).where(found["known"] != "", "")
    found["type"] = found["perturbation"].map({name: type_of(name) for name in config.perturbations})
    if config.whole_types:
        found["status"] = found["status"].mask(_torn(found), "skipped")
        found.loc[found["status"] == "skipped", ["before", "after", "same"]] = np.nan
    return Pairs(_narrow(found), frame)


def _narrow(found: "pd.DataFrame") -> "pd.DataFrame":
    """The columns that pairs are looked at by, words as categories: pairs are cut a thousand times."""
    words = [
        *KEY,
        "trial_id",
        "before_id",
        "cell",
        "known",
        "subset",
        "perturbation",
        "type",
        "against",
        "status",
        *SLICES,
    ]
    return found[["at", "number", "main", "kept", "before", "after", "same", *words]].astype(
        dict.fromkeys(words, "category")
    )


def _known(rows: "pd.DataFrame") -> "pd.Series[str]":
    """K or U of each question whose closed-book answer was scored."""
    probes = rows[(rows["cell"] == PROBE) & (rows["status"] == "scored")]
    return probes.set_index("question_id")["value"].map({1.0: "K", 0.0: "U"})


def _said(rows: "pd.DataFrame") -> "pd.Series[str]":
    """Each answer as its bare words; all refusals are the same answer."""
    if "text" not in rows:
        raise ValueError("the frame has no column `text`: answers cannot be compared with one another")
    bare = rows["text"].fillna("").str.casefold().str.replace(r"[^\w%$€£.+-]+", " ", regex=True).str.strip(" .")
    return bare.mask(rows["refused"], "\0refused")


def _compared(changed: "pd.DataFrame", before: "pd.DataFrame", against: str, main: bool) -> "pd.DataFrame":
    """Each changed document with the one that it is held against; without one the pair is skipped."""
    first = before.sort_values("number", kind="stable").drop_duplicates(KEY)
    columns = [*KEY, "trial_id", "value", "status", "said"]
    found = changed.merge(first[columns], on=KEY, how="left", suffixes=("", "_before"), validate="m:1")
    codes = {name: code for code, name in enumerate(STATUSES)}
    worse = np.maximum(
        found["status"].map(codes).to_numpy(dtype=int),
        found["status_before"].fillna("skipped").map(codes).to_numpy(dtype=int),
    )
    scored = worse == 0
    same = (found["said"] == found["said_before"]).to_numpy(dtype=float)
    return found.assign(
        kept=found["status"] != "skipped",
        status=np.array(STATUSES, dtype=object)[worse],
        before=found["value_before"].where(scored),
        after=found["value"].where(scored),
        same=np.where(scored, same, np.nan),
        perturbation=found["document"],
        against=against,
        main=main,
        before_id=found["trial_id_before"],
    ).drop(columns=["value", "value_before", "status_before", "said", "said_before", "trial_id_before"])


def _torn(found: "pd.DataFrame") -> "pd.Series[bool]":
    """Pairs on a document for which not all of a type's changes, of those that were made at all, are there (S6)."""
    there = found[found["main"] & found["kept"]]
    made = there.groupby("type")["perturbation"].nunique()
    have = there.groupby([*KEY, "type"])["perturbation"].nunique()
    keys = list(zip(found["question_id"], found["chunk_id"], found["type"], strict=True))
    return (have.reindex(keys, fill_value=0).to_numpy() < found["type"].map(made).fillna(0).to_numpy()).astype(bool)
