"""Stars around one of two companies: how it is described, what is evidence, and when it is not asked about."""

from dataclasses import replace

import pytest

from rarefy.data_contracts.rows import Chunk, Document, Path, Triplet
from rarefy.tasks.questions.ask import AskConfig, ask
from rarefy.tasks.questions.ask.ambiguous import has_namesake
from rarefy.tasks.questions.ask.index import build_index
from rarefy.tasks.questions.ask.model import in_order
from rarefy.tasks.questions.gates import GatesConfig, judge


def figure(company: str, measure: str, tag: str, value: int, balance: bool = False) -> Triplet:
    row = f"| {measure} | {value} |"
    return Triplet(
        f"{company} {measure}", f"{company} {measure}", company, 0, len(row), f"{company} Inc.", measure, str(value),
        row, "table", subject_type="ORG", entity=f"{company} Inc.", subject_key=company, relation_key=measure,
        object_key=str(value), answer=str(value), object_type="MONEY", unit="USD", scale="millions",
        value=f"{value}000000", concept=f"us-gaap:{tag}", period="December 31, 2024" if balance else "fiscal year 2024",
        period_start="" if balance else "2024-01-01", period_end="2024-12-31",
    )  # fmt: skip


SALES = ("net sales", "Revenues", 130), ("total net revenues", "Revenues", 120)
SPENT = (
    ("research and development", "ResearchAndDevelopmentExpense", 7),
    (
        "research and development expense",
        "ResearchAndDevelopmentExpense",
        5,
    ),
)


def put(clues=SALES, answers=SPENT, balance=False):
    """What is asked of Acme, whose figures come first, beside Bolt; with what the gates say."""
    rows = [figure(company, *of, balance=balance and of in answers)
            for pair in (clues, answers) for company, of in zip(("Acme", "Bolt"), pair, strict=True)]  # fmt: skip
    by_id = {row.triplet_id: row for row in rows}
    chunks = {
        row.chunk_id: Chunk(row.chunk_id, row.doc_id, 99 * at, 99 * at + row.end, "table", "", row.source_sentence, 9)
        for at, row in enumerate(rows)
    }
    documents = {
        name: Document(name, "h", "d", "d", "text/plain", "", entity=f"{name} Inc.", period_end="2024-12-31",
                       fiscal_year=2024)
        for name in ("Acme", "Bolt")
    }  # fmt: skip
    path = Path("p", "star", (rows[0].triplet_id, rows[2].triplet_id), (), "Acme", "finance")
    assert not in_order([path], by_id), "comparing figures is nothing to ask a model for"
    asked = ask([path], AskConfig(), triplets=by_id, chunks=chunks, documents=documents)
    gates = GatesConfig(gates=("pivot_given_away", "self_contained"), whole_gold=False, retrieved=0)
    (question,) = judge(asked, gates, chunks=chunks, triplets=by_id)
    return question


def test_one_of_two_companies_is_described_by_a_figure_of_each():
    question = put()
    asked = "spend on research and development in fiscal 2024?"
    assert question.text.replace("fiscal year", "fiscal") in {
        text
        for pair in ("Acme and Bolt", "Bolt and Acme")
        for text in (
            f"How much did the larger of {pair} by revenue {asked}",
            f"Between {pair}, how much did the one with the higher revenue {asked}",
        )
    }
    assert (question.answer, question.rejected_because) == ("7", "")
    assert set(question.triplet_ids) == {"Acme net sales", "Acme research and development", "Bolt total net revenues"}


def test_what_is_spent_says_so():
    sales = ("net sales", "Revenues", 7), ("total net revenues", "Revenues", 5)
    spent = tuple((*of[:2], value) for of, value in zip(SPENT, (100, 110), strict=True))
    text = put(spent, sales).text
    assert "spent less on research and development" in text and "net revenues" not in text, "a label of one of them"


def test_a_balance_is_of_the_end_of_the_year_that_is_named_first():
    held = tuple(("inventories", "InventoryNet", value) for value in (7, 5))
    question = put(answers=held, balance=True)
    assert question.rejected_because == "" and "that year" in question.text
    assert question.text.index("2024") < question.text.index("that year") and question.text.count("2024") == 1


@pytest.mark.parametrize(
    ("clues", "answers", "reason"),
    [
        ((SALES[0], ("home sales", "Revenues", 120)), SPENT, "measures_differ"),
        (SALES, (SPENT[0], ("program costs", "ResearchAndDevelopmentExpense", 5)), "measures_differ"),
        (SALES, (SPENT[0], ("research and development", "ResearchAndDevelopmentExpense", 7)), "clue_is_a_number"),
        ((SALES[0], ("total net revenues", "Revenues", 900)), SPENT, "clue_is_a_number"),
    ],
)
def test_what_two_companies_do_not_call_alike_or_is_far_apart_is_not_asked(clues, answers, reason):
    assert put(clues, answers).rejected_because == reason


def test_revenue_with_fees_and_without_go_by_one_name():
    without = figure("Acme", "net sales", "RevenueFromContractWithCustomerExcludingAssessedTax", 130)
    fees = figure("Acme", "total revenues", "Revenues", 131)
    for others, expected in (((fees,), True), ((replace(fees, value=without.value),), False), ((), False)):
        rows = {row.triplet_id: row for row in (without, *others)}
        documents = {"Acme": Document("Acme", "h", "d", "d", "text/plain", "", entity="Acme Inc.")}
        assert has_namesake(without, build_index(rows, {}, documents)) == expected


def test_a_company_that_is_named_alone_is_given_away():
    question = put()
    chunks = {name: Chunk(name, "Acme", 0, 9, "table", "", "| x | 7 |", 9) for name in question.chunk_ids}
    told = replace(question, text="How much did Acme spend on research in 2024?")
    rows = {name: figure(*name.split(" ", 1), "Revenues", 7) for name in question.triplet_ids}
    (judged,) = judge([told], GatesConfig(gates=("pivot_given_away",), whole_gold=False, retrieved=0), chunks=chunks,
                      triplets=rows)  # fmt: skip
    assert judged.rejected_because == "pivot_given_away"
