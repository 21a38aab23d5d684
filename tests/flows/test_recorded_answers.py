"""Answers made elsewhere are scored as if the system had been asked: the template, and what comes of it filled in."""

import csv
import dataclasses
import json
import shutil
import subprocess
from pathlib import Path

import known
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from evaluated import evaluate

from rarefy.data_contracts.rows import Passage
from rarefy.flows import evaluate as evaluation
from rarefy.flows import recorded_answers
from rarefy.flows.cli import main
from rarefy.flows.engine.benchmark_folder import open_benchmark
from rarefy.tasks.evaluate.systems.interface import SystemInput
from rarefy.tasks.evaluate.systems.recorded import LeftOutLine, load_answers
from rarefy.tasks.store.tables import Store

RARE = ("--protocol", "rare")


@pytest.fixture(scope="module")
def place(known_place, tmp_path_factory, api):
    """The benchmark of the known systems, and a store of its own."""
    folder = tmp_path_factory.mktemp("recorded")
    shutil.copytree(known_place / "bench", folder / "bench")
    shutil.copy(known_place / "my.toml", folder)
    return folder


def run(place, *told):
    return main([*map(str, told), "--store", str(place / "store"), "--config", str(place / "my.toml"), "--quiet"])


@pytest.fixture(scope="module")
def template(place):
    """The lines to fill in."""
    out = place / "template.jsonl"
    assert run(place, "export", place / "bench", "--to", "answers-template", "--out", out, *RARE) == 0
    return [json.loads(line) for line in out.read_text("utf-8").splitlines()]


def fill(place, name, lines):
    (place / name).write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return place / name


def answered(line):
    """The answer that the system `biased` gives, made of nothing but what the line says."""
    passages = line["passages"]
    shown = passages and tuple(Passage(one["id"], one["text"], one["title"]) for one in passages)
    asked = SystemInput("", line["question"], () if passages == [] else shown)
    return {"id": line["id"], "answer": known.biased(asked)}


def figures(folder):
    rows = pq.read_table(folder / "figures.parquet").to_pylist()
    return {
        (row["protocol"], row["metric"], row["slice"]): {**row, "system": "", "figure_id": ""}
        for row in rows
        if row["system"]
    }


def scores(folder):
    rows = pq.read_table(folder / "scores.parquet").to_pylist()
    return {row["trial_id"]: {**row, "system": ""} for row in rows}


def score(place, file, out, *more):
    return run(place, "score", file, "--bench", place / "bench", "--out", place / out, *RARE, *more)


def test_the_template_asks_each_thing_once_and_gives_no_answer_away(template):
    assert len({line["id"] for line in template}) == len(template) > 300
    assert {tuple(line) for line in template} == {("id", "question", "passages", "answer", "selection")}
    assert template[0]["selection"] == {"protocol": ["rare"]}
    kinds = {line["id"].partition("-")[0]: line["passages"] for line in reversed(template)}
    assert kinds["own"] is None and kinds["closed_book"] == [] and set(kinds["passages"][0]) == {"id", "title", "text"}
    assert all(line["answer"] is None for line in template)


def test_the_result_is_that_of_a_system_that_gives_these_answers(place, template, capsys):
    assert evaluate(place, "asked", "--system", "known:biased", *RARE) == 0
    takes = [line for line in template if line["passages"] is not None]  # it does not retrieve
    file = fill(place, "elsewhere.jsonl", map(answered, takes))
    assert score(place, file, "scored") == 0
    assert scores(place / "scored") == scores(place / "asked")
    assert figures(place / "scored") == figures(place / "asked") != {}
    same = {path.name for path in (place / "asked").iterdir()} - {"run.json"}  # of systems that must be asked anew
    assert {path.name for path in (place / "scored").iterdir()} == same
    summary = json.loads((place / "scored" / "summary.json").read_bytes())
    assert list(summary["systems"]) == ["elsewhere"] and summary["systems"]["elsewhere"]["kind"] == "recorded"


