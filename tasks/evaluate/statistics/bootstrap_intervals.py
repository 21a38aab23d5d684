"""Bootstrap intervals: clusters of questions resampled for many measures at once, percentile, BCa and exact bounds."""

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from rarefy.tasks.evaluate.statistics.config import StatisticsConfig
from rarefy.tasks.evaluate.statistics.measure import Measure, Metric, Sums, corners, limits, parts_of, ratio, value

# Resampling: blocks of weights of clusters, times one matrix of sums

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


def measures_at_once(questions: int) -> int:
    """How many measures over so many questions are resampled at once; it changes no digit."""
    return max(16, min(TOGETHER, 2 * CELLS // max(questions, 1)))


def cluster_numbers(clusters: Sequence[str] | None, questions: int) -> npt.NDArray[np.intp]:
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


def sum_by_cluster(measures: Sequence[Measure], group: npt.NDArray[np.intp]) -> Columns:
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

    places = [(place(metric.numerator), place(metric.denominator)) for metric in measures]
    above, below = np.array(places, dtype=np.intp).reshape(-1, 2).T
    return Columns(np.column_stack(kept) if kept else np.zeros((size, 0)), above, below)


def compute_ratios(sums: Matrix, of: Columns) -> Matrix:
    """One ratio per measure from rows of summed columns, NaN for 0/0."""
    below = sums[:, of.below]
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(below != 0, sums[:, of.above] / below, np.nan)


def cluster_values(of: Columns) -> Matrix:
    """Clusters x measures: the value of each in each cluster alone, NaN where there is nothing of it."""
    return compute_ratios(of.sums, of)


def resamples(clusters: int, draws: int, seed: int) -> Iterator[Matrix]:
    """How often each of the clusters is in each draw, in blocks of draws; the same numbers for any size of block."""
    if clusters * draws > KEPT:
        yield from _draw_resamples(clusters, draws, seed)
        return
    for counts in _cached_resamples(clusters, draws, seed):
        yield counts.astype(np.float64)


@lru_cache(maxsize=1)
def _cached_resamples(clusters: int, draws: int, seed: int) -> tuple[npt.NDArray[np.uint16], ...]:
    """The resamples, cached for the next measures of the same questions."""
    return tuple(block.astype(np.uint16) for block in _draw_resamples(clusters, draws, seed))


def _draw_resamples(clusters: int, draws: int, seed: int) -> Iterator[Matrix]:
    source = np.random.default_rng(seed)
    for size in _block_sizes(clusters, draws):
        chosen = source.integers(0, clusters, (size, clusters))
        chosen += np.arange(size)[:, None] * clusters
        yield np.bincount(chosen.ravel(), minlength=size * clusters).reshape(size, clusters).astype(np.float64)


def flips(clusters: int, draws: int, seed: int) -> Iterator[Matrix]:
    """Signs +1 and -1 of each cluster in each draw, in blocks of draws."""
    source = np.random.default_rng([seed, 1])  # not those of the resamples
    for size in _block_sizes(clusters, draws):
        yield 1.0 - 2.0 * source.integers(0, 2, (size, clusters)).astype(np.float64)


def draw_ratios(of: Columns, blocks: Iterable[Matrix]) -> Matrix:
    """Draws x measures: the value of each in each resample, NaN where it is undefined in it."""
    return np.concatenate([compute_ratios(block @ of.sums, of) for block in blocks])


def jackknife_values(of: Columns) -> Matrix:
    """Clusters x measures: the value of each without one of the clusters (the jackknife)."""
    return compute_ratios(of.sums.sum(axis=0) - of.sums, of)


def _block_sizes(clusters: int, draws: int) -> Iterator[int]:
    """The sizes of blocks of draws that add up to `draws`."""
    size = max(1, CELLS // max(clusters, 1))
    for start in range(0, draws, size):
        yield min(size, draws - start)


# Intervals from draws

Values = npt.NDArray[np.float64]
Ends = tuple[float, float]
SAME = 1e-12  # draws that differ by less differ by rounding alone


def percentile_intervals(draws: Values, level: float) -> Values:
    """Low and high of each column (2 x columns); draws that are NaN count nothing, NaN where all are."""
    ends = ((1 - level) / 2, (1 + level) / 2)
    whole = ~np.isnan(draws).any(axis=0)
    found = np.full((2, draws.shape[1]), np.nan)
    if whole.any():
        found[:, whole] = np.quantile(draws[:, whole], ends, axis=0)
    for at in np.flatnonzero(~whole):
        defined = draws[~np.isnan(draws[:, at]), at]
        if len(defined):
            found[:, at] = np.quantile(defined, ends)
    return found


def bca_interval(draws: Values, value: float, without: Values, level: float) -> Ends:
    """Low and high of one number, corrected for bias and skew, as scipy.stats.bootstrap has it.

    `draws` are its values in resamples, `without` those without each of the clusters; NaN counts nothing. (nan, nan)
    where the correction is not defined: all draws on one side of the value, or no cluster that matters.
    """
    from scipy.special import ndtr, ndtri  # late: a third of a second

    draws, without = draws[~np.isnan(draws)], without[~np.isnan(without)]
    if not len(draws) or not len(without):
        return np.nan, np.nan
    near = SAME * max(1.0, abs(value))  # what equals the value must not depend on rounding
    below = ((draws < value - near).mean() + (draws <= value + near).mean()) / 2
    pull = (len(without) - 1) * (without.mean() - without)
    spread = (pull**2).sum()
    if not 0 < below < 1 or spread <= 0:
        return np.nan, np.nan
    skew = (pull**3).sum() / (6 * spread**1.5)
    bias = ndtri(below)
    shifted = bias + ndtri([(1 - level) / 2, (1 + level) / 2])
    low, high = np.quantile(draws, ndtr(bias + shifted / (1 - skew * shifted)))
    return float(low), float(high)


def exact_interval(value: float, limits: Ends, clusters: int, level: float) -> Ends:
    """Low and high where every cluster came to the same value, so that resampling them shows no spread.

    Another cluster comes to something else with a probability of at most p (Clopper and Pearson 1934, none of n seen),
    and can pull the mean no further than to the limits. With no end to the limits: the value itself, twice.
    """
    other = 1 - ((1 - level) / 2) ** (1 / clusters)
    low, high = min(limits), max(limits)
    if not np.isfinite([low, high]).all():
        return value, value
    return value - other * (value - min(low, value)), value + other * (max(high, value) - value)


def clusters_to_exclude(share: float, level: float) -> int:
    """How many clusters that all came to the same show that fewer than this share of others would not."""
    return math.ceil(math.log((1 - level) / 2) / math.log1p(-share))


NOTHING = (math.nan, math.nan)


@dataclass(frozen=True)
class BootstrapInterval:
    """An interval (NaN where there is none), its standard error, number of clusters, and a note on how it was made."""

    low: float
    high: float
    error: float  # standard deviation of the draws; NaN where there is none
    clusters: int  # that have anything to do with the number
    note: str = ""


@dataclass(frozen=True)
class Resampled:
    """The distinct parts of several measures, resampled together."""

    place: dict[int, int]  # of each part, by identity, its column; parts of the same sums share one
    columns: Columns
    draws: Matrix
    own: Matrix  # clusters x parts: the value of the part in the cluster alone, NaN where there is nothing of it
    without: Matrix | None  # the jackknife, where any interval needs it


def estimate_intervals(
    measures: Sequence[Metric], questions: int, *, config: StatisticsConfig, clusters: Sequence[str] | None
) -> Iterator[BootstrapInterval]:
    """The interval of each of these measures, whose sums are over so many questions."""
    jackknife = any((metric.interval or config.interval) == "bca" for metric in measures)
    of = resample(measures, questions, config=config, clusters=clusters, jackknife=jackknife)
    # measures of the same sums have the same draws
    keys = [of.place[id(metric)] if isinstance(metric, Measure) else (id(metric),) for metric in measures]
    drawn = {key: combine_parts(metric, of, of.draws) for key, metric in zip(keys, measures, strict=True)}
    values = np.column_stack(list(drawn.values())) if measures else np.zeros((0, 0))
    ends = percentile_intervals(values, config.level) if len(values) else np.full((2, len(drawn)), np.nan)
    ends_of = dict(zip(drawn, ends.T.tolist(), strict=True))
    for key, metric in zip(keys, measures, strict=True):
        low, high = ends_of[key]
        yield _describe_interval(metric, of, drawn[key], (low, high), config)


def resample(
    measures: Sequence[Metric],
    questions: int,
    *,
    config: StatisticsConfig,
    clusters: Sequence[str] | None,
    jackknife: bool = False,
) -> Resampled:
    """The parts of these measures, drawn from the same resamples."""
    place: dict[int, int] = {}
    column: dict[tuple[bytes, bytes], int] = {}
    distinct: list[Measure] = []
    for part in (part for metric in measures for part in parts_of(metric)):
        sums = part.numerator.tobytes(), part.denominator.tobytes()
        if sums not in column:
            column[sums] = len(distinct)
            distinct.append(part)
        place[id(part)] = column[sums]
    group = cluster_numbers(clusters, questions)
    held = sum_by_cluster(distinct, group)
    size = len(held.sums)
    draws = draw_ratios(held, resamples(size, config.draws, config.seed)) if size else np.zeros((0, len(distinct)))
    return Resampled(place, held, draws, cluster_values(held), jackknife_values(held) if jackknife else None)


def count_clusters(metric: Metric, of: Resampled) -> int:
    """In how many clusters there is anything of a number: of the part that is in the fewest."""
    return min((int((~np.isnan(of.own[:, of.place[id(part)]])).sum()) for part in parts_of(metric)), default=0)


def count_deviating(values: Matrix) -> int:
    """How many clusters differ from the median one."""
    there = values[~np.isnan(values)]
    if not len(there):
        return 0
    return int((np.abs(there - _median_cluster(there)) > SAME).sum())


def _median_cluster(values: Matrix) -> float:
    return float(np.partition(values, len(values) // 2)[len(values) // 2])


def combine_parts(metric: Metric, of: Resampled, values: Matrix) -> Matrix:
    """The values of a metric, from the columns of its parts."""
    parts = [values[:, of.place[id(part)]] for part in parts_of(metric)]
    if isinstance(metric, Measure):
        return parts[0]
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.broadcast_to(np.asarray(metric.how(*parts), dtype=float), (len(values),))


def _describe_interval(
    metric: Metric, of: Resampled, draws: Matrix, ends: Ends, config: StatisticsConfig
) -> BootstrapInterval:
    """The interval of one metric with its note."""
    clusters = count_clusters(metric, of)
    kind = f"{config.cluster}{'' if clusters == 1 else 's'}"
    if clusters < 2:
        return BootstrapInterval(*NOTHING, math.nan, clusters, f"no interval: of {clusters} {kind}" if clusters else "")
    defined = ~np.isnan(draws)
    undefined = f"undefined in {(~defined).sum():,} of {len(draws):,} draws"
    if defined.sum() < len(draws) / 2:
        return BootstrapInterval(*NOTHING, math.nan, clusters, f"no interval: {undefined}")
    error = float(draws[defined].std(ddof=1))
    differ = max(count_deviating(of.own[:, of.place[id(part)]]) for part in parts_of(metric))
    notes = [] if defined.all() else [undefined]
    low, high = ends
    if (metric.interval or config.interval) == "bca" and of.without is not None:
        low, high = bca_interval(draws, value(metric), combine_parts(metric, of, of.without), config.level)
        if math.isnan(low):
            low, high = ends
            notes.append("percentile interval: BCa is not defined here")
    if not differ or (differ < config.few <= clusters):
        least, most = _exact_bound(metric, of, config, seen=differ > 0)
        low, high = min(low, least), max(high, most)
        counted = f"{differ} of {clusters} {kind} differ" if differ else f"all {clusters} {kind} came to the same"
        notes.append(f"{counted}: interval by an exact bound")
    if clusters < config.few:
        notes.append(f"of only {clusters} {kind}: the interval is too narrow")
    return BootstrapInterval(float(low), float(high), error, clusters, "; ".join(notes))


def _exact_bound(metric: Metric, of: Resampled, config: StatisticsConfig, *, seen: bool) -> Ends:
    """The interval of a number as if it were the same in all clusters; of one that has no end, the number itself.

    A cluster that is unlike them goes as far as any `seen` one, up or down, or where none was, as any could.
    """
    if not seen and not np.isfinite(limits(metric)).all():
        return value(metric), value(metric)
    ends = [
        exact_interval(ratio(p), _cluster_range(p, of) if seen else p.limits, count_clusters(p, of), config.level)
        for p in parts_of(metric)
    ]
    if isinstance(metric, Measure):
        return ends[0]
    found = corners(metric.how, ends)
    return float(np.nanmin(found)), float(np.nanmax(found))


def _cluster_range(part: Measure, of: Resampled) -> Ends:
    """As far from the median cluster as any came, up and down within the limits: the few may all be on one side."""
    values = of.own[:, of.place[id(part)]]
    values = values[~np.isnan(values)]
    middle = _median_cluster(values)
    far = float(np.abs(values - middle).max())
    return max(middle - far, min(part.limits)), min(middle + far, max(part.limits))
