"""Two versions of a benchmark: what is compared, what is told apart, and that the one is never mixed into the other."""

import json
from dataclasses import MISSING, fields, replace
from io import StringIO

import numpy as np
import pytest
from pydantic import BaseModel
from rich.console import Console

from rarefy.data_contracts.rows import Answer, Chunk, Passage, Question, Score, Span, Trial, Variant, row_id
from rarefy.data_contracts.tables import to_table
from rarefy.flows.compare import RIGHT, compare, gate
from rarefy.flows.engine.comparison_inputs import compare_questions, pair_trials
from rarefy.flows.faults import RegressionFault, UndecidedFault, UsageFault
from rarefy.flows.reports import comparison_report
from rarefy.tasks.evaluate.protocols import PROTOCOLS
from rarefy.tasks.evaluate.protocols.protocol import Protocol
from rarefy.tasks.evaluate.statistics import StatisticsConfig
from rarefy.tasks.export.files import put_file

QUICK = StatisticsConfig(draws=400, permutations=400)


class PlainConfig(BaseModel, frozen=True, extra="forbid"):
    pass


@pytest.fixture(autouse=True)
def plain(monkeypatch):
    def measures(frame, config):
        yield frame.mean("overall", "all", headline=True)

    told = ("plain", "Plain", "0000.00000", PlainConfig, "", True, "", lambda *a: iter(()), measures, lambda *a: "")
    monkeypatch.setitem(PROTOCOLS, "plain", Protocol(*told))


def question(name: str, **told) -> Question:
    blank = {"str": "", "int": 0, "float": 0.0, "bool": False}
    record = {"question_id": name, "pattern": "single", "text": f"What is {name}?", "answer": name, "evidence": (name,)}
    for field in fields(Question):
        if field.name not in record and field.default is MISSING and field.default_factory is MISSING:
            record[field.name] = blank.get(str(getattr(field.type, "__name__", field.type)), ())
    gold = f"gold {name}"
    spans = (Span(gold, 0, len(name)),)
    return Question(**{**record, "chunk_ids": (gold,), "evidence_spans": spans, **told})


def chunk(name: str, text: str = "") -> Chunk:
    return Chunk(name, "d", 0, 1, "text", "", text or name, 1)


def trial(of: str, cell: str, *passage_ids: str, given: str = "passages", **told) -> Trial:
    name = row_id("trial", of, cell, given, *map(str, told.values()), *passage_ids)
    return Trial(name, "plain", of, cell, given, f"wording {of}", passage_ids=passage_ids, **told)


def result(folder, version, questions, trials, right, *, chunks=(), variants=(), retrieved=None):
    """A result's folder; `right` says whether a trial is."""
    retrieved = retrieved or {}
    rows = [one for one in trials if not one.skipped_because]
    answers = [
        Answer(one.trial_id, "x", one.trial_id, "said", retrieved=retrieved.get(one.question_id, ())) for one in rows
    ]
    scores = [Score(one.trial_id, "x", "plain", one.question_id, "scored", float(right(one))) for one in rows]
    named = {name for one in rows for name in one.passage_ids} | {name for one in questions for name in one.chunk_ids}
    there = {one.chunk_id: one for one in (*map(chunk, sorted(named)), *chunks)}
    tables = {
        "trials": (trials, Trial),
        "answers": (answers, Answer),
        "scores": (scores, Score),
        "questions": (questions, Question),
        "chunks": (there.values(), Chunk),
        "variants": (variants, Variant),
    }
    for name, (made, row_type) in tables.items():
        put_file(folder / f"{name}.parquet", to_table(made, row_type))
    system = {"kind": "rag", "takes": ["passages", "closed_book", "own"], "retrieves": True, "identity": {}}
    about = {
        "schema": 1,
        "figures": [],
        "benchmark": {"version": version},
        "systems": {"x": system},
        "protocols": {"plain": {"title": "Plain", "paper": "", "options": []}},
        "correctness": [],
        "retrieval": {},
        "left_out": [],
        "package": {},
    }
    (folder / "summary.json").write_text(json.dumps(about))
    return folder


