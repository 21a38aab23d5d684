import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from statistical import measured, shares
from threadpoolctl import threadpool_limits

from rarefy.data_contracts.rows import row_id
from rarefy.tasks.evaluate import statistics
from rarefy.tasks.evaluate.statistics import StatisticsConfig, figures
from rarefy.tasks.evaluate.statistics.bootstrap_intervals import measures_at_once
from rarefy.tasks.evaluate.statistics.measure import Counts, Derived

QUICK = StatisticsConfig(draws=1000)


def told(*measures, config=QUICK, clusters=None):
    return list(figures(measures, system="mine", protocol="rare", config=config, clusters=clusters))


def test_a_figure_carries_all_that_is_needed_to_believe_it():
    above, below = shares(1, 200)
    counts = Counts(scored=1200, failed=20, missing=10, skipped=33)
    (found,) = told(measured(above, below, counts=counts, unit="cells", headline=True, note="as told"))
    assert found.figure_id == row_id("figure", "mine", "rare", "overall", "all")
    assert found.value == pytest.approx(above.sum() / 1200)
    assert found.low < found.value < found.high
    assert found.worst == pytest.approx(above.sum() / 1230)
    assert found.best == pytest.approx((above.sum() + 30) / 1230)
    assert (found.n_scored, found.n_failed, found.n_missing, found.n_skipped) == (1200, 20, 10, 33)
    assert (found.unit, found.clusters, found.headline, found.note) == ("cells", 200, True, "as told")


def test_worst_and_best_follow_the_limits_whichever_way_is_better():
    counts = Counts(scored=90, failed=5, missing=5)
    lost, drop = told(
        measured([9.0] * 10, [9.0] * 10, "LR", counts=counts, limits=(1.0, 0.0)),
        measured([9.0] * 10, [9.0] * 10, "PDR", counts=counts, limits=(1.0, -math.inf)),
        config=StatisticsConfig(draws=100, floor=0.5),
    )
    assert (lost.worst, lost.best) == pytest.approx((1.0, 0.9))
    assert (drop.worst, drop.best) == (1.0, None)


def test_bounds_that_are_told_are_taken():
    (found,) = told(measured([1.0, 0.0], [1.0, 1.0], counts=Counts(50, 1), bounds=(0.25, 0.75)))
    assert (found.worst, found.best) == (0.25, 0.75)


def test_under_the_floor_a_number_has_bounds_and_no_interval():
    above, below = shares(3, 100)
    kept, gone = (
        told(measured(above, below, counts=Counts(scored=scored, failed=failed, skipped=9999)))[0]
        for scored, failed in ((950, 50), (949, 51))
    )
    assert kept.value is not None and not kept.withheld
    assert (gone.value, gone.low, gone.high, gone.withheld) == (kept.value, None, None, True)
    assert gone.worst < gone.best
    assert gone.note == "withheld: 949 of 1,000 trials scored"


def test_skipped_units_are_outside():
    (found,) = told(measured([3.0] * 20, [4.0] * 20, counts=Counts(80, skipped=800)))
    assert (found.value, found.worst, found.best, found.n_skipped) == (0.75, 0.75, 0.75, 800)


def test_no_units_at_all_are_said_and_nothing_is_withheld():
    none, lost, empty = told(
        measured([0.0] * 5, [0.0] * 5, counts=Counts(skipped=7)),
        measured([0.0] * 5, [0.0] * 5, "other", counts=Counts(failed=7)),
        measured([], [], "of no questions"),
    )
    assert (none.value, none.withheld, none.note, none.worst) == (None, False, "no trials", None)
    assert (lost.value, lost.withheld, lost.worst, lost.best) == (None, True, 0.0, 1.0)
    assert (empty.value, empty.clusters, empty.note) == (None, 0, "no trials")


def test_a_number_that_is_scored_but_not_defined_says_so():
    (found,) = told(measured([0.0] * 5, [0.0] * 5, counts=Counts(scored=7)))
    assert (found.value, found.low, found.note) == (None, None, "undefined")


def test_of_one_question_there_is_no_interval():
    (found,) = told(measured([3.0, 0.0], [4.0, 0.0]))
    assert (found.value, found.low, found.high, found.clusters) == (0.75, None, None, 1)
    assert found.note == "no interval: of 1 question"


def test_questions_of_one_document_are_one_cluster():
    above, below = shares(4, 30)
    config = StatisticsConfig(draws=500, cluster="document")
    one, several = (told(measured(above, below), config=config, clusters=c)[0] for c in (["d"] * 30, list("abc") * 10))
    assert (one.clusters, one.note) == (1, "no interval: of 1 document")
    assert (several.clusters, several.note) == (3, "of only 3 documents: the interval is too narrow")


