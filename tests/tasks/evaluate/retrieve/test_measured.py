"""What hits come to, by numbers worked out by hand."""

import math
from pathlib import Path
from typing import Any

import pytest

from rarefy.data_contracts.rows import Chunk, Hits, Question, Variant
from rarefy.tasks.evaluate.retrieve import RetrieveConfig, measured
from rarefy.tasks.evaluate.retrieve.measured import AnswersConfig, MeasuredConfig, answer_forms, credit_gold
from rarefy.tasks.evaluate.retrieve.trec import write_qrels, write_run
from rarefy.tasks.evaluate.statistics.measure import Measure

CONFIG = RetrieveConfig.model_validate({"retrievers": ("bm25",), "depth": 10, "depth_reworded": 5})
CHUNKS = {
    name: Chunk(name, "d", 0, len(text), "text", "", text, 0)
    for name, text in {
        "a": "Sales were $47.5 billion.",
        "b": "The board met in March.",
        "c": "Sales were 47,525 million dollars.",
        "d": "No notes are due.",
        "e": "Nothing.",
    }.items()
}


def question(name: str, gold: tuple[str, ...], answer: str = "$47.5 billion", **told: Any) -> Question:
    fields = {"pattern": "single", "domain": "finance", "aliases": ()} | told
    return Question(
        name,
        "p",
        text=f"{name}?",
        answer=answer,
        triplet_ids=(),
        chunk_ids=gold,
        evidence=(),
        evidence_spans=(),
        **fields,
    )


QUESTIONS = {
    "q1": question("q1", ("a",)),
    "q2": question("q2", ("a", "b"), pattern="chain", answer="March"),
    "q3": question("q3", ("d",), answer="no", domain="economics"),
    "q4": question("q4", ("c",), rejected_because="unclear"),
}
VARIANTS = {
    row.variant_id: row
    for row in (
        Variant("v1", "q1", "query", "none", "q1?"),
        Variant("v1t", "q1", "query", "typos", "q1 ?"),
        Variant("v2", "q2", "query", "none", "q2?"),
        Variant("v2t", "q2", "query", "typos", "q2 ?"),
        Variant("v2r", "q2", "query", "typos", "q2 ?!", rejected_because="unchanged"),
        Variant("v4", "q4", "query", "none", "q4?"),
    )
}


def hits(query_id: str, question_id: str, *found: str, best: tuple[str, ...] = ()) -> Hits:
    return Hits(f"h{query_id}", "bm25", query_id, question_id, found, tuple(1.0 for _ in found), best or found[:3])


HITS = [
    hits("v1", "q1", "e", "a", "b"),
    hits("v2", "q2", "b", "e", "d", "a"),
    hits("q3", "q3", "d", "a"),
    hits("v1t", "q1", "e", "d", "c"),
    hits("v4", "q4", "c"),
]


def told(rows: list[Hits] | None = None, **options: Any) -> dict[tuple[str, str], Measure]:
    made = measured(rows or HITS, QUESTIONS, CHUNKS, VARIANTS, CONFIG, MeasuredConfig.model_validate(options))
    return {(row.slice.removeprefix("retriever=bm25, perturbation="), row.metric): row for row in made}


def value(measure: Measure) -> float:
    return float(measure.numerator.sum() / measure.denominator.sum())


def test_ranks_are_measured_as_by_hand() -> None:
    found = told()
    assert value(found["none", "Recall@1"]) == pytest.approx((0 + 1 / 2 + 1) / 3)
    assert value(found["none", "Recall@3"]) == pytest.approx((1 + 1 / 2 + 1) / 3)
    assert value(found["none", "Recall@5"]) == 1
    assert value(found["none", "MRR@5"]) == pytest.approx((1 / 2 + 1 + 1) / 3)
    assert value(found["none", "MAP@5"]) == pytest.approx((1 / 2 + (1 + 2 / 4) / 2 + 1) / 3)
    ideal = 1 + 1 / math.log2(3)
    assert value(found["none", "nDCG@5"]) == pytest.approx((1 / math.log2(3) + (1 + 1 / math.log2(5)) / ideal + 1) / 3)


def test_sums_are_by_question_in_the_order_of_their_names() -> None:
    found = told()["none", "Recall@1"]
    assert found.numerator.tolist() == [0, 0.5, 1] and found.denominator.tolist() == [1, 1, 1]
    assert (found.counts.scored, found.counts.missing, found.counts.skipped, found.unit) == (3, 0, 0, "wordings")


def test_equal_scores_count_in_the_order_in_which_they_are_shown() -> None:
    assert value(told([hits("v1", "q1", "a", "b", "e")])["none", "MRR@5"]) == 1
    assert value(told([hits("v1", "q1", "e", "b", "a")])["none", "MRR@5"]) == pytest.approx(1 / 3)


def test_only_questions_of_several_gold_chunks_can_be_covered_whole() -> None:
    found = told()
    assert value(found["none", "all gold@3"]) == 0 and value(found["none", "all gold@5"]) == 1
    assert (found["none", "all gold@3"].counts.scored, found["none", "all gold@3"].counts.skipped) == (1, 2)
    assert value(found["none", "all gold@best"]) == 0
    assert value(found["none", "Recall@best"]) == pytest.approx((1 + 1 / 2 + 1) / 3)


def test_an_answer_is_found_where_any_of_its_forms_stands_exactly() -> None:
    found = told()
    assert value(found["none", "gold recall@1"]) == 0.5  # q1: "e" does not hold it; q2: "b" holds March
    assert value(found["none", "gold recall@3"]) == 1
    assert found["none", "gold recall@3"].counts.skipped == 1  # "no" stands in any passage
    alias = {**QUESTIONS, "q1": question("q1", ("a",), aliases=("47,525 million",))}
    for questions, expected in ((QUESTIONS, [0, 0, 0]), (alias, [1, 0, 0])):
        made = measured([hits("v1", "q1", "c")], questions, CHUNKS, VARIANTS, CONFIG)
        assert next(row for row in made if row.metric == "gold recall@1").numerator.tolist() == expected


