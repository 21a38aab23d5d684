import math
from unittest.mock import patch

import pytest
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.stats.multitest import multipletests

from rarefy.tasks.evaluate.statistics.significance import benjamini_hochberg, holm

P = st.lists(st.floats(0, 1), min_size=1, max_size=40)


@given(P)
def test_they_are_statsmodels_own(p):
    with patch("gc.collect"):  # multipletests calls it each time, which takes long where much is loaded
        theirs = [list(multipletests(p, method=method)[1]) for method in ("holm", "fdr_bh")]
    assert [holm(p), benjamini_hochberg(p)] == [pytest.approx(each) for each in theirs]


def test_a_test_that_could_not_be_made_is_none_of_the_family():
    assert holm([0.01, math.nan, 0.04]) == pytest.approx([0.02, math.nan, 0.04], nan_ok=True)
    assert benjamini_hochberg([math.nan]) == pytest.approx([math.nan], nan_ok=True)
    assert holm([]) == []


@given(P, st.randoms(use_true_random=False))
def test_the_order_of_tests_changes_no_digit(p, random):
    order = list(range(len(p)))
    random.shuffle(order)
    for adjusted in (holm, benjamini_hochberg):
        found = adjusted(p)
        assert adjusted([p[at] for at in order]) == [found[at] for at in order]
