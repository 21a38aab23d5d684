"""The schema version of every table, and the migration of tables of earlier ones (architecture §5).

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

ROWS: dict[str, type] = {  # row type by kind of table
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
    "documents": 3,  # 2: places; 3: links
    "chunks": 2,  # place
    "triplets": 3,  # 2: valid_from, valid_to, superseded_by; 3: subject_from, place
    "paths": 2,  # remaining, remaining_in_chunk
    "questions": 5,  # 2: latest; 3: evidence_places; 4: alternatives, arithmetic, chance, members; 5: parts
    "judgements": 2,  # use
    "merges": 2,  # without similarity, which the table of similarities has
    "variants": 2,  # without similarity, and below_threshold, which rejected_because says
    "changes": 2,  # place
}

# Kinds that lie beside a benchmark and are no part of it: the last digits of what vectors come to are the machine's, so
# that no version, manifest or other file may depend on them
BESIDE = ("similarities",)


class NewerSchema(ValueError):
    """A table that a later rarefy made, which this one cannot read."""


def _add_columns(table: pa.Table, **columns: Any) -> pa.Table:
    """Add these columns, each of one value, unless the table has them."""
    for name, value in columns.items():
        if name not in table.column_names:
            table = table.append_column(name, pa.array([value] * table.num_rows, pa.scalar(value).type))
    return table


def _add_validity(triplets: pa.Table) -> pa.Table:
    """Add to facts of schema 1 when they hold: none of them was superseded."""
    return _add_columns(triplets, valid_from="", valid_to="", superseded_by="")


def _add_latest(questions: pa.Table) -> pa.Table:
    """Add `latest` to questions of schema 1, which name a period or hold for all time."""
    return _add_columns(questions, latest=False)


def _add_list(table: pa.Table, kind: str, name: str) -> pa.Table:
    """Add a column of lists that are all empty, unless the table has it."""
    if name in table.column_names:
        return table
    return table.append_column(name, pa.array([[]] * table.num_rows, schema_of(ROWS[kind]).field(name).type))


def _add_places(documents: pa.Table) -> pa.Table:
    """Add to documents of schema 1 that they have no places in their sources."""
    return _add_list(documents, "documents", "places")


def _add_links(documents: pa.Table) -> pa.Table:
    """Add to documents of schema 2 that nobody kept where their links lead."""
    return _add_list(documents, "documents", "links")


def _add_place(table: pa.Table) -> pa.Table:
    """Add to chunks or changes of schema 1 that they have no place."""
    return _add_columns(table, place="")


def _add_subject_from(triplets: pa.Table) -> pa.Table:
    """Add to facts of schema 2 that they do not say where their subject is from, and have no place."""
    return _add_columns(triplets, subject_from="", place="")


def _add_evidence_places(questions: pa.Table) -> pa.Table:
    """Add to questions of schema 2 that their evidence has no places."""
    return _add_list(questions, "questions", "evidence_places")


def _add_kinds(questions: pa.Table) -> pa.Table:
    """Add to questions of schema 3 that none is computed, and that no chunk states the same as a gold one."""
    questions = _add_columns(questions, arithmetic="", chance=0.0)
    for name in ("alternatives", "members"):
        questions = _add_list(questions, "questions", name)
    return questions


def _add_parts(questions: pa.Table) -> pa.Table:
    """Add to questions of schema 4 that no chunk is known to state a part of what a gold one does."""
    return _add_list(questions, "questions", "parts")


def _add_remaining(paths: pa.Table) -> pa.Table:
    """Add to paths of schema 1 that nobody counted the answers that remain without their clue."""
    return _add_columns(paths, remaining=0, remaining_in_chunk=0)


def _add_use(judgements: pa.Table) -> pa.Table:
    """Add to judgements of schema 1 that no judge was asked whether anybody would ask the question."""
    return _add_columns(judgements, use=0)


def _drop_similarities(table: pa.Table) -> pa.Table:
    """Drop the similarities of schema 1, which differ from machine to machine; a table of their own has them now."""
    return table.select([name for name in table.column_names if name not in ("similarity", "below_threshold")])


MIGRATIONS: dict[tuple[str, int], Callable[[pa.Table], pa.Table]] = {  # (kind, from) -> to the next schema
    ("documents", 1): _add_places,
    ("documents", 2): _add_links,
    ("chunks", 1): _add_place,
    ("triplets", 1): _add_validity,
    ("triplets", 2): _add_subject_from,
    ("paths", 1): _add_remaining,
    ("questions", 1): _add_latest,
    ("questions", 2): _add_evidence_places,
    ("questions", 3): _add_kinds,
    ("questions", 4): _add_parts,
    ("judgements", 1): _add_use,
    ("merges", 1): _drop_similarities,
    ("variants", 1): _drop_similarities,
    ("changes", 1): _add_place,
}


def migrate_table(kind: str, table: pa.Table, version: int) -> pa.Table:
    """Bring a table of this schema version to today's columns and order; NewerSchema where a later rarefy made it.

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


def migrate_records(kind: str, records: Iterable[dict[str, Any]], version: int) -> Iterator[dict[str, Any]]:
    """`migrate_table` for JSON records, which may lack what a row has a default for."""
    if version == SCHEMAS.get(kind, version):
        yield from records
        return
    source = iter(records)
    while some := list(islice(source, TOGETHER)):
        names = list(dict.fromkeys(name for record in some for name in record))
        columns = [pa.array([_plain(record.get(name)) for record in some]) for name in names]
        yield from migrate_table(kind, pa.Table.from_arrays(columns, names=names), version).to_pylist()


def _plain(value: Any) -> Any:
    """A dict as the JSON string that a table holds of it."""
    return json.dumps(value, sort_keys=True, ensure_ascii=False) if isinstance(value, dict) else value


def schemas_of(manifest: Mapping[str, Any]) -> dict[str, int]:
    """The schema version of each kind of table, by a manifest or an entry of the journal."""
    named = manifest.get("schemas")
    versions = named if isinstance(named, Mapping) else {}
    return {kind: int(versions.get(kind, FIRST)) for kind in SCHEMAS}
