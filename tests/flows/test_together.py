"""Tables of many parts become one without a look at their rows, and stages keep few rows as Python's objects."""

from collections.abc import Iterator

import pyarrow as pa
import pytest

from rarefy.data_contracts import tables
from rarefy.data_contracts.rows import Block, Document
from rarefy.data_contracts.tables import TableBuilder, from_table, to_table
from rarefy.flows.engine import stages
from rarefy.tasks.corpus.read.duplicates import DuplicatesConfig, flag_duplicates
from rarefy.tasks.store.recipe import make
from rarefy.tasks.store.tables import Store


def document(n: int, text: str = "") -> Document:
    said = text or " ".join(f"word{(n * 7 + at) % 500}" for at in range(60))
    told = {"dropped": {"page": n}, "metadata": {"cik": str(n), "b": "ü"}, "period_end": f"20{n % 30:02}-12-31"}
    return Document(
        f"d{n:04}", f"{n:016x}", "s", f"Title {n}", "text/plain", said, (Block("text", 0, len(said)),), **told
    )


def test_gathering_without_rows_is_gathering_with_rows(tmp_path):
    parts = [[document(n) for n in range(start, start + 5)] for start in (0, 5, 10)] + [[]]
    store, other = Store(tmp_path / "a"), Store(tmp_path / "b")
    names = [store.keep(to_table(rows, Document)) for rows in parts]
    assert names == [other.keep(to_table(rows, Document)) for rows in parts]
    job = stages.gathering("documents", Document)
    assert stages.maker(job) is stages.concatenate_tables
    found, made = (
        stages.concatenate_tables({"documents": names}, job, store.url),
        make({"documents": names}, job, other.url),
    )
    assert found == made == store.find(job.recipe({"documents": names}))
    assert list(from_table(store.table(found["documents"]), Document)) == [row for rows in parts for row in rows]


def test_gathering_nothing_is_an_empty_table(tmp_path):
    job, store = stages.gathering("documents", Document), Store(tmp_path)
    found = stages.concatenate_tables({"documents": []}, job, store.url)
    assert store.table(found["documents"]).equals(to_table([], Document))


def test_rows_are_read_and_written_in_blocks_and_none_is_lost(monkeypatch):
    rows = [document(n) for n in range(50)]
    whole = to_table(rows, Document)
    monkeypatch.setattr(tables, "BLOCK", 7)
    assert list(from_table(whole, Document)) == rows
    pile = TableBuilder(Document)
    for row in rows:
        pile.add(row)
    assert pile.table().combine_chunks().equals(whole.combine_chunks())
    assert list(from_table(to_table([], Document), Document)) == []
    with pytest.raises(KeyError, match="metadata"):  # at once, not when the first row is wanted
        from_table(whole.drop_columns(["metadata"]), Document)


def test_a_table_is_made_rows_of_little_by_little():
    whole = to_table([document(n) for n in range(tables.BLOCK + 1)], Document)
    seen = []
    rows = from_table(whole, Document)
    before = pa.total_allocated_bytes()
    seen.append(next(rows))
    assert isinstance(rows, Iterator) and seen[0] == document(0)
    assert pa.total_allocated_bytes() - before < whole.nbytes


def test_flagged_documents_come_in_their_order_whole_and_marked(monkeypatch):
    monkeypatch.setattr(tables, "BLOCK", 4)
    rows = [document(n) for n in range(9)]
    rows += [Document(**{**{name: getattr(rows[3], name) for name in Document.__slots__}, "doc_id": "d9999"})]
    found = list(stages.flag(iter(rows), DuplicatesConfig()))
    assert [row.doc_id for row in found] == [row.doc_id for row in rows]
    assert {row.doc_id: row.duplicate_of for row in found if row.duplicate_of} == {"d9999": "d0003"}
    plain = flag_duplicates([(row.doc_id, row.text, row.period_end) for row in rows], DuplicatesConfig())
    assert plain == {"d9999": ("d0003", 1.0)}
