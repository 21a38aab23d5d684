"""f(q, k, o) of each retriever as one array, and the terms of eq. 1 to 3 on it (arXiv 2505.21870, papers.md §001-A)."""

from dataclasses import dataclass
from functools import cached_property
from math import sqrt
from typing import Any

import numpy as np
import numpy.typing as npt

from rarefy.tasks.evaluate.protocols.frame import Frame
from rarefy.tasks.evaluate.statistics.measure import Counts, Measure

Values = npt.NDArray[np.float64]
Codes = npt.NDArray[np.int8]

# What is known of a cell, the worst last: a term is as well known as the worst of what it is made of. A cell that was
# never planned (ABSENT) is in no denominator and in no count.
SCORED, MISSING, FAILED, SKIPPED, ABSENT = range(5)
CODES = {"scored": SCORED, "missing": MISSING, "failed": FAILED, "skipped": SKIPPED}
EPSILON = 1e-9  # shares of answer groups are floats


@dataclass(frozen=True)
class Terms:
    """One value per unit, question first, and what is known of it."""

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

    def measure(self, metric: str, slice_: str, only: npt.NDArray[np.bool_], **told: Any) -> Measure:
        """Their mean over the questions of a mask."""
        above, below, counts = self.summed
        found = Counts(*(int(number) for number in counts[:, only].sum(axis=1)))
        return Measure(metric, slice_, np.where(only, above, 0.0), np.where(only, below, 0.0), found, **told)


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


def cells(frame: Frame, ks: tuple[int, ...], orders: tuple[str, ...], retrievers: tuple[str, ...]) -> Cells:
    """The cells of a frame, for all of its questions; those of no listed k, order or retriever are left out."""
    rows = frame.rows
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
