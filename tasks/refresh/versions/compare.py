"""Compare two benchmarks by their tables alone, whatever made them, in whatever order."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from rarefy.data_contracts.rows import Change, Chunk, Document, Quarantined, Question, Triplet, Variant, row_id
from rarefy.data_contracts.schemas import FIRST, migrate_table
from rarefy.data_contracts.tables import schema_of
from rarefy.tasks.export.tables import NAMES, Tables
from rarefy.tasks.refresh.versions.corpus import compare_chunks, compare_documents
from rarefy.tasks.refresh.versions.matching import match_rows, select_accepted
from rarefy.tasks.refresh.versions.questions import (
    QUESTION_COLUMNS,
    TRIPLET_COLUMNS,
    QuestionTables,
    compare_questions,
    compare_triplets,
)
from rarefy.tasks.refresh.versions.texts import compare_paragraphs
from rarefy.tasks.store.journal import Version
from rarefy.tasks.store.tables import Store

MEANINGS: dict[str, dict[str, str]] = {
    "documents": {
        "added": "not there before",
        "deleted": "not there any more",
        "unreadable": "in quarantine now, for the reason that is told: no document any more, and not deleted",
        "edited": "the same source, other content",
        "renamed": "the same content under another name",
        "renamed_and_edited": "another name, and most of the same text",
        "reread": "the same content, read otherwise by another version of rarefy or another config",
        "unchanged": "the same source, the same content",
    },
    "sections": {
        "added": "a heading with its text that was not there before",
        "deleted": "a heading that is gone, with its text",
        "renamed": "the same text under another heading",
        "moved": "another place among the sections",
    },
    "paragraphs": {
        "added": "a paragraph or a table's row that was not there before",
        "removed": "one that is gone",
        "edited": "one in the place of a similar one",
        "moved": "the same words at another place, or in another section",
    },
    "triplets": {
        "added": "a fact that was not stated before",
        "gone": "a fact that is not stated any more, or not at this place",
        "restated": "the same subject, relation and period with another value",
        "moved": "the same fact, stated at another place",
        "unchanged": "the same fact at the same place",
    },
    "questions": {
        "added": "not asked before",
        "retired": "not asked any more",
        "answer_changed": "the same question with another answer: the old one is retired, the new one is its successor",
        "evidence_moved": "the same question and answer, proved by other sentences or at another place",
        "reworded": "the same question of the same facts with the same answer, in other words",
        "unchanged": "the same question, answer and evidence: answers and scores stand",
    },
    "chunks": {
        "added": "another text, or one that was not there before",
        "removed": "a text that is gone",
        "moved": "the same text at another offset, or in another document",
        "section_changed": "the same text under other headings",
        "unchanged": "the same text at the same place",
    },
    "variants": {
        "added": "kept variants that were not there before",
        "gone": "kept variants that are not there any more",
        "unchanged": "the same",
    },
}
# The columns that are compared; of a large benchmark nothing else needs to be read
COLUMNS: dict[type, tuple[str, ...]] = {
    Document: ("doc_id", "content_hash", "source", "title", "text", "blocks", "places"),
    Quarantined: ("source", "reason", "detail"),
    Chunk: ("chunk_id", "doc_id", "start", "end", "section", "place", "text"),
    Triplet: TRIPLET_COLUMNS,
    Question: (*QUESTION_COLUMNS, "rejected_because"),
    Variant: ("variant_id", "rejected_because"),
}
MAX_NAMED_SETTINGS = 8
_KIND_ORDER = {kind: at for at, kind in enumerate(MEANINGS)}
_CHANGE_ORDER = {(kind, what): at for kind, words in MEANINGS.items() for at, what in enumerate(words)}


@dataclass(frozen=True)
class Changes:
    """Every change, ordered by kind, change and place; of what is unchanged, questions alone have rows."""

    rows: tuple[Change, ...]
    standing: Mapping[str, int]  # how many are unchanged, by kind
    variants: Mapping[str, int]  # added, gone

    @cached_property
    def by_kind(self) -> dict[str, dict[str, int]]:
        """The count of each change, by kind; every change of `MEANINGS` is there."""
        found = Counter((row.kind, row.change) for row in self.rows)
        found.update({(kind, "unchanged"): count for kind, count in self.standing.items()})
        found.update({("variants", what): count for what, count in self.variants.items()})
        return {kind: {what: found[kind, what] for what in words} for kind, words in MEANINGS.items()}

    @property
    def counts(self) -> dict[str, int]:
        """The counts by names like `questions_answer_changed`: all of questions, and the others above 0."""
        return {
            f"{kind}_{what}": count
            for kind, found in self.by_kind.items()
            for what, count in found.items()
            if count or kind == "questions"
        }

    @property
    def nothing(self) -> bool:
        """Is everything unchanged?"""
        return not any(count for name, count in self.counts.items() if not name.endswith("_unchanged"))


def compare_tables(old: Tables, new: Tables) -> Changes:
    """The changes of documents, sections, paragraphs, chunks, triplets, questions and variants.

    Tables are by row type and have the columns of `COLUMNS` at least; a missing one counts as empty.
    """
    was, now = ({row_type: _select_columns(side, row_type) for row_type in COLUMNS} for side in (old, new))
    of_documents = compare_documents(was[Document], now[Document], was[Chunk], now[Chunk], now[Quarantined])
    of_chunks, chunks_stand = compare_chunks(was[Chunk], now[Chunk], of_documents.now)
    of_triplets, triplets_stand = compare_triplets(was[Triplet], now[Triplet], of_documents.now)
    of_variants = match_rows(select_accepted(was[Variant]), select_accepted(now[Variant]), "variant_id", ())
    rows = [
        *of_documents.rows,
        *_compare_texts(of_documents.edited, was[Document], now[Document]),
        *of_chunks,
        *of_triplets,
        *compare_questions(_question_tables(was), _question_tables(now), of_triplets),
    ]
    return Changes(
        rows=tuple(_with_ids(sorted(rows, key=_sort_key))),
        standing={
            "documents": of_documents.unchanged,
            "chunks": chunks_stand,
            "triplets": triplets_stand,
            "variants": of_variants.new.num_rows,
        },
        variants={"added": of_variants.added.num_rows, "gone": of_variants.gone.num_rows},
    )


def _question_tables(tables: Tables) -> QuestionTables:
    return QuestionTables(tables[Question], tables[Triplet], tables[Chunk], tables[Document])


def _select_columns(tables: Tables, row_type: type) -> pa.Table:
    return tables.get(row_type, schema_of(row_type).empty_table()).select(list(COLUMNS[row_type]))


def _compare_texts(edited: Iterable[tuple[str, str]], old: pa.Table, new: pa.Table) -> Iterable[Change]:
    """The changes within the texts of edited documents, one after the other: a text may be long."""
    at = [dict(zip(table["doc_id"].to_pylist(), range(table.num_rows), strict=True)) for table in (old, new)]
    for before, after in edited:
        (was,), (now,) = (
            table.slice(at[side][name], 1).select(["text", "blocks", "places"]).to_pylist()
            for side, (table, name) in enumerate(((old, before), (new, after)))
        )
        yield from compare_paragraphs(after, was, now)


def _sort_key(row: Change) -> tuple[int, int, str, str, str, str, str]:
    at = (_KIND_ORDER[row.kind], _CHANGE_ORDER[row.kind, row.change])
    return (*at, row.doc_id, row.section, row.about, row.old_id, row.new_id)


def _with_ids(rows: Iterable[Change]) -> Iterable[Change]:
    """Give rows their ids; equal rows are counted, so that they have ids of their own."""
    times: Counter[tuple[str, ...]] = Counter()
    for row in rows:
        parts = (row.kind, row.change, row.old_id, row.new_id, row.doc_id, row.section, row.before, row.after)
        times[parts] += 1
        yield replace(row, change_id=row_id(*parts, times[parts]))


def load_version_tables(store: Store, version: Version) -> dict[type, pa.Table]:
    """The tables of a stored version that `compare_tables` needs, with today's columns.

    TableDamaged names a table that is gone, or is not what it is named after.
    """
    kinds = {row_type: NAMES[row_type] for row_type in COLUMNS if NAMES[row_type] in version.tables}
    tables = store.over(lambda of: load_version_table(store, version, kinds[of], COLUMNS[of]), kinds)
    return dict(zip(kinds, tables, strict=True))


def load_version_table(store: Store, version: Version, kind: str, columns: Sequence[str] = ()) -> pa.Table:
    """One table of a stored version, with today's schema: these columns of it, or all where none are named."""
    table = _read_columns(store, version.tables[kind], columns)
    table = migrate_table(kind, table, version.schemas.get(kind, FIRST))
    return table.select([name for name in columns if name in table.column_names]) if columns else table