def names(start: int, end: int) -> list[str]:
    return [f"q{at:03}" for at in range(start, end)]


def put_to(asked, found) -> list[Trial]:
    """Of each question its gold passage, what is retrieved in the order of ranks, and the closed book."""
    return [
        one
        for name in asked
        for one in (
            trial(name, "probe", given="closed_book"),
            trial(name, "gold", f"gold {name}"),
            trial(name, "retrieved", *found(name), retriever="bm25", k=2),
        )
    ]


def drawn(one: Trial) -> float:
    return float(np.random.default_rng([*map(ord, one.question_id + one.cell)]).random())


@pytest.fixture
def versions(tmp_path):
    """40 questions retired, 80 kept, 30 new; half of the kept ones find another passage in the new version, and every
    retrieved answer that was given another passage is wrong."""
    old, new = names(0, 120), names(40, 150)
    moved = set(names(40, 80))

    def right(one):
        return drawn(one) < 0.8 and not any(name.startswith("other") for name in one.passage_ids)

    a = put_to(old, lambda name: (f"near {name}", f"gold {name}"))
    b = put_to(new, lambda name: (f"other {name}" if name in moved else f"near {name}", f"gold {name}"))
    return (
        result(tmp_path / "a", "v1", list(map(question, old)), a, right),
        result(tmp_path / "b", "v2", list(map(question, new)), b, right),
    )


def test_drift_is_of_the_questions_that_are_the_same_and_of_no_others(versions):
    found = compare(*versions, config=QUICK)
    assert (len(found.core.kept), len(found.core.retired), len(found.core.new)) == (80, 40, 30)
    (told,) = found.paired
    assert (told.first, told.second, told.shared, told.common, told.questions) == (240, 240, 240, 240, 80)
    assert (told.other, told.unknown) == (40, 0)
    unchanged, headline = found.differences[:2]
    assert unchanged.metric == "right answers to unchanged questions (retrieved passages)" and unchanged.n_first == 80
    lost = told.lost
    assert told.won == 0 and lost > 20
    assert headline.difference == pytest.approx(-lost / 240) and headline.clusters == 80


def test_what_moved_with_retrieval_alone_is_told_from_what_the_system_did_with_the_same_passages(versions):
    rows = {row.slice: row for row in compare(*versions, config=QUICK).differences if row.metric == RIGHT}
    assert set(rows) == {"all", "passages=same", "passages=other"}
    same, other = rows["passages=same"], rows["passages=other"]
    assert (same.n_first, same.difference, same.clusters) == (200, 0.0, 80)
    assert (other.n_first, other.clusters, other.second, other.verdict) == (40, 40, 0.0, "worse")
    whole = rows["all"]
    assert whole.difference * 240 == pytest.approx(other.difference * 40)


def test_new_and_retired_questions_have_figures_of_their_own_which_change_no_difference(versions, tmp_path):
    found = compare(*versions, config=QUICK)
    told = {one.of: one for one in found.apart}
    assert {name: (one.questions, one.figure.n_scored, one.figure.clusters) for name, one in told.items()} == {
        "retired": (40, 120, 40),
        "new": (30, 90, 30),
    }
    assert all(one.figure.low < one.figure.value < one.figure.high for one in told.values())
    # a new version whose new questions all go wrong: the drift is the same to the last digit
    asked = names(40, 150)
    b = put_to(asked, lambda name: (f"{'other' if name in names(40, 80) else 'near'} {name}", f"gold {name}"))

    def right(one):
        return one.question_id < "q120" and drawn(one) < 0.8 and one.passage_ids[:1] != (f"other {one.question_id}",)

    other = compare(versions[0], result(tmp_path / "c", "v3", list(map(question, asked)), b, right), config=QUICK)
    assert other.differences == found.differences
    assert {one.of: one.figure.value for one in other.apart}["new"] == 0.0


