"""The worked numbers of arXiv 2408.01963 (papers' acceptance list 002-B and 002-C)."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rarefy.tasks.evaluate.protocols.effect_size import (
    BANDS,
    ah_tilde,
    cohens_d,
    cohens_h,
    describe_effect,
    h_tilde,
    hedges_correction,
    hedges_g,
    pdr,
    psi,
)

SHARE = st.floats(0, 1)


def test_pdr_of_the_paper_s_pair():
    assert pdr(0.1, 0.8) == pytest.approx(-7)
    assert pdr(0.8, 0.1) == pytest.approx(0.875)


def test_pdr_is_zero_where_both_are_and_undefined_where_only_the_original_is():
    assert pdr([0, 0, 0.5], [0, 0.2, 0.5]).tolist() == pytest.approx([0, math.nan, 0], nan_ok=True)


def test_h_of_the_paper_s_pairs():
    assert h_tilde(0.1, 0.8) == pytest.approx(0.5, abs=0.0005)
    assert h_tilde(0.8, 0.1) == pytest.approx(-0.5, abs=0.0005)
    assert cohens_h(0.1, 0.8) == pytest.approx(1.57, abs=0.005)
    assert h_tilde(0.8, 1.0) == pytest.approx(0.295, abs=0.0005)
    assert h_tilde(0.6, 0.8) == pytest.approx(0.141, abs=0.0005)
    assert h_tilde(0.8, 0.36) == pytest.approx(float(h_tilde(1.0, 0.8)), abs=0.001)


def test_h_tilde_and_pdr_go_together_where_the_original_is_right():
    after = np.linspace(0, 1, 1001)
    assert np.corrcoef(h_tilde(1.0, after), -pdr(1.0, after))[0, 1] == pytest.approx(0.995, abs=0.0005)


@given(SHARE, SHARE)
def test_h_turns_its_sign_with_the_change_and_stays_within_its_range(before, after):
    assert h_tilde(before, after) == pytest.approx(-h_tilde(after, before))
    assert -1 <= h_tilde(before, after) <= 1
    assert ah_tilde(before, after) == abs(h_tilde(before, after))


@pytest.mark.parametrize("score", [-0.01, 1.01, [0.5, 2]])
def test_what_is_no_share_is_refused(score):
    with pytest.raises(ValueError, match="not between 0 and 1"):
        psi(score)


# Table 5: the least |h| and |H̃| of each band as printed
TABLE_5 = [
    ("essentially zero", 0, 0),
    ("very small", 0.01, 0.0032),
    ("small", 0.2, 0.0637),
    ("medium", 0.5, 0.1592),
    ("large", 0.8, 0.2546),
    ("very large", 1.2, 0.3820),
    ("huge", 2.0, 0.6366),
]


@pytest.mark.parametrize(("word", "least_h", "least_h_tilde"), TABLE_5)
def test_bands_begin_where_table_5_has_them(word, least_h, least_h_tilde):
    assert least_h / math.pi == pytest.approx(least_h_tilde, abs=0.00006)
    for way in (1, -1):
        assert describe_effect(way * (least_h + 1e-9) / math.pi) == word
    if least_h:
        before = [name for name, *_ in TABLE_5][[name for name, *_ in TABLE_5].index(word) - 1]
        assert describe_effect((least_h - 1e-9) / math.pi) == before


def test_every_effect_has_one_of_seven_words():
    assert len(BANDS) == 7
    assert (
        describe_effect(1.0) == "huge"
        and describe_effect(0.0) == "essentially zero"
        and describe_effect(math.nan) == "undefined"
    )


def test_cohen_s_d_is_in_pooled_standard_deviations():
    before, after = [2.0, 4, 7, 3, 7, 35, 8, 9], [i * 2 for i in (11, 34, 22, 27, 11, 10)]
    pooled = math.sqrt((7 * np.var(before, ddof=1) + 5 * np.var(after, ddof=1)) / 12)
    assert cohens_d(before, after) == pytest.approx((np.mean(after) - np.mean(before)) / pooled)
    assert cohens_d(after, before) == pytest.approx(-cohens_d(before, after))


def test_hedges_g_is_d_times_the_factor_of_small_samples():
    before, after = [0.2, 0.3, 0.5], [0.5, 0.6, 0.9, 0.1]
    freedom = 5
    exact = math.gamma(freedom / 2) / (math.sqrt(freedom / 2) * math.gamma((freedom - 1) / 2))
    assert hedges_g(before, after) == pytest.approx(cohens_d(before, after) * exact)
    assert exact == pytest.approx(1 - 3 / (4 * freedom - 1), abs=0.002)  # the usual approximation


def test_one_original_beside_several_variants_has_both():
    variants = [0.5, 0.6, 0.9, 0.1]
    d = (np.mean(variants) - 0.4) / np.std(variants, ddof=1)
    assert cohens_d([0.4], variants) == pytest.approx(d)
    assert hedges_g([0.4], variants) == pytest.approx(d * hedges_correction(3)) and hedges_correction(3) < 1
    assert math.isnan(hedges_g([0.4], [0.5, 0.6])) and not math.isnan(cohens_d([0.4], [0.5, 0.6]))


@pytest.mark.parametrize(
    ("before", "after"), [([1.0, 1], [1.0, 1]), ([0.1] * 3, [0.3] * 3), ([1.0], [2.0]), ([], [1, 2, 3])]
)
def test_d_and_g_are_undefined_without_variance_or_with_too_few(before, after):
    assert math.isnan(cohens_d(before, after))
    assert math.isnan(hedges_g(before, after))
