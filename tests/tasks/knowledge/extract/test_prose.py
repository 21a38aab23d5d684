"""Prose gives the claims it makes of named things, and says why it gives no others."""

import pytest

from rarefy.data_contracts.rows import Chunk, Triplet
from rarefy.tasks.knowledge.extract.prose import extract_prose, prose_sentences
from rarefy.tasks.knowledge.extract.prose_grammar import Registrant
from rarefy.tasks.knowledge.extract.values import find_period, find_times, find_value_at
from rarefy.tasks.text.language import load


def facts(text: str, entity: str = "Acme Foods, Inc.", domain: str = "finance") -> list[Triplet]:
    chunk = Chunk("c", "d", 0, len(text), "text", "", text, 0, entity=entity, domain=domain)
    return list(extract_prose(chunk, entity, load("english")))


def accepted(text: str, entity: str = "Acme Foods, Inc.", domain: str = "finance") -> set[tuple[str, str, str]]:
    rows = facts(text, entity, domain)
    for row in rows:
        assert text[row.start : row.end] == row.source_sentence
        assert row.answer in row.source_sentence
        assert 1 <= len(row.relation.split()) <= 5
    return {(row.subject, row.relation, row.object) for row in rows if not row.rejected_because}


@pytest.mark.parametrize(
    ("text", "fact"),
    [
        (
            "On June 7, 2017, we acquired Hilltop Bakeries, Inc., a maker of bread.",
            ("acquired", "Hilltop Bakeries, Inc."),
        ),
        ("The Company was incorporated in Delaware.", ("was incorporated in", "Delaware")),
        ("Our headquarters are located in Springdale, Arkansas.", ("is headquartered in", "Springdale, Arkansas")),
        (
            "As of September 28, 2024, we had approximately 113,000 full-time employees.",
            ("employed", "approximately 113,000 full-time employees"),
        ),
        ("We compete with Nestlé, Danone and Unilever.", ("competes with", "Danone")),
        ("We utilize suppliers, such as Cargill and Bunge Limited, to make our flour.", ("has supplier", "Cargill")),
        (
            "We report our results in three operating segments: Beef; Pork; and Europe, Middle East and Africa.",
            ("has operating segment", "Europe, Middle East and Africa"),
        ),
    ],
)
def test_what_we_and_the_company_say_is_said_of_the_registrant(text: str, fact: tuple[str, str]):
    assert ("Acme Foods, Inc.", *fact) in accepted(text)


def test_without_a_registrant_we_is_nobody():
    assert accepted("We acquired Hilltop Bakeries, Inc. in 2017.", entity="") == set()


def test_a_price_is_said_of_what_was_bought():
    text = "In December 2024, we completed the acquisition of Hilltop Holding Corp. for a price of $1.9 billion."
    [price] = [row for row in facts(text) if row.relation == "was acquired for"]
    assert (price.subject, price.object, price.period) == ("Hilltop Holding Corp.", "$1.9 billion", "December 2024")
    assert (price.value, price.unit, price.scale) == ("1900000000", "USD", "billions")


def test_each_member_of_a_list_is_a_fact():
    found = accepted("Within speech, we compete with IBM, Microsoft and Google.")
    assert {fact[2] for fact in found} >= {"IBM", "Microsoft", "Google"}


def test_an_officer_is_known_by_the_apposition():
    text = "On August 29, 2024, Jeff Williams, the Company’s Chief Operating Officer, entered into a trading plan."
    assert ("Jeff Williams", "chief operating officer of", "Acme Foods, Inc.") in accepted(text)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("We may acquire Hilltop Bakeries, Inc.", "modal"),
        ("We did not acquire Hilltop Bakeries, Inc.", "negated"),
        ("If demand grows, we compete with Bunge Limited.", "conditional"),
        ("It acquired Hilltop Bakeries, Inc. in 2017.", "unresolved_reference"),
    ],
)
def test_what_is_not_claimed_is_rejected_with_its_reason(text: str, reason: str):
    assert accepted(text) == set()
    assert reason in {row.rejected_because for row in facts(text)}


@pytest.mark.parametrize(
    "text",
    [
        "We have audited the consolidated balance sheets of Acme Foods, Inc.",
        "# We acquired Hilltop Bakeries, Inc.",
        "| We | acquired | Hilltop Bakeries, Inc. |",
        "Did we acquire Hilltop Bakeries, Inc.?",
        "We expect to acquire Hilltop Bakeries, Inc.",
        "Net sales were $5 billion, $6 billion and $7 billion in 2012, 2013 and 2014, respectively.",
    ],
)
def test_tables_headings_auditors_questions_and_plans_claim_nothing(text: str):
    assert accepted(text) == set()


def test_a_surname_is_completed_from_the_chunk_or_not_used():
    text = "Thomas P. Hayes is our president.\n\nMr. Hayes joined Sara Lee Corporation in 2006."
    assert ("Thomas P. Hayes", "joined", "Sara Lee Corporation") in accepted(text)
    assert accepted("Mr. Hayes joined Sara Lee Corporation in 2006.") == set()


def test_regulations_state_duties_by_reference():
    found = accepted("The PHA must comply with 24 CFR part 35.", entity="", domain="policy")
    assert found == {("PHA", "must comply with", "24 CFR part 35")}


def test_minutes_state_the_target_rate():
    text = "The Committee decided today to keep its target for the federal funds rate at 1-3/4 percent."
    found = accepted(text, entity="Federal Open Market Committee", domain="economics")
    assert ("Federal Open Market Committee", "kept target rate at", "1-3/4 percent") in found


def test_a_line_break_inside_a_sentence_is_kept_in_its_span():
    text = "On June 7, 2017, we acquired\nHilltop Bakeries, Inc."
    assert [p.text for p in prose_sentences("We like bread\nand acquired Hilltop Bakeries, Inc. for $5 million.")]
    assert all(text[row.start : row.end] == row.source_sentence for row in facts(text))


def test_short_names_of_the_registrant_are_known():
    assert "netapp" in Registrant("NetApp, Inc.").short
    assert "meta" in Registrant("Meta Platforms, Inc.").short
    assert "coca-cola" in Registrant("The Coca-Cola Company").short
    assert "general" not in Registrant("General Motors Company").short


def test_values_are_scaled_and_times_are_found():
    text = "We paid approximately $2.1 billion in fiscal 2024 under the Act of 2002."
    value = find_value_at(text, text.index("$"), text.index("$") + 1)
    assert value is not None
    assert (value.written, value.number, value.unit) == ("approximately $2.1 billion", "2100000000", "USD")
    assert find_times(text) == ["fiscal 2024"]
    assert find_period("We have sold bread since 2011.") == ("", 0)


def test_a_chunk_gives_the_same_rows_each_time():
    text = "Within speech, we compete with IBM, Microsoft and Google. The Company was incorporated in Delaware."
    assert facts(text) == facts(text)


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
