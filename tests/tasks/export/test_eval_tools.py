"""Folders for evaluation tools of others: what is in them, and that the tools run them where they are installed."""

import csv
import io
import json
import os
import subprocess
import sys
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path

import known
import pytest
import yaml

import rarefy
from rarefy.data_contracts.rows import Chunk, Question, Variant
from rarefy.data_contracts.tables import from_record
from rarefy.tasks.evaluate.correct.single import judge_answer
from rarefy.tasks.export.eval_tools import TARGETS, cases, export_for_tool


@pytest.fixture(scope="module")
def rows(tmp_path_factory):
    """Questions, variants and chunks of two questions."""
    bench = known.benchmark(tmp_path_factory.mktemp("tools") / "bench", 2)
    tables = (("questions", Question), ("variants", Variant), ("chunks", Chunk))
    questions, variants, chunks = (
        [from_record(json.loads(line), kind) for line in (bench / f"{name}.jsonl").open()] for name, kind in tables
    )
    return questions, variants, {row.chunk_id: row for row in chunks}


def write(folder, target, rows):
    for name, content in export_for_tool(target, *rows).items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(b"".join(content))
    return folder


def lines(file):
    return [json.loads(line) for line in file.read_text("utf-8").splitlines()]


def test_a_case_is_a_wording_with_its_gold_passages_or_one_of_them_changed(rows):
    made = list(cases(*rows))
    assert len({case["id"] for case in made}) == len(made)
    mine = [case for case in made if case["question_id"] == rows[0][0].question_id]
    assert {case["perturbation"] for case in mine} == {"none", *known.QUERY, *known.DOCUMENT}
    for case in mine:
        changed = case["side"] == "document"
        assert case["contexts"][0].startswith("Report of company 0\n")
        assert (f"\n{case['perturbation']}: " in case["contexts"][0]) is changed
        assert (case["question"] == rows[0][0].text) is (changed or case["perturbation"] == "none")
        assert case["question"] in case["prompt"] and case["contexts"][0] in case["prompt"]


def test_what_was_rejected_or_has_lost_its_answer_is_no_case(rows):
    questions, variants, chunks = rows
    rejected = [replace(row, rejected_because="same_text") for row in variants]
    assert {case["perturbation"] for case in cases(questions, rejected, chunks)} == {"none"}
    assert "answer_deleted" not in {case["perturbation"] for case in cases(*rows)}


@pytest.mark.parametrize("target", TARGETS)
def test_every_folder_has_all_cases_and_judges_by_our_rule(tmp_path, rows, target):
    folder = write(tmp_path / target, target, rows)
    made = lines(folder / "cases.jsonl")
    assert made == list(cases(*rows))
    for file in folder.glob("*.py"):
        compile(file.read_text(), str(file), "exec")
    command = f"import rarefy_rule as r; print(r.judge({made[0]['question_id']!r}, 'It is Oslo.'))"
    environment = {**os.environ, "PYTHONPATH": str(Path(rarefy.__path__[0]).parent)}
    done = subprocess.run(
        [sys.executable, "-c", command], cwd=folder, env=environment, capture_output=True, text=True, check=True
    )
    assert done.stdout.startswith("(1.0, ")


def test_promptfoo_has_a_test_for_each_case(tmp_path, rows):
    folder = write(tmp_path, "promptfoo", rows)
    config = yaml.safe_load((folder / "promptfooconfig.yaml").read_text())
    named = [config["tests"], config["defaultTest"]["assert"][0]["value"]]
    assert all((folder / name.removeprefix("file://")).is_file() for name in named)
    tests = json.loads((folder / "tests.json").read_text())
    assert [one["vars"]["prompt"] for one in tests] == [case["prompt"] for case in cases(*rows)]


def test_lm_eval_has_a_task_for_each_perturbation(tmp_path, rows):
    folder = write(tmp_path, "lm-eval", rows)
    found = {case["perturbation"] for case in cases(*rows)}
    assert {path.name for path in folder.glob("*.yaml")} == {"rarefy.yaml", *(f"rarefy_{n}.yaml" for n in found)}
    assert sum(len(lines(folder / f"{name}.jsonl")) for name in found) == len(lines(folder / "cases.jsonl"))
    assert set(yaml.safe_load((folder / "rarefy.yaml").read_text())["task"]) == {f"rarefy_{name}" for name in found}


def test_the_csv_of_langsmith_has_a_row_for_each_case(tmp_path, rows):
    text = (write(tmp_path, "langsmith-csv", rows) / "examples.csv").read_text("utf-8")
    table = list(csv.DictReader(io.StringIO(text, newline="")))
    assert [row["id"] for row in table] == [case["id"] for case in cases(*rows)]
    assert json.loads(table[0]["contexts"]) == next(cases(*rows))["contexts"]


def test_one_answer_is_judged_as_in_an_evaluation(rows):
    question = rows[0][0]
    assert judge_answer(question, "Oslo").value == 1.0
    refused = judge_answer(question, "I don't know.")
    assert refused.refused and refused.value == 0.0
    assert judge_answer(question, "somewhere in the north of the country").status == "missing"  # for a judge


RUN = {  # with a model that needs no network
    "inspect": ("inspect_ai", ["-m", "inspect_ai", "eval", "inspect_task.py", "--model", "none", "--solver", "rag.py"]),
    "lm-eval": ("lm_eval", ["-m", "lm_eval", "--include_path", ".", "--tasks", "rarefy", "--model", "dummy"]),
}
SOLVER = """\
from inspect_ai.model import ModelOutput
from inspect_ai.solver import solver


@solver
def rag():
    async def solve(state, generate):
        state.output = ModelOutput.from_content("rag", "Oslo")
        state.completed = True
        return state

    return solve
"""


@pytest.mark.parametrize("target", RUN)
def test_the_tool_itself_runs_the_folder(tmp_path, rows, target):
    package, arguments = RUN[target]
    if not find_spec(package):
        pytest.skip(f"{package} is not installed")
    folder = write(tmp_path, target, rows)
    (folder / "rag.py").write_text(SOLVER)
    environment = {**os.environ, "PYTHONPATH": str(Path(rarefy.__path__[0]).parent), "HF_HUB_OFFLINE": "1"}
    done = subprocess.run([sys.executable, *arguments], cwd=folder, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "butter_fingers" in done.stdout
