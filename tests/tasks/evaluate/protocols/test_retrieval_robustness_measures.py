"""NDR, RSR and ROR as eq. 1 to 3 have them, B1 to B4, and what becomes of answers that are lost (§001, §6)."""

import itertools
import math
import statistics
from random import Random

import numpy as np
import pytest
from tried import Benchmark, numbers

from rarefy.data_contracts.rows import Trial
from rarefy.tasks.evaluate.protocols.frame import Frame
from rarefy.tasks.evaluate.protocols.retrieval_robustness import (
    RetrievalRobustnessConfig,
    across,
    build_cells,
    lowest_ror,
    measures,
)
from rarefy.tasks.evaluate.statistics import StatisticsConfig, figures
from rarefy.tasks.evaluate.statistics.measure import Derived, Measure

NAME = "retrieval_robustness"
ORDERS = ("original", "reversed", "shuffled")


def benchmark(questions: int = 1, size: int = 30) -> Benchmark:
    made = Benchmark()
    for at in range(questions):
        names = [f"c{at}-{i}" for i in range(size)]
        for name in names:
            made.chunk(name, name)
        made.ask(f"q{at}", names[0], domain="finance" if at % 2 else "policy")
        made.find("bm25", f"q{at}", names)
        made.find("dense", f"q{at}", names[::-1])
    return made


def config(**told: object) -> RetrievalRobustnessConfig:
    return RetrievalRobustnessConfig(**{"ks": (5, 10, 25), **told})  # type: ignore[arg-type]


def framed(made: Benchmark, options: RetrievalRobustnessConfig, says: object, **told: object) -> Frame:
    return made.framed(made.trials(NAME, options), says, **told)  # type: ignore[arg-type]


def test_b1_sigma_is_the_populations() -> None:
    # f = (0, 0, 1): population 0.4714 (term 0.057), sample 0.577 (term -0.155, out of range)
    options = config(ks=(5,), retrievers=("bm25",))
    found = numbers(measures(framed(benchmark(), options, lambda row: float(row.order == "shuffled")), options))
    assert statistics.pstdev([0, 0, 1]) == pytest.approx(0.4714, abs=5e-5)
    assert found["ROR", "all"] == pytest.approx(1 - 2 * statistics.pstdev([0, 0, 1]))
    assert found["ROR", "all"] == pytest.approx(0.057, abs=5e-4)
    assert 1 - 2 * statistics.stdev([0, 0, 1]) == pytest.approx(-0.155, abs=5e-4)


def test_b2_the_lowest_ror_is_said_beside_it() -> None:
    assert lowest_ror(3) == pytest.approx(0.057, abs=5e-4)
    assert lowest_ror(2) == lowest_ror(4) == 0
    for n in (2, 3, 4, 5, 6, 7):  # no pattern of 0 and 1 comes lower
        least = min(1 - 2 * statistics.pstdev(bits) for bits in itertools.product((0, 1), repeat=n))
        assert lowest_ror(n) == pytest.approx(least)
    ror = next(one for one in measures(framed(benchmark(), config(), lambda row: 1.0), config()) if one.metric == "ROR")
    assert "0.057" in ror.note
    part = ror.of[0] if isinstance(ror, Derived) else ror
    assert part.limits == (pytest.approx(0.0572, abs=5e-5), 1.0)


def test_one_order_leaves_ror_and_the_geometric_mean_undefined() -> None:
    options = config(orders=("original",))
    made = list(measures(framed(benchmark(3), options, lambda row: 1.0), options))
    found = numbers(made)
    assert math.isnan(found["ROR", "all"])
    assert math.isnan(found["geometric mean", "all"])
    assert found["NDR", "all"] == found["RSR", "all"] == 1
    assert "one order" in next(one.note for one in made if one.metric == "ROR")
    drawn = {
        (one.metric, one.slice): one
        for one in figures(made, system="it", protocol=NAME, config=StatisticsConfig(draws=100))
    }
    assert drawn["ROR", "all"].value is None
    assert drawn["geometric mean", "all"].value is None
    assert drawn["NDR", "all"].value == 1


def test_one_size_leaves_rsr_and_the_geometric_mean_undefined() -> None:
    options = config(ks=(5,))
    made = list(measures(framed(benchmark(3), options, lambda row: 1.0), options))
    found = numbers(made)
    assert math.isnan(found["RSR", "all"])
    assert math.isnan(found["geometric mean", "all"])
    assert found["NDR", "all"] == found["ROR", "all"] == 1
    assert "one k" in next(one.note for one in made if one.metric == "RSR")


