"""Tables of every released schema can be read; a row type that changes must say so.

When `test_a_row_type_that_changes_has_a_new_schema` fails: raise the kind's number in data_contracts/schemas.py, write
its migration, and then the columns with `RAREFY_GOLDEN=write pytest tests/data_contracts/test_schemas.py`.
"""

import json
import os
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from rarefy.data_contracts import rows, schemas
from rarefy.data_contracts.rows import Triplet
from rarefy.data_contracts.schemas import (
    MIGRATIONS,
    ROWS,
    SCHEMAS,
    NewerSchema,
    migrate_records,
    migrate_table,
    schemas_of,
)
from rarefy.data_contracts.tables import from_table, schema_of, to_table
from rarefy.tasks.export import NAMES

GOLDEN = Path(__file__).with_name("schemas.json")  # kind -> schema -> its columns, of every schema there ever was
RELEASED = Path(__file__).parent.parent / "released" / "schema-1"


def columns(schema):
    """Name and type of each; what the items of a list are called is Parquet's business."""
    return [f"{column.name} {column.type}".replace("list<element: ", "list<item: ") for column in schema]


@pytest.fixture(scope="module")
def golden():
    known = json.loads(GOLDEN.read_text()) if GOLDEN.exists() else {}
    if os.environ.get("RAREFY_GOLDEN") == "write":
        for kind, row_type in ROWS.items():
            known.setdefault(kind, {}).setdefault(str(SCHEMAS[kind]), columns(schema_of(row_type)))
        GOLDEN.write_text(json.dumps(known, indent=1) + "\n")
    return known


@pytest.mark.parametrize("kind", ROWS)
def test_a_row_type_that_changes_has_a_new_schema(kind, golden):
    assert columns(schema_of(ROWS[kind])) == golden[kind][str(SCHEMAS[kind])]


@pytest.mark.parametrize("kind", [kind for kind in ROWS if (RELEASED / f"{kind}.parquet").exists()])
def test_the_first_schema_stays_what_was_released(kind, golden):
    assert columns(pq.read_schema(RELEASED / f"{kind}.parquet")) == golden[kind]["1"]


@pytest.mark.parametrize("kind", ROWS)
def test_every_schema_has_a_way_to_todays(kind):
    assert {step for of, step in MIGRATIONS if of == kind} == set(range(1, SCHEMAS[kind]))


@pytest.mark.parametrize("kind", [kind for kind in NAMES.values() if (RELEASED / f"{kind}.parquet").exists()])
def test_a_released_table_is_read_as_todays_rows(kind):
    told = json.loads((RELEASED / "manifest.json").read_text())
    table = migrate_table(kind, pq.read_table(RELEASED / f"{kind}.parquet"), schemas_of(told)[kind])
    read = list(from_table(table, ROWS[kind]))
    assert len(read) == told["tables"][kind]["rows"]
    assert to_table(read, ROWS[kind]).equals(table)


def test_every_table_of_a_benchmark_has_a_schema():
    assert {name: row_type for row_type, name in NAMES.items()}.items() <= ROWS.items()
    assert all(row_type in vars(rows).values() for row_type in ROWS.values())


def test_a_manifest_that_names_no_schemas_is_of_the_first():
    assert set(schemas_of({}).values()) == {1}
    assert schemas_of({"schemas": {"triplets": 2}})["triplets"] == 2


def test_facts_of_the_first_schema_were_not_superseded():
    table = migrate_table("triplets", pq.read_table(RELEASED / "triplets.parquet"), 1)
    assert {(row.valid_from, row.valid_to, row.superseded_by) for row in from_table(table, Triplet)} == {("", "", "")}


def test_a_table_of_a_later_schema_is_refused_with_the_way_out():
    with pytest.raises(NewerSchema, match=r"questions are of schema 99, made by a newer rarefy.*install"):
        migrate_table("questions", schema_of(ROWS["questions"]).empty_table(), 99)


def test_a_table_read_in_part_stays_in_part():
    table = pa.table({"object": ["a"], "triplet_id": ["b"]})
    assert migrate_table("triplets", table, SCHEMAS["triplets"]).column_names == ["triplet_id", "object"]
    assert "superseded_by" in migrate_table("triplets", table, 1).column_names


def test_a_table_of_no_known_kind_is_left_alone():
    table = pa.table({"recipe": ["a"]})
    assert migrate_table("touched", table, 7) is table


def test_a_migration_of_another_value_reaches_records_too(monkeypatch):
    def shouted(table):
        place = table.column_names.index("text")
        return table.set_column(place, "text", pa.array([text.upper() for text in table["text"].to_pylist()]))

    monkeypatch.setitem(schemas.SCHEMAS, "chunks", 2)
    monkeypatch.setitem(schemas.MIGRATIONS, ("chunks", 1), shouted)
    records = [{"text": "a", "own": [{"x": 1}]}, {"text": "b", "more": {"k": "v"}}] * 700
    read = list(migrate_records("chunks", records, 1))
    assert [record["text"] for record in read] == ["A", "B"] * 700
    assert (read[0]["own"], json.loads(read[1]["more"])) == ([{"x": 1}], {"k": "v"})
    assert list(migrate_records("chunks", records, 2)) == records
