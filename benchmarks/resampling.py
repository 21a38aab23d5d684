"""How long intervals and comparisons of hundreds of numbers take, beside scipy and a plain loop, and in what memory.

    python benchmarks/resampling.py [--questions 6000] [--measures 300] [--draws 10000]

Sums are made up: 30 cells a question, questions differing in how hard they are; every second measure is of a fifth of
the questions, as slices are. Each kind is measured in a process of its own, for its peak of memory.
"""

import argparse
import resource
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

import numpy as np

from rarefy.tasks.evaluate.statistics import StatisticsConfig, figures
from rarefy.tasks.evaluate.statistics.compare import differences, judged
from rarefy.tasks.evaluate.statistics.measure import Counts, Derived, Figured, Measure

CELLS = 30
FEW = 3  # measures that the slow ones are timed on


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--questions", type=int, default=6_000)
    parser.add_argument("--measures", type=int, default=300)
    parser.add_argument("--draws", type=int, default=10_000)
    options = parser.parse_args()
    size = (options.questions, options.measures, options.draws)
    print(f"{options.questions:,} questions, {options.measures:,} measures, {options.draws:,} draws\n")
    print("| what | wall s | CPU s | peak MiB | of it before |\n|---|---:|---:|---:|---:|")
    for name in KINDS:
        with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
            wall, cpu, peak, before = pool.submit(timed, name, *size).result()
        print(f"| {name} | {wall:.1f} | {cpu:.1f} | {peak:,.0f} | {before:,.0f} |", flush=True)


def timed(name: str, questions: int, measures: int, draws: int) -> tuple[float, float, float, float]:
    """Wall and processor seconds of one kind, the peak of memory in MiB, and what the sums alone took of it."""
    first, second = made(questions, measures, 1), made(questions, measures, 2)
    before, wall, cpu = peak(), time.perf_counter(), time.process_time()
    KINDS[name](first, second, draws)
    return time.perf_counter() - wall, time.process_time() - cpu, peak(), before


def made(questions: int, measures: int, seed: int) -> list[Figured]:
    """Measures of made-up sums, the last a geometric mean of the first three."""
    random = np.random.default_rng(seed)
    hard = random.beta(2, 1, questions)
    found: list[Figured] = []
    parts: list[Measure] = []
    for at in range(measures - 1):
        there = np.random.default_rng(at).random(questions) < (1 if at % 2 == 0 else 0.2)  # the same for both systems
        below = np.where(there, float(CELLS), 0.0)
        above = random.binomial(below.astype(int), hard).astype(float)
        parts.append(Measure("share", f"part={at}", above, below, Counts(int(below.sum()))))
    found += parts
    found.append(Derived("geometric", "all", tuple(parts[:3]), lambda a, b, c: np.cbrt(a * b * c)))
    return found


def percentiles(first: list[Figured], second: list[Figured], draws: int) -> None:
    """Figures with percentile intervals."""
    list(figures(first, system="s", protocol="p", config=StatisticsConfig(draws=draws)))


def corrected(first: list[Figured], second: list[Figured], draws: int) -> None:
    """Figures with BCa intervals."""
    list(figures(first, system="s", protocol="p", config=StatisticsConfig(draws=draws, interval="bca")))


def compared(first: list[Figured], second: list[Figured], draws: int) -> None:
    """Two systems: intervals of differences, permutation tests, corrections, verdicts."""
    config = StatisticsConfig(draws=draws, permutations=draws)
    judged(differences(first, second, protocol="p", config=config), config)


def by_scipy(first: list[Figured], second: list[Figured], draws: int) -> None:
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


def by_loop(first: list[Figured], second: list[Figured], draws: int) -> None:
    """A plain loop over draws, for three of the ratios together."""
    random = np.random.default_rng(0)
    for one in first[:FEW]:
        assert isinstance(one, Measure)
        found = []
        for _ in range(draws):
            chosen = random.integers(0, len(one.numerator), len(one.numerator))
            found.append(one.numerator[chosen].sum() / one.denominator[chosen].sum())
        np.quantile(found, (0.025, 0.975))


KINDS: dict[str, Callable[[list[Figured], list[Figured], int], None]] = {
    "figures, percentile": percentiles,
    "figures, BCa": corrected,
    "two systems compared": compared,
    f"scipy.stats.bootstrap, {FEW} of them": by_scipy,
    f"a loop over draws, {FEW} of them": by_loop,
}


def peak() -> float:
    """The most memory that this process has held, in MiB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


if __name__ == "__main__":
    main()
