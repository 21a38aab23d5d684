"""Numbers, dates, units and names survive whatever their notation, and every change of one is found."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from linear import long, longer_than_linear

from rarefy.tasks.perturb.case import Case, Draft
from rarefy.tasks.perturb.checks import keeps_facts, same_facts


def check(original: str, variant: str, entity: str = "") -> str:
    return same_facts(Case("c", "document", original, entity=entity), Draft(variant))


SAME = [
    ("Revenue was 47,525 million dollars.", "Revenue was $47.525 billion."),
    ("It ended on Sept. 28, 2024.", "It ended on 28 September 2024."),
    ("It ended on September 28, 2024.", "It ended on 2024-09-28."),
    ("Sales in fiscal 2024 rose 12 percent.", "In fiscal year 2024 sales rose by 12%."),
    ("We have five segments.", "We have 5 segments."),
    ("The issuer has thirty (30) days.", "The issuer has 30 days."),
    ("a 30-day period", "a period of 30 days"),
    ("between 5% and 6%", "5 to 6 percent"),
    ("The Financial Accounting Standards Board issued it.", "The FASB issued it."),
    ("in the U.S. and in China", "in the United States and among Chinese buyers"),
    ("The Company has no debt.", "The company has no debt."),
    ("the years ended December 31, 2024 and 2023", "the years ended December 31, 2024 and December 31, 2023"),
    ("Banco de México agreed.", "Banco de Mexico agreed."),
    ("Sales fell by half.", "Sales fell by 50%."),
    ("BUSINESS SEASONALITY\nSales rose in Peru.", "Business Seasons\nSales rose in Peru."),
    ("The costs must be recorded.", "The costs must be recorded when two things are true."),
    ("NVIDIA's sales of H100 products", "H100 products that NVIDIA sells"),
    ("Ernst & Young LLP audits", "Ernst & Young audits"),
    ("Who is the CEO of Apple?", "Who is the chief executive officer of Apple?"),
    ("Who is the CFO of Apple?", "Who is the Chief Financial Officer of Apple?"),
    ("the firm's COO and CTO", "the firm's chief operating officer and chief technology officer"),
]
CHANGED = [
    ("Revenue was $47,525 million.", "Revenue was $47,526 million."),
    ("Revenue was $47 million.", "Revenue was $47 billion."),
    ("Revenue was $47 million.", "Revenue was $47."),
    ("Revenue was $47 million.", "Revenue was €47 million."),
    ("The margin rose 5%.", "The margin rose 5 percentage points."),
    ("The margin was 5%.", "The margin was 5."),
    ("within 30 days", "within 30 months"),
    ("within 30 days", "within 30"),
    ("It has 320 square feet.", "It has 320 feet."),
    ("It ended on September 28, 2024.", "It ended on September 29, 2024."),
    ("It ended on September 28, 2024.", "It ended in 2024."),
    ("We have five segments.", "We have four segments."),
    ("The gain was $5 million.", "The gain was $(5) million."),
    ("It was bought by Apple.", "It was bought by Target."),
    ("It was bought by Siemens.", "It was bought by a competitor."),
    ("sales in China and Peru", "sales in China"),
    ("the Red Sea conflict", "the Black Sea conflict"),
    ("The A100 was banned.", "The A800 was banned."),
    ("Section 350-40 applies.", "Section 350-50 applies."),
    ("The FASB issued it.", "The SEC issued it."),
    ("Gigafactory Berlin closed.", "Gigafactory Shanghai closed."),
    ("Who is the CEO of Apple?", "Who is the CFO of Apple?"),
]


def test_a_title_and_its_abbreviation_stand_for_each_other_both_ways() -> None:
    long, short = "Who is the chief executive officer of Apple?", "Who is the CEO of Apple?"
    assert check(long, short) == check(short, long) == ""
    assert check("Who is the chief financial officer of Apple?", short).startswith("facts_changed")


@pytest.mark.parametrize(("original", "variant"), SAME)
def test_the_same_facts_in_another_notation_are_the_same(original: str, variant: str) -> None:
    assert check(original, variant) == ""
    assert keeps_facts(Case("c", "query", original), Draft(variant)) == ""


@pytest.mark.parametrize(("original", "variant"), CHANGED)
def test_a_changed_lost_or_new_fact_is_told_both_ways(original: str, variant: str) -> None:
    assert check(original, variant).startswith("facts_changed: ")
    assert check(variant, original).startswith("facts_changed: ")


def test_a_detail_may_come_where_facts_need_only_be_kept() -> None:
    case = Case("c", "query", "What was Apple's revenue in 2024?")
    more = Draft("Given that Apple opened 12 shops in Peru in 2019, what was its revenue in 2024?")
    assert keeps_facts(case, more) == "" and same_facts(case, more)
    assert keeps_facts(case, Draft("What was Apple's revenue?")) == "facts_changed: figure gone @2024"
    assert keeps_facts(case, Draft("What was the revenue in 2024?")) == "facts_changed: name gone Apple"


def test_the_company_may_be_called_by_its_name() -> None:
    assert check("The Company sells phones.", "Apple sells phones.", "Apple Inc.") == ""
    assert check("The Company sells phones.", "Samsung sells phones.", "Apple Inc.")


@pytest.mark.parametrize("text", ["", "x", "A", "🙂 é\u0301", "| a | b |\n|---|---|\n| 1 | 2 |", "\\\"'<b>&amp;"])
def test_any_text_has_its_own_facts(text: str) -> None:
    assert check(text, text) == ""


@given(st.text(max_size=120), st.text(max_size=120))
def test_any_two_texts_can_be_compared_and_one_with_itself_is_the_same(one: str, other: str) -> None:
    assert check(one, one) == ""
    assert check(one, other) in ("", *[check(one, other)])


@given(st.integers(2_100, 10**9), st.integers(2_100, 10**9))
def test_another_number_is_another_fact(one: int, other: int) -> None:
    found = check(f"The total was {one:,} barrels.", f"The total was {other} barrels.")
    assert (found == "") == (one == other)


def test_a_text_takes_the_time_of_its_length() -> None:
    text = long("Revenue of NVIDIA in Q3 2024 was $47,525 million (12%), up from 5 to 6 percent in Berlin. ")

    def work(n: int) -> None:
        whole = text(5 * n).rpartition(". ")[0] + ". "
        assert check(whole, f"{whole}One more.") == ""

    assert longer_than_linear(work) == ""