def test_clusters_that_differ_widen_the_interval():
    above = np.array([6.0] * 50 + [0.0] * 50)
    below = np.full(100, 6.0)
    documents = ["a"] * 25 + ["b"] * 25 + ["c"] * 25 + ["d"] * 25
    (by_question,), (by_document,) = (told(measured(above, below), clusters=c) for c in (None, documents))
    assert by_document.high - by_document.low > 3 * (by_question.high - by_question.low)


def test_draws_in_which_a_slice_has_nothing_are_counted():
    above, below = np.zeros(40), np.zeros(40)
    above[:3], below[:3] = (1, 2, 0), (2, 2, 2)
    (found,) = told(measured(above, below, slice_="domain=policy"))
    assert found.clusters == 3
    assert "undefined in" in found.note and "of 1,000 draws" in found.note
    assert 0 <= found.low < found.high <= 1


def test_where_all_questions_came_to_the_same_the_interval_is_exact():
    right, same, without_end = told(
        measured([6.0] * 100, [6.0] * 100),
        measured([0.0] * 100, [1.0] * 100, "H̃", limits=(-1.0, 1.0)),
        measured([2.0] * 100, [1.0] * 100, "seconds", limits=(math.inf, 0.0)),
    )
    assert (right.low, right.high) == (pytest.approx(0.025**0.01), 1.0)
    assert same.low == pytest.approx(-same.high) and same.high == pytest.approx(1 - 0.025**0.01)
    assert (without_end.low, without_end.high) == (2.0, 2.0)
    assert all("all 100 questions came to the same" in one.note for one in (right, same, without_end))


@pytest.mark.parametrize("interval", ["bca", "percentile"])
def test_where_few_differ_the_interval_goes_as_far_the_other_way_within_the_limits(interval):
    better = [0.0] * 27 + [0.2, 0.3, 0.4]
    both, one = told(
        measured(better, [1.0] * 30, "change", limits=(-1.0, 1.0), interval=interval),
        measured(better, [1.0] * 30, "share", limits=(0.0, 1.0), interval=interval),
    )
    assert both.low < 0 and 0 <= one.low <= one.value and both.high == one.high


def test_a_derived_number_has_interval_bounds_and_counts_of_its_parts():
    parts = tuple(
        measured(*shares(seed, 300), name, counts=Counts(1800, failed))
        for seed, name, failed in ((1, "NDR", 0), (2, "RSR", 18))
    )
    (found,) = told(Derived("overall", "all", parts, lambda a, b: np.sqrt(a * b)))
    a, b = (part.numerator.sum() / 1800 for part in parts)
    assert found.value == pytest.approx(math.sqrt(a * b))
    assert found.low < found.value < found.high
    assert found.worst == pytest.approx(math.sqrt(a * b * 1800 / 1818))
    assert found.best == pytest.approx(math.sqrt(a * (b * 1800 + 18) / 1818))
    assert (found.n_scored, found.n_failed) == (1800, 0)


def test_a_derived_number_is_withheld_with_any_part_of_it():
    parts = (measured(*shares(1, 30), "a"), measured(*shares(2, 30), "b", counts=Counts(10, 90)))
    (found,) = told(Derived("a - b", "all", parts, lambda a, b: a - b, counts=Counts(180)))
    assert found.withheld and found.value is not None and found.low is None
    assert found.note == "withheld: 10 of 100 trials scored in b"


def test_a_difference_of_two_numbers_knows_which_way_is_worse():
    parts = (
        measured([8.0] * 10, [9.0] * 10, "R", counts=Counts(90, 10)),
        measured([1.0] * 10, [9.0] * 10, "H", counts=Counts(90, 10), limits=(1.0, 0.0)),
    )
    config = StatisticsConfig(draws=100, floor=0.5)
    (found,) = told(Derived("R - H", "all", parts, lambda r, h: r - h), config=config)
    assert (found.worst, found.best) == pytest.approx((0.8 - 0.2, 0.9 - 0.1))


def test_a_part_that_several_numbers_share_is_drawn_once_for_all():
    part = measured(*shares(1, 50), "c")
    one, same = told(part, Derived("d", "all", (part,), lambda c: c * 1.0))
    assert (one.low, one.high) == (same.low, same.high)


def test_bca_where_a_paper_asks_for_it_and_percentiles_elsewhere():
    skewed = np.random.default_rng(0).exponential(size=60)
    told_as = {"limits": (0.0, math.inf)}
    plain, asked = told(
        measured(skewed, np.ones(60), **told_as), measured(skewed, np.ones(60), "b", interval="bca", **told_as)
    )
    (configured,) = told(measured(skewed, np.ones(60), **told_as), config=QUICK.model_copy(update={"interval": "bca"}))
    assert (asked.low, asked.high) == (configured.low, configured.high)
    assert asked.low > plain.low and asked.high > plain.high  # the correction of a tail to the right


