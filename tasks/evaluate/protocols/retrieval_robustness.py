"""Retrieval robustness: is more retrieved always better, and does its order matter? (arXiv 2505.21870)."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import astuple, dataclass, replace
from functools import cached_property
from math import sqrt
from random import Random
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
from pydantic import BaseModel, Field, field_validator

from rarefy.data_contracts.rows import PATTERNS, WORKED_OUT, Trial, row_id
from rarefy.tasks.evaluate.protocols.case import QuestionVariants
from rarefy.tasks.evaluate.protocols.display import Display, Mask, Rows, Title, is_closed
from rarefy.tasks.evaluate.protocols.frame import SLICES, Frame, slices
from rarefy.tasks.evaluate.protocols.protocol import PromptPack, Protocol, trial
from rarefy.tasks.evaluate.statistics.measure import Counts, Derived, Measure, Metric, mean_of

# Configuration and trials (§4.3)

NAME = "retrieval_robustness"
CLOSED_BOOK, RETRIEVED = "closed_book", "retrieved"
PAPER_KS = (5, 10, 25, 50, 75, 100)
Order = Literal["original", "reversed", "shuffled"]
ORDERS: tuple[Order, ...] = ("original", "reversed", "shuffled")


class RetrievalRobustnessConfig(BaseModel, frozen=True, extra="forbid"):
    """How many passages, in which orders, of which retrievers."""

    ks: tuple[int, ...] = Field(
        (5, 10, 25),
        min_length=1,
        description="numbers of retrieved passages; the paper's are 5, 10, 25, 50, 75, 100, which are 37 answers per "
        "question with prompts of up to 100 passages, these are 19. A k that a retriever's list or the corpus cannot "
        "fill is asked once with all there is, larger ones are counted as skipped",
    )
    orders: tuple[Order, ...] = Field(
        ORDERS, min_length=1, description="of the passages; with one there is no ROR, and so no geometric mean"
    )
    retrievers: tuple[str, ...] = Field(
        ("bm25", "dense"), min_length=1, description="whose lists are read; every metric is of each, then averaged"
    )
    seed: int = Field(
        0,
        description="of the shuffled order, drawn per question and k",
        json_schema_extra={"tag": "open", "source": "retrieval robustness §4.3 (seed of the shuffle not given)"},
    )

    @field_validator("ks")
    @classmethod
    def _rising(cls, ks: tuple[int, ...]) -> tuple[int, ...]:
        if min(ks) < 1 or list(ks) != sorted(set(ks)):
            raise ValueError(f"ks {ks}: write numbers from 1, each once, the smallest first")
        return ks

    @field_validator("orders", "retrievers")
    @classmethod
    def _once(cls, names: tuple[str, ...]) -> tuple[str, ...]:
        if len(set(names)) < len(names):
            raise ValueError(f"{names}: each once")
        return names


def trials(case: QuestionVariants, config: RetrievalRobustnessConfig) -> Iterator[Trial]:
    """f(q, 0), then f(q, k, o) of each retriever: |K|·|O| each, with the ranks by which a context is cut (B4)."""
    yield trial(NAME, case, CLOSED_BOOK, "closed_book")
    for retriever in config.retrievers:
        hits = case.hits.get((retriever, case.original.variant_id))
        chunk_ids = hits.chunk_ids if hits else ()
        longest = 0
        for k in config.ks:
            ids = chunk_ids[:k]
            # asked again with the same passages, a system would only answer the same
            why = "" if len(ids) > longest else f"only_{len(ids)}_found" if hits else f"no_hits_{retriever}"
            for order in config.orders:
                fields: dict[str, Any] = {"retriever": retriever, "k": k, "order": order}
                if not why:
                    ranks = order_ranks(len(ids), order, config.seed, case.question.question_id, k)
                    fields |= {"passage_ids": [ids[rank - 1] for rank in ranks], "ranks": ranks}
                yield trial(NAME, case, RETRIEVED, "passages", skipped_because=why, **fields)
            longest = max(longest, len(ids))


def part_of(trial: Trial, config: RetrievalRobustnessConfig) -> str:
    """Return the retriever: RSR needs all its k, ROR all its orders; "" of f(q, 0), which NDR holds them against."""
    return trial.retriever


def order_ranks(n: int, order: str, seed: int, question_id: str, k: int) -> Sequence[int]:
    """The ranks 1 to n from the top of the prompt to its bottom."""
    ranks = list(range(1, n + 1))
    if order == "reversed":
        return ranks[::-1]
    if order == "shuffled":  # by question and k alone: what two retrievers find alike is asked once
        Random(row_id("shuffled", seed, question_id, k)).shuffle(ranks)
    return ranks


# Scores as arrays, and the terms of equations 1 to 3

Values = npt.NDArray[np.float64]
Codes = npt.NDArray[np.int8]

# What is known of a cell, the worst last: a term is as well known as the worst of what it is made of. A cell that was
# never planned (ABSENT) is in no denominator and in no count.
SCORED, MISSING, FAILED, SKIPPED, ABSENT = range(5)
CODES = {"scored": SCORED, "missing": MISSING, "failed": FAILED, "skipped": SKIPPED}
EPSILON = 1e-9  # shares of answer groups are floats


@dataclass(frozen=True)
class Terms:
    """A value and a status code for each unit; the first axis is the question."""

    values: Values
    codes: Codes

    def at(self, *where: int | slice) -> "Terms":
        """The units at a place of the axes behind the first, which stays."""
        return Terms(self.values[(slice(None), *where)], self.codes[(slice(None), *where)])

    @cached_property
    def summed(self) -> tuple[Values, Values, npt.NDArray[np.int64]]:
        """By question: the sum of what is scored, how many that are, and how many there are of SCORED to SKIPPED."""
        axes = tuple(range(1, self.codes.ndim))
        have = self.codes == SCORED
        counts = np.stack([(self.codes == code).sum(axis=axes) for code in (SCORED, FAILED, MISSING, SKIPPED)])
        return np.where(have, self.values, 0.0).sum(axis=axes), have.sum(axis=axes).astype(float), counts

    def measure(self, metric: str, slice_: str, only: npt.NDArray[np.bool_], **options: Any) -> Measure:
        """The mean of the units over the questions of a mask."""
        above, below, counts = self.summed
        total = Counts(*(int(number) for number in counts[:, only].sum(axis=1)))
        return Measure(metric, slice_, np.where(only, above, 0.0), np.where(only, below, 0.0), total, **options)


@dataclass(frozen=True)
class Cells:
    """f(q, k, o) by question, retriever, k, order; f(q, 0) by question."""

    retrievers: tuple[str, ...]
    ks: tuple[int, ...]
    orders: tuple[str, ...]
    f: Terms  # [question, retriever, k, order]
    closed: Terms  # [question]

    def ndr(self) -> Terms:
        """1[f(q,k,o) ≥ f(q,0)] of each cell (eq. 1)."""
        return Terms((self.f.values >= self._closed().values - EPSILON).astype(float), self._with_closed())

    def perfect_ndr(self) -> Terms:
        """The better of f(q,k,o) and f(q,0)."""
        return Terms(np.fmax(self.f.values, self._closed().values), self._with_closed())

    def rsr(self) -> Terms:
        """1[f(q,k_i,o) ≥ f(q,k_j,o) for all j < i] of each cell but those of a question's smallest k (eq. 2)."""
        best, known, first = self._before()
        codes = np.where(first, ABSENT, np.maximum(self.f.codes, known)).astype(np.int8)
        return Terms((self.f.values >= best - EPSILON).astype(float), codes)

    def perfect_rsr(self) -> Terms:
        """The best of f(q,k_i,o) and those of all smaller k > 0."""
        best, known, _ = self._before()
        return Terms(np.fmax(self.f.values, best), np.maximum(self.f.codes, known))

    def ror(self) -> Terms:
        """1 − 2σ over the orders of each [question, retriever, k] with two or more; σ of the population (eq. 3, B1)."""
        used = self.f.codes < SKIPPED
        n = np.maximum(used.sum(axis=-1), 1)
        values = np.where(used, np.nan_to_num(self.f.values), 0.0)
        mean = values.sum(axis=-1) / n
        spread = (np.where(used, values - mean[..., None], 0.0) ** 2).sum(axis=-1) / n
        return Terms(1 - 2 * np.sqrt(spread), self._over_orders(least=2))

    def perfect_ror(self) -> Terms:
        """The best over the orders, of each [question, retriever, k]."""
        values = np.where(self.f.codes == SCORED, self.f.values, -np.inf).max(axis=-1, initial=-np.inf)
        return Terms(np.where(np.isfinite(values), values, np.nan), self._over_orders(least=1))

    def _closed(self) -> Terms:
        shape = (-1, 1, 1, 1)
        return Terms(self.closed.values.reshape(shape), self.closed.codes.reshape(shape))

    def _with_closed(self) -> Codes:
        """A cell that was planned but has no f(q, 0) to be held against is a skipped one."""
        closed = np.minimum(self._closed().codes, SKIPPED)
        return np.maximum(self.f.codes, closed).astype(np.int8)

    def _before(self) -> tuple[Values, Codes, npt.NDArray[np.bool_]]:
        """Of all smaller k that were asked: the best f, what is known of it, and whether there is none."""
        used = self.f.codes < SKIPPED
        values = np.where(self.f.codes == SCORED, self.f.values, -np.inf)
        codes = np.where(used, self.f.codes, SCORED)
        best, known, first = np.full_like(values, -np.inf), np.zeros_like(codes), np.ones(used.shape, dtype=bool)
        best[:, :, 1:] = np.maximum.accumulate(values, axis=2)[:, :, :-1]
        known[:, :, 1:] = np.maximum.accumulate(codes, axis=2)[:, :, :-1]
        first[:, :, 1:] = ~np.logical_or.accumulate(used, axis=2)[:, :, :-1]
        return best, known.astype(np.int8), first

    def _over_orders(self, least: int) -> Codes:
        used = self.f.codes < SKIPPED
        worst = np.where(used, self.f.codes, SCORED).max(axis=-1, initial=SCORED)
        none = self.f.codes.min(axis=-1, initial=ABSENT)  # SKIPPED or ABSENT where no order was asked
        enough = used.sum(axis=-1) >= least
        return np.where(enough, worst, np.where(none >= SKIPPED, none, ABSENT)).astype(np.int8)


