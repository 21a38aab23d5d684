import datetime
import io
import zipfile
from collections.abc import Callable
from pathlib import Path

import openpyxl
import pytest
from openpyxl.worksheet.worksheet import Worksheet

from rarefy.data_contracts.rows import Document, Quarantined
from rarefy.tasks.corpus.read import ReadConfig, read_corpus
from rarefy.tasks.corpus.read.sheets import column_letters, read_xlsx, sheet_prefix
from rarefy.tasks.corpus.read.unreadable import UnpackedSize, Unreadable

SALES = [["Region", "2023", "2024"], ["North", 1200, 1340.5], ["South", -80, 95]]


def workbook(fill: Callable[[Worksheet], object], title: str = "Sales") -> bytes:
    book = openpyxl.Workbook()
    book.active.title = title
    fill(book.active)
    out = io.BytesIO()
    book.save(out)
    return out.getvalue()


def put(rows: list[list[object]], sheet: Worksheet, row: int = 1, column: int = 1) -> None:
    for down, values in enumerate(rows):
        for right, value in enumerate(values):
            sheet.cell(row + down, column + right).value = value


def read(content: bytes, max_cells: int = 10_000, max_characters: int = 100_000) -> Document:
    return read_xlsx(content, "books/q.xlsx", UnpackedSize(len(content), 10**9, 200), max_cells, max_characters)


def shown(document: Document) -> dict[str, str]:
    """What stands at each place."""
    return {place.name: document.text[place.start : place.end] for place in document.places}


def test_a_table_has_its_values_as_they_are_shown_and_each_of_its_cells_a_place() -> None:
    def fill(sheet: Worksheet) -> None:
        put([["Sales by region"], ["In millions of EUR"]], sheet)
        put(SALES, sheet, row=4)
        sheet["B6"].number_format = "#,##0_);(#,##0)"
        sheet["B5"].number_format = "#,##0"
        sheet["C5"].number_format = "[$€-407] #,##0.00"

    document = read(workbook(fill, "Q 1"))
    assert document.text.split("\n\n") == [
        "# Q 1",
        "Sales by region",
        "In millions of EUR",
        "| Region | 2023 | 2024 |\n|---|---|---|\n| North | 1,200 | € 1,340.50 |\n| South | (80) | 95 |",
    ]
    assert [block.kind for block in document.blocks] == ["heading", "caption", "caption", "table"]
    places = shown(document)
    assert places["'Q 1'!C5"] == "€ 1,340.50" and places["'Q 1'!B6"] == "(80)" and places["'Q 1'!A4"] == "Region"
    assert places["'Q 1'!A2"] == "In millions of EUR" and places["'Q 1'!A4:C6"].startswith("| Region")


def test_merged_heads_name_every_column_below_them_and_a_cell_of_several_rows_labels_each() -> None:
    def fill(sheet: Worksheet) -> None:
        put([["", "2023", None, "2024"], ["", "Sales", "Cost", "Sales", "Cost"]], sheet)
        put([["North", 1, 2, 3, 4], ["South", 5, 6, 7, 8]], sheet, row=3)
        sheet.merge_cells("B1:C1")
        sheet.merge_cells("D1:E1")
        put([["Q1", "Item", 1], [None, "Other", 2]], sheet, row=8)
        sheet.merge_cells("A8:A9")
        put([["Asked in May", "All", "Age"], [None, None, "18-24", "25-34"], ["Approve", 40, 30, 50]], sheet, row=14)
        for area in ("A14:A15", "B14:B15", "C14:D14"):
            sheet.merge_cells(area)

    text = read(workbook(fill)).text
    assert "| Asked in May | All | Age 18-24 | Age 25-34 |\n|---|---|---|---|\n| Approve | 40 | 30 | 50 |" in text
    assert "|  | 2023 Sales | 2023 Cost | 2024 Sales | 2024 Cost |\n|---|---|---|---|---|\n| North | 1 | 2 |" in text
    assert "| Q1 | Item | 1 |" in text and "| Q1 | Other | 2 |" in text


def test_tables_are_cut_at_blank_rows_and_columns_but_not_where_one_goes_on() -> None:
    def fill(sheet: Worksheet) -> None:
        put(SALES, sheet)
        put([["Total", 1120, 1435.5]], sheet, row=5)
        put([["City", "People"], ["Rome", 3], ["Oslo", 1]], sheet, column=5)
        put([["Country", "Capital"], ["France", "Paris"], ["Peru", "Lima"]], sheet, row=9)
        put([["Note: figures are rounded."]], sheet, row=13)

    document = read(workbook(fill))
    tables = [document.text[b.start : b.end] for b in document.blocks if b.kind == "table"]
    assert [table.split("\n")[0] for table in tables] == [
        "| Region | 2023 | 2024 |",
        "| City | People |",
        "| Country | Capital |",
    ]
    assert tables[0].endswith("| Total | 1120 | 1435.5 |")
    assert document.text.endswith("Note: figures are rounded.") and document.blocks[-1].kind == "footnote"


