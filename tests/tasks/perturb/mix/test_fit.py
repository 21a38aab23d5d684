"""What was observed is counted by question, and becomes a scenario that can be mixed."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mixed import question

from rarefy.data_contracts.rows import Classified
from rarefy.tasks.perturb.mix import CLASSES, measure_mix, read_scenarios, render_observed, render_scenario_file

QUESTIONS = {"a": question("a"), "b": question("b", hops=2)}
LABELS = st.lists(st.sampled_from([*CLASSES, "unclear"]), max_size=12)


def classified(**labels: list[str]) -> list[Classified]:
    return [
        Classified(name, rank, "", label, "so") for name, row in labels.items() for rank, label in enumerate(row, 1)
    ]


def test_shares_are_of_the_first_passages_and_unclear_ones_stand_apart():
    rows = classified(a=["golden", "unclear", "irrelevant"], b=["golden", "distracting"])
    one, two, three = [row for row in measure_mix(rows, QUESTIONS, (1, 2, 3)) if row.group == "all"]
    assert (one.shares["golden"].value, one.unclear) == (1.0, 0)
    assert (round(two.shares["golden"].value, 3), two.passages, two.unclear) == (0.667, 4, 1)
    assert (three.short, three.shares["irrelevant"].value) == (1, 0.25)


def test_patterns_stand_apart_where_there_are_several():
    rows = classified(a=["golden"], b=["irrelevant"])
    groups = {row.group: row for row in measure_mix(rows, QUESTIONS, (1,))}
    assert list(groups) == ["all", "pattern chain", "pattern single"]
    assert groups["pattern chain"].shares["irrelevant"].value == 1.0


@settings(max_examples=20, deadline=None)  # a thousand resamples each
@given(st.lists(LABELS, min_size=1, max_size=8))
def test_shares_sum_and_lie_in_their_intervals_in_whatever_order(lists):
    rows = classified(**{f"q{at}": row for at, row in enumerate(lists)})
    found = measure_mix(rows, {})
    assert found == measure_mix(rows[::-1], {})
    for row in found:
        if row.shares:
            assert abs(sum(share.value for share in row.shares.values()) - 1) < 0.001
            assert all(0 <= share.low <= share.high <= 1 for share in row.shares.values())
        assert row.unclear <= row.passages <= row.k * row.questions
    assert render_observed(found) if found else True


def test_a_fitted_scenario_can_be_mixed(tmp_path):
    rows = classified(a=["golden", "unclear", "irrelevant"], b=["golden", "distracting", "irrelevant"])
    (one,) = [row for row in measure_mix(rows, {}, (3,)) if row.group == "all"]
    file = tmp_path / "s.toml"
    file.write_text(render_scenario_file('my "own"', one))
    found = read_scenarios(file)['my "own"']
    assert (found.ratio, found.mix) == (0.6, "1:0:0:2")


def test_nothing_told_apart_is_nothing_to_fit():
    (one,) = measure_mix(classified(a=["unclear"]), {}, (1,))
    with pytest.raises(ValueError, match="nothing to fit"):
        render_scenario_file("s", one)
