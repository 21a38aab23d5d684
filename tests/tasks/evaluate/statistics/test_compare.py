import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from statistical import measured, shares

from rarefy.tasks.evaluate.statistics import StatisticsConfig
from rarefy.tasks.evaluate.statistics import compare as module
from rarefy.tasks.evaluate.statistics.compare import Difference, add_verdicts, differences, verdict
from rarefy.tasks.evaluate.statistics.measure import Counts, Derived
from rarefy.tasks.evaluate.statistics.significance import z_as_published

QUICK = StatisticsConfig(draws=1000, permutations=1000)


def against(first, second, config=QUICK, clusters=None):
    one = isinstance(first, list)
    rows = differences(
        first if one else [first], second if one else [second], protocol="rare", config=config, clusters=clusters
    )
    found = add_verdicts(rows, config)
    return found if one else found[0]


def better_by(share: float, questions: int, seed: int = 0):
    """Two systems on the same questions of six cells: the second is right in `share` more of those that were wrong."""
    above, below = shares(seed, questions)
    more = np.random.default_rng(seed + 1).binomial((below - above).astype(int), share)
    return measured(above, below, headline=True), measured(above + more, below, headline=True)


def test_a_system_that_is_better_is_better():
    first, second = better_by(0.3, 200)
    found = against(first, second)
    assert found.verdict == "better"
    assert found.difference == pytest.approx(found.second - found.first)
    assert 0 < found.low < found.difference < found.high
    assert found.p == pytest.approx(1 / 1001)
    assert (found.lost, found.clusters, found.n_first) == (0, 200, 1200)
    assert found.won > 20 and found.mcnemar < 0.001
    back = against(second, first)
    assert back.verdict == "worse"
    assert (back.low, back.high) == pytest.approx((-found.high, -found.low))
    assert (back.won, back.lost) == (found.lost, found.won)


def test_where_less_is_better_the_verdict_turns():
    def fewer(above):
        return measured(above, np.full(200, 6.0), "LR", limits=(1.0, 0.0))

    many, few = (shares(seed, 200, mean=mean)[0] for seed, mean in ((1, 0.4), (1, 0.2)))
    found = against(fewer(many), fewer(few))
    assert found.difference < 0 and not found.more_is_better and found.verdict == "better"
    assert found.won > found.lost


def test_what_is_neither_better_nor_worse_has_changed():
    first, second = (measured(*shares(1, 200, mean=mean), "refusal rate", neutral=True) for mean in (0.2, 0.6))
    found = against(first, second)
    assert (found.verdict, found.more_is_better) == ("changed", None)
    sides = [Derived("d", "all", (part,), lambda a: a * 1.0, neutral=True) for part in (first, second)]
    assert against(*sides).verdict == "changed"


def test_a_system_against_itself_is_tied_where_the_questions_are_many_and_too_few_else():
    many, few = (measured(*shares(3, n), headline=True) for n in (930, 60))
    tied, open_ = against(many, many), against(few, few)
    assert (tied.verdict, tied.difference, tied.p) == ("tied", 0.0, 1.0)
    assert tied.high == pytest.approx(1 - 0.025 ** (1 / 930)) and tied.low == -tied.high
    assert open_.verdict == "too few"
    assert open_.smallest == pytest.approx(1 - 0.025 ** (1 / 60))
    assert open_.needed > 60
    assert open_.note == "none of 60 questions changed: interval by an exact bound"


def test_the_smallest_difference_shrinks_with_the_questions():
    small, large = (against(*better_by(0.3, n)) for n in (50, 5000))
    assert 8 < small.smallest / large.smallest < 12  # the square root of a hundred


def test_a_difference_within_the_margin_is_tied_however_sure_it_is():
    first, second = better_by(0.02, 5000)
    found = against(first, second)
    assert found.low > 0 and found.p < 0.01 and found.high < 0.01
    assert found.verdict == "tied"
    assert against(first, second, QUICK.model_copy(update={"margin": 0.001})).verdict == "better"


def test_the_pairing_is_used():
    """Hard and easy questions cancel out: the paired interval is far narrower than that of two samples."""
    first, second = better_by(0.1, 300)
    found = against(first, second)
    unpaired = z_as_published(found.first, 1800, found.second, 1800)
    assert found.z == pytest.approx(unpaired.statistic)
    assert found.error < 0.5 * abs(found.difference / unpaired.statistic)


def test_trials_of_a_question_are_no_independent_trials():
    """30 cells a question that all go one way: the published Z is sure of what the clustered test is not."""
    random = np.random.default_rng(4)
    first = measured(30.0 * random.integers(0, 2, 40), np.full(40, 30.0))
    second = measured(30.0 * random.integers(0, 2, 40), np.full(40, 30.0))
    found = against(first, second)
    assert found.p > 0.05 and found.verdict == "too few"
    assert abs(found.z) > 1 and found.z_p < found.p


def test_derived_numbers_are_compared_whole():
    sides = [
        Derived(
            "overall",
            "all",
            tuple(measured(*shares(s, 200, mean=mean), name) for s, name in ((1, "NDR"), (2, "RSR"))),
            geometric,
        )
        for mean in (0.5, 0.8)
    ]
    found = against(*sides)
    assert found.verdict == "better" and found.mcnemar is None and found.z is None
    assert found.difference == pytest.approx(found.second - found.first)


def geometric(a, b):
    return np.sqrt(a * b)


def test_too_few_clusters_bear_no_verdict():
    config = QUICK.model_copy(update={"cluster": "document"})
    first, second = better_by(0.9, 200)
    found = against(first, second, config, clusters=["a", "b", "c", "d"] * 50)
    assert (found.clusters, found.verdict, found.note) == (4, "too few", "of 4 documents alone")
    assert found.p == pytest.approx(2 / 16)  # all swaps of four documents


