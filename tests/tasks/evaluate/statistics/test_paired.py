import math
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from statistical import shares
from statsmodels.stats.contingency_tables import mcnemar as theirs

from rarefy.tasks.evaluate.statistics.significance import Sides, mcnemar, permutation_tests


def sides(first, second):
    (a, b), (c, d) = first, second
    return Sides(*(np.asarray(one, dtype=float)[:, None] for one in (a, b, c, d)))


@pytest.mark.parametrize(("lost", "won"), [(12, 30), (3, 3), (0, 7), (1, 0), (40, 25)])
def test_mcnemar_is_statsmodels_own(lost, won):
    table = [[100, lost], [won, 50]]
    assert mcnemar(lost, won).p == pytest.approx(theirs(table, exact=True).pvalue)
    for method, correction in (("chi2", False), ("chi2_corrected", True)):
        if correction and lost == won:
            continue  # statsmodels takes 0 - 1 for a distance of 1 there
        expected = theirs(table, exact=False, correction=correction)
        found = mcnemar(lost, won, method=method)
        assert (found.statistic, found.p) == pytest.approx((expected.statistic, expected.pvalue))


def test_mcnemar_of_nothing_that_differs():
    assert mcnemar(3, 3, method="chi2_corrected").p == 1.0
    assert mcnemar(0, 0).p == 1.0


def test_all_swaps_are_gone_through_where_they_are_few():
    """The same as a loop over every way to swap the sides of 8 questions, with other denominators on each side."""
    random = np.random.default_rng(3)
    below = random.integers(1, 6, (2, 8)).astype(float)
    above = np.floor(below * random.random((2, 8)))
    (found,) = permutation_tests(sides((above[0], below[0]), (above[1], below[1])), [((0,), None)], draws=1000, seed=0)
    observed = above[1].sum() / below[1].sum() - above[0].sum() / below[0].sum()
    extreme = 0
    for swap in product((False, True), repeat=8):
        s = np.array(swap)
        first, second = ([np.where(s, x[1 - at], x[at]).sum() for x in (above, below)] for at in (0, 1))
        extreme += abs(second[0] / second[1] - first[0] / first[1]) >= abs(observed) - 1e-12
    assert (found.statistic, found.p) == pytest.approx((observed, extreme / 256))


def test_it_is_scipy_s_permutation_test_of_paired_samples():
    random = np.random.default_rng(1)
    a, b = random.random(9), random.random(9) + 0.2
    expected = stats.permutation_test((b, a), lambda x, y, axis: np.mean(x - y, axis=axis), permutation_type="samples")
    (found,) = permutation_tests(sides((a, np.ones(9)), (b, np.ones(9))), [((0,), None)], draws=10_000, seed=0)
    assert found.p == pytest.approx(expected.pvalue)


def test_drawn_swaps_come_near_to_all_of_them():
    random = np.random.default_rng(2)
    a, b = random.random(12), random.random(12) + 0.15
    both = [
        permutation_tests(sides((a, np.ones(12)), (b, np.ones(12))), [((0,), None)], draws=draws, seed=5)[0].p
        for draws in (2**12, 2**12 - 1)
    ]
    assert both[0] != both[1]  # all of them once, drawn the other time
    assert both[1] == pytest.approx(both[0], abs=0.03)


def test_of_drawn_swaps_p_is_never_zero():
    (found,) = permutation_tests(
        sides((np.zeros(40), np.ones(40)), (np.ones(40), np.ones(40))), [((0,), None)], draws=100, seed=0
    )
    assert found.p == pytest.approx(1 / 101)


def test_nothing_differs_and_nothing_is_defined():
    (same,) = permutation_tests(sides(([1, 2], [2, 2]), ([1, 2], [2, 2])), [((0,), None)], draws=100, seed=0)
    (none,) = permutation_tests(sides(([0, 0], [0, 0]), ([1, 2], [2, 2])), [((0,), None)], draws=100, seed=0)
    assert same.p == 1.0 and math.isnan(none.p)


def test_a_derived_number_is_made_anew_of_the_swapped_parts():
    random = np.random.default_rng(8)
    above = random.random((4, 10))
    both = Sides(above[:2].T, np.ones((10, 2)), above[2:].T, np.ones((10, 2)))
    (found,) = permutation_tests(both, [((0, 1), lambda a, b: np.sqrt(a * b))], draws=2000, seed=0)
    observed = math.sqrt(above[2].mean() * above[3].mean()) - math.sqrt(above[0].mean() * above[1].mean())
    extreme = 0
    for swap in product((False, True), repeat=10):
        first, second = np.where(swap, above[2:], above[:2]), np.where(swap, above[:2], above[2:])
        gap = math.sqrt(second[0].mean() * second[1].mean()) - math.sqrt(first[0].mean() * first[1].mean())
        extreme += abs(gap) >= abs(observed) - 1e-12
    assert (found.statistic, found.p) == pytest.approx((observed, extreme / 1024))


@given(st.integers(0, 2**32))
@settings(max_examples=20, deadline=None)
def test_which_side_is_called_the_first_changes_no_p(seed):
    a, b = shares(seed, 25), shares(seed + 1, 25)
    forth, back = (permutation_tests(sides(*pair), [((0,), None)], draws=500, seed=1)[0] for pair in ((a, b), (b, a)))
    assert forth.p == back.p and forth.statistic == -back.statistic


def test_under_no_difference_p_is_small_no_oftener_than_it_says():
    """400 worlds of 30 questions whose trials are alike: at most 5 % and 4 standard errors of it under 0.05."""
    rows = [(shares(seed, 30), shares(seed + 10_000, 30)) for seed in range(400)]
    first, second = ([np.column_stack([row[side][part] for row in rows]) for part in (0, 1)] for side in (0, 1))
    found = permutation_tests(Sides(*first, *second), [((at,), None) for at in range(400)], draws=400, seed=0)
    assert sum(one.p <= 0.05 for one in found) <= 400 * 0.05 + 4 * math.sqrt(400 * 0.05 * 0.95)
