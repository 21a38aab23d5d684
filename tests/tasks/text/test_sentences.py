"""Where sentences end, and where they seem to."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rarefy.tasks.text.sentences import sentences


@pytest.mark.parametrize(
    "parts",
    [
        ["The U.S. economy grew.", "Apple Inc. reported sales of $3.5 million.", "It fell."],
        ["See No. 5 and Note 4.", "The Company sold (i) this and (ii) that, e.g. in Sept. 2024."],
        ["He said “Stop.”", "Then he left.", "(See Note 4.)", "The end."],
        [
            "Ms. Roseman,1 Director, spoke to J. P. Morgan, Jr. about St. Louis.",
            "Mr. Kohn left at 1:00 p.m.",
            "The next",
        ],
        ["1. Business of the Company.", "See Item 1A. Risk Factors for more."],
        ["It grew.2", "The vote was taken."],
        [
            "It may (as directed by the Fund (IMF).1",
            "B. In close cooperation: A. To buy; and ii. At a fee.",
            "The end.",
        ],
        ["It takes effect on December 20, 2018.6", "It was agreed to.", "Rates rose 2.6 It was said."],
        ["It was held on Tuesday, May 3, at 9:00 a.m.", "PRESENT were all.", "It ended at 4:00 p.m. EST on Friday."],
        ["Rates vs. yields fell to 3.2 percent.", "iPhone net sales grew.", "Is it?", "Yes!", "Yahoo! Inc. grew."],
        ["It meets in Washington, D.C.", "On Tuesday it rose."],
        ["42 U.S.C. 3535(d) applies.", "24 CFR 320.3 does not."],
        ["第一句。", "第二句。"],
    ],
)
def test_sentences_end_where_a_reader_says(parts: list[str]) -> None:
    text = " ".join(parts)
    assert [text[a:b] for a, b in sentences(text)] == parts


def test_lines_of_a_list_and_paragraphs_are_sentences() -> None:
    text = "We sell:\n- phones\n- tablets\n\nA line\nwrapped. More"
    assert [text[a:b] for a, b in sentences(text)] == ["We sell:", "- phones", "- tablets", "A line\nwrapped.", "More"]


@given(st.text(alphabet=st.sampled_from('aB1 .?!\n()"”。-|#,;'), max_size=60))
def test_spans_are_in_order_and_cover_all_but_white_space(text: str) -> None:
    at = 0
    for start, end in sentences(text):
        assert start < end and not text[at:start].strip() and text[start:end] == text[start:end].strip()
        at = end
    assert not text[at:].strip()


def test_quotation_marks_alone_before_a_stop_are_no_word():
    text = "``Trick or treat ''. The`` treat'' is sweet."
    assert [text[a:b] for a, b in sentences(text)] == ["``Trick or treat ''.", "The`` treat'' is sweet."]
