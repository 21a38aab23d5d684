"""Read Word documents: paragraphs, headings, lists, tables, notes and text boxes, with pages where Word set them.

The parts are walked as they are. Mammoth gives no pages, no numbers of lists and headings and no running titles;
python-docx leaves out what stands in content controls, insertions, text boxes and notes.
"""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import PurePosixPath

from lxml import etree

from rarefy.data_contracts.rows import Document
from rarefy.tasks.corpus.read.cells import PREFIX, is_value
from rarefy.tasks.corpus.read.compose import Piece, clean_characters, mark_captions
from rarefy.tasks.corpus.read.grids import GridCell, arrange_rows, build_table
from rarefy.tasks.corpus.read.metadata import build_document
from rarefy.tasks.corpus.read.numbering import Numbering
from rarefy.tasks.corpus.read.office import local_name, parse_part, read_properties
from rarefy.tasks.corpus.read.packages import Package
from rarefy.tasks.corpus.read.unreadable import UnpackedSize, Unreadable

DOCX = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
LOWEST = 6
BOLD_TITLE = 120  # characters: a bold paragraph is a heading where no style says so, and it is no longer
LONG_CELL = 600  # characters: a table with such cells of several paragraphs lays out text
DEEP = 60  # tables, boxes and controls inside one another
_MAIN = re.compile(r"/?word/document\d*\.xml", re.I)
_HEADING = re.compile(r"heading (\d)", re.I)
_CONTENTS = re.compile(r"(?:toc|table of figures|index) ?\d*|toc heading|contents \d", re.I)
_CAPTION = re.compile(r"caption", re.I)
_CODE = re.compile(r"code|preformatted|verbatim|source text", re.I)
_OFF = ("0", "false", "off", "none")
_REMOVED = frozenset("del moveFrom cellDel".split())
_WRAPS = frozenset(  # what stands around words and says something about them
    "hyperlink smartTag ins moveTo sdt sdtContent fldSimple dir bdo customXml ruby rubyBase AlternateContent "
    "Choice".split()
)


@dataclass(frozen=True, slots=True)
class _Style:
    """What a paragraph's style says that counts here, with what it inherits."""

    name: str = ""
    level: int = 0  # of a heading, 0 for text
    list_id: str = ""
    list_level: int = 0
    bold: bool = False


@dataclass(slots=True)
class _Paragraph:
    """The words of a paragraph, and what hangs on them."""

    text: str = ""
    bold: int = 0  # letters
    page: int = 0  # where its first word stands
    boxes: list[etree._Element] = field(default_factory=list)
    notes: list[tuple[str, str]] = field(default_factory=list)  # mark, text


def read_docx(content: bytes, source: str, unpacked: UnpackedSize) -> Document:
    """The document that a Word file is. Raises Unreadable for an encrypted one, one of Office 97, one without text."""
    package = Package(content, unpacked)
    reader = _Reader(package)
    pieces = reader.read()
    metadata = read_properties(package)
    titled = next((piece.text for piece in pieces if piece.kind == "heading"), "")
    title = metadata.pop("title", "") or titled or PurePosixPath(source).stem
    return build_document(source, title, DOCX, list(mark_captions(pieces)), reader.dropped, metadata)


