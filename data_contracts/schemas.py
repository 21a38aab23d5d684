"""The version of every table's columns, and how a table of an earlier one is brought up to today's (architecture §5).

A row type whose fields change gets the next number here, and a migration; a test of every schema there was holds that.
"""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import islice
from typing import Any

import pyarrow as pa

from rarefy.data_contracts import rows
from rarefy.data_contracts.tables import schema_of

FIRST = 1  # of every table: that of package 0.1.0, the first released, whose manifests name none
TOGETHER = 1024  # records that are brought up at once

ROWS: dict[str, type] = {  # what the rows of a table are, by its kind
    "documents": rows.Document,
    "chunks": rows.Chunk,
    "triplets": rows.Triplet,
    "merges": rows.Merge,
    "paths": rows.Path,
    "questions": rows.Question,
    "probes": rows.Probe,
    "judgements": rows.Judgement,
    "pools": rows.Pool,
    "variants": rows.Variant,
    "similarities": rows.Similarity,
    "quarantine": rows.Quarantined,
    "unanswered": rows.Unanswered,
    "breaches": rows.Breach,
    "hits": rows.Hits,
    "trials": rows.Trial,
    "answers": rows.Answer,
    "scores": rows.Score,
    "figures": rows.Figure,
    "changes": rows.Change,
}
SCHEMAS: dict[str, int] = dict.fromkeys(ROWS, FIRST) | {
    "triplets": 2,  # valid_from, valid_to, superseded_by
    "questions": 2,  # latest
    "merges": 2,  # without similarity, which the table of similarities has
    "variants": 2,  # without similarity, and below_threshold, which rejected_because says
}

# Kinds that lie beside a benchmark and are no part of it: the last digits of what vectors come to are the machine's, so
# that no version, manifest or other file may hang on them
BESIDE = ("similarities",)


class NewerSchema(ValueError):
    """A table that a later rarefy made, which this one cannot read."""


def _with(table: pa.Table, **columns: Any) -> pa.Table:
    """The table with these columns, each of one value, unless it has them."""
    for name, value in columns.items():
        if name not in table.column_names:
            table = table.append_column(name, pa.array([value] * table.num_rows, pa.scalar(value).type))
    return table


def _dated(triplets: pa.Table) -> pa.Table:
    """Facts of schema 1 know nothing of when they hold: none of them was superseded."""
    return _with(triplets, valid_from="", valid_to="", superseded_by="")


def _latest(questions: pa.Table) -> pa.Table:
    """Questions of schema 1 name a period, or hold for all time."""
    return _with(questions, latest=False)


def _without_floats(table: pa.Table) -> pa.Table:
    """Rows of schema 1 held what the machine they were made on had computed; the benchmark's own table has it now."""
    return table.select([name for name in table.column_names if name not in ("similarity", "below_threshold")])


MIGRATIONS: dict[tuple[str, int], Callable[[pa.Table], pa.Table]] = {  # (kind, from) -> to the next schema
    ("triplets", 1): _dated,
    ("questions", 1): _latest,
    ("merges", 1): _without_floats,
    ("variants", 1): _without_floats,
}


def migrated(kind: str, table: pa.Table, version: int) -> pa.Table:
    """A table of this schema with today's columns in today's order; NewerSchema where a later rarefy made it.

    A table that was read in part stays in part: of the columns it lacks, only those that a migration fills are added.
    """
    if kind not in SCHEMAS:
        return table
    if version > SCHEMAS[kind]:
        raise NewerSchema(
            f"its {kind} are of schema {version}, made by a newer rarefy, and this one reads up to {SCHEMAS[kind]}; "
            "install that version or a later one"
        )
    for step in range(max(version, FIRST), SCHEMAS[kind]):
        table = MIGRATIONS[kind, step](table)
    known = [name for name in schema_of(ROWS[kind]).names if name in table.column_names]
    return table.select([*known, *(name for name in table.column_names if name not in known)])


def migrated_records(kind: str, records: Iterable[dict[str, Any]], version: int) -> Iterator[dict[str, Any]]:
    """The same for records as JSON holds them, which may lack what a row has a default for."""
    if version == SCHEMAS.get(kind, version):
        yield from records
        return
    source = iter(records)
    while some := list(islice(source, TOGETHER)):
        names = list(dict.fromkeys(name for record in some for name in record))
        columns = [pa.array([_plain(record.get(name)) for record in some]) for name in names]
        yield from migrated(kind, pa.Table.from_arrays(columns, names=names), version).to_pylist()


def _plain(value: Any) -> Any:
    """An object of ragged keys as the string that a table holds of it."""
    return json.dumps(value, sort_keys=True, ensure_ascii=False) if isinstance(value, dict) else value


def schemas_of(manifest: Mapping[str, Any]) -> dict[str, int]:
    """The schema of each kind of table that a manifest or an entry of the journal speaks of."""
    named = manifest.get("schemas")
    told = named if isinstance(named, Mapping) else {}
    return {kind: int(told.get(kind, FIRST)) for kind in SCHEMAS}
