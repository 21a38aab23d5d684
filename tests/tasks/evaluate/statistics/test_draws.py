import numpy as np
import pytest
from scipy import stats
from statistical import measured, shares

from rarefy.tasks.evaluate.statistics import bootstrap_intervals
from rarefy.tasks.evaluate.statistics.bootstrap_intervals import (
    bca_interval,
    cluster_numbers,
    draw_ratios,
    estimate_intervals,
    exact_interval,
    flips,
    jackknife_values,
    percentile_intervals,
    resample,
    resamples,
    sum_by_cluster,
)
from rarefy.tasks.evaluate.statistics.config import StatisticsConfig
from rarefy.tasks.evaluate.statistics.measure import corners


def test_draws_are_those_of_a_loop_over_chosen_questions():
    above, below = np.array([1.0, 0, 2, 5]), np.array([2.0, 0, 2, 9])
    found = draw_ratios(sum_by_cluster([measured(above, below)], cluster_numbers(None, 4)), resamples(4, 50, 7))[:, 0]
    source = np.random.default_rng(7)
    for at in range(50):
        chosen = source.integers(0, 4, 4)
        under = sum(below[one] for one in chosen)
        expected = sum(above[one] for one in chosen) / under if under else np.nan
        assert found[at] == pytest.approx(expected, nan_ok=True)


def test_the_size_of_a_block_changes_no_draw(monkeypatch):
    whole = np.concatenate(list(resamples(7, 40, 3))), np.concatenate(list(flips(7, 40, 3)))
    for cells in (1, 7, 20, 100):
        monkeypatch.setattr(bootstrap_intervals, "CELLS", cells)
        assert (np.concatenate(list(resamples(7, 40, 3))) == whole[0]).all()
        assert (np.concatenate(list(flips(7, 40, 3))) == whole[1]).all()


def test_every_resample_has_as_many_clusters_as_there_are():
    assert (np.concatenate(list(resamples(13, 30, 0))).sum(axis=1) == 13).all()


def test_equal_columns_are_held_once():
    above, below = shares(1, 20)
    of = sum_by_cluster([measured(above, below), measured(below - above, below, "other")], cluster_numbers(None, 20))
    assert of.sums.shape == (20, 3)
    assert (of.numerators == np.column_stack([above, below - above])).all()
    assert (of.denominators == np.column_stack([below, below])).all()


def test_a_document_s_questions_are_one_cluster_and_an_unknown_document_its_own():
    assert cluster_numbers(["b", "a", "", "b", ""], 5).tolist() == [1, 0, 2, 1, 3]
    with pytest.raises(ValueError, match="2 labels of clusters for 3 questions"):
        cluster_numbers(["a", "b"], 3)


def test_intervals_are_scipy_s_from_the_same_draws():
    values = np.random.default_rng(5).exponential(size=40)
    of = sum_by_cluster([measured(values, np.ones(40))], cluster_numbers(None, 40))
    found = draw_ratios(of, resamples(40, 2000, 11))
    for method, ours in (
        ("percentile", percentile_intervals(found, 0.95)[:, 0]),
        ("bca", bca_interval(found[:, 0], values.mean(), jackknife_values(of)[:, 0], 0.95)),
    ):
        theirs = stats.bootstrap(
            (values,), np.mean, n_resamples=2000, method=method, rng=np.random.default_rng(11), vectorized=True
        ).confidence_interval
        assert ours == pytest.approx(tuple(theirs), rel=1e-12), method


def test_the_jackknife_leaves_out_one_cluster_at_a_time():
    above, below = shares(2, 9)
    found = jackknife_values(sum_by_cluster([measured(above, below)], cluster_numbers(None, 9)))[:, 0]
    for at in range(9):
        rest = np.arange(9) != at
        assert found[at] == pytest.approx(above[rest].sum() / below[rest].sum())


def test_undefined_draws_count_nothing():
    found = percentile_intervals(np.array([[1.0, np.nan], [2.0, np.nan], [np.nan, np.nan]]), 0.5)
    assert found[:, 0].tolist() == [1.25, 1.75]
    assert np.isnan(found[:, 1]).all()


def test_bca_is_undefined_where_all_draws_lie_on_one_side():
    assert np.isnan(bca_interval(np.array([2.0, 3.0]), 1.0, np.array([1.0, 2.0]), 0.95)).all()
    assert np.isnan(bca_interval(np.array([1.0, 3.0]), 2.0, np.array([1.0, 1.0]), 0.95)).all()


@pytest.mark.parametrize("clusters", [1, 20, 930])
def test_where_nothing_varies_the_interval_is_clopper_and_pearson_s(clusters):
    exact = stats.binomtest(clusters, clusters).proportion_ci(0.95)
    assert exact_interval(1.0, (0.0, 1.0), clusters, 0.95) == pytest.approx(tuple(exact))
    low, high = exact_interval(0.0, (-1.0, 1.0), clusters, 0.95)
    assert (low, high) == pytest.approx((exact.low - 1, 1 - exact.low))


def test_corners_are_gone_through():
    assert sorted(corners(lambda a, b: a - b, [(1, 2), (10, 20)]).tolist()) == [-19, -18, -9, -8]


def test_measures_of_the_same_sums_are_drawn_once():
    above, below = shares(3, 30)
    measures = [measured(above, below), measured(above.copy(), below.copy(), "again"), measured(below, below, "other")]
    of = resample(measures, 30, config=StatisticsConfig(draws=100), clusters=None)
    assert of.draws.shape == (100, 2) and [of.place[id(one)] for one in measures] == [0, 0, 1]
    first, again, other = estimate_intervals(measures, 30, config=StatisticsConfig(draws=100), clusters=None)
    assert first == again != other
