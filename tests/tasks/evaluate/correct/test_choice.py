"""Whoever repeats all that may be chosen has not answered; whoever names another thing alone is wrong."""

import pytest

from rarefy.data_contracts.rows import Question
from rarefy.tasks.evaluate.correct.config import CorrectConfig
from rarefy.tasks.evaluate.correct.verdict import match_answer, read_gold

COMPANIES = Question(
    "q", "p", "comparison", "Which company had the higher net income in 2024, Apple Inc. or Microsoft Corporation?",
    "Apple Inc.", ("Apple",), (), (), (), (), entity="Apple Inc.", chance=0.5,
    arithmetic="largest [93 | 88] of {Apple Inc. | Microsoft Corporation} = 93; not rounded; USD",
)  # fmt: skip
YEARS = Question(
    "q", "p", "superlative", "In which of the fiscal years 2022, 2023 and 2024 was X's revenue highest?",
    "fiscal year 2023", ("2023",), (), (), (), (), chance=1 / 3,
    arithmetic="largest [1 | 3 | 2] of {fiscal year 2022 | fiscal year 2023 | fiscal year 2024} = 3; not rounded; USD",
)  # fmt: skip
NUMBERED = Question(
    "q", "p", "comparison", "Which had the higher net income in 2024: (1) Apple Inc. or (2) Microsoft Corporation?",
    "Apple Inc.", ("Apple",), (), (), (), (), chance=0.5,
    arithmetic="largest [93 | 88] of {Apple Inc. | Microsoft Corporation} = 93; not rounded; USD",
)  # fmt: skip
BRANDS = Question(
    "q", "p", "comparison", "Which had the lower sales in 2024, Colgate-Palmolive Company or Sensient Technologies?",
    "Colgate-Palmolive Company", ("Colgate-Palmolive",), (), (), (), (), chance=0.5,
    arithmetic="smallest [1 | 2] of {Colgate-Palmolive Company | Sensient Technologies} = 1; not rounded; USD",
)  # fmt: skip
MARKETS = Question(
    "q", "p", "superlative", "In which was X's revenue highest: Taiwan, China (including Hong Kong) or Japan?",
    "Taiwan", (), (), (), (), (), chance=1 / 3,
    arithmetic="largest [3 | 2 | 1] of {Taiwan | China (including Hong Kong) | Japan} = 3; not rounded; USD",
)  # fmt: skip


@pytest.mark.parametrize(
    ("question", "text", "verdict"),
    [
        (COMPANIES, "| Net income | 93,736 | 88,136 | 96,995 | 99,803 | 94,680 | 57,411 |", "wrong"),
        (
            COMPANIES,
            "The increase in research and development was primarily driven by growth of compensation.",
            "wrong",
        ),
        (COMPANIES, "The maker of the iPhone had the higher one, as the tables of the two reports show.", "open"),
        (COMPANIES, "Its net income was higher, according to Apple Inc., Form 10-K for fiscal year 2024.", "open"),
        (
            COMPANIES,
            "Revenue rose by 5% in the year, according to Apple Inc., Form 10-K for fiscal year 2024.",
            "wrong",
        ),
        (MARKETS, "(1) China includes Hong Kong and Taiwan.", "open"),
        (MARKETS, "China", "wrong"),
        (MARKETS, "Taiwan", "right"),
        (COMPANIES, "Apple", "right"),
        (COMPANIES, "Microsoft", "wrong"),
        (COMPANIES, "Microsoft Corporation had higher net income than Apple Inc.", "wrong"),
        (COMPANIES, "Both Apple Inc. and Microsoft Corporation reported net income", "open"),
        (COMPANIES, "$93,736 million", "wrong"),
        (COMPANIES, "The one with $93,736 million", "open"),
        (COMPANIES, "1", "wrong"),
        (COMPANIES, "(2)", "wrong"),
        (COMPANIES, "5%", "wrong"),
        (NUMBERED, "(2)", "open"),
        (NUMBERED, "(3)", "wrong"),
        (COMPANIES, "Amazon", "wrong"),
        (COMPANIES, "net income", "wrong"),
        (COMPANIES, "The former", "open"),
        (COMPANIES, "Neither", "wrong"),
        (COMPANIES, "the maker of the iPhone in its fiscal year, by a lot", "open"),
        (YEARS, "last year", "open"),
        (YEARS, "2023", "right"),
        (YEARS, "60,922 million", "wrong"),
        (YEARS, "FY23", "right"),
        (YEARS, "23", "open"),
        (YEARS, "42", "wrong"),
        (YEARS, "Revenue was highest in 2023, compared with 2022 and 2024.", "right"),
        (YEARS, "FY 2024 was the highest", "wrong"),
        (YEARS, "Among 2022, 2023 and 2024, it was 2024.", "open"),
        (YEARS, "Revenue was highest in 2023, when it was $3 million (2022: $1 million, 2024: $2 million).", "right"),
        (YEARS, "Revenue was $1 in 2022, $3 in 2023 and $2 in 2024. The highest was 2023.", "right"),
        (YEARS, "It peaked in 2024: revenue was $2 that year, as against $3 in 2023 and $1 in 2022.", "wrong"),
        (YEARS, "Revenue was lowest in 2022 and then rose in 2023 and 2024.", "open"),
        (YEARS, "Revenue was not highest in 2024, nor in 2023.", "open"),
        (YEARS, "In 2022 it was $1. In 2023 or 2024 it was highest.", "open"),
        (COMPANIES, "Apple. Its net income was $93 million, while Microsoft reported $88 million.", "right"),
        (COMPANIES, "Apple had net income of $93 million, while Microsoft reported $88 million.", "open"),
        (COMPANIES, "Apple reported the higher figure, $93 million; Microsoft had $88 million.", "right"),
        (COMPANIES, "Either Apple or Microsoft could be called higher, by how one counts.", "open"),
        (BRANDS, "Colgate", "right"),
        (BRANDS, "Sensient", "wrong"),
    ],
)
def test_a_choice(question, text, verdict):
    assert match_answer(text, *read_gold(question), CorrectConfig()).verdict == verdict
