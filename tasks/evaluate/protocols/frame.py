"""Trials, answers, scores and questions joined in one data frame: what every measure of a protocol is made from."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, Self, TypeVar

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from rarefy.data_contracts.rows import hops_of
from rarefy.tasks.evaluate.statistics.measure import Counts, Measure, Sums

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

    A number is of a part of the rows, and there are thousands of numbers: a part holds only the places of its rows in
    the `table`, and a column is cut where it is looked at.
    """

    table: "pd.DataFrame"
    questions: Sequence[str]  # every question_id of the evaluation, sorted: the clusters of every interval
    places: npt.NDArray[np.intp] | None = None  # of the rows in the table; None: all
    # columns of the table as arrays, and as codes with the code of each value, made once for all parts
    arrays: dict[str, npt.NDArray[Any]] = field(default_factory=dict, repr=False, compare=False)
    codes: dict[str, tuple[npt.NDArray[np.intp], dict[Any, int]]] = field(
        default_factory=dict, repr=False, compare=False
    )

    @cached_property
    def rows(self) -> "pd.DataFrame":
        """The rows as a data frame."""
        return self.table if self.places is None else self.table.iloc[self.places]

    @property
    def size(self) -> int:
        """How many rows there are."""
        return len(self.table if self.places is None else self.places)

    def column(self, name: str) -> npt.NDArray[Any]:
        """The values of a column, one per row."""
        if name not in self.arrays:
            self.arrays[name] = self.table[name].to_numpy()
        return self._cut(self.arrays[name])

    def _cut(self, whole: npt.NDArray[Any]) -> npt.NDArray[Any]:
        return whole if self.places is None else whole[self.places]

    def _coded(self, name: str) -> tuple[npt.NDArray[np.intp], dict[Any, int]]:
        """The code of each value of a column, -1 for none, and the code of every value of the table, sorted."""
        if name not in self.codes:
            import pandas as pd  # late: half a second

            codes, values = pd.factorize(self.table[name], sort=True)
            self.codes[name] = codes, {value: code for code, value in enumerate(values)}
        codes, code_of = self.codes[name]
        return self._cut(codes), code_of

    def has(self, name: str, *values: object) -> Mask:
        """A mask of the rows that have one of these values in a column."""
        codes, code_of = self._coded(name)
        found = np.zeros(len(codes), dtype=bool)
        for value in values:
            if value in code_of:
                found |= codes == code_of[value]
        return found

    def values(self, name: str) -> list[Any]:
        """The values of a column that are there, sorted, without "" and without those that are none."""
        codes, code_of = self._coded(name)
        there = np.bincount(codes[codes >= 0], minlength=len(code_of)) > 0
        return [value for value, code in code_of.items() if there[code] and value != ""]

    def where(self, mask: Any) -> Self:
        """The rows of a mask, over the same questions."""
        return self.at(np.flatnonzero(mask))

    def at(self, places: Any) -> Self:
        """The rows at these places among them, over the same questions."""
        return replace(self, places=np.asarray(places) if self.places is None else self.places[places])

    def only(self, column: str, value: object) -> Self:
        """The rows that have this value in a column."""
        return self.where(self.has(column, value))

    def drawn(self) -> Self:
        """The rows that no budget left out."""
        return self.where(~self.column("not_drawn"))

    def counts(self, status: str = "status") -> Counts:
        """How many of these trials were scored, failed, are missing or were skipped; of those that were drawn."""
        drawn = ~self.column("not_drawn")
        names = ("scored", "failed", "missing", "skipped")
        return Counts(*(int((self.has(status, name) & drawn).sum()) for name in names))

    def sums(self, values: Any) -> npt.NDArray[np.float64]:
        """These values, one per row, summed by question; rows with NaN count nothing."""
        weights = np.nan_to_num(np.asarray(values, dtype=float))
        counted = np.bincount(self.column("at"), weights=weights, minlength=len(self.questions))
        return np.asarray(counted, dtype=np.float64)

    def mean(
        self,
        metric: str,
        slice_: str,
        values: Any = None,
        *,
        per: str = "trial",
        status: str = "status",
        **options: Any,
    ) -> Measure:
        """The mean of these values (one per row, NaN where there is none; by default the scores).

        `status` is the column that says which rows have one.

        per="trial": every row counts once (micro). per="question": every question's mean counts once (macro), and
        where a budget drew some of its rows, by the share of them that it drew: each row stands for as many as it would
        have if all had been asked.
        """
        scores = np.asarray(self.column("value") if values is None else values, dtype=float)
        above, below = self._sum_for_mean(scores, per, status)
        counts = options.pop("counts", None) or self.counts(status)
        if per == "question" and "bounds" not in options:
            options["bounds"] = self.bounds(scores, options.get("limits", (0.0, 1.0)), status)
        return Measure(metric, slice_, above, below, counts, fill=partial(self._fill, scores, per, status), **options)

    def _sum_for_mean(self, scores: Any, per: str, status: str) -> tuple[Sums, Sums]:
        """Numerator and denominator of a mean of these scores, by question."""
        above, below = self.sums(scores), self.sums(~np.isnan(scores))
        if per == "question":
            with np.errstate(invalid="ignore", divide="ignore"):
                above = np.where(below > 0, above / np.maximum(below, 1), 0.0)
            share = self._drawn_share(status)
            above, below = above * share, (below > 0) * share
        return above, below

    def _fill(self, scores: Any, per: str, status: str, lost: float) -> tuple[Sums, Sums]:
        """The same had every row without a score come to `lost`."""
        return self._sum_for_mean(np.where(self.has(status, "failed", "missing"), lost, scores), per, status)

    def _drawn_share(self, status: str) -> npt.NDArray[np.float64]:
        """By question, the share of these rows that were drawn, of those that can be asked: 1 without a budget."""
        left = self.sums(self.column("not_drawn"))
        if not left.any():
            return np.ones(len(left))
        asked = self.sums(~self.has(status, "skipped"))
        return np.where(left > 0, asked / np.maximum(asked + left, 1), 1.0)

    def guess(self) -> str:
        """What a guess among the things that questions name would get, of those that name some; "" where none does."""
        _, first = np.unique(self.column("at"), return_index=True)
        chances = self.column("chance")[np.sort(first)].astype(float)
        named = chances > 0
        if not named.any():
            return ""
        of = "" if named.all() else f", of the {named.mean():.0%} of the questions that name what may be chosen"
        return f"{GUESS} is right in {chances[named].mean():.0%}{of}"

    def bounds(
        self, found: npt.NDArray[np.float64], limits: tuple[Any, Any], status: str = "status"
    ) -> tuple[float, float] | None:
        """The mean over questions if all that was lost had come to the worst, and to the best; None of nothing.

        `limits` are the worst and the best of any row, or of each.
        """
        lost = self.has(status, "failed", "missing")
        units = self.sums(~np.isnan(found)) + self.sums(lost)
        some = units > 0
        if not some.any():
            return None
        above, share = self.sums(found), self._drawn_share(status)[some]
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
        values = frame.values(column)
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
