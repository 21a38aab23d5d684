"""Places with their states short and in full."""

import pytest

from rarefy.tasks.text.states import swap_state_form


@pytest.mark.parametrize(
    ("place", "other"),
    [
        ("FL", "Florida"),
        ("Florida", "FL"),
        ("Austin, TX", "Austin, Texas"),
        ("Dublin, Ireland", ""),
        ("Texas City", ""),
    ],
)
def test_a_state_has_two_forms(place, other):
    assert swap_state_form(place) == other
