"""An evaluation from end to end, with systems whose scores follow from what they are (see tests/known.py)."""

import json
import shutil

import known
import pyarrow.parquet as pq
import pytest

from rarefy.flows.cli import main

PROTOCOLS = ("rare", "sure", "retrieval_robustness", "effect_size", "magic_mushroom")
CONFIG = """
[correct]
unmatched = "wrong"  # each answer is one word or another: nobody is needed to judge
[statistics]
draws = 200
"""


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    folder = tmp_path_factory.mktemp("evaluation")
    known.benchmark(folder / "bench")
    (folder / "my.toml").write_text(CONFIG)
    return folder


def evaluate(place, out, *arguments, bench="bench", quiet=True):
    told = ["evaluate", str(place / bench), "--out", str(place / out), "--config", str(place / "my.toml")]
    return main([*told, "--store", str(place / "store"), *(["--quiet"] if quiet else []), *arguments])


@pytest.fixture(scope="module")
def results(place, api):
    """Every known system under every protocol."""
    names = ("right", "right_unless_typo", "refuses", "reads", "parrot", "forgets")
    asked = [part for name in names for part in ("--system", f"known:{name}")]
    assert evaluate(place, "out", *asked) == 0
    return place / "out"


@pytest.fixture(scope="module")
def value(results):
    rows = pq.read_table(results / "figures.parquet").to_pylist()
    found = {(row["system"].removeprefix("known:"), row["protocol"], row["metric"], row["slice"]): row for row in rows}

    def of(system, protocol, metric, slice_="all"):
        key = (system, protocol, metric, slice_)
        assert key in found, sorted(name for name in found if name[:2] == key[:2])
        return found[key]["value"]

    return of


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


def test_who_is_always_right_is_robust_in_every_protocol(value):
    assert value("right", "rare", "Overall Robustness") == 1.0
    assert value("right", "retrieval_robustness", "NDR") == value("right", "retrieval_robustness", "ROR") == 1.0
    assert value("right", "magic_mushroom", "H") == value("right", "magic_mushroom", "C") == 0.0


def test_who_errs_on_typos_alone_loses_just_those_cells(value):
    assert value("right_unless_typo", "rare", "Overall Robustness") == pytest.approx(4 / 5)
    assert value("right_unless_typo", "rare", "Query Robustness") == pytest.approx(3 / 4)
    assert value("right_unless_typo", "rare", "Document Robustness") == 1.0
    assert value("right_unless_typo", "retrieval_robustness", "NDR") == 1.0


def test_who_always_refuses_is_robust_where_refusing_is_right_and_nowhere_else(value):
    # of six settings of a wording: the answer deleted, and three retrieved (right or refused), for who knows nothing
    assert value("refuses", "rare", "Overall Robustness") == pytest.approx(4 / 6)
    assert value("refuses", "rare", "Query Robustness") == 0.0
    assert value("refuses", "rare", "Document Robustness") == pytest.approx(1 / 2)
    assert value("refuses", "rare", "Real-World Retrieval Robustness") == 1.0
    assert value("refuses", "retrieval_robustness", "NDR") == 1.0


def test_who_reads_and_knows_nothing_is_right_where_the_answer_stands_and_refuses_elsewhere(value):
    assert value("reads", "rare", "Overall Robustness") == 1.0
    assert value("reads", "magic_mushroom", "H") == 0.0


def test_who_reads_five_passages_alone_loses_by_retrieving_more(value):
    assert value("forgets", "retrieval_robustness", "RSR") <= value("reads", "retrieval_robustness", "RSR")
    assert value("forgets", "retrieval_robustness", "ROR") < 1.0


def test_an_evaluation_run_again_asks_nothing_and_writes_the_same(place, results):
    before = {path: path.read_bytes() for path in results.rglob("*") if path.is_file()}
    names = ("right", "right_unless_typo", "refuses", "reads", "parrot", "forgets")
    asked = [part for name in names for part in ("--system", f"known:{name}")]
    assert evaluate(place, "out", *asked) == 0
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
