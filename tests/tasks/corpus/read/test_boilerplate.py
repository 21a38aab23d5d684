"""Page numbers, running headers and tables of contents go, and are counted; titles and data stay."""

from rarefy.tasks.corpus.read.html import read_html
from rarefy.tasks.corpus.read.html_flow import Flow, PageBreak, Paragraph
from rarefy.tasks.corpus.read.html_layout import drop_furniture


def pages(count: int, number: str = "{}") -> Flow:
    flow: Flow = []
    for page in range(1, count + 1):
        flow += [
            Paragraph("ACME CORPORATION"),
            Paragraph(
                f"Text of page {page}, long enough to be no line of a header, and without any repetition {page * 7}."
            ),
            Paragraph(number.format(page)),
            PageBreak(),
        ]
    return flow


def texts(flow: Flow) -> list[str]:
    return [part.text for part in flow if isinstance(part, Paragraph)]


def test_page_numbers_and_running_headers_are_dropped_by_kind() -> None:
    kept, dropped = drop_furniture(pages(5))
    assert dropped == {"page_number": 5, "running_header": 5 * len("ACME CORPORATION")}
    assert len(texts(kept)) == 5


def test_page_numbers_may_have_dashes_and_letters() -> None:
    assert drop_furniture(pages(4, "- {} -"))[1]["page_number"] == 4 * len("- 1 -")
    assert drop_furniture(pages(4, "F-{}"))[1]["page_number"] == 4 * len("F-1")


def test_the_first_of_a_running_title_that_is_bold_is_the_title() -> None:
    flow: Flow = []
    for number in range(4):
        flow += [
            Paragraph("NOTES TO FINANCIAL STATEMENTS", bold=True),
            Paragraph(f"Note {number} says this. " * 9),
            PageBreak(),
        ]
    kept, dropped = drop_furniture(flow)
    assert texts(kept).count("NOTES TO FINANCIAL STATEMENTS") == 1
    assert dropped["running_header"] == 3 * len("NOTES TO FINANCIAL STATEMENTS")


def test_numbers_counting_up_without_page_breaks_are_page_numbers() -> None:
    flow: Flow = [
        Paragraph(text) for n in range(3, 7) for text in (f"A paragraph that says something {n} times.", str(n))
    ]
    assert drop_furniture(flow)[1] == {"page_number": 4}


def test_a_lone_number_in_the_text_stays() -> None:
    flow: Flow = [Paragraph(text) for text in ("How many plants does it run?", "12", "Far from any page's end.")]
    pages_around = [PageBreak(), *([Paragraph("x. " * 80)] * 3), *flow, *([Paragraph("y. " * 80)] * 3)]
    assert texts([*flow[:1], *drop_furniture(pages_around)[0]]).count("12") == 1


def test_a_table_of_contents_is_dropped_and_counted() -> None:
    rows = "".join(
        f'<tr><td><a href="#i{n}">Item {n}.</a></td><td>Title of item {n}</td><td>{n * 3}</td></tr>'
        for n in range(1, 9)
    )
    document = read_html(f"<html><body><table>{rows}</table><p>The report begins.</p></body></html>", "toc.html")
    assert document.text == "The report begins."
    assert document.dropped["table_of_contents"] > 100


def test_a_list_of_exhibits_stays() -> None:
    rows = "".join(
        f"<tr><td>10.{n}</td><td>Credit Agreement number {n}, dated May {n}, 2012</td></tr>" for n in range(1, 9)
    )
    assert "10.8" in read_html(f"<html><body><table>{rows}</table></body></html>", "exhibits.html").text
