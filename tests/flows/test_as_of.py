"""A benchmark as of a day: the documents that were known then, also those that only the journal still has."""

import json
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from larkfield import report

from rarefy.data_contracts.rows import Document, Quarantined
from rarefy.data_contracts.tables import from_table, to_table
from rarefy.flows.build import build
from rarefy.flows.config import load
from rarefy.flows.engine.as_of import batch_documents_known_at
from rarefy.flows.engine.batches import batch_documents
from rarefy.flows.engine.reachability import check_day
from rarefy.flows.faults import UsageFault
from rarefy.tasks.store import journal
from rarefy.tasks.store.tables import Store

OUT = "bench"
TODAY = "2026-01-01"


@dataclass(frozen=True)
class Source:
    path: str


def document(name: str, text: str = "1", as_of: str = "", **told: str) -> Document:
    source = told.pop("source", name)
    return Document(name, text, source, "", "text/plain", text, as_of=as_of, **told)


def read(store: Store, *documents: Document) -> list[dict]:
    """The parts of files with these documents, as reading leaves them."""
    files: dict[str, list[Document]] = {}
    for row in documents:
        files.setdefault(row.source.partition("#")[0], []).append(row)
    faults = store.keep(to_table([], Quarantined))
    return [
        {"source": Source(path), "documents": store.keep(to_table(rows, Document)), "quarantine": faults}
        for path, rows in sorted(files.items())
    ]


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Store:
    monkeypatch.chdir(tmp_path)
    return Store(tmp_path / "store")


def published(
    store: Store, created: str, *documents: Document, out: str = OUT, time: str = "12", **told: object
) -> None:
    """An entry of the journal, as if it had been made on that day."""
    name = store.keep(to_table(documents, Document))
    entry = journal.Version(
        version=f"{created}-{name}", line=journal.line_of(out), out=out, corpus="papers", tables={"documents": name}
    )
    made = journal.record_version(store, entry.model_copy(update=told), [])
    dated = made.model_copy(update={"created": f"{created}T{time}:00:00+00:00"})
    store.write(made.place, dated.model_dump_json().encode())


def at(store: Store, when: str, *documents: Document, corpus: str = "") -> tuple[list[tuple[str, str]], list[str]]:
    """Name and text of what was known on a day, in order, and the remarks."""
    batches, _ = batch_documents(store, read(store, *documents), 0, when)
    found, remarks = batch_documents_known_at(store, journal.line_of(OUT), batches, when, corpus, TODAY)
    rows = [row for batch in found for row in from_table(store.table(batch.documents), Document)]
    assert [batch.rows for batch in found] == [store.rows(batch.documents) for batch in found]
    assert all(not row.duplicate_of for row in rows)
    return [(row.doc_id, row.text) for row in rows], remarks


@pytest.mark.parametrize("text", ["2024-13-01", "2024-1-1", "yesterday", "20240101", "2024-01-01T00:00:00"])
def test_what_is_no_day_is_told(text: str) -> None:
    with pytest.raises(UsageFault, match="2024-12-31"):
        check_day(text)


def test_a_day_is_one_and_none_is_none() -> None:
    assert (check_day("2024-02-29"), check_day("")) == ("2024-02-29", "")


def test_without_a_journal_dates_decide_and_what_has_none_is_taken_with_a_remark(store: Store) -> None:
    rows = [document("a", as_of="2024-02-15"), document("b", as_of="2025-02-14"), document("c"), document("d")]
    found, remarks = at(store, "2024-06-30", *rows)
    assert [name for name, _ in found] == ["a", "c", "d"]
    assert "2024-06-30: 3 documents" in remarks[0]
    assert "c, d: without a date" in remarks[1] and "taken as known on 2024-06-30" in remarks[1]
    assert [name for name, _ in at(store, TODAY, *rows)[0]] == ["a", "b", "c", "d"]
    assert len(at(store, TODAY, *rows)[1]) == 1  # nothing is assumed of what is there today


def test_batches_of_which_nothing_is_missing_stay_as_they_are(store: Store) -> None:
    rows = [document("a", as_of="2024-02-15"), document("b", as_of="2024-02-15")]
    batches, _ = batch_documents(store, read(store, *rows), 0, "2024-06-30")
    assert batch_documents_known_at(store, "line", batches, "2024-06-30", "", TODAY)[0] == batches


def test_an_older_revision_and_a_deleted_document_come_from_the_journal(store: Store) -> None:
    published(
        store, "2024-03-01",
        replace(document("a", "old", "2024-02-15"), duplicate_of="m", duplicate_similarity=0.9),
        document("gone", "was there", "2024-01-10"), document("m", as_of="2024-01-01"),
    )  # fmt: skip
    published(store, "2025-03-01", document("a", "new", "2025-02-14"), document("m", as_of="2024-01-01"))
    now = [document("a", "new", "2025-02-14"), document("m", as_of="2024-01-01"), document("z", as_of="2025-12-01")]
    found, remarks = at(store, "2024-06-30", *now)
    assert found == [("a", "old"), ("gone", "was there"), ("m", "1")]
    assert "a, gone as an earlier version had them" in remarks[0]
    assert at(store, "2025-06-30", *now)[0] == [("a", "new"), ("m", "1")]
    assert at(store, TODAY, *now)[0] == [("a", "new"), ("m", "1"), ("z", "1")]


