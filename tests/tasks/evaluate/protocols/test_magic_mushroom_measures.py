"""Cor., Rej., H, C and R of systems of known weakness, over every analysis of the paper."""

import random
import re

import pytest
from framed import POOLS, REFUSED, RIGHT, WRONG, Verdict, by_name, framed, of_trials, pooled, tried, value, values

from rarefy.data_contracts.rows import Trial, row_id
from rarefy.tasks.evaluate.protocols.magic_mushroom import MAGIC_MUSHROOM, MagicMushroomConfig

CONFIG = MagicMushroomConfig()
DEGREES = [0.0, 0.2, 0.6, 1.0]


def reads(trial: Trial) -> Verdict:
    """Knows nothing: right where a golden passage is shown, else it abstains."""
    return RIGHT if any(":golden:" in name for name in trial.passage_ids) else REFUSED


def parrot(trial: Trial) -> Verdict:
    """Says what the last passage says, and nothing where it is shown none."""
    return REFUSED if not trial.passage_ids else RIGHT if ":golden:" in trial.passage_ids[-1] else WRONG


def misled(trial: Trial) -> Verdict:
    """Knows every answer, and believes any distracting passage rather."""
    return WRONG if any(":distracting:" in name for name in trial.passage_ids) else RIGHT


def unnerved(trial: Trial) -> Verdict:
    """Knows every answer, and abstains where less than half of the passages are golden."""
    golden = sum(":golden:" in name for name in trial.passage_ids)
    return REFUSED if trial.passage_ids and golden * 2 < len(trial.passage_ids) else RIGHT


def of(system, known=None, config=CONFIG):  # type: ignore[no-untyped-def]
    known = known or pooled(6)
    return values(MAGIC_MUSHROOM, framed(MAGIC_MUSHROOM, known, config, system), config)


@pytest.mark.parametrize(
    ("system", "expected"),
    [  # Cor., Rej., H, C, R over the seven ratios; Cor. and Rej. without passages
        (lambda trial: RIGHT, (1, 0, 0, 0, 0, 1, 0)),
        (lambda trial: REFUSED, (0, 1, 0, 0, 0, 0, 1)),
        (lambda trial: WRONG, (0, 0, 0, 0, 0, 0, 0)),
        (reads, (6 / 7, 1 / 7, 0, 0, 6 / 7, 0, 1)),
        (unnerved, (4 / 7, 3 / 7, 0, 3 / 7, 0, 1, 0)),
    ],
)
def test_systems_get_what_follows_from_their_definition(system, expected) -> None:  # type: ignore[no-untyped-def]
    got = of(system)
    names = [(name, "all") for name in ("Cor.", "Rej.", "H", "C", "R")] + [("Cor.", "NoRAG"), ("Rej.", "NoRAG")]
    assert [got[name] for name in names] == pytest.approx(list(expected))


def test_curves_fall_where_the_system_falls() -> None:
    got = of(unnerved)
    curve = [got["Cor.", f"ratio={ratio}"] for ratio in ("0", "0.1", "0.3", "0.5", "0.7", "0.9", "1")]
    assert curve == [1, 1, 1, 1, 0, 0, 0] and got["C", "ratio=0.7"] == 1.0 and got["Rej.", "ratio=1"] == 1.0
    got = of(misled)
    assert got["Cor.", "class=distracting, ratio=0.9"] == 0.0 and got["H", "class=distracting, ratio=0.9"] == 1.0
    assert got["Cor.", "class=irrelevant, ratio=0.9"] == 1.0
    assert [got["Cor.", f"scenario=SCE{n}"] for n in (1, 2, 3, 4)] == [0, 0, 0, 0]
    assert got["Cor.", "ratio=0"] == 1.0 and got["Cor.", "ratio=1"] < 0.2


def test_a_parrot_is_right_as_often_as_a_golden_passage_stands_last() -> None:
    config = MagicMushroomConfig(positions=("near", "far"), placed_shares=(0.1, 0.5), classes=(), scenarios=())
    got = of(parrot, config=config)
    for ratio in ("0.5", "0.9"):
        assert got["Cor.", f"placed=golden, position=far, ratio={ratio}"] == 1.0
        assert got["Cor.", f"placed=golden, position=near, ratio={ratio}"] == 0.0
    trials = [row for row in tried(MAGIC_MUSHROOM, pooled(6), config) if row.cell == "ratio" and row.ratio == 0.5]
    assert got["Cor.", "ratio=0.5"] == sum(":golden:" in row.passage_ids[-1] for row in trials) / len(trials)


def test_the_gain_is_r_less_h_less_c_at_every_point_of_every_curve() -> None:
    def by_chance(trial: Trial) -> Verdict:
        random_ = random.Random(trial.trial_id)
        return REFUSED if random_.random() < 0.2 else (random_.choice(DEGREES), False)

    for confusion in ("count", "degree"):
        config = MagicMushroomConfig(confusion=confusion)  # type: ignore[arg-type]
        got = of(by_chance, pooled(12, multi=True), config)
        slices = [name for metric, name in got if metric == "H"]
        assert len(slices) > 30
        for name in slices:
            change = got["R", name] - got["H", name] - got["C", name]
            assert got["Cor. - NoRAG", name] == pytest.approx(change)
            if name in ("all", "scenario=SCE1"):  # of all questions, so that one NoRAG stands for them
                assert got["Cor.", name] - got["Cor.", "NoRAG"] == pytest.approx(change)


