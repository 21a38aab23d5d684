"""Packages made to do harm: each is quarantined with its reason, and the file beside it is read."""

import io
import stat
import struct
import tracemalloc
import zipfile
from pathlib import Path

import pytest

from rarefy.data_contracts.rows import Document
from rarefy.tasks.corpus.read import ReadConfig, read_corpus
from rarefy.tasks.corpus.read.packages import Package, is_remote, is_unsafe_name
from rarefy.tasks.corpus.read.unreadable import UnpackedSize, Unreadable

WORDS = "These are words enough to be a sentence."
TYPES = '<?xml version="1.0"?><Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"/>'
RELATIONS = '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">{}</Relationships>'
OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
BOOK = '<container><rootfiles><rootfile full-path="b.opf"/></rootfiles></container>'


def pack(files: dict[str, str | bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", method) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return made.getvalue()


def open_package(content: bytes, most: int = 100_000_000) -> Package:
    return Package(content, UnpackedSize(len(content), most, 200))


def refusal(content: bytes) -> str:
    """Why a package, or the first of its files that is unfit, is refused."""
    try:
        package = open_package(content)
        for name in package.names():
            package.read(name)
    except Unreadable as error:
        return error.reason
    return ""


def patch(content: bytes, name: str, at: int, value: bytes, local: int = 0) -> bytes:
    """The package with bytes changed in the directory's entry of a file, and in its own header."""
    out = bytearray(content)
    entry = content.rindex(b"PK\x01\x02", 0, content.rindex(name.encode()))
    out[entry + at : entry + at + len(value)] = value
    if local:
        header = content.rindex(b"PK\x03\x04", 0, content.index(name.encode()))
        out[header + local : header + local + len(value)] = value
    return bytes(out)


def encrypted() -> bytes:
    return patch(pack({"secret.txt": WORDS}), "secret.txt", 8, b"\x01\x00", local=6)


def link() -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as archive:
        info = zipfile.ZipInfo("passwords.txt")
        info.create_system, info.external_attr = 3, (stat.S_IFLNK | 0o777) << 16
        archive.writestr(info, "/etc/passwd")
    return made.getvalue()


def twice() -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as archive, pytest.warns(UserWarning):
        archive.writestr("a.txt", WORDS)
        archive.writestr("a.txt", WORDS + WORDS)
    return made.getvalue()


def overlapping() -> bytes:
    """Two entries of the directory with the same packed bytes."""
    content = pack({"a.txt": "x" * 1000, "b.txt": "x" * 1000})
    return patch(content, "b.txt", 42, struct.pack("<I", 0))


def lying() -> bytes:
    """A file of 60 MB of which the directory says that it has 10 bytes."""
    return patch(pack({"a.txt": b" " * 60_000_000}), "a.txt", 24, struct.pack("<I", 10), local=22)


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (pack({"a.txt": b" " * 60_000_000}), "too_large"),
        (pack({f"{n}.txt": b" " * 9_000_000 for n in range(9)}), "too_large"),
        (encrypted(), "encrypted"),
        (link(), "link_in_archive"),
        (twice(), "duplicate_name"),
        (overlapping(), "overlapping_parts"),
        (pack({f"{n}.txt": "" for n in range(20_001)}, zipfile.ZIP_STORED), "too_many_parts"),
        (pack({"a.txt": WORDS})[:-30], "bad_archive"),
        (pack({"a.txt": WORDS * 99}).replace(b"PK\x03\x04", b"PK\x03\x05"), "bad_archive"),
        (b"PK\x03\x04 and nothing of the kind", "bad_archive"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600), "old_office_format"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + "EncryptedPackage".encode("utf-16-le"), "encrypted"),
    ],
    ids="bomb many encrypted link twice overlap parts cut header no-zip old-office password".split(),
)
def test_a_hostile_package_is_refused(content: bytes, reason: str) -> None:
    assert refusal(content) == reason


def test_a_bomb_is_not_held_in_memory_whatever_the_directory_says() -> None:
    content = lying()
    tracemalloc.start()
    assert refusal(content) in ("too_large", "bad_archive")
    assert tracemalloc.get_traced_memory()[1] < 40_000_000
    tracemalloc.stop()


@pytest.mark.parametrize(
    "name", ["../a.txt", "a/../../b.txt", "/etc/passwd", "C:/a.txt", "c:a.txt", "a\\..\\b.txt", "..", "a\0b"]
)
def test_a_name_that_leads_out_of_the_package_is_unsafe(name: str) -> None:
    assert is_unsafe_name(name)


def test_plain_names_are_safe() -> None:
    assert not any(map(is_unsafe_name, ["a.txt", "folder/a b.txt", "[Content_Types].xml", "a..b/c...d", "é.txt"]))


# XML

DECLARED = '<!DOCTYPE x [<!ENTITY a "lol">]>'
REMOTE = [
    "http://tracker.example/a.png", "https://x.example/t.dotm", r"\\server\share\t.dotm", "//server/t.dotm",
    "file://server/share/t.dotm", "file://///server/share/t.dotm", "ftp://x.example/a", "mhtml:http://x.example/a",
]  # fmt: skip
NEAR = [
    "file:///C:/Users/jane/Templates/Normal.dotm", "file:///C:\\Program Files\\Microsoft Office\\T.dot", "Book2.xlsx",
    "media/image1.png", "file:////Users/jane/Pictures/logo.png", "C:\\data\\a.xlsx", "file://localhost/tmp/a.xlsx", "",
]  # fmt: skip


