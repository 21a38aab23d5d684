"""What a document says it is, is named, and is."""

import pytest

from rarefy.tasks.refresh.feeds.arrivals import detect_ending
from rarefy.tasks.refresh.feeds.faults import Refused

HTML = b"<!doctype html><html><body><p>Text.</p></body></html>"
PDF = b"%PDF-1.7 and so on"
PARQUET = b"PAR1 columns PAR1"


@pytest.mark.parametrize(
    ("content", "media_type", "address", "ending"),
    [
        (HTML, "text/html", "https://h/a.htm", ".html"),
        (HTML, "text/html", "https://h/view?id=3", ".html"),
        (HTML, "text/html", "https://h/page.aspx", ".html"),
        (HTML, "application/octet-stream", "https://h/a.html", ".html"),
        (HTML, "", "https://h/a.htm", ".html"),
        (b"\xef\xbb\xbf<p>Text.</p>", "text/html", "https://h/a", ".html"),
        ("<p>Text.</p>".encode("utf-16"), "text/html", "https://h/a", ".html"),
        (PDF, "application/pdf", "https://h/a.pdf", ".pdf"),
        (PDF, "application/octet-stream", "https://h/A.PDF", ".pdf"),
        (b"Words.", "text/plain", "https://h/a.txt", ".txt"),
        (b"# Title", "text/plain", "https://h/a.md", ".md"),
        (b"# Title", "text/markdown", "https://h/a.txt", ".md"),
        (b'{"text": "x"}', "application/json", "https://h/a", ".json"),
        (b'{"text": "x"}\n{"text": "y"}', "application/x-ndjson", "https://h/a.jsonl", ".jsonl"),
        (PARQUET, "application/vnd.apache.parquet", "https://h/a.parquet", ".parquet"),
    ],
)
def test_what_agrees_is_taken(content, media_type, address, ending):
    assert detect_ending(content, media_type, address) == ending


@pytest.mark.parametrize(
    ("content", "media_type", "address", "why"),
    [
        (HTML, "application/pdf", "https://h/a.pdf", "said to be .pdf, and its bytes are something else"),
        (HTML, "text/html", "https://h/a.pdf", "one of the two is wrong"),
        (b"MZ\x90\x00", "application/pdf", "https://h/a.pdf", "its bytes are a program"),
        (b"MZ\x90\x00", "text/html", "https://h/a.html", "its bytes are a program"),
        (PDF, "text/html", "https://h/a.html", "its bytes are .pdf"),
        (b"PK\x03\x04word/document.xml", "text/plain", "https://h/a.txt", "ZIP archive"),
        (b"\x1f\x8b\x08", "text/plain", "https://h/a.txt", "gzip"),
        (b"text\0with zero", "text/plain", "https://h/a.txt", "no text"),
        (b"plain words", "text/html", "https://h/a.html", "no tag"),
        (b"<html>", "application/json", "https://h/a.json", "begins with"),
        (b"", "text/plain", "https://h/a.txt", "empty"),
        (b" \n ", "text/plain", "https://h/a.txt", "empty"),
        (b"PAR1 cut off", "application/parquet", "https://h/a.parquet", "said to be .parquet"),
        (HTML, "image/png", "https://h/a.png", "nothing that rarefy reads"),
        (HTML, "application/msword", "https://h/a.doc", "nothing that rarefy reads"),
        (HTML, "application/octet-stream", "https://h/a", "neither its server nor its name"),
        (HTML, "application/octet-stream", "https://h/a.exe", "neither its server nor its name"),
    ],
)
def test_what_does_not_agree_is_refused_with_the_reason(content, media_type, address, why):
    with pytest.raises(Refused, match=why):
        detect_ending(content, media_type, address)
