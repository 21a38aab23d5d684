"""The measures by which people follow a company, by their tags, and which of them say much the same."""

import re

from rarefy.data_contracts.rows import Triplet

_FAMILIES = {  # family → tags; of two in one family, the one follows from the other
    "sales": "Revenues RevenueFromContractWithCustomerExcludingAssessedTax SalesRevenueNet",
    "gross profit": "GrossProfit",
    "cost of sales": "CostOfRevenue CostOfGoodsAndServicesSold",
    "profit": "OperatingIncomeLoss NetIncomeLoss ProfitLoss "
    "IncomeLossFromContinuingOperationsBeforeIncomeTaxesExtraordinaryItemsNoncontrollingInterest "
    "IncomeLossFromContinuingOperationsBeforeIncomeTaxesMinorityInterestAndIncomeLossFromEquityMethodInvestments",
    "profit per share": "EarningsPerShareBasic EarningsPerShareDiluted",
    "tax": "IncomeTaxExpenseBenefit EffectiveIncomeTaxRateContinuingOperations IncomeTaxesPaid IncomeTaxesPaidNet",
    "research": "ResearchAndDevelopmentExpense",
    "selling": "SellingGeneralAndAdministrativeExpense GeneralAndAdministrativeExpense SellingAndMarketingExpense "
    "MarketingExpense AdvertisingExpense",
    "interest": "InterestExpense InterestExpenseNonoperating InterestPaidNet InvestmentIncomeInterest",
    "depreciation": "DepreciationDepletionAndAmortization Depreciation AmortizationOfIntangibleAssets",
    "stock awards": "ShareBasedCompensation AllocatedShareBasedCompensationExpense",
    "operating cash": "NetCashProvidedByUsedInOperatingActivities",
    "capital spending": "PaymentsToAcquirePropertyPlantAndEquipment PaymentsToAcquireProductiveAssets",
    "buybacks": "PaymentsForRepurchaseOfCommonStock",
    "dividends": "PaymentsOfDividends PaymentsOfDividendsCommonStock CommonStockDividendsPerShareDeclared",
    "borrowing": "ProceedsFromIssuanceOfLongTermDebt ProceedsFromDebtMaturingInMoreThanThreeMonths "
    "RepaymentsOfLongTermDebt RepaymentsOfDebt",
    "acquisitions": "PaymentsToAcquireBusinessesNetOfCashAcquired",
    "restructuring": "RestructuringCharges RestructuringCosts",
    "leases": "OperatingLeaseCost",
    "assets": "Assets AssetsCurrent",
    "liabilities": "Liabilities LiabilitiesCurrent",
    "debt": "LongTermDebtNoncurrent LongTermDebt",
    "equity": "StockholdersEquity",
    "cash": "CashAndCashEquivalentsAtCarryingValue",
    "receivables": "AccountsReceivableNetCurrent",
    "payables": "AccountsPayableCurrent",
    "inventories": "InventoryNet",
    "plant": "PropertyPlantAndEquipmentNet",
    "goodwill": "Goodwill",
}
FAMILIES = tuple(_FAMILIES)
_FAMILY = {f"us-gaap:{tag}": family for family, tags in _FAMILIES.items() for tag in tags.split()}


# What people describe a year of a company by → what they ask for with it
_ASKED_WITH = {
    family: frozenset(asked.split(", "))
    for family, asked in {
        "sales": "profit, profit per share, operating cash, research, selling, capital spending, acquisitions, "
        "restructuring, stock awards, inventories, receivables, buybacks, dividends",
        "profit": "sales, operating cash, research, selling, capital spending, acquisitions, restructuring, "
        "stock awards, tax, buybacks, dividends, borrowing, debt, inventories",
        "operating cash": "sales, profit, research, capital spending, acquisitions, buybacks, dividends, borrowing, "
        "debt, cash, tax",
        "research": "sales, profit, operating cash, stock awards",
        "capital spending": "sales, profit, operating cash, depreciation, borrowing, debt, buybacks, dividends",
        "buybacks": "sales, profit, profit per share, operating cash, dividends, borrowing, debt, cash, "
        "capital spending",
        "acquisitions": "sales, profit, operating cash, borrowing, debt, goodwill, buybacks",
    }.items()
}
# Measures by which people rank; a profit per share or before taxes is another way to put it
_HEADLINES = frozenset(
    "us-gaap:" + tag
    for tag in "Revenues RevenueFromContractWithCustomerExcludingAssessedTax SalesRevenueNet OperatingIncomeLoss "
    "NetIncomeLoss ProfitLoss NetCashProvidedByUsedInOperatingActivities".split()
)
_SPENT = ("research", "capital spending", "buybacks", "acquisitions")


def family_of(triplet: Triplet) -> str:
    """The family of a figure that people follow; "" for others."""
    return _FAMILY.get(triplet.concept, "") if triplet.method == "table" else ""


def is_unfollowed(triplet: Triplet) -> bool:
    """Whether a fact is of a whole company's tagged line that people do not follow."""
    return bool(triplet.concept) and triplet.subject == triplet.entity and not family_of(triplet)


_ROLE = re.compile(
    r"(?:participant|operator|agent|principal|less(?:or|ee)|licens(?:or|ee)|counterparty|guarantor|obligor|customer"
    r"|vendor|supplier|partner|member|affiliate|third part(?:y|ies))",
    re.IGNORECASE,
)


def is_in_a_role(triplet: Triplet) -> bool:
    """Whether a part of a company is called by what a party to a contract is: "Participant"."""
    return bool(triplet.entity) and bool(_ROLE.fullmatch(triplet.subject.removeprefix(triplet.entity).strip()))


def how_telling(triplet: Triplet) -> int:
    """How readily people describe a year or a segment by this figure; 0: not at all."""
    family = family_of(triplet)
    return 2 if family and triplet.concept in _HEADLINES else int(family in _SPENT)


def go_together(told: str, asked: str) -> bool:
    """Whether somebody who describes a year by a figure of one family would ask for a figure of the other."""
    return asked in _ASKED_WITH.get(told, ())
