"""Systems of known robustness get the NDR, RSR and ROR that follow from what they do (papers.md §6)."""

import math
from collections.abc import Callable

import pytest
from tried import Benchmark, numbers

from rarefy.data_contracts.rows import Trial
from rarefy.tasks.evaluate.protocols.retrieval_robustness import RetrievalRobustnessConfig, measures

KS = (5, 10, 25)
THREE = 1 - 2 * math.sqrt(2) / 3  # ROR of one of three right, or two: 0.0572
CONFIG = RetrievalRobustnessConfig(ks=KS)
TWO_ORDERS = RetrievalRobustnessConfig(ks=KS, orders=("original", "reversed"))


def benchmark(*golds: tuple[int, int]) -> Benchmark:
    """A question for each pair of ranks, at which bm25 and dense find its gold chunk among 30."""
    made = Benchmark()
    for at, ranks in enumerate(golds):
        names = [f"c{at}-{i}" for i in range(30)]
        for name in names:
            made.chunk(name, f"text of {name}")
        gold = f"c{at}-0"
        made.ask(f"q{at}", gold)
        for retriever, rank in zip(("bm25", "dense"), ranks, strict=True):
            others = names[1:]
            made.find(retriever, f"q{at}", [*others[: rank - 1], gold, *others[rank - 1 :]])
    return made


def gold_of(trial: Trial) -> str:
    return f"c{trial.question_id[1:]}-0"


def place(trial: Trial) -> int:
    """Where the gold stands from the top, 0 where it is not shown."""
    gold = gold_of(trial)
    return trial.passage_ids.index(gold) + 1 if gold in trial.passage_ids else 0


def test_who_is_always_right_is_robust_in_everything() -> None:
    found = of(benchmark((1, 3), (7, 30)), CONFIG, lambda trial: 1.0)
    for metric in ("NDR", "RSR", "ROR", "geometric mean", "performance", "closed-book performance"):
        assert found[metric, "all"] == 1
    assert found["perfect NDR gain", "all"] == found["perfect RSR gain", "all"] == found["perfect ROR gain", "all"] == 0


def test_who_always_refuses_is_robust_and_its_performance_says_what_that_is_worth() -> None:
    found = of(benchmark((1, 3), (7, 30)), CONFIG, lambda trial: "refused")
    assert [found[metric, "all"] for metric in ("NDR", "RSR", "ROR", "geometric mean")] == [1, 1, 1, 1]
    assert found["performance", "all"] == 0
    assert found["refused", "all"] == 1


def test_who_repeats_the_last_passage_is_robust_to_size_and_number_as_the_rank_of_the_gold_has_it() -> None:
    # gold at rank 1 (bm25): in the original order never last, reversed always last: f = 0,0,0 and 1,1,1
    # gold at rank 10 (dense): last only in the original order of ten: f = 0,1,0 and 0,0,0
    found = of(benchmark((1, 10)), TWO_ORDERS, lambda trial: float(place(trial) == len(trial.passage_ids) > 0))
    assert found["NDR", "all"] == 1  # it knows nothing, so nothing is lost
    assert found["RSR", "retriever=bm25"] == 1
    assert found["RSR", "retriever=dense"] == 3 / 4  # of 2 sizes x 2 orders: at 25 the original lost what it had at 10
    assert found["RSR", "all"] == 7 / 8
    assert found["ROR", "retriever=bm25"] == 0
    assert found["ROR", "retriever=dense"] == 2 / 3  # only at 10 the orders differ
    assert found["ROR", "all"] == pytest.approx(1 / 3)
    assert found["geometric mean", "all"] == pytest.approx((1 * 7 / 8 * 1 / 3) ** (1 / 3))
    assert found["performance", "all"] == (1 / 2 + 1 / 6) / 2
    assert found["perfect ROR", "k=10"] == 1
    assert found["performance", "k=10, order=original, retriever=dense"] == 1
    assert found["performance", "order=reversed"] == 1 / 2  # bm25's three of six


def test_who_forgets_beyond_ten_loses_size_robustness_alone() -> None:
    def forgets(trial: Trial) -> float:
        return float(bool(place(trial)) and trial.k <= 10)

    found = of(benchmark((1, 4)), CONFIG, forgets)
    assert found["NDR", "all"] == 1
    assert found["RSR", "all"] == 1 / 2  # 10 keeps what 5 had, 25 does not
    assert found["ROR", "all"] == 1
    assert [found["performance", f"k={k}"] for k in KS] == [1, 1, 0]
    assert [found["perfect RSR", f"k={k}"] for k in KS] == [1, 1, 1]
    assert found["highest performance", "all"] == 1
    assert found["geometric mean", "all"] == pytest.approx(0.5 ** (1 / 3))


def test_who_knows_the_answer_and_forgets_it_beyond_ten_loses_a_third_of_ndr_too() -> None:
    found = of(benchmark((1, 4)), CONFIG, lambda trial: float(trial.k <= 10))
    assert found["NDR", "all"] == 2 / 3
    assert found["perfect NDR", "k=25"] == 1
    assert found["perfect NDR gain", "all"] == pytest.approx(1 / 3)


def test_who_reads_the_top_three_alone_comes_to_the_lowest_ror_of_three_orders_whatever_the_shuffle() -> None:
    # gold at rank 2: original second, reversed second from the end; shuffled either: one or two of three are right
    found = of(benchmark((2, 2)), CONFIG, lambda trial: float(0 < place(trial) <= 3))
    assert found["ROR", "all"] == pytest.approx(THREE)
    assert pytest.approx(0.0572, abs=5e-5) == THREE
    assert found["performance", "order=original"] == 1
    assert found["performance", "order=reversed"] == 0
    assert found["geometric mean of NDR and RSR", "order=original"] == 1


def test_who_answers_worse_the_more_it_is_shown_has_no_size_robustness() -> None:
    found = of(benchmark((1, 1)), CONFIG, lambda trial: {0: 1.0, 5: 0.75, 10: 0.5, 25: 0.25}[trial.k])
    assert found["RSR", "all"] == 0
    assert found["NDR", "all"] == 0
    assert found["geometric mean", "all"] == 0
    assert [found["perfect RSR", f"k={k}"] for k in KS] == [0.75] * 3


def test_a_share_of_answer_groups_is_a_performance_like_any_other() -> None:
    found = of(benchmark((1, 1)), CONFIG, lambda trial: 0.5 if trial.k < 25 else 1.0)
    assert found["performance", "all"] == pytest.approx(2 / 3)
    assert found["closed-book performance", "all"] == 1 / 2
    assert found["NDR", "all"] == found["RSR", "all"] == 1


def of(made: Benchmark, config: RetrievalRobustnessConfig, says: Callable[[Trial], float | str | None]) -> dict:
    return dict(numbers(measures(made.framed(made.trials("retrieval_robustness", config), says), config)))
