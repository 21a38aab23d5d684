"""A synonym stands only where it says the same."""

import re
from itertools import islice
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rarefy.tasks.perturb.case import Case
from rarefy.tasks.perturb.config import PerturbConfig
from rarefy.tasks.perturb.query.synonyms import load_reviewed_synonyms, word
from rarefy.tasks.text import wordnet

QUESTIONS = [
    ("What was NVIDIA Corporation's Data Center revenue in fiscal year 2024?", "NVIDIA Corporation"),
    ("Which customers accounted for 10% or more of Apple Inc.'s net sales (in millions) in fiscal 2023?", "Apple Inc."),
    ("In which state is the company that purchased Activision for $68.7 billion located?", ""),
    ("Who is allowed to choose the auditor of JPMorgan Chase & Co.'s “annual report”?", "JPMorgan Chase & Co."),
]


@given(asked=st.sampled_from(QUESTIONS), seed=st.integers(0, 10_000))
@settings(max_examples=60, deadline=None)
def test_synonyms_leave_names_numbers_and_quotes_alone(asked, seed):
    text, entity = asked
    for draft in islice(word(Case("c", "query", text, entity=entity), PerturbConfig(), Random(seed)), 4):
        assert draft.text != text
        assert re.findall(r"\S*\d\S*", text) == re.findall(r"\S*\d\S*", draft.text)
        assert entity in draft.text
        assert re.findall(r"\b[A-Z]\w+", draft.text) == re.findall(r"\b[A-Z]\w+", text)
        assert "“annual report”" in draft.text or "“" not in text
        for move in draft.moves:
            assert text[move.start : move.end] == draft.text[move.at : move.at + move.end - move.start]


@pytest.mark.parametrize(
    ("text", "changed"),
    [
        ("What income did Apple report for 2011?", "What income did Apple record for 2011?"),
        ("Which bonus do they get at 37signals?", "Which bonus do they receive at 37signals?"),
        ("Why do such tests sometimes fail?", "Why do such tests occasionally fail?"),
        ("What does a member need to sign?", "What does a member have to sign?"),
        ("Is an employee paid for it?", "Is a staff member paid for it?"),
        ("How do you make sure that it runs?", "How do you ensure that it runs?"),
        ("What did shareholders' equity amount to?", "What did stockholders' equity amount to?"),
        ("Which manufacturers does it own?", "Which makers does it own?"),
        ("Where is an annual fee due?", "Where is a yearly fee due?"),
        ("When did Tesla purchase it?", "When did Tesla buy it?"),
        ("Which units were purchased there?", "Which units were bought there?"),
        ("What percentage of it was sold?", "What {share|portion} of it was sold?"),
    ],
)
def test_a_synonym_takes_the_form_of_the_word(text, changed):
    made = {draft.text for draft in word(Case("c", "query", text), PerturbConfig(), Random(1))}
    head, _, rest = changed.partition("{")
    options, _, tail = rest.partition("}")
    assert made == {head + o + tail for o in options.split("|")}


def test_what_every_question_of_a_report_has_is_changed_in_a_few_and_only_where_there_is_nothing_else():
    def changed(text):
        return [
            draft.text
            for n in range(300)
            for draft in islice(word(Case(f"q{n}", "query", text), PerturbConfig(), Random(n)), 1)
        ]

    assert set(changed("What was its income in fiscal year 2024?")) == {"What was its income in financial year 2024?"}
    assert 60 < len(changed("What was its income in fiscal year 2024?")) < 140
    assert set(changed("When did Tesla buy it in fiscal year 2024?")) == {
        "When did Tesla purchase it in fiscal year 2024?"
    }


@pytest.mark.parametrize(
    "text",
    [
        "",
        "How much did all employees earn?",
        "What was the acquisition of companies worth?",
        "What were employee related obligations in 2023?",
        "How do customers log in?",
        "What does the main thread do?",
        "What is the type of the value?",
        "What is the use of the index?",
        "What was the net revenue?",
        "What was the gross margin percentage?",
        "What was the net cash provided by operating activities?",
        "What were total current assets?",
        "What was the basic loss per share?",
        "What were the customer relationships worth?",
        "What is the “annual rent”?",
        "Who audits it?",
        "Which one has operating segment Asia?",
        "What were Apple's finished goods?",
        "What was the assisted rent?",
        "Which wholly owned unit is it?",
    ],
)
def test_no_synonym_is_better_than_a_wrong_one(text):
    assert list(word(Case("c", "query", text), PerturbConfig(), Random(0))) == []


def test_every_reviewed_pair_is_one_of_wordnets():
    for (lemma, pos), allowed in load_reviewed_synonyms().items():
        assert allowed.synonyms <= set(wordnet.synonyms(lemma, pos)), lemma


def test_a_megabyte_is_changed_or_left():
    text = "the annual fee is due " * 50_000
    made = next(word(Case("c", "query", text), PerturbConfig(share=0.01), Random(0)), None)
    assert made is None or made.text != text
