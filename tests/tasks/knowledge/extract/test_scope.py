"""What a figure is about beyond its row label."""

import pytest

from rarefy.tasks.knowledge.extract.tables import missing_scope, shares_no_word


@pytest.mark.parametrize(
    ("concept", "name"),
    [
        ("us-gaap:DeferredTaxAssetsInventory", "inventories"),
        ("us-gaap:IncreaseDecreaseInInventories", "inventories"),
        ("us-gaap:DisposalGroupIncludingDiscontinuedOperationRevenue", "sales to customers"),
        ("us-gaap:OtherComprehensiveIncomeAvailableforsaleSecuritiesAdjustmentNetOfTax", "unrealized gains"),
        ("us-gaap:CostOfRevenue", "automotive sales"),
        ("us-gaap:DeferredIncomeTaxAssetsNet", "deferred tax assets"),
        (
            "us-gaap:CashCashEquivalentsRestrictedCashAndRestrictedCashEquivalentsPeriodIncreaseDecreaseExcluding"
            "ExchangeRateEffect",
            "change in cash and cash equivalents",
        ),
    ],
)
def test_a_label_that_says_less_than_its_tag_misses_a_scope(concept, name):
    assert missing_scope(concept, name)


@pytest.mark.parametrize(
    ("concept", "name"),
    [
        ("us-gaap:InterestExpenseNonoperating", "interest expense"),
        ("us-gaap:InventoryFinishedGoodsNetOfReserves", "finished goods inventories"),
        (
            "us-gaap:CashCashEquivalentsRestrictedCashIncludingDisposalGroupAndDiscontinuedOperations",
            "cash, cash equivalents and restricted cash",
        ),
        ("us-gaap:DeferredIncomeTaxAssetsNet", "net deferred tax assets"),
        ("us-gaap:RevenueFromContractWithCustomerExcludingAssessedTax", "total net sales"),
    ],
)
def test_a_label_that_says_what_its_tag_says_misses_none(concept, name):
    assert not missing_scope(concept, name)


def test_a_name_without_a_word_of_its_tag_is_unlike_it():
    assert shares_no_word("us-gaap:LaborAndRelatedExpense", "employee compensation")
    assert not shares_no_word("us-gaap:Revenues", "total net sales")
