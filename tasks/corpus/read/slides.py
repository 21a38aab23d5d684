"""Read PowerPoint presentations slide by slide: titles, texts, tables, figures of charts, speaker's notes."""

import io
import re
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from pathlib import PurePosixPath
from typing import Any

from lxml import etree

from rarefy.data_contracts.rows import Document
from rarefy.tasks.corpus.read.compose import Piece, clean_characters, mark_captions
from rarefy.tasks.corpus.read.grids import GridCell, arrange_rows, build_table
from rarefy.tasks.corpus.read.metadata import build_document
from rarefy.tasks.corpus.read.number_formats import format_value
from rarefy.tasks.corpus.read.numbering import write_number
from rarefy.tasks.corpus.read.office import describe_bad_part, local_name, parse_part, read_properties, repack
from rarefy.tasks.corpus.read.packages import Package
from rarefy.tasks.corpus.read.unreadable import UnpackedSize, Unreadable

PPTX = "application/vnd.openxmlformats-officedocument.presentationml.presentation"
DEEP = 60  # groups inside one another
SAME_LINE = 150_000  # English Metric Units, a sixth of an inch: what begins so near to each other stands side by side
LONGEST_TITLE = 100  # characters of a text that stands for a title where a slide has none
MOST_POINTS = 2_000  # of a chart: a longer series is a curve, and no table
_FURNITURE = ("DATE", "FOOTER", "HEADER", "SLIDE_NUMBER")
_NUMBERED = {
    "arabicPeriod": ("decimal", "{}."), "arabicParenR": ("decimal", "{})"), "arabicParenBoth": ("decimal", "({})"),
    "arabicPlain": ("decimal", "{}"), "alphaLcPeriod": ("lowerLetter", "{}."), "alphaLcParenR": ("lowerLetter", "{})"),
    "alphaLcParenBoth": ("lowerLetter", "({})"), "alphaUcPeriod": ("upperLetter", "{}."),
    "alphaUcParenR": ("upperLetter", "{})"), "romanLcPeriod": ("lowerRoman", "{}."),
    "romanUcPeriod": ("upperRoman", "{}."), "romanLcParenR": ("lowerRoman", "{})"),
}  # fmt: skip


def read_pptx(content: bytes, source: str, unpacked: UnpackedSize) -> Document:
    """The document that a presentation is. Raises Unreadable for an encrypted one and one of Office 97."""
    import pptx

    package = Package(content, unpacked)
    metadata = read_properties(package)
    dropped: Counter[str] = Counter()
    try:
        presentation = pptx.Presentation(io.BytesIO(repack(package)))
    except etree.XMLSyntaxError as error:
        raise describe_bad_part(error) from error
    pieces: list[Piece] = []
    for number, slide in enumerate(presentation.slides, start=1):
        found = list(_read_slide(slide, f"slide {number}", dropped))
        if slide.element.get("show") in ("0", "false"):
            dropped["hidden_slides"] += sum(len(piece.text) for piece in found)
        else:
            pieces += found
    titled = next((piece.text for piece in pieces if piece.kind == "heading"), "")
    title = metadata.pop("title", "") or " ".join(titled.split()) or PurePosixPath(source).stem
    return build_document(source, title, PPTX, list(mark_captions(pieces)), dropped, metadata)


def _read_slide(slide: Any, place: str, dropped: Counter[str]) -> Iterator[Piece]:
    title = slide.shapes.title
    if title is not None and not title.has_text_frame:  # a picture in the place of a title
        title = None
    text = _clean(title.text_frame.text, dropped).strip() if title is not None else ""
    pieces = [
        piece
        for shape in _in_order(slide.shapes)
        if title is None or shape.shape_id != title.shape_id
        for piece in _read_shape(shape, place, dropped, 0)
    ]
    first = pieces[0] if pieces else None
    if not text and first and first.kind == "text" and len(first.text) <= LONGEST_TITLE and "\n" not in first.text:
        text = pieces.pop(0).text
    # what has no title at all shall not stand below that of the slide before
    notes = slide.notes_slide.notes_text_frame if slide.has_notes_slide else None
    if notes is not None and (said := _clean(notes.text, dropped).strip()):
        pieces.append(Piece("text", f"Speaker notes: {said}", place=place))
    if text or pieces:
        yield Piece("heading", " ".join(text.split()) or place.capitalize(), 1, place)
    yield from pieces


