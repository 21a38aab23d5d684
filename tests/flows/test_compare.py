"""Two result folders, written as `rarefy evaluate` writes them, with a protocol of the test's own."""

import json
from dataclasses import MISSING, fields, replace
from io import StringIO

import numpy as np
import pytest
from pydantic import BaseModel
from rich.console import Console

from rarefy.data_contracts.rows import Answer, Chunk, Question, Score, Trial, Variant
from rarefy.data_contracts.tables import to_table
from rarefy.flows.api import Comparison as Compared
from rarefy.flows.cli import main
from rarefy.flows.compare import check_rules, compare, gate
from rarefy.flows.faults import Fault, RegressionFault, UsageFault
from rarefy.flows.reports import comparison_report
from rarefy.tasks.evaluate.protocols import PROTOCOLS
from rarefy.tasks.evaluate.protocols.frame import slices
from rarefy.tasks.evaluate.protocols.protocol import Protocol
from rarefy.tasks.evaluate.statistics import StatisticsConfig
from rarefy.tasks.evaluate.statistics.compare import Difference
from rarefy.tasks.export.files import put_file

QUICK = StatisticsConfig(draws=500, permutations=500)
CELLS = ("gold", "typos", "retrieved")


class TinyConfig(BaseModel, frozen=True, extra="forbid"):
    strict: bool = False


def tiny_measures(frame, config):
    """The share of right answers in all, by pattern and by cell."""
    for slice_, part in slices(frame, ("pattern", "cell")):
        yield part.mean("overall", slice_, headline=slice_ == "all")
    refused = np.where(frame.rows["status"] == "scored", frame.rows["refused"].astype(float), np.nan)
    yield frame.mean("refused", "all", refused, limits=(1.0, 0.0))


@pytest.fixture(autouse=True)
def tiny(monkeypatch):
    protocol = Protocol(
        "tiny",
        "Tiny",
        "0000.00000",
        TinyConfig,
        "",
        True,
        "",
        lambda case, config: iter(()),
        tiny_measures,
        lambda *a: "",
    )
    monkeypatch.setitem(PROTOCOLS, "tiny", protocol)


def question(at: int) -> Question:
    record = {
        "question_id": f"q{at:04}",
        "path_id": f"p{at}",
        "pattern": "single" if at % 2 else "chain",
        "text": f"What is {at}?",
        "answer": str(at),
        "chunk_ids": (f"c{at // 4}",),
    }

    blank = {"str": "", "int": 0, "float": 0.0, "bool": False}
    for field in fields(Question):
        if field.name not in record and field.default is MISSING and field.default_factory is MISSING:
            record[field.name] = blank.get(str(getattr(field.type, "__name__", field.type)), ())
    return Question(**record)


def chunk(at: int) -> Chunk:
    return Chunk(f"c{at}", f"d{at // 5}", 0, 1, "text", "", "a", 1)


def trials(questions: int, cells=CELLS) -> list[Trial]:
    return [
        Trial(f"t{at:04}{cell}", "tiny", f"q{at:04}", cell, "passages", f"v{at}")
        for at in range(questions)
        for cell in cells
    ]


