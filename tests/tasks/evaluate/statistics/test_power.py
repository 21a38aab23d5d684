import numpy as np
import pytest
from scipy import stats
from statsmodels.stats.power import NormalIndPower

from rarefy.tasks.evaluate.statistics.significance import clusters_needed, smallest_difference


def test_the_smallest_difference_is_statsmodels_own():
    effect = NormalIndPower(ddof=0).solve_power(
        None, nobs1=100, alpha=0.05, power=0.8, ratio=0
    )  # in standard deviations
    assert smallest_difference(0.3 / 10) == pytest.approx(effect * 0.3, rel=1e-4)


@pytest.mark.parametrize("power", [0.8, 0.9])
def test_a_true_difference_of_that_size_is_found_as_often_as_said(power):
    n, spread = 60, 0.4
    size = smallest_difference(spread / np.sqrt(n), power=power)
    worlds = np.random.default_rng(0).normal(size, spread, (4000, n))
    found = 2 * stats.norm.sf(np.abs(worlds.mean(axis=1)) / (spread / np.sqrt(n))) <= 0.05
    assert found.mean() == pytest.approx(power, abs=0.025)


def test_four_times_the_questions_show_half_the_difference():
    assert clusters_needed(100, 0.04, 0.02) == 400
    assert clusters_needed(100, 0.01, 0.02) == 25
    assert clusters_needed(100, 0.0, 0.02) == 100
