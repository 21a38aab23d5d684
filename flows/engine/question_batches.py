"""Questions in batches by document, with the chunks they need: an edited document touches few of them."""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import pyarrow as pa
import pyarrow.compute as pc

from rarefy.data_contracts.tables import from_table, to_table
from rarefy.flows.engine.document_batches import batches_of
from rarefy.tasks.store.tables import Store, digest

VERSION = 4


@dataclass(frozen=True, slots=True)
class Group:
    """Some accepted questions whose first gold chunk is of one document."""

    doc_id: str
    questions: str  # name of their table
    pools: str  # name of the table of what noise for them can be made of
    chunks: str  # name of the table of all chunks that those two name
    rows: int


def spread(store: Store, questions: str, chunks: str, pools: str) -> list[Group]:
    """The groups of these questions, by document."""
    recipe = digest(["spread", VERSION, questions, chunks, pools])
    if found := store.find(recipe):
        groups = list(from_table(store.table(found["groups"]), Group))
        # no recipe of theirs names these tables, so that one that was lost is missed here
        if all(store.over(store.holds, [n for g in groups for n in (g.questions, g.pools, g.chunks)])):
            return groups
    groups = _groups(store, questions, chunks, pools)
    store.put(recipe, {"groups": to_table(groups, Group)})
    return groups


def _groups(store: Store, questions: str, chunks: str, pools: str) -> list[Group]:
    passages, drawn = unplaced(store.table(chunks)), store.table(pools)
    asked = store.table(questions)
    asked = by_itself(asked.filter(pc.equal(asked["rejected_because"], "")))
    chunk_at, pool_at = _places(passages, "chunk_id"), _places(drawn, "question_id")
    doc_ids = passages["doc_id"].to_pylist()
    rows_of: dict[str, list[int]] = defaultdict(list)
    for row, chunk_ids in enumerate(asked["chunk_ids"].to_pylist()):
        rows_of[doc_ids[chunk_at[chunk_ids[0]]]].append(row)

    def apart() -> Iterator[tuple[str, pa.Table, pa.Table, pa.Table]]:
        batches = (
            (doc_id, some) for doc_id in sorted(rows_of) for some in batches_of(asked.take(pa.array(rows_of[doc_id])))
        )
        for doc_id, some in batches:
            its = drawn.take(
                pa.array([pool_at[name] for name in some["question_id"].to_pylist() if name in pool_at], pa.int64())
            )
            named = sorted({*_named(some, "chunk_ids"), *_named(its, "neighbours"), *_named(its, "strangers")})
            own = passages.take(pa.array([chunk_at[chunk_id] for chunk_id in named], pa.int64()))
            yield doc_id, some, its, own

    def kept(group: tuple[str, pa.Table, pa.Table, pa.Table]) -> Group:
        doc_id, *tables = group
        return Group(doc_id, *map(store.keep, tables), tables[0].num_rows)

    return list(store.over(kept, apart()))


def _places(table: pa.Table, key: str) -> dict[str, int]:
    return {name: place for place, name in enumerate(table[key].to_pylist())}


def _named(table: pa.Table, column: str) -> Iterable[str]:
    named: list[str] = pc.list_flatten(table[column]).to_pylist()
    return named


def unplaced(chunks: pa.Table) -> pa.Table:
    """The chunks without their places in the document, which an edit further up would move: nothing varied asks."""
    starts = pa.array([0] * chunks.num_rows, pa.int64())
    lengths = pc.cast(pc.utf8_length(chunks["text"]), pa.int64())
    for name, column in (("start", starts), ("end", lengths)):
        place = chunks.schema.get_field_index(name)
        chunks = chunks.set_column(place, chunks.schema.field(place), column)
    return chunks


def by_itself(questions: pa.Table) -> pa.Table:
    """The questions without what the rest of the corpus decides about them, which an edit elsewhere would change."""
    for name in ("retrievable", "split"):
        place = questions.schema.get_field_index(name)
        field = questions.schema.field(place)
        blank = [None if pa.types.is_boolean(field.type) else ""] * len(questions)
        questions = questions.set_column(place, field, pa.array(blank, field.type))
    return questions.sort_by("question_id")