def test_a_document_without_a_date_is_the_one_that_was_seen_by_then(store: Store) -> None:
    published(store, "2025-01-10", document("a", "first"))
    published(store, "2025-06-10", document("a", "second"), document("b", "late"))
    now = [document("a", "third"), document("b", "late")]
    assert at(store, "2025-03-01", *now) == ([("a", "first")], ["2025-03-01: 1 document; 1 left out, not known yet or "
        "no longer; a as an earlier version had it"])  # fmt: skip
    assert at(store, "2025-12-31", *now)[0] == [("a", "second"), ("b", "late")]
    assert at(store, TODAY, *now)[0] == [("a", "third"), ("b", "late")]
    found, remarks = at(store, "2024-12-31", *now)
    assert found == [("a", "first")] and "the journal begins on 2025-01-10" in remarks[1]


@pytest.mark.parametrize("as_of", ["", "2024-02-15"])
def test_of_a_document_refreshed_several_times_on_one_day_the_last_counts_and_before_the_first(
    store: Store, as_of: str
) -> None:
    for text in ("5.5", "5.9", "6.1"):
        published(store, TODAY, document("a", text, as_of))
    now = document("a", "6.1", as_of)
    for when, text in (("2024-06-30", "5.5"), (TODAY, "6.1"), ("2026-01-02", "6.1")):
        assert at(store, when, now)[0] == [("a", text)]
    for text in ("5.5", "5.9"):  # not published yet, one of them as it was at first
        assert at(store, TODAY, document("a", text, as_of))[0] == [("a", text)]


def test_versions_of_one_day_follow_by_number_and_those_of_several_folders_by_time(store: Store) -> None:
    for out, time, text in (("x", "09", "3"), (OUT, "10", "9"), ("x", "11", "4"), ("x", "08", "2"), ("y", "07", "1")):
        published(store, "2025-03-01", document("a", text), out=out, time=time)
    now = document("a", "5")
    assert at(store, "2025-03-02", now, corpus="papers")[0] == [("a", "2")]  # x, whose clock was set back
    assert at(store, "2024-03-01", now, corpus="papers")[0] == [("a", "1")]


def test_a_renamed_document_with_a_date_is_there_once(store: Store) -> None:
    published(store, "2025-01-10", document("acme", "text", "2024-02-15"), document("copy", "text", "2024-02-15"))
    published(store, "2025-03-10", document("zeta", "text", "2024-02-15"), document("copy", "text", "2024-02-15"))
    now = [document("zeta", "text", "2024-02-15"), document("copy", "text", "2024-02-15")]
    for when, name in (("2024-06-30", "acme"), ("2025-02-01", "acme"), ("2025-03-10", "zeta"), (TODAY, "zeta")):
        found, remarks = at(store, when, *now)
        assert sorted(found) == sorted([(name, "text"), ("copy", "text")])
        assert ("acme as an earlier version had it" in remarks[0]) == (name == "acme")


def test_records_of_a_file_keep_their_order_and_lose_what_was_not_there(store: Store) -> None:
    def record(name: str, as_of: str) -> Document:
        return replace(document(name, as_of=as_of, source=f"f.jsonl#{name}"), media_type="application/jsonl")

    then = [record("z", "2024-01-01"), record("gone", "2024-01-01"), record("b", "2024-01-01")]
    published(store, "2024-03-01", *then)
    published(store, "2025-03-01", then[0], record("new", "2025-01-01"), then[2])
    now = [then[0], record("new", "2025-01-01"), then[2]]
    assert [name for name, _ in at(store, "2024-06-30", *now)[0]] == ["z", "gone", "b"]
    assert [name for name, _ in at(store, "2025-06-30", *now)[0]] == ["z", "new", "b"]
    batches, _ = batch_documents(store, read(store, *now), 0, "2024-06-30")
    found, _ = batch_documents_known_at(store, journal.line_of(OUT), batches, "2024-06-30", "", TODAY)
    assert {batch.source for batch in found} == {"f.jsonl"}


def test_versions_as_of_a_day_and_of_other_lines_say_nothing_unless_of_this_corpus(store: Store) -> None:
    published(store, "2024-03-01", document("a", "old", "2024-02-15"), out="elsewhere")
    now = [document("b", as_of="2024-01-01")]
    assert at(store, "2024-06-30", *now)[0] == [("b", "1")]
    assert at(store, "2024-06-30", *now, corpus="papers")[0] == [("a", "old"), ("b", "1")]
    published(store, "2024-04-01", document("b", as_of="2024-01-01"), as_of="2024-01-31")
    assert at(store, "2024-06-30", *now, corpus="papers")[0] == [("a", "old"), ("b", "1")]


