"""Counts always sum, and over many questions every class has its share."""

from collections import Counter
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rarefy.tasks.perturb.mix.build import apportion, count_by_class, count_noise, draw_classes, parse_mix
from rarefy.tasks.perturb.mix.config import NATURAL, NOISE


@pytest.mark.parametrize(
    ("k", "ratio", "noise"),
    [(10, 0.0, 0), (10, 0.1, 1), (10, 0.3, 3), (10, 0.9, 9), (10, 1.0, 10), (8, 0.9, 7), (7, 1.0, 7), (5, 0.5, 3)],
)
def test_a_ratio_is_so_many_passages(k, ratio, noise):
    assert count_noise(k, ratio) == noise


@settings(deadline=None)
@given(st.integers(1, 60), st.integers(0, 100))
def test_a_ratio_between_none_and_all_has_some_of_both(k, percent):
    noise = count_noise(k, percent / 100)
    assert 0 <= noise <= k
    if k > 1 and 0 < percent < 100:
        assert 1 <= noise <= k - 1


@settings(deadline=None)
@given(st.integers(0, 50), st.lists(st.integers(0, 20), min_size=4, max_size=4).filter(any), st.text(max_size=5))
def test_places_always_sum_and_stay_within_one_of_their_share(count, vector, seed):
    shares = parse_mix(":".join(map(str, vector)))
    found = apportion(count, shares, seed)
    assert sum(found.values()) == count
    assert all(abs(found[name] - share * count) < 1 for name, share in shares.items())
    assert sum(shares.values()) == 1


@settings(deadline=None)
@given(st.text(max_size=8), st.integers(0, 40), st.integers(0, 40))
def test_what_is_drawn_for_fewer_is_the_beginning_of_what_is_drawn_for_more(seed, one, other):
    few, many = sorted((one, other))
    assert draw_classes(many, seed)[:few] == draw_classes(few, seed)


def test_over_many_questions_a_single_passage_of_noise_is_of_each_class_by_nature():
    found = Counter(draw_classes(1, "question", at)[0] for at in range(3_100))
    for name, size in NATURAL.items():
        assert abs(found[name] - 100 * size) < 120  # four standard deviations


def test_all_of_nature_is_ten_and_three_times_seven():
    assert count_by_class(31, "natural", "q") == NATURAL


def test_equal_remainders_favour_no_class():
    found = Counter(name for at in range(400) for name, n in count_by_class(1, "1:1:1:1", "q", at).items() if n)
    assert all(60 < found[name] < 140 for name in NOISE)


def test_one_class_is_all_of_the_noise():
    assert parse_mix("irrelevant") == {"irrelevant": Fraction(1)}


@pytest.mark.parametrize("mix", ["", "golden", "1:2", "0:0:0:0", "1:2:3:-1", "a:b:c:d", "1:1:1:1/0", "nan:1:1:1"])
def test_a_mix_that_says_nothing_is_refused_with_what_there_is(mix):
    with pytest.raises(ValueError, match="have natural, distracting"):
        parse_mix(mix)
