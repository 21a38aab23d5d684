"""Numbers of any size, scale and notation are equal to themselves and to nothing else."""

from datetime import date
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rarefy.data_contracts.rows import Question
from rarefy.tasks.evaluate.correct.config import CorrectConfig
from rarefy.tasks.evaluate.correct.normalise import extract_answer, find_values, plain_text
from rarefy.tasks.evaluate.correct.verdict import match_answer, read_gold
from rarefy.tasks.text.dates import Parts, moments
from rarefy.tasks.text.refusals import refusal


def verdict(answer, wanted, question="What was it in fiscal year 2024, in millions of US dollars?", aliases=()):
    asked_ = Question("q", "p", "single", question, wanted, tuple(aliases), (), (), (), (), period="fiscal year 2024")
    return match_answer(extract_answer(answer), *read_gold(asked_), CorrectConfig()).verdict


amounts = st.integers(min_value=3, max_value=4_000_000)


@given(amounts)
def test_every_notation_of_a_sum_is_that_sum(amount):
    wanted = f"{amount:,}"
    for told in (
        f"{amount}", f"${amount:,}", f"${amount:,} million", f"USD {amount} million", f"{amount:,} million dollars",
        f"${Decimal(amount) / 1000:,f} billion", f"${amount * 10**6:,}", f"It was ${amount:,} million in fiscal 2024.",
    ):  # fmt: skip
        assert verdict(told, wanted) == "right", told


@given(amounts, amounts)
def test_two_sums_that_are_no_rounding_of_each_other_are_never_the_same(a, b):
    if abs(a - b) > 0.006 * max(a, b):
        assert verdict(f"${a:,} million", f"{b:,}") != "right"
        assert verdict(f"It was ${a:,} million.", f"{b:,}") != "right"


@given(amounts)
def test_another_scale_or_unit_is_never_right(amount):
    for told in (f"${amount:,} thousand", f"${amount:,} billion", f"{amount:,}%", f"€{amount:,} million"):
        assert verdict(told, f"{amount:,}") != "right", told


@given(st.decimals(min_value="0.1", max_value="99.9", places=1))
def test_a_percentage_is_none_of_its_neighbours(share):
    question = "What was the unemployment rate in 2024?"
    for told in (f"{share}%", f"{share} percent", f"The rate was {share} per cent in 2024."):
        assert verdict(told, f"{share}%", question) == "right"
    for told in (f"1{share}%", f"{share}5%", f"${share}", f"{share} million", f"{share + Decimal('0.1')}%"):
        assert verdict(told, f"{share}%", question) != "right", told


@given(st.dates(min_value=date(1990, 1, 1), max_value=date(2040, 1, 1)))
def test_every_notation_of_a_day_is_that_day(day):
    wanted, question = f"{day:%B} {day.day}, {day.year}", "On what date did it end?"
    for told in (
        f"{day.day} {day:%B} {day.year}", f"{day:%Y-%m-%d}", f"{day:%m/%d/%Y}", f"{day:%d.%m.%Y}",
        f"{day:%b} {day.day}, {day.year}",
    ):  # fmt: skip
        assert verdict(told, wanted, question) == "right", told
    later = day.replace(year=day.year + 1) if (day.month, day.day) != (2, 29) else day.replace(month=3, day=1)
    assert verdict(f"{later:%B} {later.day}, {later.year}", wanted, question) == "wrong"


@pytest.mark.parametrize("gold_", ["5", "1", "47,525", "Delaware", "September 28, 2024", "yes", "A"])
@pytest.mark.parametrize(
    "answer", ["", " ", ".", "-", "—", "a", "$", "%", "?", "Answer:", "<think>47,525 Delaware yes</think>"]
)
def test_an_empty_or_one_character_answer_is_never_right(answer, gold_):
    if answer != "a":
        assert extract_answer(answer) == "" or verdict(answer, gold_) == "open"
    assert verdict(answer, gold_) != "right" or answer.casefold() == gold_.casefold()