@pytest.mark.parametrize("target", REMOTE)
def test_what_lies_on_another_machine_is_remote(target: str) -> None:
    assert is_remote(target)


@pytest.mark.parametrize("target", NEAR)
def test_what_lies_on_the_authors_machine_is_not(target: str) -> None:
    assert not is_remote(target)


def relation(kind: str, target: str, mode: str = "External") -> str:
    return RELATIONS.format(f'<Relationship Id="r1" Type="{OFFICE}/{kind}" Target="{target}" TargetMode="{mode}"/>')


@pytest.mark.parametrize(
    ("files", "reason"),
    [
        ({"word/document.xml": f"{DECLARED}<d>&a;</d>"}, "unsafe_xml"),
        ({"xl/sharedStrings.xml": '<!DOCTYPE x SYSTEM "http://x.example/x.dtd"><x/>'}, "unsafe_xml"),
        (
            {"word/document.xml": f'<?xml version="1.0" encoding="UTF-16"?>{DECLARED}<d/>'.encode("utf-16")},
            "unsafe_xml",
        ),
        ({"word/document.xml": '<?xml version="1.0" encoding="EBCDIC-CP-US"?><d/>'.encode("cp037")}, "unsafe_xml"),
        ({"word/_rels/settings.xml.rels": relation("attachedTemplate", REMOTE[1])}, "external_reference"),
        ({"word/_rels/document.xml.rels": relation("image", REMOTE[0])}, "external_reference"),
        ({"word/_rels/document.xml.rels": relation("oleObject", REMOTE[2])}, "external_reference"),
        ({"word/_rels/document.xml.rels": relation("hyperlink", REMOTE[0])}, ""),
        ({"word/_rels/settings.xml.rels": relation("attachedTemplate", NEAR[0])}, ""),
        ({"word/document.xml": "<d>text</d>", "media/a.bin": b"\0" * 100}, ""),
        ({"word/document.xml": "<d/>", "media/a.bin": b"\0" * 60_000_000}, "too_large"),
    ],
    ids="entity dtd utf-16 ebcdic template image object hyperlink local plain bomb".split(),
)
def test_an_office_file_is_checked_when_it_is_opened(files: dict[str, str | bytes], reason: str) -> None:
    content = pack({"[Content_Types].xml": TYPES, **files})
    try:
        open_package(content)
        found = ""
    except Unreadable as error:
        found = error.reason
        assert any(way in error.detail for way in ("remove", "split", "save"))
    assert found == reason


def test_parts_are_counted_once_however_often_they_are_read() -> None:
    content = pack({"[Content_Types].xml": TYPES, "a.xml": f"<a>{'x' * 9_000_000}</a>"})
    package = open_package(content)
    for _ in range(9):
        assert len(package.read("a.xml")) == 9_000_007
    with pytest.raises(KeyError):
        package.read("b.xml")


def test_a_book_may_name_its_document_type_and_not_define_entities() -> None:
    page = '<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.1//EN" "http://www.w3.org/TR/xhtml11/DTD/xhtml11.dtd"><html/>'
    open_package(pack({"META-INF/container.xml": BOOK, "a.xhtml": page}))
    with pytest.raises(Unreadable, match="unsafe_xml"):
        open_package(pack({"META-INF/container.xml": BOOK, "a.xhtml": f"{DECLARED}<html>&a;</html>"}))


def test_hostile_files_leave_the_file_beside_them_alone(tmp_path: Path) -> None:
    svg = f'<?xml version="1.0"?>{DECLARED}<svg xmlns="http://www.w3.org/2000/svg"><text>&a; {WORDS}</text></svg>'
    epub = pack({"META-INF/container.xml": BOOK, "a.xhtml": f"{DECLARED}<html>&a;</html>"})
    inner = pack({f"{n}.txt": b" " * 9_000_000 for n in range(9)})
    hostile: dict[str, bytes] = {
        "bomb.zip": pack({"a.txt": b" " * 60_000_000}),
        "nested.zip": pack({"inner.zip": inner, "other.zip": inner}),
        "overlapping.zip": overlapping(),
        "encrypted.zip": encrypted(),
        "link.zip": link(),
        "up.zip": pack({"../../up.txt": WORDS}),
        "book.epub": epub,
        "picture.svg": svg.encode(),
    }
    for name, content in hostile.items():
        (tmp_path / name).write_bytes(content)
    (tmp_path / "good.txt").write_text(WORDS)
    rows = list(read_corpus(tmp_path, ReadConfig()))
    assert [row.source for row in rows if isinstance(row, Document)] == ["good.txt"]
    found = {row.source: row.reason for row in rows if not isinstance(row, Document)}
    assert found == {
        "bomb.zip#a.txt": "too_large",
        "nested.zip#inner.zip#0.txt": "no_text",  # two were read before the count was full
        "nested.zip#inner.zip#1.txt": "no_text",
        **{f"nested.zip#inner.zip#{n}.txt": "too_large" for n in range(2, 9)},
        "nested.zip#other.zip": "too_large",
        "overlapping.zip": "overlapping_parts",
        "encrypted.zip#secret.txt": "encrypted",
        "link.zip#passwords.txt": "link_in_archive",
        "up.zip#../../up.txt": "unsafe_name",
        "book.epub": "unsafe_xml",
        "picture.svg": "unsupported_type",
    }
    assert not (tmp_path.parent / "up.txt").exists()
