"""Lists of filings as the SEC tells them."""

import json
from pathlib import Path

import pytest

from rarefy.tasks.refresh.feeds.faults import Refused
from rarefy.tasks.refresh.feeds.sec_client import Filing, parse_page, parse_submissions, parse_tickers, select_filings

SHAPES = Path(__file__).parent / "edgar"
APPLE = 320193


@pytest.fixture
def content() -> dict:
    return json.loads((SHAPES / "CIK0000320193.json").read_bytes())


def test_a_company_s_filings_are_read_from_columns(content):
    found = parse_submissions(json.dumps(content).encode(), APPLE)
    assert found.name == "Apple Inc."
    assert len(found.filings) == 6
    assert found.filings[0] == Filing(
        APPLE, "0000320193-25-000079", "10-K", "2025-10-31", "2025-09-27", "aapl-20250927.htm"
    )
    assert [(one.name, one.to) for one in found.pages] == [("CIK0000320193-submissions-001.json", "2010-01-25")]


def test_wanted_are_the_named_forms_alone_since_a_day_oldest_first():
    filings = parse_submissions((SHAPES / "CIK0000320193.json").read_bytes(), APPLE).filings
    older = parse_page((SHAPES / "CIK0000320193-submissions-001.json").read_bytes(), APPLE, "page")
    both = [*filings, *older, *filings]
    assert [one.filed for one in select_filings(both, ("10-K", "10-K/A"), "")] == [
        "1996-12-19",
        "2009-10-27",
        "2010-01-25",
        "2024-11-01",
        "2025-10-31",
    ]
    assert [one.accession for one in select_filings(both, ("10-K",), "2024-11-01")] == [
        "0000320193-24-000123",
        "0000320193-25-000079",
    ]


@pytest.mark.parametrize(
    ("filing", "path", "address"),
    [
        (
            Filing(APPLE, "0000320193-25-000079", "10-K", "2025-10-31", "2025-09-27", "aapl-20250927.htm"),
            "320193/10-K-2025-09-27-0000320193-25-000079.htm",
            "Archives/edgar/data/320193/000032019325000079/aapl-20250927.htm",
        ),
        (
            Filing(APPLE, "0001193125-10-012091", "10-K/A", "2010-01-25", "2009-09-26", "d10ka.HTML"),
            "320193/10-K_A-2009-09-26-0001193125-10-012091.htm",
            "Archives/edgar/data/320193/000119312510012091/d10ka.HTML",
        ),
        (
            Filing(APPLE, "0000320193-96-000023", "10-K405", "1996-12-19", "", ""),
            "320193/10-K405-filed-1996-12-19-0000320193-96-000023.txt",
            "Archives/edgar/data/320193/0000320193-96-000023.txt",
        ),
    ],
)
def test_a_filing_has_a_place_in_the_corpus_and_one_in_the_archives(filing, path, address):
    assert (filing.path, filing.address) == (path, address)


@pytest.mark.parametrize(
    ("column", "value"),
    [
        ("accessionNumber", "../../etc"),
        ("accessionNumber", 5),
        ("filingDate", "yesterday"),
        ("reportDate", "2024-13"),
        ("primaryDocument", "../../../etc/passwd"),
        ("primaryDocument", "/etc/passwd"),
        ("primaryDocument", "a/../b.htm"),
        ("primaryDocument", "https://elsewhere/x.htm"),
        ("primaryDocument", ".htaccess"),
        ("primaryDocument", "a b.htm?x=1"),
    ],
)
def test_a_list_that_says_what_no_list_of_the_sec_says_is_refused(content, column, value):
    content["filings"]["recent"][column][0] = value
    with pytest.raises(Refused, match="not the shape that the SEC documents"):
        parse_submissions(json.dumps(content).encode(), APPLE)


def test_other_shapes_are_refused_with_what_is_wrong(content):
    with pytest.raises(Refused, match="no JSON"):
        parse_submissions(b"<html>", APPLE)
    with pytest.raises(Refused, match="KeyError"):
        parse_submissions(b"{}", APPLE)
    with pytest.raises(Refused, match="no JSON"):
        parse_submissions(b"[" * 100_000, APPLE)
    with pytest.raises(Refused, match="those of CIK 320193"):
        parse_submissions(json.dumps(content).encode(), 1)
    content["filings"]["files"][0]["name"] = "../x.json"
    with pytest.raises(Refused, match="page"):
        parse_submissions(json.dumps(content).encode(), APPLE)
    content["filings"]["files"] = []
    content["filings"]["recent"]["form"].pop()
    with pytest.raises(Refused, match="different length"):
        parse_submissions(json.dumps(content).encode(), APPLE)


def test_tickers_are_told_by_the_sec():
    assert parse_tickers((SHAPES / "company_tickers.json").read_bytes())["AAPL"] == APPLE
    with pytest.raises(Refused):
        parse_tickers(b"[]")