def test_what_is_not_filled_in_is_missing_and_what_answers_nothing_is_named(place, template, capsys):
    lines = [answered(line) if place_ % 2 else line for place_, line in enumerate(template)]
    asked = [*lines, {"id": "own-0000", "answer": "Oslo"}, {"answer": "Oslo"}, {**lines[1], "answer": "another"}]
    file = fill(place, "half.jsonl", asked)
    told = ["score", str(file), "--bench", str(place / "bench"), "--out", str(place / "half"), *RARE]
    assert main([*told, "--store", str(place / "store"), "--config", str(place / "my.toml")]) == 0
    found = scores(place / "half").values()
    assert {row["why"] for row in found if row["status"] == "missing"} == {"not_answered"}
    assert {row["status"] for row in found} == {"scored", "missing"}
    left_out = [json.loads(line) for line in (place / "half" / "left_out.jsonl").read_text().splitlines()]
    assert {row["reason"] for row in left_out} == {"unknown", "no_id", "answered_twice"}
    assert next(row for row in left_out if row["reason"] == "unknown")["name"] == "own-0000"
    said = capsys.readouterr().err
    assert "3 lines of half.jsonl answer nothing" in said
    assert "answers are missing" in said and "answers failed" not in said and "run again" not in said
    answers = pq.read_table(place / "half" / "answers.parquet").to_pylist()
    details = {row["detail"].replace(row["asked_id"], "ID") for row in answers if row["error"]}
    assert details <= {
        f"the line of {kind}-ID in half.jsonl has no answer" for kind in ("own", "passages", "closed_book")
    }


def test_what_the_template_asked_is_scored_where_nothing_else_is_given(place, capsys):
    out, bench = place / "few.jsonl", place / "bench"
    few = ("--takes", "own", "--questions", "3")
    assert run(place, "export", bench, "--to", "answers-template", "--out", out, *RARE, *few) == 0
    lines = [json.loads(line) for line in out.read_text("utf-8").splitlines()]
    assert lines[0]["selection"] == {"protocol": ["rare"], "questions": 3}
    filled = [{**answered(line), "selection": line["selection"]} for line in lines]
    told = ["--bench", str(bench), "--store", str(place / "store"), "--config", str(place / "my.toml")]
    capsys.readouterr()
    assert main(["score", str(fill(place, "few.jsonl", filled)), *told, "--out", str(place / "few")]) == 0
    said = capsys.readouterr().err
    assert "Scored for what its template asked: --protocol rare --questions 3" in said and "are missing" not in said
    assert {row["status"] for row in scores(place / "few").values()} == {"scored"}
    bare = fill(place, "bare.jsonl", [{**line, "selection": None} for line in filled])
    assert main(["score", str(bare), *told, *RARE, "--out", str(place / "bare")]) == 0
    said = capsys.readouterr().err
    assert f"bare.jsonl answers {len(lines):,} of the " in said and "--questions of its template" in said
    wrong = fill(place, "wrong.jsonl", [{**filled[0], "selection": {"question": 3}}])
    assert main(["score", str(wrong), *told, "--out", str(place / "wrong")]) == 2
    assert "`selection` is not that of a template" in capsys.readouterr().err


def test_of_a_few_answers_their_questions_alone_are_retrieved_for_and_scored(place, template, capsys):
    shown = next(line for line in template if line["passages"])
    asked = [line for line in template if line["question"] == shown["question"]]
    told = ["--bench", str(place / "bench"), "--store", str(place / "store"), "--config", str(place / "my.toml"), *RARE]
    file = fill(place, "three.jsonl", [{**answered(line), "question": line["question"]} for line in asked])
    assert main(["score", str(file), *told, "--out", str(place / "three")]) == 0
    rows = scores(place / "three").values()
    (name,) = {row["question_id"] for row in rows}
    assert {row["question_id"] for row in pq.read_table(place / "three" / "hits.parquet").to_pylist()} == {name}
    whole = scores(place / "asked")  # of a system that does not retrieve
    of_three = {row["trial_id"]: row["value"] for row in rows if row["status"] == "scored"}
    both = of_three.keys() & whole.keys()
    assert len(of_three) >= len(asked) > 1 and len(both) > 1
    assert all(of_three[trial_id] == whole[trial_id]["value"] for trial_id in both)
    said = capsys.readouterr().err
    assert "1 of the " in said and "questions that are asked here have an answer; the others are left out" in said
    assert not (place / "three" / "left_out.jsonl").exists()


