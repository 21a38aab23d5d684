"""Filings in HTML become documents whose text, blocks and spans hold together."""

import re
from pathlib import Path

import pytest

from rarefy.data_contracts.rows import Document
from rarefy.tasks.corpus.read.html import read_html
from rarefy.tasks.corpus.read.unreadable import Unreadable

FILINGS = ("aapl-fy2024", "ko-fy2024", "msft-fy2013", "nvda-fy2023")


@pytest.fixture(scope="module", params=FILINGS)
def filing(request: pytest.FixtureRequest, shared: Path) -> Document:
    path = shared / "corpora" / "finance" / "10k-html" / f"{request.param}.html"
    return read_html(path.read_text(encoding="utf-8", errors="replace"), path.name)


def page(body: str) -> Document:
    return read_html(f"<html><body>{body}</body></html>", "page.html")


def kinds(document: Document) -> list[tuple[str, str]]:
    return [(block.kind, document.text[block.start : block.end]) for block in document.blocks]


def test_blocks_cover_all_text_in_order(filing: Document) -> None:
    at = 0
    for block in filing.blocks:
        assert block.start >= at and not filing.text[at : block.start].strip()
        words = filing.text[block.start : block.end]
        assert words and words == words.strip()
        at = block.end
    assert not filing.text[at:].strip()


def test_every_table_line_has_as_many_cells_as_its_header(filing: Document) -> None:
    for block in filing.blocks:
        if block.kind == "table":
            lines = filing.text[block.start : block.end].split("\n")
            assert len({len(re.split(r"(?<!\\)\|", line)) for line in lines}) == 1
            assert len(lines) > 2


def test_the_span_of_a_tagged_number_is_the_number_as_displayed(filing: Document) -> None:
    for fact in filing.facts:
        shown = filing.text[fact.start : fact.end]
        if fact.unit and shown:
            assert re.fullmatch(r"[\d,]*\.?\d+|[—–-]+|[A-Za-z -]+", shown), (fact.concept, shown)
            if shown[-1].isdigit():
                digits = shown.replace(",", "").replace(".", "").strip("0")
                assert digits == fact.value.lstrip("-").replace(".", "").strip("0")


def test_no_mark_stays_in_the_text(filing: Document) -> None:
    assert not re.search("[\U000f0000-\U0010ffff]", filing.text)


def test_items_notes_and_statements_are_headings_with_their_path(filing: Document) -> None:
    headings = [text for kind, text in kinds(filing) if kind == "heading"]
    assert sum(bool(re.match(r"## Item \d", text, re.I)) for text in headings) >= 15
    assert any(re.match(r"### (?:Note )?1\b", text, re.I) for text in headings)
    sections = {block.section for block in filing.blocks if block.kind == "table"}
    assert any(re.match(r"Item (?:8|15)\. .* > ", section, re.I) for section in sections)


def test_page_furniture_is_dropped_and_counted(filing: Document) -> None:
    assert filing.dropped["table_of_contents"] > 500
    assert sum(filing.dropped.values()) < 0.05 * len(filing.text)
    assert not re.search(r"^\d{1,3}$|^Table of Contents$", filing.text, re.M)


def test_adjacent_spans_join_as_they_are_shown() -> None:
    document = page("<p><span>Net</span><span> sales</span> rose <b>5</b>%<br/>in 2024.</p>")
    assert document.text == "Net sales rose 5%\n\nin 2024."


def test_text_after_a_comment_is_kept() -> None:
    assert page("<p>one<!-- hidden --> two</p>").text == "one two"


def test_what_is_not_displayed_is_not_read() -> None:
    assert page('<p>seen</p><div style="display:none">unseen</div><p>too</p>').text == "seen\n\ntoo"


def test_a_sentence_cut_by_a_page_is_whole_again() -> None:
    first = "The Company manufactures its products in several plants and depends on a small number of suppliers"
    cut = f'<p>{first}</p><p align="center">12</p><hr style="page-break-after:always"/><p>for many components.</p>'
    assert f"{first} for many components." in page(cut).text


def test_bullets_of_two_cells_are_a_list() -> None:
    table = "<table><tr><td>•</td><td>first thing</td></tr></table><table><tr><td>●</td><td>second</td></tr></table>"
    assert page(table).text == "- first thing\n\n- second"


