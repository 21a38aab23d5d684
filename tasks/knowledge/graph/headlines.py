"""The measures by which people follow a company, by their tags, and which of them say much the same."""

from rarefy.data_contracts.rows import Triplet

_FAMILIES = {  # family → tags; of two in one family, the one follows from the other
    "sales": "Revenues RevenueFromContractWithCustomerExcludingAssessedTax SalesRevenueNet GrossProfit CostOfRevenue "
    "CostOfGoodsAndServicesSold",
    "profit": "OperatingIncomeLoss NetIncomeLoss ProfitLoss EarningsPerShareBasic EarningsPerShareDiluted "
    "IncomeLossFromContinuingOperationsBeforeIncomeTaxesExtraordinaryItemsNoncontrollingInterest "
    "IncomeLossFromContinuingOperationsBeforeIncomeTaxesMinorityInterestAndIncomeLossFromEquityMethodInvestments",
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
    "debts": "Liabilities LiabilitiesCurrent LongTermDebtNoncurrent LongTermDebt",
    "equity": "StockholdersEquity",
    "cash": "CashAndCashEquivalentsAtCarryingValue",
    "receivables": "AccountsReceivableNetCurrent",
    "payables": "AccountsPayableCurrent",
    "inventories": "InventoryNet",
    "plant": "PropertyPlantAndEquipmentNet",
    "goodwill": "Goodwill",
}
_FAMILY = {f"us-gaap:{tag}": family for family, tags in _FAMILIES.items() for tag in tags.split()}


# Families by which people tell years apart, and segments, but for costs, which go with sales
_TELLING = frozenset(
    ("sales", "profit", "tax", "research", "operating cash", "capital spending", "buybacks", "acquisitions", "interest")
)


def family_of(triplet: Triplet) -> str:
    """The family of a figure that people follow; "" for others."""
    return _FAMILY.get(triplet.concept, "") if triplet.method == "table" else ""


def is_telling(triplet: Triplet) -> bool:
    """Whether people describe a year, or a segment, by this figure: "the year when its operating income was lowest"."""
    return family_of(triplet) in _TELLING and "CostOf" not in triplet.concept