def test_hidden_sheets_rows_and_columns_are_left_out_and_counted() -> None:
    def fill(sheet: Worksheet) -> None:
        put([["Name", "Code", "Sum"], ["North", "secret", 1], ["Middle", "x", 2], ["South", "y", 3]], sheet)
        sheet.column_dimensions["B"].hidden = True
        sheet.row_dimensions[3].hidden = True
        other = sheet.parent.create_sheet("Notes")
        other["A1"] = "nobody sees this"
        other.sheet_state = "hidden"

    document = read(workbook(fill))
    assert document.text == "# Sales\n\n| Name | Sum |\n|---|---|\n| North | 1 |\n| South | 3 |"
    assert document.dropped == {"hidden_cells": len("Codesecretxy") + len("Middle2") + len("nobody sees this")}


def test_formulas_without_stored_values_are_told_and_counted() -> None:
    def formulas(sheet: Worksheet) -> None:
        put([["North", "=1+1"], ["South", "=SUM(B1:B1)"]], sheet)

    with pytest.raises(Unreadable, match=r"no_stored_values: its 2 formulas .* save it"):
        read(workbook(formulas))

    def some(sheet: Worksheet) -> None:
        put([["Region", "Sum"], ["North", 3], ["South", "=B2"]], sheet)

    assert read(workbook(some)).metadata["formulas_without_value"] == "1"


@pytest.mark.parametrize("reference", ["A1:XFD1048576", "A1:ZZ99999"])
def test_what_claims_to_be_huge_is_no_work(reference: str) -> None:
    packed = io.BytesIO(workbook(lambda sheet: put(SALES, sheet)))
    out = io.BytesIO()
    with zipfile.ZipFile(packed) as old, zipfile.ZipFile(out, "w") as new:
        for name in old.namelist():
            part = old.read(name).replace(b'<dimension ref="A1:C3"', f'<dimension ref="{reference}"'.encode())
            new.writestr(name, part)
    assert reference.encode() in out.getvalue()
    assert "| North | 1200 | 1340.5 |" in read(out.getvalue()).text
    with pytest.raises(Unreadable, match=r"too_large: .*read.max_cells"):
        read(workbook(lambda sheet: sheet.merge_cells("A1:J2000")), max_cells=1_000)
    with pytest.raises(Unreadable, match=r"too_large: .*read.max_cells"):
        read(workbook(lambda sheet: put(SALES, sheet)), max_cells=8)
    with pytest.raises(Unreadable, match=r"too_large: .*read.max_characters"):
        read(workbook(lambda sheet: put([["word " * 100] * 10], sheet)), max_characters=4_000)


def test_files_of_office_97_and_encrypted_ones_say_so_whatever_their_name_is(tmp_path: Path) -> None:
    ole = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\x00" * 600
    (tmp_path / "old.xls").write_bytes(ole)
    (tmp_path / "old.docx").write_bytes(ole)
    (tmp_path / "locked.xlsx").write_bytes(ole + "EncryptedPackage".encode("utf-16-le"))
    (tmp_path / "later.xls").write_bytes(workbook(lambda sheet: put(SALES, sheet)))
    (tmp_path / "page.xls").write_text("<html><body><p>Sales rose in every region last year.</p></body></html>")
    rows = {row.source: row for row in read_corpus(tmp_path, ReadConfig())}
    assert {name: row.reason for name, row in rows.items() if isinstance(row, Quarantined)} == {
        "old.xls": "old_office_format",
        "old.docx": "old_office_format",
        "locked.xlsx": "encrypted",
    }
    later, page = rows["later.xls"], rows["page.xls"]
    assert isinstance(later, Document) and "| North | 1200 |" in later.text
    assert isinstance(page, Document) and "Sales rose" in page.text


def test_a_workbook_of_named_figures_is_a_document_without_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "sales.xlsx").write_bytes(workbook(lambda sheet: put(SALES, sheet)))
    (document,) = read_corpus(tmp_path, ReadConfig())
    assert isinstance(document, Document) and document.title == "sales"


def test_dates_are_shown_by_their_formats() -> None:
    def fill(sheet: Worksheet) -> None:
        put([["Event", "When"], ["Start", datetime.date(2024, 3, 9)], ["End", datetime.datetime(2024, 4, 2)]], sheet)
        sheet["B2"].number_format = "mm-dd-yy"  # shown by every machine in the order of its country
        sheet["B3"].number_format = "d mmmm yyyy"

    text = read(workbook(fill)).text
    assert "| Start | 2024-03-09 |" in text and "| End | 2 April 2024 |" in text


def test_names_of_columns_and_sheets() -> None:
    assert [column_letters(n) for n in (1, 26, 27, 702, 703, 16_384)] == ["A", "Z", "AA", "ZZ", "AAA", "XFD"]
    names = ["Sheet1", "Q 1", "It's", "A1", "2024", "Übersicht", "R1C1"]
    assert [sheet_prefix(name) for name in names] == [
        "Sheet1!", "'Q 1'!", "'It''s'!", "'A1'!", "'2024'!", "Übersicht!", "'R1C1'!",
    ]  # fmt: skip


def test_a_list_without_names_has_none() -> None:
    rows: list[list[object]] = [
        ["a.xsd", "https://a.b/2006/a"],
        ["b.xsd", "https://a.b/2006/b"],
        ["c.xsd", "https://a.b/c"],
    ]
    assert "|  |  |\n|---|---|\n| a.xsd | https://a.b/2006/a |" in read(workbook(lambda sheet: put(rows, sheet))).text
