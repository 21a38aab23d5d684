import re

import pyarrow as pa
import pyarrow.compute as pc
import pytest
import yaml

from rarefy.data_contracts.rows import Document, Merge, Quarantined, Question, Variant
from rarefy.tasks.export import NAMES, CardConfig, export

datasets = pytest.importorskip("datasets", reason="the datasets library is a development dependency")


@pytest.fixture
def load(monkeypatch, tmp_path, exported):
    """load_dataset on the exported folder, with no network and a cache of its own."""
    monkeypatch.setattr(datasets.config, "HF_HUB_OFFLINE", True)
    return lambda *name, **options: datasets.load_dataset(str(exported / "hf"), *name, cache_dir=tmp_path, **options)


@pytest.mark.parametrize("name", NAMES.values())
def test_load_dataset_opens_every_table(load, name, exported):
    table = load(name)
    assert sorted(table) == sorted(path.stem for path in (exported / "hf" / "data" / name).iterdir())
    assert all(part.num_rows for part in table.values())


def test_the_questions_are_those_that_were_accepted_each_in_its_split(load, tables):
    questions = load("questions")
    accepted = [row for row in tables[Question].to_pylist() if not row["rejected_because"]]
    for split in ("train", "test"):
        assert sorted(questions[split]["question_id"]) == sorted(
            row["question_id"] for row in accepted if row["split"] == split
        )
    assert questions["test"][0]["evidence_spans"][0].keys() == {"chunk_id", "start", "end"}


def test_the_folder_opens_though_a_table_and_a_split_are_empty(tables, given, tmp_path):
    tables = {**tables, Question: tables[Question].filter(pc.field("split") != "train")}
    tables[Quarantined] = tables[Quarantined].slice(0, 0)
    export(tables, tmp_path / "out", **given | {"digests": {**given["digests"], "quarantine": "none"}})
    loaded = datasets.load_dataset(str(tmp_path / "out" / "hf"), "questions", cache_dir=tmp_path)
    assert list(loaded) == ["test"]
    names = datasets.get_dataset_config_names(str(tmp_path / "out" / "hf"))
    assert "quarantine" not in names and "documents" in names
    assert not (tmp_path / "out" / "hf" / "data" / "quarantine").exists()


def test_a_table_that_has_become_empty_leaves_no_file_behind(tables, given, tmp_path):
    export(tables, tmp_path, **given)
    assert (tmp_path / "hf" / "data" / "merges" / "full.parquet").exists()
    tables = {**tables, Merge: tables[Merge].slice(0, 0)}
    export(tables, tmp_path, **given | {"digests": {**given["digests"], "merges": "none"}})
    assert not (tmp_path / "hf" / "data" / "merges" / "full.parquet").exists()


def test_variants_follow_their_question_and_rejected_ones_stay_out(load, tables):
    splits = {row["question_id"]: row["split"] for row in tables[Question].to_pylist()}
    kept = [row for row in tables[Variant].to_pylist() if not row["rejected_because"]]
    for split, part in load("variants").items():
        here = [row["variant_id"] for row in kept if splits[row["question_id"]] == split]
        assert here and sorted(part["variant_id"]) == sorted(here)


def test_the_card_holds_the_statistics_and_says_whose_texts_they_are(exported, tables):
    card = (exported / "hf" / "README.md").read_text()
    assert "| Documents | 1 | 3 | 4 |" in card and "Written for the tests." in card
    assert "| **Questions, test** | **1** | **3** | **4** |" in card
    assert f"over {tables[Document].num_rows} documents" in card


HOSTILE = "---\ntitle: x\n--- | `a` [b](javascript:c) </script><script>alert(1)</script> \u2028 \u202e \x07 \x85 "


def test_what_documents_call_themselves_is_no_markup_in_the_card(tables, given, tmp_path):
    documents = tables[Document]
    for column in ("entity", "form"):
        at, names = documents.schema.get_field_index(column), [HOSTILE + "L" * 10_000]
        documents = documents.set_column(at, documents.schema.field(at), pa.array(names * documents.num_rows))
    given = given | {"card_config": CardConfig(title=HOSTILE)}
    export({**tables, Document: documents}, tmp_path, **given)
    card = (tmp_path / "hf" / "README.md").read_text(encoding="utf-8")
    _, front, body = card.split("---\n", 2)
    assert yaml.safe_load(front)["pretty_name"].startswith("---\ntitle: x") and "data_files" in front
    assert body.startswith("\n# --- title: x --- ") and len(body) < 6_000
    for part in (body.split("## Statistics")[0].split("\n")[1], body.split("## Sources")[1]):
        assert "script" in part and not re.search(r"(?<!\\)[<`|\[]|[\u2028\u202e\x07\x85]", part)


def test_a_card_without_a_note_says_that_the_sources_are_not_told(tables, given, tmp_path):
    export(tables, tmp_path, **{name: value for name, value in given.items() if name != "card_config"})
    assert "has not said where they come from" in (tmp_path / "hf" / "README.md").read_text()
