"""From a number to its rows: which, how many, in what order, with what they carry."""

import json
import random

import numpy as np
import pyarrow as pa
import pytest

from rarefy.tasks.evaluate.results import summary
from rarefy.tasks.evaluate.results.drilldown_payload import (
    apply_steps,
    diff_steps,
    drilldown_payload,
    excerpt,
    json_script,
)
from rarefy.tasks.evaluate.results.drilldown_rows import OUTCOMES, build_blocks, select_mask, select_rows


def block_of(told, tables, system="plain", protocol="rare"):
    found = build_blocks(summary(told, []), tables)
    return next(one for one in found if (one.system, one.protocol) == (system, protocol))


def names(block, tables, mask):
    return sorted(tables["trials"]["trial_id"][at].as_py() for at in block.trial[mask])


@pytest.mark.parametrize(
    ("metric", "slice_", "trials"),
    [
        ("Known", "all", ["t0p", "t1p"]),
        ("Query Robustness", "all", ["t0q", "t1q"]),
        ("Real-World Retrieval Robustness", "all", ["t0r", "t1r"]),
        ("Overall Robustness", "document=lexical_similar", ["t0s", "t1s"]),
        ("Overall Robustness", "query=character", ["t0q", "t1q"]),
        ("Overall Robustness", "retriever=bm25", ["t0r", "t1r"]),
        ("Overall Robustness", "query=none, document=gold", ["t0g", "t1g"]),
        ("Overall Robustness: refusal rate", "pattern=chain", ["t0g", "t0q", "t0r", "t0s", "t0x"]),
        ("Overall Robustness", "hops=single, retriever=bm25", ["t1r"]),
        ("Retriever at fault", "all", ["t0r", "t1r"]),
        ("Overall Robustness", "k=2", ["t0r", "t1r"]),
        ("Overall Robustness", "known=yes", []),
    ],
)
def test_a_number_finds_its_rows(told, made, metric, slice_, trials):
    tables = made(2)
    block = block_of(told, tables)
    mask, unused = select_mask(block, metric, slice_)
    assert names(block, tables, mask) == trials
    assert unused == ()


@pytest.mark.parametrize(
    ("metric", "slice_", "without", "with_"),
    [
        ("Query Robustness", "all", ["t0q"], ["t0g", "t0q"]),
        ("Query Robustness", "query=character", ["t0q"], ["t0q"]),
        ("Document Robustness", "all", ["t0s", "t0x"], ["t0g", "t0s", "t0x"]),
        ("Document Robustness: correct", "document=gold", [], ["t0g"]),
        ("Real-World Retrieval Robustness", "all", ["t0r"], ["t0r"]),
    ],
)
def test_originals_stand_behind_a_number_that_counts_them(told, made, metric, slice_, without, with_):
    """As in the measures of RARE: the setting include_original decides what the number is of."""
    tables = made(1)
    for include, expected in ((False, without), (True, with_)):
        set_to = {"options": [{"name": "include_original", "value": include}]}
        found = summary(told, []) | {"protocols": {"rare": set_to}}
        block = next(one for one in build_blocks(found, tables) if (one.system, one.protocol) == ("plain", "rare"))
        assert names(block, tables, select_mask(block, metric, slice_)[0]) == expected


def test_a_name_that_no_column_has_is_said(told, made):
    _, unused = select_mask(block_of(told, made(2)), "Overall Robustness", "moon=full, query=none")
    assert unused == ("moon=full",)


def test_outcomes_are_what_the_scores_say(told, made):
    tables = made(1)
    block = block_of(told, tables)
    found = {
        tables["trials"]["trial_id"][t].as_py(): OUTCOMES[o] for t, o in zip(block.trial, block.outcome, strict=True)
    }
    assert found == {
        "t0p": "refused", "t0g": "right", "t0q": "wrong", "t0s": "refused", "t0r": "unscored", "t0x": "unscored",
    }  # fmt: skip


def test_a_refusal_that_rare_wants_is_robust(told, made):
    tables = made(1)
    block = block_of(told, tables)
    robust = {tables["trials"]["trial_id"][t].as_py(): r for t, r in zip(block.trial, block.robust, strict=True)}
    assert robust["t0s"] == 1.0  # not known without passages, and the answer was deleted
    assert robust["t0q"] == 0.0
    assert np.isnan(robust["t0r"])


def numbers_of(found):
    return [(at, row, row["headline"]) for at, row in enumerate(found["figures"])]


def test_no_order_of_the_rows_changes_what_is_carried(told, numbers, made):
    tables = made(5)
    first = json.dumps(drilldown_payload(summary(told, numbers), tables, numbers_of(summary(told, numbers))))
    mixed = {
        name: table.take(random.Random(name).sample(range(table.num_rows), table.num_rows))
        for name, table in tables.items()
    }
    again = json.dumps(drilldown_payload(summary(told, numbers), mixed, numbers_of(summary(told, numbers))))
    assert again == first


def test_wrong_rows_come_first_and_every_outcome_has_some(told, numbers, made):
    found = list(build_blocks(summary(told, numbers), made(400)))
    row = next(row for row in summary(told, numbers)["figures"] if row["metric"] == "Overall Robustness")
    picked = select_rows(found, [(0, row, True)])[0]
    outcomes = [OUTCOMES[found[picked.block].outcome[at]] for at in picked.rows]
    assert len(outcomes) == 200
    assert sum(picked.counts) == 2000
    assert outcomes[0] == "wrong"
    assert {"wrong", "refused", "right", "unscored"} == set(outcomes)


