import json
import os
import zipfile
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest

from rarefy.data_contracts.rows import Document, Quarantined
from rarefy.tasks.corpus.read import READERS, ReadConfig, read, read_corpus
from rarefy.tasks.corpus.read.sources import MEDIA_TYPES, list_sources

WORDS = "The Company sells its products in many countries of the world. "
CONFIG = ReadConfig()


def write(folder: Path, files: dict[str, bytes | str]) -> Path:
    for name, content in files.items():
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content.encode() if isinstance(content, str) else content)
    return folder


def reasons(corpus: Path, config: ReadConfig = CONFIG) -> dict[str, str]:
    return {row.source: row.reason if isinstance(row, Quarantined) else "" for row in read_corpus(corpus, config)}


def test_every_media_type_has_a_reader() -> None:
    assert set(MEDIA_TYPES.values()) <= set(READERS)


def test_an_empty_folder_holds_nothing(tmp_path: Path) -> None:
    assert list(read_corpus(tmp_path, CONFIG)) == []


def test_what_is_no_document_is_quarantined_with_its_reason_and_the_rest_goes_through(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "zip.html", "w") as archive:
        archive.writestr("a.txt", WORDS * 100)
    noise = Random(1).randbytes(5000)
    write(
        tmp_path,
        {
            "empty.txt": "",
            "empty.html": "",
            "mark.txt": b"\xef\xbb\xbf",
            "space.md": " \n\t\n  ",
            "binary.txt": noise,
            "binary.html": b"\x7fELF" + noise,
            "numbers.txt": "\n".join(str(n * 37) for n in range(500)),
            "plain.html": WORDS,
            "cut.json": '{"item_1": "Item 1. Bus',
            "list.json": "[1, 2]",
            "photo.png": b"\x89PNG\r\n\x1a\n" + noise,
            "report.docx": b"PK\x03\x04" + noise,
            "broken.pdf": "%PDF-1.4 nothing follows",
            "broken.parquet": b"PAR1" + noise,
            "README.md": "About this folder and what is in it.",
            "good.txt": WORDS,
            "deep/good.txt": WORDS,
            "notes": WORDS,
            ".hidden.txt": WORDS,
        },
    )
    found = reasons(tmp_path)
    assert ".hidden.txt" not in found
    assert {source for source, reason in found.items() if not reason} == {"good.txt", "deep/good.txt", "notes"}
    assert found["empty.txt"] == found["empty.html"] == "empty_file"
    assert found["mark.txt"] == found["space.md"] == "no_text"
    assert found["zip.html"] == found["binary.txt"] == found["binary.html"] == "binary_file"
    assert found["numbers.txt"] == "no_sentences"
    assert found["plain.html"] == "not_html"
    assert found["cut.json"] == "bad_json"
    assert found["list.json#1"] == found["list.json#2"] == "bad_record"
    assert found["photo.png"] == "unsupported_type" and found["report.docx"] == "bad_archive"
    assert found["broken.pdf"] == "bad_pdf"
    assert found["broken.parquet"] == "bad_parquet"
    assert found["README.md"] == "about_the_corpus"


def test_every_quarantine_row_says_in_one_line_what_is_wrong_and_the_way_out(tmp_path: Path) -> None:
    write(tmp_path, {"empty.txt": "", "a.bin": b"\x00\xff" * 500, "n.txt": "1 2 3", "j.jsonl": "{oops\n{}\n"})
    rows = list(read_corpus(tmp_path, CONFIG))
    assert len(rows) == 5
    for row in rows:
        assert isinstance(row, Quarantined)
        assert row.stage == "read" and row.detail and "\n" not in row.detail
        assert any(way in row.detail for way in ("remove", "raise", "rename", "mend", "name the field"))
    assert len({row.quarantine_id for row in rows if isinstance(row, Quarantined)}) == 5


def test_a_file_that_cannot_be_opened_is_quarantined(tmp_path: Path) -> None:
    (tmp_path / "gone.txt").symlink_to(tmp_path / "nowhere.txt")
    write(tmp_path, {"good.txt": WORDS})
    assert reasons(tmp_path) == {"gone.txt": "unreadable_file", "good.txt": ""}


@pytest.mark.skipif(os.geteuid() == 0, reason="nothing is closed to the superuser")
def test_a_file_and_a_folder_without_permission_are_quarantined(tmp_path: Path) -> None:
    write(tmp_path, {"closed.txt": WORDS, "shut/a.txt": WORDS, "good.txt": WORDS})
    (tmp_path / "closed.txt").chmod(0)
    (tmp_path / "shut").chmod(0)
    try:
        assert reasons(tmp_path) == {"closed.txt": "unreadable_file", "good.txt": "", "shut": "unreadable_folder"}
    finally:
        (tmp_path / "shut").chmod(0o755)


