"""Prose gives what a few sure forms of sentences say, and says why it gives no others."""

import pytest

from rarefy.data_contracts.rows import Chunk, Document, Triplet
from rarefy.tasks.knowledge.extract.prose import extract_prose, prose_sentences
from rarefy.tasks.knowledge.extract.values import find_period, find_times, find_value_at

ACME = "Acme Foods, Inc."


def facts(text: str, entity: str = ACME) -> list[Triplet]:
    chunk = Chunk("c", "d", 0, len(text), "text", "", text, 0, entity=entity)
    return list(extract_prose(chunk, Document("d", "", "", "", "", text, entity=entity, fiscal_year=2024)))


def accepted(text: str, entity: str = ACME) -> set[tuple[str, str, str]]:
    rows = [row for row in facts(text, entity) if not row.rejected_because]
    for row in rows:
        assert text[row.start : row.end] == row.source_sentence
        assert row.answer in row.source_sentence
    return {(row.subject, row.relation, row.object) for row in rows}


@pytest.mark.parametrize(
    ("text", "fact"),
    [
        (
            "On June 7, 2017, we acquired all of the outstanding stock of Hilltop Bakeries, Inc., a maker of bread.",
            ("Hilltop Bakeries, Inc.", "was acquired by", ACME),
        ),
        ("Hilltop, Inc. was acquired by the Company in 1984.", ("Hilltop, Inc.", "was acquired by", ACME)),
        ("Our wholly owned insurance subsidiary, Astro Ltd., is in Vermont.", ("Astro Ltd.", "is subsidiary of", ACME)),
        ("The Company owns a 43% interest in Shanghai Resort.", (ACME, "owns interest in", "Shanghai Resort")),
        (
            "As of September 28, 2024, we had approximately 113,000 full-time employees in 35 countries.",
            (ACME, "employed", "approximately 113,000 full-time employees"),
        ),
        (
            "As of August 13, 2012, we operated approximately 800 retail stores.",
            (ACME, "operated", "approximately 800 retail stores"),
        ),
        (
            "On August 29, 2024, Jeff Williams, the Company’s Chief Operating Officer, entered into a trading plan.",
            ("Jeff Williams", "chief operating officer of", ACME),
        ),
    ],
)  # fmt: skip
def test_a_form_says_it_of_the_company_of_the_document(text: str, fact: tuple[str, str, str]):
    assert accepted(text) == {fact}


def test_without_a_company_we_is_nobody():
    assert facts("We acquired Hilltop Bakeries, Inc. in 2017.", entity="") == []


def test_an_interest_is_that_of_the_report():
    [row] = facts("The Company owns a 43% interest in Shanghai Resort, which opened in June 2016.")
    assert row.period == "fiscal year 2024"


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("If we acquired Hilltop Bakeries, Inc., we would owe more.", "conditional"),
        ("As of June 30, 2012, we had approximately 500 employees engaged in research.", "restricted_amount"),
        ("We had approximately 69 customer care employees at June 30, 2003.", "restricted_amount"),
        ("In May, Kim Q. Lee, our Chief Financial Officer, retired.", "past_office"),
        ("He worked at Hilltop, Inc., our wholly owned subsidiary.", "owner_not_said"),
    ],
)
def test_what_is_not_sure_is_rejected_with_its_reason(text: str, reason: str):
    assert accepted(text) == set()
    assert reason in {row.rejected_because for row in facts(text)}


@pytest.mark.parametrize(
    "text",
    [
        "We have audited the consolidated balance sheets of Acme Foods, Inc., which we acquired in 2001.",
        "# We acquired Hilltop Bakeries, Inc.",
        "| We | acquired | Hilltop Bakeries, Inc. |",
        "Did we acquire Hilltop Bakeries, Inc.?",
        "We may acquire Hilltop Bakeries, Inc.",
        "We would have acquired Hilltop Bakeries, Inc.",
        "We did not acquire Hilltop Bakeries, Inc.",
        "It acquired Hilltop Bakeries, Inc. in 2017.",
        "We acquired Treasury shares in 2017.",
        "We acquired the remaining interest of Hilltop’s owner in 2017.",
        "Kim Q. Lee, our former Vice President, left.",
    ],
)
def test_tables_headings_auditors_questions_and_plans_claim_nothing(text: str):
    assert accepted(text) == set()


def test_a_line_break_inside_a_sentence_is_kept_in_its_span():
    text = "On June 7, 2017, we acquired\nHilltop Bakeries, Inc."
    assert [p.text for p in prose_sentences("We like bread\nand acquired Hilltop Bakeries, Inc. for $5 million.")]
    assert all(text[row.start : row.end] == row.source_sentence for row in facts(text))


def test_values_are_scaled_and_times_are_found():
    text = "We paid approximately $2.1 billion in fiscal 2024 under the Act of 2002."
    value = find_value_at(text, text.index("$"), text.index("$") + 1)
    assert value is not None
    assert (value.written, value.number, value.unit) == ("approximately $2.1 billion", "2100000000", "USD")
    assert find_times(text) == ["fiscal 2024"]
    assert find_period("We have sold bread since 2011.") == ("", 0)


@pytest.mark.parametrize(
    ("text", "at", "expected"),
    [
        ("Earnings rose 2-1/4 percent over the year.", "percent", ("2-1/4 percent", "PERCENT", "2.25", "percent", "")),
        ("Losses were $(18) million in 2024.", "million", ("$(18) million", "MONEY", "-18000000", "USD", "millions")),
        ("It sold a unit ($18 million) in May.", "million", ("$18 million", "MONEY", "18000000", "USD", "millions")),
        ("It was over $1.1 trillion.", "$", ("over $1.1 trillion", "MONEY", "1100000000000", "USD", "trillions")),
        ("It pays $1.76 per share.", "$", ("$1.76 per share", "MONEY", "1.76", "USD/shares", "")),
        ("It pays $5 million per year.", "$", ("$5 million per year", "MONEY", "5000000", "USD/years", "millions")),
        ("It has about 166,000 full-time staff members.", "166", (
            "about 166,000 full-time staff members", "NUMBER", "166000", "members", ""
        )),
        ("Rates rose 2 to 3 percent.", "2", None),
        ("It filed Form 10-K.", "10", None),
    ],
)  # fmt: skip
def test_an_amount_of_a_sentence_is_read_whole_with_its_sign_unit_and_scale(text, at, expected):
    place = text.index(at)
    value = find_value_at(text, place, place + len(at))
    found = value and (value.written, value.type, value.number, value.unit, value.scale)
    assert found == expected
