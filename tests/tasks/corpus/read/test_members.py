"""Archives: every file inside is a source of its own, as if the archive were a folder."""

import io
import json
import signal
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from rarefy.data_contracts.rows import Document, Quarantined
from rarefy.tasks.corpus.read import ReadConfig, child, list_sources, read_corpus
from rarefy.tasks.corpus.read.sources import Source

WORDS = "These are words enough to be a sentence."
KILLER = """
import os, signal
from rarefy.data_contracts.rows import Document

def read(source, config):
    if "bad" in source.path:
        os.kill(os.getpid(), signal.SIGSEGV)
    yield Document(source.path, "", source.path, "", "x", "These are words enough to be a sentence.")
"""


def pack(files: dict[str, str | bytes]) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return made.getvalue()


def read(corpus: Path, config: ReadConfig | None = None) -> dict[str, Document | Quarantined]:
    return {
        row.doc_id if isinstance(row, Document) else row.source: row
        for row in read_corpus(corpus, config or ReadConfig())
    }


def test_files_in_an_archive_are_documents_of_their_own(tmp_path: Path) -> None:
    rows = "".join(json.dumps({"id": f"r{n}", "text": f"{WORDS} {n}"}) + "\n" for n in range(2))
    files: dict[str, str | bytes] = {
        "notes/a.md": f"# The title\n\n{WORDS}",
        "b.html": f"<html><body><p>{WORDS}</p></body></html>",
        "c.jsonl": rows,
        "inner.zip": pack({"d.txt": f"Inside. {WORDS}"}),
        "e.bin": bytes(range(256)) * 9,
        "README.md": WORDS,
        "__MACOSX/notes/._a.md": "\0",
        ".hidden/f.txt": WORDS,
        "Thumbs.db": b"\0",
    }
    (tmp_path / "all.zip").write_bytes(pack(files))
    found = read(tmp_path)
    assert {name for name, row in found.items() if isinstance(row, Document)} == {
        "all.zip#notes/a.md",
        "all.zip#b.html",
        "all.zip#c.jsonl#r0",
        "all.zip#c.jsonl#r1",
        "all.zip#inner.zip#d.txt",
    }
    assert {name: row.reason for name, row in found.items() if isinstance(row, Quarantined)} == {
        "all.zip#README.md": "about_the_corpus",
        "all.zip#e.bin": "unsupported_type",
    }
    document = found["all.zip#notes/a.md"]
    assert isinstance(document, Document) and document.title == "The title"


def test_a_file_that_did_not_change_has_the_same_hash_in_the_new_archive(tmp_path: Path) -> None:
    (tmp_path / "a.zip").write_bytes(pack({"same.txt": WORDS, "other.txt": WORDS}))
    before = {row.doc_id: row.content_hash for row in read(tmp_path).values() if isinstance(row, Document)}
    (tmp_path / "a.zip").write_bytes(pack({"other.txt": f"{WORDS} And more.", "same.txt": WORDS}))
    after = {row.doc_id: row.content_hash for row in read(tmp_path).values() if isinstance(row, Document)}
    assert before["a.zip#same.txt"] == after["a.zip#same.txt"]
    assert before["a.zip#other.txt"] != after["a.zip#other.txt"]
    (tmp_path / "same.txt").write_text(WORDS)
    plain = read(tmp_path)["same.txt"]
    assert isinstance(plain, Document) and plain.content_hash == after["a.zip#same.txt"]


@pytest.mark.parametrize(("depth", "reason"), [(3, ""), (2, "nested_too_deep"), (0, "nested_too_deep")])
def test_archives_in_archives_are_read_to_a_depth(tmp_path: Path, depth: int, reason: str) -> None:
    content = pack({"deep.txt": WORDS})
    for name in ("two.zip", "one.zip"):
        content = pack({name: content})
    (tmp_path / "top.zip").write_bytes(content)
    (row,) = read(tmp_path, ReadConfig(max_depth=depth)).values()
    assert (row.reason if isinstance(row, Quarantined) else "") == reason


def test_names_that_a_mac_wrote_are_readable(tmp_path: Path) -> None:
    content = pack({"Résumé.txt": WORDS}).replace(b"\x00\x08", b"\x00\x00")  # without the flag that says UTF-8
    (tmp_path / "a.zip").write_bytes(content)
    assert list(read(tmp_path)) == ["a.zip#Résumé.txt"]


def test_an_office_file_or_book_under_the_name_of_an_archive_is_told_so(tmp_path: Path) -> None:
    (tmp_path / "a.zip").write_bytes(pack({"META-INF/container.xml": "<container/>"}))
    (row,) = read(tmp_path).values()
    assert isinstance(row, Quarantined) and row.reason == "wrong_type"


@pytest.fixture
def killer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    (tmp_path / "code").mkdir()
    (tmp_path / "code" / "killing_reader.py").write_text(KILLER)
    monkeypatch.syspath_prepend(str(tmp_path / "code"))
    yield
    child._CHILDREN.end()


@pytest.mark.usefixtures("killer")
def test_a_file_that_kills_its_reader_costs_itself_alone(tmp_path: Path) -> None:
    corpus = tmp_path / "corpus"
    corpus.mkdir()
    (corpus / "a.zip").write_bytes(pack({"bad.x": "1", "good.x": "2", "c.txt": WORDS}))
    (source,) = list_sources(corpus)
    assert isinstance(source, Source)
    config = ReadConfig(readers={".x": "killing_reader:read"})
    rows = list(child.read(source, config))
    assert [row.source for row in rows] == ["a.zip#bad.x", "a.zip#c.txt", "a.zip#good.x"]
    assert isinstance(rows[0], Quarantined) and rows[0].reason == "reader_died"
    assert signal.Signals.SIGSEGV.name in rows[0].detail
    assert all(isinstance(row, Document) for row in rows[1:])


def test_books_in_an_archive_share_its_count_of_unpacked_bytes(tmp_path: Path) -> None:
    """Each of them unpacks to 9 MB, which each alone may."""
    book = {"META-INF/container.xml": "<container/>", "a.bin": b" " * 9_000_000}
    (tmp_path / "a.zip").write_bytes(pack({f"{n}.epub": pack({**book, "n": str(n)}) for n in range(4)}))
    (source,) = list_sources(tmp_path)
    for rows in (list(child.read(source, ReadConfig())), list(read_corpus(tmp_path, ReadConfig()))):
        assert [row.reason for row in rows if isinstance(row, Quarantined)] == [
            "bad_epub",
            "bad_epub",
            "too_large",
            "too_large",
        ]
    child._CHILDREN.end()
