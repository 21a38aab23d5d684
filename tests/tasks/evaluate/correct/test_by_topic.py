"""What an answer repeats of its question is no part of what it states; what is about something else is wrong."""

import pytest

from rarefy.data_contracts.rows import Question
from rarefy.tasks.evaluate.correct.config import CorrectConfig
from rarefy.tasks.evaluate.correct.normalise import extract_answer
from rarefy.tasks.evaluate.correct.verdict import match_answer, read_gold

RATE = "What is the academic year rate for the room type Double, according to “Off-Campus Housing 2025-2026”?"
RATED = "The academic year rate for the room type Double is $17,600, according to “Off-Campus Housing 2025-2026”."
MERGER = "What happened to the merger?"
PAY_DATE = "What is the pay date for payroll number 13, according to “Academic Year 2025-2026 Payroll Schedule”?"
PERIODS = "What are the payroll periods for payroll number 19, according to “Academic Year 2025-2026”?"
DATED = "The pay date for payroll number 13 is {}, according to “Academic Year 2025-2026 Payroll Schedule”."
FEE = "What is the new fee for the fee type Partition?"
FLOW = "What is given for “Mean flow temperature” of the heat pump?"
HEAT = "What is the calculated heat loss of the bungalow?"
UNITS = "What figure is listed under “Number of Units” for the program track “Adv Jesuit Studies”?"
PIN = "What GPIO is listed for the part “RGB LED - Red”?"
STATUS = "What JeeLib native is listed for the device “emonTx V4”?"
CELLS = "What is the most fundamental unit of life according to the cell theory?"
ABSENT_TOPIC = "In some locales, if a customer has energy generating equipment, a net meter must be installed."
LAYER = "Which layer of the OSI model handles physical addressing?"


def judge(asked: str, golds: list[str], answer: str) -> str:
    question = Question(
        question_id="q", path_id="", pattern="single", text=asked, answer=golds[0], aliases=tuple(golds[1:]),
        triplet_ids=(), chunk_ids=(), evidence=(), evidence_spans=(),
    )  # fmt: skip
    return match_answer(extract_answer(answer, "en"), *read_gold(question), CorrectConfig()).verdict


@pytest.mark.parametrize(
    ("asked", "gold", "answer", "verdict"),
    [
        (RATE, "$15,800", RATED, "wrong"),
        (PAY_DATE, "01/09/2026", DATED.format("02/06/2026"), "wrong"),
        (PAY_DATE, "01/09/2026", DATED.format("January 9, 2026"), "right"),
        (PERIODS, "03/21/2026 - 04/03/2026", "03/21/26-04/03/26", "right"),
        (FEE, "$400 + actual cost", "$400 + actual cost", "right"),
        (FEE, "$400 + actual cost", "The new fee is $400.00 plus the actual costs.", "right"),
        (FEE, "$400 + actual cost", "$400", "open"),
        (FEE, "$400 + actual cost", "$400 (over 1 hour will be billed at actual cost)", "open"),
        (FEE, "$250 + Actual Cost", "$500 + actual cost", "wrong"),
        (FEE, "$2,000", "The new fee for the fee type Partition is $5,000.", "wrong"),
        (FLOW, "37.6°C", "37.6C", "right"),
        (FLOW, "34°C", "34 deg C", "right"),
        (FLOW, "-3°C", "-3", "right"),
        (FLOW, "25.3°K", "25.3 K", "right"),
        (FLOW, "37.6°C", "14.7 kW", "wrong"),
        (FLOW, "39.7°C", "The answer is 0.5.", "wrong"),
        (FLOW, "37.6°C", "100", "open"),  # degrees Fahrenheit
        (HEAT, "14.7 kW", "25.3°K", "wrong"),
        (HEAT, "14.7 kW", "14700", "open"),  # watts
        ("What was the deficit in 2008?", "$91,250 thousand", "$91.2 million", "right"),
        ("What was the deficit in 2008?", "$91,250 thousand", "$91.3 million", "right"),
        (UNITS, "30", "Adv Jesuit Studies | 30 | $53,970", "right"),
        (UNITS, "30", "Adv Jesuit Studies | 30 | 36", "open"),
        (PIN, "P0.23", "P0_23", "right"),
        (PIN, "P0.23", "P02.3", "wrong"),
        (STATUS, "available *7", "Available", "right"),
        (STATUS, "available *7", "It is listed as available.", "right"),
        (STATUS, "available *7", "not available", "wrong"),
        (STATUS, "OK** (10sec t/o)", "OK** (10sec t/o)", "right"),
        ("Where is the office?", "3333 Lee Parkway, Suite 1200", "3333 Lee Pkwy, Ste 1200", "right"),
        (CELLS, "cells", "According to the cell theory, the cell is the most fundamental unit of life.", "right"),
        (LAYER, "physical layer", "The layer that handles physical addressing is the Data Link layer.", "wrong"),
        (HEAT, "14.7 kW", ABSENT_TOPIC, "wrong"),
        (PIN, "P0.23", ABSENT_TOPIC, "wrong"),
        (MERGER, "terminated", "It was called off by both sides after three months of talks in vain.", "open"),
        (MERGER, "terminated", "After three months of talks in vain the amalgamation was called off by all.", "open"),
    ],
)  # fmt: skip
def test_what_an_answer_states(asked, gold, answer, verdict):
    assert judge(asked, [gold], answer) == verdict


