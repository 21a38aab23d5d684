"""Which documents are worked on together: each name once, small ones in batches, no more than are wanted."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from rarefy.data_contracts.rows import Quarantined, row_id
from rarefy.data_contracts.tables import from_table, to_table
from rarefy.tasks.store import Store, digest

VERSION = 1
# Documents of one source (a JSONL file) in a batch, on average: a table takes some 10 ms to put in place, which 32
# short documents share, and an edited one takes no more than these with it.
BATCH = 32


@dataclass(frozen=True, slots=True)
class Batch:
    """Some documents of one source."""

    source: str
    documents: str  # name of their table
    rows: int


def apart(store: Store, read: Sequence[dict[str, Any]], limit: int) -> tuple[list[Batch], list[str]]:
    """The batches of documents of what was read, the first `limit` documents unless 0, and the tables of faults.

    A name that was taken by a document before is a fault of the later one.
    """
    sources = [(part["source"].path, part["documents"]) for part in read]
    recipe = digest(["apart", VERSION, BATCH, limit, sources])
    made = store.find(recipe) or store.put(recipe, _parted(store, sources, limit))
    batches = list(from_table(store.table(made["batches"]), Batch))
    if not all(store.holds(batch.documents) for batch in batches):  # no recipe names them; one was lost
        made = store.put(recipe, _parted(store, sources, limit))
        batches = list(from_table(store.table(made["batches"]), Batch))
    return batches, [part["quarantine"] for part in read] + [made["quarantine"]]


def _parted(store: Store, sources: Sequence[tuple[str, str]], limit: int) -> dict[str, pa.Table]:
    taken: dict[str, str] = {}  # name of a document -> where it was met first
    batches: list[Batch] = []
    faults: list[Quarantined] = []
    for source, name in sources:
        table = store.table(name)
        kept = []
        for place, (doc_id, own) in enumerate(zip(*(table[c].to_pylist() for c in ("doc_id", "source")), strict=True)):
            if doc_id in taken:
                told = f"{taken[doc_id]} has the same id {doc_id!r}; give each document its own, or remove one"
                faults.append(Quarantined(row_id("read", own, "duplicate_id"), "read", own, "duplicate_id", told))
            elif not limit or len(taken) < limit:
                taken[doc_id] = own
                kept.append(place)
        if len(kept) == table.num_rows == 1:
            batches.append(Batch(source, name, 1))
            continue
        for some in batches_of(table.take(pa.array(kept, pa.int64()))):
            batches.append(Batch(source, store.keep(some), some.num_rows))
    return {"batches": to_table(batches, Batch), "quarantine": to_table(faults, Quarantined)}


def batches_of(table: pa.Table) -> Iterator[pa.Table]:
    """The table cut after rows whose own names say so: one more or one less moves no cut but its own."""
    cuts = [int(row_id(name), 16) % BATCH == 0 for name in table.column(0).to_pylist()]
    start = 0
    for end, cut in enumerate(cuts, 1):
        if cut or end == len(cuts):
            yield table.slice(start, end - start)
            start = end
