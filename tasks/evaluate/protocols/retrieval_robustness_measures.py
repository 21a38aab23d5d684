"""The numbers of retrieval robustness: eq. 1 to 3, their geometric mean, Figures 4 to 9 (arXiv 2505.21870 §3, §5)."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from rarefy.tasks.evaluate.protocols.frame import SLICES, Frame, slices
from rarefy.tasks.evaluate.protocols.retrieval_robustness_cells import (
    ABSENT,
    SCORED,
    SKIPPED,
    Cells,
    Terms,
    cells,
    lowest_ror,
)
from rarefy.tasks.evaluate.protocols.retrieval_robustness_trials import PAPER_KS, RetrievalRobustnessConfig
from rarefy.tasks.evaluate.statistics.measure import Counts, Derived, Figured, Measure

GEOMETRIC = "geometric mean"
Only = npt.NDArray[np.bool_]


def mean_of(*values: Any) -> Any:
    """The mean of numbers, or of arrays of draws."""
    return sum(values[1:], start=values[0]) / len(values)


def geometric_mean(*values: Any) -> Any:
    """The geometric mean of the means of equal thirds of the values: NDR of each retriever, then RSR, then ROR."""
    return _product(values, 3) ** (1 / 3)


def of_two(*values: Any) -> Any:
    """The geometric mean of the means of both halves (Figure 7)."""
    return _product(values, 2) ** 0.5


def highest(*values: Any) -> Any:
    """The greatest of numbers, or of each draw."""
    return np.maximum.reduce([np.asarray(value, dtype=float) for value in values])


def _product(values: Sequence[Any], parts: int) -> Any:
    each = len(values) // parts
    found = mean_of(*values[:each])
    for part in range(1, parts):
        found = found * mean_of(*values[part * each : (part + 1) * each])
    return found


@dataclass(frozen=True)
class _Kind:
    """A number by the terms of each retriever: [question, k, order], or [question, k] where orders are in it."""

    metric: str
    terms: Mapping[str, Terms]
    unit: str
    worst: float = 0.0
    note: str = ""
    best: float = 1.0

    def parts(self, slice_: str, only: Only, *where: int | slice) -> tuple[Measure, ...]:
        """Of each retriever by itself, as "SLICE, retriever=NAME"."""
        told: dict[str, Any] = {"unit": self.unit, "limits": (self.worst, self.best), "note": self.note}
        prefix = "" if slice_ == "all" else f"{slice_}, "
        return tuple(
            (terms.at(*where) if where else terms).measure(self.metric, f"{prefix}retriever={name}", only, **told)
            for name, terms in self.terms.items()
        )


def measured(frame: Frame, config: RetrievalRobustnessConfig) -> Iterator[Figured]:
    """All numbers of one system. A metric that is undefined for want of orders or sizes is one with no units."""
    used = _used(frame, config)
    if not used:
        return
    table = cells(frame, config.ks, config.orders, used)
    core = _core(table, config)
    everything = np.ones(len(frame.questions), dtype=bool)
    once = Frame(frame.rows.drop_duplicates("at")[["at", *SLICES]], frame.questions)  # slices are of questions
    for name, part in slices(once):
        only = np.isin(np.arange(len(frame.questions)), part.rows["at"])
        yield from _robustness(core, name, only)
        yield table.closed.measure("closed-book performance", name, only, unit="questions")
    yield from _by_order(core, table, everything)
    yield from _curves(table, everything)
    yield from _shown(frame, config, used)


def _used(frame: Frame, config: RetrievalRobustnessConfig) -> tuple[str, ...]:
    """The retrievers that something was tried with."""
    rows = frame.rows
    found = set(rows.loc[(rows["cell"] == "retrieved") & (rows["status"] != "skipped"), "retriever"])
    return tuple(name for name in config.retrievers if name in found)


def _core(table: Cells, config: RetrievalRobustnessConfig) -> tuple[_Kind, ...]:
    """NDR, RSR, ROR and the mean performance, with what must be said beside each."""
    sizes = ", ".join(map(str, config.ks))
    asked = f"k = {sizes}" + ("" if config.ks == PAPER_KS else f" (the paper: {', '.join(map(str, PAPER_KS))})")
    ndr, rsr, ror = table.ndr(), table.rsr(), table.ror()
    closed = "" if (table.closed.codes < SKIPPED).any() else "; undefined: nothing was asked closed-book"
    rising = "" if _any(rsr) else "; undefined: one k alone"
    if len(config.orders) < 2:
        least, turned = 0.0, "undefined: one order has no deviation"
    else:
        least = lowest_ror(len(config.orders))
        turned = f"σ of the population; the lowest that {len(config.orders)} orders can come to is {least:.3f}"
    return (
        _Kind("NDR", _each(table, ndr), "answers (q, k, o)", note=asked + closed),
        _Kind("RSR", _each(table, rsr), "answers (q, k, o)", note=asked + rising),
        _Kind("ROR", _each(table, ror), "contexts (q, k)", least, turned),
        _Kind("performance", _each(table, table.f), "answers (q, k, o)", note=asked),
    )


def _any(terms: Terms) -> bool:
    return bool((terms.codes < ABSENT).any())


def _robustness(core: Sequence[_Kind], slice_: str, only: Only) -> Iterator[Figured]:
    """NDR, RSR, ROR, performance, each the mean over the retrievers, and the geometric mean of the first three.

    Of all questions also those of each retriever, and all of it is headline.
    """
    whole = slice_ == "all"
    told = core if whole else [replace(kind, note="") for kind in core]
    parts = [kind.parts(slice_, only) for kind in told]
    for kind, measures in zip(core, parts, strict=True):
        yield _averaged(kind.metric, slice_, measures, headline=whole)
    three = tuple(measure for measures in parts[:3] for measure in measures)
    note = f"of NDR, RSR and ROR, {_of(len(parts[0]))}"
    yield Derived(GEOMETRIC, slice_, three, geometric_mean, core[2].unit, whole, note)
    for mine in zip(*parts, strict=True) if whole else ():
        yield from mine
        yield Derived(GEOMETRIC, mine[0].slice, mine[:3], geometric_mean, core[2].unit)


def _of(retrievers: int) -> str:
    return "each the mean over the retrievers" if retrievers > 1 else "of one retriever (the paper averages two)"


def _averaged(metric: str, slice_: str, measures: Sequence[Measure], headline: bool = False) -> Figured:
    """The mean over the retrievers (footnote to eq. 1 to 3); its counts are of all of them together."""
    first = measures[0]
    if len(measures) == 1:
        return Measure(
            metric,
            slice_,
            first.numerator,
            first.denominator,
            first.counts,
            first.unit,
            first.limits,
            headline,
            first.note,
        )
    each = [(one.counts.scored, one.counts.failed, one.counts.missing, one.counts.skipped) for one in measures]
    counts = Counts(*(sum(numbers) for numbers in zip(*each, strict=True)))
    return Derived(metric, slice_, tuple(measures), mean_of, first.unit, headline, first.note, counts)


def _by_order(core: Sequence[_Kind], table: Cells, only: Only) -> Iterator[Figured]:
    """NDR, RSR, performance by order, and the geometric mean of the first two (Figure 7)."""
    ndr, rsr, _, performance = core
    for o, order in enumerate(table.orders):
        name = f"order={order}"
        parts = [replace(kind, note="").parts(name, only, slice(None), o) for kind in (ndr, rsr, performance)]
        for kind, measures in zip((ndr, rsr, performance), parts, strict=True):
            yield _averaged(kind.metric, name, measures)
        yield Derived("geometric mean of NDR and RSR", name, (*parts[0], *parts[1]), of_two, rsr.unit)


def _curves(table: Cells, only: Only) -> Iterator[Figured]:
    """Performance by k: as it is, and as it were with perfect NDR, RSR, ROR (Figures 5, 6, 8, 13, 17); the best k."""
    per_answer, per_context = "answers (q, k, o)", "contexts (q, k)"
    plain = _Kind("performance", _each(table, table.f), per_answer)
    perfect = (
        _Kind("perfect NDR", _each(table, table.perfect_ndr()), per_answer, note="the better of it and closed-book"),
        _Kind("perfect RSR", _each(table, table.perfect_rsr()), per_answer, note="the best of this and all smaller k"),
        _Kind("perfect ROR", _each(table, table.perfect_ror()), per_context, note="the best of the orders"),
    )
    gains = [_gain(kind, table) for kind in perfect]
    yield table.closed.measure("performance", "k=0", only, unit="questions", note="closed-book, f(q, 0)")
    for kind in (*perfect, *gains):
        yield _averaged(kind.metric, "all", kind.parts("all", only))
    by_k: list[tuple[Measure, ...]] = []
    for i, k in enumerate(table.ks):
        if not (table.f.codes[:, :, i] < SKIPPED).any():
            continue
        smallest = not by_k  # perfect RSR is the performance itself there
        for kind in (plain, *perfect, *gains):
            if smallest and kind.metric == "perfect RSR gain":
                continue
            parts = kind.parts(f"k={k}", only, i)
            yield _averaged(kind.metric, f"k={k}", parts)
            yield from parts
            if kind is plain:
                by_k.append(parts)
        for o, order in enumerate(table.orders):
            parts = plain.parts(f"k={k}, order={order}", only, i, o)
            yield _averaged("performance", f"k={k}, order={order}", parts)
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


def _gain(kind: _Kind, table: Cells) -> _Kind:
    """What perfect robustness would add, over the units that both are known of."""
    gains = {}
    for r, (name, terms) in enumerate(kind.terms.items()):
        have = table.f.codes[:, r] == SCORED
        plain = np.where(have, table.f.values[:, r], 0.0)
        if terms.codes.ndim == 2:  # the mean over the orders that were asked
            plain = plain.sum(axis=-1) / np.maximum(have.sum(axis=-1), 1)
        gains[name] = Terms(terms.values - plain, terms.codes)
    return _Kind(f"{kind.metric} gain", gains, kind.unit, 1.0, "", 0.0)


def _each(table: Cells, terms: Terms) -> dict[str, Terms]:
    return {name: terms.at(r) for r, name in enumerate(table.retrievers)}


def _shown(frame: Frame, config: RetrievalRobustnessConfig, used: Sequence[str]) -> Iterator[Figured]:
    """What a system really had: the answer among its passages (B5), how many fitted (B4); how often it refused."""
    rows = frame.rows
    asked = ((rows["cell"] == "retrieved") & (rows["status"] != "skipped")).to_numpy()
    part = frame.where(asked)
    note = "though the prompt says not to; it counts as wrong"
    refused = np.where(part.rows["status"] == "scored", part.rows["refused"].astype(float), np.nan)
    yield part.mean("refused", "all", refused, note=note, unit="answers (q, k, o)", limits=(1.0, 0.0))
    order = config.orders[0]  # the same passages stand in every order
    for k in config.ks:
        for retriever in used:
            mask = (rows["k"] == k) & (rows["retriever"] == retriever) & (rows["order"] == order)
            part = frame.where(asked & mask.to_numpy())
            if len(part.rows):
                yield from _context(part, f"k={k}, retriever={retriever}", k)


def _context(part: Frame, name: str, k: int) -> Iterator[Measure]:
    """Of what was shown: known where there is an answer, whether it could be scored or not."""
    answered = part.rows["answer_shown"].notna().to_numpy()
    told: dict[str, Any] = {"unit": "contexts (q, k)", "counts": _known(part, answered)}
    has = np.where(answered, part.rows["answer_shown"].eq(True).to_numpy(dtype=float), np.nan)
    yield part.mean("gold recall", name, has, note="a form of the answer stands in what was shown", **told)
    fitted = np.where(answered, part.rows["shown"].to_numpy(dtype=float), np.nan)
    limits = (0.0, float(k))
    yield part.mean("passages shown", name, fitted, limits=limits, note="effective k", neutral=True, **told)


def _known(part: Frame, answered: Only) -> Counts:
    failed = int((~answered & (part.rows["status"] == "failed").to_numpy()).sum())
    return Counts(int(answered.sum()), failed, int((~answered).sum()) - failed)