def test_single_and_multi_hop_questions_have_curves_of_their_own_where_their_ratios_differ() -> None:
    got = of(unnerved, pooled(6, multi=True))
    names = {name for metric, name in got if metric == "Cor."}
    assert {"hops=single, ratio=0", "hops=single, ratio=0.1", "hops=multi, ratio=0.2", "hops=multi, ratio=1"} <= names
    assert not {name for name in names if name.startswith("ratio=")}
    assert {"hops=single, scenario=SCE1", "scenario=SCE1"} <= names


def test_a_question_counts_once_however_many_contexts_it_has() -> None:
    """Seven ratios of single-hop questions, six of others."""

    def system(trial: Trial) -> Verdict:
        return RIGHT if trial.question_id == "q0" else WRONG

    got = of(system, pooled(2, multi=True))
    assert got["Cor.", "all"] == pytest.approx(1 / 2)


def test_without_a_closed_book_run_there_is_no_h_c_or_r() -> None:
    frame = framed(MAGIC_MUSHROOM, pooled(3), CONFIG, reads, takes=["passages"])
    measures = by_name(MAGIC_MUSHROOM, frame, CONFIG)
    assert {name for name, _ in measures} == {"Cor.", "Rej.", "Noise"}
    assert "not asked without passages" in measures["Cor.", "all"].note


def test_a_failed_probe_takes_h_c_and_r_of_its_question_and_leaves_cor() -> None:
    def system(trial: Trial) -> Verdict:
        return "failed" if (trial.cell, trial.question_id) == ("probe", "q0") else RIGHT

    measures = by_name(MAGIC_MUSHROOM, framed(MAGIC_MUSHROOM, pooled(3), CONFIG, system), CONFIG)
    cor, h = measures["Cor.", "ratio=0.5"].counts, measures["H", "ratio=0.5"].counts
    assert (cor.scored, cor.failed) == (3, 0) and (h.scored, h.failed) == (2, 1)
    assert measures["H", "all"].limits == (1.0, 0.0) and measures["R", "all"].limits == (0.0, 1.0)


def test_a_refusal_scores_nothing_whatever_the_judge_gave_it() -> None:
    got = of(lambda trial: (0.6, True))
    assert got["Cor.", "all"] == got["Cor.", "NoRAG"] == got["C", "all"] == 0.0 and got["Rej.", "all"] == 1.0


def test_what_contexts_came_out_as_is_told_beside_each_point() -> None:
    frame = framed(MAGIC_MUSHROOM, pooled(2), CONFIG, reads)
    measures = by_name(MAGIC_MUSHROOM, frame, CONFIG)
    assert measures["Cor.", "ratio=0.3"].note == "10.0 of 10 passages, 0.30 noise"
    assert re.match(r"8\.0 of 10 passages, 0\.8[78] noise", measures["Cor.", "class=irrelevant, ratio=0.9"].note)


def test_the_noise_that_came_out_is_a_curve_of_its_own_over_the_ratios_that_were_asked_for() -> None:
    few = pooled(2, pools={**POOLS, "golden": 2})
    frame = framed(MAGIC_MUSHROOM, few, CONFIG, lambda trial: "failed" if trial.question_id == "q0" else RIGHT)
    made = by_name(MAGIC_MUSHROOM, frame, CONFIG)
    got = {ratio: made["Noise", f"ratio={ratio}"] for ratio in ("0", "0.1", "0.3", "0.9", "1")}
    assert {ratio: value(one) for ratio, one in got.items()} == pytest.approx(
        {"0": 0.0, "0.1": 1 / 3, "0.3": 1 / 3, "0.9": 0.9, "1": 1.0}, abs=1e-4
    )
    for one in got.values():  # contexts were made though the system failed on them; neither more nor less is better
        assert one.neutral and (one.counts.scored, one.counts.failed, one.unit) == (2, 0, "contexts")
    assert ("Noise", "NoRAG") not in made and ("Noise", "scenario=SCE1") in made


def test_lengths_and_the_whole_curve_of_a_class_are_slices() -> None:
    config = MagicMushroomConfig(
        lengths=("0-299",), classes=("distracting", "irrelevant"), class_ratios=(0.0, 0.5, 1.0), scenarios=()
    )
    got = of(misled, config=config)
    curve = {name: [got["Cor.", f"class={name}, ratio={r}"] for r in ("0", "0.5", "1")] for name in config.classes}
    assert curve == {"distracting": [1, 0, 0], "irrelevant": [1, 1, 1]}
    assert got["Cor.", "length=0-299, ratio=0"] == 1.0 and got["H", "length=0-299, ratio=1"] > 0


def test_no_order_of_rows_nor_of_workers_changes_a_digit() -> None:
    def by_chance(trial: Trial) -> Verdict:
        return random.Random(trial.trial_id).choice(DEGREES), False

    known = pooled(5, multi=True)
    trials = tried(MAGIC_MUSHROOM, known, CONFIG)
    first = repr(values(MAGIC_MUSHROOM, of_trials(MAGIC_MUSHROOM, known, trials, by_chance), CONFIG))
    for other in (trials[::-1], sorted(trials, key=lambda row: row_id(row.trial_id))):
        assert repr(values(MAGIC_MUSHROOM, of_trials(MAGIC_MUSHROOM, known, other, by_chance), CONFIG)) == first
