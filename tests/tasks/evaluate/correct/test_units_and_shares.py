"""One value in other units, shares in other notations, and short answers that say the gold answer in other words."""

import pytest

from rarefy.data_contracts.rows import Answer, Question, Trial
from rarefy.tasks.evaluate.correct import CorrectConfig, score
from rarefy.tasks.text.refusals import refusal

TALL, WEIGHT, LONG = "How tall is the tower?", "How much does the bag weigh?", "How long is the break?"
SHARE, FOUNDED, SIZE = "What share of the members must agree?", "When was it founded?", "What is the maximum size?"
OPTION, WHERE, COST = "Which option skips the check?", "Where was it held?", "How much did it cost?"
ENABLED, VERSION, HEAT = "Is the cache enabled?", "Which version added it?", "What temperature is needed?"
QUORUM = "What is the quorum?"


@pytest.mark.parametrize(
    ("question", "gold", "text", "expected"),
    [
        (TALL, "120 m", "120 metres", "right"),
        (TALL, "120 m", "394 ft", "right"),
        (TALL, "120 m", "300 ft", "wrong"),
        (TALL, "120 m", "130 metres", "wrong"),
        (TALL, "87 metres", "87 m tall (about 285 ft)", "right"),
        (TALL, "87 metres", "0.087 km", "right"),
        (TALL, "87 metres", "8.7 km", "wrong"),
        ("How long is the bridge?", "120 m", "120 metres", "right"),
        (WEIGHT, "2 kg", "2,000 g", "right"),
        (WEIGHT, "500 g", "0.5 kg", "right"),
        (WEIGHT, "2 kg", "2,500 g", "wrong"),
        ("How big is the park?", "10 hectares", "24.7 acres", "right"),
        (LONG, "30 minutes", "1800 s", "right"),
        (LONG, "30 minutes", "1800s", "open"),
        (LONG, "1 hour", "3600 s", "right"),
        (LONG, "1 hour", "1800 s", "wrong"),
        (LONG, "10 years", "since the 1990s", "open"),
        (SHARE, "two thirds", "67%", "right"),
        (SHARE, "two thirds", "66%", "open"),
        (SHARE, "two thirds", "60%", "wrong"),
        (SHARE, "a quarter", "25%", "right"),
        (SHARE, "three quarters", "75%", "right"),
        (SHARE, "half", "50%", "right"),
        (SHARE, "half", "at least 50%", "open"),
        (FOUNDED, "14 March 1931", "14/03/31", "right"),
        (FOUNDED, "23 May 1999", "23.05.99", "right"),
        (FOUNDED, "23 May 1999", "24.05.99", "wrong"),
        (QUORUM, "a majority of its members", "more than half of the members", "open"),
        (QUORUM, "a majority of its members", "Over 50 %", "open"),
        (OPTION, "`--insecure`", "-k", "open"),
        (OPTION, "`--insecure`", "--verbose", "wrong"),
        (WHERE, "Innsbruck, Austria", "Innsbruck", "right"),
        (WHERE, "Innsbruck, Austria", "Austria", "open"),
        (WHERE, "Lyon, Innsbruck", "Lyon", "open"),
        ("In which town was it held?", "Ghent, Flanders", "Ghent", "right"),
        (COST, "$46.3 million", "somewhere in the region of $45 to $50 million", "open"),
        (COST, "$46.3 million", "$50 to $60 million", "wrong"),
        (COST, "$46.3 million", "It rose from $45 million to $50 million.", "wrong"),
        (ENABLED, "no", "By default, yes.", "wrong"),
        (ENABLED, "yes", "By default, yes.", "right"),
        (ENABLED, "no", "ships with it disabled", "right"),
        (ENABLED, "yes", "It ships with it disabled.", "wrong"),
        (VERSION, "4.2", "v4.2.0", "right"),
        (VERSION, "4.2", "4.2.1", "open"),
        (VERSION, "4.2", "4.20", "wrong"),
        (SIZE, "25 MB", "25,000 kB", "right"),
        (HEAT, "95 °C", "203 °F", "right"),
        (HEAT, "95 °C", "200 °F", "wrong"),
    ],
)
def test_other_units_shares_and_words(question, gold, text, expected):
    asked = Question("q", "p", "single", question, gold, (), (), (), (), ())
    trials = {"t": Trial("t", "rare", "q", "gold", "passages", "v")}
    (row,) = score([Answer("t", "s", "a", text)], CorrectConfig(), trials=trials, questions={"q": asked})
    assert {1.0: "right", 0.0: "wrong", None: "open"}[row.value] == expected


def test_that_nothing_more_is_needed_is_no_refusal():
    assert refusal("The fee is $55. No further information is required from you.", "no such info", True) is None
    assert refusal("No further information is provided.", "no such info", True) is not None