def _in_order(shapes: Any) -> list[Any]:
    """The shapes from top to bottom, side by side from left to right; what has no position of its own first."""
    placed = sorted(shapes, key=lambda shape: (_edge(shape, "top"), _edge(shape, "left")))
    lines: list[list[Any]] = []
    for shape in placed:
        if lines and _edge(shape, "top") - _edge(lines[-1][0], "top") <= SAME_LINE:
            lines[-1].append(shape)
        else:
            lines.append([shape])
    return [shape for line in lines for shape in sorted(line, key=lambda shape: _edge(shape, "left"))]


def _edge(shape: Any, name: str) -> int:
    try:
        return int(getattr(shape, name) or 0)
    except (AttributeError, KeyError, ValueError):  # a placeholder whose layout does not know it
        return 0


def _read_shape(shape: Any, place: str, dropped: Counter[str], depth: int) -> Iterator[Piece]:
    from pptx.shapes.group import GroupShape

    if depth > DEEP:
        raise Unreadable("too_deep", "its groups are nested too deep to be read; flatten them or remove it")
    if isinstance(shape, GroupShape):
        for inner in _in_order(shape.shapes):
            yield from _read_shape(inner, place, dropped, depth + 1)
    elif getattr(shape, "has_table", False) and shape.has_table:
        yield from _read_table(shape.table, place, dropped)
    elif getattr(shape, "has_chart", False) and shape.has_chart:
        yield from _read_chart(shape.chart, place, dropped)
    elif getattr(shape, "has_text_frame", False) and shape.has_text_frame:
        if shape.is_placeholder and shape.placeholder_format.type is not None:
            kind = shape.placeholder_format.type.name
            if kind in _FURNITURE:
                dropped["headers_and_footers"] += len(shape.text_frame.text)
                return
        text = _read_frame(shape, dropped)
        if text.strip():
            yield Piece("text", text, place=place)
    else:
        yield from _read_diagram(shape, place, dropped)


def _read_frame(shape: Any, dropped: Counter[str]) -> str:
    """The paragraphs of a shape, one a line; those of a list with their marks."""
    paragraphs = [p for p in shape.text_frame.paragraphs if p.text.strip()]
    listed = shape.is_placeholder and len(paragraphs) > 1 and _is_body(shape)
    counts: dict[int, int] = {}
    lines = []
    for paragraph in paragraphs:
        mark = "-" if listed or paragraph.level else ""
        for element in paragraph._p.pPr if paragraph._p.pPr is not None else ():
            if local_name(element) == "buNone":
                mark = ""
            elif local_name(element) == "buChar":
                mark = "-"
            elif local_name(element) == "buAutoNum":
                begin = int(element.get("startAt") or 1)
                counts[paragraph.level] = counts.get(paragraph.level, begin - 1) + 1
                kind, pattern = _NUMBERED.get(element.get("type") or "", ("decimal", "{}."))
                mark = pattern.format(write_number(counts[paragraph.level], kind))
        for lower in [level for level in counts if level > paragraph.level]:
            del counts[lower]
        text = " ".join(_clean(paragraph.text, dropped).split())
        lines.append(f"{mark} {text}" if mark else text)
    return "\n".join(lines)


def _is_body(shape: Any) -> bool:
    """Whether it is a placeholder whose paragraphs are points of a list, unless they say otherwise."""
    kind = shape.placeholder_format.type
    return kind is not None and kind.name in ("BODY", "OBJECT")


def _read_table(table: Any, place: str, dropped: Counter[str]) -> Iterator[Piece]:
    cells = []
    for number, row in enumerate(table.rows, start=1):
        for column, cell in enumerate(row.cells, start=1):
            if cell.is_spanned:
                continue
            text = " ".join(_clean(cell.text, dropped).split())
            tall, wide = (cell.span_height, cell.span_width) if cell.is_merge_origin else (1, 1)
            bold = all(run.font.bold for p in cell.text_frame.paragraphs for run in p.runs) and bool(text)
            cells.append(GridCell(text, number, column, tall, wide, bold or (number == 1 and table.first_row)))
    if rows := arrange_rows(cells):
        yield from build_table(rows, place)


