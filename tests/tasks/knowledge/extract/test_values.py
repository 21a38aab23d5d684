"""Numbers as filings print them."""

from decimal import Decimal

import pytest

from rarefy.tasks.knowledge.extract.values import find_scale, parse_cell_number


@pytest.mark.parametrize(
    ("cell", "value", "digits"),
    [
        ("391,035", "391035", "391,035"),
        ("$391,035", "391035", "391,035"),
        ("$ (1,234.5)", "-1234.5", "1,234.5"),
        ("(1,234)", "-1234", "1,234"),
        ("$(38,828)", "-38828", "38,828"),
        ("−17", "-17", "17"),
        ("24.1%", "24.1", "24.1"),
        ("3,017 (5)", "3017", "3,017"),
        (".35", "0.35", ".35"),
    ],
)
def test_a_cell_that_is_a_number_is_read_with_its_sign(cell, value, digits):
    found = parse_cell_number(cell)
    assert found is not None
    assert found.value == Decimal(value)
    assert cell[found.start : found.end] == digits == found.digits


@pytest.mark.parametrize(
    "cell", ["", "—", "N/A", "2024 to 2026", "12,34", "(5", "Note 4", "5 years", "1,2345", "9" * 25]
)
def test_a_cell_that_is_no_number_is_none(cell):
    assert parse_cell_number(cell) is None


def test_percent_and_currency_are_told_apart_from_digits():
    assert parse_cell_number("12%").percent and not parse_cell_number("12").percent
    assert (
        parse_cell_number("€5").currency == "EUR"
        and parse_cell_number("$5").currency == "USD"
        and parse_cell_number("5").currency == ""
    )


@pytest.mark.parametrize(
    ("caption", "scale"),
    [
        ("(In millions, except per share amounts)", "millions"),
        ("(dollars in thousands)", "thousands"),
        ("($ in billions)", "billions"),
        ("Net sales by category", ""),
    ],
)
def test_the_scale_of_a_caption_is_found(caption, scale):
    assert find_scale(caption) == scale


@pytest.mark.parametrize(
    ("cell", "value"),
    [("1,61,000", "161000"), ("1.234,5", "1234.5"), ("1'234", "1234"), ("€ 3,50", "3.50"), ("5 €", "5")],
)
def test_a_cell_is_read_as_its_country_writes_it(cell, value):
    found = parse_cell_number(cell)
    assert found is not None
    assert found.value == Decimal(value)


@pytest.mark.parametrize("cell", ["50 cents", "5 million", "about 5", "½", "five", "2x", "25 bps"])
def test_a_cell_with_more_than_its_digits_is_none(cell):
    assert parse_cell_number(cell) is None
