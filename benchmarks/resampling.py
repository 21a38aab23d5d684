"""How long intervals and comparisons of hundreds of numbers take, beside scipy and a plain loop, and in what memory.

    python benchmarks/resampling.py [--questions 6000] [--measures 300] [--draws 10000]

Sums are made up: 30 cells a question, questions differing in how hard they are; every second measure is of a fifth of
the questions, as slices are. Each kind is measured in a process of its own, for its peak of memory.
"""

from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

import numpy as np
from measuring import make_parser, peak_memory, time_call

from rarefy.tasks.evaluate.statistics import StatisticsConfig, figures
from rarefy.tasks.evaluate.statistics.compare import add_verdicts, differences
from rarefy.tasks.evaluate.statistics.measure import Counts, Derived, Measure, Metric

CELLS = 30
FEW = 3  # measures that the slow ones are timed on


def main() -> None:
    """Print the table."""
    parser = make_parser(__doc__)
    parser.add_argument("--questions", type=int, default=6_000)
    parser.add_argument("--measures", type=int, default=300)
    parser.add_argument("--draws", type=int, default=10_000)
    options = parser.parse_args()
    size = (options.questions, options.measures, options.draws)
    print(f"{options.questions:,} questions, {options.measures:,} measures, {options.draws:,} draws\n")
    print("| what | wall s | CPU s | peak MiB | of it before |\n|---|---:|---:|---:|---:|")
    for name in KINDS:
        with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
            wall, cpu, peak, before = pool.submit(measure_kind, name, *size).result()
        print(f"| {name} | {wall:.1f} | {cpu:.1f} | {peak:,.0f} | {before:,.0f} |", flush=True)


def measure_kind(name: str, questions: int, measures: int, draws: int) -> tuple[float, float, float, float]:
    """Wall and processor seconds of one kind, the peak of memory in MiB, and what the sums alone took of it."""
    first, second = make_measures(questions, measures, 1), make_measures(questions, measures, 2)
    before = peak_memory()
    timing = time_call(lambda: KINDS[name](first, second, draws))
    return timing.wall, timing.cpu, peak_memory(), before


def make_measures(questions: int, measures: int, seed: int) -> list[Metric]:
    """Measures of made-up sums, the last a geometric mean of the first three."""
    random = np.random.default_rng(seed)
    hard = random.beta(2, 1, questions)
    found: list[Metric] = []
    parts: list[Measure] = []
    for at in range(measures - 1):
        there = np.random.default_rng(at).random(questions) < (1 if at % 2 == 0 else 0.2)  # the same for both systems
        below = np.where(there, float(CELLS), 0.0)
        above = random.binomial(below.astype(int), hard).astype(float)
        parts.append(Measure("share", f"part={at}", above, below, Counts(int(below.sum()))))
    found += parts
    found.append(Derived("geometric", "all", tuple(parts[:3]), lambda a, b, c: np.cbrt(a * b * c)))
    return found


def run_percentile(first: list[Metric], second: list[Metric], draws: int) -> None:
    """Figures with percentile intervals."""
    list(figures(first, system="s", protocol="p", config=StatisticsConfig(draws=draws)))


def run_bca(first: list[Metric], second: list[Metric], draws: int) -> None:
    """Figures with BCa intervals."""
    list(figures(first, system="s", protocol="p", config=StatisticsConfig(draws=draws, interval="bca")))


def run_comparison(first: list[Metric], second: list[Metric], draws: int) -> None:
    """Two systems: intervals of differences, permutation tests, corrections, verdicts."""
    config = StatisticsConfig(draws=draws, permutations=draws)
    add_verdicts(differences(first, second, protocol="p", config=config), config)


def run_scipy(first: list[Metric], second: list[Metric], draws: int) -> None:
    """scipy.stats.bootstrap of three of the ratios, percentile."""
    from scipy.stats import bootstrap

    for one in first[:FEW]:
        assert isinstance(one, Measure)
        bootstrap(
            (one.numerator, one.denominator),
            lambda above, below, axis: above.sum(axis=axis) / below.sum(axis=axis),
            n_resamples=draws,
            paired=True,
            vectorized=True,
            batch=100,
            method="percentile",
            rng=np.random.default_rng(0),
        )


def run_loop(first: list[Metric], second: list[Metric], draws: int) -> None:
    """A plain loop over draws, for three of the ratios together."""
    random = np.random.default_rng(0)
    for one in first[:FEW]:
        assert isinstance(one, Measure)
        found = []
        for _ in range(draws):
            chosen = random.integers(0, len(one.numerator), len(one.numerator))
            found.append(one.numerator[chosen].sum() / one.denominator[chosen].sum())
        np.quantile(found, (0.025, 0.975))


KINDS: dict[str, Callable[[list[Metric], list[Metric], int], None]] = {
    "figures, percentile": run_percentile,
    "figures, BCa": run_bca,
    "two systems compared": run_comparison,
    f"scipy.stats.bootstrap, {FEW} of them": run_scipy,
    f"a loop over draws, {FEW} of them": run_loop,
}


if __name__ == "__main__":
    main()
