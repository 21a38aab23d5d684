"""Groups of an original and its variants."""

from collections import Counter

import pytest
from framed import SUPERFICIAL, made, tried

from rarefy.data_contracts.rows import Variant
from rarefy.tasks.evaluate.protocols.effect_size import EFFECT_SIZE, EffectSizeConfig


def test_a_group_is_the_original_and_every_variant_of_the_three_families() -> None:
    rows = [row for row in tried(EFFECT_SIZE, made(2, gold=2), EffectSizeConfig()) if row.question_id == "q1"]
    assert Counter(row.cell for row in rows) == {"original": 1, "superficial": 8, "paraphrase": 2, "distraction": 2}
    assert [row.query for row in rows if row.cell == "superficial"] == list(SUPERFICIAL)
    assert {row.passage_ids for row in rows if row.cell != "distraction"} == {("g1a", "g1b")}
    (before,) = [row for row in rows if row.document == "distraction_before"]
    assert before.passage_ids == ("g1a:distraction_before", "g1b:distraction_before") and before.gold == 1.0
    assert before.query == "none" and before.query_id == "q1:none"


def test_repeats_ask_what_the_original_asks_under_numbers_of_their_own() -> None:
    rows = tried(EFFECT_SIZE, made(1), EffectSizeConfig(repeats=3))
    (original,) = [row for row in rows if row.cell == "original"]
    repeats = [row for row in rows if row.cell == "repeat"]
    assert [row.number for row in repeats] == [1, 2, 3] and len({row.trial_id for row in rows}) == len(rows)
    assert {(row.query_id, row.passage_ids) for row in repeats} == {(original.query_id, original.passage_ids)}
    assert not [row for row in tried(EFFECT_SIZE, made(1), EffectSizeConfig()) if row.cell == "repeat"]


@pytest.mark.parametrize(
    ("passages", "takes", "given", "shown"),
    [
        ("gold", "passages", "passages", ("g0a",)),
        ("none", "closed_book", "closed_book", ()),
        ("retrieved", "passages", "passages", ("g0a", "x00", "x01")),
        ("own", "own", "own", ()),
        ("gold", "own", "own", ()),
        ("retrieved", "own", "own", ()),
    ],
)
def test_what_is_shown_is_chosen_and_systems_that_retrieve_have_their_own(
    passages: str, takes: str, given: str, shown: tuple[str, ...]
) -> None:
    config = EffectSizeConfig(passages=passages)  # type: ignore[arg-type]
    rows = [row for row in tried(EFFECT_SIZE, made(1), config, [takes]) if not row.skipped_because]
    plain = [row for row in rows if row.cell != "distraction"]
    assert {row.given for row in rows} == {given} and {row.passage_ids for row in plain} == {shown}
    assert len(plain) == (11 if passages != "retrieved" or takes == "own" else 9)  # paraphrases were not retrieved for
    assert (len(rows) > len(plain)) == (given == "passages" and passages == "gold")


def test_a_family_without_a_variant_is_a_row_that_says_why() -> None:
    lost = [
        Variant("a", "q0", "query", "paraphrase", "", rejected_because="not_entailed"),
        Variant("b", "q0", "context", "distraction_after", "", rejected_because="no_candidate"),
    ]
    known = made(1, paraphrases=0, context=("distraction_before",), rejected=lost)
    rows = [row for row in tried(EFFECT_SIZE, known, EffectSizeConfig()) if row.skipped_because]
    assert [(row.cell, row.skipped_because) for row in rows] == [
        ("paraphrase", "not_entailed"),
        ("distraction", "no_candidate"),
    ]


def test_what_is_lacking_is_said() -> None:
    known = made(1)
    lacking = EFFECT_SIZE.lacking
    assert lacking(known, EffectSizeConfig(), frozenset({"passages"})) == ""
    assert lacking(known, EffectSizeConfig(), frozenset({"own"})) == ""
    assert "takes own or passages" in lacking(known, EffectSizeConfig(), frozenset({"closed_book"}))
    assert lacking(known, EffectSizeConfig(passages="none"), frozenset({"closed_book"})) == ""
    bare = made(1, queries=(), paraphrases=0, context=())
    assert "the benchmark has none by" in lacking(bare, EffectSizeConfig(), frozenset({"passages"}))
