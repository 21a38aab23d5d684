"""An evaluation from end to end, with systems that are functions (see tests/known.py)."""

import json
import shutil

import known
import pyarrow.parquet as pq
import pytest
from conftest import evaluate, known_systems

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
    assert evaluate(place, "out", *known_systems()) == 0
    assert {path: path.read_bytes() for path in results.rglob("*") if path.is_file()} == before


def test_workers_and_another_store_change_no_digit(place, api):
    assert evaluate(place, "one", "--system", "extractive", "--protocol", "rare") == 0
    assert evaluate(place, "two", "--system", "extractive", "--protocol", "rare", "--store", str(place / "other")) == 0
    arguments = ("--system", "extractive", "--protocol", "rare", "--workers", "2", "--store", str(place / "third"))
    assert evaluate(place, "three", *arguments) == 0
    for other in ("two", "three"):
        for name in ("figures", "scores", "trials"):
            assert (place / "one" / f"{name}.parquet").read_bytes() == (place / other / f"{name}.parquet").read_bytes()


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
