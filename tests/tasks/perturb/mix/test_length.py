"""A bin is met exactly wherever the passages allow it, and nowhere else."""

from itertools import combinations, product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rarefy.tasks.perturb.mix.build import BINS, choose_by_length, find_bin, parse_bin

GROUP = st.lists(st.integers(0, 40), min_size=1, max_size=5).flatmap(
    lambda lengths: st.tuples(st.just(lengths), st.integers(0, len(lengths)))
)


@settings(deadline=None)
@given(st.lists(GROUP, max_size=4), st.integers(0, 120), st.integers(0, 60))
def test_passages_are_found_just_where_some_exist(groups, low, width):
    ways = product(*(combinations(range(len(lengths)), count) for lengths, count in groups))
    sums = {sum(lengths[at] for (lengths, _), way in zip(groups, every, strict=True) for at in way) for every in ways}
    picks = choose_by_length(groups, low, low + width)
    assert (picks is not None) == any(low <= total <= low + width for total in sums)
    if picks is not None:
        assert [len(set(places)) for places in picks] == [count for _, count in groups]
        total = sum(lengths[at] for (lengths, _), places in zip(groups, picks, strict=True) for at in places)
        assert low <= total <= low + width


def test_what_fits_as_it_comes_is_left_as_it_comes():
    assert choose_by_length([([30, 40, 50], 2), ([10, 20], 1)], 60, 90) == [[0, 1], [0]]


def test_more_is_asked_for_than_there_is():
    assert choose_by_length([([30], 2)], 0, 100) is None


@pytest.mark.parametrize(
    ("tokens", "name"), [(0, "0-299"), (299, "0-299"), (300, "300-599"), (1500, "1500+"), (10**7, "1500+")]
)
def test_every_length_falls_into_one_bin(tokens, name):
    assert find_bin(tokens) == name
    assert sum(parse_bin(one)[0] <= tokens <= parse_bin(one)[1] for one in BINS) == 1


@pytest.mark.parametrize("name", ["", "long", "300", "599-300", "-5", "1e3+"])
def test_a_length_that_is_none_is_refused(name):
    with pytest.raises(ValueError, match="no length"):
        parse_bin(name)