def test_a_rule_holds_on_the_core_and_may_ask_for_the_same_passages_alone(versions):
    found = compare(*versions, config=QUICK)
    with pytest.raises(UndecidedFault, match="not decided: too few: by what 80 questions show"):
        gate(found, ["right answers where passages=same drops 1 points"])
    with pytest.raises(RegressionFault, match="overall of plain dropped"):
        gate(found, ["overall drops 5 points"])
    with pytest.raises(RegressionFault, match=r"right answers to unchanged questions \(retrieved passages\) of plain"):
        gate(found, ["right answers drops 5 points"])
    assert comparison_report.describe_verdict(found).startswith("right in ")
    with pytest.raises(RegressionFault, match="where passages=other"):
        gate(found, ["right answers of plain where passages=other drops 20 points surely"])


def test_it_is_said_what_is_compared_and_what_is_not(versions, tmp_path):
    found = compare(*versions, config=QUICK)
    said = StringIO()
    comparison_report.show(found, Console(file=said, width=100))
    comparison_report.write_comparison(tmp_path / "out", found)
    text = (tmp_path / "out" / "comparison.md").read_text()
    for told in (" ".join(said.getvalue().split()), " ".join(text.split())):
        assert "the 80 questions that read the same in both versions" in told
        assert "40 only in A and 30 only in B are not counted" in told
        assert "of 240 pairs 200 were shown the same passages, 40 others" in told
        assert "Not compared: questions of one version alone" in told
    whole = json.loads((tmp_path / "out" / "comparison.json").read_text())
    assert whole["core"]["kept"] == 80 and whole["core"]["new"] == names(120, 150)
    assert [(one["of"], one["figure"]["metric"]) for one in whole["apart"]] == [
        ("retired", "overall"),
        ("new", "overall"),
    ]


def test_a_question_whose_answer_reads_otherwise_is_in_no_drift_and_one_proved_elsewhere_is():
    first = [question(name) for name in names(0, 5)]
    second = [
        first[0],
        replace(first[1], answer="42"),
        replace(first[2], evidence=("it says so",)),
        replace(first[3], chunk_ids=("elsewhere",), retrievable=True, split="train"),
        replace(first[4], aliases=("an alias",)),
    ]
    found = compare_questions(to_table(first, Question), to_table(second, Question))
    assert found.kept == ("q000", "q002", "q003", "q004") and found.moved == ("q002",)
    assert found.changed == found.retired == found.new == ("q001",)


def test_trials_pair_by_what_they_ask_for_whatever_came_of_it():
    import pandas as pd

    def rows(*trials):
        return pd.DataFrame([{column: getattr(one, column) for column in Trial.__slots__} for one in trials])

    def row(cell="retrieved", *found, **told):
        return trial("q", cell, *found, **told)

    same = row("gold", "g")
    for old, new in (
        (row("retrieved", "a", "b", retriever="bm25", k=2), row("retrieved", "a", "c", retriever="bm25", k=2)),
        (
            row("ratio", "a", mix="relevant", ratio=0.5, bin="0-256"),
            row("ratio", "b", mix="relevant", ratio=0.5, bin="256-512"),
        ),
        (row("noise", "a", chunk_id="a", document="html"), row("noise", "b", chunk_id="b", document="html")),
    ):
        assert pair_trials(rows(same, old), rows(same, new)) == [
            (same.trial_id, same.trial_id),
            (old.trial_id, new.trial_id),
        ]
    for old, new in (
        (row("retrieved", "a", retriever="bm25"), row("retrieved", "b", retriever="dense")),
        (row("retrieved", "a", order="original"), row("retrieved", "b", order="reversed")),
        (row("length", "a", bin="0-256"), row("length", "b", bin="256-512")),
        (row("noise", "a", chunk_id="a", document="html"), row("noise", "b", chunk_id="b", document="json")),
    ):
        assert pair_trials(rows(same, old), rows(same, new)) == [(same.trial_id, same.trial_id)]


