"""PDF as a document: lines put together to paragraphs, headings by their type, tables as Markdown."""

import io
import math
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import PurePosixPath
from typing import Any

import pdfplumber
from pdfminer.pdfdocument import PDFEncryptionError, PDFPasswordIncorrect
from pdfminer.pdfpage import PDFPage
from pdfplumber.utils.exceptions import PdfminerException

from rarefy.data_contracts.rows import Document
from rarefy.tasks.corpus.read.aligned import aligned_table
from rarefy.tasks.corpus.read.captions import mark_captions
from rarefy.tasks.corpus.read.cells import is_value
from rarefy.tasks.corpus.read.compose import compose
from rarefy.tasks.corpus.read.identify import introduce
from rarefy.tasks.corpus.read.limits import Unpacked
from rarefy.tasks.corpus.read.pdf_lines import Line, Word, in_columns, lines_of, words_of
from rarefy.tasks.corpus.read.pdf_paragraphs import Item, Rows, pieces_of
from rarefy.tasks.corpus.read.pdf_streams import counted
from rarefy.tasks.corpus.read.pdf_tables import ruled_tables
from rarefy.tasks.corpus.read.unreadable import Unreadable

PAGE_NUMBER = re.compile(r"(?:page\s*)?[-–—|\s]*(?:[a-z]-)?\d{1,4}[-–—|\s]*(?:of\s*\d{1,4})?", re.I)
ROMAN = re.compile(r"[ivxl]{1,6}", re.I)
EDGE = 3  # lines at the head and foot of a page, among which running titles are sought
MARGIN = 0.12  # of the page's height: they stand no further in

Box = tuple[float, float, float, float]


MAX_PAGES, MAX_UNPACKED, MAX_RATIO = 2_000, 1_000_000_000, 200


def read_pdf(
    content: bytes,
    source: str,
    max_pages: int = MAX_PAGES,
    max_unpacked_bytes: int = MAX_UNPACKED,
    max_ratio: int = MAX_RATIO,
) -> Document:
    """The document that a PDF holds.

    Raises Unreadable for one that is encrypted, damaged, a scan without text, or over one of the limits.
    """
    unpacked = Unpacked(len(content), max_unpacked_bytes, max_ratio)
    dropped: Counter[str] = Counter()
    pages: list[list[Item]] = []
    heights: list[float] = []
    scanned = 0
    for number, page in enumerate(_pages(content, max_pages, unpacked), 1):
        pages.append(list(_items(page, number)))
        heights.append(page.height)
        scanned += page.pictures and not pages[-1]
    if not any(pages):
        what = (
            "a scan, pictures of pages without text; run it through OCR"
            if scanned
            else "no text on any page; remove it"
        )
        raise Unreadable("scanned_pdf" if scanned else "no_text", what)
    _drop_furniture(pages, heights, dropped)
    if scanned:
        dropped["pages_without_text"] = scanned
    items = _continued(pages)
    pieces = list(mark_captions(list(pieces_of(items, dropped))))
    text, blocks = compose(pieces)
    said = page.title
    heading = next((piece.text for piece in pieces if piece.kind == "heading"), "")
    title = said if len(said) > 8 and not re.search(r"\.\w{2,4}$|^Microsoft|untitled", said, re.I) else heading
    return introduce(
        Document(
            doc_id=source,
            content_hash="",
            source=source,
            title=" ".join((title or PurePosixPath(source).stem).split()),
            media_type="application/pdf",
            text=text,
            blocks=blocks,
            dropped={kind: count for kind, count in dropped.items() if count},
        )
    )


@dataclass(frozen=True, slots=True)
class Page:
    """What pdfplumber finds on a page."""

    words: list[Word]
    ruled: list[tuple[Box, Rows]]
    width: float
    height: float
    pictures: bool
    title: str


