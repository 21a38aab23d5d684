"""Read PDF files: lines put together to paragraphs, headings by their type, tables as Markdown."""

import io
import math
import re
import zlib
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from itertools import groupby, islice, pairwise
from pathlib import PurePosixPath
from statistics import median
from typing import Any

import pdfplumber
from pdfminer import pdftypes
from pdfminer.layout import LTChar, LTItem, LTPage
from pdfminer.lzw import lzwdecode
from pdfminer.pdfdocument import PDFEncryptionError, PDFPasswordIncorrect
from pdfminer.pdfinterp import PDFPageInterpreter
from pdfminer.pdfpage import PDFPage
from pdfminer.psexceptions import PSException
from pdfminer.runlength import rldecode
from pdfminer.utils import decode_text
from pdfplumber.page import ALL_ATTRS, PDFPageAggregatorWithMarkedContent
from pdfplumber.utils.exceptions import PdfminerException

from rarefy.data_contracts.rows import Document, Place
from rarefy.tasks.corpus.places import name_pages
from rarefy.tasks.corpus.read.cells import PREFIX, SUFFIX, is_units, is_value, tidy
from rarefy.tasks.corpus.read.compose import Piece, clean_characters, mark_captions, render_table
from rarefy.tasks.corpus.read.lines import Line, Word, find_aligned_table, group_lines, order_columns, page_words
from rarefy.tasks.corpus.read.metadata import build_document
from rarefy.tasks.corpus.read.text import FURNITURE
from rarefy.tasks.corpus.read.unreadable import UnpackedSize, Unreadable

PAGE_NUMBER = re.compile(r"(?:page\s*)?[-–—|\s]*(?:[a-z]-)?\d{1,4}[-–—|\s]*(?:of\s*\d{1,4})?", re.I)
ROMAN = re.compile(r"[ivxl]{1,6}", re.I)
EDGE = 3  # lines at the head and foot of a page, among which running titles are sought
MARGIN = 0.12  # of the page's height: they stand no further in

Box = tuple[float, float, float, float]
Rows = list[list[str]]


@dataclass(slots=True)
class Table:
    """The rows of a table, the header first, and the page that each of them is on."""

    rows: Rows
    pages: list[int]


Item = Line | Table


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
    unpacked = UnpackedSize(len(content), max_unpacked_bytes, max_ratio)
    dropped: Counter[str] = Counter()
    pages: list[list[Item]] = []
    heights: list[float] = []
    scanned = 0
    for number, page in enumerate(_pages(content, max_pages, unpacked), 1):
        pages.append(list(_page_items(page, number)))
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
    items = _join_pages(pages)
    pieces = list(mark_captions(list(build_pieces(items, dropped))))
    title = page.title
    if len(title) <= 8 or re.search(r"\.\w{2,4}$|^Microsoft|untitled", title, re.I):
        title = next((piece.text for piece in pieces if piece.kind == "heading"), "")
    return build_document(source, title or PurePosixPath(source).stem, "application/pdf", pieces, dropped)


class _Device(PDFPageAggregatorWithMarkedContent):
    """Takes a glyph that its font does not name from the text around it (ActualText, ISO 32000-1 §14.9.4).

    Word writes "ti" and "tt" in Calibri so: without it "Corporation" is read as "Corporaon".
    """

    _actual = ""

    def begin_tag(self, tag: Any, props: Any = None) -> None:
        super().begin_tag(tag, props)
        text = props.get("ActualText") if isinstance(props, dict) else None
        self._actual = decode_text(text) if isinstance(text, bytes) else ""

    def end_tag(self) -> None:
        super().end_tag()
        self._actual = ""

    def render_char(self, *args: Any, **named: Any) -> float:
        advance: float = super().render_char(*args, **named)
        made = self.cur_item._objs[-1] if self._actual and self.cur_item._objs else None
        if isinstance(made, LTChar) and (made._text == "\0" or made._text.startswith("(cid:")):
            made._text, self._actual = self._actual, ""
        return advance


