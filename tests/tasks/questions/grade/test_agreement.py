"""Cohen's kappa as published and as scikit-learn has it, and what is said where there is none."""

from random import Random

import pytest

from rarefy.data_contracts.rows import Judgement
from rarefy.tasks.questions.grade.agreement import Weights, cohen_kappa, describe_agreement, judge_agreements


def pairs(*cells: tuple[int, int, int]) -> list[tuple[int, int]]:
    return [(a, b) for a, b, count in cells for _ in range(count)]


def test_the_example_of_fleiss_cohen_and_everitt() -> None:
    """Two psychiatrists, 200 patients, three diagnoses (Psychological Bulletin 72:323, 1969, table 1)."""
    cells = [(1, 1, 106), (1, 2, 10), (1, 3, 4), (2, 1, 22), (2, 2, 28), (2, 3, 10), (3, 1, 2), (3, 2, 12), (3, 3, 6)]
    found = cohen_kappa(pairs(*cells))
    assert found.n == 200 and found.observed == pytest.approx(0.70) and found.expected == pytest.approx(0.475)
    assert found.kappa == pytest.approx(0.429, abs=0.0005)
    assert found.low is not None and found.high is not None
    assert ((found.high - found.low) / 2 / 1.96) ** 2 == pytest.approx(0.002885, abs=0.00003)


def test_the_textbook_example_of_two_readers() -> None:
    """50 grant proposals, 20 yes by both, 15 no by both, 5 and 10 apart: 0.4."""
    found = cohen_kappa(pairs((1, 1, 20), (1, 0, 5), (0, 1, 10), (0, 0, 15)))
    assert (found.observed, found.expected, found.kappa) == (0.7, 0.5, pytest.approx(0.4))


@pytest.mark.parametrize("weights", ["none", "quadratic"])
@pytest.mark.parametrize("seed", range(8))
def test_kappa_is_what_scikit_learn_has(seed: int, weights: Weights) -> None:
    metrics = pytest.importorskip("sklearn.metrics")
    random = Random(seed)
    first = [random.choice((2, 3, 4, 4, 5, 5, 5)) for _ in range(60)]
    second = [a if random.random() < 0.6 else random.choice((1, 3, 4, 5)) for a in first]
    expected = metrics.cohen_kappa_score(
        first, second, labels=[1, 2, 3, 4, 5], weights=None if weights == "none" else "quadratic"
    )
    assert cohen_kappa(zip(first, second, strict=True), weights).kappa == pytest.approx(expected)


def test_the_interval_holds_the_true_kappa_about_as_often_as_it_says() -> None:
    """The second rater repeats the first half of the time and else guesses alike: kappa is 0.5."""
    random, held = Random(3), 0
    for _ in range(400):
        first = [random.choice((1, 2, 3)) for _ in range(120)]
        second = [a if random.random() < 0.5 else random.choice((1, 2, 3)) for a in first]
        found = cohen_kappa(zip(first, second, strict=True), "quadratic")
        held += found.low <= 0.5 <= found.high  # type: ignore[operator]
    assert 0.91 <= held / 400 <= 0.985


@pytest.mark.parametrize(
    ("rated", "why"),
    [
        ([], "nothing was rated by both"),
        ([(5, 5)] * 40, "both rated everything 5"),
        ([(5, 5)] * 39 + [(5, 4)], "the first rated everything 5"),
        ([(4, 5), (5, 5)], "the second rated everything 5"),
        ([(4, 5)] * 3, "the first rated everything 4"),
        ([(3, 3)], "both rated everything 3"),
    ],
)
@pytest.mark.parametrize("weights", ["none", "quadratic"])
def test_a_rater_with_one_rating_leaves_kappa_undefined_and_says_so(
    rated: list[tuple[int, int]], why: str, weights: Weights
) -> None:
    found = cohen_kappa(rated, weights, of="clarity")
    assert (found.kappa, found.low, found.high, found.n) == (None, None, None, len(rated))
    assert (
        found.undefined.startswith(why)
        and "not defined" in describe_agreement(found)
        and f"n = {len(rated)}" in describe_agreement(found)
    )


def test_full_agreement_on_few_has_a_wide_interval() -> None:
    few, many = cohen_kappa([(4, 4), (5, 5)] * 3), cohen_kappa([(4, 4), (5, 5)] * 300)
    assert few.kappa == many.kappa == few.high == many.high == 1
    assert few.low == pytest.approx((0.025 ** (1 / 6) - 0.5) / 0.5) and few.low < 0.1 < 0.98 < many.low  # type: ignore


def judged(name: str, judge: str, turn: int, *scores: int) -> Judgement:
    of = {"readability": scores[0], "clarity": scores[1], "correctness": scores[2]} if scores else {"error": "timeout"}
    return Judgement(f"{name}{judge}{turn}", name, judge, turn, **of)  # type: ignore[arg-type]


def test_judges_are_compared_by_what_they_decided_and_rounds_with_the_first() -> None:
    rows = []
    for at in range(30):
        rows += [judged(f"q{at}", "first", turn, 3 + (at + turn) % 3, 4, 5) for turn in range(3)]
        rows += [judged(f"q{at}", "second", 0, 4, 4 + at % 2, 5)] if at else [judged("q0", "second", 0)]
    found = judge_agreements(Random(0).sample(rows, len(rows)), 3)
    assert found == judge_agreements(rows, 3)
    betweens = list(dict.fromkeys(one.between for one in found))
    assert betweens == [("first", "second"), ("first, round 1", "round 2"), ("first, round 1", "round 3")]
    both = [one for one in found if one.between == ("first", "second")]
    assert [(one.of, one.weights) for one in both] == [
        (of, weights) for of in ("readability", "clarity", "correctness") for weights in ("none", "quadratic")
    ] + [("kept", "none")]
    assert {(one.n, one.missing) for one in both} == {(29, 1)}
    assert all("29" in describe_agreement(one) and "1 rated by one alone" in describe_agreement(one) for one in both)


def test_of_one_judge_and_one_round_there_is_nothing_to_say() -> None:
    assert judge_agreements([judged("q", "first", 0, 5, 5, 5)], 3) == [] == judge_agreements([], 3)
