"""What is not as it was between two benchmarks, from their tables alone: whatever made them, in whatever order."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property

import pyarrow as pa

from rarefy.data_contracts.rows import Change, Chunk, Document, Quarantined, Question, Triplet, Variant, row_id
from rarefy.data_contracts.tables import schema_of
from rarefy.tasks.export.tables import Tables
from rarefy.tasks.refresh.versions.chunks import chunks
from rarefy.tasks.refresh.versions.classes import WORDS
from rarefy.tasks.refresh.versions.documents import documents
from rarefy.tasks.refresh.versions.matched import accepted, matched
from rarefy.tasks.refresh.versions.paragraphs import paragraphs
from rarefy.tasks.refresh.versions.questions import COLUMNS as OF_QUESTIONS
from rarefy.tasks.refresh.versions.questions import Side, questions
from rarefy.tasks.refresh.versions.triplets import COLUMNS as OF_TRIPLETS
from rarefy.tasks.refresh.versions.triplets import triplets

# What is looked at; of a large benchmark nothing else needs to be read
COLUMNS: dict[type, tuple[str, ...]] = {
    Document: ("doc_id", "content_hash", "source", "title", "text", "blocks"),
    Quarantined: ("source", "reason", "detail"),
    Chunk: ("chunk_id", "doc_id", "start", "end", "section", "text"),
    Triplet: OF_TRIPLETS,
    Question: (*OF_QUESTIONS, "rejected_because"),
    Variant: ("variant_id", "rejected_because"),
}


@dataclass(frozen=True)
class Changes:
    """Every change, ordered by kind, what became of it and place; of what stands, questions alone have rows."""

    rows: tuple[Change, ...]
    standing: Mapping[str, int]  # by kind: how many are just as they were
    variants: Mapping[str, int]  # added, gone

    @cached_property
    def by_kind(self) -> dict[str, dict[str, int]]:
        """How many of each kind became what; every word of `classes.WORDS` has its number."""
        found = Counter((row.kind, row.change) for row in self.rows)
        found.update({(kind, "unchanged"): count for kind, count in self.standing.items()})
        found.update({("variants", what): count for what, count in self.variants.items()})
        return {kind: {what: found[kind, what] for what in words} for kind, words in WORDS.items()}

    @property
    def counts(self) -> dict[str, int]:
        """The same in one: `questions_answer_changed`; those of questions, and the others above 0."""
        return {
            f"{kind}_{what}": count
            for kind, found in self.by_kind.items()
            for what, count in found.items()
            if count or kind == "questions"
        }

    @property
    def nothing(self) -> bool:
        """Is everything as it was?"""
        return not any(count for name, count in self.counts.items() if not name.endswith("_unchanged"))


def changes(old: Tables, new: Tables) -> Changes:
    """What became of documents, sections, paragraphs, chunks, triplets, questions and variants.

    The tables by row type, with the columns of `COLUMNS` at least; one that is not there is empty.
    """
    was, now = ({row_type: _table(side, row_type) for row_type in COLUMNS} for side in (old, new))
    of_documents = documents(was[Document], now[Document], was[Chunk], now[Chunk], now[Quarantined])
    of_chunks, chunks_stand = chunks(was[Chunk], now[Chunk], of_documents.now)
    of_triplets, triplets_stand = triplets(was[Triplet], now[Triplet], of_documents.now)
    of_variants = matched(accepted(was[Variant]), accepted(now[Variant]), "variant_id", ())
    rows = [
        *of_documents.rows,
        *_within(of_documents.edited, was[Document], now[Document]),
        *of_chunks,
        *of_triplets,
        *questions(_side(was), _side(now), of_triplets),
    ]
    return Changes(
        rows=tuple(_named(sorted(rows, key=_place))),
        standing={
            "documents": of_documents.unchanged,
            "chunks": chunks_stand,
            "triplets": triplets_stand,
            "variants": of_variants.new.num_rows,
        },
        variants={"added": of_variants.added.num_rows, "gone": of_variants.gone.num_rows},
    )


def _side(tables: Tables) -> Side:
    return Side(tables[Question], tables[Triplet], tables[Chunk], tables[Document])


def _table(tables: Tables, row_type: type) -> pa.Table:
    return tables.get(row_type, schema_of(row_type).empty_table()).select(list(COLUMNS[row_type]))


def _within(edited: Iterable[tuple[str, str]], old: pa.Table, new: pa.Table) -> Iterable[Change]:
    """What was done to the texts of these documents, one after the other: a text may be long."""
    at = [dict(zip(table["doc_id"].to_pylist(), range(table.num_rows), strict=True)) for table in (old, new)]
    for before, after in edited:
        (was,), (now,) = (
            table.slice(at[side][name], 1).select(["text", "blocks"]).to_pylist()
            for side, (table, name) in enumerate(((old, before), (new, after)))
        )
        yield from paragraphs(after, was, now)


_KINDS = {kind: at for at, kind in enumerate(WORDS)}
_WHATS = {(kind, what): at for kind, words in WORDS.items() for at, what in enumerate(words)}


def _place(row: Change) -> tuple[int, int, str, str, str, str, str]:
    at = (_KINDS[row.kind], _WHATS[row.kind, row.change])
    return (*at, row.doc_id, row.section, row.about, row.old_id, row.new_id)


def _named(rows: Iterable[Change]) -> Iterable[Change]:
    """The rows with their names; what was done twice is two rows."""
    times: Counter[tuple[str, ...]] = Counter()
    for row in rows:
        parts = (row.kind, row.change, row.old_id, row.new_id, row.doc_id, row.section, row.before, row.after)
        times[parts] += 1
        yield replace(row, change_id=row_id(*parts, times[parts]))
