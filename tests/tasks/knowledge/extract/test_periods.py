"""When a figure held."""

from datetime import date

import pytest

from rarefy.data_contracts.rows import Document, Fact
from rarefy.tasks.knowledge.extract.periods import Period, fiscal_year, period_of_fact, period_of_header, year_of_report
from rarefy.tasks.knowledge.extract.tables import names_another_year, shows_period, without_period


def document(period_end="2013-06-30", year=2013):
    return Document("d", "h", "s", "t", "text/html", "", period_end=period_end, fiscal_year=year)


@pytest.mark.parametrize(
    ("header", "said", "label", "end"),
    [
        ("2013", "(In millions) Year Ended June 30,", "fiscal year 2013", "2013-06-30"),
        ("2012", "INCOME STATEMENTS For the years ended", "fiscal year 2012", "2012-06-30"),
        ("Year Ended June 30, 2013", "", "fiscal year 2013", "2013-06-30"),
        ("52 Weeks Ended June 30, 2013", "", "fiscal year 2013", "2013-06-30"),
        ("June 30, 2013", "BALANCE SHEETS", "June 30, 2013", "2013-06-30"),
        ("2012", "As of June 30,", "June 30, 2012", "2012-06-30"),
        ("June 30, 2013", "Consolidated Statements of Income (in millions)", "fiscal year 2013", "2013-06-30"),
    ],
)
def test_a_header_with_what_is_said_around_it_gives_the_period(header, said, label, end):
    period = period_of_header(header, said, document())
    assert period is not None
    assert (period.label, period.end) == (label, end)


@pytest.mark.parametrize(
    ("header", "said"),
    [
        ("% Change", "Year ended"),
        ("2013 vs. 2012", "Year ended"),
        ("Three Months Ended June 30, 2013", ""),
        ("13 Weeks Ended June 30, 2013", ""),
        ("2013", ""),  # a year or a day: nothing tells
        ("Level 1", "As of June 30, 2013"),
        ("2013 2012", "Year ended"),
        ("Total", "Year ended 2013"),
    ],
)
def test_a_header_that_leaves_a_doubt_gives_none(header, said):
    assert period_of_header(header, said, document()) is None


@pytest.mark.parametrize(
    ("end", "year"),
    [("2024-01-28", 2024), ("2023-01-29", 2023), ("2024-02-03", 2024), ("2024-07-01", None)],
)
def test_fiscal_years_are_counted_as_the_registrant_does(end, year):
    assert fiscal_year(date.fromisoformat(end), document("2024-01-28", 2024)) == year


@pytest.mark.parametrize(
    ("start", "form", "end", "year"),
    [
        ("2025-01-01", "10-Q", "2025-06-30", None),
        ("2025-01-01", "10-Q", "2024-06-30", None),
        ("2025-01-01", "10-Q", "2024-12-31", 2024),
        ("2024-09-29", "10-Q", "2024-09-28", 2024),  # the quarter's year ends in September
        ("2024-07-01", "10-Q", "2025-06-30", None),  # the year before a day, where no months are stated
        ("2025-02-01", "10-K", "2025-06-30", 2025),  # a first year that is shorter
    ],
)
def test_a_quarter_ends_no_fiscal_year(start, form, end, year):
    report = Document(
        "d", "h", "s", "t", "text/html", "", period_start=start, period_end="2025-06-30", fiscal_year=2025, form=form
    )
    assert fiscal_year(date.fromisoformat(end), report) == year
    of_year = end == report.period_end and year is not None
    assert not of_year or year_of_report(report) == "fiscal year 2025"
    assert form == "10-K" or year_of_report(report) == ""


def fact(start, end):
    return Fact(0, 1, "us-gaap:Revenues", "1", "USD", start, end)


def test_a_tag_gives_a_year_or_a_day_and_nothing_for_a_quarter():
    doc = document("2024-09-28", 2024)
    assert period_of_fact(fact("2023-10-01", "2024-09-28"), doc).label == "fiscal year 2024"
    assert period_of_fact(fact("", "2024-09-28"), doc).label == "September 28, 2024"
    assert period_of_fact(fact("2024-06-30", "2024-09-28"), doc) is None
    assert period_of_fact(fact("2023-10-01", "never"), doc) is None


def test_what_a_header_says_besides_its_date_is_kept():
    assert without_period("Year Ended December 31, 2024") == ""
    assert without_period("2024 Greater China") == "Greater China"
    assert without_period("As of and for the Year Ended December 31, 2024 Latin America") == "Latin America"
    assert without_period("Held for sale December 31, 2024") == "Held for sale"
    assert without_period("December 31, 2024 Acquired Intangibles, Gross (1)") == "Acquired Intangibles, Gross"
    assert without_period("Europe, Middle East & Africa") == "Europe, Middle East & Africa"


def test_a_period_is_shown_by_its_calendar_or_its_fiscal_year():
    period = Period("2023-01-30", "2024-01-28", "fiscal year 2024")
    assert shows_period(period, "Fiscal 2024") and shows_period(period, "FY24") and not shows_period(period, "2022")


def test_a_header_of_another_year_is_noticed():
    period = Period("2023-01-01", "2023-12-31", "fiscal year 2023")
    assert names_another_year(period, "Year Ended December 31, 2024 Europe")
    assert not names_another_year(period, "Year Ended December 31, 2023")
    assert not names_another_year(period, "Europe")
    assert without_period("Year Ended December 31 2024") == ""