class _FastPage(pdfplumber.page.Page):
    """A page whose characters are taken as pdfminer has them.

    A third of the reading went into what pdfplumber does with each: looking for references in its attributes, of which
    those read here have none, and its colours.
    """

    @property
    def layout(self) -> LTPage:
        if not hasattr(self, "_layout"):
            device = _Device(self.pdf.rsrcmgr, pageno=self.page_number, laparams=self.pdf.laparams)
            try:
                PDFPageInterpreter(self.pdf.rsrcmgr, device).process_page(self.page_obj)
            except Exception as error:  # as pdfplumber has it
                raise PdfminerException(error) from error
            self._layout: LTPage = device.get_result()
        return self._layout

    def process_object(self, obj: LTItem) -> dict[str, Any]:
        if not isinstance(obj, LTChar) or self.mediabox[0] or self.mediabox[1]:
            return super().process_object(obj)
        found = {name: value for name, value in obj.__dict__.items() if name in ALL_ATTRS}
        top, bottom = self.height - obj.y1, self.height - obj.y0
        found |= {"object_type": "char", "page_number": self.page_number, "text": obj.get_text()}
        return found | {"top": top, "bottom": bottom, "doctop": self.initial_doctop + top}


@dataclass(frozen=True, slots=True)
class Page:
    """What pdfplumber finds on a page."""

    words: list[Word]
    ruled: list[tuple[Box, Rows]]
    width: float
    height: float
    pictures: bool
    title: str


def _pages(content: bytes, max_pages: int, unpacked: UnpackedSize) -> Iterator[Page]:
    """The pages of a PDF, one at a time; Unreadable where pdfminer cannot go on, or may not."""
    try:
        with count_unpacked(unpacked), pdfplumber.open(io.BytesIO(content)) as pdf:
            sheets = list(islice(PDFPage.create_pages(pdf.doc), max_pages + 1))
            unpacked.take(0)
            if len(sheets) > max_pages:
                raise Unreadable("too_large", f"more than {max_pages:,} pages; split the file or raise read.max_pages")
            title = str((pdf.metadata or {}).get("Title") or "")
            for number, sheet in enumerate(sheets, 1):
                page = _FastPage(pdf, sheet, page_number=number)
                ruled = ruled_tables(page) if page.rects or page.lines or page.curves else []
                words = page_words(page)
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
        met = cause if isinstance(error, PdfminerException) and isinstance(cause, Exception) else error
        message = f"damaged ({met!s:.160})" if isinstance(met, PSException) and str(met) else "damaged"
        raise Unreadable("bad_pdf", f"{message}; print it to PDF anew or remove it") from error


def _page_items(page: Page, number: int) -> Iterator[Item]:
    """The lines and tables of a page in reading order; what stands in a table is no line besides."""
    ruled = page.ruled
    outside = [w for w in page.words if not any(_inside(w, box) for box, _ in ruled)]
    lines = order_columns(group_lines(outside, number), page.width)
    waiting = [(box, Table(rows, [number] * len(rows))) for box, rows in sorted(ruled, key=lambda found: found[0][1])]
    while lines:
        found = find_aligned_table(lines)
        start, end, rows = found or (len(lines), len(lines), [])
        for line in lines[:start]:
            while waiting and waiting[0][0][1] < line.top:
                yield waiting.pop(0)[1]
            yield line
        if found:
            while waiting and waiting[0][0][1] < lines[start].top:
                yield waiting.pop(0)[1]
            yield Table(rows, [number] * len(rows))
        lines = lines[end:]
    yield from (table for _, table in waiting)


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


def _join_pages(pages: list[list[Item]]) -> list[Item]:
    """The items of all pages; a table that goes on at the head of the next page is one table again."""
    items: list[Item] = []
    for page in pages:
        page = list(page)
        last = items[-1] if items else None
        first = page[0] if page else None
        if isinstance(first, Table) and isinstance(last, Table) and len(first.rows[0]) == len(last.rows[0]):
            head = first.rows[0]
            repeated = head == last.rows[0] or not any(head)
            if repeated or any(is_value(cell) for cell in head):
                last.rows += first.rows[repeated:]
                last.pages += first.pages[repeated:]
                page.pop(0)
        items += page
    return items


# Paragraphs, headings and list items

BULLET = re.compile(r"[•·▪◦●■‣∙\uf0b7\uf0a7]\s*")
LABEL = re.compile(r"\(?(?:\d{1,3}|[a-z]|[ivx]{1,4})[.)]\s")
CUT = re.compile(r"([^\W\d_]+)[-\u00ad\u2010]$")
RULED = FURNITURE["rules"]
RAISED = re.compile(r" ([®™©℠])(?: (?=[,.;:)]))?")  # marks set small and high look like words of their own
LARGER = 1.12  # times the size of the text: what is set so large is a heading


