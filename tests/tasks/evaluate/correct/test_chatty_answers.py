"""Answers in the manner of a language model: chatty refusals, cash that flows the other way, scales and hedges."""

from dataclasses import replace

import pytest

from rarefy.data_contracts.rows import Answer, Question, Trial
from rarefy.tasks.evaluate.correct import CorrectConfig, score


def _ask(text, gold, *aliases, pattern="single"):
    return Question("q", "p", pattern, text, gold, aliases, (), (), (), ())


def verdict(question, text):
    trials = {"t": Trial("t", "rare", "q", "gold", "passages", "v")}
    (row,) = score([Answer("t", "s", "a", text)], CorrectConfig(), trials=trials, questions={"q": question})
    return {1.0: "right", 0.0: "wrong", None: "open"}[row.value]


ABSENT = _ask("What was Larkspur's capital expenditure in the third quarter of 2023?", "no such info", pattern="absent")
FINANCING = _ask(
    "How much net cash did Larkspur use in financing activities in fiscal 2023?",
    "8,310",
    "$8,310 million",
    "$8.3 billion",
)
SHOWN = _ask(
    "Using the cash flow statement, what was Larkspur's capital expenditure in 2023?", "$4,625", "$4,625 million"
)
STOCK = _ask("How much was spent on treasury stock in 2023?", "111", "$111 million")
SMALL = _ask("What did Larkspur report as other costs?", "2", "$2 million")
INCOME = _ask("What was Larkspur's interest income in 2023?", "907", "$907 million")
BASIC = _ask("What were Larkspur's basic earnings per share in 2023?", "2.20", "$2.20")
SHARE = _ask("What was the unemployment rate?", "2.7%", "2.7 percent")
PERSON = _ask("Who leads the project?", "Ravi Osei")
TITLE = _ask("What is the position of Ms. Hale?", "Managing director")
PHONE = _ask("What is the phone number of the office?", "01539 555 020")
COVERED = _ask("Are contractors covered by the leave policy?", "No")
NOBODY = _ask("Who objected to the plan?", "Nobody")


@pytest.mark.parametrize(
    ("question", "text", "expected"),
    [
        (SHOWN, "The amount is $4.625 billion, as provided in the statement of cash flows.", "right"),
        (ABSENT, "No quarterly figure is disclosed.", "right"),
        (ABSENT, "Only annual figures are given.", "right"),
        (ABSENT, "The document only reports annual figures.", "right"),
        (ABSENT, "The filing only gives the full-year figure of $1,852 million, not Q3.", "right"),
        (ABSENT, "The report does not break out spending by quarter; for the full year 2023 it was $1,852 million.",
         "right"),
        (ABSENT, "Larkspur's 10-K does not report Q3 2023 capital expenditures separately. "
         "The annual total was $1,852 million (2022: $1,484 million).", "right"),
        (ABSENT, "The 10-K does not break it out. However, the annual total was $1,852 million.", "right"),
        (ABSENT, "No capital expenditure appears there for the quarter.", "open"),
        (ABSENT, "It was $463 million.", "wrong"),
        (ABSENT, "Larkspur only reports $463 million for that quarter.", "wrong"),
        (ABSENT, "The report does not break it out, but it was $463 million in Q3.", "wrong"),
        (FINANCING, "Financing activities used $8,310 million.", "right"),
        (FINANCING, "Net cash used in financing activities was $8,310 million.", "right"),
        (FINANCING, "Financing activities provided $8,310 million.", "wrong"),
        (FINANCING, "It received $8,310 million from financing.", "wrong"),
        (FINANCING, "A net inflow of $8.31 billion", "wrong"),
        (FINANCING, "A net outflow of $8.31 billion", "open"),
        (STOCK, "It received $111 million", "wrong"),
        (STOCK, "It spent $111 million", "right"),
        (STOCK, "$111 million was paid.", "right"),
        (STOCK, "111 dollars", "open"),
        (SMALL, "$2", "open"),
        (SMALL, "2", "right"),
        (SMALL, "$2 million", "right"),
        (INCOME, "Interest income was $907 million", "right"),
        (INCOME, "Interest expense was $907 million", "open"),
        (BASIC, "Basic EPS: $2.20; diluted EPS: $2.19", "right"),
        (BASIC, "Diluted EPS: $2.20", "open"),
        (SHARE, "about 3 percent", "open"),
        (SHARE, "about 5 percent", "wrong"),
        (PERSON, "Ravi Osei, I think.", "right"),
        (PERSON, "It's Ravi Osei, I believe.", "right"),
        (TITLE, "the managing directors' assistant", "open"),
        (PHONE, "01539555020", "right"),
        (PHONE, "01539555021", "wrong"),
        (NOBODY, "No one", "right"),
    ],
)  # fmt: skip
def test_chatty_answers(question, text, expected):
    assert verdict(question, text) == expected


def test_a_denial_in_the_words_of_a_question_for_yes_or_no_is_no_refusal():
    for text in ("Contractors are not covered.", "Contractors are not covered by the policy."):
        assert verdict(COVERED, text) == "right"
        assert verdict(replace(COVERED, answer="Yes"), text) == "wrong"
    assert verdict(COVERED, "This is not covered in the documents.") == "wrong"  # a refusal
