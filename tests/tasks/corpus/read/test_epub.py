import io
import zipfile

import pytest

from rarefy.data_contracts.rows import Document
from rarefy.tasks.corpus.read.epub import read_epub
from rarefy.tasks.corpus.read.unreadable import UnpackedSize, Unreadable

CONTAINER = (
    '<?xml version="1.0"?><container xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles>'
    '<rootfile full-path="OEBPS/book.opf" media-type="application/oebps-package+xml"/></rootfiles></container>'
)
OPF = """<?xml version="1.0"?><package xmlns="http://www.idpf.org/2007/opf" version="3.0">
<metadata xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>A Handbook of Pumps</dc:title>
<dc:creator>Jane Doe</dc:creator><dc:creator>John Roe</dc:creator><dc:language>en-GB</dc:language>
<dc:date>2021-03-04T00:00:00Z</dc:date><dc:publisher>Acme Press</dc:publisher></metadata>
<manifest><item id="n" href="nav.xhtml" media-type="application/xhtml+xml" properties="nav"/>
<item id="b" href="text/second%20part.xhtml" media-type="application/xhtml+xml"/>
<item id="a" href="text/first.xhtml" media-type="application/xhtml+xml"/>
<item id="g" href="gone.xhtml" media-type="application/xhtml+xml"/>
<item id="p" href="cover.png" media-type="image/png"/></manifest>
<spine><itemref idref="p"/><itemref idref="n"/><itemref idref="a"/><itemref idref="b"/><itemref idref="g"/></spine>
</package>"""
PAGE = (
    '<?xml version="1.0"?><!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.1//EN" "http://www.w3.org/TR/xhtml11/DTD/xhtml11.dtd">'
    '<html xmlns="http://www.w3.org/1999/xhtml"><head><title>x</title></head><body>{}</body></html>'
)
FILES = {
    "mimetype": "application/epub+zip",
    "META-INF/container.xml": CONTAINER,
    "OEBPS/book.opf": OPF,
    "OEBPS/nav.xhtml": PAGE.format("<nav><ol><li><a href='first.xhtml'>All about the first part</a></li></ol></nav>"),
    "OEBPS/text/first.xhtml": PAGE.format("<h1>The First Part</h1><p>A pump moves&#160;water up a hill.</p>"),
    "OEBPS/text/second part.xhtml": PAGE.format("<p>The second part has no title of its own.</p>"),
}


def book(**changed: str) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as archive:
        for name, content in {**FILES, **changed}.items():
            archive.writestr(name, content)
    return made.getvalue()


def read(content: bytes) -> Document:
    return read_epub(content, "a.epub", UnpackedSize(len(content), 10_000_000, 200))


def test_a_book_is_read_in_the_order_of_its_spine() -> None:
    document = read(book())
    assert document.text == (
        "### The First Part\n\nA pump moves water up a hill.\n\nThe second part has no title of its own."
    )
    assert (document.title, document.metadata["language"], document.as_of) == (
        "A Handbook of Pumps",
        "en-GB",
        "2021-03-04T00:00:00Z",
    )
    assert document.metadata["author"] == "Jane Doe, John Roe" and document.metadata["publisher"] == "Acme Press"
    assert document.metadata["chapters_unread"] == "OEBPS/gone.xhtml (not in the book)"


def test_places_are_the_titles_of_chapters_or_the_names_of_their_files() -> None:
    document = read(book())
    names = {document.text[place.start : place.end]: place.name for place in document.places}
    assert names["A pump moves water up a hill."] == "The First Part"
    assert names["The second part has no title of its own."] == "OEBPS/text/second part.xhtml"


@pytest.mark.parametrize(
    ("name", "content", "reason"),
    [
        ("META-INF/container.xml", "<container/>", "bad_epub"),
        ("META-INF/container.xml", "<container", "bad_xml"),
        ("OEBPS/book.opf", OPF.replace("itemref", "other"), "no_text"),
        (
            "META-INF/encryption.xml",
            "<e><EncryptedData><EncryptionMethod Algorithm='aes'/></EncryptedData></e>",
            "encrypted",
        ),
    ],
)
def test_what_is_no_book_is_told_so(name: str, content: str, reason: str) -> None:
    with pytest.raises(Unreadable, match=reason):
        read(book(**{name: content}))


def test_a_book_whose_fonts_alone_are_garbled_is_read() -> None:
    method = "<EncryptionMethod Algorithm='http://www.idpf.org/2008/embedding'/>"
    assert read(book(**{"META-INF/encryption.xml": f"<e><EncryptedData>{method}</EncryptedData></e>"})).text