class Layout:
    """What is usual in the document: the size of its text, the space between lines, its right margins."""

    def __init__(self, lines: list[Line]) -> None:
        sizes: Counter[float] = Counter()
        self.margins: dict[tuple[int, int], float] = {}
        for line in lines:
            sizes[line.size] += len(line.text)
            place = (line.page, line.column)
            self.margins[place] = max(self.margins.get(place, 0.0), line.x1)
        self.body = sizes.most_common(1)[0][0] if sizes else 10.0
        self.larger = sorted({size for size in sizes if size > LARGER * self.body}, reverse=True)
        pairs = [(a, b) for a, b in pairwise(lines) if (a.page, a.column) == (b.page, b.column)]
        gaps = [
            b.top - a.bottom
            for a, b in pairs
            if a.size == b.size == self.body and 0 <= b.top - a.bottom < 3 * self.body
        ]
        # Most lines are followed by a line of their own paragraph: the lower third of the gaps is the space within one.
        self.leading = sorted(gaps)[len(gaps) // 3] if len(gaps) > 5 else 0.3 * self.body
        self.compounds = Counter(re.findall(r"[a-z]+-[a-z]+", " ".join(line.text for line in lines)))

    def is_short(self, line: Line) -> bool:
        """Whether a line ends well before its column's right margin."""
        margin = self.margins[line.page, line.column]
        return line.x1 < margin - 0.12 * (margin - line.x0)


def build_pieces(items: list[Item], dropped: Counter[str]) -> Iterator[Piece]:
    """Headings, paragraphs and tables; a table of contents is counted and left out."""
    layout = Layout([item for item in items if isinstance(item, Line)])
    gathered: list[Line] = []

    def flush() -> Iterator[Piece]:
        if not gathered:
            return
        text = clean_characters(_join_lines([line.text for line in gathered], layout), dropped)
        if RULED.fullmatch(text):  # a line to write on, or between parts
            dropped["rules"] += len(text)
            gathered.clear()
            return
        level = _heading_level(gathered, text, layout)
        text = text if level else BULLET.sub("- ", text, count=1) if BULLET.match(text) else text
        place = name_pages(gathered[0].page, gathered[-1].page)
        yield Piece("heading" if level else "text", text, level, place)
        gathered.clear()

    for item in items:
        if isinstance(item, Line):
            if gathered and _begins_paragraph(item, gathered, layout):
                yield from flush()
            gathered.append(item)
            continue
        yield from flush()
        markdown = clean_characters(render_table(item.rows), dropped)
        if is_contents(item.rows):
            dropped["table_of_contents"] += len(markdown)
        else:
            place = name_pages(item.pages[0], item.pages[-1])
            yield Piece("table", markdown, place=place, cells=tuple(_page_places(item, markdown)))
    yield from flush()


def _page_places(table: Table, markdown: str) -> Iterator[Place]:
    """Of a table that runs on over pages, the stretch on each of them."""
    if table.pages[0] == table.pages[-1]:
        return
    ends = [found.start() for found in re.finditer(r"\n|\Z", markdown)]
    del ends[0]  # the header's: the line under it is no row
    start = 0
    for page, ended in groupby(zip(table.pages, ends, strict=True), key=lambda row: row[0]):
        *_, (_, end) = ended
        yield Place(start, end, name_pages(page, page))
        start = end + 1


def _heading_level(lines: list[Line], text: str, layout: Layout) -> int:
    """How high a heading these lines are, 0 for a paragraph."""
    if not text or len(text) > 200 or text[-1] in ".;," or len(lines) > 3 or BULLET.match(text):
        return 0
    if not any(map(str.isalpha, text)) or is_units(text):
        return 0
    if lines[0].size > LARGER * layout.body:
        return min(layout.larger.index(lines[0].size) + 1, 5)
    if all(line.bold for line in lines) and text[-1] != ":":
        return min(len(layout.larger) + 1, 6)
    return 0


def _begins_paragraph(line: Line, gathered: list[Line], layout: Layout) -> bool:
    """Whether a line begins a new paragraph after the lines gathered so far."""
    before = gathered[-1]
    if abs(line.size - before.size) > 0.08 * before.size or BULLET.match(line.text):
        return True
    if line.bold != before.bold and (line.bold or all(other.bold for other in gathered)):
        return True
    ended = before.text.rstrip("”\")'’")[-1:] in (".", "!", "?", ":")
    if (line.page, line.column) != (before.page, before.column):
        onward = line.text[:1].islower() or before.text[-1:] in ",-"
        return ended or not (onward or (line.text[:1].isalpha() and not layout.is_short(before)))
    if line.top - before.bottom > layout.leading + 0.4 * before.size:
        return True
    if ended and (LABEL.match(line.text) or layout.is_short(before)):
        return True
    left = median(other.x0 for other in gathered[1:]) if len(gathered) > 1 else before.x0
    return ended and line.x0 - left > 0.8 * layout.body


def _join_lines(texts: list[str], layout: Layout) -> str:
    """Lines as one paragraph; a word divided at a line's end is whole again, unless it is a compound elsewhere."""
    text = texts[0]
    for line in texts[1:]:
        cut, onward = CUT.search(text), re.match(r"[a-zà-ÿ]+", line)
        if cut and onward:
            compound = text[-1] == "-" and f"{cut.group(1).lower()}-{onward.group()}" in layout.compounds
            text = text + line if compound else text[:-1] + line
        elif text.endswith("-") and line[:1].isdigit():
            text += line
        else:
            text = f"{text} {line}"
    return RAISED.sub(r"\1", text)


# Tables drawn with lines

LONGEST_TITLE = 200  # characters
MANY = 10  # words of a cell, of which a few may be no figures
ENTRY = re.compile(r"(?:item|part|note|chapter|section|\d+\.|[ivx]+\.|consolidated|report)\b|.*\.{4}", re.I)


def ruled_tables(page: Any) -> list[tuple[tuple[float, float, float, float], list[list[str]]]]:
    """Box and rows of each table drawn with lines; boxes around a text and shaded stripes are none."""
    found = []
    for table in page.filter(_is_no_shade).find_tables():
        rows = [[None if cell is None else tidy(" ".join(cell.split())) for cell in row] for row in table.extract()]
        left, top, right, bottom = table.bbox
        while len(rows) > 1 and _is_prose_row(rows[0]):  # what stands above it in the same box is text
            rows.pop(0)
            top = table.rows[len(table.rows) - len(rows)].bbox[1]
        rows = [row for row in rows if any(row)]
        width = max((len(row) for row in rows), default=0)
        filled = sum(1 for row in rows for cell in row if cell)
        packed = sum(_is_packed(cell) for row in rows for cell in row if cell)
        worded = sum(any(map(str.isalpha, cell or "")) for row in rows for cell in row)
        if len(rows) < 2 or width < 2 or filled < 0.4 * len(rows) * width or packed > 0.1 * filled or not worded:
            continue
        found.append(((left, top, right, bottom), _merge_signs(_fill_spans(rows))))
    return found


def _is_prose_row(row: list[str | None]) -> bool:
    """Whether one cell over all columns holds more than a title."""
    return len(row) > 1 and len(row[0] or "") > LONGEST_TITLE and not any(row[1:])


def _is_packed(cell: str) -> bool:
    """Whether a cell holds many figures, whatever stands between some of them: its box is around more than one cell."""
    words = cell.split()
    return len(words) > 1 and sum(map(is_value, words)) >= (1 if len(words) < MANY else 0.8) * len(words)


def _is_no_shade(thing: dict[str, Any]) -> bool:
    """A stripe behind a row is no line of a table; what is thin is drawn as one."""
    if thing["object_type"] != "rect" or thing.get("stroke"):
        return True
    return bool(thing["height"] < 3 or thing["width"] < 3)


def _fill_spans(rows: list[list[str | None]]) -> list[list[str]]:
    """Rows without holes: a header that spans columns repeated, header rows joined to one."""
    depth = 1
    while depth < min(len(rows) - 1, 4) and None in rows[depth - 1] and not any(is_value(c) for c in rows[depth] if c):
        depth += 1
    heads: list[list[str]] = []
    for number, row in enumerate(rows[:depth]):
        last, head = "", []
        for at, cell in enumerate(row):
            if cell is None and number and rows[number - 1][at]:
                last = ""  # the cell above reaches down to here
            last = last if cell is None else cell
            head.append(last)
        heads.append(head)
    joined = [" ".join(dict.fromkeys(filter(None, column))) for column in zip(*heads, strict=True)]
    return [joined, *([cell or "" for cell in row] for row in rows[depth:])]


def _merge_signs(rows: list[list[str]]) -> list[list[str]]:
    """Currency signs, closing parentheses and percent signs with the figures they belong to; empty columns gone."""
    made = []
    for row in rows:
        row = list(row)
        for at, cell in enumerate(row):
            if cell and at + 1 < len(row) and PREFIX.match(cell) and is_value(row[at + 1]):
                row[at], row[at + 1] = "", cell + row[at + 1]
            elif cell and at and SUFFIX.match(cell) and is_value(row[at - 1]):
                row[at - 1], row[at] = row[at - 1] + cell, ""
        made.append(row)
    kept = [at for at in range(len(made[0])) if any(row[at] for row in made[1:])]
    return [[row[at] for at in kept] for row in made]


def is_contents(rows: list[list[str]]) -> bool:
    """Whether the rows are a table of contents: titles, and page numbers that never fall."""
    pages = [int(row[-1]) for row in rows if row[-1].isdecimal() and len(row[-1]) < 4]
    others = [cell for row in rows for cell in row[:-1] if is_value(cell)]
    entries = sum(bool(ENTRY.match(" ".join(row))) for row in rows)
    return (
        len(pages) > 3
        and pages == sorted(pages)
        and len(pages) >= 0.6 * len(rows)
        and not others
        and entries > 0.3 * len(rows)
    )


# Unpacked bytes

_COUNT: ContextVar[UnpackedSize | None] = ContextVar("_COUNT", default=None)
_PIECE = 1 << 16
_lzw, _run_length = lzwdecode, rldecode


@contextmanager
def count_unpacked(unpacked: UnpackedSize) -> Iterator[None]:
    """Within, every stream that pdfminer unpacks is counted; Unreadable from there once it is too much."""
    token = _COUNT.set(unpacked)
    try:
        yield
    finally:
        _COUNT.reset(token)


class _Zlib:
    """In place of the module zlib, as pdfminer uses it."""

    error = zlib.error
    decompressobj = staticmethod(zlib.decompressobj)

    @staticmethod
    def decompress(data: bytes) -> bytes:
        count = _COUNT.get()
        if count is None:
            return zlib.decompress(data)
        stream = zlib.decompressobj()
        made = stream.decompress(data, count.left + 1)
        count.take(len(made))
        if not stream.eof:
            count.left += len(made)  # pdfminer tries again as below
            raise zlib.error("incomplete or truncated stream")
        return made


def _decompress_corrupted(data: bytes) -> bytes:
    """What can be unpacked of a damaged stream. Raises zlib.error where more than its checksum is damaged.

    As pdfminer's, byte for byte; that one copies all it has at each byte.
    """
    count, stream, made = _COUNT.get(), zlib.decompressobj(), bytearray()
    at = 0
    while at < len(data) and not stream.eof:
        before, piece = stream.copy(), data[at : at + _PIECE]
        try:
            found = _decompress_piece(stream, piece, count)
        except zlib.error:
            stream, found = before, b""
            for place in range(at, at + len(piece)):
                try:
                    found += _decompress_piece(stream, data[place : place + 1], count)
                except zlib.error:
                    if place < len(data) - 3:
                        raise
                    return bytes(made + found)
        made += found
        at += len(piece)
    return bytes(made)


def _decompress_piece(stream: "zlib._Decompress", piece: bytes, count: UnpackedSize | None) -> bytes:
    if count is None:
        return stream.decompress(piece)
    found = stream.decompress(piece, count.left + 1)
    count.take(len(found))
    return found


def _lzwdecode(data: bytes) -> bytes:
    return _count(_lzw(data))


def _rldecode(data: bytes) -> bytes:
    return _count(_run_length(data))


def _count(made: bytes) -> bytes:
    if count := _COUNT.get():
        count.take(len(made))
    return made


vars(pdftypes).update(zlib=_Zlib, decompress_corrupted=_decompress_corrupted, lzwdecode=_lzwdecode, rldecode=_rldecode)
