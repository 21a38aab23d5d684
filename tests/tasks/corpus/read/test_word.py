import io
import zipfile
from pathlib import Path

import pytest

from rarefy.data_contracts.rows import Document
from rarefy.tasks.corpus.read.numbering import write_number
from rarefy.tasks.corpus.read.unreadable import UnpackedSize
from rarefy.tasks.corpus.read.word import read_docx

SPACE = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
STYLES = (
    '<w:style w:type="paragraph" w:default="1" w:styleId="N"><w:name w:val="Normal"/></w:style>'
    '<w:style w:type="paragraph" w:styleId="H1"><w:name w:val="heading 1"/>'
    '<w:pPr><w:numPr><w:numId w:val="1"/></w:numPr></w:pPr></w:style>'
    '<w:style w:type="paragraph" w:styleId="T"><w:name w:val="toc 1"/></w:style>'
    '<w:style w:type="paragraph" w:styleId="C"><w:name w:val="caption"/></w:style>'
)
NUMBERING = (
    '<w:abstractNum w:abstractNumId="5"><w:lvl w:ilvl="0"><w:start w:val="1"/><w:numFmt w:val="decimal"/>'
    '<w:lvlText w:val="%1."/></w:lvl><w:lvl w:ilvl="1"><w:start w:val="1"/><w:numFmt w:val="lowerLetter"/>'
    '<w:lvlText w:val="%1.%2)"/></w:lvl></w:abstractNum><w:num w:numId="1"><w:abstractNumId w:val="5"/></w:num>'
    '<w:num w:numId="2"><w:abstractNumId w:val="5"/></w:num>'
)
NOTES = (
    '<w:footnote w:type="separator" w:id="0"><w:p/></w:footnote>'
    '<w:footnote w:id="2"><w:p><w:r><w:t>As restated.</w:t></w:r></w:p></w:footnote>'
)
CORE = (
    '<c:coreProperties xmlns:c="http://schemas.openxmlformats.org/package/2006/metadata/core-properties" '
    'xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:dcterms="http://purl.org/dc/terms/"><dc:title>Plan</dc:title>'
    "<dc:creator>Ann Lee</dc:creator><dcterms:modified>2024-05-06T07:08:09Z</dcterms:modified></c:coreProperties>"
)


def p(text: str, style: str = "", inside: str = "") -> str:
    properties = f'<w:pStyle w:val="{style}"/>' if style else ""
    return f"<w:p><w:pPr>{properties}{inside}</w:pPr><w:r><w:t>{text}</w:t></w:r></w:p>"


def docx(body: str, **parts: str) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as package:
        package.writestr("word/document.xml", f"<w:document {SPACE}><w:body>{body}</w:body></w:document>")
        package.writestr("word/styles.xml", f"<w:styles {SPACE}>{STYLES}</w:styles>")
        package.writestr("word/numbering.xml", f"<w:numbering {SPACE}>{NUMBERING}</w:numbering>")
        package.writestr("word/footnotes.xml", f"<w:footnotes {SPACE}>{NOTES}</w:footnotes>")
        package.writestr("word/header1.xml", f"<w:hdr {SPACE}>{p('Draft')}</w:hdr>")
        package.writestr("docProps/core.xml", CORE)
        for name, content in parts.items():
            package.writestr(f"docProps/{name}.xml", content)
    return out.getvalue()


def read(body: str, **parts: str) -> Document:
    content = docx(body, **parts)
    return read_docx(content, "plans/a.docx", UnpackedSize(len(content), 10**9, 200))


def test_headings_and_lists_have_the_numbers_that_word_shows() -> None:
    inner = '<w:numPr><w:ilvl w:val="1"/><w:numId w:val="2"/></w:numPr>'
    document = read(
        p("Contents", "T")
        + p("Aims", "H1")
        + p("be quick", inside=inner)
        + p("be sure", inside=inner)
        + p("Means", "H1")
    )
    assert document.text.split("\n\n") == ["# 1. Aims", "1.a) be quick", "1.b) be sure", "# 2. Means"]
    assert document.title == "Plan" and document.metadata == {"author": "Ann Lee", "modified": "2024-05-06"}
    assert document.dropped == {"headers_and_footers": 5, "table_of_contents": 8}


