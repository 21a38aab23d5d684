"""Tables keep every number in its cell, under the whole name of its column."""

from lxml import etree

from rarefy.tasks.corpus.read.html_flow import Reader, Table
from rarefy.tasks.corpus.read.html_tables import Grid, build_grids, render_grid


def tables(rows: str) -> list[Grid]:
    reader = Reader()
    reader.read(etree.fromstring(f"<table>{rows}</table>", etree.HTMLParser()))
    (table,) = reader.flow
    assert isinstance(table, Table)
    return build_grids(table)


def row(*cells: str) -> str:
    """Cells as "text", or "text*3" for one over three columns."""
    out = []
    for cell in cells:
        text, star, wide = cell.rpartition("*")
        out.append(f'<td colspan="{wide}">{text}</td>' if star and wide.isdigit() else f"<td>{cell}</td>")
    return f"<tr>{''.join(out)}</tr>"


def test_signs_brackets_and_per_cents_join_their_number() -> None:
    (grid,) = tables(
        row("", "", "2024*3", "", "Change*2")
        + row("Sales", "", "$", "3,818.1", "", "", "12", "%")
        + row("Loss", "", "$", "(1,234", ")", "", "(3", ")%")
    )
    assert grid.rows == [["Sales", "$3,818.1", "12%"], ["Loss", "$(1,234)", "(3)%"]]
    assert grid.header == ["", "2024", "Change"]


def test_a_dash_beside_a_dollar_takes_no_neighbour() -> None:
    (grid,) = tables(row("", "Gain*2", "Loss*2") + row("Bonds", "$", "—", "$", "(12)") + row("Bills", "", "5", "", "1"))
    assert grid.rows[0] == ["Bonds", "$—", "$(12)"]


def test_columns_named_by_signs_alone_keep_their_names() -> None:
    (grid,) = tables(row("", "2024", "Change*2") + row("", "", "$", "%") + row("Sales", "10", "2", "25%"))
    assert grid.header == ["", "2024", "Change $", "Change %"]


def test_a_spanning_header_is_repeated_over_each_of_its_columns() -> None:
    (grid,) = tables(
        row("", "Year Ended June 30,*3")
        + row("(In millions)", "2013", "2012", "Change")
        + row("Revenue", "77,849", "73,723", "6%")
    )
    assert grid.header == ["", "Year Ended June 30, 2013", "Year Ended June 30, 2012", "Change"]
    assert grid.titles == ["(In millions)"]


def test_a_period_in_the_corner_belongs_to_the_years() -> None:
    (grid,) = tables(row("Year Ended December 31,", "2024", "2023") + row("Sales", "10", "9"))
    assert grid.header == ["", "Year Ended December 31, 2024", "Year Ended December 31, 2023"]


def test_units_in_the_title_row_of_a_group_are_the_units_of_the_table() -> None:
    (grid,) = tables(row("", "2024", "2023") + row("Revenue:", "(In millions)*2") + row("Data Center", "47", "15"))
    assert grid.titles == ["(In millions)"]
    assert grid.rows == [["Revenue:", "", ""], ["Data Center", "47", "15"]]


def test_a_new_band_of_periods_begins_a_new_table() -> None:
    first, second = tables(
        row("", "2024", "2023")
        + row("Sales", "10", "9")
        + row("", "March 31, 2024", "March 31, 2023")
        + row("Backlog", "5", "4")
    )
    assert (first.header, first.rows) == (["", "2024", "2023"], [["Sales", "10", "9"]])
    assert (second.header, second.rows) == (["", "March 31, 2024", "March 31, 2023"], [["Backlog", "5", "4"]])


def test_a_row_that_is_a_period_is_in_the_names_of_the_columns_below_it() -> None:
    first, second = tables(
        row("", "Cost", "Value")
        + row("June 30, 2013*3")
        + row("Bonds", "10", "9")
        + row("June 30, 2012*3")
        + row("Bonds", "5", "4")
    )
    assert first.header == ["", "June 30, 2013 Cost", "June 30, 2013 Value"]
    assert second.header == ["", "June 30, 2012 Cost", "June 30, 2012 Value"]
    assert second.rows == [["Bonds", "5", "4"]]


