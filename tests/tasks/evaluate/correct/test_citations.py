"""The titles of documents that an answer cites are cut out of it, and nothing else is."""

import pytest

from rarefy.tasks.evaluate.correct.citations import strip_citations

CUT = {
    "Alto grew, according to The Boeing Company, Form 10-K for fiscal year 2024.": "Alto grew",
    "According to Apple Inc., Form 10-K for fiscal year 2025: Services grew.": "Services grew.",
    "According to Apple Inc., Form 10-K for fiscal year 2025, Apple's net sales were $5.": "Apple's net sales were $5.",
    "In 1916, according to Boeing, Form 10-K for fiscal year 1934.": "In 1916",
    "In 2023, according to the Form 10-K, net income was $5.": "In 2023 net income was $5.",
    "According to the income statement, revenue was $5.": "revenue was $5.",
    "It was $5 (Apple Inc., Form 10-K for fiscal year 2025).": "It was $5.",
    "It was $5 - Apple Inc., Form 10-K for fiscal year 2025": "It was $5",
    "It was $5 as reported in Apple Inc.'s annual report for fiscal year 2023.": "It was $5",
    "According to Minutes of the Open Market Committee, June 16-17, 2015, it was 5%.": "it was 5%.",
}


@pytest.mark.parametrize("text", CUT)
def test_the_title_of_a_cited_document_is_cut(text):
    assert strip_citations(text) == CUT[text]


@pytest.mark.parametrize(
    "text",
    [
        "According to Apple Inc., Form 10-K for fiscal year 2025.",  # nothing else is left
        "according to the Survey of Professional Forecasters",  # no document by its name
        "It was founded according to Apple Inc. in 1976.",
        "It ends in 30 minutes.",
        "There are no costs in the income statements for FY2022, so that it is 0.",
        "It was set in 1938 with the passage of the Fair Labor Standards Act.",
        "In the table, 5 is shown.",
    ],
)
def test_what_is_no_citation_stays(text):
    assert strip_citations(text) == text
