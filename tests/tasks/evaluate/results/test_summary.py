"""The summary: stable, complete, and what its schema says."""

import json
import math
import random

import pytest

from rarefy.tasks.evaluate.results import check, summary
from rarefy.tasks.evaluate.results.summary import DIGITS
from rarefy.tasks.evaluate.results.wording import join_slice, natural_key, parse_slice, slice_fields
from rarefy.tasks.evaluate.statistics import round_digits


def test_a_summary_keeps_its_schema_and_all_that_was_told(told, numbers):
    found = summary(told, numbers)
    check(found)
    assert {name: found[name] for name in told} == told
    assert len(found["figures"]) == len(numbers)
    json.dumps(found, allow_nan=False)


def test_no_order_of_the_numbers_changes_a_byte(told, numbers):
    first = json.dumps(summary(told, numbers))
    for seed in range(3):
        again = random.Random(seed).sample(numbers, len(numbers))
        assert json.dumps(summary(told, again)) == first


def test_headlines_come_first_and_in_the_order_of_the_paper(told, numbers):
    rows = [row for row in summary(told, numbers)["figures"] if row["system"] == "plain" and row["protocol"] == "rare"]
    assert [row["metric"] for row in rows[:2]] == ["Overall Robustness", "Query Robustness"]
    assert not rows[2]["headline"]


def test_numbers_of_retrieval_come_in_families_and_each_by_its_depth(told, changed):
    names = ["all gold@5", "gold recall@5", "MAP@10", "Recall@10", "nDCG@10", "Recall@5", "MRR@10"]
    numbers = [changed(name, 0.5, "retriever=bm25", system="", protocol="retrieval") for name in names]
    assert [row["metric"] for row in summary(told, numbers)["figures"]] == [
        "Recall@5", "Recall@10", "MRR@10", "nDCG@10", "MAP@10", "gold recall@5", "all gold@5",
    ]  # fmt: skip


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_what_is_no_number_is_null_and_noted(told, changed, value):
    row = summary(told, [changed("PDR", value, low=math.nan, high=1.0)])["figures"][0]
    assert row["value"] is None
    assert row["low"] is None
    assert row["note"] == "undefined"


def test_floats_are_rounded_to_six_digits_and_zero_has_no_sign():
    assert round_digits(0.123456789, DIGITS) == 0.123457
    assert round_digits(123456.789, DIGITS) == 123457.0
    assert math.copysign(1, round_digits(-0.0, DIGITS)) == 1
    assert round_digits(None, DIGITS) is None


def test_coverage_counts_failed_and_missing_but_not_skipped(told, changed):
    row = summary(told, [changed("RR", 0.5, n_scored=60, n_failed=20, n_missing=20, n_skipped=900)])["figures"][0]
    assert row["coverage"] == 0.6
    assert summary(told, [changed("RR", None, n_scored=0)])["figures"][0]["coverage"] is None


def test_a_foreign_file_is_refused_with_its_place(told, numbers):
    found = summary(told, numbers)
    found["figures"][3]["n_scored"] = "many"
    with pytest.raises(ValueError, match="figures/3/n_scored"):
        check(found)
    with pytest.raises(ValueError, match="schema"):
        check({**summary(told, numbers), "schema": 2})


@pytest.mark.parametrize(
    ("slice_", "names"),
    [
        ("all", {}),
        ("", {}),
        ("k=10", {"k": "10"}),
        ("perturbation=typos, retriever=bm25", {"perturbation": "typos", "retriever": "bm25"}),
        ("entity=Apple, Inc., period=fiscal year 2024", {"entity": "Apple, Inc.", "period": "fiscal year 2024"}),
        ("entity=a = b, k=5", {"entity": "a = b", "k": "5"}),
        ("subset=K-G;type=style", {"subset": "K-G", "type": "style"}),
        ("NoRAG", {"": "NoRAG"}),
    ],
)
def test_a_slice_is_read_as_names_and_values(slice_, names):
    assert slice_fields(slice_) == names
    assert slice_fields(join_slice(names)) == names


def test_values_stand_as_a_reader_counts():
    assert sorted(["10", "5", "100", "25"], key=natural_key) == ["5", "10", "25", "100"]
    assert sorted(["shuffled", "reversed", "original"], key=natural_key) == ["original", "reversed", "shuffled"]
    assert sorted(["1500+", "300-599", "0-299"], key=natural_key) == ["0-299", "300-599", "1500+"]
    assert sorted(["typos", "none", "case"], key=natural_key)[0] == "none"


def test_parsing_is_the_same_however_often():
    assert parse_slice("a=1, b=2") is parse_slice("a=1, b=2")
