"""Trials of SURE: one document in each prompt, as it is and changed, and what the benchmark cannot fill (§000)."""

from collections import Counter

import pytest
from tried import Benchmark

from rarefy.tasks.evaluate.protocols import PROTOCOLS
from rarefy.tasks.evaluate.protocols.sure import TYPES, SureConfig, baselines, lacking, tried_perturbations, type_of
from rarefy.tasks.perturb.catalogue import CATALOGUE

ONE = SureConfig(perturbations=("json", "timestamp_pre"))


def benchmark() -> Benchmark:
    made = Benchmark()
    made.chunk("c0", "It is 42.")
    made.chunk("c1", "It has a name.")
    made.ask("q0", "c0")
    for name in ("json", "html", "timestamp_pre"):
        made.change("q0", "c0", name)
    return made


def test_each_document_stands_alone_in_its_prompt_beside_a_closed_book_probe() -> None:
    rows = benchmark().trials("sure", ONE)
    assert [(row.cell, row.given, row.document) for row in rows] == [
        ("probe", "closed_book", ""),
        ("golden", "passages", "none"),
        ("golden", "passages", "json"),
        ("golden", "passages", "timestamp_pre"),
        ("golden", "passages", "html"),  # what a page with metadata is held against
    ]
    assert all(len(row.passage_ids) == 1 and row.gold == 1 for row in rows[1:])
    assert {row.chunk_id for row in rows[1:]} == {"c0"}
    assert len({row.trial_id for row in rows}) == len(rows)


def test_what_the_benchmark_lacks_is_skipped_with_the_reason() -> None:
    made = benchmark()
    made.change("q0", "c0", "reverse_order", why="no_candidate")
    config = SureConfig(perturbations=("json", "reverse_order", "simple"))
    why = {row.document: row.skipped_because for row in made.trials("sure", config) if row.skipped_because}
    assert why == {"reverse_order": "no_candidate", "simple": "no_simple"}


def test_noise_does_not_hide_why_a_golden_document_lacks_a_change() -> None:
    made = benchmark()
    made.change("q0", "c0", "reverse_order", why="no_candidate")
    made.change("q0", "c1", "reverse_order", side="noise")
    rows = made.trials("sure", SureConfig(perturbations=("reverse_order",)))
    why = {(row.cell, row.document): row.skipped_because for row in rows}
    assert why["golden", "reverse_order"] == "no_candidate"
    assert why["noise", "reverse_order"] == ""


def test_noise_documents_are_the_rows_of_the_noise_side_and_hold_no_gold() -> None:
    made = benchmark()
    made.change("q0", "c1", "json", side="noise")
    rows = [row for row in made.trials("sure", ONE) if row.cell == "noise"]
    assert [(row.chunk_id, row.document, row.skipped_because) for row in rows] == [
        ("c1", "none", ""),
        ("c1", "json", ""),
        ("c1", "timestamp_pre", "no_timestamp_pre"),
        ("c1", "html", "no_html"),
    ]
    assert {row.gold for row in rows if row.passage_ids} == {0}
    without = made.trials("sure", ONE.model_copy(update={"noise": 0}))
    assert {row.cell for row in without} == {"probe", "golden"}


def test_a_question_of_several_chunks_is_left_out_and_counted() -> None:
    made = benchmark()
    made.ask("q1", "c0", "c1")
    rows = [row for row in made.trials("sure", ONE) if row.question_id == "q1"]
    assert [(row.cell, row.skipped_because) for row in rows] == [("golden", "multi_hop")]


def test_by_answer_the_chunk_with_the_answer_is_golden_and_the_others_are_noise() -> None:
    made = benchmark()
    made.ask("q1", "c0", "c1")
    for chunk in ("c0", "c1"):
        made.change("q1", chunk, "json")
    config = ONE.model_copy(update={"multi_hop": "by_answer"})
    cells = {
        (row.chunk_id, row.cell) for row in made.trials("sure", config) if row.question_id == "q1" and row.chunk_id
    }
    assert cells == {("c0", "golden"), ("c1", "noise")}


def test_a_rejected_question_is_not_asked() -> None:
    made = benchmark()
    made.questions = []
    assert made.trials("sure", ONE) == []


def test_metadata_alone_has_two_baselines() -> None:
    config = SureConfig()
    found = Counter(len(baselines(name, config)) for name in config.perturbations)
    assert found == {1: 11, 2: 4}
    assert baselines("timestamp_pre", config) == ("html", "none")
    assert baselines("timestamp_pre_as_printed", config) == ("html_as_printed", "none")
    assert baselines("json", config) == ("none",)
    assert baselines("mine:change", config) == ("none",)
    assert tried_perturbations(SureConfig(perturbations=("timestamp_pre",), metadata_baselines=("plain",))) == (
        "timestamp_pre",
    )


def test_the_types_are_those_of_the_catalogue() -> None:
    for type_, names in TYPES.items():
        assert {CATALOGUE[name].family for name in names} == {type_}
        assert {type_of(name) for name in names} == {type_}
    assert sum(map(len, TYPES.values())) == 15
    assert type_of("mine:change") == "mine:change"


def test_what_is_lacking_is_said() -> None:
    made, both = benchmark(), frozenset({"closed_book", "passages"})
    assert lacking(made.cases(), ONE, both) == ""
    assert "takes passages" in lacking(made.cases(), ONE, frozenset({"closed_book"}))
    assert "changed by any of simple" in lacking(made.cases(), SureConfig(perturbations=("simple",)), both)
    made.questions.clear()
    made.ask("q0", "c0", "c1")
    assert "by_answer" in lacking(made.cases(), ONE, both)


@pytest.mark.parametrize(
    "told",
    [{"perturbations": ()}, {"perturbations": ("json", "json")}, {"sig_systems": ("a",)}, {"sig_systems": ("a", "a")}],
)
def test_options_that_make_no_sense_are_refused(told: dict) -> None:
    with pytest.raises(ValueError):
        SureConfig(**told)


def test_the_protocol_is_the_papers() -> None:
    one = PROTOCOLS["sure"]
    assert (one.refusal, one.contained, one.judge) == ("NO-RES", True, "")
