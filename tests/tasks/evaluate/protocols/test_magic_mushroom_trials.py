"""The contexts that a question is asked with."""

from collections import Counter

import pytest
from framed import POOLS, made, pooled, tried
from pydantic import ValidationError

from rarefy.data_contracts.rows import Trial
from rarefy.tasks.evaluate.protocols.magic_mushroom import MAGIC_MUSHROOM, MagicMushroomConfig

CONFIG = MagicMushroomConfig()
NOTHING = {"mixes": (), "classes": (), "scenarios": ()}


def classes(trial: Trial) -> Counter[str]:
    return Counter(name.split(":")[1] for name in trial.passage_ids)


def test_a_question_is_asked_without_passages_and_in_the_papers_settings() -> None:
    rows = tried(MAGIC_MUSHROOM, pooled(2, multi=True), CONFIG)
    single = Counter(row.cell for row in rows if row.question_id == "q0")
    assert single == {"probe": 1, "ratio": 7, "class": 4, "scenario": 4}
    assert Counter(row.cell for row in rows if row.question_id == "q1")["ratio"] == 6
    assert len({row.trial_id for row in rows}) == len(rows) == 16 + 15
    assert not any(row.skipped_because for row in rows)


def test_each_ratio_has_its_share_of_noise() -> None:
    rows = [row for row in tried(MAGIC_MUSHROOM, pooled(1), CONFIG) if row.cell == "ratio"]
    assert [row.ratio for row in rows] == [0.0, 0.1, 0.3, 0.5, 0.7, 0.9, 1.0]
    for row in rows:
        assert classes(row)["golden"] == round(10 * (1 - row.ratio)) and len(row.passage_ids) == row.k == 10
        assert row.noise == pytest.approx(row.ratio) and row.gold == float(row.ratio < 1)


def test_a_single_class_of_seven_makes_the_papers_smaller_contexts() -> None:
    """Magic Mushroom F.1: k is 8 at a ratio of .9 and 7 at a ratio of 1."""
    config = MagicMushroomConfig(class_ratios=(0.9, 1.0), mixes=(), scenarios=())
    sizes = {
        (row.mix, row.ratio): (len(row.passage_ids), classes(row)["golden"])
        for row in tried(MAGIC_MUSHROOM, pooled(1), config)
        if row.cell == "class"
    }
    assert sizes["irrelevant", 0.9] == sizes["low_quality", 0.9] == (8, 1) and sizes["irrelevant", 1.0] == (7, 0)
    assert sizes["distracting", 0.9] == (10, 1) and sizes["distracting", 1.0] == (10, 0)


@pytest.mark.parametrize(
    ("name", "shares"),
    [("SCE1", (3, 3, 1, 1, 2)), ("SCE2", (3, 1, 1, 2, 3)), ("SCE3", (2, 2, 2, 1, 3)), ("SCE4", (2, 4, 2, 1, 1))],
)
def test_scenarios_have_the_printed_shares(name: str, shares: tuple[int, ...]) -> None:
    """Golden, distracting, inconsequential, low quality, irrelevant of ten (§4.6, G.2)."""
    (row,) = [row for row in tried(MAGIC_MUSHROOM, pooled(1), CONFIG) if row.scenario == name]
    order = ("golden", "distracting", "inconsequential", "low_quality", "irrelevant")
    assert tuple(classes(row)[part] for part in order) == shares


def test_a_position_is_that_of_golden_or_noise_at_the_shares_asked_for() -> None:
    options = {"positions": ("near", "mid", "far"), "placed": ("golden", "distracting"), "placed_shares": (0.2, 0.5)}
    rows = tried(
        MAGIC_MUSHROOM, pooled(1), MagicMushroomConfig.model_validate({**NOTHING, "mixes": ("natural",), **options})
    )
    placed = [row for row in rows if row.cell == "position"]
    assert len(placed) == 2 * 3 * 2
    for row in placed:
        where = [at for at, name in enumerate(row.passage_ids) if name.split(":")[1] == row.placed]
        share = 1 - row.ratio if row.placed == "golden" else row.ratio
        assert len(where) == round(10 * share) and where == list(range(where[0], where[0] + len(where)))
        rest = 10 - len(where)
        assert where[0] == {"near": 0, "mid": (rest + 1) // 2, "far": rest}[row.position]


def test_a_length_that_cannot_be_made_is_a_row_that_says_so() -> None:
    config = MagicMushroomConfig(lengths=("0-299", "1500+"), scenarios=(), classes=(), ratios=(0.5,))
    rows = [row for row in tried(MAGIC_MUSHROOM, pooled(1), config) if row.cell == "length"]
    assert [(row.bin, row.skipped_because, bool(row.passage_ids)) for row in rows] == [
        ("0-299", "", True),
        ("1500+", "length", False),
    ]


def test_another_run_draws_other_contexts_under_other_names() -> None:
    config = MagicMushroomConfig(runs=2, ratios=(0.5,), classes=(), scenarios=())
    first, second = (row for row in tried(MAGIC_MUSHROOM, pooled(1), config) if row.cell == "ratio")
    assert (first.number, second.number) == (0, 1) and first.passage_ids != second.passage_ids
    assert first.trial_id != second.trial_id


def test_few_golden_passages_make_smaller_contexts_and_what_came_out_is_told() -> None:
    known = pooled(1, pools={**POOLS, "golden": 2})
    rows = {row.ratio: row for row in tried(MAGIC_MUSHROOM, known, CONFIG) if row.cell == "ratio"}
    assert len(rows[0.0].passage_ids) == 2 and rows[0.1].noise == pytest.approx(1 / 3, abs=1e-4)
    assert rows[0.9].noise == 0.9


def test_what_is_asked_for_must_exist() -> None:
    with pytest.raises(ValidationError, match="no class 'gold'"):
        MagicMushroomConfig(placed=("gold",))
    with pytest.raises(ValidationError, match="no scenario 'SCE9'"):
        MagicMushroomConfig(scenarios=("SCE9",))
    lacking = MAGIC_MUSHROOM.lacking
    assert "takes passages" in lacking(pooled(1), CONFIG, frozenset({"own", "closed_book"}))
    assert "passages to mix" in lacking(made(1), CONFIG, frozenset({"passages"}))
    assert lacking(pooled(1), CONFIG, frozenset({"passages"})) == ""