def test_a_document_that_noise_is_made_of_keeps_its_stand_in_for_all_its_changes():
    import pandas as pd

    def rows(*chunks, documents=("none", "html")):
        told = [trial("q", "noise", name + of, chunk_id=name, document=of) for name in chunks for of in documents]
        return pd.DataFrame([{column: getattr(one, column) for column in Trial.__slots__} for one in told])

    first, second = rows("a", "b"), rows("b", "c", documents=("html", "none"))
    about = {
        row.trial_id: (row.chunk_id, row.document) for side in (first, second) for row in side.itertuples(index=False)
    }
    found = {(about[old], about[new]) for old, new in pair_trials(first, second)}
    assert found == {((old, of), (new, of)) for old, new in (("b", "b"), ("a", "c")) for of in ("none", "html")}


def test_what_a_system_found_itself_is_the_same_where_it_says_so_and_unknown_where_it_says_nothing(tmp_path):
    asked = names(0, 60)
    trials = [trial(name, "own", given="own") for name in asked]
    found = {name: (Passage("", f"text {name}"),) for name in asked[:40]}
    moved = found | {name: (Passage("", f"other {name}"),) for name in asked[:10]}
    questions = list(map(question, asked))
    a = result(tmp_path / "a", "v1", questions, trials, drawn, retrieved=found)
    b = result(tmp_path / "b", "v2", questions, trials, drawn, retrieved=moved)
    (told,) = compare(a, b, config=QUICK).paired
    assert (told.common, told.other, told.unknown) == (60, 10, 20)


def test_the_same_name_with_another_title_is_another_passage(tmp_path):
    trials = [trial(name, "gold", f"gold {name}") for name in names(0, 30)]
    questions = list(map(question, names(0, 30)))
    a = result(tmp_path / "a", "v1", questions, trials, drawn)
    other = [replace(chunk(f"gold {name}"), title="Revised") for name in names(0, 7)]
    b = result(tmp_path / "b", "v2", questions, trials, drawn, chunks=other)
    (told,) = compare(a, b, config=QUICK).paired
    assert (told.common, told.other) == (30, 7)


def test_versions_without_a_question_in_common_cannot_be_compared(tmp_path):
    for name, asked in (("a", names(0, 20)), ("b", names(20, 40))):
        trials = [trial(one, "gold", "g") for one in asked]
        result(tmp_path / name, name, list(map(question, asked)), trials, drawn)
    with pytest.raises(UsageFault, match="no question reads the same in both versions"):
        compare(tmp_path / "a", tmp_path / "b", config=QUICK)


def test_a_question_of_another_name_and_the_same_words_is_paired_as_for_a_diff(tmp_path):
    """A document was renamed: its questions and their wordings have other names, and read as before."""

    def wording(name: str, perturbation: str) -> Variant:
        return Variant(row_id(name, perturbation), name, "query", perturbation, f"What is it? ({perturbation})")

    def put(name: str) -> list[Trial]:
        asked = [wording(name, one) for one in ("none", "typos")]
        return [
            replace(trial(name, one.perturbation, f"gold {name}"), query_id=one.variant_id, query=one.perturbation)
            for one in asked
        ]

    sides = []
    for version, prefix in (("v1", "old"), ("v2", "new")):
        asked = [question(f"{prefix}{at}", text=f"What is {at}?", answer=str(at)) for at in range(30)]
        variants = [wording(one.question_id, name) for one in asked for name in ("none", "typos")]
        trials = [one for row in asked for one in put(row.question_id)]
        sides.append(result(tmp_path / version, version, asked, trials, lambda one: True, variants=variants))
    found = compare(*sides, config=QUICK)
    assert len(found.core.kept) == 30 and not found.core.retired and not found.core.new
    (told,) = found.paired
    assert (told.shared, told.common, told.questions, told.other) == (60, 60, 30, 60)
