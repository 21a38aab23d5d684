"""Which documents are worked on together: each name once, small ones in batches, no more than are wanted."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from rarefy.data_contracts.rows import Quarantined, row_id
from rarefy.data_contracts.tables import from_table, to_table
from rarefy.tasks.store.tables import Store, digest

VERSION = 2
# Documents of one source (a JSONL file) in a batch, on average: a table takes some 10 ms to put in place, which 32
# short documents share, and an edited one takes no more than these with it.
BATCH = 32
# Batches of a corpus, about: each costs this process some 15 ms a stage, and an object store some requests. Of more
# than 262,144 documents batches are of 64, and so on: what is cut by the larger number is cut by the smaller one too.
BATCHES = 8192
COLUMNS = ("doc_id", "source", "as_of", "period_end")


@dataclass(frozen=True, slots=True)
class Batch:
    """Some documents of one source."""

    source: str
    documents: str  # name of their table
    rows: int


# the store, what was read and how many are wanted: the batches of documents, and the tables of faults
Apart = Callable[[Store, Sequence[dict[str, Any]], int], tuple[list[Batch], list[str]]]


@dataclass(frozen=True, slots=True)
class _Met:
    """A document where it was met: in which of the tables, and at which place there."""

    table: int
    place: int
    source: str
    as_of: str


def apart(store: Store, read: Sequence[dict[str, Any]], limit: int, date: str = "") -> tuple[list[Batch], list[str]]:
    """The batches of documents of what was read, the first `limit` documents unless 0, and the tables of faults.

    Of several documents of one name the one with the newest as_of is the document, of equal ones the first; the others
    are faults. With a date, documents that are of a later day, or whose period was not over by then, do not count.
    """
    sources = [(part["source"].path, part["documents"]) for part in read]
    recipe = digest(["apart", VERSION, BATCH, limit, sources, *filter(None, [date])])
    made = store.find(recipe) or store.put(recipe, _parted(store, sources, limit, date))
    batches = list(from_table(store.table(made["batches"]), Batch))
    if not all(store.over(store.holds, [batch.documents for batch in batches])):  # no recipe names them; one was lost
        made = store.put(recipe, _parted(store, sources, limit, date))
        batches = list(from_table(store.table(made["batches"]), Batch))
    return batches, [part["quarantine"] for part in read] + [made["quarantine"]]


def _parted(store: Store, sources: Sequence[tuple[str, str]], limit: int, date: str) -> dict[str, pa.Table]:
    best: dict[str, _Met] = {}  # in the order in which they were first met
    others: list[tuple[str, _Met]] = []
    sizes = []
    for number, table in enumerate(store.over(store.table, [name for _, name in sources])):
        sizes.append(table.num_rows)
        columns = (table[column].to_pylist() for column in COLUMNS)
        for place, (doc_id, source, as_of, period_end) in enumerate(zip(*columns, strict=True)):
            if date and (as_of or period_end) > date:
                continue
            met, before = _Met(number, place, source, as_of), best.get(doc_id)
            if before is None or met.as_of > before.as_of:
                best[doc_id], met = met, before or met
            if before:
                others.append((doc_id, met))
    kept: dict[int, list[int]] = {}
    for met in list(best.values())[: limit or None]:
        kept.setdefault(met.table, []).append(met.place)
    cut = [number for number, places in sorted(kept.items()) if not len(places) == sizes[number] == 1]
    tables = store.over(store.table, [sources[number][1] for number in cut])
    size = batch_of(sum(map(len, kept.values())))
    batches = []
    for number, places in sorted(kept.items()):
        source, name = sources[number]
        if len(places) == sizes[number] == 1:
            batches.append(Batch(source, name, 1))
            continue
        for some in batches_of(next(tables).take(pa.array(sorted(places), pa.int64())), size):
            batches.append(Batch(source, store.keep(some), some.num_rows))
    faults = [_fault(doc_id, met, best[doc_id]) for doc_id, met in others]
    return {"batches": to_table(batches, Batch), "quarantine": to_table(faults, Quarantined)}


def _fault(doc_id: str, met: _Met, best: _Met) -> Quarantined:
    """Why a document is not the one of its name."""
    if met.as_of < best.as_of:
        reason = "older_revision"
        dated = f"as of {met.as_of}" if met.as_of else "without a date"
        told = f"{best.source} is {doc_id!r} as of {best.as_of}, this is the one {dated}; nothing is asked of it"
    else:
        reason = "duplicate_id"
        told = f"{best.source} has the same id {doc_id!r}; give each document its own, or remove one"
    return Quarantined(row_id("read", met.source, reason), "read", met.source, reason, told)


def batch_of(documents: int) -> int:
    """How many of so many documents are in a batch, on average."""
    size = BATCH
    while documents > size * BATCHES:
        size *= 2
    return size


def batches_of(table: pa.Table, size: int = BATCH) -> Iterator[pa.Table]:
    """The table cut after rows whose own names say so: one more or one less moves no cut but its own."""
    cuts = [int(row_id(name), 16) % size == 0 for name in table.column(0).to_pylist()]
    start = 0
    for end, cut in enumerate(cuts, 1):
        if cut or end == len(cuts):
            yield table.slice(start, end - start)
            start = end
