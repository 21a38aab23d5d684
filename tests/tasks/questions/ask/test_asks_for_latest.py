"""A question that names no period is answered by the newest document; one that does is answered by its period."""

import pytest

from rarefy.data_contracts.rows import Triplet
from rarefy.tasks.questions.ask import asks_for_latest


def fact(subject: str, relation: str, thing: str, method: str = "cover", period: str = "") -> Triplet:
    return Triplet("t", "c", "d", 0, 1, subject, relation, thing, "…", method, period=period)


NOTES = fact("2.000% Notes due 2027", "are issued by", "Apple Inc.")
SALES = fact("Apple Inc.", "net sales", "4,060 million (fiscal year 2023)", "table", "fiscal year 2023")
CITY = fact("Apple Inc.", "is headquartered in", "Cupertino, California")
CHIEF = fact("Tim Cook", "chief executive officer of", "Apple Inc.", "table", "fiscal year 2024")
RATE = fact("unemployment rate", "was", "5.5 percent", "reading", "May 2015")


@pytest.mark.parametrize(
    ("text", "target", "expected"),
    [
        ("In which city is Apple Inc. headquartered?", CITY, True),
        ("In which city is the company that issued the 2.000% Notes due 2027 headquartered?", CITY, True),
        ("In which city was Apple Inc. headquartered in 2019?", CITY, False),
        ("Who is the chief executive officer of Apple Inc.?", CHIEF, True),
        (
            "Who was Apple Inc.'s chief executive officer according to the annual report for fiscal year 2024?",
            CHIEF,
            False,
        ),
        ("What were Apple Inc.'s net sales in fiscal year 2023?", SALES, False),
        ("What were the net sales of Apple Inc.?", SALES, True),
        ("What was the unemployment rate, according to the minutes?", RATE, False),
        ("", CITY, False),
    ],
)
def test_what_asks_for_the_latest(text: str, target: Triplet, expected: bool) -> None:
    assert asks_for_latest(text, target, [NOTES, target]) == expected
