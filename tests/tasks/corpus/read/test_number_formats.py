from datetime import datetime, time, timedelta

import pytest

from rarefy.tasks.corpus.read.number_formats import format_value

MOMENT = datetime(2024, 9, 8, 14, 5, 6)


@pytest.mark.parametrize(
    ("value", "number_format", "shown"),
    [
        (1234.5, "General", "1234.5"),
        (1234.5, "GENERAL", "1234.5"),
        (0.1 + 0.2, "General", "0.3"),
        (1e-9, "General", "0.000000001"),
        (1234.5, "#,##0.00", "1,234.50"),
        (0.125, "0.00", "0.13"),
        (-1234, "#,##0_);(#,##0)", "(1,234)"),
        (-1234, '_($* #,##0_);_($* (#,##0);_($* "-"??_);_(@_)', "$(1,234)"),
        (0, '_($* #,##0_);_($* (#,##0);_($* "-"??_);_(@_)', "$-"),
        (-1000, "#,##0;[Red]-#,##0", "-1,000"),
        (0.1234, "0.0%", "12.3%"),
        (1234567, '0.0,,"M"', "1.2M"),
        (1234.5, "[$€-407] #,##0.00", "€ 1,234.50"),
        (1234.5, '#,##0.00 "EUR"', "1,234.50 EUR"),
        (123456789, "000-00-0000", "123-45-6789"),
        (5, '[>=10]"many";"few"', "few"),
        (1.5, "# ?/?", "1 1/2"),
        (12345, "0.00E+00", "1.23E+04"),
        (-0.001, "0.0", "0.0"),
        (5, ";;;", ""),
        (True, "General", "TRUE"),
        ("as it is", "0.00", "as it is"),
        (MOMENT, "d-mmm-yy", "8-Sep-24"),
        (MOMENT, "h:mm AM/PM", "2:05 PM"),
        (MOMENT, "[$-409]mmmm\\ d\\,\\ yyyy;@", "September 8, 2024"),
        (MOMENT, "m/d/yy h:mm", "2024-09-08 14:05"),
        (time(14, 5), "hh:mm:ss", "14:05:00"),
        (timedelta(hours=30, minutes=5), "[h]:mm", "30:05"),
    ],
)
def test_a_value_is_shown_by_its_format(value: object, number_format: str, shown: str) -> None:
    assert format_value(value, number_format) == shown
