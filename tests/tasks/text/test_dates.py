"""The one parser of dates: every notation of a day, month, quarter or year is the same moment."""

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rarefy.tasks.text.dates import NAMES, Parts, compare_moments, iso_day, moments, month_number, years

DAYS = st.dates(min_value=date(1901, 1, 1), max_value=date(2099, 12, 31))


@given(DAYS)
def test_a_day_is_the_same_in_every_notation(day: date) -> None:
    month = NAMES[day.month - 1]
    for form in (
        f"{month} {day.day}, {day.year}",
        f"{month[:3]}. {day.day}, {day.year}" if month != "May" else f"May {day.day} {day.year}",
        f"{day.day} {month} {day.year}",
        f"the {day.day}th of {month} {day.year}",
        day.isoformat(),
        f"{day.year}/{day.month}/{day.day}",
    ):
        found = moments(f"It closed on {form}.")
        assert [iso_day(one) for one in found] == [day.isoformat()], form


@given(DAYS)
def test_a_day_in_numbers_may_be_read_both_ways(day: date) -> None:
    (one,) = moments(f"on {day.month}/{day.day}/{day.year}")
    assert Parts(day.year, day.month, day.day) in one.ways
    assert (iso_day(one) == day.isoformat()) == (day.day > 12 or day.day == day.month)


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("Q3 2024", [(2024, 0, 0, 3, 0)]),
        ("3Q24", [(2024, 0, 0, 3, 0)]),
        ("the third quarter of fiscal 2024", [(2024, 0, 0, 3, 0)]),
        ("the fourth quarter", [(0, 0, 0, 4, 0)]),
        ("the first half of 2024", [(2024, 0, 0, 0, 1)]),
        ("H2 2024", [(2024, 0, 0, 0, 2)]),
        ("fiscal year 2024", [(2024, 0, 0, 0, 0)]),
        ("FY24", [(2024, 0, 0, 0, 0)]),
        ("September 2024", [(2024, 9, 0, 0, 0)]),
        ("Sept. 2024", [(2024, 9, 0, 0, 0)]),
        ("September 28", [(0, 9, 28, 0, 0)]),
        ("July 28-29, 2015", [(2015, 7, 28, 0, 0), (2015, 7, 29, 0, 0)]),
        ("28. September 2024", [(2024, 9, 28, 0, 0)]),
        ("le 28 août 2024", [(2024, 8, 28, 0, 0)]),
        ("3 de marzo de 2024", [(2024, 3, 3, 0, 0)]),
        ("1979–80", [(1979, 0, 0, 0, 0), (1980, 0, 0, 0, 0)]),
        ("1999-2000", [(1999, 0, 0, 0, 0), (2000, 0, 0, 0, 0)]),
        ("1999-00", [(1999, 0, 0, 0, 0), (2000, 0, 0, 0, 0)]),
        ("the 1990s", [(1990, 0, 0, 0, 0)]),
        ("in 1776", [(1776, 0, 0, 0, 0)]),
        ("founded in 1602, it", [(1602, 0, 0, 0, 0)]),
        ("July 4, 1776", [(1776, 7, 4, 0, 0)]),
        ("２０２４年", []),
        ("in ２０２４", [(2024, 0, 0, 0, 0)]),
        ("1800 stores", []),
        ("in 1800 stores", []),
        ("$2024", []),
        ("2,024", []),
        ("2024%", []),
        ("2024 million", []),
        ("2024.5", []),
        ("it may 5", []),
        ("march 3 miles", []),
        ("13/13/2024", []),
        ("February 45", []),
        ("", []),
    ],
)
def test_a_moment_is_read_with_all_that_is_said_of_it(text: str, wanted: list[tuple[int, ...]]) -> None:
    assert [tuple(way) for one in moments(text) for way in one.ways] == wanted


def test_what_is_said_less_exactly_is_not_something_else() -> None:
    day, month, other = (moments(text)[0] for text in ("June 30, 2024", "June 2024", "July 2024"))
    assert (compare_moments(month, day), compare_moments(day, month), compare_moments(day, other)) == (
        "same",
        "less",
        "other",
    )


def test_months_are_known_in_four_languages() -> None:
    assert [month_number(name) for name in ("January", "sept.", "août", "März", "diciembre", "Mayor")] == [
        1, 9, 8, 3, 12, 0,
    ]  # fmt: skip


def test_years_of_several_texts_are_gathered() -> None:
    assert years("in 2023", "fiscal 2024 and 2022-23") == {2022, 2023, 2024}
