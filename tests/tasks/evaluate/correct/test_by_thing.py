"""A value that an answer says of another row than the question's is not the right one."""

from dataclasses import replace

import pytest

from rarefy.data_contracts.rows import Question
from rarefy.tasks.evaluate.correct.config import CorrectConfig
from rarefy.tasks.evaluate.correct.normalise import extract_answer
from rarefy.tasks.evaluate.correct.verdict import match_answer, read_gold


def _ask(text, gold):
    return Question("q", "p", "single", text, gold, (), (), (), (), ())


def verdict(question, text):
    return match_answer(extract_answer(text), *read_gold(question), CorrectConfig()).verdict


WEIGHT = _ask("What figure does the column “HX-200/9” give for “Weight (kg)”, according to “Technical data”?", "134")
HALF_DAY = _ask("According to “Allowances”, what is the half day given for the destination Germany, in EUR?", "24")
PRICE = _ask("What is the list price given for the article TK-300, in EUR?", "1380")


@pytest.mark.parametrize(
    ("question", "text", "expected"),
    [
        (WEIGHT, "The HX-200/6 weighs 134 kg.", "open"),
        (WEIGHT, "The HX-200/12 weighs 134 kg, the HX-200/9 118 kg.", "open"),
        (WEIGHT, "The HX-200/9 weighs 118 kg; 134 kg is the HX-200/12.", "open"),
        (WEIGHT, "The HX-200/9 weighs 134 kg, 16 kg more than the HX-200/6.", "right"),
        (WEIGHT, "118 kg for the HX-200/6, 134 kg for the HX-200/9 and 152 kg for the HX-200/12", "right"),
        (HALF_DAY, "The half-day allowance for Germany is EUR 31 and for Norway EUR 24.", "open"),
        (HALF_DAY, "The half-day rate for Norway is EUR 24.", "open"),
        (HALF_DAY, "In Norway it is 24.", "open"),
        (HALF_DAY, "For Norway, the rate is EUR 24.", "open"),
        (HALF_DAY, "It is EUR 24 in Norway and Germany.", "right"),
        (HALF_DAY, "For Germany, employees receive EUR 24 per half day.", "right"),
        (PRICE, "The HX-200/6 costs EUR 1380.", "open"),
        (PRICE, "In Norway the TK-300 costs EUR 1380.", "right"),
        (PRICE, "It costs EUR 1380 in Norway.", "right"),
    ],
)
def test_values_of_other_rows(question, text, expected):
    assert verdict(question, text) == expected


def test_what_the_evidence_names_is_no_other_row_unless_it_stands_beside_the_question_in_a_table():
    chain = _ask("What was the profit of the company that began in Germany, in millions of US dollars?", "24")
    text = "The profit of Zelkova was $24 million."
    assert verdict(chain, text) == "open"
    assert verdict(replace(chain, evidence=("Zelkova began in Germany.",)), text) == "right"
    table = replace(WEIGHT, evidence=("| | HX-200/6 | HX-200/9 |",))
    assert verdict(table, "The HX-200/6 weighs 134 kg.") == "open"
