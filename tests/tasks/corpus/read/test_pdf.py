from collections.abc import Callable

import pytest

from rarefy.data_contracts.rows import Document
from rarefy.tasks.corpus.read.pdf import read_pdf
from rarefy.tasks.corpus.read.unreadable import Unreadable

MakePdf = Callable[..., bytes]


def lines(
    text: str, x: float = 72, y: float = 100, size: float = 10, bold: bool = False, step: float = 12
) -> list[tuple]:
    return [("text", x, y + step * n, size, bold, line) for n, line in enumerate(text.split("\n"))]


def test_lines_are_put_together_to_paragraphs_and_divided_words_are_whole_again(pdf: MakePdf) -> None:
    page = lines(
        "The Company designs and manu-\nfactures long-lived devices that are sold to\n"
        "customers in many places of the world."
    )
    page += lines("A second paragraph follows here.", y=160)
    document = read_pdf(pdf([page]), "a.pdf")
    assert document.text.split("\n\n") == [
        "The Company designs and manufactures long-lived devices "
        "that are sold to customers in many places of the world.",
        "A second paragraph follows here.",
    ]


def test_a_compound_that_stands_elsewhere_keeps_its_hyphen_at_a_line_end(pdf: MakePdf) -> None:
    page = lines("The long-term debt is due later than all of the long-\nterm leases that we have signed so far.")
    assert "long-term leases" in read_pdf(pdf([page]), "a.pdf").text


def test_larger_and_bold_lines_are_headings_with_their_sections(pdf: MakePdf) -> None:
    page = lines("Annual Report", size=20, y=60) + lines("Results of Operations", bold=True, y=100)
    page += lines(
        "Net sales rose in every region of the world this year.\nThey fell nowhere at all, we are glad to say.", y=130
    )
    document = read_pdf(pdf([page]), "a.pdf")
    kinds = [(block.kind, block.section) for block in document.blocks]
    assert document.title == "Annual Report"
    assert kinds == [("heading", ""), ("heading", "Annual Report"), ("text", "Annual Report > Results of Operations")]


def test_running_titles_and_page_numbers_are_dropped_and_counted(pdf: MakePdf) -> None:
    pages = []
    for number in range(1, 5):
        page = lines("ACME Corporation Annual Report 2024", y=40) + lines(str(number), x=300, y=760)
        pages.append(page + lines(f"This is what the page that has the number {number} says.", y=200))
    document = read_pdf(pdf(pages), "a.pdf")
    assert "ACME" not in document.text
    assert document.dropped == {"page_numbers": 4, "running_headers": 4 * len("ACME Corporation Annual Report 2024")}


def test_a_paragraph_goes_on_over_the_page_break(pdf: MakePdf) -> None:
    first = lines(
        "The sentence that begins on this page is so long that it has\n"
        "to end on the page after this one, where it goes on and",
        y=700,
    )
    second = lines("stops at last.", y=60)
    assert read_pdf(pdf([first, second]), "a.pdf").text.endswith("where it goes on and stops at last.")


def test_two_columns_are_read_one_after_the_other(pdf: MakePdf) -> None:
    left = lines("\n".join(f"Left column line {n} has words enough here" for n in range(9)), x=50)
    right = lines("\n".join(f"Right column line {n} has words enough here" for n in range(9)), x=330)
    text = read_pdf(pdf([left + right]), "a.pdf").text
    assert text.index("Left column line 8") < text.index("Right column line 0")


def ruled(rows: list[list[str]], x: float = 72, y: float = 200, width: float = 120, height: float = 20) -> list[tuple]:
    things: list[tuple] = []
    for n in range(len(rows) + 1):
        things.append(("line", x, y + n * height, x + width * len(rows[0]), y + n * height))
    for n in range(len(rows[0]) + 1):
        things.append(("line", x + n * width, y, x + n * width, y + height * len(rows)))
    for r, row in enumerate(rows):
        things += [
            ("text", x + c * width + 4, y + r * height + 14, 9, False, cell) for c, cell in enumerate(row) if cell
        ]
    return things


def test_a_ruled_table_becomes_markdown_and_is_not_said_twice(pdf: MakePdf) -> None:
    page = lines("Sales by product were as follows:", y=150) + lines("(In millions)", y=185)
    page += ruled([["", "2024", "2023"], ["iPhone", "$ 201,183", "$ 200,583"], ["Mac", "29,984", "29,357"]])
    document = read_pdf(pdf([page]), "a.pdf")
    assert (
        "|  | 2024 | 2023 |\n|---|---|---|\n| iPhone | $201,183 | $200,583 |\n| Mac | 29,984 | 29,357 |"
        in document.text
    )
    assert document.text.count("201,183") == 1
    assert [block.kind for block in document.blocks] == ["text", "caption", "table"]


