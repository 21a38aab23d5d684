"""Turn an HTML tree into the paragraphs, tables and page breaks that a reader sees."""

import re
from dataclasses import dataclass, field
from functools import lru_cache
from typing import NamedTuple

from lxml import etree

from rarefy.tasks.corpus.read.compose import leads_elsewhere

# Marks around tagged values and links

# One character opens value number i and one closes it: the two planes of Unicode that are set aside for private use.
_OPEN, _CLOSE = 0xF0000, 0x100000
LIMIT = 0xFFFD  # marks per document; the largest filings have about 10,000 tagged values
LINKS = 10_000  # of them for links, the last ones
_MARK = re.compile("[\U000f0000-\U0010ffff]")
_SPACED = re.compile("[\U000f0000-\U0010ffff]*[\\s\u200b\ufeff][\\s\u200b\ufeff\U000f0000-\U0010ffff]*")


def open_mark(number: int) -> str:
    """The mark before value `number`."""
    return chr(_OPEN + number)


def close_mark(number: int) -> str:
    """The mark after value `number`."""
    return chr(_CLOSE + number)


def plain(marked: str) -> str:
    """The text without its marks."""
    return marked if marked.isascii() else _MARK.sub("", marked)


def squeeze_spaces(marked: str) -> str:
    """The text with every stretch of white space as one space, none at its ends, and marks tight around their value."""
    if not _MARK.search(marked):
        return " ".join(marked.replace("\u200b", " ").replace("\ufeff", " ").split())
    return _SPACED.sub(_one_space, f" {marked} ").strip(" ")


def resolve_marks(marked: str) -> tuple[str, dict[int, tuple[int, int]]]:
    """The plain text, and the span in it of each value that is shown; a value repeated keeps its first place."""
    starts: dict[int, int] = {}
    spans: dict[int, tuple[int, int]] = {}
    pieces: list[str] = []
    length = last = 0
    for mark in _MARK.finditer(marked):
        pieces.append(marked[last : mark.start()])
        length += mark.start() - last
        last = mark.end()
        code = ord(mark.group())
        if code < _CLOSE:
            starts.setdefault(code - _OPEN, length)
        elif (number := code - _CLOSE) in starts and number not in spans and length > starts[number]:
            spans[number] = (starts[number], length)
    pieces.append(marked[last:])
    return "".join(pieces), spans


def split_marks(marked: str) -> tuple[str, str]:
    """The marks in it that open a value, and those that close one."""
    marks = _MARK.findall(marked)
    closed = "".join(mark for mark in marks if ord(mark) >= _CLOSE)
    return "".join(mark for mark in marks if ord(mark) < _CLOSE), closed


def _one_space(found: re.Match[str]) -> str:
    opened, closed = split_marks(found.group())
    return f"{closed} {opened}"


# Looks: bold, raised, centred, hidden


class Looks(NamedTuple):
    """Typographic properties that an element inherits from those around it."""

    bold: bool = False
    italic: bool = False
    underlined: bool = False
    linked: bool = False
    centred: bool = False
    raised: bool = False
    size: float = 10.0
    indent: float = 0.0
    symbol: str = ""  # wingdings | symbol: a font whose letters are pictures
    heading: int = 0
    preformatted: bool = False


BLOCKS = frozenset(
    "p div h1 h2 h3 h4 h5 h6 center blockquote pre ul ol dl dt dd li body html section article header footer form "
    "fieldset address main nav aside caption figure figcaption tr thead tbody tfoot".split()
)
UNSEEN = frozenset("head title script style ix:header ix:hidden noscript object iframe select button".split())
_WINGDINGS = {"\x78": "☒", "\xa8": "☐", "\xfe": "☒", "\x6f": "☐", "\xfd": "☒", "\x71": "☐", "\xa7": "▪", "\x6c": "●"}
_WINGDINGS |= {"\x6e": "■", "\x77": "◆", "\x75": "◆", "\xd8": "➢", "\xfc": "✓", "\x9f": "•"}
_SYMBOL = {"\xb7": "•", "\xa8": "◆", "\xd2": "®", "\xd3": "©", "\xd4": "™", "\xe2": "®", "\xe4": "™"}
_PICTURES = {"wingdings": str.maketrans(_WINGDINGS), "symbol": str.maketrans(_SYMBOL)}
_FONT_SIZES = {"1": 7.5, "2": 10.0, "3": 12.0, "4": 13.5, "5": 18.0, "6": 24.0, "7": 36.0}
_ORDINAL = re.compile(r"^(st|nd|rd|th|[®™©℠]|SM|TM|\d*[./]\d+)$", re.I)
_RAISED = re.compile(r"[1-9]|0?\.[1-9]")
_NOTE_MARK = re.compile(r"^[(\[]?(\d{1,2}|[a-zA-Z]|[ivx]{1,4})[)\]]?$")


