"""Phrases that mean one measure are looked for only where one of their words stands."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rarefy.tasks.questions.gates.measure_words import _PHRASES


@pytest.mark.parametrize(("needed", "pattern"), [(needed, pattern.pattern) for needed, pattern, _ in _PHRASES])
@settings(max_examples=50)
@given(st.data())
def test_whatever_fits_a_phrase_has_one_of_the_words_that_are_looked_for_first(needed, pattern, data):
    phrase = pattern.removeprefix(r"\b").removesuffix(r"(?!\w)")
    text = data.draw(st.from_regex(phrase, alphabet=st.characters(codec="ascii")))
    assert any(word in text for word in needed)
