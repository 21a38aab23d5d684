import re
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from rarefy.tasks.corpus.read import ReadConfig, read_corpus
from rarefy.tasks.corpus.read.text import read_text


def texts(text: str, source: str = "a.txt") -> list[tuple[str, str]]:
    document = read_text(text, source)
    return [(block.kind, document.text[block.start : block.end]) for block in document.blocks]


def test_paragraphs_stand_between_blank_lines_and_wrapped_lines_are_joined() -> None:
    wrapped = "The first paragraph of this text is wrapped\nat about forty characters as mail was\nin "
    wrapped += "its time.\n\nThe second."
    assert texts(wrapped) == [
        ("text", "The first paragraph of this text is wrapped at about forty characters as mail was in its time."),
        ("text", "The second."),
    ]


def test_lines_that_end_sentences_are_paragraphs_of_their_own() -> None:
    assert len(texts("This is a whole sentence.\nAnd this is the next one.\nThe third one ends here.")) == 3


def test_indented_lines_begin_paragraphs() -> None:
    text = "   A paragraph begins with some blanks\nand goes on without them as long as it\nlikes to.\n"
    text += "   The next one does likewise and goes\non for some time too."
    assert [kind for kind, _ in texts(text)] == ["text", "text"]


def test_a_beige_book_says_its_title_and_date(shared: Path) -> None:
    (row,) = read_corpus(shared / "corpora/economics/beige-book/1970-05.txt", ReadConfig())
    assert (row.title, row.period_end, row.domain) == (
        "Beige Book National Summary, May 20, 1970",
        "1970-05-20",
        "economics",
    )  # type: ignore[union-attr]
    assert row.entity == "Federal Reserve System"  # type: ignore[union-attr]


def test_minutes_on_one_line_get_paragraphs_sections_and_dates(shared: Path) -> None:
    folder = shared / "corpora/economics/fomc-minutes"
    file = folder / "MeetingDate=2015-06-16-2015-06-17_UploadedOn=20150708.txt"
    (row,) = read_corpus(file, ReadConfig())
    headings = [row.text[b.start : b.end].lstrip("# ") for b in row.blocks if b.kind == "heading"]  # type: ignore[union-attr]
    assert headings[0] == "Minutes of the Federal Open Market Committee June 16-17, 2015"
    assert "Staff Review of the Economic Situation" in headings and "Committee Policy Action" in headings
    assert (row.entity, row.period_end, row.as_of) == ("Federal Open Market Committee", "2015-06-17", "2015-07-08")  # type: ignore[union-attr]
    words = file.read_text("utf-8-sig").replace("Return to text", "").split()
    assert [word for word in row.text.split() if not set(word) <= {"#"}] == words  # type: ignore[union-attr]


@settings(max_examples=60, deadline=None)
@given(st.text(alphabet=st.sampled_from("aB. \n\t,é1"), max_size=400))
def test_no_word_of_a_text_is_lost(text: str) -> None:
    document = read_text(text, "a.txt")
    kept = "".join(re.sub(r"[#|-]", "", document.text).split())
    words = "".join(text.split())
    missing, dropped = len(words) - len(kept), sum(document.dropped.values())
    assert missing <= dropped <= missing + len(text) - len(words)  # what is dropped is counted with its blanks


def test_figures_that_stand_in_columns_are_a_table() -> None:
    text = """The results of the two years are these, as everybody will see at once.

                                  Year Ended December 31,
                                     1996          1995
                                  ---------     ---------
Net sales:
  Products ....................   $   1,234     $     987
  Services                              456           321
Loss on disposal                        (12)           --
Total                             $   1,678     $   1,308
                                  =========     =========

Sales rose because more was sold."""
    found = texts(text)
    assert [kind for kind, _ in found] == ["text", "table", "text"]
    assert found[1][1].split("\n") == [
        "|  | Year Ended December 31, 1996 | Year Ended December 31, 1995 |",
        "|---|---|---|",
        "| Net sales: |  |  |",
        "| Products | $1,234 | $987 |",
        "| Services | 456 | 321 |",
        "| Loss on disposal | (12) | -- |",
        "| Total | $1,678 | $1,308 |",
    ]


def test_an_underlined_line_is_a_title_without_its_line() -> None:
    faq = "XZ Utils FAQ\n============\n\nWhat do the letters mean?\n-------------------------\nNothing, they say.\n"
    document = read_text(faq, "faq.txt")
    assert document.title == "XZ Utils FAQ"
    assert [block for _, block in texts(faq)] == [
        "# XZ Utils FAQ",
        "What do the letters mean?",
        "Nothing, they say.",
    ]


def test_rules_of_box_characters_are_no_text() -> None:
    assert texts("The words of one are here.\n\n" + "─" * 40 + "\n\nThe words of two are here.") == [
        ("text", "The words of one are here."), ("text", "The words of two are here.")
    ]  # fmt: skip


def test_a_field_and_what_it_says_name_no_columns() -> None:
    fields = {"COMPANY NAME:": "ACME INC", "INDEX KEY:": "1035972", "IRS NUMBER:": "364140798", "YEAR END:": "1231"}
    text = "".join(f"{name:24}{said}\n" for name, said in fields.items())
    assert not any("| COMPANY NAME: |" in words.split("\n")[0] for _, words in texts(text))


def test_a_field_and_what_it_says_is_no_title() -> None:
    assert texts("Words of an address stand here.\n\nCITY:\t\tCHICAGO\n")[-1][0] == "text"
    assert texts("Chapter One: Pumps\n\nWords of it stand here.\n")[0][0] == "heading"