def build_cells(frame: Frame, ks: tuple[int, ...], orders: tuple[str, ...], retrievers: tuple[str, ...]) -> Cells:
    """The cells of a frame, for all of its questions; those of no listed k, order or retriever are left out."""
    rows = frame.drawn().rows
    size = len(frame.questions)
    place = {name: {it: at for at, it in enumerate(values)} for name, values in _axes(ks, orders, retrievers)}
    retrieved = rows[rows["cell"] == "retrieved"]
    axes = [retrieved[name].map(place[name]) for name, _ in _axes(ks, orders, retrievers)]
    inside = np.logical_and.reduce([axis.notna().to_numpy() for axis in axes])
    retrieved = retrieved[inside]
    where = (retrieved["at"].to_numpy(), *(axis[inside].to_numpy().astype(int) for axis in axes))
    shape = (size, len(retrievers), len(ks), len(orders))
    values, codes = np.full(shape, np.nan), np.full(shape, ABSENT, dtype=np.int8)
    values[where] = retrieved["value"].to_numpy(dtype=float)
    codes[where] = retrieved["status"].map(CODES).to_numpy()
    closed = rows[rows["cell"] == "closed_book"]
    at = closed["at"].to_numpy()
    zero, known = np.full(size, np.nan), np.full(size, ABSENT, dtype=np.int8)
    zero[at] = closed["value"].to_numpy(dtype=float)
    known[at] = closed["status"].map(CODES).to_numpy()
    return Cells(retrievers, ks, orders, Terms(values, codes), Terms(zero, known))


