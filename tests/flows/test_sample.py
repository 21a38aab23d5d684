"""The packaged benchmark is what its documents and recorded replies make, and is asked as it ships."""

import json
import sqlite3
from argparse import Namespace
from collections import Counter, defaultdict
from contextlib import closing

import pyarrow.parquet as pq
import pytest

from rarefy.flows.cli import main
from rarefy.flows.config import load
from rarefy.flows.engine.reachability import make_paths_absolute
from rarefy.tasks.models.embed import shipped as shipped_vectors
from rarefy.tasks.perturb import choose_perturbations
from rarefy.tasks.perturb.catalogue import is_written_by_model
from rarefy.tasks.sample import BENCHMARK, CONFIG, CORPUS


def rows(folder, name):
    return pq.read_table(folder / f"{name}.parquet").to_pylist()


@pytest.fixture(scope="module")
def shipped():
    return {name: rows(BENCHMARK, name) for name in ("questions", "variants", "unanswered", "breaches")}


def test_a_build_from_recorded_replies_makes_what_ships(api, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert main(["build", "sample", "--out", "out", "--store", "store", "--quiet"]) == 0
    for file in sorted(BENCHMARK.glob("*.parquet")):
        if file.stem != "similarities":  # whose last digits depend on the machine
            assert rows(tmp_path / "out", file.stem) == rows(BENCHMARK, file.stem), file.stem
    with closing(sqlite3.connect(tmp_path / "store" / "embeddings.sqlite")) as kept:
        embedded = {key for (key,) in kept.execute("SELECT key FROM vectors")}
    assert embedded and embedded <= shipped_vectors.vectors().keys()  # no model was loaded


def test_it_has_questions_of_all_kinds_and_no_request_went_without_a_reply(shipped):
    accepted = Counter(q["pattern"] for q in shipped["questions"] if not q["rejected_because"])
    assert accepted.total() >= 150 and len(accepted) == 10
    assert {row["reason"] for row in shipped["unanswered"]} <= {"model_declined"}
    assert not shipped["breaches"]  # a question that one chunk answers is rejected, its probe is no breach


def test_a_model_made_variants_of_at_least_forty_questions_for_every_cell(shipped):
    config = load(CONFIG).perturb
    made = defaultdict(set)
    for variant in shipped["variants"]:
        if variant["method"] == "model" and not variant["rejected_because"]:
            made[variant["perturbation"]].add(variant["question_id"])
    for entry in choose_perturbations(config):
        if is_written_by_model(entry, config):
            # a passage of one piece, as a table is, has no other order
            assert len(made[entry.name]) >= (25 if entry.name == "llm_ranked" else 40), entry.name


def test_what_a_build_of_it_wrote_under_its_name_does_not_hide_it(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "sample").mkdir()
    own = make_paths_absolute(Namespace(corpus="sample"))
    assert own.corpus == "sample", "a folder of documents that is called so"
    (tmp_path / "sample" / "contracts.json").touch()
    assert make_paths_absolute(Namespace(corpus="sample")).corpus == str(CORPUS)


def test_it_is_evaluated_without_a_build(api, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert main(["evaluate", "sample", "--questions", "4", "--protocol", "rare", "--store", "store", "--quiet"]) == 0
    summary = json.loads((tmp_path / "sample-result" / "summary.json").read_text())
    assert summary["benchmark"]["name"] == "sample"
