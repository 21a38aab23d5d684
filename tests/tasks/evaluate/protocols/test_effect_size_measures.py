"""PDR, H, H̃ and AH̃: the paper's worked numbers, its edge cases, and systems of known sensitivity."""

import math
import random
from collections.abc import Callable

import numpy as np
import pytest
from framed import RIGHT, WRONG, Verdict, by_name, framed, made, of_trials, tried, values

from rarefy.data_contracts.rows import Trial, row_id
from rarefy.tasks.evaluate.protocols.effect_size import EFFECT_SIZE, EffectSizeConfig, cohens_d, hedges_g
from rarefy.tasks.evaluate.statistics import StatisticsConfig, figures

CONFIG = EffectSizeConfig()
ONLY_P = EffectSizeConfig(superficial=(), distraction=())


def scores(original: float, perturbed: float) -> Callable[[Trial], Verdict]:
    """A system whose original scores one thing and whose variants another."""
    return lambda trial: (original if trial.cell in ("original", "repeat") else perturbed, False)


def of(
    system: Callable[[Trial], Verdict], config: EffectSizeConfig = CONFIG, number: int = 3
) -> dict[tuple[str, str], float]:
    return values(EFFECT_SIZE, framed(EFFECT_SIZE, made(number), config, system), config)


@pytest.mark.parametrize(
    ("original", "perturbed", "pdr", "h_tilde"),
    [
        (0.1, 0.8, -7.0, 0.5),
        (0.8, 0.1, 0.875, -0.5),
        (0.8, 1.0, -0.25, 0.295),
        (0.6, 0.8, -1 / 3, 0.141),
        (1.0, 0.8, 0.2, -0.295),
        (0.0, 0.0, 0.0, 0.0),
        (1.0, 0.0, 1.0, -1.0),
        (0.0, 1.0, math.nan, 1.0),
    ],
)
def test_the_papers_worked_numbers_come_out(original: float, perturbed: float, pdr: float, h_tilde: float) -> None:
    """002-C, and the three cases of PDR."""
    got = of(scores(original, perturbed))
    assert got["PDR", "all"] == pytest.approx(pdr, nan_ok=True)
    assert got["H̃", "all"] == pytest.approx(h_tilde, abs=5e-4) and got["AH̃", "all"] == pytest.approx(
        abs(h_tilde), abs=5e-4
    )
    assert got["H", "all"] == pytest.approx(math.pi * h_tilde, abs=2e-3)
    assert (got["Original score", "all"], got["Perturbed score", "all"]) == pytest.approx((original, perturbed))


def test_undefined_pdr_is_discarded_and_counted() -> None:
    """A group that is wrong as it stands and right in a variant has no drop."""

    def system(trial: Trial) -> Verdict:
        return WRONG if trial.question_id == "q0" and trial.cell == "original" else RIGHT

    frame = framed(EFFECT_SIZE, made(4), CONFIG, system)
    one = by_name(EFFECT_SIZE, frame, CONFIG)["PDR", "all"]
    assert (one.counts.scored, one.counts.skipped) == (3, 1) and one.unit == "groups"
    assert one.note == "undefined and discarded for 1 of 4 groups"
    got = values(EFFECT_SIZE, frame, CONFIG)
    assert got["PDR", "all"] == 0.0 and got["PDR undefined", "all"] == 1 / 4 and got["H̃", "all"] == 1 / 4


def test_a_group_score_is_the_mean_over_its_variants_and_a_data_set_s_the_mean_over_groups() -> None:
    def system(trial: Trial) -> Verdict:
        return WRONG if trial.query == "upper_case" and trial.question_id == "q0" else RIGHT

    got = of(system, number=2)
    assert got["PDR", "all"] == pytest.approx((1 / 12 + 0) / 2)
    h_tilde = (2 * math.asin(math.sqrt(11 / 12)) - math.pi) / math.pi
    assert got["H̃", "all"] == pytest.approx(h_tilde / 2) and got["H̃", "family=paraphrase"] == 0.0
    assert got["PDR", "family=superficial"] == pytest.approx(1 / 16)
    assert got["PDR", "perturbation=upper_case"] == 1 / 2 and got["PDR", "perturbation=distraction_after"] == 0.0