def test_deleted_text_is_no_text_inserted_and_controlled_text_is_and_notes_follow_their_paragraph() -> None:
    document = read(
        "<w:p><w:r><w:t>Sales rose</w:t></w:r><w:del><w:r><w:delText> twice</w:delText></w:r></w:del>"
        "<w:ins><w:r><w:t> by 3%</w:t></w:r></w:ins><w:r><w:footnoteReference w:id='2'/></w:r>"
        "<w:sdt><w:sdtContent><w:r><w:t> in May.</w:t></w:r></w:sdtContent></w:sdt>"
        "<w:r><w:rPr><w:vanish/></w:rPr><w:t>unseen</w:t></w:r></w:p>"
        f"<w:sdt><w:sdtContent>{p('A control of its own.')}</w:sdtContent></w:sdt>"
    )
    assert document.text.split("\n\n") == ["Sales rose by 3% (1) in May.", "(1) As restated.", "A control of its own."]
    assert [block.kind for block in document.blocks] == ["text", "footnote", "text"]
    assert document.dropped["deleted_text"] == 6 and document.dropped["hidden_text"] == 6


def test_a_text_box_is_read_once_and_merged_cells_keep_their_columns() -> None:
    box = f"<w:txbxContent>{p('In a box.')}</w:txbxContent>"
    both = (
        '<w:p><w:r><mc:AlternateContent xmlns:mc="urn:mc"><mc:Choice><w:drawing>'
        f"{box}</w:drawing></mc:Choice><mc:Fallback><w:pict>{box}</w:pict></mc:Fallback></mc:AlternateContent></w:r></w:p>"
    )

    def cell(text: str, inside: str = "") -> str:
        return f"<w:tc><w:tcPr>{inside}</w:tcPr>{p(text)}</w:tc>"

    wide, begins, goes_on = '<w:gridSpan w:val="2"/>', '<w:vMerge w:val="restart"/>', "<w:vMerge/>"
    rows = [
        cell("Region", begins) + cell("2024", wide),
        cell("", goes_on) + cell("Plan") + cell("Actual"),
        cell("North") + cell("10") + cell("12"),
    ]
    table = "<w:tbl>" + "".join(f"<w:tr>{row}</w:tr>" for row in rows) + "</w:tbl>"
    document = read(both + p("Results", "C") + table)
    assert document.text.split("\n\n") == [
        "In a box.",
        "Results",
        "| Region | 2024 Plan | 2024 Actual |\n|---|---|---|\n| North | 10 | 12 |",
    ]
    assert document.blocks[1].kind == "caption"


def test_figures_below_each_other_in_one_row_are_rows() -> None:
    def cell(*texts: str) -> str:
        return f"<w:tc>{''.join(p(text) for text in texts)}</w:tc>"

    stacked = cell("", "Income", "Tax") + cell("€", "17,542", "388") + cell("€", "9", "0", "")
    rows = [cell("") + cell("2006") + cell("2007"), stacked]
    table = "<w:tbl>" + "".join(f"<w:tr>{row}</w:tr>" for row in rows) + "</w:tbl>"
    assert read(table).text.endswith("| Income | € 17,542 | € 9 |\n| Tax | 388 | 0 |")


def test_pages_are_those_that_word_set_and_an_authors_breaks_where_they_are_all() -> None:
    broken = p("One.") + "<w:p><w:r><w:lastRenderedPageBreak/><w:t>Two.</w:t></w:r></w:p>"
    assert [place.name for place in read(broken).places] == ["page 1", "page 2"]
    forced = p("One.") + '<w:p><w:r><w:br w:type="page"/></w:r></w:p>' + p("Two.")
    assert [place.name for place in read(forced, app="<P><Pages>2</Pages></P>").places] == ["page 1", "page 2"]
    assert read(forced, app="<P><Pages>3</Pages></P>").places == ()  # a page begins where nobody can tell


@pytest.mark.parametrize(
    ("number", "kind", "shown"),
    [(3, "lowerLetter", "c"), (28, "upperLetter", "BB"), (14, "lowerRoman", "xiv"), (0, "x", "0")],
)
def test_numbers_of_lists(number: int, kind: str, shown: str) -> None:
    assert write_number(number, kind) == shown


def test_a_book_chapter_of_a_publisher_keeps_its_listings_whole(shared: Path) -> None:
    content = (shared / "corpora/unseen/docx/rust-book-chapter10.docx").read_bytes()
    document = read_docx(content, "a.docx", UnpackedSize(len(content), 10**9, 200))
    assert "Listing 10-1 Finding the largest number in a list of numbers" in document.text
    assert "fn main() {\n1 let number_list = vec![34, 50, 25, 100, 65];\n2 let mut largest" in document.text
    assert document.dropped["comments"] and document.dropped["deleted_text"]
