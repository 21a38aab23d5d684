"""The arithmetic of limits: never more in any window of a minute, and not much less than is allowed."""

from hypothesis import given, settings
from hypothesis import strategies as some

from rarefy.tasks.models.llm.rate_limits import give_back, take

NOW = 1_700_000_000.0


def sent(limits: tuple[int, int], takings: list[tuple[float, int, int]]) -> list[tuple[float, int, int]]:
    """When what is taken at these times is sent."""
    marks, now, out = (0.0, 0.0), NOW, []
    for pause, requests, tokens in takings:
        now += pause
        marks, wait = take(marks, (requests, tokens), limits, now)
        assert wait >= 0
        out.append((now + wait, requests, tokens))
    return sorted(out)


@settings(max_examples=200, deadline=None)
@given(some.data())
def test_no_window_of_a_minute_holds_more_than_the_limit(data):
    limits = (data.draw(some.integers(1, 200)), data.draw(some.integers(1, 10**6)))
    taking = some.tuples(some.floats(-2, 40), some.integers(1, min(3, limits[0])), some.integers(0, limits[1]))
    all_sent = sent(limits, data.draw(some.lists(taking, max_size=80)))
    for at, _, _ in all_sent:
        inside = [(requests, tokens) for when, requests, tokens in all_sent if at <= when <= at + 60]
        assert sum(requests for requests, _ in inside) <= limits[0]
        assert sum(tokens for _, tokens in inside) <= limits[1]


def test_four_fifths_of_a_limit_can_be_used():
    for limit, size in ((600, 1), (60, 1), (1, 1), (3, 1), (100_000, 2_000), (1_000_000, 3_000)):
        all_sent = sent((0, limit), [(0.0, 0, size)] * (20 * limit // size))
        minutes = (all_sent[-1][0] - all_sent[0][0]) / 60
        assert sum(tokens for _, _, tokens in all_sent) / minutes > 0.8 * limit, (limit, size)


def test_where_nothing_is_limited_nothing_waits():
    assert sent((0, 0), [(0.0, 1, 10**9)] * 100)[-1][0] == NOW


def test_after_a_pause_a_tenth_goes_at_once_and_no_more():
    all_sent = sent((100, 0), [(0.0, 1, 0)] * 30)
    assert sum(at == NOW for at, _, _ in all_sent) == 10


def test_the_tighter_of_two_limits_counts():
    requests_only = sent((60, 0), [(0.0, 1, 500)] * 60)[-1][0]
    assert sent((60, 6_000), [(0.0, 1, 500)] * 60)[-1][0] > requests_only
    assert sent((60, 600_000), [(0.0, 1, 500)] * 60)[-1][0] == requests_only


def test_what_is_given_back_is_taken_off():
    marks, _ = take((0.0, 0.0), (1, 1_000), (0, 10_000), NOW)
    assert give_back(marks[1], 1_000, 10_000) == NOW
    assert give_back(marks[1], -1_000, 10_000) > marks[1]
    assert give_back(marks[1], 1_000, 0) == marks[1]