@pytest.mark.parametrize(
    ("system", "expected"),
    [
        (lambda trial: RIGHT, (1.0, 1.0, 0.0, 0.0, 0.0)),
        (lambda trial: (0.0, True), (0.0, 0.0, 0.0, 0.0, 0.0)),
        # right unless typo: butter_fingers, character_swap and the mix of 12 variants
        (
            lambda trial: WRONG if trial.query in ("butter_fingers", "character_swap", "superficial_mix") else RIGHT,
            (1.0, 0.75, 0.25, -1 / 3, 1 / 3),
        ),
        # reads the last passage only up to its first sentence: lost where a distraction stands before it
        (
            lambda trial: WRONG if trial.document == "distraction_before" else RIGHT,
            (1.0, 11 / 12, 1 / 12, 2 * math.asin(math.sqrt(11 / 12)) / math.pi - 1, None),
        ),
    ],
)
def test_systems_of_known_sensitivity_get_exactly_that(system, expected) -> None:  # type: ignore[no-untyped-def]
    original, perturbed, pdr, h_tilde, ah_tilde = expected
    got = of(system)
    names = ("Original score", "Perturbed score", "PDR", "H̃", "AH̃")
    wanted = (original, perturbed, pdr, h_tilde, ah_tilde if ah_tilde is not None else abs(h_tilde))
    assert [got[name, "all"] for name in names] == pytest.approx(list(wanted))


def test_changes_both_ways_cancel_in_h_tilde_and_add_up_in_its_absolute() -> None:
    def system(trial: Trial) -> Verdict:
        first = trial.question_id == "q0"
        return RIGHT if (trial.cell == "original") == first else WRONG

    got = of(system, number=2)
    assert got["H̃", "all"] == 0.0 and got["AH̃", "all"] == 1.0


def test_a_question_without_variants_is_skipped_and_one_without_answers_is_missing() -> None:
    """m(i) = 0, an all-missing group, a failed original."""
    known = [*made(3), *made(4, queries=(), paraphrases=0, context=())[3:]]

    def system(trial: Trial) -> Verdict:
        if trial.question_id == "q1":
            return "missing"
        return "failed" if trial.question_id == "q2" and trial.cell == "original" else RIGHT

    one = by_name(EFFECT_SIZE, framed(EFFECT_SIZE, known, CONFIG, system), CONFIG)["H̃", "all"]
    assert (one.counts.scored, one.counts.failed, one.counts.missing, one.counts.skipped) == (1, 1, 1, 1)


@pytest.mark.parametrize(("complete", "scored", "value"), [(True, 2, 0.0), (False, 3, 0.0)])
def test_a_group_with_a_failed_variant_is_failed_unless_told_otherwise(
    complete: bool, scored: int, value: float
) -> None:
    config = EffectSizeConfig(complete=complete)

    def system(trial: Trial) -> Verdict:
        return "failed" if (trial.question_id, trial.query) == ("q0", "upper_case") else RIGHT

    one = by_name(EFFECT_SIZE, framed(EFFECT_SIZE, made(3), config, system), config)["PDR", "all"]
    assert (one.counts.scored, one.counts.failed) == (scored, 3 - scored)
    assert one.numerator.sum() / one.denominator.sum() == value


def test_the_interval_is_the_papers_bca_over_groups() -> None:
    def system(trial: Trial) -> Verdict:
        return RIGHT if trial.cell == "original" or random.Random(trial.trial_id).random() < 0.9 else WRONG

    frame = framed(EFFECT_SIZE, made(60), CONFIG, system)
    config = StatisticsConfig(draws=2000)
    made_ = {(one.metric, one.slice): one for one in EFFECT_SIZE.measures(frame, CONFIG)}
    assert all(made_[name, "all"].interval == "bca" for name in ("PDR", "H̃", "AH̃"))
    (figure,) = figures([made_["H̃", "all"]], system="s", protocol="effect_size", config=config)
    from scipy.stats import bootstrap

    one = made_["H̃", "all"]
    groups = (one.numerator[one.denominator > 0],)
    expected = bootstrap(groups, np.mean, n_resamples=2000, method="BCa", rng=np.random.default_rng(0))
    assert figure.clusters == 60
    assert (figure.low, figure.high) == pytest.approx(tuple(expected.confidence_interval), abs=0.006)


def test_the_noise_of_asking_again_is_told_from_an_effect() -> None:
    """A system that answers by chance has AH̃ over 0 with any wording, and none above what a repeat has."""
    config = EffectSizeConfig(repeats=4)

    def by_chance(trial: Trial) -> Verdict:
        return RIGHT if random.Random(f"{trial.trial_id}").random() < 0.8 else WRONG

    def brittle(trial: Trial) -> Verdict:
        return by_chance(trial) if trial.cell in ("original", "repeat") else WRONG

    noise, effect = (of(system, config, number=300) for system in (by_chance, brittle))
    assert noise["AH̃", "all"] > 0.25 and noise["AH̃ above noise", "all"] == pytest.approx(0, abs=0.03)
    assert noise["AH̃ of one repeat", "all"] == pytest.approx(2 * 0.8 * 0.2, abs=0.04)
    assert effect["AH̃ above noise", "all"] > 0.4


