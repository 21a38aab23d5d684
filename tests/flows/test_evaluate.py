"""An evaluation from end to end, with systems that are functions (see tests/known.py)."""

import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import known
import pyarrow.parquet as pq
import pytest
from evaluated import evaluate, systems

from rarefy.flows import evaluate as evaluating
from rarefy.flows.compare import compare
from rarefy.flows.config import Config
from rarefy.tasks.evaluate.statistics.config import StatisticsConfig

PROTOCOLS = ("rare", "sure", "retrieval_robustness", "effect_size", "magic_mushroom")


@pytest.fixture
def place(known_place):
    return known_place


@pytest.fixture
def results(known_results):
    return known_results


def test_every_system_is_tried_under_every_protocol(results):
    told = json.loads((results / "summary.json").read_bytes())
    assert set(told["protocols"]) == set(PROTOCOLS) and not told["left_out"]
    assert {(row["system"], row["protocol"]) for row in told["funnel"]} >= {
        (f"known:{name}", protocol) for name in ("right", "forgets") for protocol in PROTOCOLS
    }


def test_rare_counts_thirty_cells_and_a_probe_for_each_question(results):
    trials = pq.read_table(results / "trials.parquet").to_pylist()
    mine = [row for row in trials if row["protocol"] == "rare" and row["given"] != "own"]
    assert len(mine) == 31 * len(known.CITIES)
    assert sum(row["cell"] == "probe" for row in mine) == len(known.CITIES)


def test_an_evaluation_run_again_asks_nothing_and_writes_the_same(place, results):
    before = {path: path.read_bytes() for path in results.rglob("*") if path.is_file()}
    assert evaluate(place, "out", *systems()) == 0
    assert {path: path.read_bytes() for path in results.rglob("*") if path.is_file()} == before


@pytest.mark.machines
def test_workers_and_another_store_change_no_digit(place, api):
    assert evaluate(place, "one", "--system", "extractive", "--protocol", "rare") == 0
    assert evaluate(place, "two", "--system", "extractive", "--protocol", "rare", "--store", str(place / "other")) == 0
    arguments = ("--system", "extractive", "--protocol", "rare", "--workers", "2", "--store", str(place / "third"))
    assert evaluate(place, "three", *arguments) == 0
    for other in ("two", "three"):
        for name in ("figures", "scores", "trials"):
            assert (place / "one" / f"{name}.parquet").read_bytes() == (place / other / f"{name}.parquet").read_bytes()


def digits(results, *names):
    """Every figure of these systems alone and of retrieval, by what it is of; SIG is of two of all systems."""
    rows = pq.read_table(results / "figures.parquet").to_pylist()
    mine = [row for row in rows if row["system"] in ("", *(f"known:{name}" for name in names))]
    assert {row["system"] for row in mine} == {"", *(f"known:{name}" for name in names)}
    return {row.pop("figure_id"): row for row in mine if row["slice"] != "SIG"}


@pytest.mark.machines
def test_neither_order_of_rows_nor_workers_nor_store_changes_a_digit_of_any_figure(place, results):
    """Two systems that mind what they are shown, under all protocols, on the same benchmark written backwards."""
    shutil.copytree(place / "bench", place / "backwards")
    told = json.loads((place / "backwards" / "manifest.json").read_bytes())
    for name in told["files"]:
        path = place / "backwards" / name
        path.write_text("".join(reversed(path.read_text("utf-8").splitlines(keepends=True))), encoding="utf-8")
        told["files"][name] = hashlib.sha256(path.read_bytes()).hexdigest()
    (place / "backwards" / "manifest.json").write_text(json.dumps(told))
    arguments = (*systems("parrot", "biased"), "--workers", "2", "--store", str(place / "elsewhere"))
    assert evaluate(place, "forwards", *arguments, bench="backwards") == 0
    before, after = (digits(place / out, "parrot", "biased") for out in ("out", "forwards"))
    assert len(before) > 1000 and after == before