def _read_columns(store: Store, name: str, columns: Sequence[str]) -> pa.Table:
    """Those of the columns that the table has; all columns of a large benchmark may not fit into memory."""
    if not columns:
        return store.table(name)
    try:
        with store.fs.open(f"{store.root}/tables/{name}.parquet", "rb") as file:
            parquet = pq.ParquetFile(file)
            return parquet.read([name for name in columns if name in parquet.schema_arrow.names], use_threads=False)
    except Exception:  # a damaged file may raise anything; reading the whole table proves it, or says what is wrong
        table = store.table(name)
        return table.select([column for column in columns if column in table.column_names])


def find_differing_settings(old: Mapping[str, Any], new: Mapping[str, Any]) -> tuple[str, ...]:
    """The dotted names of options with another value (`perturb.query`); both configs as JSON, defaults included."""
    return tuple(_walk_differences(old, new, ""))


def describe_differing_settings(names: Sequence[str], before: str) -> str:
    """A sentence with the first few names; `before` is the older version as a reader knows it."""
    more = f" and {len(names) - MAX_NAMED_SETTINGS:,} more" if len(names) > MAX_NAMED_SETTINGS else ""
    return f"Settings differ from version {before}: {', '.join(names[:MAX_NAMED_SETTINGS])}{more}"


def _walk_differences(old: Mapping[str, Any], new: Mapping[str, Any], within: str) -> Iterator[str]:
    for name in sorted({*old, *new}):
        was, now, path = old.get(name), new.get(name), f"{within}{name}"
        if isinstance(was, Mapping) and isinstance(now, Mapping):
            yield from _walk_differences(was, now, f"{path}.")
        elif was != now:
            yield path
