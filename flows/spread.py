"""Questions in batches by document, with the chunks they need: an edited document touches few of them."""

from collections import defaultdict
from dataclasses import dataclass

import pyarrow as pa
import pyarrow.compute as pc

from rarefy.data_contracts.tables import from_table, to_table
from rarefy.flows.apart import batches_of
from rarefy.tasks.store import Store, digest

VERSION = 3


@dataclass(frozen=True, slots=True)
class Group:
    """Some accepted questions whose first gold chunk is of one document."""

    doc_id: str
    questions: str  # name of their table
    chunks: str  # name of the table of their gold chunks
    rows: int


def spread(store: Store, questions: str, chunks: str) -> list[Group]:
    """The groups of these questions, by document."""
    recipe = digest(["spread", VERSION, questions, chunks])
    made = store.find(recipe) or store.put(recipe, {"groups": to_table(_groups(store, questions, chunks), Group)})
    return list(from_table(store.table(made["groups"]), Group))


def _groups(store: Store, questions: str, chunks: str) -> list[Group]:
    passages, asked = store.table(chunks), store.table(questions)
    asked = _by_itself(asked.filter(pc.equal(asked["rejected_because"], "")))
    document_of = dict(zip(passages["chunk_id"].to_pylist(), passages["doc_id"].to_pylist(), strict=True))
    rows_of: dict[str, list[int]] = defaultdict(list)
    for row, chunk_ids in enumerate(asked["chunk_ids"].to_pylist()):
        rows_of[document_of[chunk_ids[0]]].append(row)
    groups = []
    for doc_id, rows in sorted(rows_of.items()):
        for some in batches_of(asked.take(pa.array(rows))):
            gold = pa.array(sorted({chunk_id for chunk_ids in some["chunk_ids"].to_pylist() for chunk_id in chunk_ids}))
            own = passages.filter(pc.is_in(passages["chunk_id"], value_set=gold))
            groups.append(Group(doc_id, store.keep(some), store.keep(own), some.num_rows))
    return groups


def _by_itself(questions: pa.Table) -> pa.Table:
    """The questions without what the rest of the corpus decides about them, which an edit elsewhere would change."""
    for name in ("retrievable", "split"):
        place = questions.schema.get_field_index(name)
        field = questions.schema.field(place)
        blank = [None if pa.types.is_boolean(field.type) else ""] * len(questions)
        questions = questions.set_column(place, field, pa.array(blank, field.type))
    return questions.sort_by("question_id")
