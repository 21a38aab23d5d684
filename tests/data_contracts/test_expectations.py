import socket
import subprocess
import sys
from dataclasses import replace

import pyarrow as pa
import pytest

from rarefy.data_contracts.breaches import set_aside, settle
from rarefy.data_contracts.expectations import ContractBroken, check_table, validations_to_json
from rarefy.data_contracts.rows import (
    Chunk,
    Document,
    Path,
    Pool,
    Question,
    Triplet,
    Variant,
)
from rarefy.data_contracts.suites import SUITES
from rarefy.data_contracts.tables import from_table, to_table


def every(table, row_type, **changes):
    """The table with every row changed."""
    return to_table([replace(row, **changes) for row in from_table(table, row_type)], row_type)


def broken(tables, row_type, table):
    with pytest.raises(ContractBroken) as caught:
        check_table("some stage", row_type, table, tables)
    return caught.value


@pytest.mark.parametrize("row_type", SUITES, ids=lambda t: t.__name__)
def test_a_good_table_keeps_every_rule(tables, row_type):
    validation = check_table("read", row_type, tables[row_type], tables)
    assert (validation.stage, validation.table, validation.rows) == (
        "read",
        row_type.__name__,
        tables[row_type].num_rows,
    )
    told = [result.rule for result in validation.results]
    assert told[: len(SUITES[row_type].rules) + 1] == ["columns and types", *(r.says for r in SUITES[row_type].rules)]
    assert all(rule.startswith("rows set aside from ") for rule in told[len(SUITES[row_type].rules) + 1 :])
    assert all(result.success and result.count == 0 for result in validation.results) and not validation.broken


@pytest.mark.parametrize(
    ("change", "shown"),
    [
        (lambda table: table.drop_columns(["text"]), "text: missing"),
        (lambda table: table.append_column("colour", pa.nulls(table.num_rows)), "colour: unknown"),
        (lambda table: table.select(table.schema.names[::-1]), "in the order place, language, title"),
        (lambda table: table.set_column(2, "start", table.column("start").cast(pa.int32())), "start: int32, not int64"),
        (lambda table: table.set_column(5, "section", pa.nulls(table.num_rows, pa.string())), "section: 5 nulls"),
    ],
)
def test_columns_and_types_are_held_to_the_row_type(tables, change, shown):
    error = broken(tables, Chunk, change(tables[Chunk]))
    assert shown in error.validation.results[0].examples[0] and len(error.validation.results) == 1


def test_nulls_inside_lists_and_structs_are_found(tables):
    aliases = pa.array([["a", None]] + [[]] * (tables[Question].num_rows - 1))
    spans = pa.array(
        [[{"chunk_id": None, "start": 0, "end": 1}]] * tables[Question].num_rows,
        tables[Question].schema.field("evidence_spans").type,
    )
    for name, values in (("aliases", aliases), ("evidence_spans", spans)):
        place = tables[Question].schema.get_field_index(name)
        error = broken(tables, Question, tables[Question].set_column(place, name, values))
        assert f"{name}: " in str(error) and "nulls" in str(error)


def test_a_question_not_tried_in_retrieval_has_a_null_and_that_is_no_breach(tables):
    assert tables[Question].column("retrievable").null_count == tables[Question].num_rows
    assert not check_table("ask", Question, tables[Question], tables).broken


def test_before_normalisation_no_triplet_has_keys_and_that_is_no_breach(tables):
    triplets = every(tables[Triplet], Triplet, subject_key="", relation_key="", object_key="")
    assert not check_table("extract", Triplet, triplets, tables).broken


def test_a_path_over_triplets_without_keys_is_set_aside(tables):
    triplets = every(tables[Triplet], Triplet, subject_key="", relation_key="", object_key="")
    kept, breaches = set_aside("graph", Path, tables[Path], {**tables, Triplet: triplets})
    assert (
        any("from '' to ''" in one.detail for one in breaches)
        and len(breaches) + kept.num_rows == tables[Path].num_rows
    )


def test_a_path_over_a_rejected_triplet_is_set_aside(tables):
    triplets = every(tables[Triplet], Triplet, rejected_because="unsure")
    kept, breaches = set_aside("graph", Path, tables[Path], {**tables, Triplet: triplets})
    assert not kept.num_rows and all("was rejected: unsure" in one.detail for one in breaches)


def test_a_chain_may_be_told_from_either_end(tables):
    rows = [replace(path, triplet_ids=path.triplet_ids[::-1]) for path in from_table(tables[Path], Path)]
    assert not check_table("graph", Path, to_table(rows, Path), tables).broken


def test_a_table_may_come_in_parts_and_as_a_slice(tables):
    table = pa.concat_tables([tables[Document].slice(0, 1), tables[Document].slice(1, 3)])
    assert not check_table("read", Document, table, tables).broken
    chunks = pa.concat_tables([tables[Chunk].slice(i, 1) for i in range(tables[Chunk].num_rows)])
    assert not check_table("chunk", Chunk, chunks, {Document: table}).broken


def test_a_missing_reference_is_an_error_and_not_a_pass(tables):
    with pytest.raises(KeyError, match="Document"):
        check_table("chunk", Chunk, tables[Chunk], {})