@lru_cache(maxsize=65536)
def parse_style(text: str) -> dict[str, str]:
    """The properties of a style attribute, lower case."""
    pairs = (part.partition(":") for part in text.lower().split(";"))
    return {name.strip(): value.strip() for name, _, value in pairs if value}


def to_points(value: str, now: float = 10.0) -> float:
    """A length in points; `now` is what a percentage is of, and the answer for what is no length."""
    number = re.match(r"-?\d*\.?\d+", value)
    if not number:
        return now
    factor = {"px": 0.75, "em": 10.0, "rem": 10.0, "in": 72.0, "cm": 28.35, "mm": 2.835, "%": now / 100}
    return float(number.group()) * factor.get(value[number.end() :].strip(), 1.0)


def absolute_place(style: dict[str, str]) -> tuple[float, float] | None:
    """How far from top and left of its page a text is put, in points; None where it flows."""
    if style.get("position") != "absolute" or "top" not in style or "left" not in style:
        return None
    return to_points(style["top"], 0.0), to_points(style["left"], 0.0)


@lru_cache(maxsize=4096)
def local_name(tag: str) -> str:
    """The element's name without its namespace, lower case, but `ix:` kept: `{…}nonFraction` is `ix:nonfraction`."""
    if tag.startswith("{"):
        space, _, local = tag[1:].partition("}")
        return f"ix:{local.lower()}" if "inlineXBRL" in space else local.lower()
    prefix, _, local = tag.lower().rpartition(":")
    return f"ix:{local}" if prefix == "ix" else local


def inherit_looks(now: Looks, name: str, element: etree._Element, style: dict[str, str]) -> Looks:
    """The looks inside an element: `now`, with what its name, attributes and style change."""
    change: dict[str, object] = {}
    if name in ("b", "strong", "th"):
        change["bold"] = True
    elif name in ("i", "em"):
        change["italic"] = True
    elif name == "u":
        change["underlined"] = True
    elif name == "sup":
        change["raised"] = True
    elif name == "a" and (element.get("href") or "").startswith("#"):
        change["linked"] = True
    elif name == "center":
        change["centred"] = True
    elif name == "pre":
        change["preformatted"] = True
    elif name in ("td", "th"):
        change |= {"indent": 0.0, "centred": False}
    elif len(name) == 2 and name[0] == "h" and name[1].isdigit():
        change |= {"heading": int(name[1]), "bold": True}
    elif name == "font":
        face = (element.get("face") or "").lower()
        change["symbol"] = "wingdings" if "wingdings" in face else "symbol" if face == "symbol" else now.symbol
        if (size := element.get("size") or "") in _FONT_SIZES:
            change["size"] = _FONT_SIZES[size]
    if align := element.get("align"):
        change["centred"] = align.lower() == "center"
    if style:
        _change_by_style(name, now, style, change)
    return now._replace(**change) if change else now  # type: ignore[arg-type]