def test_what_was_published_here_of_another_corpus_is_not_looked_at_and_told(store: Store) -> None:
    published(store, "2024-03-01", document("foreign", as_of="2024-01-01"), corpus="elsewhere")
    published(store, "2024-04-01", document("a", as_of="2024-01-01"), document("own", as_of="2024-01-01"))
    published(store, "2024-05-01", document("unsaid", "2", "2024-01-01"), corpus="")
    now = document("a", as_of="2024-01-01")
    found, remarks = at(store, "2024-04-30", now, corpus="papers")
    assert [name for name, _ in found] == ["a", "own", "unsaid"]
    assert remarks[-1] == "1 version published here of another corpus, elsewhere: not looked at"
    found, remarks = at(store, "2024-03-31", now, corpus="elsewhere")
    assert "own" not in [name for name, _ in found]


def test_a_rename_an_addition_and_a_deletion_have_not_happened_before_the_journal_begins(store: Store) -> None:
    published(store, "2025-01-10", document("acme"), document("nordlys"))
    published(store, "2025-02-10", document("zeta", "acme"), document("nordlys"), document("new"))
    published(store, "2025-03-10", document("zeta", "acme"), document("new"))
    found, remarks = at(store, "2024-12-31", document("zeta", "acme"), document("new"), corpus="papers")
    assert [name for name, _ in found] == ["acme", "nordlys"]
    assert "acme, nordlys: without a date" in remarks[1]


def test_a_version_of_the_first_few_documents_deleted_nothing(store: Store) -> None:
    published(store, "2024-03-01", document("a", as_of="2024-01-01"), document("b", as_of="2024-01-01"))
    published(store, "2024-04-01", document("a", as_of="2024-01-01"), limit=1)
    assert at(store, "2024-06-30", document("a", as_of="2024-01-01"))[0] == [("a", "1"), ("b", "1")]


def test_a_version_whose_documents_are_gone_is_told(store: Store) -> None:
    published(store, "2024-03-01", document("a", "old", "2024-02-15"))
    (version,) = journal.list_versions(store)
    Path(store.root, "tables", f"{version.tables['documents']}.parquet").unlink()
    found, remarks = at(store, "2024-06-30", document("b", as_of="2024-01-01"))
    assert found == [("b", "1")] and "version 1 of 2024-03-01 is not looked at" in remarks[-1]


def test_where_nothing_was_known_the_build_says_so(store: Store) -> None:
    with pytest.raises(UsageFault, match="no document was known on 2020-01-01"):
        at(store, "2020-01-01", document("a", as_of="2024-02-15"))


def test_of_two_copies_of_one_filing_the_newest_by_the_day_is_the_document(store: Store) -> None:
    rows = [document("f", "old", "2024-02-15", source="a.html"), document("f", "new", "2024-06-20", source="b.html")]
    assert at(store, "2024-03-01", *rows)[0] == [("f", "old")]
    assert at(store, "2024-07-01", *rows)[0] == [("f", "new")]


def test_a_build_as_of_a_day_is_the_build_of_what_was_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Byte for byte, but for the day in its manifest; and without one nothing says that there might have been one."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "quick.toml").write_text("[perturb]\nquery = []\ndocument = []\ncontext = []\n")
    config = load(tmp_path / "quick.toml")
    rows = [("Net sales", ("$ 4,060", "$ 3,950")), ("Operating income", ("512", "480"))]
    for folder, years in (("then", (2023,)), ("now", (2023, 2024))):
        Path(folder).mkdir()
        for year in years:
            Path(folder, f"{year}.html").write_text(report("10-K", year, rows, f"{year + 1}0215"))
    fresh = build.fn("then", "fresh", config, "store", quiet=True)
    assert "as_of" not in json.loads(Path("fresh/manifest.json").read_text())
    again = build.fn("now", "again", config, "store", quiet=True, as_of="2024-12-31")
    assert again.version == fresh.version and again.entry and again.entry.as_of == "2024-12-31"
    manifest = json.loads(Path("again/manifest.json").read_text())
    assert manifest.pop("as_of") == "2024-12-31"
    assert manifest == json.loads(Path("fresh/manifest.json").read_text())
    for name in manifest["files"]:
        assert Path("again", name).read_bytes() == Path("fresh", name).read_bytes()


def test_a_day_that_is_none_ends_the_build_before_anything_is_read(tmp_path: Path) -> None:
    with pytest.raises(UsageFault, match="not a day"):
        build.fn("nowhere", str(tmp_path / "out"), load(None), str(tmp_path / "store"), quiet=True, as_of="soon")
