"""Days in the forms that people and programs write them."""

import pytest

from rarefy.tasks.text.dates import parse_day


@pytest.mark.parametrize(
    "text",
    [
        "2024-03-05", "2024-3-5", "2024-03-05T00:00:00Z", '"2024-03-05 00:00:00"', "2024/03/05", "20240305",
        "20240305120000", "20240305.0", "March 5, 2024", "Mar. 5 2024", "5 March 2024", "5th of March, 2024",
        "05-Mar-2024", "Tue, 05 Mar 2024 10:00:00 GMT", "Tuesday, March 5, 2024", "3/5/2024", "05.03.2024",
        "1709596800", "1709596800000",
    ],
)  # fmt: skip
def test_a_day_is_understood_in_any_of_the_usual_forms(text: str) -> None:
    assert parse_day(text) == "2024-03-05"


def test_the_day_goes_first_where_the_month_cannot() -> None:
    assert (parse_day("12/31/2024"), parse_day("31/12/2024")) == ("2024-12-31", "2024-12-31")


@pytest.mark.parametrize(
    "text",
    [
        "", "²", "2024", "2024-03", "Q1 2024", "hello", "2024-02-30", "0000-00-00", "9999-12-31", "12/31/24",
        "2024-03-051", "March 2024", "March 5, 2024 to April 6, 2024", "9" * 5000,
    ],
)  # fmt: skip
def test_what_is_no_single_day_is_none(text: str) -> None:
    assert parse_day(text) == ""
