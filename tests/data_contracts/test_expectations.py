import socket
import subprocess
import sys
from dataclasses import replace

import pyarrow as pa
import pytest

from rarefy.data_contracts.expectations import ContractBroken, check, to_json
from rarefy.data_contracts.rows import (
    Chunk,
    Document,
    Path,
    Question,
    Triplet,
)
from rarefy.data_contracts.suites import SUITES
from rarefy.data_contracts.tables import from_table, to_table


def every(table, row_type, **changes):
    """The table with every row changed."""
    return to_table([replace(row, **changes) for row in from_table(table, row_type)], row_type)


def broken(tables, row_type, table):
    with pytest.raises(ContractBroken) as caught:
        check("some stage", row_type, table, tables)
    return caught.value


@pytest.mark.parametrize("row_type", SUITES, ids=lambda t: t.__name__)
def test_a_good_table_keeps_every_rule(tables, row_type):
    validation = check("read", row_type, tables[row_type], tables)
    assert (validation.stage, validation.table, validation.rows) == (
        "read",
        row_type.__name__,
        tables[row_type].num_rows,
    )
    assert [result.rule for result in validation.results] == [
        "columns and types",
        *(r.says for r in SUITES[row_type].rules),
    ]
    assert all(result.success and result.count == 0 for result in validation.results) and not validation.broken


@pytest.mark.parametrize(
    ("change", "shown"),
    [
        (lambda table: table.drop_columns(["text"]), "text: missing"),
        (lambda table: table.append_column("colour", pa.nulls(table.num_rows)), "colour: unknown"),
        (lambda table: table.select(table.schema.names[::-1]), "in the order language, title"),
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
    assert not check("ask", Question, tables[Question], tables).broken


def test_before_normalisation_no_triplet_has_keys_and_that_is_no_breach(tables):
    triplets = every(tables[Triplet], Triplet, subject_key="", relation_key="", object_key="")
    assert not check("extract", Triplet, triplets, tables).broken


def test_a_path_over_triplets_without_keys_is_a_breach(tables):
    triplets = every(tables[Triplet], Triplet, subject_key="", relation_key="", object_key="")
    error = broken({**tables, Triplet: triplets}, Path, tables[Path])
    assert "from '' to ''" in str(error)


def test_a_path_over_a_rejected_triplet_is_a_breach(tables):
    triplets = every(tables[Triplet], Triplet, rejected_because="unsure")
    error = broken({**tables, Triplet: triplets}, Path, tables[Path])
    assert "was rejected: unsure" in str(error)


def test_a_chain_may_be_told_from_either_end(tables):
    rows = [replace(path, triplet_ids=path.triplet_ids[::-1]) for path in from_table(tables[Path], Path)]
    assert not check("graph", Path, to_table(rows, Path), tables).broken


def test_a_table_may_come_in_parts_and_as_a_slice(tables):
    table = pa.concat_tables([tables[Document].slice(0, 1), tables[Document].slice(1, 3)])
    assert not check("read", Document, table, tables).broken
    chunks = pa.concat_tables([tables[Chunk].slice(i, 1) for i in range(tables[Chunk].num_rows)])
    assert not check("chunk", Chunk, chunks, {Document: table}).broken


def test_a_missing_reference_is_an_error_and_not_a_pass(tables):
    with pytest.raises(KeyError, match="Document"):
        check("chunk", Chunk, tables[Chunk], {})


def test_many_breaches_are_counted_and_a_few_shown(tables):
    error = broken(tables, Triplet, every(tables[Triplet], Triplet, method="guess"))
    guess = next(r for r in error.validation.broken if r.column == "method")
    assert guess.count == 8 and len(guess.examples) == 5


def test_validations_become_plain_records(tables):
    good = check("read", Document, tables[Document], tables)
    bad = broken(tables, Chunk, tables[Chunk].slice(0, 0)).validation
    records = to_json([good, bad])
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
    assert not check("read", Document, tables[Document], tables).broken
