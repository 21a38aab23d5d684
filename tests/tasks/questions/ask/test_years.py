"""Chains through a year: how the year is described, what is evidence of it, and when it is not asked by."""

import re
from dataclasses import replace

import pytest

from rarefy.data_contracts.rows import Chunk, Document, Path, Triplet
from rarefy.tasks.questions.ask import AskConfig, ask
from rarefy.tasks.questions.ask.model import in_order
from rarefy.tasks.questions.ask.years import put_before

MONEY = {"object_type": "MONEY", "unit": "USD", "scale": "millions"}


def figures(measure: str, tag: str, *values: int, first: int = 2022, balance: bool = False) -> list[Triplet]:
    """A row of a table: one figure of a company for each year."""
    row = f"| {measure} | " + " | ".join(map(str, values)) + " |"
    return [
        Triplet(
            f"{measure} {first + at}", measure, "d", 0, len(row), "Acme Inc.", measure, str(value), row, "table",
            subject_type="ORG", entity="Acme Inc.", subject_key="Acme Inc.", object_key=f"{measure} {first + at}",
            answer=str(value), value=f"{value}000000", concept=f"us-gaap:{tag}",
            period=f"December 31, {first + at}" if balance else f"fiscal year {first + at}",
            period_start="" if balance else f"{first + at}-01-01", period_end=f"{first + at}-12-31", **MONEY,
        )
        for at, value in enumerate(values)
    ]  # fmt: skip


def put(clues: list[Triplet], answers: list[Triplet], year: int, others: list[Triplet] = []):  # noqa: B006
    rows = {row.triplet_id: row for row in (*clues, *answers, *others)}
    chunks = {
        row.chunk_id: Chunk(row.chunk_id, "d", 99 * at, 99 * at + row.end, "table", "", row.source_sentence, 9)
        for at, row in enumerate(rows.values())
    }
    documents = {"d": Document("d", "h", "d", "d", "text/plain", "", entity="Acme Inc.")}
    names = tuple(next(row.triplet_id for row in some if str(year) in row.period) for some in (clues, answers))
    path = Path("p", "chain", names, (), f"Acme Inc. fiscal year {year}")
    (question,) = ask([path], AskConfig(), triplets=rows, chunks=chunks, documents=documents)
    return question, path, rows


SALES = figures("net sales", "Revenues", 30, 20, 40)
BUYBACKS = figures("repurchases of common stock", "PaymentsForRepurchaseOfCommonStock", 5, 6, 7)


def test_a_year_is_described_by_what_was_lowest_in_it_and_every_year_is_evidence():
    question, path, rows = put(SALES, BUYBACKS, 2023)
    assert question.text in {
        "How much did Acme spend on repurchases of common stock in "
        "the year its net sales were lowest between fiscal 2022 and 2024?",
        "In the year Acme's net sales were lowest between fiscal 2022 and 2024, "
        "how much did it spend on repurchases of common stock?",
    }
    assert (question.answer, question.pivot) == ("6", "Acme Inc. fiscal year 2023")
    assert {rows[name].period for name in question.triplet_ids} == {
        f"fiscal year {year}" for year in (2022, 2023, 2024)
    }
    assert not in_order([path], rows), "comparing figures is nothing to ask a model for"


@pytest.mark.parametrize(
    ("company", "asked", "begins", "rest"),
    [
        ("Lowe’s", "How much did Lowe’s pay in its best year?", "In Lowe’s best year", "how much did it pay?"),
        ("Lowe’s", "What was Lowe’s debt in its best year?", "In Lowe’s best year", "what was its debt?"),
        ("Acme", "What debt did Acme have in its best year?", "In Acme's best year", "what debt did it have?"),
    ],
)
def test_the_year_may_stand_first_with_the_name(company: str, asked: str, begins: str, rest: str):
    assert put_before(asked, "in its best year", company) == f"{begins}, {rest}"


def test_a_year_is_described_by_what_was_done_in_it():
    spent = figures("repurchases of common stock", "PaymentsForRepurchaseOfCommonStock", 5, 9, 7)
    question, *_ = put(spent, SALES, 2023)
    assert re.search("in the year .*(?:it|Acme) spent the most on share repurchases", question.text, re.I)
    assert question.answer == "20"


def test_a_year_is_not_described_by_its_cash_flow_where_cash_was_used():
    tag = "NetCashProvidedByUsedInOperatingActivities"
    question, *_ = put(figures("net cash used in operating activities", tag, 86, 115, 62), BUYBACKS, 2023)
    assert question.rejected_because == "clue_not_plain", "the most that was used is the weakest cash flow"
    question, *_ = put(figures("net cash provided by (used in) operating activities", tag, 86, 115, 62), BUYBACKS, 2023)
    assert "operating cash flow" in question.text


def test_a_balance_is_asked_for_at_the_end_of_the_year():
    question, *_ = put(SALES, figures("total assets", "Assets", 5, 6, 7, balance=True), 2023)
    assert re.search("at the end of (?:the|its|Acme's weakest) year", question.text, re.I)
    assert "December" not in question.text


@pytest.mark.parametrize(
    ("clues", "year", "reason"),
    [
        (figures("net sales", "Revenues", 20, 30, 40), 2022, "pivot_not_unique"),
        (SALES, 2022, "pivot_not_unique"),
        (figures("net sales, excluding those of businesses sold", "Revenues", 30, 20, 40), 2023, "clue_not_plain"),
    ],
)
def test_a_year_that_nothing_singles_out_in_words_is_no_pivot(clues, year, reason):
    assert put(clues, BUYBACKS, year)[0].rejected_because == reason


def test_a_figure_that_was_nearly_the_same_in_another_year_is_not_asked_for():
    alike = figures("income", "OperatingIncomeLoss", 46_753, 46_751, 28_944)
    assert put(SALES, alike, 2023)[0].rejected_because == "years_alike"
    assert put(SALES, figures("income", "OperatingIncomeLoss", 46_753, 45_000, 28_944), 2023)[0].text


def test_a_figure_that_the_corpus_states_in_two_ways_singles_out_no_year():
    restated = replace(SALES[1], triplet_id="again", chunk_id="again", value="35000000")
    assert put(SALES, BUYBACKS, 2023, [restated])[0].rejected_because == "pivot_not_unique"