def test_a_line_without_an_id_answers_its_question(place, template):
    """As a trace has it: the question, and what was said; in a file of cells."""
    own = [line for line in template if line["passages"] is None]
    with (place / "traces.csv").open("w", newline="") as file:
        writer = csv.DictWriter(file, ["question", "answer", "retrieved"])
        writer.writeheader()
        for line in own:
            found = json.dumps([{"id": "mine", "text": "Somewhere.", "score": 0.5}])
            row = {"question": f" {line['question']} ", "answer": answered(line)["answer"], "retrieved": found}
            writer.writerow(row)
    assert score(place, place / "traces.csv", "traces") == 0
    assert {row["status"] for row in scores(place / "traces").values()} == {"scored"}
    answers = pq.read_table(place / "traces" / "answers.parquet").to_pylist()
    assert {passage["passage_id"] for row in answers for passage in row["retrieved"]} == {"mine"}
    summary = json.loads((place / "traces" / "summary.json").read_bytes())
    assert summary["systems"]["traces"]["takes"] == ["own"]


def test_of_a_system_that_retrieves_itself_nothing_is_retrieved_and_the_figures_are_the_same(
    place, template, monkeypatch
):
    own = [{**answered(line), "question": line["question"]} for line in template if line["passages"] is None]
    file = fill(place, "own.jsonl", own)
    retrieve = evaluation._retrieve
    with monkeypatch.context() as patch:
        patch.setattr(evaluation, "_find_hits", lambda run, opened, _, config: retrieve(run, opened, config))
        assert score(place, file, "retrieved") == 0
    monkeypatch.setattr(evaluation, "_retrieve", lambda *_: pytest.fail("passages are retrieved for nothing"))
    assert score(place, file, "found") == 0
    assert pq.read_table(place / "retrieved" / "hits.parquet").num_rows
    assert not pq.read_table(place / "found" / "hits.parquet").num_rows
    assert figures(place / "found") == figures(place / "retrieved") != {}
    assert scores(place / "found") == scores(place / "retrieved")


@pytest.mark.parametrize(
    ("lines", "says"),
    [
        ([{"id": "own-1", "answer": "Oslo"}], "none of its 1 answers is to what is asked here"),
        ([{"id": "own-1", "answer": None}], "no line has an answer"),
    ],
)
def test_a_file_that_answers_nothing_is_a_mistake_of_usage(place, template, lines, says, capsys):
    assert score(place, fill(place, "none.jsonl", lines), "none") == 2
    assert says in capsys.readouterr().err
    assert not (place / "none" / "summary.json").exists()


def test_a_question_of_another_split_is_said_to_be_so(place, template, monkeypatch, tmp_path, capsys):
    """All questions of the benchmark are of the test split: here the others are of training."""
    store = Store(str(place / "store"))
    opened = open_benchmark(place / "bench", store, split="all")
    table = store.table(opened.questions)
    first = table["text"][0].as_py()
    train = table.set_column(table.schema.get_field_index("split"), "split", pa.array(["train"] * table.num_rows))
    other = dataclasses.replace(opened, questions=store.keep(train))
    monkeypatch.setattr(recorded_answers, "open_benchmark", lambda *_, **__: other)
    lines = [LeftOutLine("line 1", name, "unknown", "") for name in (first, "Who?")]
    named = recorded_answers._name_split(lines, place / "bench", store, "test")
    assert [one.reason for one in named] == ["other_split", "unknown"]
    assert recorded_answers._name_split(lines, place / "bench", store, "all") == lines
    recorded_answers._write_left_out(tmp_path, place / "my.csv", named, quiet=False)
    said = f"(line 1: {first} is a question of the train split, which is not asked here; --split all asks it; line 1: "
    assert said in capsys.readouterr().err


