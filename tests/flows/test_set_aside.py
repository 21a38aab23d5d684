"""Rows that break a rule, code that stumbles, corpora without questions: none of them ends a build with nothing."""

import json
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from rarefy.data_contracts.rows import Triplet, row_id
from rarefy.flows.faults import UsageFault
from rarefy.tasks.perturb.case import Draft

SETTINGS = """
[extract]
methods = ["cover", "tables", "officers", "prose", "{module}:{method}"]
[perturb]
query = [{query}]
document = []
context = []
"""


def invented(document, chunk, number):
    """A fact whose value is no number, which the stage itself does not look at."""
    sentence = chunk.text.strip()[:12].strip()
    start = chunk.text.index(sentence)
    name = row_id("invented", document.doc_id, number)
    words = (f"Thing {number}", "is said to be", sentence, sentence)
    return Triplet(
        name, chunk.chunk_id, document.doc_id, start, start + len(sentence), *words, "table", value="a dozen"
    )


def lying(owns, config, llm):
    """One such fact a document."""
    for document, chunks in owns:
        yield invented(document, chunks[0], 0)


def stumbling(owns, config, llm):
    """No fact, and an error on one company."""
    for document, _ in owns:
        if "Fjord" in document.text:
            raise RecursionError("too deep for me")
    yield from ()


def guessing(owns, config, llm):
    """Thirty such facts a document."""
    for document, chunks in owns:
        yield from (invented(document, chunks[0], number) for number in range(30))


def odd(case, config, random):
    """Questions with a word more, and an error on one of them."""
    if "Fjord" in case.text:
        raise KeyError("no such word")
    yield Draft(f"Pray, {case.text}")


def test_a_fact_that_is_not_in_its_chunk_is_set_aside_and_the_build_goes_on(copy, build):
    (copy / "quick.toml").write_text(SETTINGS.format(module=__name__, method="lying", query=""))
    code, said = build(copy, out="lied", store="lies")
    assert code == 0, said
    rows = [json.loads(line) for line in (copy / "lied" / "breaches.jsonl").read_text().splitlines()]
    assert len(rows) == 3 and {row["table"] for row in rows} == {"triplets"}
    assert {row["rule"] for row in rows} == {"contract_value_is_a_plain_number_an_iso_day_or_empty"}
    assert all(
        row["detail"] == "value 'a dozen'" and json.loads(row["content"])["subject"] == "Thing 0" for row in rows
    )
    assert "3 rows broke a rule of their contract and were set aside in breaches.jsonl" in said
    assert "3 triplets: contract_value_is_a_plain_number_an_iso_day_or_empty" in said
    page = (copy / "lied" / "contracts.html").read_text()
    assert "3 rows set aside" in page and "value is a plain number, an ISO day or empty" in page
    assert "Thing 0" not in pq.read_table(copy / "lied" / "triplets.parquet")["subject"].to_pylist()
    manifest = json.loads((copy / "lied" / "manifest.json").read_text())
    assert manifest["tables"]["breaches"]["rows"] == 3
    first = (copy / "lied" / "breaches.jsonl").read_bytes()
    code, again = build(copy, out="lied", store="lies")
    assert code == 0 and (copy / "lied" / "breaches.jsonl").read_bytes() == first, again


def test_more_than_the_budget_stops_with_code_1_and_leaves_the_rows(copy, build):
    (copy / "quick.toml").write_text(SETTINGS.format(module=__name__, method="guessing", query=""))
    code, said = build(copy, out="guessed", store="guesses")
    told = " ".join(said.split())
    assert code == 1 and "Traceback" not in said
    assert (
        "90 rows: value is a plain number, an ISO day or empty" in told and "raise breach_budget in the config" in told
    )
    rows = (copy / "guessed" / "breaches.failed.jsonl").read_text().splitlines()
    assert len(rows) == 90
    (copy / "quick.toml").write_text(
        "breach_budget = 1.0\n" + SETTINGS.format(module=__name__, method="guessing", query="")
    )
    code, said = build(copy, out="guessed", store="guesses")
    assert code == 0, said
    assert not (copy / "guessed" / "breaches.failed.jsonl").exists()


def test_a_document_that_a_stage_stumbles_over_is_named_and_left_out(copy, build):
    (copy / "quick.toml").write_text(SETTINGS.format(module=__name__, method="stumbling", query=""))
    code, said = build(copy, out="stumbled", store="stumbles")
    assert code == 0 and "Traceback" not in said, said
    assert "extract on fjord.html" in said.replace("\n", " ") and "RecursionError: too deep for me" in said
    rows = [json.loads(line) for line in (copy / "stumbled" / "breaches.jsonl").read_text().splitlines()]
    assert [(row["stage"], row["rule"]) for row in rows] == [("extract", "contract_raised")]
    assert "Fjord" not in " ".join(
        row["entity"] for row in pq.read_table(copy / "stumbled" / "triplets.parquet").to_pylist()
    )


def test_a_question_that_a_perturbation_stumbles_over_is_set_aside_with_all_its_variants(copy, build):
    query = f'"{__name__}:odd"'
    (copy / "quick.toml").write_text(SETTINGS.format(module=__name__, method="lying", query=query))
    code, said = build(copy, out="odd", store="odds")
    assert code == 0 and "Traceback" not in said, said
    questions = {row["question_id"]: row for row in pq.read_table(copy / "odd" / "questions.parquet").to_pylist()}
    variants = pq.read_table(copy / "odd" / "variants.parquet").to_pylist()
    rows = [json.loads(line) for line in (copy / "odd" / "breaches.jsonl").read_text().splitlines()]
    gone = {row["row"] for row in rows if row["rule"] == "contract_every_accepted_question_is_there_once_unperturbed"}
    assert gone and not gone & set(questions) and not gone & {row["question_id"] for row in variants}
    accepted = {name for name, row in questions.items() if not row["rejected_because"]}
    assert accepted == {row["question_id"] for row in variants if row["perturbation"] == "none"}


def test_a_corpus_without_questions_ends_with_code_2_and_leaves_what_there_is(copy, build):
    (copy / "prose").mkdir()
    (copy / "prose" / "a.md").write_text("# On walking\n\nWe walked along the river, and then we walked back.\n")
    code, said = build(copy, corpus="prose", out="empty", store="emptied")
    assert code == 2 and "Traceback" not in said, said
    left = copy / "empty" / "nothing_to_build"
    assert "nothing to build" in said and str(left) in said.replace("\n", "")
    assert [json.loads(line)["title"] for line in (left / "documents.jsonl").read_text().splitlines()] == ["On walking"]
    assert (left / "chunks.jsonl").read_text().count("walked") >= 1
    code, said = build(copy, out="empty", store="emptied")  # a corpus that has some, into the same folder
    assert code == 0 and not left.exists(), said


def test_names_of_what_came_of_it_are_no_strangers_in_the_folder(tmp_path: Path):
    from rarefy.flows.engine.output_folders import check_benchmark_folder

    (tmp_path / "nothing_to_build").mkdir()
    (tmp_path / "breaches.failed.jsonl").write_text("")
    check_benchmark_folder(str(tmp_path))
    (tmp_path / "somebody.txt").write_text("")
    with pytest.raises(UsageFault, match=r"somebody\.txt"):
        check_benchmark_folder(str(tmp_path))
