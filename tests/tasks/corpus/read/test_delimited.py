from pathlib import Path

import pytest

from rarefy.data_contracts.rows import Document, Quarantined
from rarefy.tasks.corpus.read import ReadConfig, read_corpus
from rarefy.tasks.corpus.read.delimited import find_delimiter


def read(folder: Path, name: str, content: bytes, config: ReadConfig | None = None) -> Document | Quarantined:
    (folder / name).write_bytes(content)
    (row,) = read_corpus(folder, config or ReadConfig())
    return row


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.csv", 'Region,Sales,Note\nNorth,"1,200","fell; then rose"\nSouth,80,\n'),
        ("a.csv", "Region;Sales;Note\nNorth;1,200;fell\\, then rose\nSouth;80;\n"),
        ("a.csv", "sep=|\nRegion|Sales|Note\nNorth|1,200|fell\nSouth|80|\n"),
        ("a.tsv", "Region\tSales\tNote\nNorth\t1,200\tfell, or so\nSouth\t80\t\n"),
    ],
)
def test_values_stay_as_written_whatever_parts_them(tmp_path: Path, name: str, text: str) -> None:
    document = read(tmp_path, name, text.encode())
    assert isinstance(document, Document) and document.title == "a"
    assert document.text.startswith("| Region | Sales | Note |\n|---|---|---|\n| North | 1,200 | fell")
    row = 3 if text.startswith("sep") else 2
    places = {place.name: document.text[place.start : place.end] for place in document.places}
    assert places[f"B{row}"] == "1,200" and places[f"A{row - 1}"] == "Region" and f"A{row - 1}:C{row + 1}" in places


def test_lines_above_the_table_are_texts_and_an_empty_column_cuts_nothing(tmp_path: Path) -> None:
    text = (
        'Data Source,World Development Indicators\n\nCountry,Code,,1960,1961\nChad,TCD,,1.5,\n"Korea, Rep.",KOR,,2,3\n'
    )
    document = read(tmp_path, "a.csv", text.encode("cp1252"))
    assert isinstance(document, Document)
    assert document.text.split("\n\n")[-1] == (
        "| Country | Code | 1960 | 1961 |\n|---|---|---|---|\n| Chad | TCD | 1.5 |  |\n| Korea, Rep. | KOR | 2 | 3 |"
    )


@pytest.mark.parametrize(
    ("first", "title"),
    [
        ("Price list of Halvorsen, July 2024", "Price list of Halvorsen, July 2024"),
        ("Prices, all in EUR,,", "Prices, all in EUR"),
        ("Prices,2024", "Prices,2024"),
        ("Article,Price,Weeks", ""),
    ],
)
def test_a_first_row_of_fewer_cells_than_the_next_is_a_title(tmp_path: Path, first: str, title: str) -> None:
    document = read(tmp_path, "a.csv", f"{first}\nArticle,Description,Price,Weeks\nHX-9,Pump,7290,4\n".encode())
    assert isinstance(document, Document)
    above, _, table = document.text.rpartition("\n\n")
    assert above == title and ("| Article | Description | Price | Weeks |" in table) == bool(title or first)


def test_figures_without_names_and_too_many_cells_are_quarantined(tmp_path: Path) -> None:
    bare = read(tmp_path, "a.csv", b"1,2\n3,4\n")
    assert isinstance(bare, Quarantined) and bare.reason == "no_sentences"
    large = read(tmp_path, "a.csv", b"name,value\n" + b"a,1\n" * 100, ReadConfig(max_cells=150))
    assert isinstance(large, Quarantined) and large.reason == "too_large" and "max_cells" in large.detail


def test_a_year_in_a_row_of_words_makes_it_no_header(tmp_path: Path) -> None:
    rows = b"".join(b"Film %d,%d\n" % (n, 1950 + n) for n in range(60))
    document = read(tmp_path, "films.csv", b"title,year\n" + rows)
    assert isinstance(document, Document) and document.text.startswith("| title | year |\n|---|---|\n| Film 0 | 1950 |")


def test_a_text_without_delimiters_is_one_column() -> None:
    assert find_delimiter("one\ntwo\nthree\n", "") == ","