def unruled(rows: list[tuple[str, ...]], y: float = 200) -> list[tuple]:
    things: list[tuple] = []
    for n, (label, *cells) in enumerate(rows):
        things.append(("text", 72, y + 14 * n, 9, False, label))
        for c, cell in enumerate(cells):
            if cell:  # Helvetica's digits are 0.556 wide: right-aligned at 400 and 500
                things.append(("text", 400 + 100 * c - 5 * len(cell), y + 14 * n, 9, False, cell))
    return things


def test_figures_that_stand_in_columns_are_a_table_without_any_rules(pdf: MakePdf) -> None:
    page = lines("The figures of the last two years are these here:", y=150)
    page += unruled([("", "2024", "2023"), ("Net sales:", "", ""), ("Products", "$294,866", "$298,085"),
                     ("Services", "96,169", "85,200"),
                     ("Change in value", "(1,234)", "565"), ("Total net sales", "$391,035", "$383,285")])  # fmt: skip
    document = read_pdf(pdf([page]), "a.pdf")
    assert [row.split(" | ") for row in document.text.split("\n\n")[1].split("\n")] == [
        ["| ", "2024", "2023 |"],
        ["|---|---|---|"],
        ["| Net sales:", "", " |"],
        ["| Products", "$294,866", "$298,085 |"],
        ["| Services", "96,169", "85,200 |"],
        ["| Change in value", "(1,234)", "565 |"],
        ["| Total net sales", "$391,035", "$383,285 |"],
    ]


def rows_of(text: str) -> list[list[str]]:
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in text.split("\n") if line.startswith("|")]


def test_a_label_on_lines_above_and_below_its_figures_is_one_label(pdf: MakePdf) -> None:
    rows = [
        ("", "2024", "2023"),
        ("Grants", "52", "56"),
        ("Patents", "9", "8"),
        ("Sales", "7", "6"),
        ("Net", "3", "2"),
    ]
    page = unruled([(label, *cells) for row in rows for label, *cells in (row, ("", "", ""))], y=100)
    page += [
        ("text", 72, 240, 9, False, "Research and the"), ("text", 385, 246, 9, False, "132"),
        ("text", 485, 246, 9, False, "165"), ("text", 72, 252, 9, False, "development of drugs"),
    ]  # fmt: skip
    found = rows_of(read_pdf(pdf([page]), "a.pdf").text)
    assert found[-2:] == [["Net", "3", "2"], ["Research and the development of drugs", "132", "165"]]


def test_a_head_centred_on_columns_names_them_all_and_one_over_a_column_only_that(pdf: MakePdf) -> None:
    page = [("text", 421, 150, 9, False, "Amount")]
    page += [("text", 375, 164, 9, False, "Sales"), ("text", 480, 164, 9, False, "Cost of")]
    page += unruled([("Region", "2024", "sales"), ("North", "294,866", "298,085"), ("South", "96,169", "85,200"),
                     ("East", "1,234", "565")], y=178)  # fmt: skip
    assert rows_of(read_pdf(pdf([page]), "a.pdf").text)[0] == ["Region", "Amount Sales 2024", "Amount Cost of sales"]


def test_a_dash_or_a_parenthesis_that_hangs_over_makes_no_column(pdf: MakePdf) -> None:
    page = unruled([("", "2024", "2023"), ("North", "956", "938"), ("East", "14", ""), ("South", "", "21")], y=100)
    page += [("text", 501, 128, 9, False, "-"), ("text", 401, 142, 9, False, "-")]  # right of the figures' ends
    page += [
        ("text", 72, 156, 9, False, "West"),
        ("text", 387, 156, 9, False, "(20)"),
        ("text", 501, 156, 9, False, "-"),
    ]
    found = rows_of(read_pdf(pdf([page]), "a.pdf").text)
    assert found[0] == ["", "2024", "2023"]
    assert found[-3:] == [["East", "14", "-"], ["South", "-", "21"], ["West", "(20)", "-"]]


def test_names_of_columns_that_stand_close_together_are_parted_where_their_figures_end(pdf: MakePdf) -> None:
    page = [("text", 346, 100, 9, False, "FISCAL 2024"), ("text", 403, 100, 9, False, "FISCAL 2023")]
    for n, row in enumerate([("North", "$14,897", "$12,228"), ("South", "5,947", "5,492"), ("East", "764", "633")]):
        page.append(("text", 72, 114 + 14 * n, 9, False, row[0]))
        for right, cell in zip((400, 457), row[1:], strict=True):
            width = 5 * sum(sign.isdigit() or sign == "$" for sign in cell) + 2.5 * cell.count(",")
            page.append(("text", right - width, 114 + 14 * n, 9, False, cell))
    assert rows_of(read_pdf(pdf([page]), "a.pdf").text)[0] == ["", "FISCAL 2024", "FISCAL 2023"]