class _Reader:
    """The state of a walk through a document: page, counters of lists, notes seen."""

    def __init__(self, package: Package) -> None:
        self.dropped: Counter[str] = Counter()
        names = package.names()
        main = next((name for name in names if _MAIN.fullmatch(name)), "")
        if not main:
            raise Unreadable("bad_part", "it has no word/document.xml; is it a Word document? Save it anew")
        self._package = package
        self._folder = main.rpartition("/")[0]
        self.body = parse_part(package.read(main))
        self._styles = _read_styles(self._part("styles.xml"))
        self._numbering = Numbering(self._part("numbering.xml"))
        self._notes = {
            kind: {note.get(_w(note, "id")) or "": note for note in self._part(f"{kind}s.xml") if _is_own(note)}
            for kind in ("footnote", "endnote")
        }
        for name in names:
            if re.fullmatch(r"/?word/(?:header|footer)\d*\.xml", name, re.I):
                self.dropped["headers_and_footers"] += _count_letters(parse_part(package.read(name)))
            elif re.fullmatch(r"/?word/comments\.xml", name, re.I):
                self.dropped["comments"] += _count_letters(parse_part(package.read(name)))
        self._noted = 0
        self._break = self._find_breaks()
        self._page = 1
        self._paged = bool(self._break)
        self._titled = any(
            self._style_of(paragraph).name.lower() == "title" for paragraph in self.body.iter() if _is(paragraph, "p")
        )
        self._has_headings = any(
            self._heading_level(paragraph, self._style_of(paragraph))
            for paragraph in self.body.iter()
            if _is(paragraph, "p")
        )

    def _part(self, name: str) -> etree._Element:
        """The root of a part beside the main one; an empty element where there is none."""
        path = f"{self._folder}/{name}"
        found = next((n for n in self._package.names() if n.lower() == path.lower()), "")
        return parse_part(self._package.read(found)) if found else etree.Element("none")

    def _find_breaks(self) -> str:
        """The kind of mark that begins a page: Word's own, or the author's breaks where there are none of those.

        "" where they are not as many as the pages that the file says it has: Word sets its marks where it last laid a
        page out, and of a third of the documents tried some are missing or old. A wrong page is worse than none.
        """
        marks = sum(_is(element, "lastRenderedPageBreak") for element in self.body.iter())
        forced = sum(_is(element, "br") and element.get(_w(element, "type")) == "page" for element in self.body.iter())
        name = next((n for n in self._package.names() if n.lower().lstrip("/") == "docprops/app.xml"), "")
        about = parse_part(self._package.read(name)) if name else ()
        stated = next((element.text or "" for element in about if _is(element, "Pages")), "")
        if marks:
            return "lastRenderedPageBreak" if stated in ("", str(marks + 1)) else ""
        return "br" if forced and stated == str(forced + 1) else ""

    def read(self) -> list[Piece]:
        body = next((child for child in self.body if _is(child, "body")), None)
        return list(self._blocks(body, 0)) if body is not None else []

    def _skip(self, element: etree._Element, kind: str, name: str = "t") -> None:
        """Leave something out: its letters are counted, and so are the pages that begin in it."""
        self.dropped[kind] += _count_letters(element, name)
        self._page += sum(self._begins_page(part) for part in element.iter())

    def _begins_page(self, element: etree._Element) -> bool:
        if not self._break or not _is(element, self._break):
            return False
        return self._break != "br" or element.get(_w(element, "type")) == "page"

    def _place(self, page: int) -> str:
        return f"page {page}" if self._paged else ""

    def _blocks(self, parent: etree._Element, depth: int) -> Iterator[Piece]:
        if depth > DEEP:
            raise Unreadable("too_deep", "its tables and boxes are nested too deep to be read; flatten it or remove it")
        code: list[etree._Element] = []
        for child in parent:
            name = local_name(child) if isinstance(child.tag, str) else ""
            if name == "p" and _CODE.search(name_of := self._style_of(child).name) and not _CAPTION.search(name_of):
                code.append(child)
                continue
            yield from self._code(code)
            code = []
            if name == "p":
                yield from self._paragraph(child, depth)
            elif name == "tbl":
                yield from self._table(child, depth)
            elif name == "sdt" and _is_contents(child):
                self._skip(child, "table_of_contents")
            elif name in _REMOVED:
                self._skip(child, "deleted_text", "delText")
            elif name in _WRAPS:
                yield from self._blocks(_choice(child), depth + 1)
        yield from self._code(code)

    # Paragraphs

    def _code(self, lines: list[etree._Element]) -> Iterator[Piece]:
        """Paragraphs that are the lines of one program or the like."""
        said = [self._gather(line, self._style_of(line)) for line in lines]
        page = next((line.page for line in said if line.page), self._page)
        yield Piece("text", "\n".join(line.text for line in said), place=self._place(page))

    def _paragraph(self, element: etree._Element, depth: int) -> Iterator[Piece]:
        style = self._style_of(element)
        if _CONTENTS.fullmatch(style.name):
            self._skip(element, "table_of_contents")
            return
        said = self._gather(element, style)
        text = said.text.strip()
        place = self._place(said.page or self._page)
        number = self._number(element, style)  # Word counts empty paragraphs too
        if text:
            level = self._heading_level(element, style)
            if not level and not self._has_headings and self._stands_out(said, element, style):
                level = 2
            if level:
                title = f"{number} {text}" if number and number != "-" else text
                yield Piece("heading", " ".join(title.split()), min(level, LOWEST), place)
            else:
                kind = "caption" if _CAPTION.search(style.name) else "text"
                yield Piece(kind, f"{number} {text}" if number else text, place=place)
        for mark, note in said.notes:
            yield Piece("footnote", f"{mark} {note}", place=place)
        for box in said.boxes:
            yield from self._blocks(box, depth + 1)

    def _stands_out(self, said: _Paragraph, element: etree._Element, style: _Style) -> bool:
        """Whether a paragraph of a document without styled headings reads as one: short, bold, no sentence."""
        text = said.text.strip()
        letters = sum(map(str.isalpha, text))
        if not 2 < len(text) <= BOLD_TITLE or text[-1] in ".,;:?!" or "\n" in text or letters < 3:
            return False
        inside = any(_is(above, "tc") or _is(above, "txbxContent") for above in element.iterancestors())
        return said.bold >= len(text.replace(" ", "")) and not inside and not self._list_of(element, style)[0]

    def _heading_level(self, element: etree._Element, style: _Style) -> int:
        if self._titled and style.name.lower() == "title":
            return 1
        own = _child(_child(element, "pPr"), "outlineLvl")
        stated = own.get(_w(own, "val"), "") if own is not None else ""
        level = int(stated) + 1 if stated.isdigit() and int(stated) < 9 else style.level
        return level + self._titled if level else 0

    def _list_of(self, element: etree._Element, style: _Style) -> tuple[str, int]:
        """The list that a paragraph is in, "" for none, and its level there."""
        properties = _child(_child(element, "pPr"), "numPr")
        list_id, level = style.list_id, style.list_level
        if properties is not None:
            number, depth = _child(properties, "numId"), _child(properties, "ilvl")
            if number is not None:
                list_id = number.get(_w(number, "val")) or ""
            if depth is not None:
                stated = depth.get(_w(depth, "val")) or "0"
                level = int(stated) if stated.isdigit() else 0
        return ("" if list_id == "0" else list_id), level

    def _number(self, element: etree._Element, style: _Style) -> str:
        list_id, level = self._list_of(element, style)
        return self._numbering.count(list_id, level) if list_id else ""

    def _style_of(self, element: etree._Element) -> _Style:
        style = _child(_child(element, "pPr"), "pStyle")
        return self._styles.get(style.get(_w(style, "val")) or "" if style is not None else "", self._styles[""])

    def _gather(self, element: etree._Element, style: _Style) -> _Paragraph:
        said = _Paragraph()
        parts: list[str] = []
        self._runs(element, said, parts, style.bold, 0)
        said.text = clean_characters("".join(parts), self.dropped)
        return said

    def _runs(self, parent: etree._Element, said: _Paragraph, parts: list[str], bold: bool, depth: int) -> None:
        """Put together what the runs of a paragraph say, in `parts`."""
        if depth > DEEP:
            raise Unreadable("too_deep", "its fields and links are nested too deep to be read; flatten or remove it")
        for child in parent:
            name = local_name(child) if isinstance(child.tag, str) else ""
            if name == "r":
                self._run(child, said, parts, bold)
            elif name in _REMOVED:
                self._skip(child, "deleted_text", "delText")
            elif name in ("oMath", "oMathPara"):
                self._say("".join(t.text or "" for t in child.iter() if _is(t, "t")), said, parts, False)
            elif name in _WRAPS:
                self._runs(_choice(child), said, parts, bold, depth + 1)

    def _run(self, run: etree._Element, said: _Paragraph, parts: list[str], bold: bool) -> None:
        properties = _child(run, "rPr")
        if _is_on(properties, "vanish"):
            self._skip(run, "hidden_text")
            return
        marked = _child(properties, "b")
        bold = _is_on(properties, "b") if marked is not None else bold
        for child in _inside_choice(run):
            name = local_name(child)
            if name == "t":
                self._say(child.text or "", said, parts, bold)
            elif name in ("tab", "ptab"):
                parts.append("\t")
            elif self._begins_page(child):
                self._page += 1
                parts.append(" " if parts else "")
            elif name in ("br", "cr"):
                parts.append("\n")
            elif name == "noBreakHyphen":
                parts.append("‑")
            elif name in ("footnoteReference", "endnoteReference"):
                note = self._notes[name.removesuffix("Reference")].get(child.get(_w(child, "id")) or "")
                if note is not None:
                    self._noted += 1
                    parts.append(f" ({self._noted})" if parts and not parts[-1][-1:].isspace() else f"({self._noted})")
                    said.notes.append((f"({self._noted})", self._note_text(note)))
            elif name in ("drawing", "pict", "object"):
                said.boxes += [box for box in child.iter() if _is(box, "txbxContent") and not _is_in_box(box, child)]

    def _say(self, text: str, said: _Paragraph, parts: list[str], bold: bool) -> None:
        if text.strip():
            said.page = said.page or self._page
            said.bold += bold * len(text.replace(" ", ""))
        parts.append(text)

    def _note_text(self, note: etree._Element) -> str:
        texts = []
        for paragraph in note.iter():
            if _is(paragraph, "p"):
                parts: list[str] = []
                self._runs(paragraph, _Paragraph(), parts, False, 0)
                texts.append(" ".join("".join(parts).split()))
        return " ".join(filter(None, texts))

    # Tables

    def _table(self, table: etree._Element, depth: int) -> Iterator[Piece]:
        page = self._page
        rows = list(_rows(table))
        if (
            len(rows) == 1
            or max((sum(1 for _ in _parts(row, "tc")) for row in rows), default=0) <= 1
            or _lays_out(rows)
        ):
            for row in rows:
                for cell in _parts(row, "tc"):
                    yield from self._blocks(cell, depth + 1)
            return
        cells: list[GridCell] = []
        open_cells: dict[int, int] = {}  # column -> which of `cells` reaches down there
        notes: list[Piece] = []
        number = 0
        for row in rows:
            number += 1
            found: list[GridCell] = []
            lines: list[list[str]] = []  # of each cell in `found`
            column = 1 + _int(_child(_child(row, "trPr"), "gridBefore"), 0)
            for cell in _parts(row, "tc"):
                properties = _child(cell, "tcPr")
                wide = max(min(_int(_child(properties, "gridSpan"), 1), 200), 1)
                merge = _child(properties, "vMerge")
                said, bold = self._cell(cell, depth, notes)
                text = " ".join(filter(None, said))
                if merge is not None and merge.get(_w(merge, "val")) != "restart" and column in open_cells:
                    at = open_cells[column]
                    grown = f"{cells[at].text} {text}".strip()
                    cells[at] = replace(cells[at], rows=number - cells[at].row + 1, text=grown)
                else:
                    open_cells.pop(column, None)
                    if merge is not None:
                        open_cells[column] = len(cells) + len(found)
                    found.append(GridCell(text, number, column, 1, wide, bold))
                    lines.append(said)
                column += wide
            if stacked := _unstack(lines):
                found = [
                    replace(cell, text=text, row=number + at)
                    for at, texts in enumerate(stacked)
                    for cell, text in zip(found, texts, strict=True)
                ]
                open_cells = {}
                number += len(stacked) - 1
            cells += found
        arranged = arrange_rows(cells)
        if arranged:
            yield from build_table(arranged, self._place(page))
        yield from notes

    def _cell(self, cell: etree._Element, depth: int, notes: list[Piece]) -> tuple[list[str], bool]:
        """The lines of a cell, and whether all of it is bold; notes on it go below the table."""
        pieces = []
        letters = bold = 0
        for child in _paragraphs(cell):
            style = self._style_of(child)
            said = self._gather(child, style)
            number = self._number(child, style)
            pieces.append(f"{number} {said.text}" if number and number != "-" else said.text)
            letters += len(re.sub(r"\s", "", said.text))
            bold += said.bold
            notes += [Piece("footnote", f"{mark} {note}", place=self._place(self._page)) for mark, note in said.notes]
            for box in said.boxes:
                pieces += [piece.text for piece in self._blocks(box, depth + 1)]
        lines = [" ".join(line.split()) for piece in pieces for line in piece.split("\n")]
        while lines and not lines[-1]:
            lines.pop()
        return lines, bool(letters) and bold >= letters


