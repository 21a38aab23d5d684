"""The tables of a benchmark: what their files are called, and in what order their rows stand."""

from collections.abc import Iterator, Mapping

import pyarrow as pa
import pyarrow.compute as pc

from rarefy.data_contracts.rows import (
    Breach,
    Chunk,
    Document,
    Judgement,
    Merge,
    Path,
    Pool,
    Probe,
    Quarantined,
    Question,
    Similarity,
    Triplet,
    Unanswered,
    Variant,
)
from rarefy.data_contracts.schemas import BESIDE as KINDS_BESIDE
from rarefy.data_contracts.schemas import ROWS
from rarefy.data_contracts.tables import schema_of

Tables = Mapping[type, pa.Table]

CHANGES = ("changes.jsonl", "changes.md", "changes.html", "changes.json")  # against the version before: no tables
NAMES: dict[type, str] = {
    Document: "documents",
    Chunk: "chunks",
    Triplet: "triplets",
    Merge: "merges",
    Path: "paths",
    Question: "questions",
    Probe: "probes",
    Judgement: "judgements",
    Pool: "pools",
    Variant: "variants",
    Quarantined: "quarantine",
    Unanswered: "unanswered",
    Breach: "breaches",
}
BESIDE: dict[type, str] = {ROWS[kind]: kind for kind in KINDS_BESIDE}

_ORDER: dict[type, tuple[str, ...]] = {  # a parent's column stands for the parent's place in its own table
    Document: ("doc_id",),
    Chunk: ("doc_id", "start", "chunk_id"),
    Triplet: ("chunk_id", "start", "triplet_id"),
    Merge: ("kind", "canonical", "name", "merge_id"),
    Path: ("domain", "pattern", "path_id"),
    Question: ("domain", "pattern", "question_id"),
    Probe: ("question_id", "chunk_id", "probe_id"),
    Judgement: ("question_id", "judge", "round", "judgement_id"),
    Pool: ("question_id", "pool_id"),
    Variant: ("question_id", "side", "perturbation", "chunk_id", "number", "variant_id"),
    Quarantined: ("source", "stage", "quarantine_id"),
    Unanswered: ("stage", "about", "unanswered_id"),
    Breach: ("table", "rule", "row", "breach_id"),
    Similarity: ("kind", "of"),
}
_ROWS = 2048
_PARENTS: dict[type, type] = {Triplet: Chunk, Probe: Question, Judgement: Question, Pool: Question, Variant: Question}


def complete_tables(tables: Tables) -> dict[type, pa.Table]:
    """Every table of a benchmark and beside it, empty where none was made."""
    return {row_type: tables.get(row_type, schema_of(row_type).empty_table()) for row_type in NAMES | BESIDE}


def sort_tables(tables: Tables) -> dict[type, pa.Table]:
    """Every table, its rows in the order of the source or of their names."""
    ordered: dict[type, pa.Table] = {}
    for row_type, columns in _ORDER.items():
        table = tables[row_type]
        keys = table.select(list(columns))
        if parent := _PARENTS.get(row_type):
            places = pc.index_in(keys.column(0), value_set=ordered[parent].column(columns[0]).combine_chunks())
            keys = keys.set_column(0, columns[0], places)
        order = pc.sort_indices(keys, sort_keys=[(name, "ascending") for name in columns])
        # in parts: taken at once, texts of over 2 GiB overflow their offsets
        parts = [table.take(order.slice(start, _ROWS)) for start in range(0, len(order), _ROWS)]
        ordered[row_type] = pa.concat_tables([table.slice(0, 0), *parts])
    return ordered


def slices(table: pa.Table, rows: int) -> Iterator[pa.Table]:
    """The table in parts of so many rows; one empty part where it has none."""
    for start in range(0, max(table.num_rows, 1), rows):
        yield table.slice(start, rows)