def test_all_numbers_together_stay_within_the_budget(told, numbers, made):
    found = list(build_blocks(summary(told, numbers), made(300)))
    rows = [(at, row, False) for at, row, _ in numbers_of(summary(told, numbers))]
    picked = select_rows(found, rows, budget=150)
    union = {(one.block, row) for one in picked.values() for row in one.rows}
    assert 0 < len(union) <= 150
    assert any(len(one.rows) < sum(one.counts) for one in picked.values())


def test_a_row_has_its_question_passages_answer_and_sentence(told, numbers, made):
    found = summary(told, numbers)
    data = drilldown_payload(found, made(2), numbers_of(found))
    at = next(at for at, row in enumerate(found["figures"]) if row["slice"] == "query=character")
    row = data["rows"][data["sets"][at][1][0]]
    trial = data["trials"][row[0]]
    assert trial[0] in ("t0q", "t1q")
    kind, _, change, *_ = data["wordings"][trial[5]]
    question = data["questions"][trial[2]]
    assert kind == "character"
    asked = data["texts"][question[1]]
    assert apply_steps(asked, change) == asked.replace("fiscal", "fisacl")
    title, doc, section, _, before, sentence, after, at, place = question[5][0]
    assert data["texts"][title] == "Report on revenue"
    assert doc == "doc.md"
    assert data["texts"][section] == "Item 7"
    assert data["texts"][sentence] == "The revenue was $47.5 billion in fiscal 2024."
    assert "Before it." in data["texts"][before]
    assert "After it" in data["texts"][after]
    assert at == len("Before it. ")
    assert place == "page 12"
    assert [label for label, _ in row[-1]] == ["nothing changed", "without passages"]


def test_a_changed_passage_is_carried_as_the_way_from_its_original(told, numbers, made):
    found = summary(told, numbers)
    data = drilldown_payload(found, made(1), numbers_of(found))
    changed = next(one for one in data["passages"] if one[6] == "answer_deleted")
    original = data["texts"][data["passages"][changed[4]][2]]
    assert apply_steps(original, changed[5]) == original.replace("$47.5 billion", "not stated")
    assert changed[8] == 0  # it no longer tells what its gold chunk told


def test_without_room_a_passage_is_a_part_or_a_name(monkeypatch, told, numbers, made):
    found = summary(told, numbers)
    monkeypatch.setattr("rarefy.tasks.evaluate.results.drilldown_payload.Passages.__init__.__defaults__", (0, 60))
    data = drilldown_payload(found, made(3), numbers_of(found))
    assert {one[3] for one in data["passages"]} <= {1, 2}


def test_retrieval_numbers_lead_to_what_was_found(told, numbers, made):
    found = summary(told, numbers)
    data = drilldown_payload(found, made(2), numbers_of(found))
    at = next(
        at for at, row in enumerate(found["figures"]) if row["protocol"] == "retrieval" and "bm25" in row["slice"]
    )
    row = data["rows"][data["sets"][at][1][0]]
    assert data["outcomes"][row[2]] == "right"
    assert len(data["trials"][row[0]][6]) == 2


def test_what_a_system_retrieved_itself_is_carried(told, numbers, made):
    tables = made(1)
    mine = [{"passage_id": "theirs", "text": "Their own words.", "title": "T", "score": 1.0}]
    answers = tables["answers"].to_pylist()
    tables["answers"] = pa.Table.from_pylist([{**row, "retrieved": mine} for row in answers], tables["answers"].schema)
    data = drilldown_payload(summary(told, numbers), tables, numbers_of(summary(told, numbers)))
    assert "Their own words." in data["texts"]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("one two three", "one 2 three"),
        ("", "new"),
        ("gone", ""),
        ("😀 astral 😀 text 𝒳", "😀 other 😀 text 𝒳 𝒴"),
        ("a  b\tc\nd", "a b c\r\nd"),
        ("line", "line line"),
    ],
)
def test_the_steps_lead_from_one_text_to_the_other(before, after):
    change = diff_steps(before, after)
    if change is None:
        assert not set(before.split()) & set(after.split())
    else:
        assert apply_steps(before, change) == after


def test_texts_with_nothing_in_common_have_no_steps():
    assert diff_steps("entirely this thing", "quite something else altogether, here") is None


def test_what_goes_stands_before_what_comes():
    assert diff_steps("the old word", "the new word") == [4, -3, "new", 5]


def test_an_excerpt_shows_the_answer():
    text = "x " * 500 + "the answer is 42 " + "y " * 500
    assert "answer is 42" in excerpt(text, ("42",))
    assert excerpt("short", ("42",)) == "short"


@pytest.mark.parametrize("text", ["</script>", "<!--", "]]>", "\u2028\u2029", "\u202e", "&lt;", "\x7f\x00", "\ud800"])
def test_the_island_holds_any_text_and_no_markup(text):
    found = json_script({"a": [text]})
    assert not set(found) & set("<>&\u2028\u2029\u202e\x7f")
    assert json.loads(found) == {"a": [text]}
    found.encode()


def test_the_island_refuses_what_is_no_json():
    with pytest.raises(ValueError, match="JSON"):
        json_script({"a": float("nan")})
