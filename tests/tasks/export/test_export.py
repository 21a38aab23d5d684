import csv
import json
import os
import subprocess
import sys
from dataclasses import replace

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from rarefy.data_contracts.rows import Chunk, Document, Question, Similarity, Triplet, Variant
from rarefy.data_contracts.tables import from_record, from_table, to_table
from rarefy.tasks.export import NAMES, export
from rarefy.tasks.export.tables import sort_tables


def every_file(folder):
    return {str(p.relative_to(folder)): p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file()}


@pytest.mark.parametrize("row_type", NAMES, ids=NAMES.get)
def test_parquet_and_json_lines_hold_the_same_rows(exported, tables, row_type):
    name = NAMES[row_type]
    rows = list(from_table(pq.read_table(exported / f"{name}.parquet"), row_type))
    lines = (exported / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()
    assert [from_record(json.loads(line), row_type) for line in lines] == rows
    assert len(rows) == tables[row_type].num_rows
    assert set(rows) == set(from_table(tables[row_type], row_type)) if row_type is not Document else rows


def test_nested_rows_are_json_objects(exported):
    first = json.loads((exported / "documents.jsonl").read_text().splitlines()[0])
    assert first["metadata"] == {"cik": "0000001"} and first["dropped"] == {"page_number": 12}
    assert first["blocks"][0] == {"kind": "text", "start": 0, "end": 87, "section": ""}


def test_an_answer_that_is_a_bare_cell_is_in_words_beside_it_in_every_format(tables, given, tmp_path):
    rows = [*from_table(tables[Question], Question)]
    cell = replace(rows[0], answer="4,427", aliases=("4,427 million", "$4,427 million"), rejected_because="")
    export({**tables, Question: to_table([cell], Question)}, tmp_path, **given)
    line = json.loads((tmp_path / "questions.jsonl").read_text(encoding="utf-8"))
    query = json.loads((tmp_path / "beir" / "queries.jsonl").read_text(encoding="utf-8"))["metadata"]
    loaded = pq.read_table(tmp_path / "hf" / "data" / "questions" / f"{cell.split}.parquet").to_pylist()[0]
    for row in (line, query, loaded):
        assert (row["answer"], row["answer_in_words"]) == ("4,427", "$4,427 million")
    assert "answer_in_words" not in pq.read_schema(tmp_path / "questions.parquet").names


def test_spans_lead_from_evidence_to_document_in_the_json_lines(exported):
    def read(name):
        return [json.loads(line) for line in (exported / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()]

    documents = {row["doc_id"]: row["text"] for row in read("documents")}
    chunks = {row["chunk_id"]: row for row in read("chunks")}
    assert all(documents[row["doc_id"]][row["start"] : row["end"]] == row["text"] for row in chunks.values())
    for question in read("questions"):
        assert question["evidence"]
        for sentence, span in zip(question["evidence"], question["evidence_spans"], strict=True):
            assert chunks[span["chunk_id"]]["text"][span["start"] : span["end"]] == sentence


def test_rows_stand_in_the_order_of_their_source(tables):
    ordered = sort_tables(tables)
    chunks = ordered[Chunk].select(["doc_id", "start"]).to_pylist()
    assert chunks == sorted(chunks, key=lambda row: (row["doc_id"], row["start"]))
    places = {name: place for place, name in enumerate(ordered[Chunk].column("chunk_id").to_pylist())}
    triplets = ordered[Triplet].select(["chunk_id", "start"]).to_pylist()
    keys = [(places[row["chunk_id"]], row["start"]) for row in triplets]
    assert keys == sorted(keys)


def test_the_order_of_the_rows_given_does_not_matter(tables, given, exported, tmp_path):
    backwards = {row_type: table.take(list(range(table.num_rows))[::-1]) for row_type, table in tables.items()}
    export(backwards, tmp_path, **given)
    assert every_file(tmp_path) == every_file(exported)


def test_another_process_writes_the_same_bytes(given, exported, tmp_path):
    script = (
        "import json, sys, importlib.util; from pathlib import Path\n"
        "spec = importlib.util.spec_from_file_location('rows', sys.argv[1])\n"
        "rows = importlib.util.module_from_spec(spec); spec.loader.exec_module(rows)\n"
        "from rarefy.tasks.export import CardConfig, export\n"
        "given = json.loads(sys.argv[3]); given['card_config'] = CardConfig(**given['card_config'])\n"
        "export(rows.benchmark(), Path(sys.argv[2]), **given)\n"
    )
    told = json.dumps(given | {"card_config": given["card_config"].model_dump()})
    rows = __file__.replace("tasks/export/test_export.py", "data_contracts/conftest.py")
    environment = {**os.environ, "PYTHONHASHSEED": "7", "TZ": "Asia/Tokyo", "LC_ALL": "C"}
    subprocess.run([sys.executable, "-c", script, rows, str(tmp_path), told], check=True, env=environment, cwd=tmp_path)
    assert every_file(tmp_path) == every_file(exported)


def test_a_benchmark_that_stands_is_not_written_again(tables, given, exported, tmp_path):
    first = export(tables, tmp_path, **given)
    before = {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*")}
    assert export(tables, tmp_path, **given) == first
    assert {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*")} == before


@pytest.mark.parametrize("damaged", ["chunks.parquet", "beir/qrels/test.tsv", "hf/README.md", "manifest.json"])
@pytest.mark.parametrize("damage", ["cut", "gone"])
def test_a_damaged_file_is_written_again(tables, given, exported, tmp_path, damaged, damage):
    export(tables, tmp_path, **given)
    if damage == "cut":
        (tmp_path / damaged).write_bytes((tmp_path / damaged).read_bytes()[:-5])
    else:
        (tmp_path / damaged).unlink()
    export(tables, tmp_path, **given)
    assert every_file(tmp_path) == every_file(exported)


def test_where_writing_stops_there_is_no_manifest_and_the_next_export_finishes(tables, given, exported, tmp_path):
    export(tables, tmp_path, **given | {"digests": {**given["digests"], "chunks": "older"}})
    (tmp_path / "beir" / "queries.jsonl").unlink()
    (tmp_path / "beir" / "queries.jsonl").mkdir()  # cannot be written
    (tmp_path / ".chunks.jsonl.part").write_bytes(b"left by a killed run")
    with pytest.raises(OSError, match=r"queries\.jsonl"):
        export(tables, tmp_path, **given)
    assert not (tmp_path / "manifest.json").exists() and not list(tmp_path.rglob("*.part"))
    (tmp_path / "beir" / "queries.jsonl").rmdir()
    export(tables, tmp_path, **given)
    assert every_file(tmp_path) == every_file(exported)


def test_the_manifest_names_version_packages_counts_and_files_but_no_time_or_place(exported):
    manifest = json.loads((exported / "manifest.json").read_text())
    assert len(manifest["version"]) == 32 and manifest["config"]["chunk"] == {"tokens": 600}
    assert manifest["packages"]["pyarrow"] == pa.__version__
    assert manifest["tables"]["questions"]["rows"] == 6 and manifest["tables"]["questions"]["accepted"] == 5
    assert manifest["tables"]["questions"]["rejected"] == {"not_self_contained": 1}
    assert manifest["census"]["finance"]["inverted_star"] == 2
    beside = {"similarities.parquet", "similarities.jsonl"}
    assert set(manifest["files"]) | {"manifest.json"} | beside == set(every_file(exported))
    assert "similarit" not in json.dumps({**manifest, "config": {}, "packages": {}})
    assert str(exported) not in json.dumps(manifest)


def test_the_version_is_that_of_the_tables_alone(tables, given, tmp_path):
    one = export(tables, tmp_path / "one", **given)["version"]
    assert export(tables, tmp_path / "two", **given | {"config": {}})["version"] == one
    other = given | {"digests": {**given["digests"], "chunks": "changed"}}
    assert export(tables, tmp_path / "three", **other)["version"] != one


def test_a_table_without_a_digest_is_refused(tables, given, tmp_path):
    digests = {name: digest for name, digest in given["digests"].items() if name != "paths"}
    with pytest.raises(ValueError, match="paths"):
        export(tables, tmp_path, **given | {"digests": digests})


def test_a_table_that_no_stage_made_is_written_empty(tables, given, tmp_path):
    export({row_type: table for row_type, table in tables.items() if row_type is not Variant}, tmp_path, **given)
    assert pq.read_table(tmp_path / "variants.parquet").num_rows == 0
    assert (tmp_path / "variants.jsonl").read_bytes() == b""


def test_beir_loads_as_its_own_loader_reads_it(exported, tables):
    """After beir.datasets.data_loader.GenericDataLoader, line by line."""
    with (exported / "beir" / "corpus.jsonl").open(encoding="utf8") as file:
        corpus = {row["_id"]: {"text": row["text"], "title": row["title"]} for row in map(json.loads, file)}
    with (exported / "beir" / "queries.jsonl").open(encoding="utf8") as file:
        queries = {row["_id"]: row["text"] for row in map(json.loads, file)}
    accepted = {q.question_id: q for q in from_table(tables[Question], Question) if not q.rejected_because}
    assert corpus.keys() == set(tables[Chunk].column("chunk_id").to_pylist())
    assert queries == {name: question.text for name, question in accepted.items()}
    judged = {}
    for split in ("train", "test"):
        with (exported / "beir" / "qrels" / f"{split}.tsv").open(encoding="utf-8") as file:
            reader = csv.reader(file, delimiter="\t", quoting=csv.QUOTE_MINIMAL)
            assert next(reader) == ["query-id", "corpus-id", "score"]
            for query, passage, score in reader:
                assert passage in corpus and int(score) == 1
                judged.setdefault(query, set()).add(passage)
                assert accepted[query].split == split
    assert judged == {name: set(question.chunk_ids) for name, question in accepted.items()}


def test_a_passage_carries_its_titles_and_where_it_stands(exported):
    rows = [json.loads(line) for line in (exported / "beir" / "corpus.jsonl").read_text().splitlines()]
    assert rows[0]["title"] == "acme-2024 annual report > Item 1. Business"
    assert rows[0]["metadata"]["doc_id"] == "acme-2024" and rows[0]["metadata"]["fiscal_year"] == 2024
    assert rows[0]["metadata"]["place"] == ""


def test_the_last_digits_of_similarities_change_no_other_file(tables, given, exported, tmp_path):
    (row,) = from_table(tables[Similarity], Similarity)
    noisy = to_table([replace(row, cosine=row.cosine + 1e-6)], Similarity)
    export({**tables, Similarity: noisy}, tmp_path, **given)
    mine, other = every_file(tmp_path), every_file(exported)
    assert set(mine) == set(other)
    assert {name for name in mine if mine[name] != other[name]} == {"similarities.parquet", "similarities.jsonl"}


def test_similarities_that_are_gone_are_laid_beside_a_benchmark_that_stands(tables, given, exported, tmp_path):
    export(tables, tmp_path, **given)
    written = (tmp_path / "variants.parquet").stat().st_mtime_ns
    (tmp_path / "similarities.jsonl").unlink()
    export(tables, tmp_path, **given)
    assert every_file(tmp_path) == every_file(exported)
    assert (tmp_path / "variants.parquet").stat().st_mtime_ns == written
