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


# Families by which people describe a year, or a segment, and how readily; costs, which go with sales, are none of them
_TELLING = {
    2: ("sales", "profit", "operating cash"),
    1: ("tax", "research", "capital spending", "buybacks", "acquisitions", "interest"),
}


def family_of(triplet: Triplet) -> str:
    """The family of a figure that people follow; "" for others."""
    return _FAMILY.get(triplet.concept, "") if triplet.method == "table" else ""


def how_telling(triplet: Triplet) -> int:
    """How readily people describe a year or a segment by this figure; 0: not at all."""
    family = "" if "CostOf" in triplet.concept else family_of(triplet)
    return next((degree for degree, families in _TELLING.items() if family in families), 0)