# Elements


def _is(element: etree._Element, name: str) -> bool:
    return isinstance(element.tag, str) and local_name(element) == name


def _w(element: etree._Element, name: str) -> str:
    """An attribute's name in the namespace of its element."""
    space = str(element.tag).rpartition("}")[0]
    return f"{space}}}{name}" if space else name


def _child(parent: etree._Element | None, name: str) -> etree._Element | None:
    if parent is None:
        return None
    return next((child for child in parent if _is(child, name)), None)


def _int(element: etree._Element | None, otherwise: int) -> int:
    stated = element.get(_w(element, "val"), "") if element is not None else ""
    return int(stated) if stated.isdigit() else otherwise


def _is_on(properties: etree._Element | None, name: str) -> bool:
    found = _child(properties, name)
    return found is not None and (found.get(_w(found, "val")) or "on").lower() not in _OFF


def _choice(element: etree._Element) -> etree._Element:
    """What is shown of an element that wraps others: of two renderings the first."""
    if _is(element, "AlternateContent"):
        return next((child for child in element if _is(child, "Choice")), element)
    return element


def _inside_choice(run: etree._Element) -> Iterator[etree._Element]:
    for child in run:
        if _is(child, "AlternateContent"):
            yield from (part for part in _choice(child) if isinstance(part.tag, str))
        elif isinstance(child.tag, str):
            yield child


