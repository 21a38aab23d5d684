"""Lengths of time in words, and how often something is."""

import pytest

from rarefy.tasks.evaluate.correct.by_period import judge_frequency, parse_frequency, period_in_days, spell_spans


@pytest.mark.parametrize(
    ("text", "spelled"),
    [
        ("half an hour", "30 minutes"),
        ("a half-hour", "30 minutes"),
        ("three quarters of an hour", "45 minutes"),
        ("a year and a half", "1.5 years"),
        ("a fortnight before", "2 weeks before"),
        ("a month's notice", "1 month's notice"),
        ("twice a year", "twice a year"),
    ],
)
def test_lengths_of_time_in_words_become_numbers(text, spelled):
    assert spell_spans(text) == spelled


def test_how_often_is_read_as_times_a_year():
    assert parse_frequency("twice a year").rates == (2.0,)
    assert parse_frequency("every 6 months").rates == pytest.approx((2.0,), rel=0.001)
    assert parse_frequency("bi-weekly").rates == (26, 104)
    assert parse_frequency("on Mondays").day == "monday"
    assert period_in_days("once a week") == "7 days"
    for other in ("a year", "Monday", "on Monday", "30 gallons per day", "never"):
        assert parse_frequency(other) is None, other


@pytest.mark.parametrize(
    ("text", "verdict"),
    [("every 30 days", "right"), ("not monthly", "open"), ("weekly", "wrong"), ("soon", "open")],
)
def test_how_often_an_answer_says_is_compared(text, verdict):
    assert judge_frequency(text, ("monthly",), frozenset()).verdict == verdict
