import json
from pathlib import Path

import pytest

from rarefy.data_contracts.rows import Document
from rarefy.tasks.corpus.read import ReadConfig, read_corpus
from rarefy.tasks.corpus.read.cover import fiscal_year, preferred_name
from rarefy.tasks.corpus.read.records import read_edgar

FILING = {
    "cik": "1", "company": "ACME TOOLS CO /DE/", "filing_type": "10-K", "filing_date": "2013-02-20",
    "period_of_report": "2012-12-29", "sic": "3420", "state_of_inc": "DE",
    "item_1": "ITEM 1. BUSINESS\nOverview\nAcme Tools Company makes tools of every kind for people who "
              "need them, and it sells them in\n"
              "- 12 -\nmany places.\nTable of Contents\n$\n5\n%\n4.1\n$\n7\nIt has done so for years.",
    "item_1B": "ITEM 1B.\nUNRESOLVED STAFF COMMENTS\nNone.", "item_16": "",
}  # fmt: skip


def test_items_are_sections_and_page_furniture_and_table_debris_are_dropped_and_counted() -> None:
    document = read_edgar(FILING, "a.json")
    assert document.text.split("\n\n") == [
        "## Item 1. Business",
        "#### Overview",
        "Acme Tools Company makes tools of every kind for people who need them, and it sells them in many places.",
        "It has done so for years.",
        "## Item 1B. Unresolved Staff Comments",
        "None.",
    ]
    assert document.dropped == {"page_numbers": 6, "running_headers": 17, "table_debris": 8}
    assert (document.entity, document.form, document.fiscal_year) == ("Acme Tools Company", "10-K", 2012)
    assert (document.period_end, document.as_of, document.metadata["sic"]) == ("2012-12-29", "2013-02-20", "3420")


@pytest.mark.parametrize(
    ("conformed", "text", "name"),
    [
        ("WALT DISNEY CO/", "Item 1. The Walt Disney Company, with its subsidiaries", "The Walt Disney Company"),
        ("WALT DISNEY CO/", "nothing of the kind", "Walt Disney Co"),
        ("ESTEE LAUDER COMPANIES INC", "The Estée Lauder Companies Inc. grows", "The Estée Lauder Companies Inc."),
        ("TYSON FOODS INC", "Tyson Foods, Inc. grows. The Tyson Foods, Inc. plan. See Tyson Foods, Inc. and us.",
         "Tyson Foods, Inc."),
        ("LOWES COMPANIES INC", "LOWE’S COMPANIES, INC. Lowe’s Companies, Inc. and Lowes.com",
         "Lowe’s Companies, Inc."),
        ("McDONALD’S CORPORATION", "McDONALD’S CORPORATION. McDonald's Corporation and McDonald's",
         "McDonald's Corporation"),
        ("NetApp, Inc.", "We are NetApp.", "NetApp, Inc."),
        ("BANK OF NEW YORK CO INC", "", "Bank of New York Co Inc."),
        ("JOHNSON & JOHNSON", "The Johnson & Johnson companies sell.", "Johnson & Johnson"),
        ("", "any", ""),
    ],
)  # fmt: skip
def test_a_registrant_is_called_what_its_own_text_calls_it(conformed: str, text: str, name: str) -> None:
    assert preferred_name(conformed, text) == name


@pytest.mark.parametrize(
    ("period_end", "text", "year"),
    [
        ("2012-09-29", "", 2012),
        ("2010-01-03", "", 2009),
        ("2025-01-31", "", 2025),
        ("2025-02-01", "In fiscal 2024 sales rose. Fiscal 2024 was good; fiscal 2025 may be.", 2024),
        ("2023-01-01", "fiscal years 2022, 2021 and 2020; fiscal 2022. Fiscal 2023 will have 52 weeks.", 2022),
        ("", "fiscal 2024", 0),
    ],
)
def test_a_fiscal_year_is_called_as_the_filing_calls_it(period_end: str, text: str, year: int) -> None:
    assert fiscal_year(period_end, text) == year


def test_a_filing_may_stand_in_a_file_a_list_or_lines(tmp_path: Path) -> None:
    (tmp_path / "one.json").write_text(json.dumps(FILING))
    (tmp_path / "list.json").write_text(json.dumps([FILING, FILING | {"cik": "2"}]))
    (tmp_path / "lines.jsonl").write_text(json.dumps(FILING) + "\n\n" + json.dumps(FILING | {"cik": "2"}) + "\n")
    ids = [row.doc_id for row in read_corpus(tmp_path, ReadConfig()) if isinstance(row, Document)]
    assert ids == ["lines.jsonl#1", "lines.jsonl#3", "list.json#1", "list.json#2", "one.json"]


def test_the_real_filings_are_read_with_their_years_and_names(shared: Path) -> None:
    rows = [row for row in read_corpus(shared / "corpora/finance/10k-json", ReadConfig()) if isinstance(row, Document)]
    assert len(rows) == 20
    assert [row.fiscal_year for row in rows if row.entity == "The Walt Disney Company"] == [
        2012,
        2013,
        2014,
        2015,
        2016,
    ]
    assert {row.domain for row in rows} == {"finance"}
    assert all(any(b.section.startswith("Item 7. ") for b in row.blocks) for row in rows)