def _read_chart(chart: Any, place: str, dropped: Counter[str]) -> Iterator[Piece]:
    """The figures that a chart keeps of what it draws: a row for each category, a column for each series."""
    if chart.has_title and chart.chart_title.has_text_frame:
        title = " ".join(_clean(chart.chart_title.text_frame.text, dropped).split())
        yield Piece("caption", title, place=place)
    names, columns, categories = [], [], list[str]()
    for series in chart._chartSpace.iter():  # the library's own series are those of the commoner kinds of charts
        if not isinstance(series.tag, str) or local_name(series) != "ser":
            continue
        points, shown = _read_series(series)
        if points:
            name = next((part for part in series if local_name(part) == "tx"), ())
            names.append(_clean(" ".join(e.text or "" for part in name for e in part.iter() if _is_value(e)), dropped))
            columns.append(points)
            categories = categories or shown
    if not columns:
        return
    cells = [GridCell(" ".join(name.split()), 1, 2 + n, bold=True) for n, name in enumerate(names)]
    for row in range(max(max(points) for points in columns) + 1):
        if row < len(categories):
            cells.append(GridCell(" ".join(_clean(categories[row], dropped).split()), 2 + row, 1))
        cells += [GridCell(points[row], 2 + row, 2 + n) for n, points in enumerate(columns) if row in points]
    yield from build_table(arrange_rows(cells), place)


def _is_value(element: Any) -> bool:
    return isinstance(element.tag, str) and local_name(element) == "v"


def _read_series(series: Any) -> tuple[dict[int, str], list[str]]:
    """The stored figures of a series by their number, as they are shown, and what stands below them on the axis."""
    found: dict[str, dict[int, str]] = {"val": {}, "cat": {}}
    for part in series:
        kind = {"val": "val", "yVal": "val", "cat": "cat", "xVal": "cat"}.get(local_name(part))
        if not kind:
            continue
        levels = [e for e in part.iter() if local_name(e) == "lvl"]  # the first are the narrowest names
        cache = levels[0] if levels else part
        code = next((e.text or "" for e in part.iter() if local_name(e) == "formatCode"), "General")
        for point in cache.iter():
            index = point.get("idx") if local_name(point) == "pt" else None
            value = next((e.text or "" for e in point if local_name(e) == "v"), "") if index else ""
            if index and index.isdigit() and int(index) <= MOST_POINTS:
                found[kind][int(index)] = _show(value, code)
    names = found["cat"]
    return found["val"], [names.get(n, "") for n in range(max(names, default=-1) + 1)]


def _show(value: str, number_format: str) -> str:
    try:
        number = float(value)
    except ValueError:
        return value
    if re.search(r"[ymd]", re.sub(r'"[^"]*"|\[[^\]]*\]', "", number_format), re.I) and number_format != "General":
        from openpyxl.utils.datetime import from_excel

        return format_value(from_excel(number), number_format)
    return format_value(int(number) if number.is_integer() else number, number_format)


def _read_diagram(shape: Any, place: str, dropped: Counter[str]) -> Iterator[Piece]:
    """The words of SmartArt, which lie in a part of their own, in the order they were entered."""
    if local_name(shape.element) != "graphicFrame":
        return
    for element in shape.element.iter():
        if not isinstance(element.tag, str) or local_name(element) != "relIds":
            continue
        relation = next((value for name, value in element.attrib.items() if name.endswith("}dm")), "")
        with suppress(KeyError):
            root = parse_part(shape.part.related_part(relation).blob)
            lines = []
            for point in root.iter():
                if isinstance(point.tag, str) and local_name(point) == "pt":
                    said = (part for part in point.iter() if isinstance(part.tag, str) and local_name(part) == "t")
                    if text := " ".join(_clean("".join(part.text or "" for part in said), dropped).split()):
                        lines.append(f"- {text}")
            if lines:
                yield Piece("text", "\n".join(lines), place=place)


def _clean(text: str, dropped: Counter[str]) -> str:
    """Characters cleaned; a line break inside a paragraph, which PowerPoint stores as a tab down, is one."""
    return clean_characters(text.replace("\x0b", "\n"), dropped)