@pytest.mark.crash
def test_a_run_that_died_and_was_run_again_has_the_figures_of_one_that_did_not(place, results):
    arguments = [*systems("dies"), "--protocol", "rare", "--protocol", "magic_mushroom"]
    told = f"from pathlib import Path; from evaluated import evaluate; evaluate(Path({str(place)!r}), 'died'"
    told += f", *{arguments})"
    surroundings = {**os.environ, "KNOWN_DIES": "1", "PYTHONPATH": str(Path(known.__file__).parent)}
    assert subprocess.run([sys.executable, "-c", told], env=surroundings, check=False).returncode == 9
    assert not (place / "died" / "summary.json").exists()
    assert evaluate(place, "died", *arguments) == 0
    undisturbed = {
        (row["protocol"], row["metric"], row["slice"]): {**row, "system": ""}
        for row in digits(results, "biased").values()
        if row["system"] and row["protocol"] in ("rare", "magic_mushroom")
    }
    again = {
        (row["protocol"], row["metric"], row["slice"]): {**row, "system": ""}
        for row in digits(place / "died", "dies").values()
        if row["system"]
    }
    assert again == undisturbed


def test_a_trial_a_score_and_a_figure_belong_to_one_protocol_alone(results):
    """Section 6.6. What a system without prompts is asked is asked once, and scored by each protocol for itself."""
    tables = {name: pq.read_table(results / f"{name}.parquet").to_pylist() for name in ("trials", "scores")}
    protocol = {row["trial_id"]: row["protocol"] for row in tables["trials"]}
    assert len(protocol) == len(tables["trials"]) and set(protocol.values()) == set(PROTOCOLS)
    assert all(row["protocol"] == protocol[row["trial_id"]] for row in tables["scores"])
    assert len({(row["system"], row["trial_id"]) for row in tables["scores"]}) == len(tables["scores"])
    figures = pq.read_table(results / "figures.parquet").to_pylist()
    assert {row["protocol"] for row in figures} == {*PROTOCOLS, "retrieval"}
    assert len({(row["system"], row["protocol"], row["metric"], row["slice"]) for row in figures}) == len(figures)


def test_whatever_a_paper_leaves_open_is_printed_with_what_was_chosen(results):
    """Section 6.7, in all three forms of the result."""
    told = json.loads((results / "summary.json").read_bytes())
    config = Config()
    chosen = {("correct", option["name"]): option for option in told["correctness"]}
    for name, about in told["protocols"].items():
        chosen |= {(name, option["name"]): option for option in about["options"]}
    sections = {"correct": config.correct} | {name: getattr(config.protocols, name) for name in PROTOCOLS}
    plain, page = ((results / name).read_text("utf-8") for name in ("summary.md", "report.html"))
    tagged = 0
    for name, section in sections.items():
        for option, field in type(section).model_fields.items():
            extra = field.json_schema_extra or {}
            if extra.get("tag") not in ("open", "recon"):
                continue
            tagged += 1
            found, value = chosen[name, option], section.model_dump(mode="json")[option]
            value = "wrong" if (name, option) == ("correct", "unmatched") else value  # what my.toml says
            assert (found["value"], found["tag"], found["source"]) == (value, extra["tag"], extra["source"])
            assert extra["source"] and field.description
            assert re.search(rf"\| {option} +\|.*\| {extra['tag']} +\|", plain.replace("\\", "")), option
            assert f">{option}<" in page, option
    assert tagged >= 25
    for option in ("draws", "interval", "cluster"):
        assert option in told["statistics"]