def test_the_lines_of_one_name_above_the_middle_column_name_no_other(pdf: MakePdf) -> None:
    page = [("text", 446, 100, 9, False, "Without"), ("text", 446, 114, 9, False, "currency")]  # flush with "change"
    for n, row in enumerate([("", "2024", "", "2023"), ("North", "14", "13", "12"), ("East", "7", "6", "5")]):
        page.append(("text", 72, 128 + 14 * n, 9, False, row[0]))
        page += [
            ("text", (400, 460, 540)[c] - 5 * len(cell), 128 + 14 * n, 9, False, cell) for c, cell in enumerate(row[1:])
        ]
    page.append(("text", 446, 128, 9, False, "change"))
    found = rows_of(read_pdf(pdf([page]), "a.pdf").text)
    assert found[0] == ["", "2024", "Without currency change", "2023"]


def test_names_that_begin_again_stand_below_one_head_each(pdf: MakePdf) -> None:
    ends = (300, 340, 400, 440)
    page = [("text", 297, 100, 9, False, "Worldwide"), ("text", 404, 100, 9, False, "Abroad")]
    rows = [("", "2024", "2023", "2024", "2023"), ("North", "14", "13", "12", "11"), ("East", "7", "6", "5", "4")]
    for n, (label, *cells) in enumerate(rows):
        page.append(("text", 72, 114 + 14 * n, 9, False, label))
        page += [("text", ends[c] - 5 * len(cell), 114 + 14 * n, 9, False, cell) for c, cell in enumerate(cells)]
    found = rows_of(read_pdf(pdf([page]), "a.pdf").text)
    assert found[0] == ["", "Worldwide 2024", "Worldwide 2023", "Abroad 2024", "Abroad 2023"]


def test_a_box_around_columns_of_figures_is_no_table_of_two_cells(pdf: MakePdf) -> None:
    rows = [("", "2024", "2023"), ("Grants", "52", "56"), ("Patents", "9", "8"), ("Sales", "7", "–"), ("Net", "3", "2")]
    rows += [("Taxes", "14", "(X)"), ("Fees", "21", "20")]
    box = [("line", 300, y, 560, y) for y in (165, 190, 300)]
    box += [("line", x, 165, x, 300) for x in (300, 450, 560)]
    found = rows_of(read_pdf(pdf([unruled(rows, y=180) + box]), "a.pdf").text)
    assert found[-1] == ["Fees", "21", "20"]


def test_decimals_that_stand_apart_belong_to_their_number(pdf: MakePdf) -> None:
    page = unruled([("", "2024", "2023"), ("North", "467", "12.1"), ("South", "10.5", "7.2"), ("East", "11.3", "8.5")])
    page.append(("text", 402, 214, 9, False, ".9"))
    assert ["North", "467.9", "12.1"] in rows_of(read_pdf(pdf([page]), "a.pdf").text)


def test_two_rows_are_a_table_where_every_column_has_a_name(pdf: MakePdf) -> None:
    page = unruled([("", "2024", "2023"), ("Revenues", "$1,073", "$1,095"), ("Net income", "$106", "$70")])
    assert rows_of(read_pdf(pdf([page]), "a.pdf").text)[-1] == ["Net income", "$106", "$70"]
    page = unruled([("Revenues", "$1,073", "$1,095"), ("Net income", "$106", "$70")])
    assert "|" not in read_pdf(pdf([page]), "a.pdf").text


def test_a_line_that_introduces_a_table_ends_the_one_above_it(pdf: MakePdf) -> None:
    above = [("(in millions)", "2022", "2021"), ("Cash", "$4,236", "$3,844"), ("Working capital", "868", "1,737")]
    below = [
        ("(in millions)", "2022", "2021"),
        ("Provided by operations", "7,838", "7,230"),
        ("Used", "(570)", "(414)"),
    ]
    page = unruled([*above, ("A summary of our cash flows is as follows:",), *below])
    text = read_pdf(pdf([page]), "a.pdf").text
    assert text.count("|---|---|---|") == 2 and "\nA summary of our cash flows is as follows:\n" in text


def test_a_period_in_the_corner_names_the_years_beside_it(pdf: MakePdf) -> None:
    page = unruled(
        [("Year Ended June 30,", "2024", "2023"), ("North", "12", "14"), ("South", "7", "8"), ("East", "5", "6")]
    )
    found = rows_of(read_pdf(pdf([page]), "a.pdf").text)
    assert found[0] == ["", "Year Ended June 30, 2024", "Year Ended June 30, 2023"]


def test_a_table_that_goes_on_over_the_page_is_one_table(pdf: MakePdf) -> None:
    first = ruled([["Country", "Sales"], ["France", "12"], ["Spain", "14"]], y=690)
    second = ruled([["Country", "Sales"], ["Italy", "16"], ["Malta", "18"]], y=60)
    second += lines("These are all the countries we sell to.", y=200)
    document = read_pdf(pdf([first, second]), "a.pdf")
    assert [block.kind for block in document.blocks] == ["table", "text"]
    assert document.text.count("Country") == 1


