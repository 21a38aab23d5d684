"""A filing without the SEC's header is dated by its signatures, unless the day cannot be theirs."""

import pytest

from rarefy.data_contracts.rows import Document
from rarefy.tasks.corpus.read import ReadConfig, list_sources, read
from rarefy.tasks.corpus.read.cover import signing_day

REPORT = """# Item 15. Exhibits

Signatures of the agreement of May 1, 2019 are in the exhibit.

## SIGNATURES

Pursuant to the requirements of Section 13 or 15(d) of the Securities Exchange Act of 1934 the registrant has signed.

Date: {day}

By: /s/ Mara Voss, Chief Executive Officer, who signed on March 3, 2030
"""
# as their signature pages say
SIGNED = {
    "aapl-fy2024.html": "2024-11-01",
    "aapl-fy2025.html": "2025-10-31",
    "nvda-fy2023.html": "2023-02-24",
    "nvda-fy2024.html": "2024-02-21",
}


@pytest.mark.parametrize(
    ("day", "period_end", "expected"),
    [
        ("November 1, 2024", "2024-09-28", "2024-11-01"),
        ("August 04, 2025", "2025-06-30", "2025-08-04"),
        ("September 28, 2024", "2024-09-28", ""),  # the period's own end
        ("November 1, 2023", "2024-09-28", ""),  # before it
        ("November 1, 2029", "2024-09-28", ""),  # long after it
        ("the first of November", "2024-09-28", ""),
        ("November 1, 2024", "", ""),
        ("November 31, 2024", "2024-09-28", ""),
    ],
)
def test_the_first_day_under_the_signatures_is_that_of_the_filing(day: str, period_end: str, expected: str) -> None:
    assert signing_day(REPORT.format(day=day), period_end) == expected


def test_without_such_a_heading_there_is_no_day() -> None:
    assert signing_day("Date: November 1, 2024", "2024-09-28") == ""
    assert signing_day("", "2024-09-28") == ""


def test_real_filings_are_dated(shared) -> None:
    sources = [one for one in list_sources(shared / "corpora" / "finance" / "10k-html") if one.path in SIGNED]
    rows = [row for source in sources for row in read(source, ReadConfig())]
    assert {row.doc_id: row.as_of for row in rows if isinstance(row, Document)} == SIGNED
