"""Documents are worked on in batches that an edit elsewhere does not move."""

from dataclasses import dataclass, replace
from itertools import permutations

import pyarrow as pa
import pytest

from rarefy.data_contracts.rows import Document, Quarantined
from rarefy.data_contracts.tables import from_table, to_table
from rarefy.flows.engine.batches import BATCH, BATCHES, batch_documents, batch_size, cut_batches
from rarefy.tasks.store.tables import Store

DAYS = ("2024-02-15", "2024-06-20", "")


@dataclass(frozen=True)
class Source:
    path: str


def document(name: str, text: str = "Some words in a row.") -> Document:
    return Document(name, "hash", f"file#{name}", "", "text/plain", text)


@pytest.fixture
def store(tmp_path) -> Store:
    return Store(tmp_path)


def read(store: Store, **files: list[Document]) -> list[dict]:
    faults = store.keep(to_table([], Quarantined))
    return [
        {"source": Source(path), "documents": store.keep(to_table(rows, Document)), "quarantine": faults}
        for path, rows in files.items()
    ]


def names(store: Store, batches) -> list[str]:
    return [row.doc_id for batch in batches for row in from_table(store.table(batch.documents), Document)]


def test_a_file_that_is_one_document_is_a_batch_of_its_own(store):
    parts = read(store, a=[document("1")], b=[document("2")])
    batches, _ = batch_documents(store, parts, 0)
    assert [batch.documents for batch in batches] == [part["documents"] for part in parts]


def test_many_documents_of_a_file_come_in_batches_with_none_lost(store):
    rows = [document(f"d{n}") for n in range(1000)]
    batches, _ = batch_documents(store, read(store, a=rows), 0)
    assert names(store, batches) == [row.doc_id for row in rows]
    assert [batch.rows for batch in batches] == [store.rows(batch.documents) for batch in batches]
    assert 1000 / BATCH / 2 < len(batches) < 1000 / BATCH * 2


@pytest.mark.parametrize("place", [0, 500, 999])
@pytest.mark.parametrize("change", ["edit", "remove", "insert"])
def test_a_change_moves_its_own_batch_and_at_most_the_next(store, place, change):
    rows = [document(f"d{n}") for n in range(1000)]
    before = {batch.documents for batch in batch_documents(store, read(store, a=rows), 0)[0]}
    if change == "edit":
        rows[place] = document(f"d{place}", "Some other words in a row.")
    elif change == "remove":
        del rows[place]
    else:
        rows.insert(place, document("new"))
    after = {batch.documents for batch in batch_documents(store, read(store, a=rows), 0)[0]}
    assert len(after - before) <= 2


def test_a_document_whose_name_is_taken_is_a_fault_that_names_the_other(store):
    batches, faults = batch_documents(
        store, read(store, a=[document("1"), document("2")], b=[document("2"), document("3")]), 0
    )
    assert names(store, batches) == ["1", "2", "3"]
    (fault,) = (row for name in faults for row in from_table(store.table(name), Quarantined))
    assert (fault.source, fault.reason) == ("file#2", "duplicate_id")
    assert "'2'" in fault.detail


@pytest.mark.parametrize("limit", [1, 3, 4, 9])
def test_no_more_documents_than_wanted(store, limit):
    parts = read(store, a=[document(f"a{n}") for n in range(3)], b=[document(f"b{n}") for n in range(3)])
    assert len(names(store, batch_documents(store, parts, limit)[0])) == min(limit, 6)


def test_a_file_that_gave_no_document_gives_no_batch(store):
    assert batch_documents(store, read(store, a=[]), 0)[0] == []


def test_of_several_revisions_of_one_name_the_newest_is_the_document(store):
    rows = [replace(document("f", f"Text {n}."), source=f"{n}.html", as_of=day) for n, day in enumerate(DAYS)]
    for order in permutations(rows):
        parts = read(store, **{row.source: [row] for row in order})
        batches, faults = batch_documents(store, parts, 0)
        (kept,) = (row for batch in batches for row in from_table(store.table(batch.documents), Document))
        assert kept.as_of == "2024-06-20"
        told = {row.source: row for name in faults for row in from_table(store.table(name), Quarantined)}
        assert {source: row.reason for source, row in told.items()} == {
            "0.html": "older_revision", "2.html": "older_revision",
        }  # fmt: skip
        assert "1.html is 'f' as of 2024-06-20" in told["0.html"].detail
        assert "as of 2024-02-15" in told["0.html"].detail and "without a date" in told["2.html"].detail


def test_with_a_day_what_is_of_a_later_one_does_not_count(store):
    rows = [replace(document(f"d{n}"), as_of=day) for n, day in enumerate(DAYS)]
    rows.append(replace(document("d3"), period_end="2024-12-31"))
    assert names(store, batch_documents(store, read(store, a=rows), 0, "2024-06-19")[0]) == ["d0", "d2"]
    assert names(store, batch_documents(store, read(store, a=rows), 0, "2024-06-20")[0]) == ["d0", "d1", "d2"]
    assert names(store, batch_documents(store, read(store, a=rows), 0)[0]) == ["d0", "d1", "d2", "d3"]


def test_batches_of_a_very_large_corpus_are_larger_so_that_they_stay_few(store, monkeypatch):
    sizes = (1, BATCH * BATCHES, BATCH * BATCHES + 1, 1_000_000, 10_000_000)
    assert list(map(batch_size, sizes)) == [32, 32, 64, 128, 2048]
    monkeypatch.setattr("rarefy.flows.engine.batches.BATCHES", 4)
    batches, _ = batch_documents(store, read(store, a=[document(f"d{n}") for n in range(1000)]), 0)
    assert 2 <= len(batches) <= 12 and sum(batch.rows for batch in batches) == 1000


def test_what_is_cut_into_large_batches_is_cut_into_small_ones_too():
    table = pa.table({"doc_id": [f"d{n}" for n in range(4000)]})
    few, many = ({some["doc_id"][0].as_py() for some in cut_batches(table, size)} for size in (8 * BATCH, BATCH))
    assert few < many