def test_a_paragraph_or_heading_in_a_table_is_text() -> None:
    document = page(
        "<table><tr><td><b>Item 1A.</b></td><td><b>Risk Factors</b></td></tr></table>"
        "<table><tr><td><p>We face risks of many kinds.</p><p>Some are small.</p></td></tr></table>"
    )
    assert kinds(document) == [
        ("heading", "## Item 1A. Risk Factors"),
        ("text", "We face risks of many kinds."),
        ("text", "Some are small."),
    ]


def test_units_before_and_remarks_after_a_table_keep_it_company() -> None:
    document = page(
        "<p>Sales were:</p><p>(In millions, except per share data)</p>"
        "<table><tr><td></td><td>2024</td><td>2023</td></tr><tr><td>Sales (1)</td><td>10</td><td>9</td></tr></table>"
        "<p>(1)Net of returns.</p><p>More text.</p>"
    )
    assert [kind for kind, _ in kinds(document)] == ["text", "caption", "table", "footnote", "text"]
    assert kinds(document)[3][1] == "(1) Net of returns."


def test_raised_marks_stand_apart_and_ordinals_do_not() -> None:
    assert page("<p>Total assets<sup>1</sup> on the 30<sup>th</sup></p>").text == "Total assets (1) on the 30th"


def test_absolutely_placed_pieces_become_lines_paragraphs_and_tables() -> None:
    def piece(left: int, top: int, text: str) -> str:
        return f'<div style="position:absolute;left:{left}pt;top:{top}pt;font-size:10pt">{text}</div>'

    document = page(
        piece(50, 60, "Revenue rose because we sold more of what")
        + piece(50, 72, "we make:")
        + piece(300, 96, "2019")
        + piece(380, 96, "2018")
        + piece(50, 110, "Revenue")
        + piece(290, 110, "$")
        + piece(300, 110, "1,234")
        + piece(380, 110, "1,100")
    )
    assert document.text.startswith("Revenue rose because we sold more of what we make:\n\n|  | 2019 | 2018 |")
    assert document.text.endswith("| Revenue | $1,234 | 1,100 |")


def test_a_cut_filing_is_read_as_far_as_it_goes_and_says_so() -> None:
    document = read_html("<html><body><p>It begins here.</p><p>And stops in the mid", "cut.html")
    assert document.text == "It begins here.\n\nAnd stops in the mid"
    assert document.metadata["truncated"] == "yes"


def test_a_whole_page_is_not_called_truncated() -> None:
    assert "truncated" not in page("<p>All of it.</p>").metadata


@pytest.mark.parametrize("text", ["", "no markup at all. " * 50, "a < b and c > d", "PK\x03\x04 binary \x00\x01"])
def test_what_is_no_html_is_refused(text: str) -> None:
    with pytest.raises(Unreadable) as refused:
        read_html(text, "file.html")
    assert refused.value.reason == "not_html"


def test_a_page_without_text_is_refused() -> None:
    with pytest.raises(Unreadable) as refused:
        read_html("<html><body><script>go()</script></body></html>", "viewer.html")
    assert refused.value.reason == "no_text"


def test_elements_never_closed_lose_no_text() -> None:
    document = read_html("<html><body>" + "<font>" * 5000 + "<p>Still here.</p></body></html>", "deep.html")
    assert document.text == "Still here."


def test_the_header_of_a_full_submission_is_no_text_but_tells_who_files() -> None:
    document = read_html(
        "<SEC-HEADER>\nFILED AS OF DATE: 20130730\nCOMPANY CONFORMED NAME: ACME CORP\n"
        "CENTRAL INDEX KEY: 0000012345\nSTANDARD INDUSTRIAL CLASSIFICATION: SERVICES [7372]\n"
        "CONFORMED PERIOD OF REPORT: 20130630\n</SEC-HEADER>\n<DOCUMENT>\n<TYPE>10-K\n<SEQUENCE>1\n<TEXT>\n"
        "<html><body><p>FORM 10-K</p><p>Acme Corporation makes anvils.</p></body></html>\n</TEXT>\n</DOCUMENT>",
        "acme.txt",
    )
    assert document.text == "FORM 10-K\n\nAcme Corporation makes anvils."
    assert (document.entity, document.metadata["sic"], document.as_of) == ("Acme Corporation", "7372", "2013-07-30")
    assert document.doc_id == "0000012345:10-K:2013-06-30"


