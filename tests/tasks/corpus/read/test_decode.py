import codecs

import pytest

from rarefy.tasks.corpus.read.decode import decode
from rarefy.tasks.corpus.read.unreadable import Unreadable

TEXT = "The Company’s café – naïve façade, “quoted” — costs €5. " * 20


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-32", "cp1252"])
def test_text_is_read_whatever_its_encoding(encoding: str) -> None:
    assert decode(TEXT.encode(encoding))[0] == TEXT


@pytest.mark.parametrize(("mark", "encoding"), [(codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be")])
def test_a_byte_order_mark_is_no_text(mark: bytes, encoding: str) -> None:
    assert decode(mark + TEXT.encode(encoding))[0] == TEXT


def test_stray_bytes_of_another_encoding_are_read_as_windows_and_counted() -> None:
    content = TEXT.encode() + "It’s “pasted”".encode("cp1252") + TEXT.encode()
    text, notes = decode(content)
    assert text == TEXT + "It’s “pasted”" + TEXT
    assert notes == {"encoding": "utf-8", "bytes_repaired": "3"}


def test_a_character_cut_at_the_end_of_a_file_costs_only_itself() -> None:
    text, notes = decode(("A sentence in English. " * 50).encode() + "é".encode()[:1])
    assert text.startswith("A sentence") and notes["bytes_repaired"] == "1"


def test_the_declared_encoding_of_a_page_is_taken() -> None:
    content = '<html><head><meta charset="windows-1251"></head>Привет мир</html>'.encode("cp1251")
    assert "Привет мир" in decode(content)[0]


def test_what_calls_itself_latin_1_is_read_with_windows_quotation_marks() -> None:
    content = b'<meta charset="iso-8859-1">' + "“smart quotes”".encode("cp1252")
    assert "“smart quotes”" in decode(content)[0]


@pytest.mark.parametrize("content", [b"PK\x03\x04rest", b"\x1f\x8brest", b"\x89PNG", bytes(range(256)) * 20])
def test_binary_data_is_no_text(content: bytes) -> None:
    with pytest.raises(Unreadable, match="binary_file"):
        decode(content)