def result(
    folder,
    systems,
    *,
    questions=120,
    put_to=None,
    version="v1",
    strict=False,
    correctness=True,
    takes=("passages",),
    **meta,
):
    """A result's folder: of each system a function from (trial, a number drawn for it) to a Score's fields."""
    rows = put_to or trials(questions)
    answers, scores = [], []
    for name, right in systems.items():
        for row in rows:
            drawn = float(np.random.default_rng([ord(one) for one in row.question_id + row.cell]).random())
            told = right(row, drawn)
            if told is None:
                continue  # nobody asked
            answers.append(Answer(row.trial_id, name, row.trial_id, "text", error=told.get("error", "")))
            value = told.get("value")
            status = told.get("status", "scored" if value is not None else "failed")
            scores.append(
                Score(row.trial_id, name, "tiny", row.question_id, status, value, refused=told.get("refused", False))
            )
    tables = {
        "trials": to_table(rows, Trial),
        "answers": to_table(answers, Answer),
        "scores": to_table(scores, Score),
        "questions": to_table([question(at) for at in range(questions)], Question),
        "chunks": to_table([chunk(at) for at in range(questions // 4 + 1)], Chunk),
        "variants": to_table([], Variant),
    }
    for name, table in tables.items():
        put_file(folder / f"{name}.parquet", table)
    about = {
        "schema": 1,
        "figures": [],
        "benchmark": {"version": version},
        "systems": {name: {"kind": "rag", "takes": takes, "retrieves": False, "identity": {}} for name in systems},
        "protocols": {"tiny": {"title": "Tiny", "paper": "", "options": [{"name": "strict", "value": strict}]}},
        "correctness": [{"name": "guards", "value": correctness}],
        "retrieval": {"retriever": "bm25"},
        "left_out": [],
        "package": {"rarefy": "0.1"},
        **meta,
    }
    (folder / "summary.json").write_text(json.dumps(about))
    return folder


def knows(share: float):
    """A system that is right in this share of the trials, and whoever knows more is right in these too."""
    return lambda row, drawn: {"value": float(drawn < share), "refused": drawn > 0.95}


@pytest.fixture
def pair(tmp_path):
    return result(tmp_path / "a", {"old": knows(0.6)}), result(tmp_path / "b", {"new": knows(0.75)})


def shown(comparison) -> str:
    said = StringIO()
    comparison_report.show(comparison, Console(file=said, width=130))
    return said.getvalue()


def test_what_changed_from_one_result_to_the_other(pair):
    found = compare(*pair, config=QUICK)
    headline, *rest = found.differences
    assert (headline.metric, headline.slice, headline.headline, headline.verdict) == ("overall", "all", True, "better")
    assert headline.difference == pytest.approx(0.15, abs=0.05) and headline.clusters == 120
    assert {(row.metric, row.slice) for row in rest} == {
        ("refused", "all"),
        *(("overall", f"pattern={name}") for name in ("single", "chain")),
        *(("overall", f"cell={name}") for name in CELLS),
    }
    assert {row.slice: row.family for row in rest} == {row.slice: 1 if row.slice == "all" else 5 for row in rest}
    (told,) = found.paired
    assert (told.shared, told.common, told.questions, told.lost) == (360, 360, 120, 0)
    assert told.won == round(headline.difference * 360) and told.exact < 0.001
    assert found.remarks == ()


def test_only_trials_that_both_sides_scored_count(tmp_path):
    def fails(row, drawn):
        return {"error": "timeout"} if drawn > 0.97 else {"value": 1.0} if drawn > 0.02 else None

    a, b = result(tmp_path / "a", {"old": knows(0.6)}), result(tmp_path / "b", {"new": fails})
    found = compare(a, b, config=QUICK)
    (told,) = found.paired
    assert 340 < told.common == told.scored_second < told.scored_first == told.shared == 360
    assert found.differences[0].n_first == found.differences[0].n_second == told.common
    assert f"{told.common} trials of 120 questions scored on both sides, of 360 put to both" in shown(found)


def test_where_too_few_are_scored_on_both_sides_nothing_is_said(tmp_path):
    def fails(row, drawn):
        return {"error": "http_500"} if drawn > 0.9 else {"value": 1.0}

    a, b = result(tmp_path / "a", {"old": knows(0.6)}), result(tmp_path / "b", {"new": fails})
    found = compare(a, b, config=QUICK)
    assert found.differences[0].verdict == "too few" and found.differences[0].difference is None
    assert "withheld:" in shown(found).replace("\n", "")
    with pytest.raises(Fault, match="cannot be told: overall of tiny: withheld") as told:
        gate(found, ["overall rises 30 points"])
    assert told.value.code == 4


def test_a_rule_is_decided_where_it_holds_whatever_the_unscored_answers_are(tmp_path, capsys):
    def judged(share):
        return lambda row, drawn: {"status": "missing"} if drawn > 0.9 else {"value": float(drawn < share)}

    a, b = result(tmp_path / "a", {"old": judged(0.8)}), result(tmp_path / "b", {"new": judged(0.4)})
    found = compare(a, b, config=QUICK)
    assert found.differences[0].difference is None  # some 40 points, and 10 more or less
    rules = ("overall drops 2 points", "overall drops 2 points surely", "overall rises 2 points")
    rules += ("overall drops 90 points", "overall drops 40 points", "overall where cell=typos drops 5 points")
    checked = check_rules(found, rules).rules
    assert [one.came for one in checked] == ["broken", "broken", "kept", "kept", "not decided", "broken"]
    least = "whatever the answers without a score are, overall of tiny drops by at least "
    assert checked[0].why.startswith(least) and checked[2].why.startswith(least)
    assert checked[3].why.startswith("whatever the answers without a score are, overall of tiny drops by at most ")
    with pytest.raises(RegressionFault, match="broken: whatever the answers without a score are"):
        Compared(found).check("overall drops 2 points")
    assert main(["compare", str(a), str(b), "--fail-if", "overall drops 2 points"]) == 3
    assert "broken (whatever the answers without a score are" in capsys.readouterr().out
    assert main(["compare", str(a), str(b), "--fail-if", "overall rises 2 points"]) == 0


def test_results_of_different_benchmark_versions_are_compared_on_what_both_have(tmp_path):
    a = result(tmp_path / "a", {"x": knows(0.6)}, questions=100)
    b = result(tmp_path / "b", {"x": knows(0.6)}, questions=120, put_to=trials(120)[60:], version="v2")
    found = compare(a, b, config=QUICK)
    (told,) = found.paired
    assert (told.first, told.second, told.shared, told.questions) == (300, 240, 240, 80)
    said = " ".join(shown(found).split())
    assert "benchmark: versions v1 and v2; compared on the questions that are the same in both" in said
    assert "A alone had 60 more" in said and "0 only in A and 20 only in B are not counted" in said


def test_without_a_trial_in_common_there_is_nothing_to_compare(tmp_path):
    a = result(tmp_path / "a", {"x": knows(0.6)}, put_to=trials(100)[:150])
    b = result(tmp_path / "b", {"x": knows(0.6)}, put_to=trials(100)[150:])
    with pytest.raises(UsageFault, match="no trial is scored in both"):
        compare(a, b, config=QUICK)


def test_results_made_with_other_options_are_refused_and_compared_anyway_when_asked(tmp_path):
    a = result(tmp_path / "a", {"x": knows(0.6)}, strict=True, correctness=False)
    b = result(tmp_path / "b", {"x": knows(0.6)})
    with pytest.raises(UsageFault, match=r"(?s)correctness.guards: false in .*tiny.strict: true in .*--anyway") as told:
        compare(a, b, config=QUICK)
    assert told.value.code == 2
    found = compare(a, b, config=QUICK, anyway=True)
    assert any(line.startswith("tiny.strict: true") for line in found.remarks)


def test_what_else_differs_is_said(tmp_path):
    a = result(tmp_path / "a", {"x": knows(0.6)})
    b = result(tmp_path / "b", {"x": knows(0.6)}, retrieval={"retriever": "dense"}, package={"rarefy": "0.2"})
    found = compare(a, b, config=QUICK)
    assert found.remarks == (
        "retrieval: not the same on both sides (retriever: bm25 and dense)",
        "package: not the same on both sides (rarefy: 0.1 and 0.2)",
    )


def test_two_systems_of_one_folder(tmp_path):
    a = result(tmp_path / "a", {"old": knows(0.6), "new": knows(0.8)})
    found = compare(a, a, config=QUICK, systems=("old", "new"))
    assert (found.first.system, found.second.system) == ("old", "new")
    assert found.differences[0].verdict == "better"
    with pytest.raises(UsageFault, match="has several systems: say which with --system; there: new, old"):
        compare(a, a, config=QUICK)
    with pytest.raises(UsageFault, match="has no system 'mine'; there: new, old"):
        compare(a, a, config=QUICK, systems=["mine"])
    with pytest.raises(UsageFault, match="two systems can be compared, not 3"):
        compare(a, a, config=QUICK, systems=["old", "new", "old"])


def test_the_order_of_rows_changes_no_digit(pair, tmp_path):
    import pyarrow.parquet as pq

    found = compare(*pair, config=QUICK)
    for folder in pair:
        for name in ("trials", "answers", "scores", "questions", "chunks"):
            table = pq.read_table(folder / f"{name}.parquet")
            order = np.random.default_rng(1).permutation(table.num_rows)
            put_file(folder / f"{name}.parquet", table.take(order))
    assert compare(*pair, config=QUICK).differences == found.differences


def test_results_that_share_too_few_questions_for_a_verdict_are_told_so_with_the_way_out(tmp_path):
    a, b = (result(tmp_path / name, {name: knows(share)}, questions=8) for name, share in (("a", 0.3), ("b", 0.9)))
    said = shown(compare(a, b, config=QUICK)).replace("\n", " ")
    assert "share 8 questions at most, and of fewer than 10 nothing is called better, worse or tied" in said
    assert "evaluate both on more (--questions N, --split all)" in said


def test_documents_are_the_clusters_where_asked(pair):
    found = compare(*pair, config=QUICK.model_copy(update={"cluster": "document"}))
    assert found.differences[0].clusters == 6  # 120 questions, four to a chunk, five chunks to a document
    assert found.differences[0].verdict == "too few"


def test_a_broken_rule_is_exit_code_3_and_a_kept_one_is_none(pair):
    found, back = compare(*pair, config=QUICK), compare(*reversed(pair), config=QUICK)
    gate(found, ["overall drops 2 points", "tiny drops 1 percent", "refused rises 50 points"])
    with pytest.raises(RegressionFault, match="rule 'overall drops 2 points' broken: overall of tiny dropped") as told:
        gate(back, ["refused rises 50 points", "overall drops 2 points"])
    assert told.value.code == 3
    for rule, says in (
        ("overall sinks", "is no rule"),
        ("RR drops 2 points", "there is: overall of tiny, refused of tiny"),
    ):
        with pytest.raises(UsageFault, match=says):
            gate(found, [rule])


@pytest.mark.parametrize(
    ("spoil", "says"),
    [
        (lambda folder: (folder / "summary.json").unlink(), "holds no result"),
        (lambda folder: (folder / "summary.json").write_text("<html>"), "is not a summary of"),
        (lambda folder: (folder / "summary.json").write_text("[]"), "is not a summary of"),
        (lambda folder: (folder / "summary.json").write_text('{"schema": 1, "systems": {}}'), "is not a summary of"),
        (lambda folder: (folder / "scores.parquet").unlink(), "is not there: the result is not whole"),
        (lambda folder: (folder / "scores.parquet").write_text("gone"), "cannot be read"),
    ],
)
def test_a_folder_that_is_no_result_is_named_with_the_way_out(pair, spoil, says):
    spoil(pair[1])
    with pytest.raises(UsageFault, match=says):
        compare(*pair, config=QUICK)


def test_a_result_of_another_schema_or_with_options_of_another_version_is_refused(tmp_path):
    a = result(tmp_path / "a", {"x": knows(0.6)})
    with pytest.raises(UsageFault, match="is a result of schema 7, not 1"):
        compare(a, result(tmp_path / "b", {"x": knows(0.6)}, schema=7), config=QUICK)
    odd = {"tiny": {"title": "", "paper": "", "options": [{"name": "gone", "value": 1}]}}
    with pytest.raises(UsageFault, match="does not know these options of tiny"):
        compare(*(result(tmp_path / n, {"x": knows(0.6)}, protocols=odd) for n in "cd"), config=QUICK)


def test_protocols_are_chosen_among_those_that_both_have(pair):
    assert compare(*pair, config=QUICK, protocols=["tiny"]).paired[0].protocol == "tiny"
    with pytest.raises(UsageFault, match="no rare in both results; both have: tiny"):
        compare(*pair, config=QUICK, protocols=["rare"])


def test_the_files_hold_everything_and_markup_stays_text(tmp_path):
    a = result(tmp_path / "a", {"<b>[red]old|": knows(0.6)})
    b = result(tmp_path / "b", {"new": knows(0.75)})
    found = compare(a, b, config=QUICK)
    comparison_report.write_comparison(tmp_path / "out", found)
    told = json.loads((tmp_path / "out" / "comparison.json").read_text())
    assert [row["verdict"] for row in told["differences"]] == [row.verdict for row in found.differences]
    assert told["trials"][0]["common"] == 360 and told["statistics"]["draws"] == 500
    text = (tmp_path / "out" / "comparison.md").read_text()
    assert "\\<b\\>\\[red\\]old\\|" in text and "<b>" not in text.replace("\\<b", "")
    widths = {line.replace("\\|", "").count("|") for line in text.splitlines() if line.startswith("| tiny overall")}
    assert widths == {13, 8}
    assert "[red]old" in shown(found)


def test_what_is_skipped_on_a_side_is_not_compared(tmp_path):
    rows = trials(120)
    some = [replace(row, skipped_because="no_variant") if row.cell == "typos" else row for row in rows]
    a = result(tmp_path / "a", {"x": knows(0.6)})
    b = result(tmp_path / "b", {"x": lambda row, drawn: None if row.skipped_because else {"value": 1.0}}, put_to=some)
    (told,) = compare(a, b, config=QUICK).paired
    assert (told.first, told.second, told.shared) == (360, 240, 240)


def test_what_became_of_each_rule_is_printed_and_written(pair, tmp_path):
    rules = ["overall drops 2 points", "overall rises 1 point", "RR drops 2 points"]
    found = check_rules(compare(*pair, config=QUICK), rules)
    assert [one.came for one in found.rules] == ["kept", "broken", "not decided"]
    comparison_report.write_comparison(tmp_path / "out", found)
    told = json.loads((tmp_path / "out" / "comparison.json").read_text())
    assert [(one["rule"], one["came"]) for one in told["rules"]] == [(one.rule, one.came) for one in found.rules]
    assert "- overall drops 2 points: kept (overall of tiny rose" in (tmp_path / "out" / "comparison.md").read_text()
    lines = [line for line in shown(found).splitlines() if line.startswith("rule ")]
    assert [line.partition(" (")[0] for line in lines] == [f"rule {one.rule}: {one.came}" for one in found.rules]


def test_the_verdict_is_one_line_and_the_rest_is_told_where_it_is_asked_for(pair, tmp_path, capsys):
    better = comparison_report.describe_verdict(compare(*pair, config=QUICK))
    assert better.startswith("new against old: better: tiny overall +") and better.endswith("over 120 questions")
    worse = comparison_report.describe_verdict(compare(pair[1], pair[0], config=QUICK))
    assert worse.startswith("old against new: worse: tiny overall -") and "points [" in worse
    same = comparison_report.describe_verdict(compare(pair[0], pair[0], config=QUICK))
    assert same.startswith("no difference shown: tiny overall +0.0 points") and "headline numbers within" in same
    assert main(["compare", *map(str, pair)]) == 0
    (line,) = capsys.readouterr().out.splitlines()  # of more draws than above
    assert line.startswith(better.partition(" [")[0]) and line.endswith("over 120 questions")
    assert main(["compare", *map(str, pair), "--verbose", "--fail-if", "overall rises 2 points"]) == 3
    long = capsys.readouterr().out
    assert long.splitlines()[0] == line and "Headlines" in long and len(long.splitlines()) > 20


def test_an_interval_without_zero_that_shows_nothing_is_explained(pair):
    found = compare(pair[0], pair[0], config=QUICK)
    assert "leaves out 0" not in comparison_report.describe_verdict(found)
    row = Difference("effect_size", "H", "all", 0.5, 0.4, -0.034, -0.068, -0.009, p=0.02, holm=0.08, family=4)
    row = replace(row, clusters=99, headline=True)

    def verdict(**changes):
        return comparison_report.describe_verdict(replace(found, differences=[replace(row, **changes)]))

    assert verdict().endswith(
        "; the interval of effect size H leaves out 0, but of 4 numbers looked at together one may do so by chance: "
        "corrected for that (Holm) p is 0.080, above 0.05"
    )
    assert verdict(p=0.2).endswith("leaves out 0, but the permutation test gives p 0.200, above 0.05")
    assert "leaves out 0" not in verdict(low=-0.07, high=0.01)


def unchanged(questions: int) -> list[Trial]:
    """Of each question as it stands: what was retrieved for it, and the closed book."""
    return [
        one
        for at in range(questions)
        for one in (
            Trial(f"r{at:04}", "tiny", f"q{at:04}", "retrieved", "passages", f"v{at}", retriever="bm25"),
            Trial(f"c{at:04}", "tiny", f"q{at:04}", "closed", "closed_book", f"v{at}"),
        )
    ]


def first_line(a, b) -> str:
    return comparison_report.describe_verdict(compare(a, b, config=QUICK)).splitlines()[0]


def test_answers_without_passages_are_not_what_a_comparison_begins_with(tmp_path):
    asked = [row for row in unchanged(30) if row.given == "closed_book" or row.question_id < "q0012"]
    takes = ("passages", "closed_book")

    def right_before(name):
        return {"x": lambda row, _: {"value": float(row.question_id < name and row.given == "passages")}}

    a, b = (
        result(tmp_path / name, right_before(at), put_to=asked, takes=takes)
        for name, at in (("a", "q0005"), ("b", "q0009"))
    )
    assert compare(a, b, config=QUICK).paired[0].common == 42  # 30 of them without passages
    assert first_line(a, b).startswith(
        "right in 5 → 9 of 12 answers to the same 12 unchanged questions (retrieved passages): too few to say"
    )
    closed = [row for row in asked if row.given == "closed_book"]
    c = result(tmp_path / "c", {"x": knows(0.5)}, put_to=closed, takes=takes)
    assert "(no passages)" in first_line(c, c)


def test_where_too_little_is_scored_what_both_sides_scored_is_told(tmp_path):
    def scores(right, judged):
        return lambda row, _: (
            {"value": float(row.question_id < right)} if row.question_id < judged else {"status": "missing"}
        )

    unscored = {"answers": 36, "judge": 10, "failed": 0, "missing": 0, "unscored": 10, "mostly": {}}
    told = {"findings": {"x": {"unscored": unscored}}}
    asked = [row for row in unchanged(36) if row.given == "passages"]
    a, b = (
        result(tmp_path / name, {"x": scores(right, judged)}, put_to=asked, **told)
        for name, right, judged in (("a", "q0009", "q0030"), ("b", "q0014", "q0021"))
    )
    assert first_line(a, b).endswith(
        "(retrieved passages): withheld, 21 of 36 trials scored on both sides; of these 9 → 14 right; "
        "name a judge, or count the rest as wrong, to have all of them"
    )
    said = " ".join(shown(compare(a, b, config=QUICK)).split())
    assert said.count("rarefy rescore") == said.count("-wrong") == 2  # of both folders, each beside it


def test_losses_stand_before_gains_and_a_gain_of_what_is_mostly_wrong_has_its_caution(pair):
    """A system that is never right keeps all its answers as they are: that is no gain to begin with."""
    found = compare(*pair, config=QUICK)
    row = found.differences[0]
    sure = [
        replace(row, protocol="sure", metric="RR"),
        replace(row, protocol="rare", metric="Overall", verdict="worse"),
    ]
    blank = {"system": "new", "protocol": "sure", "slice": "all", "headline": True, "withheld": False, "figure_id": ""}
    figures = [{**blank, "metric": name, "value": value} for name, value in (("base accuracy", 0.05), ("RR", 0.98))]
    figures = [{**one, "figure_id": one["metric"]} for one in figures]
    about = {**found.second.about, "figures": figures}
    said = comparison_report.describe_verdict(
        replace(found, differences=tuple(sure), second=replace(found.second, about=about))
    )
    first, mind = said.splitlines()
    assert first.index("worse on rare Overall") < first.index("better on sure RR")
    assert mind.startswith("mind, sure of B: 0.980 of its answers stay") and mind.endswith("only 5 % are right")
