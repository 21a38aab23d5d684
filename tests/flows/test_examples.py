"""The configs in examples/ work as they stand."""

import json
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from rarefy.flows.cli import main
from rarefy.flows.config import load
from rarefy.flows.engine.config_check import check_config
from rarefy.tasks.sample import CORPUS

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("file", sorted((ROOT / "examples").glob("*.toml")), ids=lambda file: file.name)
def test_an_example_names_nothing_that_is_not_there(file, monkeypatch):
    monkeypatch.chdir(ROOT)
    assert check_config(load(file), file) is None  # it raises with a line for each that is not


def test_the_whole_path_of_a_model_runs_on_recorded_replies_and_asks_nothing_twice(api, tmp_path, monkeypatch):
    monkeypatch.chdir(ROOT)
    where = ["--store", str(tmp_path / "store"), "--config", "examples/sample-recorded.toml", "--quiet"]
    assert main(["build", str(CORPUS), "--out", str(tmp_path / "out"), *where]) == 0
    tables = json.loads((tmp_path / "out" / "manifest.json").read_text())["tables"]
    assert tables["questions"]["accepted"] >= 10 and tables["triplets"]["accepted"] >= 100
    accepted = {q["pattern"] for q in rows(tmp_path / "out", "questions") if not q["rejected_because"]}
    assert accepted >= {"single", "chain", "inverted_star"}  # of stars they have one, which turns out to be no use
    used = json.loads((tmp_path / "out" / "models.json").read_text())["used"]
    assert [one["stage"] for one in used] == ["extract", "ask", "probe", "grade"]
    assert {reason for one in used for reason in one["failed"]} >= {"refused", "unparsable"}
    # each request that failed is a row
    lost = [row for row in rows(tmp_path / "out", "unanswered") if row["reason"] != "model_declined"]
    assert len(lost) == sum(count for one in used for count in one["failed"].values())

    assert main(["build", str(CORPUS), "--out", str(tmp_path / "again"), *where]) == 0
    names = [file.name for file in (tmp_path / "out").iterdir() if file.is_file()]
    same = [
        name for name in names if (tmp_path / "again" / name).read_bytes() == (tmp_path / "out" / name).read_bytes()
    ]
    assert same == names


def rows(folder, name):
    return pq.read_table(folder / f"{name}.parquet").to_pylist()
