"""A quotation of a table means one row, however the model joined it to its header."""

import pytest

from rarefy.tasks.knowledge.extract.locate import find_quoted_row, table_lines

CHUNK = """Net sales by category were as follows (dollars in millions):

|  | 2025 | Change | 2024 |
| --- | --- | --- | --- |
| Phones | $209,586 | 4% | $201,183 |
| Services (1) | 109,158 | 14% | 96,169 |

(1) With amortization.

Gross margin (dollars in millions):

|  | 2025 | 2024 |
| --- | --- | --- |
| Gross margin: |  |  |
| Products | $112,887 | $109,633 |
| Services | 82,314 | 71,050 |

| Gross margin percentage: |  |  |
| --- | --- | --- |
| Products | 36.8% | 37.2% |
| Services | 75.4% | 73.9% |
"""


@pytest.mark.parametrize(
    ("quote", "row"),
    [
        ("|  | 2025 | Change | 2024 |\n| Services (1) | 109,158 | 14% | 96,169 |", "| Services (1) | 109,158"),
        ("|  | 2025 | Change | 2024 |\n| --- | --- | --- | --- |\n| Phones | $209,586 | 4% | $201,183 |", "| Phones"),
        ("| | 2025 | Change | 2024 | | Services | 109,158 | 14% | 96,169 |", "| Services (1) | 109,158"),
        ("|  | 2025 | 2024 |\n| Services | 75.4% | 73.9% |", "| Services | 75.4%"),
        ("| Services | 82,314 | 71,050 |", "| Services | 82,314"),
        ("| Gross margin: |  |  |\n| Services | 82,314 | 71,050 |", "| Services | 82,314"),
        ("Phones | 2025 | $209,586", "| Phones"),
        ("Phones, 2025, $209,586", "| Phones"),
        ("Services: 2025: 75.4%", "| Services | 75.4%"),
        ("Services (2025): 75.4%", "| Services | 75.4%"),
        ("Row: Services, Column: 2025, Value: 75.4%", "| Services | 75.4%"),
        ("2025 Change 2024 Services (1) 109,158 14% 96,169", "| Services (1) | 109,158"),
        ("Phones $209,586 4% $201,183", "| Phones"),
    ],
)
def test_a_row_is_found_with_its_header_above_it_or_as_label_column_and_value(quote, row):
    found, trouble = find_quoted_row(quote, CHUNK, 0, "")
    assert trouble == ""
    assert [CHUNK[line.row.start : line.row.end].startswith(row) for line in found] == [True]


@pytest.mark.parametrize(
    ("quote", "trouble"),
    [
        ("| Services | 75.5% | 73.9% |", "not_there"),
        ("|  | 2023 |\n| Services | 75.4% | 73.9% |", "not_there"),
        ("| Tablets | 109,158 |", "not_there"),
        ("no table at all", "not_there"),
    ],
)
def test_another_number_header_or_label_is_no_row(quote, trouble):
    assert find_quoted_row(quote, CHUNK, 0, "") == ([], trouble)


def test_the_same_row_in_two_tables_is_nobodys():
    table = "|  | 2025 |\n| --- | --- |\n| Total | 100% |\n"
    assert find_quoted_row("| Total | 100% |", f"Sales:\n\n{table}\nCosts:\n\n{table}", 0, "")[1] == "ambiguous_row"


def test_of_rows_quoted_together_the_one_that_the_triplet_speaks_of_is_meant():
    quote = "| Phones | $209,586 | 4% | $201,183 |\n| Services (1) | 109,158 | 14% | 96,169 |"
    found, _ = find_quoted_row(quote, CHUNK, 0, "Services had net sales of $109,158 million")
    assert found[0].row.cells[0].text == "Services (1)"


def test_a_table_without_headers_of_its_own_has_those_of_the_one_before():
    last = list(table_lines(CHUNK))[-1]
    assert (last.heading(1), last.groups[-1].cells[0].text) == ("2025", "Gross margin percentage:")


def test_a_second_header_line_belongs_to_the_header():
    text = "|  | Year Ended |  |\n| --- | --- | --- |\n|  | Jan 28, 2024 | Jan 29, 2023 |\n| Revenue | $609 | $269 |\n"
    (line,) = table_lines(text)
    assert line.heading(1) == "Year Ended Jan 28, 2024"
