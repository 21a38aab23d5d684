import math

import numpy as np
import pytest
from statistical import KS, OVERALL, Z
from statsmodels.stats.proportion import proportions_ztest

from rarefy.tasks.evaluate.statistics.significance import ks, z_as_published

N = 2_658  # documents in each of SURE's two sets


def apart(statistic: float) -> tuple[np.ndarray, np.ndarray]:
    """Two samples of 2,658 whose distributions are this far apart, as near as so many can be."""
    first = np.arange(N, dtype=float)
    return first, first + round(statistic * N) - 0.5


@pytest.mark.parametrize(
    ("statistic", "p"), [pair for rows in KS.values() for row in rows for pair in (row[:2], row[2:])]
)
def test_printed_p_values_of_sure_are_the_exact_ones(statistic, p):
    found = ks(*apart(statistic))
    assert found.statistic == pytest.approx(statistic, abs=0.00005)
    shown = f"{found.p:.2e}" if "e" in p else f"{found.p:.4f}"
    assert shown == p


def test_smirnov_s_formula_does_not_give_the_smallest_of_them():
    assert f"{ks(*apart(0.1708), method='asymp').p:.2e}" != "2.91e-34"


def test_values_that_are_not_there_count_nothing():
    assert ks([1, 2, math.nan], [3, 4]) == ks([1, 2], [3, 4])
    assert math.isnan(ks([math.nan], [1.0]).p)


def test_the_z_is_statsmodels_own():
    found = z_as_published(0.6, 500, 0.65, 400)
    z, p = proportions_ztest([260, 300], [400, 500])
    assert (found.statistic, found.p) == pytest.approx((z, p))


def test_there_is_no_z_without_variation_or_trials():
    assert math.isnan(z_as_published(1.0, 10, 1.0, 10).p)
    assert math.isnan(z_as_published(0.5, 0, 0.5, 10).p)


def test_rare_s_z_are_those_of_180_000_trials_a_system_within_the_rounding_of_its_table():
    """6,000 questions of 30 cells, each taken for independent; two of the 21 pairs differ by more than rounding."""
    n, half = 180_000, 0.0005
    agree = 0
    for one, other, printed in Z:
        a, b = OVERALL[one], OVERALL[other]
        ends = [z_as_published(b + s * half, n, a - s * half, n).statistic for s in (1, -1)]
        agree += min(ends) - 0.001 <= printed <= max(ends) + 0.001
    assert agree >= 19
