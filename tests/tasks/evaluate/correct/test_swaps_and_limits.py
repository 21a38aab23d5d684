"""Answers that say the right words of another thing, or beside what contradicts them, and notations of one value."""

from dataclasses import replace

import pytest

from rarefy.data_contracts.rows import Answer, Question, Trial
from rarefy.tasks.evaluate.correct import CorrectConfig, score


def _ask(text, gold, *aliases):
    return Question("q", "p", "single", text, gold, aliases, (), (), (), ())


def verdict(question, text):
    trials = {"t": Trial("t", "rare", "q", "gold", "passages", "v")}
    (row,) = score([Answer("t", "s", "a", text)], CorrectConfig(), trials=trials, questions={"q": question})
    return {1.0: "right", 0.0: "wrong", None: "open"}[row.value]


OWNER = _ask("Who is the owner of the tier Silver, according to “Service levels” in “Handbook”?", "Deepak Rao")
SECRETARY = _ask("Who was elected secretary?", "Fiona Galt")
PLOT = _ask("Which plot size has the longest waiting list?", "Half")
DAYS = _ask("Within how many days must the Committee decide?", "60 days")
FILED = _ask("By when must the report be filed?", "30 days")
SIZE = _ask("What is the maximum upload size?", "4 MiB")
DECIMAL_SIZE = _ask("What is the maximum upload size?", "4 MB")
PROTOCOL = _ask("Which protocol does the service use?", "HTTP")
SPENT = _ask("What was spent on compute in 2024?", "9,870 EUR")
RECORDS = _ask("For at least how many years must records be kept?", "30 years")
MOST = _ask("What is the maximum number of plots a member may hold?", "four")
LEAST = _ask("What is the minimum number of members for a quorum?", "four")
SURPLUS = _ask("What was the surplus for the year?", "£432")
UPTIME = _ask("What uptime is guaranteed for Gold?", "99.95%")
RATE = _ask("At what rate do fees rise each year?", "3 percent")
MEETING = _ask("When did the committee meet?", "September 12-13, 2012")
PORT = _ask("On which port does the service listen?", "7420")
UIDS = _ask("Which UIDs are reserved for the system?", "0-99")
FOUNDED = _ask("When was the society founded?", "12 March 2021")
BROKER = _ask("Which message broker is used?", "RabbitMQ")
CONSOLE = _ask("Is the admin console enabled by default?", "no")
PHONE = _ask("What is the phone number of the support?", "+49 421 555 0143")
COMPUTE = _ask("What figure is given for “Compute” in 2024, in euros, according to “Budget”?", "112,400")


@pytest.mark.parametrize(
    ("question", "text", "expected"),
    [
        (OWNER, "Silver is owned by Marta Olsson, while Gold belongs to Deepak Rao.", "wrong"),
        (OWNER, "Deepak Rao owns Gold; Silver is owned by Marta Olsson.", "wrong"),
        (OWNER, "Gold belongs to Deepak Rao. Silver is owned by Marta Olsson.", "wrong"),
        (OWNER, "Gold belongs to Marta Olsson, while Silver belongs to Deepak Rao.", "right"),
        (OWNER, "The owner is Deepak Rao, while Gold belongs to Marta Olsson.", "right"),
        (OWNER, "Deepak Rao, who also owns Gold.", "right"),
        (SECRETARY, "Harold Whitcombe, who stood down in favour of Fiona Galt.", "open"),
        (SECRETARY, "Harold Whitcombe, replacing Fiona Galt.", "open"),
        (SECRETARY, "Fiona Galt, in place of Harold Whitcombe, who stood down.", "right"),
        (SECRETARY, "Ms. Galt, who takes over from Harold Whitcombe.", "right"),
        (PLOT, "Full plots with 23; half plots come second.", "wrong"),
        (PLOT, "Half plots with 23; full plots come second.", "right"),
        (DAYS, "Within 30 days, although the Secretary may grant a further 60 days in exceptional cases.", "open"),
        (DAYS, "Within 60 days, although the Secretary may grant a further 30 days in exceptional cases.", "right"),
        (FILED, "within 30 business days after the end of the fiscal year, so around 90 days.", "open"),
        (SIZE, "4,194,304 bytes", "right"),
        (SIZE, "4096 KiB", "right"),
        (SIZE, "The maximum upload size is 4 MiB.", "right"),
        (SIZE, "4 KiB", "wrong"),
        (SIZE, "8 MB", "wrong"),
        (SIZE, "4 MB", "open"),
        (DECIMAL_SIZE, "4 megabytes", "right"),
        (DECIMAL_SIZE, "4 MiB", "open"),
        (DECIMAL_SIZE, "4 kB", "wrong"),
        (PROTOCOL, "HTTPS", "wrong"),
        (PROTOCOL, "It uses HTTPS.", "wrong"),
        (PROTOCOL, "It uses UDP.", "wrong"),
        (PROTOCOL, "It uses HTTP.", "right"),
        (SPENT, "9 870 EUR for 2024 (up to 12 040 EUR in 2025)", "right"),
        (RECORDS, "no fewer than thirty (30) years", "right"),
        (MOST, "At least four.", "wrong"),
        (MOST, "At most four.", "right"),
        (LEAST, "At least four.", "right"),
        (SURPLUS, "Income was £6,412 and expenditure £5,980, so the surplus was £432.", "right"),
        (SURPLUS, "Income was £6,412 and expenditure £432, so the surplus was £5,980.", "open"),
        (UPTIME, "99.9 %", "wrong"),
        (UPTIME, "99.95 %", "right"),
        (RATE, "2.9 percent", "open"),
        (replace(RATE, evidence=("Fees rise by 3 percent each year.",)), "2.9 percent", "wrong"),
        (MEETING, "September 13-14, 2012", "wrong"),
        (MEETING, "September 12-13", "right"),
        (PORT, "7410", "wrong"),
        (PORT, "It listens on port 7410.", "wrong"),
        (PORT, "It listens on port 7420.", "right"),
        (UIDS, "UIDs 0 through 99", "right"),
        (UIDS, "100-999", "wrong"),
        (FOUNDED, "In spring 2022.", "wrong"),
        (FOUNDED, "spring 2021", "open"),
        (BROKER, "Apache Kafka, not RabbitMQ", "wrong"),
        (BROKER, "not RabbitMQ", "open"),
        (CONSOLE, "By default the admin console is switched off.", "right"),
        (CONSOLE, "By default the admin console is switched on.", "wrong"),
        (CONSOLE, "The admin console is not disabled by default.", "wrong"),
        (PHONE, "0421/555-0143", "right"),
        (PHONE, "+49 (0)421 555 0143", "right"),
        (PHONE, "0421/555-0144", "wrong"),
        (COMPUTE, "€112,400", "right"),
        (COMPUTE, "112,400", "right"),
        (COMPUTE, "$112,400", "open"),
    ],
)
def test_swaps_limits_and_notations(question, text, expected):
    assert verdict(question, text) == expected