def _is_in_box(box: etree._Element, top: etree._Element) -> bool:
    """Whether a text box is inside another one, or is the rendering for old programs of one beside it."""
    for above in box.iterancestors():
        if above is top:
            return False
        if _is(above, "txbxContent") or _is(above, "Fallback"):
            return True
    return False


def _is_contents(control: etree._Element) -> bool:
    kinds = [element.get(_w(element, "val")) or "" for element in control.iter() if _is(element, "docPartGallery")]
    return any(kind.lower() == "table of contents" for kind in kinds[:1])


def _is_own(note: etree._Element) -> bool:
    """Whether a note is a text of its author, and not the line above all notes."""
    return isinstance(note.tag, str) and note.get(_w(note, "type"), "normal") == "normal"


def _count_letters(element: etree._Element, name: str = "t") -> int:
    return sum(len(part.text or "") for part in element.iter() if _is(part, name))


def _rows(table: etree._Element) -> Iterator[etree._Element]:
    """The rows of a table that are not deleted."""
    return (row for row in _parts(table, "tr") if _child(_child(row, "trPr"), "del") is None)


def _parts(parent: etree._Element, name: str) -> Iterator[etree._Element]:
    """The children of this name, also those within controls and other wraps."""
    for child in parent:
        if _is(child, name):
            yield child
        elif isinstance(child.tag, str) and local_name(child) in _WRAPS:
            yield from _parts(child, name)


