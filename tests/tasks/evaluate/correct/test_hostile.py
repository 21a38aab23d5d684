"""No text that a system says ends the judging of it: any letters, digits without end, any repetition."""

from decimal import Decimal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rarefy.data_contracts.rows import Answer, Question, Reply, Trial
from rarefy.tasks.evaluate.correct import CorrectConfig, score, verdict
from rarefy.tasks.evaluate.correct.judging import GROUPS, JudgeCase, choose_role, read_judgement
from rarefy.tasks.evaluate.correct.normalise import find_values, plain_text
from rarefy.tasks.evaluate.protocols import PROTOCOLS
from rarefy.tasks.evaluate.systems.extractive.question import dates, years
from rarefy.tasks.models.llm.config import LLMConfig
from rarefy.tasks.models.nli.rules import compare_by_items, label_pair
from rarefy.tasks.questions.gates.wording import contains_phrase
from rarefy.tasks.text.answers import contains_words
from rarefy.tasks.text.dates import moments
from rarefy.tasks.text.notations import contains_answer, find_numbers, mark_figures

QUESTIONS = {
    name: Question(name, "p", "single", text, answer, aliases, (), (), (), (), period=period)
    for name, text, answer, aliases, period in (
        ("sum", "What was the revenue in fiscal year 2024, in millions of US dollars?", "$47,525", ("47,525",), "2024"),
        ("names", "Which companies are members?", "Alto; Larkspur; Marlin", (), ""),
        ("day", "When was it founded?", "March 5, 2019", (), ""),
        ("share", "What was the gross margin?", "46.2%", (), ""),
        ("person", "Who is the chief executive officer?", "Dana Whitfield", (), ""),
    )
}
PIECES = (
    "123, 1,234.5 1,61,000 1.234,5 ９９ ٣ ² ① ½ $ € % ( ) - − – — . , ; : / \n \x00 \x1b \ud800 \u202e \u0301 \u200d "
    "ſ \u212a İ ı thouſand mİllion mıllion firſt ſep thirſt ſeven Auguſt million billion "
    "hundred thousand dozen and or not "
    "about per percent basis points bps 10** 1e400 NaN Infinity ten twenty-five 2024 FY24 fiscal year Q3 "
    "first quarter "
    "March 5, 2019 may 31/12/2024 99/99/9999 0000-00-00 Alto Marlin Dana I don't know cannot <think> </think> **a** "
    "| # {} "
    "\\frac{1}{0} 1/0 &#99999999999; &#x110000; &amp; 14th 0th No. [1] [99999999999999999999999] 21.9 9 n/m 3M "
    "Group yes no"
).split(" ")
LONG = (
    "9" * 5000,
    "123," * 1500,
    "1." + "0" * 5000,
    "0." + "9" * 5000,
    "1" + "0" * 29,
    "9" * 31,
    "1" + " million" * 60,
    "１" * 5000,
    "3" * 40 + "%",
    "$" + "7" * 45,
    "9" * 4400 + "th",
    "Group " + "9" * 5000 + ": yes",
    "\\U99999999",
    "1" + " hundred" * 90,
)
hostile = st.builds(
    lambda parts, long, at: "".join((*parts[:at], long, *parts[at:])),
    st.lists(st.sampled_from(PIECES) | st.sampled_from((" ", "-", ", ", "/")) | st.text(max_size=3), max_size=14),
    st.just("") | st.sampled_from(LONG),
    st.integers(0, 14),
)


def row_of(text, question="sum", protocol="rare", config=CorrectConfig()):  # noqa: B008  (frozen)
    trials = {"t": Trial("t", protocol, question, "gold", "passages", "v")}
    (row,) = score([Answer("t", "s", "a", text)], config, trials=trials, questions=QUESTIONS)
    return row


@settings(max_examples=150, deadline=None)
@given(hostile, st.sampled_from(sorted(QUESTIONS)), st.sampled_from(sorted(PROTOCOLS)))
def test_every_answer_is_judged_or_left_to_a_judge(text, question, protocol):
    row = row_of(text, question, protocol)
    assert row.status in ("scored", "missing"), row.why


@settings(max_examples=150, deadline=None)
@given(hostile)
def test_whatever_reads_numbers_and_days_reads_any_text(text):
    for read_ in (find_values, moments, plain_text, mark_figures, find_numbers, dates, years):
        read_(text)
    for asked in ("47,525", "March 5, 2019"):
        (
            contains_phrase(text, asked),
            contains_phrase(asked, text),
            contains_answer(text, asked),
            contains_words(text, asked),
        )
    said = "Revenue was $47,525 million in 2024, and 9 of its members left."
    assert label_pair(text, said).label and label_pair(said, text).label
    assert compare_by_items(text, said).label and compare_by_items(said, text).label


@settings(max_examples=100, deadline=None)
@given(hostile)
def test_any_reply_of_a_judge_is_read_or_refused(text):
    config = CorrectConfig(judge=LLMConfig(provider="openai", model="judge-1"))
    rules = verdict.Verdicts(config, True)
    for name, question in QUESTIONS.items():
        golds = rules._gold(question)[0]
        for role in {
            choose_role("rare", golds, question),
            GROUPS if name == "names" else choose_role("sure", golds, question),
        }:
            value, reply = read_judgement(JudgeCase(role, question, golds, "x"), Reply("r", text), config)
            assert (value is None) == bool(reply.error)


def test_an_answer_of_digits_without_end_is_no_number_and_not_right():
    assert row_of("123," * 1500).status == "missing"
    assert find_values("9" * 25) == () and find_values("9" * 24)[0].amount == Decimal("9" * 24)
    assert row_of("$47,525 million, and not " + "9" * 6000).status in ("scored", "missing")


def test_letters_that_look_like_those_of_ascii_are_read_as_these():
    assert [one.amount for one in find_values("21.9 mıllion and 5 mİllion")] == [
        Decimal("21900000"),
        Decimal("5000000"),
    ]
    assert [one.ways for one in moments("ſeptember 5, 2019")] == [frozenset({(2019, 9, 5, 0, 0)})]


def test_a_fault_in_judging_one_answer_is_that_answers_reason_and_the_next_is_judged(monkeypatch):
    """Class, message and place of the fault are kept; a fault of this machine is none of the answer's."""
    real = verdict.extract_answer

    def faulty(text, language="en"):
        if text == "hostile":
            raise ArithmeticError("beyond all digits")
        if text == "no memory":
            raise MemoryError
        return real(text, language)

    monkeypatch.setattr(verdict, "extract_answer", faulty)
    row = row_of("hostile")
    assert (row.status, row.value) == ("failed", None)
    assert row.why.startswith("not_judged: ArithmeticError: beyond all digits (test_hostile.py:")
    assert row_of("$47,525 million").value == 1.0
    with pytest.raises(MemoryError):
        row_of("no memory")


def test_an_answer_that_is_far_too_long_is_not_read():
    row = row_of("$47,525 million. " + "so " * 20_000)
    assert (row.status, row.why) == ("failed", "too_long_to_judge: 60,017 characters")
