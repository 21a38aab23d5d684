"""Read Excel workbooks: every visible sheet as tables and texts, as a person sees them, with the places of cells."""

import io
import re
import warnings
import zipfile
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any

from lxml import etree

from rarefy.data_contracts.rows import Document
from rarefy.tasks.corpus.places import column_letters, column_number
from rarefy.tasks.corpus.read.compose import Piece, clean_characters, mark_captions
from rarefy.tasks.corpus.read.grids import GridCell, arrange_rows
from rarefy.tasks.corpus.read.metadata import build_document
from rarefy.tasks.corpus.read.number_formats import format_value
from rarefy.tasks.corpus.read.office import local_name, read_properties, repack
from rarefy.tasks.corpus.read.packages import Package
from rarefy.tasks.corpus.read.regions import find_pieces
from rarefy.tasks.corpus.read.unreadable import UnpackedSize, Unreadable

XLSX = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
LAST_ROW, LAST_COLUMN = 1_048_576, 16_384
_SHEET = re.compile(r"/?xl/worksheets/[^/]+\.xml", re.I)
_RANGE = re.compile(r"\$?([A-Z]{1,3})\$?(\d+)(?::\$?([A-Z]{1,3})\$?(\d+))?")
_PLAIN_NAME = re.compile(r"[^\W\d][\w.]*")
_LIKE_CELL = re.compile(r"[A-Z]{1,3}\d{1,7}|R\d*C?\d*|C\d*", re.I)
# Merged cells and links of many cells, which the library visits one by one
SPANNED = 10  # times the cells that are allowed


@dataclass(slots=True)
class _Survey:
    """What the sheets of a workbook hold, before the library reads them."""

    cells: int = 0
    spanned: int = 0  # cells in ranges that are merged or linked
    formulas: int = 0
    unvalued: int = 0  # formulas without a stored value
    numbers: int = 0  # stored values that are no text


def read_xlsx(content: bytes, source: str, unpacked: UnpackedSize, max_cells: int, max_characters: int) -> Document:
    """The document that a workbook is.

    Raises Unreadable: encrypted, of Office 97, over the limits, or formulas alone that were never calculated.
    """
    package = Package(content, unpacked)
    packed = repack(package)
    survey = _survey_sheets(packed, max_cells)
    if survey.unvalued and not survey.numbers and survey.unvalued == survey.formulas:
        raise Unreadable(
            "no_stored_values",
            f"its {survey.formulas:,} formulas have no stored values, and no other cell holds a figure; open it in "
            "Excel or LibreOffice and save it, so that what they come to is stored",
        )
    metadata = read_properties(package)
    dropped: Counter[str] = Counter()
    pieces = list(mark_captions(_read_workbook(packed, dropped, max_characters)))
    if survey.unvalued:
        metadata["formulas_without_value"] = str(survey.unvalued)
    title = metadata.pop("title", "") or PurePosixPath(source).stem
    return build_document(source, title, XLSX, pieces, dropped, metadata)


def _survey_sheets(content: bytes, max_cells: int) -> _Survey:
    survey = _Survey()
    package = zipfile.ZipFile(io.BytesIO(content))  # written by `repack`: its bytes are counted
    for name in package.namelist():
        if not _SHEET.fullmatch(name):
            continue
        for _, element in etree.iterparse(
            io.BytesIO(package.read(name)), resolve_entities=False, no_network=True, huge_tree=True, recover=True
        ):
            tag = local_name(element) if isinstance(element.tag, str) else ""
            if tag == "c":
                _count_cell(element, survey)
            elif tag in ("mergeCell", "hyperlink"):
                survey.spanned += _area(element.get("ref") or "")
            if tag in ("c", "row", "mergeCell", "hyperlink"):
                element.clear()
            if survey.cells > max_cells or survey.spanned > SPANNED * max_cells:
                raise Unreadable(
                    "too_large",
                    f"its sheets hold more than {max_cells:,} cells (or merge {SPANNED} times as many); split the "
                    "workbook or raise read.max_cells",
                )
    return survey


