"""Questions about facts found in prose."""

from dataclasses import replace

import pytest

from rarefy.data_contracts.rows import Triplet
from rarefy.tasks.knowledge.extract.prose import is_link
from rarefy.tasks.questions.ask.facts import ask_prose_fact, ask_prose_part


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
            fact("acquired", "Beta Inc.", "March 17, 2022"),
            "Which company was acquired on March 17, 2022 by the Acme Company?",
        ),
        (fact("was acquired for", "$2 billion"), "For what price was the Acme Company acquired?"),
        (fact("is operated by", "Oriental Land Co."), "Who is the Acme Company operated by?"),
        (fact("sold", "Miramax", "December 3, 2010"), "What did the Acme Company sell on December 3, 2010?"),
        (
            fact("delivered", "about 1,789,000 vehicles", "2024", "NUMBER"),
            "How many vehicles did the Acme Company deliver in 2024?",
        ),
        (fact("was founded in", "1975"), "In which year was the Acme Company founded?"),
    ],
)
def test_a_form_that_fits_makes_a_question(triplet, question):
    assert ask_prose_fact(triplet, triplet.subject) == question


@pytest.mark.parametrize(
    "triplet",
    [
        fact("acquired", "Beta Inc."),  # which of many?
        fact("sold", "Miramax", "2010"),
        fact("evangelizes", "AI"),
        fact("includes", "Walt Disney Records"),
        fact("is subsidiary of", "the Company", subject="Janssen"),
        fact("delivered", "many vehicles", "2024", "NUMBER"),
    ],
)
def test_what_no_form_fits_is_not_asked(triplet):
    assert ask_prose_fact(triplet, triplet.subject) is None


def test_only_what_singles_out_may_link_facts():
    assert is_link(fact("acquired", "Beta Inc."))
    assert is_link(fact("chief financial officer of", "The Acme Company", subject="Kim Lee", subject_type="PERSON"))
    assert not is_link(
        fact("chief executive officer of", "x", subject="Chief Financial Officer", subject_type="PERSON")
    )
    assert not is_link(fact("is investing in", "Reels"))
    assert not is_link(fact("acquired", "Beta Inc.", subject="Somebody else"))


def test_a_share_and_a_part_are_asked_for_by_their_own_words():
    interest = replace(
        fact("has interest in", "Flash Partners", kind="TEXT"),
        source_sentence="We have a 49.9% ownership interest in Flash Partners.",
    )
    assert ask_prose_part(interest) == (
        "What percentage interest does the Acme Company have in Flash Partners?",
        "49.9%",
    )
    part = replace(
        fact("includes", "GeForce GPUs", kind="TEXT", subject="Graphics segment"),
        source_sentence="The Graphics segment includes GeForce GPUs.",
    )
    assert ask_prose_part(part) == ("To which segment of the Acme Company do GeForce GPUs belong?", "Graphics segment")
    assert ask_prose_part(replace(part, object="Data Center platform")) == (
        "To which segment of the Acme Company does the Data Center platform belong?",
        "Graphics segment",
    )
    country = replace(part, subject="Mexico", source_sentence="Walmart operates in Mexico (which includes Honduras).")
    assert ask_prose_part(country) is None, "a list of countries has no units"
    assert ask_prose_part(replace(interest, source_sentence="We have an interest in Flash Partners.")) is None
    assert ask_prose_part(replace(part, source_sentence="The unit includes GeForce GPUs.")) is None