@pytest.mark.parametrize(
    ("answer", "gold_", "expected"),
    [
        ("Ernst & Young LLP", "$47,525 million", "wrong"),
        ("Yes.", "September 28, 2024", "wrong"),
        ("It was about 2013, according to the filing.", "$47,525 million", "wrong"),
        ("12%", "$47,525 million", "wrong"),
        ("1.55 percent", "September 28, 2024", "wrong"),
        ("Fiscal 2023", "21.4%", "wrong"),
        ("$20.28", "21.4%", "wrong"),
        ("All of them", "21.4%", "open"),  # may say as much
        ("Last year", "September 28, 2024", "open"),
        ("EUR 21.4 billion", "21.4%", "open"),  # the figures of the right one, by another unit
        ("Item 9A", "$47,525 million", "wrong"),  # a name, whose digits are none of the sum's
        ("Item 4", "$47,525 million", "wrong"),
        ("Item 4", "4", "open"),
        ("The filing names Ernst & Young LLP as auditor and says nothing else of its fees there", "$5 million", "open"),
    ],
)
def test_a_phrase_that_states_nothing_of_the_kind_asked_is_wrong(answer, gold_, expected):
    assert verdict(answer, gold_) == expected


@given(st.text(max_size=300))
def test_any_text_can_be_read(text):
    for wanted in ("47,525", "Delaware", "September 28, 2024", "yes", "5%", "Alto; Larkspur", text[:40] or "x"):
        assert verdict(text, wanted) in ("right", "wrong", "open")
    refusal(extract_answer(text), "NO-RES", True)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("$47.5 billion", [("money", "47500000000", "USD")]),
        ("(9,822) million", [("count", "9822000000", "")]),
        ("50 bps", [("points", "0.5", "")]),
        ("thirty (30) days", [("measure", "30", "day")]),
        ("2¼ percent", [("percent", "2.25", "")]),
        ("5 to 6 percent", [("percent", "5", ""), ("percent", "6", "")]),
        ("C$4.5 million", [("money", "4500000", "CAD")]),
        ("25 cents", [("money", "0.25", "USD")]),
        ("Note 7 of the 10-K, Item 1A, page 38", []),
        ("on September 28, 2024", []),
        ("1.2x", [("times", "1.2", "")]),
    ],
)
def test_a_number_is_read_with_what_it_counts(text, found):
    read = [(one.kind, f"{one.amount.normalize():f}", one.unit) for one in find_values(plain_text(text))]
    assert read == found


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("July 28-29, 2015", [(2015, 7, 28, 0), (2015, 7, 29, 0)]),
        ("third quarter of fiscal 2024", [(2024, 0, 0, 3)]),
        ("FY24", [(2024, 0, 0, 0)]),
        ("$2,024 and 1,998 and 2024 million", []),
    ],
)
def test_a_moment_is_read_as_far_as_it_is_told(text, found):
    assert [way for one in moments(plain_text(text)) for way in sorted(one.ways)] == [Parts(*way) for way in found]


@pytest.mark.parametrize("figure", [900, 1100, 1600, 1840, 1999, 2050, 2200])
def test_a_figure_that_is_said_to_be_the_answer_is_no_year(figure):
    price = "What is the list price given for the article TK-300, in EUR?"
    assert verdict(f"The answer is {figure}.", "1380", price) == "wrong"
    assert verdict(f"The answer is {figure}.", "120", "How many seats are there?") == "wrong"
    assert verdict(f"The answer is {figure}.", str(figure), price) == "right"


def test_a_year_in_a_sentence_about_time_stays_a_year():
    assert verdict("The year was 1390.", "1380", "What is the earliest record of the town?") == "open"


WEIGHT = "What figure does the column “HX-200/9” give for “Weight (kg)”?"
LEAVE = "What number of statutory days is given for the country Sweden?"
PRICE = "What is the list price given for the article TK-300, in EUR?"


@pytest.mark.parametrize(
    ("question", "wanted", "answer", "expected"),
    [
        (WEIGHT, "134", "The HX-200/9 weighs 134 kg.", "right"),
        (WEIGHT, "134", "The HX-200/9 weighs 118 kg.", "wrong"),
        (WEIGHT, "134", "0.134 t", "right"),
        (LEAVE, "25", "Twenty-five days.", "right"),
        (LEAVE, "25", "28 days", "wrong"),
        (LEAVE, "25", "5 weeks", "open"),
        (LEAVE, "25", "25 days, not 28", "right"),
        ("What is the carry-over limit given for the country Germany?", "5", "Five days", "right"),
        (PRICE, "1380", "EUR 1380", "right"),
        (PRICE, "1380", "USD 1380", "open"),
        ("What is the description of the article?", "Heat pump, 12 kW", "The answer is Heat pump, 6 kW.", "wrong"),
    ],
)
def test_a_unit_that_a_label_of_the_question_names_is_the_gold_answers(question, wanted, answer, expected):
    assert verdict(answer, wanted, question) == expected