def _count_cell(element: etree._Element, survey: _Survey) -> None:
    survey.cells += 1
    parts = {local_name(child): child.text or "" for child in element if isinstance(child.tag, str)}
    if "f" in parts:
        survey.formulas += 1
        survey.unvalued += not parts.get("v")
    survey.numbers += bool(parts.get("v")) and element.get("t", "n") in ("n", "d", "b", "str")


def _area(reference: str) -> int:
    """How many cells a reference is over."""
    found = _RANGE.fullmatch(reference)
    if not found:
        return 0
    left, top, right, bottom = found.groups()
    if right is None:
        return 1
    return (abs(column_number(right) - column_number(left)) + 1) * (abs(int(bottom) - int(top)) + 1)


def sheet_prefix(name: str) -> str:
    """What Excel writes before the cells of a sheet: its name, in quotation marks where it is no word, and "!"."""
    if _PLAIN_NAME.fullmatch(name) and not _LIKE_CELL.fullmatch(name):
        return f"{name}!"
    return "'" + name.replace("'", "''") + "'!"


def _read_workbook(content: bytes, dropped: Counter[str], max_characters: int) -> list[Piece]:
    import openpyxl

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # what it does not read (pictures, validations) is nothing for us
        workbook = openpyxl.load_workbook(io.BytesIO(content), data_only=True, keep_links=False)
    pieces: list[Piece] = []
    length = 0
    for sheet in workbook.worksheets:
        cells = []
        for cell in _read_cells(sheet, dropped):
            length += len(cell.text)
            if length > max_characters:  # one long text may stand in every cell, and is stored once
                raise Unreadable(
                    "too_large",
                    f"its cells show more than {max_characters:,} characters; split the workbook or raise "
                    "read.max_characters",
                )
            cells.append(cell)
        if sheet.sheet_state == "visible":
            pieces += _read_sheet(sheet, cells, dropped)
        else:
            dropped["hidden_cells"] += sum(len(cell.text) for cell in cells)
    return pieces


def _read_sheet(sheet: Any, cells: list[GridCell], dropped: Counter[str]) -> list[Piece]:
    rows, columns = _find_hidden(sheet)
    shown = []
    for cell in cells:
        if cell.row in rows or cell.column in columns:
            dropped["hidden_cells"] += len(cell.text)
        else:
            shown.append(cell)
    if not shown:
        return []
    prefix = sheet_prefix(sheet.title)

    def name_range(top: int, left: int, bottom: int, right: int) -> str:
        return f"{prefix}{column_letters(left)}{top}:{column_letters(right)}{bottom}"

    found = find_pieces(arrange_rows(shown), rows, name_range, side_by_side=True)
    return [Piece("heading", sheet.title, 1), *found]


def _find_hidden(sheet: Any) -> tuple[frozenset[int], frozenset[int]]:
    """The rows and columns that are not shown."""
    rows = frozenset(number for number, row in sheet.row_dimensions.items() if row.hidden or row.height == 0)
    columns: set[int] = set()
    for name, column in sheet.column_dimensions.items():
        if column.hidden:
            first = column.min or column_number(name)
            columns.update(range(first, min(column.max or first, LAST_COLUMN) + 1))
    return rows, frozenset(columns)


def _read_cells(sheet: Any, dropped: Counter[str]) -> Iterator[GridCell]:
    """The filled cells of a sheet, row by row."""
    spans = {(area.min_row, area.min_col): area for area in sheet.merged_cells.ranges}
    prefix = sheet_prefix(sheet.title)
    for row, column in sorted(sheet._cells):  # iter_rows would go through every cell of the largest rectangle
        cell = sheet._cells[row, column]
        if cell.value is None:
            continue
        text = " ".join(clean_characters(format_value(_plain(cell.value), cell.number_format), dropped).split())
        if not text:
            continue
        area = spans.get((row, column))
        yield GridCell(
            text,
            row,
            column,
            area.max_row - row + 1 if area else 1,
            area.max_col - column + 1 if area else 1,
            bool(cell.font and cell.font.b),
            f"{prefix}{column_letters(column)}{row}",
        )


def _plain(value: Any) -> Any:
    """The value of a cell, text where it is an object of the library (an array formula without a value)."""
    import datetime

    known = (str, bool, int, float, datetime.datetime, datetime.date, datetime.time, datetime.timedelta)
    return value if isinstance(value, known) else str(value)