def _change_by_style(name: str, now: Looks, style: dict[str, str], change: dict[str, object]) -> None:
    if weight := style.get("font-weight"):
        change["bold"] = weight in ("bold", "bolder") or (weight.isdecimal() and len(weight) < 5 and int(weight) >= 600)
    if slope := style.get("font-style"):
        change["italic"] = slope in ("italic", "oblique")
    if "underline" in style.get("text-decoration", ""):
        change["underlined"] = True
    if size := style.get("font-size"):
        change["size"] = to_points(size, now.size)
    if name in BLOCKS or name in ("td", "th", "table"):
        change["raised"] = False
    elif (
        (height := style.get("vertical-align", "")) in ("super", "text-top")
        or _RAISED.match(height)
        or (style.get("position") == "relative" and style.get("top", "").startswith("-"))
    ):
        change["raised"] = True
    if align := style.get("text-align"):
        change["centred"] = align == "center"
    if family := style.get("font-family"):
        change["symbol"] = "wingdings" if "wingdings" in family else "symbol" if family == "symbol" else ""
    for side in ("margin-left", "padding-left", "text-indent"):
        if side in style:
            before = change.get("indent", now.indent)
            change["indent"] = to_points(style[side], 0.0) + (before if isinstance(before, float) else 0.0)


def translate_pictures(text: str, font: str) -> str:
    """The characters that the letters of a picture font show."""
    return text.translate(_PICTURES[font])


def format_raised(raised: str) -> str:
    """A raised text as it stands in a line: "1" after a label is " (1)"; an ordinal's "th" and a trade mark stay."""
    if _ORDINAL.match(raised):
        return raised
    marks = [mark.strip() for mark in raised.split(",")]
    if all(mark.isalnum() and _NOTE_MARK.match(mark) for mark in marks):
        return " " + ", ".join(f"({mark})" for mark in marks)
    return f" {raised}"


# Paragraphs, tables and page breaks


@dataclass(slots=True)
class Paragraph:
    """A run of text between two breaks, and how most of it looks. `text` is marked (see `open_mark`)."""

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
    """Walk a tree once: `flow` is what a reader sees, `values` the tagged elements in the order of their marks.

    `links` are the targets of links in running text by the numbers of their marks. What begins a paragraph or stands
    in a table is mostly a menu's, and is none of them.
    """

    def __init__(self) -> None:
        self.flow: Flow = []
        self.values: list[etree._Element] = []
        self.links: dict[int, str] = {}
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
            name = local_name(element.tag)
            if event == "start":
                if skipped is not None:
                    continue
                style = parse_style(element.get("style") or "")
                if name in UNSEEN or style.get("display") == "none" or style.get("visibility") == "hidden":
                    skipped = element
                    continue
                looks.append(inherit_looks(looks[-1], name, element, style))
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
        if (place := absolute_place(style)) and not self._tables:
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
        elif name in ("ix:nonfraction", "ix:nonnumeric") and len(self.values) < LIMIT - LINKS:
            self._open_mark(element, len(self.values))
            self.values.append(element)
        elif name == "a" and not self._tables and self._weights[0] and len(self.links) < LINKS:
            target = (element.get("href") or "").strip()
            if leads_elsewhere(target):
                number = LIMIT - LINKS + len(self.links)
                self._open_mark(element, number)
                self.links[number] = target
        if name == "tr" and self._tables:
            self._tables[-1][0].rows.append([])
            self._into = []  # what stands between the cells of a row is shown nowhere

    def _open_mark(self, element: etree._Element, number: int) -> None:
        self._pieces.append(open_mark(number))
        self._numbers[element] = number

    def _close(self, name: str, element: etree._Element, looks: Looks) -> None:
        style = parse_style(element.get("style") or "")
        if element in self._numbers:
            self._pieces.append(close_mark(self._numbers[element]))
        if self._place and absolute_place(style):
            self._flush()
            self._place = None
        if name == "table" and self._tables:
            self._flush()
            self._into = self._tables.pop()[1]
        elif name == "caption" and self._tables and self._into is self._tables[-1][1]:
            self._flush()
            table = self._tables[-1][0]
            self._into[:] = [*(part for part in self._into if part is not table), table]  # its title stands before it
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
            text = translate_pictures(text, looks.symbol)
        mark = text.strip() if looks.raised else ""
        if mark and not self._mid_mark:
            text = format_raised(mark)
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
        line = squeeze_spaces("".join(self._pieces))
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