def test_reading_twice_gives_the_same() -> None:
    body = "<h2>Title</h2><p>Text.</p><table><tr><td>a</td><td>1</td></tr><tr><td>b</td><td>2</td></tr></table>"
    assert page(body) == page(body)


@pytest.mark.parametrize("cell", ["<table><tr><td>", "<table><tr><td>x</td><td>"])
def test_tables_nested_six_hundred_deep_lose_no_text(cell: str) -> None:
    document = page("<p>Before.</p>" + cell * 600 + "within" + "</td></tr></table>" * 600 + "<p>After.</p>")
    assert document.text.startswith("Before.") and document.text.endswith("After.") and "within" in document.text


def test_what_is_too_deep_for_the_parser_is_refused_not_cut() -> None:
    with pytest.raises(Unreadable) as refused:
        page("<p>Before.</p>" + "<table><tr><td>" * 3000 + "within" + "</td></tr></table>" * 3000)
    assert refused.value.reason == "too_deep"


@pytest.mark.parametrize("before", ["", f"<!--{'c' * 5000}-->"])
@pytest.mark.parametrize("first", ["", "<!-- it's ]> -->"])
def test_entities_that_a_page_defines_are_never_expanded(before: str, first: str) -> None:
    defined = "".join(f'<!ENTITY {chr(98 + n)} "{f"&{chr(97 + n)};" * 30}">' for n in range(8))
    head = f'<?xml version="1.0"?>{before}<!DOCTYPE html [{first}<!ENTITY a "{"a" * 1000}">{defined}]>'
    body = '<html xmlns="http://www.w3.org/1999/xhtml"><body><p title="&i;" id="&i;">One.</p><p>&i;</p></body></html>'
    assert read_html(head + body, "bomb.html").text == "One.\n\n&i;"


@pytest.mark.parametrize("odd", ["①", "²", "1²", "Ⅻ", "٣", "9" * 5_000])
def test_what_only_looks_like_a_number_stands_as_it_is(odd: str) -> None:
    cells = f"<table><tr><td colspan='{odd}'>Sales</td><td>{odd}</td></tr></table>"
    text = page(f"<p>{odd}</p><p style='font-weight:{odd}'>Some words.</p>{cells}").text
    assert odd in text and "Some words." in text


@pytest.mark.parametrize(
    ("head", "body", "title"),
    [
        ("<title>FAQ | Heliotec</title>", "<h1>Heliotec <b>Support</b> FAQ</h1><p>Text.</p>", "Heliotec Support FAQ"),
        ("", "<h1>Elm<br>Budget <i>2025</i><br/><b>Adopted</b></h1><p>Text.</p>", "Elm Budget 2025 Adopted"),
        ("<title>Heliotec Support FAQ</title>", "<h1>One</h1><h1>Two</h1><p>Text.</p>", "Heliotec Support FAQ"),
        ("<title>heliotec-10k_htm.xml</title>", "<p>Text.</p>", "page.html"),
        ("", "<p>Text.</p>", "page.html"),
    ],
)  # fmt: skip
def test_a_page_is_called_what_its_one_first_heading_or_its_title_says(head: str, body: str, title: str) -> None:
    made = read_html(f"<html><head>{head}</head><body>{body}</body></html>", "page.html")
    assert made.title == title


def test_a_small_table_of_figures_is_no_cover_page():
    """Mondelez International's 10-K for fiscal 2024: a remark in brackets began as "(Mark One)" does."""
    rows = "<tr><td>Unrealized gains on hedging (mark-to-market impacts)</td><td>543</td><td>(330)</td></tr>"
    document = page(
        f"<p>Results.</p><table><tr><td></td><td>2024</td><td>2023</td></tr>{rows}"
        "<tr><td>Inventories (stated at cost)</td><td>12</td><td>14</td></tr></table>"
    )
    assert "| Unrealized gains on hedging (mark-to-market impacts) | 543 | (330) |" in document.text
    assert [kind for kind, _ in kinds(document)] == ["text", "table"]