def _paragraphs(parent: etree._Element) -> Iterator[etree._Element]:
    """The paragraphs of a cell, also those in tables and controls inside it."""
    for child in parent:
        if _is(child, "p"):
            yield child
        elif isinstance(child.tag, str) and local_name(child) in (*_WRAPS, "tbl", "tr", "tc"):
            yield from _paragraphs(_choice(child))


def _unstack(cells: list[list[str]]) -> list[list[str]]:
    """The rows that one row holds whose cells have figures below each other, each beside its label; [] where it is one.

    A line of currency signs alone goes with the one below it.
    """
    height = len(cells[0]) if cells else 0
    if height < 2 or len(cells) < 2 or any(len(lines) not in (0, height) for lines in cells):
        return []
    rows = [[lines[at] if lines else "" for lines in cells] for at in range(height)]
    figures = [text for row in rows for text in row[1:] if text]
    if not figures or not all(is_value(text) or PREFIX.match(text) for text in figures):
        return []
    out: list[list[str]] = []
    held: list[str] = []
    for row in rows:
        if not row[0] and all(not text or PREFIX.match(text) for text in row[1:]):
            held = row
            continue
        if not row[0]:
            return []  # a figure without a label: what is beside it belongs elsewhere
        out.append([f"{sign} {text}".strip() for sign, text in zip(held or [""] * len(row), row, strict=True)])
        held = []
    return out


