"""A stretch of a document's text is named by where its source shows it."""

import pytest

from rarefy.data_contracts.rows import Place
from rarefy.tasks.corpus.places import PlaceIndex, join_names, name_pages

PAGES = [Place(0, 10, "page 1"), Place(12, 30, "pages 1–2"), Place(32, 40, "page 3"), Place(50, 60, "slide 4")]
TABLE = [
    Place(5, 60, "Sheet1!A5:C7"),
    Place(7, 9, "Sheet1!A5"), Place(12, 14, "Sheet1!C5"),
    Place(27, 29, "Sheet1!A6"), Place(32, 34, "Sheet1!C6"),
    Place(47, 49, "Sheet1!A7"), Place(52, 54, "Sheet1!C7"),
    Place(62, 70, "Sheet2!B2"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("span", "name"),
    [
        ((0, 10), "page 1"), ((3, 5), "page 1"), ((3, 20), "pages 1–2"), ((14, 20), "pages 1–2"),
        ((0, 40), "pages 1–3"), ((10, 12), ""), ((40, 50), ""), ((35, 55), "page 3, slide 4"), ((60, 99), ""),
    ],
)  # fmt: skip
def test_pages(span, name):
    assert PlaceIndex(PAGES).name(*span) == name


@pytest.mark.parametrize(
    ("span", "name"),
    [
        ((32, 34), "Sheet1!C6"),  # a cell
        ((33, 34), "Sheet1!C6"),  # within it
        ((25, 36), "Sheet1!A6:C6"),  # a row
        ((15, 20), "Sheet1!A5:C7"),  # the line under the header
        ((5, 60), "Sheet1!A5:C7"),  # the whole table
        ((0, 99), "Sheet1!A5:C7, Sheet2!B2"),
        ((33, 65), "Sheet1!A6:C7, Sheet2!B2"),  # from within a cell on
        ((25, 48), "Sheet1!A6:C7"),  # to within a cell
    ],
)
def test_cells(span, name):
    assert PlaceIndex(TABLE).name(*span) == name


def test_a_document_without_places_has_no_names():
    assert PlaceIndex(()).name(0, 100) == ""


def test_narrowest_of_places_over_the_same_words():
    within = PlaceIndex([Place(0, 90, "slide 2"), Place(0, 40, "Table!A1:B2"), Place(0, 9, "Table!A1")])
    assert [within.name(*span) for span in ((0, 9), (0, 40), (0, 90), (1, 8), (20, 30), (50, 60))] == [
        "Table!A1", "Table!A1:B2", "slide 2", "Table!A1", "Table!A1:B2", "slide 2",
    ]  # fmt: skip


def test_ranges():
    assert (name_pages(3, 3), name_pages(3, 4)) == ("page 3", "pages 3–4")
    assert join_names(["'A!1'!Z9", "'A!1'!AA10", "'A!1'!B3:C4"]) == "'A!1'!B3:AA10"
    assert join_names(["slide 3", "slides 4–5", "notes", "slide 9"]) == "slides 3–9, notes"
    assert join_names([]) == ""


def test_a_hundred_thousand_cells_are_asked_one_by_one():
    cells = [Place(10 * n, 10 * n + 8, f"S!A{n + 1}") for n in range(100_000)]
    index = PlaceIndex([Place(0, 1_000_000, "S!A1:A100000"), *cells])
    assert all(index.name(cell.start, cell.end) == cell.name for cell in cells)
    assert index.name(5, 999_991) == "S!A1:A100000"
