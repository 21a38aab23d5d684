"""What a row label is called in a sentence."""

import pytest

from rarefy.tasks.knowledge.extract.labels import (
    complete_measure,
    group_measure,
    is_plural,
    lowercase_label,
    measure_name,
    tidy_label,
)
from rarefy.tasks.knowledge.extract.tables import names_part


@pytest.mark.parametrize(
    ("label", "plain"),
    [
        ("Deferred revenue (2)", "Deferred revenue"),
        ("Less: Preferred dividends", "Preferred dividends"),
        ("Diluted (in dollars per share)", "Diluted"),
        ("Operating income/(loss)", "Operating income (loss)"),
        ("Net sales:", "Net sales"),
        ("Inventories (Notes 1 and 3)", "Inventories"),
    ],
)
def test_marks_asides_and_colons_go(label, plain):
    assert tidy_label(label) == plain


@pytest.mark.parametrize(
    ("label", "groups", "name"),
    [
        ("Total net sales", (), "Total net sales"),
        ("Total assets", (), "Total assets"),
        ("Diluted", ("Earnings per share:",), "Diluted Earnings per share"),
        ("Cash and cash equivalents, end of year", (), "Cash and cash equivalents"),
        ("Total", ("Net sales:",), None),
        ("Other, net", (), None),
        ("Basic", (), None),
        ("Beginning balance of cash", (), None),
        ("Products", ("Net sales:",), None),
        ("2027", ("Lease payments",), None),
        ("Thereafter", (), None),
        ("Common stock", (), None),
    ],
)
def test_a_label_names_a_measure_or_nothing(label, groups, name):
    assert measure_name(label, groups) == name


def test_a_label_borrows_the_noun_that_its_tag_and_group_share():
    tag = "ResearchAndDevelopmentExpense"
    assert (
        complete_measure("Research and development", ("Operating expenses:",), tag)
        == "Research and development expenses"
    )
    assert complete_measure("Products", ("Operating expenses:",), tag) is None


def test_a_group_announces_the_measure_of_its_members():
    assert group_measure("Net sales:") == "Net sales"
    assert group_measure("Changes in operating assets:") is None
    assert group_measure("Assets and their places in the world of finance today, told") is None


def test_words_lose_their_capital_only_where_the_document_writes_them_small():
    vocabulary = frozenset("net sales of cost long-term debt repayments".split())
    assert lowercase_label("Net sales of iPhone", vocabulary) == "net sales of iPhone"
    assert lowercase_label("NET SALES", vocabulary) == "net sales"
    assert lowercase_label("Azure revenue", frozenset(["revenue"])) == "Azure revenue"
    assert lowercase_label("Cost of the Coca-Cola Company", vocabulary | {"company"}) == "cost of the Coca-Cola Company"
    assert lowercase_label("GILTI deferred tax assets", vocabulary) == "GILTI deferred tax assets"


@pytest.mark.parametrize(
    ("name", "plural"),
    [
        ("net sales", True),
        ("dividends paid", True),
        ("cost of products sold", False),
        ("operating cash flows for operating leases", True),
        ("goodwill", False),
        ("operating income (loss)", False),
        ("repurchases of common stock", True),
        ("additional paid-in surplus", False),
        ("gross loss", False),
    ],
)
def test_the_verb_follows_the_head_noun(name, plural):
    assert is_plural(name) is plural


@pytest.mark.parametrize(
    ("label", "code", "named"),
    [
        ("AMEA", "mdlz:AsiaMiddleEastAndAfricaSegmentMember", True),
        ("Total AMEA segment", "mdlz:AsiaMiddleEastAndAfricaSegmentMember", True),
        ("Asia, Middle East and Africa", "mdlz:AsiaMiddleEastAndAfricaSegmentMember", True),
        ("EMEA", "mdlz:AsiaMiddleEastAndAfricaSegmentMember", False),
        ("amea", "mdlz:AsiaMiddleEastAndAfricaSegmentMember", False),
        ("Greater China", "aapl:GreaterChinaSegmentMember", True),
    ],
)
def test_a_label_names_the_member_of_a_tag_in_words_or_by_its_initials(label: str, code: str, named: bool):
    assert names_part(label, code) == named
