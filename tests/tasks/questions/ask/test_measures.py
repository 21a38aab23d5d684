"""Questions about figures."""

import pytest

from rarefy.data_contracts.rows import Triplet
from rarefy.tasks.questions.ask.aliases import answer_aliases, company_names
from rarefy.tasks.questions.ask.facts import ask_for_figure, possessive


def figure(relation="total net sales", subject="Apple Inc.", kind="ORG", **fields):
    values = {
        "answer": "$391,035", "value": "391035000000", "unit": "USD", "scale": "millions", "object_type": "MONEY",
        "period": "fiscal year 2024", "period_start": "2023-10-01", "period_end": "2024-09-28", "entity": "Apple Inc.",
    }  # fmt: skip
    return Triplet("t", "c", "d", 0, 1, subject, relation, "x", "s", "table", kind, **{**values, **fields})


@pytest.mark.parametrize(
    ("triplet", "question"),
    [
        (figure(), "What were Apple Inc.'s total net sales in fiscal year 2024, in millions of US dollars?"),
        (
            figure("total assets", period="September 28, 2024", period_start=""),
            "What were Apple Inc.'s total assets as of September 28, 2024, in millions of US dollars?",
        ),
        (
            figure("diluted earnings per share", unit="USD/shares", scale=""),
            "What were Apple Inc.'s diluted earnings per share in fiscal year 2024, in US dollars?",
        ),
        (
            figure("net sales", "Apple Inc. Greater China", "REGION"),
            "What were Apple Inc.'s net sales in Greater China in fiscal year 2024, in millions of US dollars?",
        ),
        (
            figure("net sales", "Apple Inc. Americas", "SEGMENT"),
            "What were Apple Inc.'s net sales for the Americas segment in fiscal year 2024, in millions of US dollars?",
        ),
        (
            figure("accounts receivable, net", period="September 28, 2024", period_start=""),
            "What was Apple Inc.'s net accounts receivable as of September 28, 2024, in millions of US dollars?",
        ),
        (
            figure("effective tax rate", unit="percent", scale="", object_type="PERCENT"),
            "What was Apple Inc.'s effective tax rate in fiscal year 2024, as a percentage?",
        ),
        (
            figure("diluted shares", unit="shares", scale="thousands", object_type="NUMBER"),
            "What were Apple Inc.'s diluted shares in fiscal year 2024, in thousands of shares?",
        ),
    ],
)
def test_a_figure_of_a_named_company_is_asked_for_with_its_period_and_unit(triplet, question):
    assert ask_for_figure(triplet, triplet.entity) == question


def test_the_article_of_a_name_is_small_inside_a_sentence():
    triplet = figure(entity="The Coca-Cola Company", subject="The Coca-Cola Company")
    assert ask_for_figure(triplet, triplet.entity).startswith("What were the Coca-Cola Company's total net sales")


def test_a_figure_of_a_described_company_puts_the_period_first():
    assert ask_for_figure(figure(), "the company that is headquartered in Cupertino, California") == (
        "In fiscal year 2024, what were the total net sales, in millions of US dollars, of the company that is "
        "headquartered in Cupertino, California?"
    )


def test_a_figure_without_a_period_or_with_an_unknown_unit_is_not_asked_for():
    assert ask_for_figure(figure(period=""), "Apple Inc.") is None
    assert ask_for_figure(figure(unit="bushels"), "Apple Inc.") is None


def test_aliases_give_the_notations_of_a_correct_system():
    found = set(answer_aliases(figure()))
    assert {
        "391,035",
        "$391,035 million",
        "391,035 million",
        "$391.0 billion".replace(".0", ""),
        "$391.04 billion",
    } <= found
    assert "$391,035" not in found, "the answer itself is no alias"


def test_a_negative_amount_keeps_its_sign_in_every_alias():
    loss = figure("operating loss", answer="(565)", value="-565000000")
    assert {"-565", "-$565 million"} <= set(answer_aliases(loss))
    assert all(alias.startswith(("-", "(")) for alias in answer_aliases(loss))


def test_an_amount_per_share_is_never_rounded():
    dividend = figure("dividends declared per share", answer="$0.235", value="0.235", unit="USD/shares", scale="")
    assert set(answer_aliases(dividend)) == {"0.235", "$0.235 per share"}
    whole = figure("diluted earnings per share", answer="$6.1", value="6.1", unit="USD/shares", scale="")
    assert "$6.10" in answer_aliases(whole)


def test_a_company_has_its_short_names():
    assert company_names("The Procter & Gamble Company") == {
        "The Procter & Gamble Company",
        "The Procter & Gamble",
        "Procter & Gamble Company",
        "Procter & Gamble",
    }


def test_the_possessive_follows_the_name():
    assert possessive("Apple Inc.") == "Apple Inc.'s"
    assert possessive("Meta Platforms") == "Meta Platforms'"