def test_how_answers_are_looked_for_is_an_option() -> None:
    other = question("q", ("a",), answer="MARCH", aliases=("the board", " ", "No"))
    assert answer_forms(other) == (("MARCH", "the board"),) and answer_forms(other, every=False) == (("MARCH",),)
    assert answer_forms(question("q", (), answer="Yes")) == ()
    rows = [hits("v1", "q1", "b")]
    upper = {**QUESTIONS, "q1": question("q1", ("b",), answer="MARCH")}
    for casefold in (False, True):
        options = MeasuredConfig(answers=AnswersConfig(casefold=casefold))
        made = measured(rows, upper, CHUNKS, VARIANTS, CONFIG, options)
        assert next(value(row) for row in made if row.metric == "gold recall@1") == float(casefold)


def test_other_wordings_are_set_against_the_original_and_missing_ones_counted() -> None:
    found = told()
    typos = found["typos", "Recall@5"]
    assert value(typos) == 0 and (typos.counts.scored, typos.counts.missing) == (1, 1)
    against = found["typos", "Recall@5 against the original"]
    assert value(against) == -1 and against.limits == (-1.0, 1.0)
    assert ("typos", "Recall@1") not in found


def test_slices_are_of_pattern_domain_and_hops() -> None:
    found = told()
    labels = {label for label, metric in found if metric == "Recall@5"}
    assert labels == {"none", "typos"} | {
        f"none, {one}"
        for one in (
            "pattern=chain",
            "pattern=single",
            "domain=economics",
            "domain=finance",
            "hops=multi",
            "hops=single",
        )
    }
    assert value(found["none, pattern=chain", "Recall@1"]) == 0.5
    assert found["none, pattern=chain", "Recall@1"].counts.scored == 1


def test_the_order_of_hits_changes_nothing() -> None:
    whole, turned = told(), told(HITS[::-1])
    assert list(whole) == list(turned)
    for name, measure in whole.items():
        assert measure.numerator.tolist() == turned[name].numerator.tolist()
        assert measure.counts == turned[name].counts


def test_a_run_file_says_what_the_hits_say_and_trec_eval_reads_it(tmp_path: Path) -> None:
    import ir_measures

    rows = [
        Hits("x", "bm25", name, question_id, found, scores)
        for name, question_id, found, scores in (
            ("v1", "q1", ("e", "a"), (2.5, 1.25)),
            ("v2", "q2", ("b", "e", "a"), (3.0, 2.0, 1.0)),
        )
    ]
    assert write_run(tmp_path / "bm25.run", rows) == 5
    assert (tmp_path / "bm25.run").read_text().splitlines()[1] == "v1 Q0 a 2 1.25 bm25"
    # v1, v1t, v2 (two chunks each), v2t, and q3 under its own name; what was rejected is not there
    assert write_qrels(tmp_path / "qrels", QUESTIONS, VARIANTS.values()) == 7
    found = ir_measures.calc_aggregate(
        [ir_measures.R @ 1, ir_measures.RR],
        list(ir_measures.read_trec_qrels(str(tmp_path / "qrels"))),
        list(ir_measures.read_trec_run(str(tmp_path / "bm25.run"))),
    )
    assert found[ir_measures.RR] == pytest.approx((1 / 2 + 1) / 5)  # of the five wordings in the qrels


def test_a_run_of_two_retrievers_is_refused(tmp_path: Path) -> None:
    rows = [Hits("x", name, "v1", "q1", ("a",), (1.0,)) for name in ("bm25", "dense")]
    with pytest.raises(ValueError, match="a run is of one retriever"):
        write_run(tmp_path / "both", rows)


def test_a_passage_that_states_the_same_counts_as_the_gold_one_and_once(tmp_path: Path) -> None:
    asked = question("q1", ("a", "b"), alternatives=(("c", "d"), ()))
    assert credit_gold(asked, ("e", "d", "a", "b"))[0] == ["e", "a", "a again", "b"]
    made = {}
    for first in ("a", "c"):
        rows = measured([hits("q1", "q1", first, "d", "b")], {"q1": asked}, CHUNKS, {}, CONFIG)
        made[first] = {row.metric: value(row) for row in rows if row.metric[:6] in ("Recall", "MRR@10", "all go")}
    assert made["a"] == made["c"] and made["a"]["Recall@5"] == 1
    write_qrels(tmp_path / "qrels", {"q1": asked}, ())
    assert (tmp_path / "qrels").read_text().splitlines() == ["q1 0 a 1", "q1 0 c 1", "q1 0 d 1", "q1 1 b 1"]


def test_passages_that_state_the_parts_of_a_gold_one_count_with_the_last_of_them():
    asked = question("q1", ("a", "b"), alternatives=(("f",), ()), parts=(("a", "c"), ("a", "c", "d"), ("a", "e")))
    assert credit_gold(asked, ("d", "c", "b", "e", "a"))[0] == ["d", "c", "b", "a", "a again"]
    assert credit_gold(asked, ("c", "f", "e"))[0] == ["c", "a", "e"]
    made = {}
    for last in ("e", "d"):
        rows = measured([hits("q1", "q1", "c", "b", last)], {"q1": asked}, CHUNKS, {}, CONFIG)
        made[last] = {row.metric: value(row) for row in rows if row.metric in ("Recall@5", "all gold@5")}
    assert made == {"e": {"Recall@5": 1, "all gold@5": 1}, "d": {"Recall@5": 0.5, "all gold@5": 0}}
