"""Read EPUB books: the chapters in the order of the spine, each a page of HTML."""

import posixpath
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import PurePosixPath
from urllib.parse import unquote, urlsplit

from lxml import etree

from rarefy.data_contracts.rows import Document
from rarefy.tasks.corpus.read.compose import Piece, split_pieces
from rarefy.tasks.corpus.read.decode import decode
from rarefy.tasks.corpus.read.html import read_html
from rarefy.tasks.corpus.read.metadata import build_document, fill_fields
from rarefy.tasks.corpus.read.packages import Package, parse_xml
from rarefy.tasks.corpus.read.unreadable import UnpackedSize, Unreadable

PAGES = ("application/xhtml+xml", "text/html", "text/x-oeb1-document")
# Fonts under these are garbled so that nobody takes them out; all else that is encrypted asks for a licence
FONTS = ("http://www.idpf.org/2008/embedding", "http://ns.adobe.com/pdf/enc#RC")
KEPT = ("publisher", "identifier", "subject", "description", "rights")  # what the book says of itself, beside FIELDS


def read_epub(content: bytes, source: str, unpacked: UnpackedSize) -> Document:
    """The document that an EPUB holds; the places in it are the chapters' titles, or the names of their files."""
    package = Package(content, unpacked)
    book = _find_book(package)
    root = parse_xml(package.read(book), book)
    _check_licence(package)
    dropped: Counter[str] = Counter()
    lost: list[str] = []
    pieces = [
        piece for name, page in _chapters(package, root, book) for piece in _read(package, name, page, dropped, lost)
    ]
    if not pieces:
        raise Unreadable("no_text", "no chapter shows any text; is it a book of pictures? Remove it")
    about = _describe(root)
    title = about.pop("title", "") or PurePosixPath(source).stem
    metadata = {"chapters_unread": ", ".join(lost)} if lost else {}
    document = build_document(source, title, "application/epub+zip", pieces, dropped, metadata)
    return fill_fields(document, about)


def _find_book(package: Package) -> str:
    """The name of the part that lists all others."""
    name = "META-INF/container.xml"
    try:
        found = parse_xml(package.read(name), name).find(".//{*}rootfile")
        book = found.get("full-path", "") if found is not None else ""
        if book in package.names():
            return book
    except KeyError:
        pass
    raise Unreadable("bad_epub", f"{name} names no list of its chapters; write the book anew or remove it")


def _check_licence(package: Package) -> None:
    name = "META-INF/encryption.xml"
    if name not in package.names():
        return
    for method in parse_xml(package.read(name), name).iter("{*}EncryptionMethod"):
        if method.getparent().tag.endswith("EncryptedData") and method.get("Algorithm") not in FONTS:
            raise Unreadable(
                "encrypted", "its chapters are encrypted for readers with a licence; get it without or remove it"
            )


def _chapters(package: Package, root: etree._Element, book: str) -> Iterator[tuple[str, bytes | None]]:
    """Name and bytes of each page in the order of the spine, None for one that is not there; no list of contents."""
    items = {item.get("id"): item for item in root.iter("{*}item")}
    for entry in root.iter("{*}itemref"):
        item = items.get(entry.get("idref"))
        if item is None or item.get("media-type") not in PAGES or "nav" in item.get("properties", "").split():
            continue
        name = posixpath.normpath(posixpath.join(posixpath.dirname(book), unquote(urlsplit(item.get("href", "")).path)))
        try:
            yield name, package.read(name)
        except KeyError:
            yield name, None


def _read(package: Package, name: str, page: bytes | None, dropped: Counter[str], lost: list[str]) -> Iterator[Piece]:
    if page is None:
        lost.append(f"{name} (not in the book)")
        return
    try:
        chapter = read_html(decode(page)[0], name)
    except Unreadable as error:
        if error.reason != "no_text":  # a cover, a picture
            lost.append(f"{name} ({error.reason})")
        return
    dropped.update(chapter.dropped)
    pieces = list(split_pieces(chapter))
    place = next((" ".join(piece.text.split()) for piece in pieces if piece.kind == "heading"), "") or name
    yield from (replace(piece, place=place) for piece in pieces)


def _describe(root: etree._Element) -> dict[str, str]:
    """What the book says of itself, under the names that records have for it."""
    said: dict[str, list[str]] = {}
    for element in root.iterfind("{*}metadata//{http://purl.org/dc/elements/1.1/}*"):
        if text := " ".join("".join(element.itertext()).split()):
            said.setdefault(etree.QName(element).localname, []).append(text)
    found = {key: ", ".join(said[key]) for key in KEPT if key in said}
    found |= {"title": said.get("title", [""])[0], "author": ", ".join(said.get("creator", []))}
    # of dates the first is that of publication; an old book in a new edition has both
    found |= {"language": said.get("language", [""])[0], "date": said.get("date", [""])[0]}
    return {key: value for key, value in found.items() if value}
