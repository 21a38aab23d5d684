"""A build from end to end, on a corpus that is made here."""

import json
import shutil
import sys
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from endpoint import served

from rarefy.flows.cli import main
from rarefy.tasks.store.tables import Store


def files(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def names(store: Path) -> set[str]:
    return {str(path.relative_to(store)) for path in store.glob("[rt]*/*")}


def stages(said: str) -> dict[str, str]:
    return {line.rsplit(" · ")[0].split("  ")[0].strip(): line for line in said.splitlines() if " · " in line}


def test_a_corpus_becomes_a_benchmark(built):
    questions = pq.read_table(built / "out" / "questions.parquet").to_pylist()
    assert [question for question in questions if not question["rejected_because"]]
    assert json.loads((built / "out" / "manifest.json").read_text())["tables"]["documents"]["rows"] == 3


def test_what_came_of_it_is_told(copy, build):
    code, said = build(copy)
    assert code == 0
    for words in ("Funnel", "Patterns", "inverted_star", "answer:", "evidence:", f"lies in {copy / 'out'}"):
        assert words in said


def test_a_build_says_little_unless_it_is_asked(built, api, capsys):
    """Of what the store has: no stage over whole tables, no pattern without paths, no kind of variant."""
    where = {"--out": "out", "--store": "store", "--config": "quick.toml"}
    given = [str(word) for option, place in where.items() for word in (option, built / place)]
    assert main(["build", str(built / "corpus"), *given]) == 0
    said = "\n".join(capsys.readouterr())
    assert "evidence:" in said and "lies in" in said and len(said.splitlines()) <= 60
    assert not any(words in said for words in ("inverted_star", "gather", "supersede", " 0 chain"))


def test_a_second_build_makes_nothing(copy, build):
    first, made = files(copy / "out"), names(copy / "store")
    written = (copy / "out" / "manifest.json").stat().st_mtime_ns
    code, said = build(copy)
    assert code == 0, said
    assert files(copy / "out") == first
    assert names(copy / "store") == made
    assert (copy / "out" / "manifest.json").stat().st_mtime_ns == written, "nothing was written again"
    told = [line for stage, line in stages(said).items() if stage != "export"]
    assert len(told) > 10 and all("found in the store" in line for line in told)


def test_another_store_and_another_place_make_the_same_bytes(copy, build):
    shutil.move(copy / "corpus", copy / "moved")
    code, said = build(copy, corpus="moved", out="again", store="fresh")
    assert code == 0, said
    assert files(copy / "again") == files(copy / "out")
    assert names(copy / "fresh") == names(copy / "store")


def test_an_edited_document_is_the_only_one_that_is_worked_on_again(copy, build):
    edited = copy / "corpus" / "fjord.html"
    edited.write_text(edited.read_text().replace("industrial pumps", "surgical instruments"))
    code, said = build(copy)
    assert code == 0, said
    for stage in ("read", "chunk", "extract"):
        assert "3 documents, 2 found in the store" in stages(said)[stage]


def test_tables_that_were_damaged_are_named_and_made_anew(copy, build):
    before = files(copy / "out")
    for path in (copy / "store" / "tables").glob("*.parquet"):
        content = bytearray(path.read_bytes())
        content[len(content) // 2] ^= 0xFF
        path.write_bytes(content)
    shutil.rmtree(copy / "out")
    code, said = build(copy)
    assert code == 0, said
    assert "was damaged" in said and "made anew" in said
    assert files(copy / "out") == before


def test_a_benchmark_that_was_meddled_with_is_written_again(copy, build):
    before = files(copy / "out")
    (copy / "out" / "questions.jsonl").write_text("{}")
    (copy / "out" / "chunks.parquet").unlink()
    assert build(copy)[0] == 0
    assert files(copy / "out") == before


def test_the_contracts_lie_with_the_build(built):
    held = json.loads((built / "out" / "contracts.json").read_text())
    assert {one["table"] for one in held} >= {
        "Document",
        "Chunk",
        "Triplet",
        "Path",
        "Question",
        "Variant",
        "Quarantined",
    }
    assert all(one["success"] for one in held)
    assert "<html" in (built / "out" / "contracts.html").read_text()


def test_a_meaningless_table_stops_the_build_and_names_stage_rule_and_value(copy, build, monkeypatch):
    monkeypatch.setattr("rarefy.tasks.corpus.chunk.row_id", lambda *parts: "0" * 16)
    code, said = build(copy, out="new", store="new-store")
    assert code == 1
    assert "chunks" in said and "chunk_id is unique" in said and "0" * 16 in said
    held = json.loads((copy / "new" / "contracts.json").read_text())
    assert [one["success"] for one in held if one["table"] == "Chunk"] == [False]
    assert not (copy / "new" / "manifest.json").exists()


def test_a_bug_that_every_document_meets_ends_the_build_and_leaves_its_traceback(copy, build, monkeypatch):
    def broken(*_):
        raise ZeroDivisionError("a bug")

    monkeypatch.setattr("rarefy.tasks.corpus.chunk.group_units", broken)
    code, said = build(copy, out="new", store="new-store")
    assert code == 2 and "chunk failed on all of 3 documents, the first time with ZeroDivisionError: a bug" in said
    rows = (copy / "new" / "nothing_to_build" / "breaches.jsonl").read_text().splitlines()
    assert [json.loads(row)["detail"] for row in rows] == ["ZeroDivisionError: a bug"] * 3
    assert all(json.loads(json.loads(row)["content"])["traceback"][-1].endswith(": broken") for row in rows)


def test_an_error_that_no_document_is_to_blame_for_is_a_traceback_that_names_the_document(copy, build, monkeypatch):
    def broken(*_):
        raise NotImplementedError("nothing of this kind")

    monkeypatch.setattr("rarefy.tasks.corpus.chunk.group_units", broken)
    with pytest.raises(NotImplementedError) as error:
        build(copy, store="new-store")
    assert "rarefy.tasks.corpus.chunk:chunk worked on acme.html" in "".join(error.value.__notes__)


def test_limit_takes_the_first_documents(copy, build):
    code, said = build(copy, "--limit", "2")
    assert code == 0, said
    assert pq.read_table(copy / "out" / "documents.parquet")["source"].to_pylist() == ["acme.html", "fjord.html"]


def test_limit_counts_documents_not_files(copy, build):
    (copy / "corpus" / "README.md").write_text("A note about the corpus, which is no part of it.")
    (copy / "corpus" / "aaa.txt").write_text("")
    records = [
        {"id": f"r{n}", "text": f"Company {n} is headquartered in Paris. It sells pumps to hospitals."}
        for n in range(5)
    ]
    (copy / "corpus" / "bbb.jsonl").write_text("\n".join(map(json.dumps, records)))
    code, said = build(copy, "--limit", "3")
    assert code == 0, said
    found = pq.read_table(copy / "out" / "documents.parquet")["doc_id"].to_pylist()
    assert len(found) == 3 and "acme.html" in found


def test_quiet_says_nothing(copy, build):
    assert build(copy, "--quiet") == (0, "")


def test_plan_knows_the_census_once_a_build_has_made_it(built, capsys, tmp_path):
    asked = ["plan", str(built / "corpus"), "--config", str(built / "quick.toml"), "--store"]
    assert main([*asked, str(tmp_path / "store")]) == 0
    said = capsys.readouterr().out
    assert "(from all documents)" in said and "inverted_star" not in said
    assert main([*asked, str(built / "store")]) == 0
    said = capsys.readouterr().out
    assert "allowed" in said and "documents" in said and "chunks" in said


@pytest.mark.machines
def test_workers_of_a_local_cluster_make_the_same_benchmark(copy, build):
    code, said = build(copy, "--workers", "2", out="again", store="fresh")
    assert code == 0, said
    assert files(copy / "again") == files(copy / "out")


@pytest.mark.machines
def test_a_scheduler_that_exists_is_used_and_its_workers_import_no_engine(copy, build):
    from distributed import Client, LocalCluster

    with LocalCluster(n_workers=1, threads_per_worker=1, dashboard_address="127.0.0.1:0") as cluster:
        code, said = build(copy, "--dask", cluster.scheduler_address, out="again", store="fresh")
        assert code == 0, said
        with Client(cluster) as client:
            (modules,) = client.run(lambda: list(sys.modules)).values()
    assert "rarefy.tasks.corpus.chunk" in modules
    assert not {"prefect", "great_expectations"} & set(modules)
    assert files(copy / "again") == files(copy / "out")


def test_the_store_may_be_any_url(built, tmp_path):
    where = ["--out", str(tmp_path / "out"), "--store", "memory://s", "--config", str(built / "quick.toml")]
    assert main(["build", str(built / "corpus"), *where]) == 0
    assert Store("memory://s").fs.ls("/s/recipes")
    assert files(tmp_path / "out") == files(built / "out")


class Started(Exception):
    """In place of a server."""


def start(*_):
    raise Started


def test_a_build_that_finds_everything_made_starts_no_server(copy, build, capsys, monkeypatch):
    monkeypatch.delenv("PREFECT_API_URL")
    monkeypatch.setattr("rarefy.flows.engine.prefect_server.start", start)
    before = files(copy / "out")
    code, said = build(copy)
    assert code == 0
    assert all(words in said for words in ("rarefy: build of", "gather variants", "Funnel"))
    assert files(copy / "out") == before
    acme = copy / "corpus" / "acme.html"
    acme.write_text(acme.read_text().replace("Oslo", "Trondheim"))
    with pytest.raises(Started):  # there is something to make now, which is a run
        build(copy)
    assert "read  " not in capsys.readouterr().err
    assert files(copy / "out") == before


def test_a_plan_starts_no_server(copy, capsys, monkeypatch):
    monkeypatch.delenv("PREFECT_API_URL")
    monkeypatch.setattr("rarefy.flows.engine.prefect_server.start", start)
    assert main(["plan", str(copy / "corpus"), "--store", str(copy / "new")]) == 0
    assert "3 documents" in capsys.readouterr().err


def test_an_embedder_may_be_behind_an_endpoint(copy, build, monkeypatch):
    with served(copy / "log.jsonl", models=["e-1"], key="k") as server:
        monkeypatch.setenv("EMB_BASE_URL", server.url)
        monkeypatch.setenv("EMB_API_KEY", "k")
        named = 'embed = "far"\n[embedders.far]\nprovider = "openai"\nmodel = "e-1"\nendpoint = "EMB"\n'
        (copy / "quick.toml").write_text(named + (copy / "quick.toml").read_text())
        code, said = build(copy, out="far")
    assert code == 0, said
    assert stages(said)["normalise"] and (copy / "far" / "manifest.json").exists()