def test_under_the_floor_nothing_is_said():
    first, second = better_by(0.5, 100)
    lost = measured(second.numerator, second.denominator, counts=Counts(500, 100))
    found = against(first, lost)
    assert (found.difference, found.verdict, found.second, found.p) == (None, "too few", None, None)
    assert found.note.startswith("withheld: 500 of 600 trials scored on both sides")


def test_under_the_floor_it_is_said_where_the_rest_could_change_nothing():
    config = QUICK.model_copy(update={"floor": 0.95})
    low, high = (measured(np.full(100, share), np.ones(100), counts=Counts(90, 10)) for share in (0.1, 0.9))
    # 0.1 of 90 % is 0.09 to 0.19 of all, 0.9 of them 0.81 to 0.91
    assert against(low, high, config).note.endswith("; whatever the rest are, they differ by +0.620 to +0.820")
    assert "differ by" not in against(low, low, config).note


def test_what_is_undefined_on_a_side_is_said():
    first = measured([0.0] * 20, [0.0] * 20, counts=Counts(20))
    found = against(first, measured(*shares(1, 20)))
    assert (found.difference, found.p, found.verdict) == (None, None, "too few")
    assert found.note == "undefined on the first side"


def test_numbers_are_matched_by_name_and_one_that_one_side_has_is_left_out():
    sides = [[measured(*shares(s, 30), "a"), measured(*shares(s, 30), name)] for s, name in ((1, "b"), (2, "c"))]
    assert [row.metric for row in against(*sides)] == ["a"]
    assert against([measured(*shares(1, 5), "a")], [measured(*shares(1, 5), "b")]) == []


def test_sides_over_other_questions_are_refused():
    with pytest.raises(ValueError, match=r"sums over \[20, 30\] questions"):
        against(measured(*shares(1, 20)), measured(*shares(1, 30)))


def test_headlines_are_a_family_and_so_are_the_slices_of_a_metric_and_a_protocol_s_other_numbers():
    def row(protocol, metric, slice_, p, headline=False):
        return Difference(protocol, metric, slice_, 0.5, 0.6, p=p, headline=headline)

    rows = [
        row("rare", "overall", "all", 0.01, True),
        row("sure", "RR", "all", 0.03, True),
        row("rare", "overall", "hops=multi", 0.01),
        row("rare", "overall", "hops=single", 0.02),
        row("rare", "overall", "domain=policy", None),
        row("sure", "RR", "known=yes", 0.04),
        row("rare", "query", "all", 0.02),
        row("rare", "document", "all", 0.01),
    ]
    found = add_verdicts(rows, QUICK)
    assert [one.holm for one in found] == [0.02, 0.03, 0.02, 0.02, None, 0.04, 0.02, 0.02]
    assert [one.benjamini_hochberg for one in found] == [0.02, 0.03, 0.02, 0.02, None, 0.04, 0.02, 0.02]
    assert [one.family for one in found] == [2, 2, 3, 3, 3, 1, 2, 2]


@pytest.mark.parametrize(
    ("low", "high", "holm", "says"),
    [
        (0.02, 0.05, 0.01, "better"),
        (0.02, 0.05, 0.06, "too few"),
        (-0.05, -0.02, 0.01, "worse"),
        (-0.05, 0.001, 0.01, "too few"),
        (-0.01, 0.01, 0.9, "tied"),
        (0.002, 0.01, 0.001, "tied"),
        (0.002, 0.011, 0.001, "better"),
        (0.02, 0.05, None, "too few"),
        (None, None, 0.01, "too few"),
    ],
)
def test_a_verdict_follows_from_interval_margin_and_adjusted_p(low, high, holm, says):
    middle = None if low is None else (low + high) / 2
    row = Difference("rare", "overall", "all", 0.5, 0.5, middle, low, high, holm=holm, p=0.001, clusters=99)
    assert verdict(row, QUICK) == says


def test_the_correction_that_decides_is_chosen():
    row = Difference("r", "m", "s", 0, 0, 0.05, 0.02, 0.09, p=0.01, holm=0.06, benjamini_hochberg=0.04, clusters=99)
    chosen = {
        name: verdict(row, QUICK.model_copy(update={"correction": name}))
        for name in ("holm", "benjamini_hochberg", "none")
    }
    assert chosen == {"holm": "too few", "benjamini_hochberg": "better", "none": "better"}


def test_comparing_in_parts_changes_nothing(monkeypatch):
    sides = [[measured(*shares(s + at, 30), f"m{at}") for at in range(7)] for s in (1, 50)]
    whole = against(*sides)
    monkeypatch.setattr(module, "measures_at_once", lambda questions: 6)
    assert against(*sides) == whole


@given(st.integers(0, 2**32), st.randoms(use_true_random=False))
@settings(max_examples=15, deadline=None)
def test_the_order_of_numbers_changes_no_digit(seed, random):
    sides = [[measured(*shares(seed + s + at, 30), f"m{at}") for at in range(5)] for s in (0, 99)]
    found = {row.metric: row for row in against(*sides)}
    for side in sides:
        random.shuffle(side)
    assert {row.metric: row for row in against(*sides)} == found


def test_verdicts_are_wrong_no_oftener_than_they_say():
    """200 pairs of equal systems on 40 questions: better or worse in at most 5 % and 4 standard errors of them."""
    config = StatisticsConfig(draws=400, permutations=400, correction="none")
    sides = [[measured(*shares(seed + s, 40), f"world {seed}") for seed in range(200)] for s in (0, 5000)]
    found = [row.verdict for row in against(*sides, config=config)]
    assert sum(one in ("better", "worse") for one in found) <= 200 * 0.05 + 4 * math.sqrt(200 * 0.05 * 0.95)