def places(document: Document) -> list[tuple[str, str]]:
    return [(place.name, document.text[place.start : place.end]) for place in document.places]


def test_every_piece_says_its_page_counted_from_1(pdf: MakePdf) -> None:
    first = lines("A paragraph on the first page.")
    wide = "A paragraph that is so wide that its words have\nto end on the page after this one, where it"
    second = lines(wide, y=700)
    third = lines("goes on and stops.", y=60) + lines("Another one.", y=200) + lines("17", y=780)  # a printed number
    assert places(read_pdf(pdf([first, second, third]), "a.pdf")) == [
        ("page 1", "A paragraph on the first page."),
        ("pages 2–3", f"{wide} goes on and stops.".replace("\n", " ")),
        ("page 3", "Another one."),
    ]


def test_a_table_over_pages_says_the_page_of_its_rows(pdf: MakePdf) -> None:
    first = ruled([["Country", "Sales"], ["France", "12"], ["Spain", "14"]], y=690)
    second = ruled([["Country", "Sales"], ["Italy", "16"], ["Malta", "18"]], y=60)
    document = read_pdf(pdf([first, second]), "a.pdf")
    assert places(document) == [
        ("pages 1–2", document.text),
        ("page 1", "| Country | Sales |\n|---|---|\n| France | 12 |\n| Spain | 14 |"),
        ("page 2", "| Italy | 16 |\n| Malta | 18 |"),
    ]


def test_an_encrypted_pdf_says_so_and_the_way_out(pdf: MakePdf) -> None:
    with pytest.raises(Unreadable, match=r"encrypted_pdf.*password"):
        read_pdf(pdf([lines("Nobody may read this.")], password="secret"), "a.pdf")


def test_a_scan_says_so_and_the_way_out(pdf: MakePdf) -> None:
    with pytest.raises(Unreadable, match=r"scanned_pdf.*OCR"):
        read_pdf(pdf([[]], picture=True), "a.pdf")


@pytest.mark.parametrize("keep", [8, 200, 700])
def test_a_pdf_cut_short_is_read_in_part_or_says_that_it_is_damaged(pdf: MakePdf, keep: int) -> None:
    content = pdf([lines("Some words that stand on a page of their own.")])[:keep]
    try:
        assert read_pdf(content, "a.pdf").text
    except Unreadable as error:
        assert error.reason in ("bad_pdf", "no_text")


def test_a_ligature_that_its_font_does_not_name_is_read_as_the_file_says_it() -> None:
    font = b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding<</Type/Encoding/Differences[1/t_i]>>>>"
    said = b"/Span<</ActualText<FEFF00740069>>>BDC(\\001)Tj EMC"
    stream = b"BT/F1 12 Tf 72 700 Td(The Corpora)Tj " + said + b"(on kept its posi)Tj(\\001)Tj(ons of old.)Tj ET"
    objects = [
        b"<</Type/Catalog/Pages 2 0 R>>",
        b"<</Type/Pages/Kids[3 0 R]/Count 1>>",
        b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Contents 5 0 R/Resources<</Font<</F1 4 0 R>>>>>>",
        font,
        b"<</Length %d>>stream\n%s\nendstream" % (len(stream), stream),
    ]
    content = b"%PDF-1.7\n" + b"".join(b"%d 0 obj%s endobj\n" % pair for pair in enumerate(objects, 1))
    read = read_pdf(content + b"trailer<</Root 1 0 R/Size 6>>\n%%EOF", "a.pdf")
    assert "The Corporation kept its posi" in read.text  # and nothing is made up for the other


def test_a_text_that_stands_in_the_box_of_a_table_is_no_name_of_its_columns(pdf: MakePdf) -> None:
    words = [f"They were asked how they use the system, part {n} of it." for n in range(6)]
    box = [("line", 72, 100, 312, 100), ("line", 72, 100, 72, 200), ("line", 312, 100, 312, 200)]
    said = [part for n, text in enumerate(words) for part in lines(text, y=115 + 12 * n, x=76)]
    page = said + box + ruled([["Developer", "12 people"], ["Administrator", "22 people"]], y=200)
    document = read_pdf(pdf([page]), "a.pdf")
    assert document.text.count("part 3") == 1 and "| Developer |" in document.text
    assert [block.kind for block in document.blocks] == ["text", "table"]


def test_a_line_to_write_on_is_no_text(pdf: MakePdf) -> None:
    document = read_pdf(pdf([lines("Give the details of the case here, please.") + lines("_" * 60, y=200)]), "a.pdf")
    assert "_" not in document.text and document.dropped["rules"] == 60