def _axes(
    ks: tuple[int, ...], orders: tuple[str, ...], retrievers: tuple[str, ...]
) -> list[tuple[str, tuple[object, ...]]]:
    return [("retriever", retrievers), ("k", ks), ("order", orders)]


def lowest_ror(orders: int) -> float:
    """The lowest 1 − 2σ that so many values in [0, 1] can come to: 0.057 of three, 0 of an even number (B2).

    σ is greatest where half of them, or one less or more, are 1 and the rest 0.
    """
    if orders < 2:
        raise ValueError("one order has no deviation: ROR is undefined")
    share = (orders // 2) / orders
    return 1 - 2 * sqrt(share * (1 - share))


# Measures (§3, §5, Figures 4 to 9)

GEOMETRIC = "geometric mean"
Only = npt.NDArray[np.bool_]


def geometric_mean(*values: Any) -> Any:
    """The geometric mean of the means of equal thirds of the values: NDR of each retriever, then RSR, then ROR."""
    return _product(values, 3) ** (1 / 3)


def geometric_mean_of_two(*values: Any) -> Any:
    """The geometric mean of the means of both halves (Figure 7)."""
    return _product(values, 2) ** 0.5


def highest(*values: Any) -> Any:
    """The greatest of numbers, or of each draw."""
    return np.maximum.reduce([np.asarray(value, dtype=float) for value in values])


def _product(values: Sequence[Any], parts: int) -> Any:
    each = len(values) // parts
    result = mean_of(*values[:each])
    for part in range(1, parts):
        result = result * mean_of(*values[part * each : (part + 1) * each])
    return result


@dataclass(frozen=True)
class _CellMetric:
    """A number by the terms of each retriever: [question, k, order], or [question, k] where orders are in it."""

    metric: str
    terms: Mapping[str, Terms]
    unit: str
    worst: float = 0.0
    note: str = ""
    best: float = 1.0

    def parts(self, slice_: str, only: Only, *where: int | slice) -> tuple[Measure, ...]:
        """Of each retriever by itself, as "SLICE, retriever=NAME"."""
        options: dict[str, Any] = {"unit": self.unit, "limits": (self.worst, self.best), "note": self.note}
        prefix = "" if slice_ == "all" else f"{slice_}, "
        return tuple(
            (terms.at(*where) if where else terms).measure(self.metric, f"{prefix}retriever={name}", only, **options)
            for name, terms in self.terms.items()
        )


def measures(frame: Frame, config: RetrievalRobustnessConfig) -> Iterator[Metric]:
    """All numbers of one system. A metric that is undefined for want of orders or sizes is one with no units."""
    frame = frame.drawn()
    used = _tried_retrievers(frame, config)
    if not used:
        return
    table = build_cells(frame, config.ks, config.orders, used)
    core = _core_metrics(table, config)
    everything = np.ones(len(frame.questions), dtype=bool)
    once = Frame(frame.rows.drop_duplicates("at")[["at", *SLICES]], frame.questions)  # slices are of questions
    for name, part in slices(once):
        only = np.isin(np.arange(len(frame.questions)), part.rows["at"])
        yield from _robustness_measures(core, name, only)
        yield table.closed.measure("closed-book performance", name, only, unit="questions")
    yield from _order_measures(core, table, everything)
    yield from _curve_measures(table, everything)
    yield from _shown_measures(frame, config, used)


def _tried_retrievers(frame: Frame, config: RetrievalRobustnessConfig) -> tuple[str, ...]:
    """The retrievers that something was tried with."""
    rows = frame.rows
    found = set(rows.loc[(rows["cell"] == "retrieved") & (rows["status"] != "skipped"), "retriever"])
    return tuple(name for name in config.retrievers if name in found)


def _core_metrics(table: Cells, config: RetrievalRobustnessConfig) -> tuple[_CellMetric, ...]:
    """NDR, RSR, ROR and the mean performance, each with its note."""
    sizes = ", ".join(map(str, config.ks))
    sizes_note = f"k = {sizes}" + ("" if config.ks == PAPER_KS else f" (the paper: {', '.join(map(str, PAPER_KS))})")
    ndr, rsr, ror = table.ndr(), table.rsr(), table.ror()
    no_closed_book = "" if (table.closed.codes < SKIPPED).any() else "; undefined: nothing was asked closed-book"
    one_k = "" if _has_any(rsr) else "; undefined: one k alone"
    if len(config.orders) < 2:
        least, order_note = 0.0, "undefined: with one order there is nothing to compare"
    else:
        least = lowest_ror(len(config.orders))
        order_note = f"with {len(config.orders)} orders it cannot be lower than {least:.3f} (σ of the population)"
    return (
        _CellMetric("NDR", _by_retriever(table, ndr), "answers (q, k, o)", note=sizes_note + no_closed_book),
        _CellMetric("RSR", _by_retriever(table, rsr), "answers (q, k, o)", note=sizes_note + one_k),
        _CellMetric("ROR", _by_retriever(table, ror), "contexts (q, k)", least, order_note),
        _CellMetric("performance", _by_retriever(table, table.f), "answers (q, k, o)", note=sizes_note),
    )


def _has_any(terms: Terms) -> bool:
    return bool((terms.codes < ABSENT).any())


def _robustness_measures(core: Sequence[_CellMetric], slice_: str, only: Only) -> Iterator[Metric]:
    """NDR, RSR, ROR, performance, each the mean over the retrievers, and the geometric mean of the first three.

    Of all questions also those of each retriever, and all of it is headline.
    """
    whole = slice_ == "all"
    shown_metrics = core if whole else [replace(kind, note="") for kind in core]
    parts = [kind.parts(slice_, only) for kind in shown_metrics]
    for kind, measures in zip(core, parts, strict=True):
        yield _mean_over_retrievers(kind.metric, slice_, measures, headline=whole)
    three = tuple(measure for measures in parts[:3] for measure in measures)
    note = f"of NDR, RSR and ROR, {_averaging_note(len(parts[0]))}"
    yield Derived(GEOMETRIC, slice_, three, geometric_mean, core[2].unit, whole, note)
    for mine in zip(*parts, strict=True) if whole else ():
        yield from mine
        yield Derived(GEOMETRIC, mine[0].slice, mine[:3], geometric_mean, core[2].unit)


def _averaging_note(retrievers: int) -> str:
    return "each the mean over the retrievers" if retrievers > 1 else "of one retriever (the paper averages two)"


def _mean_over_retrievers(metric: str, slice_: str, measures: Sequence[Measure], headline: bool = False) -> Metric:
    """The mean over the retrievers (footnote to eq. 1 to 3); its counts are of all of them together."""
    first = measures[0]
    if len(measures) == 1:
        return replace(first, metric=metric, slice=slice_, headline=headline)
    counts = Counts(*map(sum, zip(*(astuple(measure.counts) for measure in measures), strict=True)))
    return Derived(metric, slice_, tuple(measures), mean_of, first.unit, headline, first.note, counts)


def _order_measures(core: Sequence[_CellMetric], table: Cells, only: Only) -> Iterator[Metric]:
    """NDR, RSR, performance by order, and the geometric mean of the first two (Figure 7)."""
    ndr, rsr, _, performance = core
    for o, order in enumerate(table.orders):
        name = f"order={order}"
        parts = [replace(kind, note="").parts(name, only, slice(None), o) for kind in (ndr, rsr, performance)]
        for kind, measures in zip((ndr, rsr, performance), parts, strict=True):
            yield _mean_over_retrievers(kind.metric, name, measures)
        yield Derived("geometric mean of NDR and RSR", name, (*parts[0], *parts[1]), geometric_mean_of_two, rsr.unit)


def _curve_measures(table: Cells, only: Only) -> Iterator[Metric]:
    """Performance by k: as it is, and as it were with perfect NDR, RSR, ROR (Figures 5, 6, 8, 13, 17); the best k."""
    per_answer, per_context = "answers (q, k, o)", "contexts (q, k)"
    plain = _CellMetric("performance", _by_retriever(table, table.f), per_answer)
    perfect = (
        _CellMetric(
            "perfect NDR",
            _by_retriever(table, table.perfect_ndr()),
            per_answer,
            note="the better of it and closed-book",
        ),
        _CellMetric(
            "perfect RSR",
            _by_retriever(table, table.perfect_rsr()),
            per_answer,
            note="the best of this and all smaller k",
        ),
        _CellMetric(
            "perfect ROR", _by_retriever(table, table.perfect_ror()), per_context, note="the best of the orders"
        ),
    )
    gains = [_gain_metric(kind, table) for kind in perfect]
    yield table.closed.measure("performance", "k=0", only, unit="questions", note="closed-book, f(q, 0)")
    for kind in (*perfect, *gains):
        yield _mean_over_retrievers(kind.metric, "all", kind.parts("all", only))
    by_k: list[tuple[Measure, ...]] = []
    for i, k in enumerate(table.ks):
        if not (table.f.codes[:, :, i] < SKIPPED).any():
            continue
        smallest = not by_k  # perfect RSR is the performance itself there
        for kind in (plain, *perfect, *gains):
            if smallest and kind.metric == "perfect RSR gain":
                continue
            parts = kind.parts(f"k={k}", only, i)
            yield _mean_over_retrievers(kind.metric, f"k={k}", parts)
            yield from parts
            if kind is plain:
                by_k.append(parts)
        for o, order in enumerate(table.orders):
            parts = plain.parts(f"k={k}, order={order}", only, i, o)
            yield _mean_over_retrievers("performance", f"k={k}, order={order}", parts)
            yield from parts
    if by_k:
        note = "of the best k (Figure 9); chosen on these questions, so rather too high"
        yield Derived("highest performance", "all", sum(by_k, ()), _Highest(len(by_k)), per_answer, note=note)


@dataclass(frozen=True)
class _Highest:
    """The greatest of so many means over retrievers."""

    parts: int

    def __call__(self, *values: Any) -> Any:
        each = len(values) // self.parts
        return highest(*(mean_of(*values[i : i + each]) for i in range(0, len(values), each)))


def _gain_metric(kind: _CellMetric, table: Cells) -> _CellMetric:
    """What perfect robustness would add, over the units that both are known of."""
    gains = {}
    for r, (name, terms) in enumerate(kind.terms.items()):
        have = table.f.codes[:, r] == SCORED
        plain = np.where(have, table.f.values[:, r], 0.0)
        if terms.codes.ndim == 2:  # the mean over the orders that were asked
            plain = plain.sum(axis=-1) / np.maximum(have.sum(axis=-1), 1)
        gains[name] = Terms(terms.values - plain, terms.codes)
    return _CellMetric(f"{kind.metric} gain", gains, kind.unit, 1.0, "", 0.0)


def _by_retriever(table: Cells, terms: Terms) -> dict[str, Terms]:
    return {name: terms.at(r) for r, name in enumerate(table.retrievers)}


def _shown_measures(frame: Frame, config: RetrievalRobustnessConfig, used: Sequence[str]) -> Iterator[Metric]:
    """The share of refusals, and of the contexts shown: answer recall (B5) and number of passages that fitted (B4)."""
    asked = frame.has("cell", "retrieved") & ~frame.has("status", "skipped")
    part = frame.where(asked)
    note = "though the prompt says not to; it counts as wrong"
    refused = np.where(part.has("status", "scored"), part.column("refused"), np.nan)
    yield part.mean("refused", "all", refused, note=note, unit="answers (q, k, o)", limits=(1.0, 0.0))
    order = config.orders[0]  # the same passages stand in every order
    for k in config.ks:
        for retriever in used:
            mask = frame.has("k", k) & frame.has("retriever", retriever) & frame.has("order", order)
            part = frame.where(asked & mask)
            if part.size:
                yield from _context_measures(part, f"k={k}, retriever={retriever}", k)


def _context_measures(part: Frame, name: str, k: int) -> Iterator[Measure]:
    """Answer recall and passages shown of answered trials, whether they could be scored or not."""
    answered = part.rows["answer_shown"].notna().to_numpy()
    options: dict[str, Any] = {"unit": "contexts (q, k)", "counts": _context_counts(part, answered)}
    has = np.where(answered, part.rows["answer_shown"].eq(True).to_numpy(dtype=float), np.nan)
    yield part.mean("gold recall", name, has, note="a form of the answer stands in what was shown", **options)
    fitted = np.where(answered, part.rows["shown"].to_numpy(dtype=float), np.nan)
    limits = (0.0, float(k))
    yield part.mean("passages shown", name, fitted, limits=limits, note="effective k", neutral=True, **options)


def _context_counts(part: Frame, answered: Only) -> Counts:
    failed = int((~answered & (part.rows["status"] == "failed").to_numpy()).sum())
    return Counts(int(answered.sum()), failed, int((~answered).sum()) - failed)


# Several systems together (Figure 3)


def across(frames: Mapping[str, Frame], config: RetrievalRobustnessConfig) -> Iterator[tuple[str, Metric]]:
    """The best closed-book performance of these systems, by system, which Figure 3 draws beside the gold recall.

    ValueError where the frames are of different questions.
    """
    if len({tuple(frame.questions) for frame in frames.values()}) > 1:
        raise ValueError(f"{', '.join(frames)}: evaluated on different questions, and so not to be set side by side")
    parts = []
    for frame in frames.values():
        closed = build_cells(frame, config.ks, config.orders, config.retrievers).closed
        everything = np.ones(len(frame.questions), dtype=bool)
        parts.append(closed.measure("closed-book performance", "all", everything, unit="questions"))
    if len(parts) > 1:
        note = "of the best system; chosen on these questions, so rather too high"
        yield ", ".join(frames), Derived("best closed-book performance", "all", tuple(parts), highest, note=note)


def lacking(cases: list[QuestionVariants], config: RetrievalRobustnessConfig, takes: frozenset[str]) -> str:
    """Why nothing can be tried."""
    if "passages" not in takes:
        return "it gives each system the same passages, and none of these takes any"
    if not any((name, case.original.variant_id) in case.hits for case in cases for name in config.retrievers):
        return f"nothing was retrieved by {' or '.join(config.retrievers)} for the original questions"
    return ""


def rows_of(rows: Rows, metric: str, names: Sequence[tuple[str, str]]) -> Mask:
    """A mask of the rows with passages, or, for closed-book metrics, of those without."""
    closed = "closed-book" in metric or is_closed(names)
    without: Mask = rows.columns["given"].among("closed_book")
    return without if closed else ~without


RETRIEVAL_ROBUSTNESS = Protocol(
    name=NAME,
    title="Retrieval robustness",
    about="NDR, RSR, ROR",
    paper="2505.21870",
    config=RetrievalRobustnessConfig,
    refusal="",  # rag_qa.j2: "You must not refrain from answering the question"
    contained=False,
    kinds=(*PATTERNS, *WORKED_OUT),  # HotpotQA compares, ASQA has answers of several parts
    judge="retrieval_robustness",
    trials=trials,
    part=part_of,
    measures=measures,
    lacking=lacking,
    across=across,
    prompts=PromptPack(NAME, "arXiv 2505.21870 appendix C", "labelled", made=("chain_of_note",)),
    # BM25 and dense, 5 to 100 passages, none reranked (001-B)
    retrieval={"retrievers": ("bm25", "dense"), "depth": 100, "rerank": {"model": ""}},
    display=Display(
        about="Is more retrieved never worse than less or nothing, and does its order not matter?",
        titles={
            "performance": Title("accuracy", "share of right answers with retrieved passages (performance)"),
            "refused": Title("refused (counts as wrong)", ""),
            "geometric mean": Title(
                "geometric mean", "of three rates: no worse than without passages, than with fewer, in another order"
            ),
            "NDR": Title("no-degradation rate (NDR)", "share of answers no worse than without passages"),
            "RSR": Title("retrieval size robustness (RSR)", "share no worse than with fewer passages"),
            "ROR": Title(
                "retrieval order robustness (ROR)", "1 where the order of passages changes nothing, lower where it does"
            ),
        },
        accuracy=("performance",),
        refusals=("refused",),
        caution="{robust} says that answers change little with passages and order; only {right} of them are right",
        metrics=("geometric mean", "NDR", "RSR", "ROR", "performance"),
        main=("performance", "geometric mean"),
        beside=("performance", "NDR", "RSR", "ROR"),
        rows=rows_of,
    ),
)
