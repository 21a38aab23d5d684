"""Answers that tell a year of another thing, changes with their operands, and what a question itself offers."""

import pytest

from rarefy.data_contracts.rows import Question
from rarefy.tasks.evaluate.correct.offered import with_offers
from rarefy.tasks.evaluate.correct.single import judge_answer
from rarefy.tasks.questions.operands import candidates_of


def asked(text: str, answer: str, *aliases: str, **more: str) -> Question:
    return with_offers(Question("q", "p", "single", text, answer, aliases, (), (), (), (), **more))


LOWEST = asked(
    "In which fiscal year were Alto's net sales in China lowest: 2022, 2023, 2024 or 2025?", "fiscal year 2025"
)
AMONG = asked("Among Marlin, Larkspur and Alto, which had higher income in 2023 than in 2022?", "Larkspur and Alto")
FALL = asked(
    "By what amount did the capital expenditures of Alto decrease from fiscal 2022 to fiscal 2024?", "$3 million"
)
SHARE = asked("What was the percentage decrease in Alto's expenses from fiscal 2022 to fiscal 2024?", "15.2%")
TWO_YEARS = asked(
    "What was the fiscal year 2023 revenue of the segment that was given the goodwill acquired in fiscal year 2024?",
    "$15,068 million",
    period="fiscal year 2023",
)


@pytest.mark.parametrize(
    ("question", "text", "verdict"),
    [
        (LOWEST, "2025", "right"),
        (LOWEST, "It was fiscal 2025.", "right"),
        (LOWEST, "Based on the provided passages, the lowest year was 2025.", "right"),
        (LOWEST, "Net sales in China were lowest in fiscal year 2025, at $64,377 million.", "right"),
        (LOWEST, "Greater China net sales were lowest in 2025, compared with $66,952 million in 2024.", "right"),
        (LOWEST, "Americas net sales during 2025", "open"),
        (LOWEST, "Americas net sales in China were lowest in 2025", "open"),
        (LOWEST, "The weakness in currencies had an unfavorable impact on Americas net sales during 2025.", "open"),
        (LOWEST, "Japan net sales increased during 2025 compared to 2024 due to a weak yen", "open"),
        (LOWEST, "Gross margin in China was lowest in 2025", "open"),
        (LOWEST, "2023", "wrong"),
        (LOWEST, "Net sales were lowest in 2022", "wrong"),
        (AMONG, "Alto and Larkspur", "right"),
        (AMONG, "Larkspur and Alto and Marlin", "wrong"),
        (AMONG, "Alto", "wrong"),
        (FALL, "decreased by $3 million, from $4 million to $1 million", "right"),
        (FALL, "They fell from $4 million to $1 million, a decrease of $3 million.", "right"),
        (FALL, "changed by $3 million, to $1 million", "right"),
        (FALL, "decreased by $3 million, from $1 million to $4 million", "open"),
        (FALL, "decreased by $3 million, from $9 million to $1 million", "open"),
        (FALL, "decreased by $1 million, from $4 million to $3 million", "open"),
        (FALL, "decreased to $3 million from $6 million", "open"),
        (SHARE, "decreased by 15.2%, from $1,740 million to $1,476 million", "right"),
        (SHARE, "dropped from 20% to 15.2%", "open"),
        (TWO_YEARS, "In fiscal year 2024, total revenue came to $60,922 million", "wrong"),
        (TWO_YEARS, "In fiscal year 2024, revenue came to $15,068 million", "open"),
        (TWO_YEARS, "$15,068 million in 2023, up from $60,922 million in 2024", "right"),
    ],
)
def test_of_what_and_how_much(question, text, verdict):
    score = judge_answer(question, text)
    found = "open" if score.status != "scored" else "right" if score.value == 1 else "wrong"
    assert found == verdict, score.why


@pytest.mark.parametrize(
    ("text", "answer", "things", "members"),
    [
        ("Which grew faster: services or products?", "Services", ("Services", "products"), ()),
        ("Which spent more in 2023, Alto or Marlin Devices?", "Alto Inc.", ("Alto Inc.", "Marlin Devices"), ()),
        ("Which of Larkspur, Quill and Alto had more?", "Alto", ("Larkspur", "Quill", "Alto"), ()),
        ("Of Quill and Alto, which had more?", "Quill, Inc.", ("Quill, Inc.", "Alto"), ()),
        ("Was it lowest on: May 1, 2022; May 3, 2023; or May 2, 2024?", "May 3, 2023",
         ("May 1, 2022", "May 3, 2023", "May 2, 2024"), ()),
        ("Which had more than in 2022: Quill, Larkspur or Alto?", "Alto and Quill", ("Quill", "Larkspur", "Alto"),
         ("Alto", "Quill")),
        ("Who plays the doctor in Rivers and Alto, a film?", "Tom Quill", (), ()),
        ("What was revenue in 2023, in millions of dollars?", "$5", (), ()),
    ],
)  # fmt: skip
def test_what_a_question_offers(text, answer, things, members):
    question = asked(text, answer)
    assert (candidates_of(question), question.members) == (things, members)
    assert (question.chance > 0) == bool(things)
