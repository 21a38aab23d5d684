"""Questions asked otherwise."""

import pytest

from rarefy.tasks.text.syntax import parse_measure_question, reorder_question, rephrase_measure_question
from rarefy.tasks.text.syntax.questions import plainly

REVENUE = "What was Apple Inc.'s revenue in fiscal year 2024, in millions of US dollars?"
NOTES = (
    "In fiscal year 2024, what was the operating income, in millions of US dollars, of the company that issued the "
    "1.050% Notes due 2026?"
)


def test_a_question_for_a_measure_is_taken_apart():
    parts = parse_measure_question(REVENUE)
    assert parts and (parts.owner, parts.measure) == ("Apple Inc.", "revenue")
    assert (parts.time, parts.unit) == ("in fiscal year 2024", "in millions of US dollars")


def test_a_measure_is_asked_for_in_every_frame():
    parts = parse_measure_question(REVENUE)
    assert parts
    found = [text for _, text in rephrase_measure_question(parts)]
    assert "In fiscal year 2024, what was Apple Inc.'s revenue, in millions of US dollars?" in found
    assert "What was the revenue of Apple Inc. in fiscal year 2024, in millions of US dollars?" in found
    assert "What did Apple Inc.'s revenue amount to in fiscal year 2024, in millions of US dollars?" in found
    assert "Can you tell me what Apple Inc.'s revenue was in fiscal year 2024, in millions of US dollars?" in found


def test_a_time_never_comes_to_stand_in_the_clause_on_a_company():
    parts = parse_measure_question(NOTES)
    assert parts
    for _, text in rephrase_measure_question(parts):
        assert "2026 in fiscal" not in text


@pytest.mark.parametrize(
    "question", [REVENUE, "What were Tesla, Inc.'s net sales in China in fiscal 2023, in US dollars?"]
)
def test_the_frames_of_one_question_are_one_plain_question(question):
    parts = parse_measure_question(question)
    assert parts
    assert {plainly(text) for _, text in rephrase_measure_question(parts)} == {plainly(question)}


def test_other_questions_stay_other_questions():
    others = [
        REVENUE,
        REVENUE.replace("2024", "2023"),
        REVENUE.replace("Apple", "Tesla"),
        REVENUE.replace("revenue", "net revenue"),
        REVENUE.replace("millions", "thousands"),
    ]
    assert len({plainly(text) for text in others}) == len(others)


ASKED = [
    ("Who founded Apple in 1976?", "By whom was Apple founded in 1976?"),
    ("When was the Eiffel Tower built?", "Can you tell me when the Eiffel Tower was built?"),
    ("Where did the author of Hamlet live?", "I would like to know where the author of Hamlet lived."),
    ("Who won the Nobel Prize in Physics in 1921?", "In 1921, who won the Nobel Prize in Physics?"),
    ("Did Apple acquire a company in 2014?", "Is it true that Apple acquired a company in 2014?"),
    ("In which city is the company whose chief is A. B. headquartered?",
     "The company whose chief is A. B. is headquartered in which city?"),
    ("How many people live in Paris?", "What number of people live in Paris?"),
    ("According to the 2024 Form 10-K, who audits Walmart?", "Who audits Walmart, according to the 2024 Form 10-K?"),
]  # fmt: skip


@pytest.mark.parametrize(("question", "wanted"), ASKED, ids=[q[:40] for q, _ in ASKED])
def test_a_question_is_asked_otherwise(question, wanted):
    assert wanted in [text for _, text in reorder_question(question)]


@pytest.mark.parametrize(
    "question",
    ["", "?", "No question.", "Who did not sue Apple?", "What? When?", "مرحبا؟", "😀?", "what team " * 200 + "?"],
)
def test_what_is_in_doubt_is_left(question):
    assert reorder_question(question) == ()
    assert parse_measure_question(question) is None


def test_a_question_word_that_is_an_object_does_not_stand_as_a_subject():
    assert all("tell me what year did" not in text for _, text in reorder_question("What year did the Titanic sink?"))


@pytest.mark.parametrize(
    ("question", "made"),
    [
        (
            "Under 24 CFR 581.5, within how many days will HUD reply?",
            "Within how many days will HUD reply, under 24 CFR 581.5?",
        ),
        (
            "Under 24 CFR 581.5, within how many days will HUD reply?",
            "According to 24 CFR 581.5, within how many days will HUD reply?",
        ),
        (
            "By how much did it rise, according to the minutes of June 18-19, 2019?",
            "According to the minutes of June 18-19, 2019, by how much did it rise?",
        ),
        (
            "Which team at 37signals orders the computer of a new employee?",
            "Can you tell me which team at 37signals orders the computer of a new employee?",
        ),
    ],
)  # fmt: skip
def test_a_source_moves_and_a_subject_is_asked_for_indirectly(question, made):
    assert made in {text for _, text in reorder_question(question)}


@pytest.mark.parametrize(
    ("question", "wrong"),
    [
        ("Which book are all employees encouraged to read about it?", "which book are"),
        (
            "For how many weeks can a Colorado resident take paid leave to manage a serious health condition?",
            "paid can",
        ),
        ("In which city is the office of the maker of which Fickett became president in March 2002?", "In March 2002"),
        ("How many times a week are they required to answer?", "number of times"),
    ],
)  # fmt: skip
def test_what_is_not_certain_is_asked_in_no_other_way(question, wrong):
    assert not [text for _, text in reorder_question(question) if wrong in text]
