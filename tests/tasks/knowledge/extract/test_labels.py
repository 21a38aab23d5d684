"""What a row label is called in a sentence."""

import pytest

from rarefy.tasks.knowledge.extract.labels import borrowed, is_plural, kind_of, lowered, measure, tidy


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
    assert tidy(label) == plain


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
    assert measure(label, groups) == name


def test_a_label_borrows_the_noun_that_its_tag_and_group_share():
    tag = "ResearchAndDevelopmentExpense"
    assert borrowed("Research and development", ("Operating expenses:",), tag) == "Research and development expenses"
    assert borrowed("Products", ("Operating expenses:",), tag) is None


def test_a_group_announces_the_measure_of_its_members():
    assert kind_of("Net sales:") == "Net sales"
    assert kind_of("Changes in operating assets:") is None
    assert kind_of("Assets and their places in the world of finance today, told") is None


def test_words_lose_their_capital_only_where_the_document_writes_them_small():
    vocabulary = frozenset("net sales of cost long-term debt repayments".split())
    assert lowered("Net sales of iPhone", vocabulary) == "net sales of iPhone"
    assert lowered("NET SALES", vocabulary) == "net sales"
    assert lowered("Azure revenue", frozenset(["revenue"])) == "Azure revenue"
    assert lowered("Cost of the Coca-Cola Company", vocabulary | {"company"}) == "cost of the Coca-Cola Company"
    assert lowered("GILTI deferred tax assets", vocabulary) == "GILTI deferred tax assets"


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