def test_changed_wordings_are_counted_and_a_file_of_no_template_is_not_sent_to_its_options(place, template, capsys):
    rows = (place / "bench" / "questions.jsonl").read_text("utf-8").splitlines()
    unchanged = {json.loads(row)["text"] for row in rows}
    own = [line for line in template if line["passages"] is None]
    asked = [{"question": line["question"], "answer": "Oslo"} for line in own if line["question"] in unchanged]
    file = fill(place, "stand.jsonl", asked)
    told = ["score", str(file), "--bench", str(place / "bench"), "--out", str(place / "stand"), *RARE]
    assert main([*told, "--store", str(place / "store"), "--config", str(place / "my.toml")]) == 0
    said = capsys.readouterr().err
    rest = len(own) - len(asked)
    assert f"all of these {rest} because changed wordings of questions are asked, too. Fill them in\n" in said
    assert score(place, fill(place, "who.jsonl", [{"question": "Who?", "answer": "Oslo"}]), "who") == 2
    assert "give the benchmark that asks it\n" in capsys.readouterr().err


def test_a_file_that_is_not_there_is_named(place, capsys):
    assert score(place, place / "no.jsonl", "none") == 2
    assert "no.jsonl: No such file" in capsys.readouterr().err


def test_an_answer_that_changes_in_the_file_is_read_anew(place, template):
    own = [line for line in template if line["passages"] is None]
    assert score(place, fill(place, "mine.jsonl", [{**line, "answer": "Atlantis"} for line in own]), "mine") == 0
    assert {row["value"] for row in scores(place / "mine").values()} == {0.0}
    right = [{**line, "answer": known.right(SystemInput("", line["question"]))} for line in own]
    assert score(place, fill(place, "mine.jsonl", right), "mine") == 0
    assert 1.0 in {row["value"] for row in scores(place / "mine").values()}


QUESTION = "Where is company 4 based?"


def snippet(language):
    """The code of this language in docs/exchange.md that makes answers of traces."""
    page = (Path(__file__).parents[2] / "docs" / "exchange.md").read_text("utf-8").partition("### From traces")[2]
    return page.partition(f"```{language}\n")[2].partition("```")[0]


def read_back(folder):
    answers = load_answers(str(folder / "answers.jsonl"))
    return {question: record["answer"] for question, record in answers.by_question.items()}, answers.left_out


@pytest.mark.skipif(not shutil.which("jq"), reason="jq is not installed")
def test_traces_of_langfuse_become_answers(tmp_path):
    traces = [
        {"id": "t1", "name": "rag", "input": {"question": QUESTION}, "output": {"answer": "Turku"}, "metadata": {}},
        {"id": "t2", "name": "rag", "input": "Where is company 5 based?", "output": "Malmo", "latency": 0.4},
    ]
    fill(tmp_path, "traces.jsonl", traces)
    subprocess.run(["sh", "-c", snippet("sh")], cwd=tmp_path, check=True)
    assert read_back(tmp_path) == ({QUESTION: "Turku", "Where is company 5 based?": "Malmo"}, [])


def test_spans_of_phoenix_become_answers(tmp_path, monkeypatch):
    spans = [
        {"context.trace_id": "a", "parent_id": None, "attributes.openinference.span.kind": "CHAIN",
         "attributes.input.value": QUESTION, "attributes.output.value": "Turku"},
        {"context.trace_id": "a", "parent_id": "1", "attributes.openinference.span.kind": "LLM",
         "attributes.input.value": "a prompt", "attributes.output.value": "Turku"},
    ]  # fmt: skip
    pq.write_table(pa.Table.from_pylist(spans), tmp_path / "spans.parquet")
    monkeypatch.chdir(tmp_path)
    exec(snippet("python"), {})
    assert read_back(tmp_path) == ({QUESTION: "Turku"}, [])