def test_a_pipe_is_never_opened(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.txt")
    assert reasons(tmp_path) == {"pipe.txt": "not_a_file"}


def test_a_file_over_the_limit_is_quarantined_and_names_the_limit(tmp_path: Path) -> None:
    write(tmp_path, {"long.txt": WORDS * 100})
    (row,) = read_corpus(tmp_path, ReadConfig(max_bytes=1000))
    assert isinstance(row, Quarantined)
    assert row.reason == "too_large" and "1,000" in row.detail and "read.max_bytes" in row.detail


@pytest.mark.parametrize("name", ["line.txt", "line.md", "line.html"])
def test_one_line_of_ten_megabytes_becomes_paragraphs(tmp_path: Path, name: str) -> None:
    sentences = " ".join(f"In the year {n} the Company sold {n * 7} machines." for n in range(200_000))
    write(tmp_path, {name: f"<html><body><p>{sentences}</p></body></html>" if name.endswith("html") else sentences})
    (row,) = read_corpus(tmp_path, CONFIG)
    assert isinstance(row, Document)
    assert row.text.split() == sentences.split()
    if not name.endswith("html"):
        assert max(block.end - block.start for block in row.blocks) < 5000


@pytest.mark.parametrize(
    "run", ["x" * 10, "A. ", "**a ", "[a", "<table ", "<!-- ", "`", "|", "Word ", "1-", "§ ", "- "]
)
@pytest.mark.parametrize("name", ["a.txt", "a.md"])
def test_no_repeated_mark_makes_reading_slow(tmp_path: Path, name: str, run: str) -> None:
    write(tmp_path, {name: run * (300_000 // len(run))})
    assert len(list(read_corpus(tmp_path, CONFIG))) == 1  # a quadratic pattern would take minutes


def test_the_identity_is_the_path_and_the_version_is_the_content(tmp_path: Path) -> None:
    write(tmp_path, {"a/x.txt": WORDS, "b/x.txt": WORDS})
    a, b = (row for row in read_corpus(tmp_path, CONFIG) if isinstance(row, Document))
    assert (a.doc_id, b.doc_id) == ("a/x.txt", "b/x.txt")
    assert a.content_hash == b.content_hash
    write(tmp_path, {"b/x.txt": WORDS * 2})
    changed = [row for row in read_corpus(tmp_path, CONFIG) if isinstance(row, Document)][1]
    assert changed.doc_id == "b/x.txt" and changed.content_hash != b.content_hash


def test_the_config_sets_the_domain_or_leaves_it_to_the_text(tmp_path: Path) -> None:
    write(tmp_path, {"a.txt": "Beige Book National Summary\n\nMay 20, 1970\n\n" + WORDS})
    domains = [row.domain for c in (CONFIG, ReadConfig(domain="policy")) for row in read_corpus(tmp_path, c)]  # type: ignore[union-attr]
    assert domains == ["economics", "policy"]


def test_content_goes_before_the_name_of_a_text_file(tmp_path: Path) -> None:
    page = f"<!DOCTYPE html><html><body><h1>Title</h1><p>{WORDS}</p></body></html>"
    write(tmp_path, {"page.txt": page, "page": page})
    for row in read_corpus(tmp_path, CONFIG):
        assert isinstance(row, Document)
        assert "<" not in row.text and row.media_type == "text/html"


def test_an_outsiders_reader_is_taken_by_the_ending_it_is_named_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    module = "from rarefy.data_contracts.rows import Document\n"
    module += "def read(source, config):\n"
    module += "    yield Document(source.path, '', source.path, '', 'x', 'FOUR WORDS IN CAPITALS')\n"
    write(tmp_path / "lib", {"outsider.py": module})
    monkeypatch.syspath_prepend(tmp_path / "lib")
    write(tmp_path / "corpus", {"a.shout": WORDS})
    (row,) = read_corpus(tmp_path / "corpus", ReadConfig(readers={".shout": "outsider:read"}))
    assert isinstance(row, Document) and row.text == "FOUR WORDS IN CAPITALS" and row.content_hash


def test_blocks_cover_every_document_of_the_sample_in_order(sample: Path) -> None:
    rows = list(read_corpus(sample, CONFIG))
    assert all(isinstance(row, Document) for row in rows)
    for row in rows:
        assert isinstance(row, Document)
        end = 0
        for block in row.blocks:
            assert row.text[end : block.start].strip() == "" and block.start < block.end
            end = block.end
        assert row.text[end:].strip() == ""


def test_reading_a_source_twice_gives_the_same_rows(sample: Path) -> None:
    source = next(source for source in list_sources(sample) if source.path.endswith(".txt"))
    assert list(read(source, CONFIG)) == list(read(source, CONFIG))


@pytest.mark.parametrize(
    "body", [f"<html><body><p>FORM 10-K</p><p>{WORDS}</p></body></html>", f"FORM 10-K\n\n<PAGE>\n\n{WORDS}\n"]
)
def test_of_a_whole_submission_the_report_is_read(tmp_path: Path, body: str) -> None:
    header = "<SEC-DOCUMENT>0001.txt : 19970301\n<SEC-HEADER>\nFILED AS OF DATE: 19970301\n</SEC-HEADER>\n"
    exhibit = "<DOCUMENT>\n<TYPE>EX-21\n<TEXT>\nThe exhibit says other things.\n</TEXT>\n</DOCUMENT>\n"
    report = f"<DOCUMENT>\n<TYPE>10-K\n<SEQUENCE>1\n<TEXT>\n{body}\n</TEXT>\n</DOCUMENT>\n"
    write(tmp_path, {"0001.txt": header + report + exhibit})
    (row,) = read_corpus(tmp_path, CONFIG)
    assert isinstance(row, Document)
    assert row.text.split("\n\n")[-1] == WORDS.strip() and "FORM 10-K" in row.text
    assert "exhibit" not in row.text and "<" not in row.text and row.domain == "finance"


def test_a_file_written_to_after_it_was_listed_is_not_read_under_its_old_version(tmp_path: Path) -> None:
    write(tmp_path, {"a.txt": WORDS, "b.txt": WORDS})
    first, second = list_sources(tmp_path)
    write(tmp_path, {"a.txt": WORDS.upper()})
    (changed,) = read(first, CONFIG)
    assert isinstance(changed, Quarantined) and changed.reason == "changed_while_reading"
    assert all(isinstance(row, Document) for row in read(second, CONFIG))


@pytest.mark.parametrize("replaced", [False, True], ids=["appended to", "put in its place"])
def test_a_file_written_to_while_it_is_read_gives_no_more_than_it_had(tmp_path: Path, replaced: bool) -> None:
    line = json.dumps({"text": WORDS})
    write(tmp_path, {"r.jsonl": f"{line}\n" * 5000})
    (source,) = list_sources(tmp_path)
    rows = read(source, CONFIG)
    assert isinstance(next(rows), Document)
    write(tmp_path, {"new": f"{line}\n" * 9000})
    if replaced:
        (tmp_path / "new").replace(tmp_path / "r.jsonl")
    else:
        (tmp_path / "r.jsonl").write_bytes((tmp_path / "new").read_bytes())
    (last,) = rows
    assert isinstance(last, Quarantined) and last.reason == "changed_while_reading"


def test_a_file_that_could_not_be_digested_but_can_be_read_has_a_version(tmp_path: Path) -> None:
    write(tmp_path, {"a.txt": WORDS})
    (source,) = list_sources(tmp_path)
    (row,) = read(replace(source, digest=""), CONFIG)
    assert isinstance(row, Document) and row.content_hash == source.digest


def test_a_reader_that_runs_out_of_depth_costs_its_file_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path / "lib", {"bottomless.py": "def read(source, config):\n    yield from read(source, config)\n"})
    monkeypatch.syspath_prepend(tmp_path / "lib")
    write(tmp_path / "corpus", {"a.deep": WORDS, "b.txt": WORDS})
    config = ReadConfig(readers={".deep": "bottomless:read"})
    assert reasons(tmp_path / "corpus", config) == {"a.deep": "too_deep", "b.txt": ""}


def test_a_name_on_two_lines_is_written_on_one(tmp_path: Path) -> None:
    write(tmp_path, {"two\nlines.txt": WORDS, " .txt": "", "end.txt ": WORDS})
    assert reasons(tmp_path) == {"\\x20.txt": "empty_file", "end.txt\\x20": "", "two\\x0alines.txt": ""}


def test_two_submissions_of_one_filing_are_two_documents(tmp_path: Path) -> None:
    header = "<SEC-DOCUMENT>0001.txt\n<SEC-HEADER>\nCONFORMED PERIOD OF REPORT: 20139999\n"
    header += "CENTRAL INDEX KEY: 0000012345\nFILED AS OF DATE: 20130730\n</SEC-HEADER>\n"
    page = f"<html><body><p>FORM 10-K</p><p>{WORDS}</p></body></html>"
    body = f"<DOCUMENT>\n<TYPE>10-K\n<TEXT>\n{page}\n</TEXT>\n</DOCUMENT>"
    write(tmp_path, {"a.txt": header + body, "b.txt": header + body})
    rows = [row for row in read_corpus(tmp_path, CONFIG) if isinstance(row, Document)]
    assert [(row.doc_id, row.period_end, row.as_of) for row in rows] == [
        ("a.txt", "", "2013-07-30"), ("b.txt", "", "2013-07-30"),
    ]  # fmt: skip


def test_a_short_text_and_a_damaged_pdf_are_told_in_plain_words(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes("Straße kostet 5 Euro.".encode("latin-1"))
    (tmp_path / "b.txt").write_text("4711 0815\n" * 100)
    (tmp_path / "c.pdf").write_bytes(b"%PDF-1.4 and no more")
    short, codes, damaged = read_corpus(tmp_path, ReadConfig())
    assert isinstance(short, Quarantined) and isinstance(codes, Quarantined) and isinstance(damaged, Quarantined)
    assert short.detail.endswith("too short to ask about; add to it, or remove it") and "codes" not in short.detail
    assert codes.detail.endswith("codes alone; remove it")
    assert damaged.reason == "bad_pdf" and damaged.detail.startswith("damaged")
    assert "Exception" not in damaged.detail and "Error" not in damaged.detail
