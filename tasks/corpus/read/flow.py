"""From an HTML tree to what a reader sees: paragraphs with their looks, tables with their cells, page breaks."""

import re
from dataclasses import dataclass, field

from lxml import etree

from rarefy.tasks.corpus.read.looks import (
    BLOCKS,
    UNSEEN,
    Looks,
    changed,
    footnote_mark,
    name_of,
    pictured,
    place_of,
    style_of,
)
from rarefy.tasks.corpus.read.marks import LIMIT, closing, opening, plain, split_marks, squeeze


@dataclass(slots=True)
class Paragraph:
    """A run of text between two breaks, and how most of it looks. `text` is marked (tasks/corpus/read/marks.py)."""

    text: str
    bold: bool = False
    italic: bool = False
    underlined: bool = False
    linked: bool = False  # all of it leads to another place of the same document
    centred: bool = False
    size: float = 10.0  # points
    indent: float = 0.0
    listed: bool = False  # an item of a list
    heading: int = 0  # level that the source itself gives (h1..h6)
    row: bool = False  # was laid out by a table of its own
    place: tuple[float, float] | None = None  # from top and left, in points, where the source sets it there


@dataclass(slots=True)
class Cell:
    """A table cell: what stands in it, and how many columns and rows it takes."""

    content: "list[Paragraph | Table | PageBreak]" = field(default_factory=list)
    colspan: int = 1
    rowspan: int = 1
    heading: bool = False
    ruled: bool = False  # a line below it


@dataclass(slots=True)
class Table:
    """Rows of cells, as written."""

    rows: list[list[Cell]] = field(default_factory=list)


@dataclass(slots=True)
class PageBreak:
    """Where the printed page ends."""


Flow = list[Paragraph | Table | PageBreak]


def _spans(element: etree._Element, name: str, most: int) -> int:
    found = re.match(r"\s*(\d{1,9})", element.get(name) or "")
    return min(max(int(found.group(1)), 1), most) if found else 1