def guessed(tables, count):
    """So many accepted facts that say they were guessed, and what the contract says of them."""
    row = next(from_table(tables[Triplet], Triplet))
    rows = [replace(row, triplet_id=f"{number:016x}", method="guess") for number in range(count)]
    table = to_table([*from_table(tables[Triplet], Triplet), *rows], Triplet)
    return set_aside("extract", Triplet, table, tables)


def test_many_breaches_are_counted_and_a_few_shown(tables):
    kept, breaches = guessed(tables, 19)
    assert kept.equals(tables[Triplet]) and len(breaches) == 19
    validation = check_table("extract", Triplet, kept, tables, breaches)
    guess = next(result for result in validation.results if result.column == "method")
    assert (guess.count, len(guess.examples), guess.stops) == (19, 5, False)
    assert not validation.broken and validation.set_aside == 19


def test_over_the_budget_it_stops_and_names_rule_rows_and_way_out(tables):
    kept, breaches = guessed(tables, 20)
    with pytest.raises(ContractBroken, match=r"20 rows: method is table .*\n.*breaches\.failed\.jsonl.*breach_budget"):
        check_table("extract", Triplet, kept, tables, breaches)
    assert not check_table("extract", Triplet, kept, tables, breaches, budget=1.0).broken


def test_a_row_that_is_set_aside_takes_with_it_all_that_depends_on_it(tables):
    chunk = tables[Chunk].column("chunk_id")[0].as_py()
    broken = [replace(c, tokens=0) if c.chunk_id == chunk else c for c in from_table(tables[Chunk], Chunk)]
    now = {**tables, Chunk: to_table(broken, Chunk)}
    settled = settle("chunk", Chunk, now.get, judged=False)
    gone = {(one.table, one.row): one.rule for one in settled.breaches}
    assert gone["chunks", chunk] == "contract_tokens_is_at_least_1"
    triplets = {t.triplet_id for t in from_table(tables[Triplet], Triplet) if t.chunk_id == chunk}
    assert triplets and all(gone["triplets", name] == "contract_depends_on_chunks" for name in triplets)
    questions = [q for q in from_table(tables[Question], Question) if chunk in q.chunk_ids]
    assert questions and all(("questions", q.question_id) in gone for q in questions)
    now |= settled.tables
    for row_type in SUITES:  # what is left is whole: nothing names what is gone
        if row_type is not Chunk or now[Chunk].num_rows:
            settled = settle("after", row_type, now.get, judged=False)
            assert not settled.breaches
            assert not now[row_type].num_rows or check_table("after", row_type, now[row_type], now)


def test_a_question_without_its_unperturbed_variant_is_set_aside_with_its_other_variants(tables):
    variants = list(from_table(tables[Variant], Variant))
    first = next(v for v in variants if v.perturbation == "none")
    now = {**tables, Variant: to_table([v for v in variants if v is not first], Variant)}
    settled = settle("vary", Variant, now.get, judged=True)
    now |= settled.tables
    assert first.question_id not in now[Question].column("question_id").to_pylist()
    assert first.question_id not in now[Variant].column("question_id").to_pylist()
    assert first.question_id not in now[Pool].column("question_id").to_pylist()
    assert not check_table("vary", Variant, now[Variant], now, settled.breaches).broken


def test_nothing_is_set_aside_of_a_good_table_and_it_is_the_same_object(tables):
    for row_type in SUITES:
        kept, breaches = set_aside("some stage", row_type, tables[row_type], tables)
        assert kept is tables[row_type] and breaches == []
        assert settle("some stage", row_type, tables.get, judged=False).tables == {}


def test_a_null_in_one_row_costs_that_row_and_not_the_table(tables):
    texts = [None, *tables[Chunk].column("section").to_pylist()[1:]]
    place = tables[Chunk].schema.get_field_index("section")
    table = tables[Chunk].set_column(place, "section", pa.array(texts, pa.string()))
    kept, breaches = set_aside("chunk", Chunk, table, tables)
    assert [(one.rule, one.detail) for one in breaches] == [("contract_every_value_is_there", "section: null")]
    assert kept.num_rows == table.num_rows - 1


def test_validations_become_plain_records(tables):
    good = check_table("read", Document, tables[Document], tables)
    bad = broken(tables, Chunk, tables[Chunk].slice(0, 0)).validation
    records = validations_to_json([good, bad])
    assert [record["success"] for record in records] == [True, False]
    assert records[1]["results"][1]["rule"] == "the table has rows" and not records[1]["results"][1]["success"]


def test_great_expectations_is_imported_late_and_only_for_a_check():
    heavy = "{'great_expectations', 'pandas'} & {*sys.modules}"
    code = f"import sys, rarefy.data_contracts.expectations; sys.exit(len({heavy}))"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_a_check_calls_nobody(tables, monkeypatch):
    def refuse(*address):
        raise AssertionError(f"a connection to {address}")

    monkeypatch.setattr(socket.socket, "connect", lambda self, address: refuse(address))
    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    assert not check_table("read", Document, tables[Document], tables).broken