def _pages(content: bytes, max_pages: int, unpacked: Unpacked) -> Iterator[Page]:
    """The pages of a PDF, one at a time; Unreadable where pdfminer cannot go on, or may not."""
    wanted: Any = range(1, max_pages + 1)  # all that it asks of them is whether a number is among them
    try:
        with counted(unpacked), pdfplumber.open(io.BytesIO(content), pages=wanted) as pdf:
            more = next(islice(PDFPage.create_pages(pdf.doc), max_pages, None), None)
            unpacked.take(0)
            if more is not None:
                raise Unreadable("too_large", f"more than {max_pages:,} pages; split the file or raise read.max_pages")
            title = str((pdf.metadata or {}).get("Title") or "")
            for page in pdf.pages:
                ruled = ruled_tables(page) if page.rects or page.lines or page.curves else []
                words = words_of(page)
                unpacked.take(0)  # what stopped at the limit may have been taken for a damaged stream
                yield Page(words, ruled, float(page.width), float(page.height), bool(page.images), title)
                page.close()  # else every page's characters stay in memory
    except (Unreadable, MemoryError):
        raise
    except Exception as error:  # a damaged file fails anywhere in pdfminer, with whatever its parser meets first
        unpacked.take(0)
        if isinstance(cause := error.args[0] if error.args else None, PDFPasswordIncorrect | PDFEncryptionError):
            raise Unreadable("encrypted_pdf", "it asks for a password; save it without one") from error
        if isinstance(cause, Unreadable | MemoryError):
            raise cause from error
        told = repr(error) if isinstance(error, PdfminerException) else f"{type(error).__name__}: {error}"
        raise Unreadable("bad_pdf", f"{told:.200}; print it to PDF anew or remove it") from error


def _items(page: Page, number: int) -> Iterator[Item]:
    """The lines and tables of a page in reading order; what stands in a table is no line besides."""
    ruled = page.ruled
    outside = [w for w in page.words if not any(_inside(w, box) for box, _ in ruled)]
    lines = in_columns(lines_of(outside, number), page.width)
    waiting = sorted(ruled, key=lambda found: found[0][1])
    while lines:
        found = aligned_table(lines)
        start, end, rows = found or (len(lines), len(lines), [])
        for line in lines[:start]:
            while waiting and waiting[0][0][1] < line.top:
                yield waiting.pop(0)[1]
            yield line
        if found:
            while waiting and waiting[0][0][1] < lines[start].top:
                yield waiting.pop(0)[1]
            yield rows
        lines = lines[end:]
    yield from (rows for _, rows in waiting)


def _inside(word: Word, box: Box) -> bool:
    return box[0] <= (word.x0 + word.x1) / 2 <= box[2] and box[1] <= (word.top + word.bottom) / 2 <= box[3]


def _drop_furniture(pages: list[list[Item]], heights: list[float], dropped: Counter[str]) -> None:
    """Take away, page by page, page numbers and the titles that run at the head and foot of many pages."""
    seen: Counter[str] = Counter()
    for items, height in zip(pages, heights, strict=True):
        seen.update({_mask(line) for line in _edges(items, height)})
    often = max(2, min(math.ceil(0.3 * len(pages)), 4))  # a title may run over one part of a long document
    for items, height in zip(pages, heights, strict=True):
        for line in _edges(items, height):
            numbered = PAGE_NUMBER.fullmatch(line.text) or ROMAN.fullmatch(line.text)
            if numbered and line in (items[0], items[-1]):
                dropped["page_numbers"] += len(line.text)
                items.remove(line)
            elif seen[_mask(line)] >= often and len(pages) > 1 and len(line.text) < 120:
                dropped["running_headers"] += len(line.text)
                items.remove(line)


def _edges(items: list[Item], height: float) -> list[Line]:
    """The lines in the page's margins, the outermost first, so that a number under a title is met when it is last."""
    outermost = [item for pair in zip(items[:EDGE], items[-EDGE:][::-1], strict=False) for item in pair]
    lines: list[Line] = []
    for item in outermost:
        if not isinstance(item, Line) or any(item is other for other in lines):
            continue
        if item.bottom < MARGIN * height or item.top > (1 - MARGIN) * height:
            lines.append(item)
    return lines


def _mask(line: Line) -> str:
    return re.sub(r"\d+", "#", line.text.lower())


def _continued(pages: list[list[Item]]) -> list[Item]:
    """The items of all pages; a table that goes on at the head of the next page is one table again."""
    items: list[Item] = []
    for page in pages:
        page = list(page)
        last = items[-1] if items else None
        if page and isinstance(page[0], list) and isinstance(last, list) and len(page[0][0]) == len(last[0]):
            head, *rows = page[0]
            if head == last[0] or not any(head):
                last += rows
                page.pop(0)
            elif any(is_value(cell) for cell in head):
                last += [head, *rows]
                page.pop(0)
        items += page
    return items