def test_one_period_over_the_last_of_several_columns_is_over_all_of_them() -> None:
    (grid,) = tables(
        row("(In millions)", "Gross", "Net", "Gross", "Net")
        + row("Year Ended June 30,", "", "2013", "", "2012")
        + row("Patents", "8", "5", "7", "6")
    )
    assert grid.header[1:] == [
        f"Year Ended June 30, {year} {what}" for year in (2013, 2012) for what in ("Gross", "Net")
    ]


def test_a_label_over_two_rows_stands_in_both() -> None:
    (grid,) = tables(
        "<tr><td>Segment</td><td>Brand</td><td>Share</td></tr>"
        '<tr><td rowspan="2">Beauty</td><td>Olay</td><td>3%</td></tr><tr><td>Pantene</td><td>4%</td></tr>'
    )
    assert grid.rows == [["Beauty", "Olay", "3%"], ["Beauty", "Pantene", "4%"]]


def test_years_as_row_labels_are_no_header() -> None:
    (grid,) = tables(row("2025", "$", "290") + row("2026", "", "270") + row("Thereafter", "", "9"))
    assert grid.header == ["", ""]
    assert grid.rows == [["2025", "$290"], ["2026", "270"], ["Thereafter", "9"]]


def test_columns_of_dates_are_a_table_with_one_header() -> None:
    (grid,) = tables(row("Record Date", "Payable Date") + row("March 21, 2025", "April 7, 2025"))
    assert (grid.header, grid.rows) == (["Record Date", "Payable Date"], [["March 21, 2025", "April 7, 2025"]])


def test_remarks_in_the_last_rows_are_notes() -> None:
    (grid,) = tables(
        row("", "2024", "2023") + row("Sales (1)", "10", "9") + row("(1) Sales are net of returns and allowances.*3")
    )
    assert grid.notes == ["(1) Sales are net of returns and allowances."]
    assert grid.rows == [["Sales (1)", "10", "9"]]


def test_footnote_marks_in_a_column_of_their_own_join_the_number_before() -> None:
    (grid,) = tables(row("", "2024*2") + row("Income", "26,764", "(a)") + row("Tax", "1,000", ""))
    assert grid.rows == [["Income", "26,764 (a)"], ["Tax", "1,000"]]


def test_a_negative_number_in_brackets_is_not_taken_for_a_mark() -> None:
    (grid,) = tables(row("", "2024", "2023") + row("Income", "5", "(1)") + row("Tax", "7", "12"))
    assert grid.rows == [["Income", "5", "(1)"], ["Tax", "7", "12"]]


def test_pipes_are_escaped_and_each_row_is_one_line() -> None:
    lines = render_grid(Grid(header=["", "2024"], rows=[["either | or", "1"]])).split("\n")
    assert lines == ["|  | 2024 |", "|---|---|", "| either \\| or | 1 |"]


def test_rows_below_names_that_the_page_marks_as_such_are_no_names() -> None:
    head = "<tr><th>Date</th><th>Event</th><th>Description</th></tr>"
    (grid,) = tables(head + row("01/02/2024", "Brief filed", "State") + row("11/08/2023", "Brief filed", "Appellant"))
    assert grid.header == ["Date", "Event", "Description"]
    assert grid.rows == [["01/02/2024", "Brief filed", "State"], ["11/08/2023", "Brief filed", "Appellant"]]


def test_a_list_without_names_keeps_its_first_row() -> None:
    for first, second in (("CHAPTER I.", "CHAPTER II."), ("1.", "2."), ("https://a.b/c", "https://a.b/d")):
        (grid,) = tables(row(first, "Down the Hole") + row(second, "The Pool"))
        assert (grid.header, len(grid.rows)) == (["", ""], 2)
    (grid,) = tables(row("Name", "2019") + row("North", "2020"))
    assert grid.header == ["Name", "2019"]


def test_rows_whose_first_cells_alone_are_marked_as_names_have_no_names_of_columns() -> None:
    (grid,) = tables("<tr><th>Srv</th><td>Child number</td></tr><tr><th>PID</th><td>Process id</td></tr>")
    assert (grid.header, grid.rows) == (["", ""], [["Srv", "Child number"], ["PID", "Process id"]])
