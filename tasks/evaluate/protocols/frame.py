"""Trials, answers, scores and questions joined in one data frame: what every measure of a protocol is made from."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Self, TypeVar

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from rarefy.data_contracts.rows import hops_of
from rarefy.tasks.evaluate.statistics.measure import Counts, Measure

if TYPE_CHECKING:
    import pandas as pd

TRIAL = (
    "trial_id question_id cell given query_id query number document chunk_id retriever k order context_id mix ratio "
    "scenario placed position bin noise"
).split()
ANSWER = "asked_id text gold answer_shown shown prompt_tokens completion_tokens calls seconds cost".split()
SCORE = "status value refused stage".split()
QUESTION = "pattern domain entity period language chance".split()
Mask = npt.NDArray[np.bool_]
NOT_DRAWN = "not_drawn"  # why a trial that a budget left out is skipped
GUESS = "a guess among what is named"  # begins the note that says what it gets


@dataclass(frozen=True)
class Frame:
    """The trials of one system under one protocol, a row each, sorted by trial_id so that no order of files matters.

    Columns: those of TRIAL, ANSWER (gold and answer_shown are what the system really had), SCORE and QUESTION, and
    `hops` (single | multi | computed), `doc_id` (of the first gold chunk), `at` (place of the question in `questions`),
    `not_drawn` (whether a budget left it out; its status is skipped).
    `value` is NaN where status is not "scored".
    """

    rows: "pd.DataFrame"
    questions: Sequence[str]  # every question_id of the evaluation, sorted: the clusters of every interval

    def where(self, mask: Any) -> Self:
        """The rows of a mask, over the same questions."""
        return replace(self, rows=self.rows[mask])

    def only(self, column: str, value: object) -> Self:
        """The rows that have this value in a column."""
        return self.where((self.rows[column] == value).to_numpy())

    def drawn(self) -> Self:
        """The rows that no budget left out."""
        return self.where(~self.rows["not_drawn"].to_numpy())

    def counts(self) -> Counts:
        """How many of these trials were scored, failed, are missing or were skipped; of those that were drawn."""
        found = self.rows["status"][~self.rows["not_drawn"].to_numpy()]
        return Counts(*(int((found == name).sum()) for name in ("scored", "failed", "missing", "skipped")))

    def sums(self, values: Any) -> npt.NDArray[np.float64]:
        """These values, one per row, summed by question; rows with NaN count nothing."""
        weights = np.nan_to_num(np.asarray(values, dtype=float))
        counted = np.bincount(self.rows["at"].to_numpy(), weights=weights, minlength=len(self.questions))
        return np.asarray(counted, dtype=np.float64)

    def mean(self, metric: str, slice_: str, values: Any = None, *, per: str = "trial", **options: Any) -> Measure:
        """The mean of these values (one per row, NaN where there is none; by default the scores).

        per="trial": every row counts once (micro). per="question": every question's mean counts once (macro), and
        where a budget drew some of its rows, by the share of them that it drew: each row stands for as many as it would
        have if all had been asked.
        """
        scores = self.rows["value"].to_numpy(dtype=float) if values is None else np.asarray(values, dtype=float)
        have = ~np.isnan(scores)
        above, below = self.sums(scores), self.sums(have)
        if per == "question":
            with np.errstate(invalid="ignore", divide="ignore"):
                above = np.where(below > 0, above / np.maximum(below, 1), 0.0)
            share = self._drawn_share()
            above, below = above * share, (below > 0) * share
        counts = options.pop("counts", None) or self.counts()
        if per == "question" and "bounds" not in options:
            options["bounds"] = self.bounds(scores, options.get("limits", (0.0, 1.0)))
        return Measure(metric, slice_, above, below, counts, **options)

    def _drawn_share(self) -> npt.NDArray[np.float64]:
        """By question, the share of these rows that were drawn, of those that can be asked: 1 without a budget."""
        left = self.sums(self.rows["not_drawn"])
        if not left.any():
            return np.ones(len(left))
        asked = self.sums(self.rows["status"] != "skipped")
        return np.where(left > 0, asked / np.maximum(asked + left, 1), 1.0)

    def guess(self) -> str:
        """What a guess among the things that questions name would get, of those that name some; "" where none does."""
        chances = self.rows.drop_duplicates("question_id")["chance"].to_numpy(dtype=float)
        named = chances > 0
        if not named.any():
            return ""
        of = "" if named.all() else f", of the {named.mean():.0%} of the questions that name what may be chosen"
        return f"{GUESS} is right in {chances[named].mean():.0%}{of}"

    def bounds(self, found: npt.NDArray[np.float64], limits: tuple[Any, Any]) -> tuple[float, float] | None:
        """The mean over questions if all that was lost had come to the worst, and to the best; None of nothing.

        `limits` are the worst and the best of any row, or of each.
        """
        status = self.rows["status"]
        lost = ((status == "failed") | (status == "missing")).to_numpy()
        units = self.sums(~np.isnan(found)) + self.sums(lost)
        some = units > 0
        if not some.any():
            return None
        above, share = self.sums(found), self._drawn_share()[some]
        ends = (above + self.sums(np.where(lost, end, 0.0)) for end in limits)
        worst, best = (float(np.average(end[some] / units[some], weights=share)) for end in ends)
        return worst, best


def build_frame(
    trials: pa.Table, answers: pa.Table, scores: pa.Table, questions: pa.Table, chunks: pa.Table | None = None
) -> Frame:
    """The frame of one system under one protocol: `scores` holds its rows alone, the others may hold more.

    A trial without a score is missing; ValueError where the scores are of two systems or protocols.
    """
    import pandas as pd  # late: half a second

    for name in ("system", "protocol"):
        if len(set(scores[name].to_pylist())) > 1:
            raise ValueError(f"a frame is of one {name}; scores of different ones never share a column")
    protocol = scores["protocol"][0].as_py() if scores.num_rows else ""
    rows = trials.select([*TRIAL, "protocol", "skipped_because"]).to_pandas()
    rows = rows[rows["protocol"] == protocol] if protocol else rows
    asked = answers.select(["trial_id", *ANSWER]).to_pandas()
    judged = scores.select(["trial_id", *SCORE]).to_pandas()
    about = questions.select(["question_id", *QUESTION, "chunk_ids"]).to_pandas()
    about["hops"] = about["pattern"].map(hops_of)
    first = [ids[0] if len(ids) else "" for ids in about.pop("chunk_ids")]
    of = dict(zip(*(chunks[name].to_pylist() for name in ("chunk_id", "doc_id")), strict=True)) if chunks else {}
    about["doc_id"] = [of.get(name, "") for name in first]
    rows = rows.merge(judged, on="trial_id", how="left", validate="1:1").merge(asked, on="trial_id", how="left")
    rows = rows.merge(about, on="question_id", how="left", validate="m:1")
    skipped = rows["skipped_because"] != ""
    rows["not_drawn"] = rows["skipped_because"] == NOT_DRAWN
    rows["status"] = rows["status"].fillna("missing").mask(skipped, "skipped")
    rows["refused"] = rows["refused"].eq(True)
    rows["value"] = pd.to_numeric(rows["value"]).where(rows["status"] == "scored")
    names = sorted(set(rows["question_id"]))
    place = {name: at for at, name in enumerate(names)}
    rows["at"] = rows["question_id"].map(place).astype(int)
    return Frame(rows.sort_values("trial_id", kind="stable").reset_index(drop=True), names)


AnyFrame = TypeVar("AnyFrame", bound=Frame)
SLICES = ("pattern", "domain", "hops", "entity", "period")


def slices(frame: AnyFrame, columns: Sequence[str] = SLICES) -> Iterator[tuple[str, AnyFrame]]:
    """The whole as "all", then the proper slices."""
    yield "all", frame
    yield from proper_slices(frame, columns)


def proper_slices(
    frame: AnyFrame, columns: Sequence[str] = SLICES, *, alone: bool = False
) -> Iterator[tuple[str, AnyFrame]]:
    """The part of each value of each column that has more than one, or one `alone`, named COLUMN=VALUE."""
    for column in columns:
        values = sorted(set(frame.rows[column].dropna().unique()) - {""})
        if len(values) > 1 or alone:
            for value in values:
                yield f"{column}={value}", frame.only(column, value)


ALWAYS = "question_id at status value refused not_drawn pattern domain hops entity period chance".split()
PLAIN = {
    "at",
    "value",
    "refused",
    "not_drawn",
    "chance",
    "gold",
    "answer_shown",
    "shown",
    "ratio",
    "noise",
    "k",
    "number",
}


def select_columns(frame: Frame, names: Iterable[str]) -> Frame:
    """These columns and those that every protocol needs; strings as categories, ten times as quick to cut."""
    import pandas as pd  # late: half a second

    rows = frame.rows
    wanted = dict.fromkeys([*ALWAYS, *names])
    columns = {name: rows[name] if name in PLAIN else rows[name].fillna("").astype("category") for name in wanted}
    return Frame(pd.DataFrame(columns), frame.questions)