def test_open_options_of_statistics_and_retrieval_are_printed_too(results):
    told = json.loads((results / "summary.json").read_bytes())
    found = {(row["of"], row["name"]): row["value"] for row in told["open"]}
    assert found["Statistics", "draws"] == 200  # what my.toml says
    assert found["Retrieval", "answers.casefold"] is False
    for name, field in type(Config().statistics).model_fields.items():
        extra = field.json_schema_extra or {}
        assert (("Statistics", name) in found) == (extra.get("tag") in ("open", "recon"))
    plain, page = ((results / name).read_text("utf-8") for name in ("summary.md", "report.html"))
    assert "| Statistics | draws |" in plain and "answers.casefold" in page


def test_a_benchmark_that_was_changed_by_hand_is_named(place, capsys):
    shutil.copytree(place / "bench", place / "touched")
    with (place / "touched" / "questions.jsonl").open("a") as file:
        file.write("\n")
    assert evaluate(place, "nothing", bench="touched") == 2
    assert "questions.jsonl is not the file that" in capsys.readouterr().err
    assert not (place / "nothing" / "summary.json").exists()


def test_what_is_no_benchmark_and_who_is_no_system_are_told_apart(place, capsys):
    (place / "empty").mkdir(exist_ok=True)
    assert evaluate(place, "nothing", bench="empty") == 2
    assert "no manifest.json" in capsys.readouterr().err
    assert evaluate(place, "nothing", "--system", "extractiv") == 2
    assert "did you mean 'extractive'" in capsys.readouterr().err
    assert evaluate(place, "nothing", "--protocol", "sur") == 2
    assert "did you mean 'sure'" in capsys.readouterr().err
    assert evaluate(place, "nothing", "--system", "nowhere:answer") == 2
    assert "nowhere" in capsys.readouterr().err


def test_the_folder_of_something_else_is_left_alone(place, capsys):
    (place / "mine").mkdir()
    (place / "mine" / "thesis.txt").write_text("…")
    assert evaluate(place, "mine") == 2
    assert "holds 'thesis.txt'" in capsys.readouterr().err


def test_the_headline_and_the_report_are_told(place, api, capsys):
    assert evaluate(place, "out2", "--system", "known:reads", "--protocol", "rare", quiet=False) == 0
    said = capsys.readouterr().out
    assert "Overall" in said and "report.html" in said


def test_a_system_that_answers_nothing_is_told_with_its_reason_and_asked_again_once_mended(
    place, results, capsys, monkeypatch
):
    arguments = (*systems("mute"), "--protocol", "rare", "--questions", "2")
    assert evaluate(place, "mute", *arguments) == 1
    told = capsys.readouterr().err
    assert "known:mute: none of " in told and "wrong_type" in told and "gave back NoneType" in told
    assert not (place / "mute" / "summary.json").exists()
    monkeypatch.setenv("KNOWN_SPEAKS", "1")
    assert evaluate(place, "mute", *arguments) == 0
    answers = pq.read_table(place / "mute" / "answers.parquet")
    assert set(answers["error"].to_pylist()) == {""} and answers.num_rows > 5


def test_what_failed_and_what_only_a_judge_can_score_is_told_while_it_runs(place, results, capsys):
    (place / "judge.toml").write_text("[statistics]\ndraws = 200\n")
    arguments = (*systems("rambles"), "--protocol", "rare", "--config", str(place / "judge.toml"))
    assert evaluate(place, "rambles", *arguments, quiet=False) == 0
    told = " ".join(capsys.readouterr().err.split())
    answers = pq.read_table(place / "rambles" / "answers.parquet")["error"].to_pylist()
    failed = answers.count("raised")
    assert 0 < failed < len(answers)
    assert f"{failed:,} of {len(answers):,} answers failed; run again to ask them again" in told
    assert f"{failed:,} raised: the function raised an exception (LookupError: no such index (known.py:" in told
    assert f"{len(answers) - failed:,} of {len(answers):,} answers of known:rambles need a judge" in told