def test_without_closed_book_answers_ndr_alone_is_undefined() -> None:
    options = config()
    made = benchmark(2)
    tried = [row for row in made.trials(NAME, options) if row.given == "passages"]
    found = numbers(measures(made.framed(tried, lambda row: 1.0), options))
    assert math.isnan(found["NDR", "all"])
    assert found["RSR", "all"] == found["ROR", "all"] == 1


def eq1_to_3(f: dict, zero: dict, ks: tuple[int, ...], orders: tuple[str, ...], q: range) -> tuple[float, float, float]:
    """The equations as they are printed, cell by cell."""
    ndr = [f[i, k, o] >= zero[i] for i in q for k in ks for o in orders]
    rsr = [
        all(f[i, ks[n], o] >= f[i, ks[j], o] for j in range(n)) for i in q for n in range(1, len(ks)) for o in orders
    ]
    ror = [1 - 2 * statistics.pstdev([f[i, k, o] for o in orders]) for i in q for k in ks]
    return statistics.mean(ndr), statistics.mean(rsr), statistics.mean(ror)


@pytest.mark.parametrize("seed", range(5))
def test_the_arrays_come_to_what_the_equations_say_cell_by_cell(seed: int) -> None:
    options = config(ks=(5, 10, 15, 20))
    made = benchmark(7)
    draw = Random(seed)
    f: dict = {}

    def says(row: Trial) -> float:
        key = (row.retriever, int(row.question_id[1:]), row.k, row.order)
        return f.setdefault(key, draw.choice((0.0, 0.0, 0.5, 1.0)))

    found = numbers(measures(framed(made, options, says), options))
    zero = {i: f["", i, 0, ""] for i in range(7)}
    both = []
    for retriever in ("bm25", "dense"):
        own = {(i, k, o): value for (r, i, k, o), value in f.items() if r == retriever}
        wanted = eq1_to_3(own, zero, options.ks, ORDERS, range(7))
        both.append(wanted)
        for metric, value in zip(("NDR", "RSR", "ROR"), wanted, strict=True):
            assert found[metric, f"retriever={retriever}"] == pytest.approx(value)
        assert found["geometric mean", f"retriever={retriever}"] == pytest.approx(math.prod(wanted) ** (1 / 3))
    means = [statistics.mean(values) for values in zip(*both, strict=True)]
    for metric, value in zip(("NDR", "RSR", "ROR"), means, strict=True):
        assert found[metric, "all"] == pytest.approx(value)
    assert found["geometric mean", "all"] == pytest.approx(math.prod(means) ** (1 / 3))
    perfect = statistics.mean(max(value, zero[i]) for (r, i, _, _), value in f.items() if r)
    assert found["perfect NDR", "all"] == pytest.approx(perfect)
    for k in options.ks:
        best = [
            max(f[r, i, j, o] for j in options.ks if j <= k)
            for r in ("bm25", "dense")
            for i in range(7)
            for o in ORDERS
        ]
        assert found["perfect RSR", f"k={k}"] == pytest.approx(statistics.mean(best))
        top = [max(f[r, i, k, o] for o in ORDERS) for r in ("bm25", "dense") for i in range(7)]
        assert found["perfect ROR", f"k={k}"] == pytest.approx(statistics.mean(top))
    assert found["highest performance", "all"] == max(found["performance", f"k={k}"] for k in options.ks)


def test_no_order_of_rows_changes_a_digit() -> None:
    options, made = config(), benchmark(9)
    once = dict(numbers(measures(framed(made, options, guess), options)))
    for seed in range(3):
        again = dict(numbers(measures(framed(made, options, guess, shuffle=seed), options)))
        assert list(again) == list(once)
        np.testing.assert_array_equal(list(again.values()), list(once.values()))


def guess(row: Trial) -> float:
    return float(Random(row.trial_id).random() < 0.6)


def test_what_failed_is_in_no_mean_but_in_the_counts_of_all_that_hang_on_it() -> None:
    options = config(retrievers=("bm25",))

    def says(row: Trial) -> float | str:
        return "failed" if (row.k, row.order) == (10, "reversed") else 1.0

    of = {(one.metric, one.slice): one for one in measures(framed(benchmark(), options, says), options)}

    def counts(metric: str) -> tuple[int, int]:
        one = of[metric, "all"]
        assert isinstance(one, Measure)
        return one.counts.scored, one.counts.failed

    assert counts("performance") == (8, 1)
    assert counts("NDR") == (8, 1)
    assert counts("RSR") == (4, 2)  # that of 10 and that of 25, which would have to be no worse than it
    assert counts("ROR") == (2, 1)