def _lays_out(rows: list[etree._Element]) -> bool:
    """Whether a table only lays out text: cells with long texts of several paragraphs, or with tables of their own."""
    for row in rows:
        for cell in _parts(row, "tc"):
            paragraphs = sum(_count_letters(paragraph) > 0 for paragraph in _paragraphs(cell))
            if paragraphs > 2 and _count_letters(cell) > LONG_CELL:
                return True
            if any(_is(child, "tbl") for child in cell) and len(rows) < 3:
                return True
    return False


def _read_styles(root: etree._Element) -> dict[str, _Style]:
    """The paragraph styles by their id, with what they inherit; "" is what a paragraph has that names none."""
    elements = {style.get(_w(style, "styleId")) or "": style for style in root if _is(style, "style")}
    out: dict[str, _Style] = {}

    def resolve(style_id: str, above: int) -> _Style:
        if style_id in out or style_id not in elements or above > DEEP:
            return out.get(style_id, _Style())
        element = elements[style_id]
        based = _child(element, "basedOn")
        base = resolve(based.get(_w(based, "val")) or "", above + 1) if based is not None else _Style()
        named = _child(element, "name")
        name = (named.get(_w(named, "val")) or "") if named is not None else ""
        properties, looks = _child(element, "pPr"), _child(element, "rPr")
        heading, outline = _HEADING.fullmatch(name), _child(properties, "outlineLvl")
        level = int(heading.group(1)) if heading else base.level
        if outline is not None and not heading:
            level = _int(outline, 9) + 1 if _int(outline, 9) < 9 else 0
        lists = _child(properties, "numPr")
        number = _child(lists, "numId")
        list_id = (number.get(_w(number, "val")) or "") if number is not None else base.list_id
        bold = _is_on(looks, "b") if _child(looks, "b") is not None else base.bold
        out[style_id] = _Style(name, level, list_id, _int(_child(lists, "ilvl"), base.list_level), bold)
        return out[style_id]

    for style_id in elements:
        resolve(style_id, 0)
    usual = (i for i, e in elements.items() if e.get(_w(e, "default")) in ("1", "true") and _is_of_paragraphs(e))
    return {**out, "": out.get(next(usual, ""), _Style())}


def _is_of_paragraphs(style: etree._Element) -> bool:
    return (style.get(_w(style, "type")) or "paragraph") == "paragraph"