def test_a_protocol_is_left_out_only_where_no_part_of_the_questions_has_anything_for_it(monkeypatch):
    wants = {"sure": "single", "effect_size": "choice"}
    for name, pattern in wants.items():
        lacking = lambda cases, options, takes, pattern=pattern: "" if pattern in cases else f"no {pattern}"  # noqa: E731
        monkeypatch.setitem(evaluating.PROTOCOLS, name, SimpleNamespace(lacking=lacking))
    read = []
    monkeypatch.setattr(evaluating, "_cases_of", lambda run, part: read.append(part) or part)
    run = SimpleNamespace(board=SimpleNamespace(note=lambda *words: None))
    systems = {"mine": SimpleNamespace(takes=("passages",))}
    parts = [["chain"], ["star", "single"], ["chain"]]
    left_out = evaluating._find_left_out(run, parts, systems, [*wants], Config())
    assert left_out == {("mine", "effect_size"): "no choice"} and read == parts


def test_questions_are_not_read_for_what_a_system_lacks(monkeypatch):
    monkeypatch.setattr(evaluating, "_cases_of", None)  # nobody calls it
    run = SimpleNamespace(board=SimpleNamespace(note=lambda *words: None))
    systems = {"mine": SimpleNamespace(takes=("own",))}
    left_out = evaluating._find_left_out(run, [["chain"]], systems, ["sure", "magic_mushroom"], Config())
    assert set(left_out) == {("mine", "sure"), ("mine", "magic_mushroom")} and all(left_out.values())


def test_the_retriever_of_a_system_that_says_what_it_found_is_measured_by_wording(place, api):
    """`finds` finds the gold passage under a name of its own, but for typos."""
    arguments = ("--system", "known:finds", "--system", "known:right", "--protocol", "rare")
    assert evaluate(place, "found", *arguments) == 0
    rows = json.loads((place / "found" / "summary.json").read_bytes())["figures"]
    mine = [row for row in rows if row["protocol"] == "retrieval" and row["system"]]
    assert {row["system"] for row in mine} == {"known:finds"}, "the other does not say what it found"
    recall = {
        row["where"]["perturbation"]: row for row in mine if row["metric"] == "Recall@1" and len(row["where"]) == 2
    }
    assert recall["none"]["value"] == 1 and recall["none"]["n_scored"] == len(known.CITIES)
    assert recall["character"]["value"] == 0 and recall["word"]["value"] == 1
    for name in ("summary.md", "report.html"):
        assert "What known:finds retrieves itself" in (place / "found" / name).read_text("utf-8")
    assert evaluate(place, "found", *arguments) == 0, "the same command goes on in the same folder"


def test_a_comparison_says_that_two_retrievers_differ_in_k(place, api):
    for name in ("finds", "finds_more", "finds_nothing"):
        arguments = ("--system", f"known:{name}", "--protocol", "rare", "--questions", "6")
        assert evaluate(place, f"k-{name}", *arguments) == 0
    config = StatisticsConfig(draws=100)
    found = compare(place / "k-finds", place / "k-finds_more", config=config)
    (said,) = [line for line in found.remarks if line.startswith("own retrieval")]
    assert "A gives up to 1 passages a question and B up to 2; Recall@k is compared for k up to 1, " in said
    for other in ("finds", "finds_nothing"):  # as deep, and with nothing to compare
        same = compare(place / "k-finds", place / f"k-{other}", config=config)
        assert not any(line.startswith("own retrieval") for line in same.remarks)


def test_a_split_that_is_all_of_the_benchmark_is_not_offered_again():
    notes: list[str] = []
    for every in (155, 200):
        opened = SimpleNamespace(asked=155, of=155, every=every, split="test", name="sample")
        board = SimpleNamespace(note=lambda label, text: notes.append(text))
        run = SimpleNamespace(stage=lambda name, work, opened=opened: opened, store=None, board=board)
        evaluating._open(run, None, "", 0, ())
    assert notes[0] == "asks the 155 questions of the test split of sample"
    assert notes[1] == f"{notes[0]}; --split all asks all 200"
