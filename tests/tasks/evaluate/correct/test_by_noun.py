"""Gold answers in small letters, and names that share a word: which short answers are another thing."""

import pytest

from rarefy.data_contracts.rows import Question
from rarefy.tasks.evaluate.correct.single import judge_answer

GAS = ("Which gas do plants absorb?", "carbon dioxide")
FARM = ("What kind of farm is it?", "grass-fed beef farm")
CHAIR = ("Who is the chair of the board?", "Jerome H. Powell")
CITIES = ("Which cities did they visit?", "Miami and Amsterdam")


def verdict(question, gold, answer):
    score = judge_answer(Question("q", "", "single", question, gold, (), (), (), (), ()), answer)
    return "open" if score.status != "scored" else "right" if score.value else "wrong"


@pytest.mark.parametrize(
    ("about", "answer", "expected"),
    [
        (GAS, "carbon dioxide", "right"),
        (GAS, "oxygen", "wrong"),
        (GAS, "It is nitrogen.", "wrong"),
        (GAS, "carbon monoxide", "wrong"),
        (GAS, "a greenhouse gas", "open"),
        (GAS, "not oxygen", "open"),
        (FARM, "dairy farm", "wrong"),
        (FARM, "beef farm", "open"),
        (("What is his profession?", "pharmacist"), "physician", "wrong"),
        (("What is his profession?", "physician"), "doctor", "open"),  # a synonym
        (("What does the unit report?", "net revenue"), "sales", "open"),  # too near, and no kind is named
        (("What does the word mean?", "courage"), "enemy", "open"),
        (("Which reform is recommended?", "broadening the tax base"), "raising the retirement age", "open"),
        (CHAIR, "Chair Powell", "right"),
        (CHAIR, "Jerome Stein", "wrong"),
        (CHAIR, "Jerry Powell", "open"),
        (CHAIR, "Eleanor Powell", "wrong"),
        (("Who leads it?", "William Gates"), "Bill Gates", "open"),
        (("Which leader founded it?", "Jawaharlal Nehru"), "Nehru", "right"),
        (("Which ice shelf is it?", "Lazarev Ice Shelf"), "Lazarev", "right"),
        (("On which stock exchange is it listed?", "New York Stock Exchange"), "New York", "open"),
        (("Which college is there?", "Colby-Sawyer College"), "Colby College", "open"),
        (("In which building is it?", "the Taliesin building"), "the Wallace building", "wrong"),
        (("Which department is it?", "Department of Urban Development"), "Department of Commerce", "wrong"),
        (("Which department is it?", "Department of the Treasury"), "U.S. Treasury", "open"),
        (CITIES, "Amsterdam and Miami", "right"),
        (CITIES, "Miami and Barcelona", "wrong"),
        (CITIES, "Berlin and Barcelona", "wrong"),
        (("Where did he go?", "Sicily"), "Italy", "open"),  # it lies there
        (("Who was the bowler?", "Fred Truman"), "Trueman", "open"),
        (("What is the next number?", "one thousand, two hundred and ninety-six"), "1296", "right"),
    ],
)  # fmt: skip
def test_a_short_answer_is_another_thing_only_where_that_is_sure(about, answer, expected):
    assert verdict(*about, answer) == expected
