"""Files made to end or hang a build: each becomes a document or a row that says why not."""

import os
import zlib
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from rarefy.data_contracts.rows import Document, Quarantined
from rarefy.tasks.corpus.read import ReadConfig, read_corpus
from rarefy.tasks.corpus.read.pdf import read_pdf

WORDS = "These are words enough to be a sentence."


def reasons(corpus: Path, config: ReadConfig | None = None) -> list[str]:
    rows = read_corpus(corpus, config or ReadConfig())
    return [row.reason if isinstance(row, Quarantined) else "" for row in rows]


def page(pdf: Callable[..., bytes], *words: str) -> bytes:
    return pdf([[("text", 72, 100 + 20 * n, 12, False, line)] for n, line in enumerate(words)])


def test_a_page_whose_size_is_no_number_costs_its_file(tmp_path: Path, pdf: Callable[..., bytes]) -> None:
    (tmp_path / "a.pdf").write_bytes(page(pdf, WORDS).replace(b"MediaBox[0 0 612 792]", b"MediaBox[(a) null 9 9]"))
    assert reasons(tmp_path) == ["bad_pdf"]


def test_a_stream_that_unpacks_to_far_more_is_not_unpacked(tmp_path: Path, pdf: Callable[..., bytes]) -> None:
    packed = zlib.compress(b" " * 60_000_000, 9)
    plain = page(pdf, WORDS)
    start = plain.rindex(b"<</Length")
    end = plain.index(b"endstream", start)
    stream = b"<</Length %d/Filter/FlateDecode>>stream\n%s\n" % (len(packed), packed)
    (tmp_path / "a.pdf").write_bytes(plain[:start] + stream + plain[end:])
    assert reasons(tmp_path) == ["too_large"]
    assert reasons(tmp_path, ReadConfig(max_ratio=10_000)) == ["no_text"]


def test_a_pdf_of_too_many_pages_is_told_so(tmp_path: Path, pdf: Callable[..., bytes]) -> None:
    (tmp_path / "a.pdf").write_bytes(page(pdf, WORDS, WORDS, WORDS))
    assert reasons(tmp_path, ReadConfig(max_pages=2)) == ["too_large"]
    assert reasons(tmp_path, ReadConfig(max_pages=3)) == [""]


def test_damaged_streams_are_still_read_as_far_as_they_go(pdf: Callable[..., bytes]) -> None:
    plain = page(pdf, WORDS)
    start = plain.rindex(b"<</Length")
    at, end = plain.index(b"stream\n", start) + 7, plain.index(b"\nendstream", start)
    packed = zlib.compress(plain[at:end])[:-2] + b"\0\0"  # a checksum that is none
    whole = plain[:start] + b"<</Length %d/Filter/FlateDecode>>stream\n%s" % (len(packed), packed) + plain[end:]
    assert WORDS in read_pdf(whole, "a.pdf").text


@pytest.mark.parametrize(
    "texts", [["x " * 15_000_000], [WORDS] * 600_000, [""] * 300_000], ids=["one text", "one for many", "empty ones"]
)
def test_a_table_that_unpacks_to_far_more_is_not_unpacked(tmp_path: Path, texts: list[str]) -> None:
    pq.write_table(pa.table({"text": texts}), tmp_path / "a.parquet", compression="zstd")
    assert reasons(tmp_path) == ["too_large"]


def test_a_text_of_too_many_characters_is_told_so(tmp_path: Path) -> None:
    (tmp_path / "a.html").write_text(f"<html><body>{WORDS}<p>{WORDS}</body></html>")
    (tmp_path / "b.md").write_text(f"{WORDS}\n\n{WORDS}")
    (tmp_path / "c.jsonl").write_text('{"text": "' + WORDS * 2 + '"}\n')
    assert reasons(tmp_path, ReadConfig(max_characters=50)) == ["too_large"] * 3


def test_links_to_themselves_and_files_without_end_are_listed_and_not_opened(tmp_path: Path) -> None:
    (tmp_path / "a.txt").symlink_to("a.txt")
    for number, endless in enumerate(("/dev/zero", "/proc/kmsg", "/proc/self/environ")):
        (tmp_path / f"b{number}.txt").symlink_to(endless)
    os.mkfifo(tmp_path / "c.txt")
    (tmp_path / "d").mkdir()
    (tmp_path / "d" / "up").symlink_to("..")
    (tmp_path / "e.txt").write_text(WORDS)
    assert reasons(tmp_path) == ["unreadable_file", *["not_a_file"] * 4, ""]


def test_a_file_with_a_hole_of_a_terabyte_is_not_read(tmp_path: Path) -> None:
    with (tmp_path / "a.txt").open("wb") as file:
        try:
            file.truncate((1 << 40) + 1)
        except OSError:
            pytest.skip("this file system has no files of a terabyte")
    assert reasons(tmp_path) == ["not_a_file"]


BILLION = '<!DOCTYPE l [<!ENTITY a "lol">' + "".join(
    f'<!ENTITY {chr(98 + n)} "{f"&{chr(97 + n)};" * 10}">' for n in range(9)
)
HOSTILE: dict[str, bytes] = {
    "billion.xhtml": f'<?xml version="1.0"?>{BILLION}]><html><body><p>{WORDS} &j;</p></body></html>'.encode(),
    "billion.html": f"{BILLION}]><html><body><p>{WORDS} &j;</p></body></html>".encode(),
    "external.xhtml": (
        '<?xml version="1.0"?><!DOCTYPE h [<!ENTITY x SYSTEM "file:///etc/passwd">]>'
        f'<html xmlns="http://www.w3.org/1999/xhtml"><body><p>{WORDS} &x;</p></body></html>'
    ).encode(),
    "zip.pdf": b"PK\x03\x04" + bytes(range(256)),
    "cut.pdf": b"%PDF-1.4\n1 0 obj\n<< /Type /Catalog /Pages 2 0 R",
    "nul.txt": b"\0" * 1000 + WORDS.encode(),
    "utf16.txt": WORDS.encode("utf-16-le"),
    "bytes.txt": WORDS.encode() + b"\xff\xfe\x80\x81" * 9,
    "empty.txt": b"",
    "empty.pdf": b"",
    "empty.parquet": b"",
    "bidi.md": f"# \u202etitle\u202c \x1b[31mred \u00adsoft 😀\n\n{WORDS}".encode(),
    "surrogate.jsonl": b'{"id": "\\ud800", "title": "\\u202e\\n", "text": "' + WORDS.encode() + b'"}\n',
    "number.jsonl": b'{"id": 1' + b"0" * 5000 + b', "text": "' + WORDS.encode() + b'"}\n[[[[' + b"[" * 90_000 + b"\n",
    "deep.json": b"[" * 200_000,
    "new\nline.txt": WORDS.encode(),
    "\x1b[31mred\x1b[0m.txt": WORDS.encode(),
    os.fsdecode(b"\xff\xfe.txt"): WORDS.encode(),
    "a" * 250 + ".txt": WORDS.encode(),
}


@pytest.mark.parametrize("name", HOSTILE, ids=[str(number) for number in range(len(HOSTILE))])
def test_what_is_hostile_is_read_or_quarantined_with_a_reason(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_bytes(HOSTILE[name])
    rows = list(read_corpus(tmp_path, ReadConfig()))
    assert rows
    for row in rows:
        if isinstance(row, Document):
            assert WORDS in row.text and len(row.text) < 2000 and "root:" not in row.text
            assert "\n" not in row.title and "\x1b" not in row.title
        else:
            assert row.reason not in ("", "reader_failed") and row.detail and "\x1b" not in row.source + row.detail
