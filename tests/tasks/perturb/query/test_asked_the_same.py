"""A question keeps its sense where a word or an order would turn it, and its grammar where a form would break it."""

from itertools import islice
from random import Random

import pytest

from rarefy.tasks.perturb.case import Case
from rarefy.tasks.perturb.config import PerturbConfig
from rarefy.tasks.perturb.query.grammar import grammar
from rarefy.tasks.perturb.query.paraphrase import paraphrase
from rarefy.tasks.perturb.query.surface import no_punctuation, proper_case, upper_case
from rarefy.tasks.perturb.query.synonyms import word


def made(make, text):
    """Everything that a perturbation makes of a question, whatever is drawn."""
    case = Case("c", "query", text)
    return {d.text for seed in range(6) for d in islice(make(case, PerturbConfig(), Random(seed)), 30)}


@pytest.mark.parametrize(
    ("text", "never"),
    [
        ("Who is required to sign the annual report on Form 10-K?", "needed"),
        ("Is a tenant required to give 30 days' notice?", "needed"),
        ("What happened to the price of oil after the embargo ended?", "occurred"),
        ("Which employee was terminated by the company in 2019?", "ended"),
        ("How much did the company earn in 2023?", "gain"),
        ("By how much did net sales change in 2023?", "alter"),
        ("In which lines of business does the company operate?", "run"),
        ("What must the issuer maintain under 24 CFR part 320?", "keep"),
        ("Who produced the album in 1997?", "made"),
        ("Who used to play for the Chicago Bulls?", "utilized"),
        ("What holiday is observed on July 4?", "noted"),
        ("Where does the Rhine rise?", "climb"),
        ("Who finished first in the race?", "completed"),
        ("How much does the company expect to be paid in 2025?", "anticipate"),
        ("What error did the function return?", "mistake"),
        ("What was the primary outcome of the trial?", "result"),
        ("Who bought the house in the country?", "nation"),
        ("What is the threshold of a large accelerated filer?", "big"),
        ("What does the annual report say about wages?", "yearly"),
        ("Who started Microsoft in 1975?", "commenced"),
        ("How was the tower received by critics at first?", "got"),
        ("What was its revenue in fiscal year 2023 compared to fiscal year 2022?", "financial"),
    ],
)
def test_a_word_gives_way_only_where_the_other_says_the_same(text, never):
    assert not [t for t in made(word, text) if never in t.split() or f"{never}?" in t]


def test_a_condition_beside_a_word_can_forbid_its_synonym():
    assert "What occurred in Dallas on November 22, 1963?" in made(
        word, "What happened in Dallas on November 22, 1963?"
    )
    assert "To which nation was the tax owed?" in made(word, "To which country was the tax owed?")


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("Who did Beyoncé beat for the Grammy in 2004?", "Beyoncé beaten"),
        ("What did Abraham Lincoln read as a child?", "readed"),
        ("What does the will of the late duke say about his estate?", "wills"),
        ("What did Washington offer to do for Congress?", "offered what"),
        ("what does a red sky at night mean", "skies"),
        ("Which companies shut their plants in 2020?", "Which, in"),
        ("Where is the business it is investing in that offers storage?", "in which offers"),
    ],
)
def test_another_order_is_made_only_of_words_that_can_stand_in_it(text, wrong):
    assert not [t for t in made(grammar, text) if wrong in t]


def test_a_verb_that_is_as_its_past_is_told_in_it():
    assert "Abraham Lincoln read what as a child?" in made(grammar, "What did Abraham Lincoln read as a child?")


@pytest.mark.parametrize("make", [no_punctuation, upper_case, proper_case])
@pytest.mark.parametrize("code", ['`os.path.join("a", "b")`', "`x++ + ++x`"])
def test_code_in_a_question_stays_as_it_is_written(make, code):
    texts = made(make, f"In this script, what does {code} return?")
    assert texts
    assert all(code in text for text in texts)


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("What is required to buy a firearm in Texas?", "must"),
        ("What training is required to drive a truck?", "must"),
        ("What was the charge in NVIDIA's fiscal year 2023?", "'s the"),
        (
            "What is the North American Charging Standard now named as an industry standard, according to Tesla's "
            "fiscal 2024 10-K?",
            "what is the fiscal",
        ),
        ("What is the name of NVIDIA Corporation's first CPU, introduced in 2023?", "2023 is"),
        ("What is the modular design of the product intended to reduce?", "planned"),
        ("What is the modular design of the product that it sells intended to reduce?", "reduce is"),
        ("Where is the battery that it sells meant to store energy?", "energy is"),
        ("What was made dearer by the rates that banks raised as inflation increased?", "risen"),
        ("What would that portfolio consist of under the plan?", "are made"),
        ("Does the tenant have the right to a hearing?", "are entitled"),
        (
            "What investor status must a Depositor in the program certify that it has?",
            "tell me what investor status must",
        ),
        ("Which company did Amazon director Wendell P. Weeks lead as CEO as of January 29, 2025?", "at January"),
        ("What is being tested in the phase III trial NCT01234567?", "stage"),
        ("Can you list the directors appointed in 2021?", "Is it true"),
        ("Which law must a person who imports manufactured homes for resale comply with?", "produced"),
        ("How big was the house that the couple bought in the country?", "nation"),
        ("Who must give notice before vacating the unit?", "leaving"),
    ],
)
def test_a_paraphrase_asks_the_same_in_grammatical_words(text, wrong):
    assert not [t for t in made(paraphrase, text) if wrong in t]


def test_must_stands_for_a_duty_of_somebody():
    assert any("who must sign" in t.lower() for t in made(paraphrase, "Who is required to sign the annual report?"))