class Reader:
    """Walks a tree once. `flow` is what was seen, `values` the elements of the tagged values in the order of marks."""

    def __init__(self) -> None:
        self.flow: Flow = []
        self.values: list[etree._Element] = []
        self._into: Flow = self.flow  # the cell or the page that is being filled
        self._tables: list[tuple[Table, Flow]] = []
        self._pieces: list[str] = []
        self._weights = [0, 0, 0, 0, 0]  # letters in all, bold, italic, underlined, linked
        self._size = 0.0
        self._looks = Looks()
        self._list = False
        self._numbers: dict[etree._Element, int] = {}
        self._place: tuple[float, float] | None = None
        self._mid_mark = False  # what was said last was raised, as a footnote's mark is

    def read(self, root: etree._Element) -> None:
        """Fill `flow` and `values` from this tree."""
        looks = [Looks()]
        skipped: etree._Element | None = None
        for event, element in etree.iterwalk(root, events=("start", "end")):
            name = name_of(element.tag)
            if event == "start":
                if skipped is not None:
                    continue
                style = style_of(element.get("style") or "")
                if name in UNSEEN or style.get("display") == "none" or style.get("visibility") == "hidden":
                    skipped = element
                    continue
                looks.append(changed(looks[-1], name, element, style))
                self._open(name, element, style, looks[-1])
                if element.text:
                    self._say(element.text, looks[-1])
            else:
                if skipped is element:
                    skipped = None
                elif skipped is not None:
                    continue
                else:
                    self._close(name, element, looks.pop())
                if element.tail and element is not root:
                    self._say(element.tail, looks[-1])
        self._flush()

    def _open(self, name: str, element: etree._Element, style: dict[str, str], looks: Looks) -> None:
        if (place := place_of(style)) and not self._tables:
            self._flush()
            self._place = place
        if name in BLOCKS or style.get("display") == "block":
            self._flush()
            self._looks = looks
            if name == "li":
                self._list = True
            if style.get("page-break-before", style.get("break-before")) in ("always", "page") and name != "tr":
                self._break_page()
        elif name == "br":
            self._flush()
        elif name == "hr":
            self._flush()
            if style.get("page-break-after") == "always" or style.get("break-after") == "page":
                self._break_page()
        elif name == "page":  # of the SEC's early tag set
            self._flush()
            self._break_page()
        elif name == "table":
            self._flush()
            table = Table()
            self._into.append(table)
            self._tables.append((table, self._into))
        elif name in ("td", "th") and self._tables:
            self._flush()
            table = self._tables[-1][0]
            if not table.rows:
                table.rows.append([])
            ruled = "border-bottom" in style and not style["border-bottom"].startswith(("0", "none"))
            cell = Cell([], _spans(element, "colspan", 400), _spans(element, "rowspan", 200), name == "th", ruled)
            table.rows[-1].append(cell)
            self._into = cell.content
            self._looks = looks
        elif name in ("ix:nonfraction", "ix:nonnumeric") and len(self.values) < LIMIT:
            self._pieces.append(opening(len(self.values)))
            self._numbers[element] = len(self.values)
            self.values.append(element)
        if name == "tr" and self._tables:
            self._tables[-1][0].rows.append([])
            self._into = []  # what stands between the cells of a row is shown nowhere

    def _close(self, name: str, element: etree._Element, looks: Looks) -> None:
        style = style_of(element.get("style") or "")
        if element in self._numbers:
            self._pieces.append(closing(self._numbers[element]))
        if self._place and place_of(style):
            self._flush()
            self._place = None
        if name == "table" and self._tables:
            self._flush()
            self._into = self._tables.pop()[1]
        elif name in ("td", "th") and self._tables:
            self._flush()
            self._into = []
        elif name in BLOCKS or style.get("display") == "block":
            self._flush()
            self._list = False
            if name != "tr" and style.get("page-break-after", style.get("break-after")) in ("always", "page"):
                self._break_page()

    def _break_page(self) -> None:
        if not self._tables:
            self.flow.append(PageBreak())

    def _say(self, text: str, looks: Looks) -> None:
        if looks.symbol:
            text = pictured(text, looks.symbol)
        mark = text.strip() if looks.raised else ""
        if mark and not self._mid_mark:
            text = footnote_mark(mark)
        if looks.preformatted and "\n" in text:
            first, *lines = text.split("\n")
            self._say(first, looks._replace(preformatted=False))
            for line in lines:
                if not line.strip() or re.search(r"\S {3,}\S", line):
                    self._flush()  # a blank line parts paragraphs, columns are lines of their own
                self._say(f" {line}", looks._replace(preformatted=False))
            return
        if text.strip():
            self._mid_mark = bool(mark)
        if not self._weights[0]:
            self._looks = looks
        self._pieces.append(text)
        if letters := sum(map(len, text.split())):
            weights = self._weights
            weights[0] += letters
            weights[1] += letters * looks.bold
            weights[2] += letters * looks.italic
            weights[3] += letters * looks.underlined
            weights[4] += letters * looks.linked
            self._size = max(self._size, looks.size)

    def _flush(self) -> None:
        if not self._pieces:
            return
        line = squeeze("".join(self._pieces))
        self._pieces = []
        if not plain(line).strip():
            # marks alone: a value of the paragraph before ends here, one of the next begins
            opened, closed = split_marks(line)
            self._pieces.extend(opened)
            if closed and self._into and isinstance(self._into[-1], Paragraph):
                self._into[-1].text += closed
            return
        total, bold, italic, under, linked = self._weights
        looks = self._looks
        most = 0.8 * total
        self._into.append(
            Paragraph(
                line, bold >= most, italic >= most, under >= most, linked >= most, looks.centred,
                self._size, looks.indent, self._list, looks.heading, False, self._place,
            )
        )  # fmt: skip
        self._weights = [0, 0, 0, 0, 0]
        self._size = 0.0
        self._list = False