def test_two_numbers_of_one_name_are_refused():
    with pytest.raises(ValueError, match="two measures are called 'overall' of 'all'"):
        told(measured(*shares(1, 5)), measured(*shares(2, 5)))


@pytest.mark.parametrize(
    ("above", "below", "says"),
    [([1.0], [1.0, 1.0], "sums of different questions"), ([math.nan], [1.0], "no numbers")],
)
def test_sums_that_cannot_be_are_refused(above, below, says):
    with pytest.raises(ValueError, match=says):
        told(measured(above, below, counts=Counts(1)))


def test_measures_over_other_questions_are_drawn_by_themselves():
    few, many = told(measured(*shares(1, 20)), measured(*shares(2, 50), "other"))
    assert (few.clusters, many.clusters) == (20, 50)
    (alone,) = told(measured(*shares(2, 50), "other"))
    assert many == alone


def test_drawing_in_parts_changes_nothing(monkeypatch):
    measures = [measured(*shares(seed, 40), slice_=f"part={seed}") for seed in range(9)]
    whole = told(*measures)
    monkeypatch.setattr(statistics, "measures_at_once", lambda questions: 2)
    assert told(*measures) == whole


@given(st.integers(0, 2**32), st.randoms(use_true_random=False))
@settings(max_examples=25, deadline=None)
def test_the_order_of_measures_changes_no_digit(seed, random):
    measures = [measured(*shares(seed + at, 30), slice_=f"part={at}") for at in range(6)]
    measures.append(Derived("geometric", "all", tuple(measures[:3]), lambda a, b, c: np.cbrt(a * b * c)))
    found = {one.figure_id: one for one in told(*measures)}
    random.shuffle(measures)
    assert {one.figure_id: one for one in told(*measures)} == found


@given(st.integers(0, 2**32))
@settings(max_examples=25, deadline=None)
def test_the_order_of_questions_changes_no_value_and_clusters_with_labels_no_digit(seed):
    above, below = shares(seed, 40)
    values = np.random.default_rng(seed).random(40)
    order = np.random.default_rng(seed + 1).permutation(40)
    labels = [f"q{at:02}" for at in range(40)]
    first = told(measured(above, below), measured(values, np.ones(40), "b"), clusters=labels)
    shuffled = [labels[at] for at in order]
    second = told(measured(above[order], below[order]), measured(values[order], np.ones(40), "b"), clusters=shuffled)
    assert first == second


def test_the_number_of_threads_changes_no_digit():
    measures = [measured(np.random.default_rng(at).random(400), np.ones(400), slice_=f"part={at}") for at in range(40)]
    with threadpool_limits(1):
        alone = told(*measures)
    with threadpool_limits(2):
        assert told(*measures) == alone


def test_many_questions_are_drawn_in_smaller_parts():
    assert (measures_at_once(6_000), measures_at_once(100_000), measures_at_once(10**9), measures_at_once(0)) == (
        512,
        41,
        16,
        512,
    )


def test_intervals_hold_the_truth_as_often_as_they_say():
    """300 worlds of 60 questions with 6 trials each, alike within a question: 95 % within 4 standard errors of 300."""
    worlds = [measured(*shares(seed, 60), slice_=f"world={seed}") for seed in range(300)]
    clustered = told(*worlds)
    inside = sum(one.low <= 0.7 <= one.high for one in clustered)
    assert 0.95 * 300 - 4 * math.sqrt(300 * 0.95 * 0.05) <= inside <= 300
    alone = [np.array(world.numerator) for world in worlds]
    naive = [
        1.96 * math.sqrt(a.sum() / 360 * (1 - a.sum() / 360) / 360) for a in alone
    ]  # 30 cells taken for independent
    hit = sum(abs(a.sum() / 360 - 0.7) <= half for a, half in zip(alone, naive, strict=True))
    assert hit < 0.9 * 300


@pytest.mark.parametrize("interval", ["percentile", "bca"])
def test_a_slice_s_interval_holds_the_truth_too(interval):
    found = []
    for seed in range(200):
        above, below = shares(seed, 120)
        below[::3], above[::3] = 0.0, 0.0
        found.append(measured(above, below, slice_=f"world={seed}"))
    inside = sum(
        one.low <= 0.7 <= one.high for one in told(*found, config=QUICK.model_copy(update={"interval": interval}))
    )
    assert inside >= 0.95 * 200 - 4 * math.sqrt(200 * 0.95 * 0.05)
