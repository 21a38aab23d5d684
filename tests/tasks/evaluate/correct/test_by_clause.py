"""An answer in which the gold answer stands, but of which another clause answers the question, is not right."""

import pytest

from rarefy.data_contracts.rows import Question
from rarefy.tasks.evaluate.correct.config import CorrectConfig
from rarefy.tasks.evaluate.correct.normalise import extract_answer
from rarefy.tasks.evaluate.correct.verdict import match_answer, read_gold

GRANT = "When is the deadline for the spring grant?"
GRANTS = "The spring grant is due on 15 July 2025, and the autumn grant on 15 January 2025."
SHUT = "At what temperature does the pump shut down?"
PUMP = "The pump warns at 95 °C, and it shuts down automatically once 105 °C is reached."
PORT = "On which port does the admin console listen?"
PORTS = "The admin console listens on port 8080 by default; port 9443 is reserved for the replication protocol."
DAYS = "How many days does an applicant have to appeal?"
APPEAL = "You have 14 days to file the appeal. The tribunal then has 30 days to respond."
CFO = (
    "Maria Lindqvist was CFO until March 2022, when she was succeeded by Paul Hendry. "
    "The current chief financial officer is therefore Paul Hendry."
)
FOUNDED = "It was founded by James Calder in 1931. Helen Marsh joined as its first director two years later."
SEGMENTS = (
    "The company has two reportable segments, namely Networks and Devices. Services were folded into Networks in 2019."
)
TIERS = "Marta Olsson owns Silver and Deepak Rao owns Gold."


@pytest.mark.parametrize(
    ("asked", "gold", "answer", "verdict"),
    [
        (GRANT, "15 January 2025", GRANTS, "open"),
        (GRANT, "15 July 2025", GRANTS, "right"),
        (SHUT, "95 °C", PUMP, "open"),
        (SHUT, "105 °C", PUMP, "right"),
        (PORT, "9443", PORTS, "open"),
        (PORT, "8080", PORTS, "right"),
        (PORT, "9443", "It is 9443. The admin console listened on port 8080 before.", "right"),
        (DAYS, "30 days", APPEAL, "open"),
        (DAYS, "14 days", APPEAL, "right"),
        ("Who is the CFO?", "Maria Lindqvist", CFO, "open"),
        ("Who is the CFO?", "Paul Hendry", CFO, "right"),
        ("Who founded the institute?", "Helen Marsh", FOUNDED, "open"),
        ("Who founded the institute?", "James Calder", FOUNDED, "right"),
        ("Who is the treasurer?", "Lena Fox", "Lena Fox is the secretary, and Omar Reyes the treasurer.", "open"),
        ("Who is the treasurer?", "Lena Fox", "Lena Fox was treasurer until 2020; now it is Omar Reyes.", "open"),
        ("Who leads Fraud?", "Ana Silva", "Ana Silva leads Fraud. She reports to Paul Hendry of Risk.", "right"),
        ("Which segments does it report?", "Networks; Devices; Services", SEGMENTS, "open"),
        ("Which segments does it report?", "Networks; Devices", SEGMENTS, "right"),
        ("Who owns the tier Silver?", "Deepak Rao", TIERS, "wrong"),
        ("Who owns the tier Silver?", "Marta Olsson", TIERS, "right"),
        ("Who succeeded Ida Renner?", "Karl Osei", "Ida Renner succeeded Karl Osei.", "wrong"),
        ("Who succeeded Ida Renner?", "Karl Osei", "Ida Renner was succeeded by Karl Osei.", "right"),
        ("Who acquired Nordlys?", "Telmar", "Telmar was acquired by Nordlys.", "wrong"),
        ("Which company did Telmar acquire?", "Nordlys", "Telmar acquired Nordlys in 2019.", "right"),
        ("Who beat Jansson?", "Rossi", "Jansson beat Rossi.", "wrong"),
        ("Who was succeeded by Tom Lund?", "Anna Berg", "Tom Lund was succeeded by Anna Berg.", "wrong"),
        ("By whom was Tom Lund succeeded?", "Anna Berg", "Tom Lund was succeeded by Anna Berg.", "right"),
        ("Who married Ida Renner?", "Karl Osei", "Ida Renner married Karl Osei.", "right"),
    ],
)  # fmt: skip
def test_the_clause_that_answers_decides(asked, gold, answer, verdict):
    question = Question("q", "p", "single", asked, gold, (), (), (), (), ())
    text = extract_answer(answer, "en")
    found = match_answer(text, *read_gold(question), CorrectConfig())
    assert found.verdict == verdict, found.why or found.stage