def test_a_lost_closed_book_answer_loses_all_of_ndr_and_nothing_else() -> None:
    options = config(retrievers=("bm25",))
    frame = framed(benchmark(), options, lambda row: None if row.given == "closed_book" else 1.0)
    of = {(one.metric, one.slice): one for one in measures(frame, options)}
    assert of["NDR", "all"].counts.missing == 9  # type: ignore[union-attr]
    assert of["RSR", "all"].counts.missing == 0  # type: ignore[union-attr]


def test_a_size_that_the_corpus_cannot_fill_is_skipped_and_the_others_stand() -> None:
    options = config(retrievers=("bm25",))
    of = {
        (one.metric, one.slice): one for one in measures(framed(benchmark(size=8), options, lambda row: 1.0), options)
    }
    rsr = of["RSR", "all"]
    assert isinstance(rsr, Measure)
    assert (rsr.counts.scored, rsr.counts.skipped) == (3, 3)  # 10 was asked with eight passages, 25 was not
    assert ("performance", "k=25") not in of
    assert of["passages shown", "k=10, retriever=bm25"].numerator.sum() == 8  # type: ignore[union-attr]


def test_what_was_shown_is_known_of_an_answer_that_nobody_could_score() -> None:
    options = config(retrievers=("bm25",))
    frame = framed(benchmark(), options, lambda row: 1.0)
    frame.rows.loc[frame.rows["k"] == 5, ["status", "value"]] = ["missing", math.nan]
    of = {(one.metric, one.slice): one for one in measures(frame, options)}
    assert of["gold recall", "k=5, retriever=bm25"].counts.scored == 1  # type: ignore[union-attr]
    assert of["performance", "k=5"].counts.missing == 3  # type: ignore[union-attr]


def test_a_retriever_that_was_not_run_is_left_out_of_the_mean_over_retrievers() -> None:
    options = config(retrievers=("bm25", "colbert"))
    made = list(measures(framed(benchmark(), options, lambda row: 1.0), options))
    assert numbers(made)["geometric mean", "all"] == 1
    assert "one retriever" in next(one.note for one in made if one.metric == "geometric mean")


def test_slices_are_of_their_own_questions() -> None:
    options, made = config(), benchmark(4)
    found = numbers(measures(framed(made, options, lambda row: float(row.question_id in ("q1", "q3"))), options))
    assert found["performance", "domain=finance"] == 1
    assert found["performance", "domain=policy"] == 0
    assert found["performance", "all"] == 1 / 2


def test_sizes_other_than_the_papers_are_said() -> None:
    note = next(one.note for one in measures(framed(benchmark(), config(), guess), config()) if one.metric == "NDR")
    assert note == "k = 5, 10, 25 (the paper: 5, 10, 25, 50, 75, 100)"


def test_no_two_numbers_share_their_name() -> None:
    made = [(one.metric, one.slice) for one in measures(framed(benchmark(4), config(), guess), config())]
    assert len(set(made)) == len(made)


def test_where_less_is_better_the_limits_say_so() -> None:
    for one in measures(framed(benchmark(2), config(), guess), config()):
        for part in (one,) if isinstance(one, Measure) else one.of:
            if part.metric.endswith("gain") or part.metric == "refused":
                assert part.limits == (1.0, 0.0), part.metric
            elif part.metric not in ("ROR", "passages shown"):
                assert part.limits == (0.0, 1.0), part.metric


def test_across_systems_the_best_closed_book_performance_is_told() -> None:
    options, made = config(), benchmark(2)
    frames = {
        "a": framed(made, options, lambda row: 0.0),
        "b": framed(made, options, lambda row: float(row.question_id == "q0")),
    }
    ((label, best),) = across(frames, options)
    assert label == "a, b"
    assert numbers([best])["best closed-book performance", "all"] == 1 / 2
    other = framed(benchmark(3), options, guess)
    with pytest.raises(ValueError, match="different questions"):
        list(across({"a": frames["a"], "b": other}, options))


def test_cells_of_no_listed_retriever_are_left_out() -> None:
    options = config()
    table = build_cells(framed(benchmark(), options, guess), options.ks, options.orders, ("dense",))
    assert table.f.values.shape == (1, 1, 3, 3)
