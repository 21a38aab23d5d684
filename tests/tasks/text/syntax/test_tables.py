"""Tables in other layouts: every cell beside its label and header, and read back so."""

from rarefy.tasks.text.syntax.level import remove_known_differences
from rarefy.tasks.text.syntax.pieces import join_pieces
from rarefy.tasks.text.syntax.tables import layouts, tables

YEARS = """(In millions)

|  | 2024 | 2023 |
|---|---|---|
| Net sales | $391,035 | $383,285 |
| Net income | 93,736 | (96,995) |

Notes follow."""

GROUPED = """|  | September 27, 2025 | September 28, 2024 |
|---|---|---|
| Current assets: |  |  |
| Marketable securities | 18,763 | 35,228 |
| Non-current assets: |  |  |
| Marketable securities | 77,723 | 91,479 |"""


def laid_out(text: str) -> dict[str, str]:
    (table,) = tables(text)
    return {
        name: text[: table.start] + join_pieces(text, pieces) + text[table.end :]
        for name, pieces in layouts(text, table)
    }


def test_years_are_said_as_sentences():
    said = laid_out(YEARS)["sentences"]
    assert "Net sales came to $391,035 in 2024 and $383,285 in 2023.\nNet income came to 93,736 in 2024" in said
    assert said.startswith("(In millions)\n\n") and said.endswith("\n\nNotes follow.")


def test_every_layout_is_read_back_as_the_same_table():
    for text in (YEARS, GROUPED):
        for name, other in laid_out(text).items():
            one, two = remove_known_differences(text, other)
            assert one.split() == two.split(), name
            assert "Marketable" not in one + two and "Net" not in one + two, name
            assert remove_known_differences(other, text)[0].split() == one.split(), name


def test_swapped_cells_headers_and_groups_are_not_the_same_table():
    for name, other in laid_out(YEARS).items():
        for a, b in (("$391,035", "$383,285"), ("2024", "2023"), ("Net sales", "Net income")):
            wrong = other.replace(a, "\0").replace(b, a).replace("\0", b)
            if name in ("transposed", "turned") and a == "2024":
                continue  # of two columns both are turned: still another table, seen below
            one, two = remove_known_differences(YEARS, wrong)
            assert one != two, (name, a)
    one, two = remove_known_differences(YEARS, YEARS.replace("| 2024 | 2023 |", "| 2023 | 2024 |"))
    assert one != two
    for other in laid_out(GROUPED).values():
        wrong = other.replace("18,763", "\0").replace("77,723", "18,763").replace("\0", "77,723")
        one, two = remove_known_differences(GROUPED, wrong)
        assert one != two


def test_a_lost_row_shows():
    lines = laid_out(YEARS)["records"].replace("Net income: 93,736 (2024); (96,995) (2023).\n", "")
    one, two = remove_known_differences(YEARS, lines)
    assert one != two


def test_columns_that_compare_or_have_no_header_are_not_told():
    assert laid_out(YEARS.replace("2023", "% Change")).keys() == {"turned"}
    assert laid_out(YEARS.replace("2023 |", " |")) == {}


def test_what_is_no_whole_table_is_left():
    assert list(tables("| a | b |\n| 1 | 2 |")) == []
    assert list(tables("|  | 2024 |\n|---|---|\n| a | 1 | 2 |")) == []
    assert list(tables("")) == []


def test_columns_keep_their_order_where_a_label_names_a_figure_for_each():
    text = YEARS.replace("Net sales", "Receivables, net of allowances of $579 and $785")
    assert "turned" in laid_out(YEARS) and "turned" not in laid_out(text)
