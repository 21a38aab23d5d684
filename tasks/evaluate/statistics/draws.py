"""Bootstrap draws of many ratios at once: resampled clusters as blocks of weights, times one matrix of sums."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from rarefy.tasks.evaluate.statistics.measure import Measure, Sums

Matrix = npt.NDArray[np.float64]
CELLS = 2**21  # of a block of weights: 16 MiB, whatever the number of questions
KEPT = 2**27  # clusters x draws whose resamples are kept: 256 MiB
TOGETHER = 512  # measures that are drawn at once: their draws take 40 MiB, and for many questions fewer are


@dataclass(frozen=True)
class Columns:
    """The sums of measures by cluster; each distinct column is held, and multiplied, once."""

    sums: Matrix  # clusters x distinct columns
    above: npt.NDArray[np.intp]  # of each measure, the column of its numerator
    below: npt.NDArray[np.intp]

    @property
    def numerators(self) -> Matrix:
        """Clusters x measures."""
        return np.asarray(self.sums[:, self.above])

    @property
    def denominators(self) -> Matrix:
        """Clusters x measures."""
        return np.asarray(self.sums[:, self.below])


def together(questions: int) -> int:
    """How many measures over so many questions are drawn at once; it changes no digit."""
    return max(16, min(TOGETHER, 2 * CELLS // max(questions, 1)))


def grouped(clusters: Sequence[str] | None, questions: int) -> npt.NDArray[np.intp]:
    """Of each question its cluster, numbered in the order of the labels; a question without a label is its own.

    ValueError where there are not as many labels as questions.
    """
    if clusters is None:
        return np.arange(questions)
    if len(clusters) != questions:
        raise ValueError(f"{len(clusters)} labels of clusters for {questions} questions: give one for each")
    names = [(1, "", at) if label == "" else (0, label, 0) for at, label in enumerate(clusters)]
    place = {name: at for at, name in enumerate(sorted(set(names)))}
    return np.array([place[name] for name in names], dtype=np.intp)


def columns(measures: Sequence[Measure], group: npt.NDArray[np.intp]) -> Columns:
    """The columns of these measures, their sums added up within each cluster."""
    size = int(group.max()) + 1 if len(group) else 0
    held: dict[bytes, int] = {}
    kept: list[Sums] = []

    def place(sums: Sums) -> int:
        together = np.bincount(group, weights=sums, minlength=size).astype(np.float64)
        key = together.tobytes()
        if key not in held:
            held[key] = len(kept)
            kept.append(together)
        return held[key]

    places = [(place(one.numerator), place(one.denominator)) for one in measures]
    above, below = np.array(places, dtype=np.intp).reshape(-1, 2).T
    return Columns(np.column_stack(kept) if kept else np.zeros((size, 0)), above, below)


def ratios(sums: Matrix, of: Columns) -> Matrix:
    """Rows of summed columns as one ratio per measure, NaN for 0/0."""
    below = sums[:, of.below]
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(below != 0, sums[:, of.above] / below, np.nan)


def of_each(of: Columns) -> Matrix:
    """Clusters x measures: the value of each in each cluster alone, NaN where there is nothing of it."""
    return ratios(of.sums, of)


def resamples(clusters: int, draws: int, seed: int) -> Iterator[Matrix]:
    """How often each of the clusters is in each draw, in blocks of draws; the same numbers for any size of block."""
    if clusters * draws > KEPT:
        yield from _chosen(clusters, draws, seed)
        return
    for counts in _kept(clusters, draws, seed):
        yield counts.astype(np.float64)


@lru_cache(maxsize=1)
def _kept(clusters: int, draws: int, seed: int) -> tuple[npt.NDArray[np.uint16], ...]:
    """The same numbers, kept for the next measures of the same questions."""
    return tuple(block.astype(np.uint16) for block in _chosen(clusters, draws, seed))


def _chosen(clusters: int, draws: int, seed: int) -> Iterator[Matrix]:
    source = np.random.default_rng(seed)
    for size in _blocks(clusters, draws):
        chosen = source.integers(0, clusters, (size, clusters))
        chosen += np.arange(size)[:, None] * clusters
        yield np.bincount(chosen.ravel(), minlength=size * clusters).reshape(size, clusters).astype(np.float64)


def flips(clusters: int, draws: int, seed: int) -> Iterator[Matrix]:
    """Signs +1 and -1 of each cluster in each draw, in blocks of draws."""
    source = np.random.default_rng([seed, 1])  # not those of the resamples
    for size in _blocks(clusters, draws):
        yield 1.0 - 2.0 * source.integers(0, 2, (size, clusters)).astype(np.float64)


def drawn(of: Columns, blocks: Iterable[Matrix]) -> Matrix:
    """Draws x measures: the value of each in each resample, NaN where it is undefined in it."""
    return np.concatenate([ratios(block @ of.sums, of) for block in blocks])


def without_each(of: Columns) -> Matrix:
    """Clusters x measures: the value of each without one of the clusters (the jackknife)."""
    return ratios(of.sums.sum(axis=0) - of.sums, of)


def _blocks(clusters: int, draws: int) -> Iterator[int]:
    """Sizes of blocks that come to so many draws."""
    size = max(1, CELLS // max(clusters, 1))
    for start in range(0, draws, size):
        yield min(size, draws - start)