def test_without_repeats_the_floor_is_said_to_be_unknown() -> None:
    measures = by_name(EFFECT_SIZE, framed(EFFECT_SIZE, made(2), CONFIG, scores(1, 0)), CONFIG)
    assert "set protocols.effect_size.repeats" in measures["AH̃", "all"].note
    assert "proves no change" in measures["AH̃", "all"].note
    assert "huge effect" in measures["AH̃", "all"].note
    assert ("AH̃ above noise", "all") not in measures


def test_cohens_d_and_hedges_g_are_means_over_groups_of_one_original_against_its_variants() -> None:
    def system(trial: Trial) -> Verdict:
        return round(random.Random(trial.trial_id).random(), 3), False

    frame = framed(EFFECT_SIZE, made(20), CONFIG, system)
    got = values(EFFECT_SIZE, frame, CONFIG)
    d, g = [], []
    for _, rows in frame.rows.groupby("question_id"):
        before = rows["value"][rows["cell"] == "original"].to_numpy()
        after = rows["value"][rows["cell"] != "original"].to_numpy()
        assert (len(before), len(after)) == (1, 12)
        d.append(cohens_d(before, after))
        g.append(hedges_g(before, after))
    assert got["Cohen's d", "all"] == pytest.approx(np.mean(d))
    assert got["Hedges' g", "all"] == pytest.approx(np.mean(g))
    one = by_name(EFFECT_SIZE, frame, CONFIG)["Hedges' g", "all"]
    assert one.counts.scored == 20 and one.interval == "bca" and one.unit == "groups"


def test_groups_that_stand_still_have_no_effect_and_those_that_moved_without_spread_are_discarded_and_counted() -> None:
    always = EffectSizeConfig(continuous="always")

    def system(trial: Trial) -> Verdict:
        if trial.question_id == "q0":  # all variants fall alike: an infinite effect
            return RIGHT if trial.cell == "original" else WRONG
        if trial.question_id == "q1":  # half of them do
            return WRONG if trial.number % 2 or trial.query.endswith("_case") else RIGHT
        return RIGHT

    frame = framed(EFFECT_SIZE, made(4), always, system)
    one = by_name(EFFECT_SIZE, frame, always)["Cohen's d", "all"]
    assert (one.counts.scored, one.counts.skipped) == (3, 1)
    assert "undefined and discarded for 1 of 4 groups" in one.note
    assert one.denominator.tolist() == [0, 1, 1, 1] and one.numerator[1] < 0 and one.numerator[2:].tolist() == [0, 0]
    alone = of(system, always.model_copy(update={"superficial": ("upper_case",), "paraphrase": (), "distraction": ()}))
    assert math.isnan(alone["Cohen's d", "all"]) and math.isnan(alone["Hedges' g", "all"])
    assert ("Cohen's d", "all") not in of(scores(1, 0))


def test_the_original_score_is_of_the_raw_data_set_and_the_perturbed_one_of_groups() -> None:
    """Table 3: questions without a variant, or whose variants failed, have an original all the same."""
    known = [*made(2), *made(4, queries=(), paraphrases=0, context=())[2:]]

    def system(trial: Trial) -> Verdict:
        if trial.question_id == "q1" and trial.cell != "original":
            return "failed"
        return RIGHT if trial.question_id in ("q0", "q2") else WRONG

    frame = framed(EFFECT_SIZE, known, CONFIG, system)
    measures = by_name(EFFECT_SIZE, frame, CONFIG)
    original, perturbed = measures["Original score", "all"], measures["Perturbed score", "all"]
    assert original.counts.scored == 4 and original.numerator.sum() / original.denominator.sum() == 1 / 2
    assert (perturbed.counts.scored, perturbed.counts.failed, perturbed.counts.skipped) == (1, 1, 2)
    of_family = measures["Original score", "family=paraphrase"]
    assert of_family.numerator.sum() / of_family.denominator.sum() == 1 / 2


def test_own_retrieval_beside_given_passages_is_a_slice_of_its_own() -> None:
    def system(trial: Trial) -> Verdict:
        return RIGHT if trial.given == "passages" else WRONG

    frame = framed(EFFECT_SIZE, made(2), CONFIG, system, takes=["own", "passages"])
    got = values(EFFECT_SIZE, frame, CONFIG)
    assert got["Original score", "all"] == 1.0 and got["Original score", "retriever=own"] == 0.0


def test_no_order_of_rows_nor_of_workers_changes_a_digit() -> None:
    def system(trial: Trial) -> Verdict:
        return round(random.Random(trial.trial_id).random(), 3), False

    known = made(7, gold=2)
    trials = tried(EFFECT_SIZE, known, CONFIG)
    first = repr(values(EFFECT_SIZE, of_trials(EFFECT_SIZE, known, trials, system), CONFIG))
    for other in (trials[::-1], sorted(trials, key=lambda row: row_id(row.trial_id))):
        assert repr(values(EFFECT_SIZE, of_trials(EFFECT_SIZE, known, other, system), CONFIG)) == first