VOLUME = "What is the total volume per reaction?"
WAIT = "After how many seconds is an idle server connection closed by default?"
DAY = "When was the Staff Training Day in 2018?"
ENERGY = "What was China's energy use per capita in 2010, in kg of oil equivalent?"
RANGE = "What is the permitted range of the supply voltage?"
SUM = "What amount may the design contract not exceed?"


@pytest.mark.parametrize(
    ("asked", "golds", "answer", "verdict"),
    [
        (VOLUME, ["25 uL"], "0.025 ml", "right"),
        (VOLUME, ["25 uL"], "25 microlitres", "right"),
        (VOLUME, ["25 uL"], "25 mL", "wrong"),
        (VOLUME, ["25 uL"], "60 min", "wrong"),
        (WAIT, ["600.0", "600 seconds"], "600 s", "right"),
        (WAIT, ["600.0", "600 seconds"], "600 ms", "wrong"),
        (WAIT, ["420 s", "7 minutes"], "Seven minutes.", "right"),
        (WAIT, ["420 s", "7 minutes"], "Four hundred twenty minutes.", "open"),
        (DAY, ["Friday, May 4, 2018"], "2018-05-21", "wrong"),
        (DAY, ["Friday, May 4, 2018"], "That was on 4 May, a Friday.", "right"),
        (ENERGY, ["1955"], "1.955 tonnes of oil equivalent per capita", "right"),
        (RANGE, ["+0.5 to -20 V"], "+0.5 to -20 V", "right"),
        (RANGE, ["+0.5 to -20 V"], "-0.5 to +20 V", "open"),
        (RANGE, ["-55 °C to +100 °C"], "−55…+100 °C", "right"),
        (SUM, ["$998,000"], "$1 million", "open"),
        (SUM, ["$998,000"], "about $1 million", "right"),
        ("What recovery ratio did the study find?", ["193%"], "1.93", "right"),
        ("How many times can a DVD be renewed?", ["2"], "You may renew it twice.", "right"),
        ("At what temperature are the samples incubated?", ["65ºC", "65"], "65 °F", "wrong"),
        ("At what temperature is the annealing step?", ["60C"], "72C", "wrong"),
        ("At what temperature is the annealing step?", ["60C"], "140 °F", "right"),
        ("How many points can a team get?", ["168 points"], "168 pts.", "open"),
    ],
)
def test_units_and_signs(asked, golds, answer, verdict):
    assert judge(asked, golds, answer) == verdict
