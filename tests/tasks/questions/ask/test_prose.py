"""Questions about facts found in prose."""

from dataclasses import replace

import pytest

from rarefy.data_contracts.rows import Triplet
from rarefy.tasks.questions.ask.facts import ask_for_figure, ask_for_subject, ask_prose_fact, ask_prose_share


def fact(
    relation, answer, period="", kind="ORG", subject="The Acme Company", entity="The Acme Company", subject_type="ORG"
):
    return Triplet(
        "t", "c", "d", 0, 1, subject, relation, answer, "s", "prose", subject_type, kind, answer=answer, period=period,
        entity=entity,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("triplet", "question"),
    [
        (
            fact("operated", "about 800 retail stores", "August 13, 2012", "NUMBER"),
            "How many retail stores did the Acme Company operate as of August 13, 2012?",
        ),
    ],
)
def test_a_form_that_fits_makes_a_question(triplet, question):
    assert ask_prose_fact(triplet, triplet.subject) == question


@pytest.mark.parametrize(
    "triplet",
    [
        fact("employed", "many people", "2024", "NUMBER"),
        fact("employed", "about 800 people", "", "NUMBER"),
        fact("is subsidiary of", "Beta Inc."),
    ],
)
def test_what_no_form_fits_is_not_asked(triplet):
    assert ask_prose_fact(triplet, triplet.subject) is None


def test_what_was_bought_on_a_day_is_asked_for_and_what_in_a_year_is_not():
    bought = fact("was acquired by", "The Acme Company", "March 17, 2022", subject="Beta Inc.")
    assert ask_for_subject(bought, bought.object) == "Which company did the Acme Company acquire on March 17, 2022?"
    assert ask_for_subject(replace(bought, period="2022"), bought.object) is None


def test_an_office_said_in_passing_is_not_asked_of_a_year():
    office = fact("chief financial officer of", "The Acme Company", "May 2, 2024", subject="Kim Lee")
    assert ask_for_subject(office, office.object) is None


def test_a_share_is_asked_for_as_the_report_of_a_year_has_it():
    interest = replace(
        fact("owns interest in", "Flash Partners", "fiscal year 2016", kind="TEXT"),
        source_sentence="We have a 49.9% ownership interest in Flash Partners.",
    )
    question = (
        "What percentage interest did the Acme Company have in Flash Partners according to its annual report for "
        "fiscal year 2016?"
    )
    assert ask_prose_share(interest) == (question, "49.9%")
    assert ask_prose_share(replace(interest, period="")) is None
    assert ask_prose_share(replace(interest, source_sentence="We have an interest in Flash Partners.")) is None


def test_a_described_segment_is_not_named_beside_its_description():
    profit = replace(
        fact("operating income", "5", "fiscal year 2024", "MONEY", "The Acme Company Apps", subject_type="SEGMENT"),
        unit="USD", scale="millions", period_start="2024-01-01", method="table",
    )  # fmt: skip
    described = ask_for_figure(profit, "the segment that includes Reels")
    assert described is not None
    assert "Apps" not in described
