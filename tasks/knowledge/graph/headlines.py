"""The measures by which people follow a company, by their tags, and which of them say much the same."""

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
    "operating expenses": "OperatingExpenses CostsAndExpenses",
    "comprehensive income": "ComprehensiveIncomeNetOfTax",
    "operating cash": "NetCashProvidedByUsedInOperatingActivities",
    "investing cash": "NetCashProvidedByUsedInInvestingActivities",
    "financing cash": "NetCashProvidedByUsedInFinancingActivities",
    "capital spending": "PaymentsToAcquirePropertyPlantAndEquipment PaymentsToAcquireProductiveAssets",
    "buybacks": "PaymentsForRepurchaseOfCommonStock",
    "dividends": "PaymentsOfDividends PaymentsOfDividendsCommonStock CommonStockDividendsPerShareDeclared "
    "CommonStockDividendsPerShareCashPaid",
    "borrowing": "ProceedsFromIssuanceOfLongTermDebt ProceedsFromDebtMaturingInMoreThanThreeMonths "
    "RepaymentsOfLongTermDebt RepaymentsOfDebt",
    "acquisitions": "PaymentsToAcquireBusinessesNetOfCashAcquired",
    "restructuring": "RestructuringCharges RestructuringCosts",
    "leases": "OperatingLeaseCost",
    "assets": "Assets AssetsCurrent",
    "liabilities": "Liabilities LiabilitiesCurrent",
    "debt": "LongTermDebtNoncurrent LongTermDebt",
    "short-term debt": "ShortTermBorrowings DebtCurrent CommercialPaper",
    "equity": "StockholdersEquity StockholdersEquityIncludingPortionAttributableToNoncontrollingInterest",
    "retained earnings": "RetainedEarningsAccumulatedDeficit",
    "deferred revenue": "ContractWithCustomerLiability ContractWithCustomerLiabilityCurrent DeferredRevenueCurrent",
    "cash": "CashAndCashEquivalentsAtCarryingValue CashCashEquivalentsRestrictedCashAndRestrictedCashEquivalents",
    "receivables": "AccountsReceivableNetCurrent",
    "payables": "AccountsPayableCurrent",
    "inventories": "InventoryNet",
    "plant": "PropertyPlantAndEquipmentNet NoncurrentAssets LongLivedAssets",
    "goodwill": "Goodwill",
    "intangibles": "IntangibleAssetsNetExcludingGoodwill FiniteLivedIntangibleAssetsNet",
}
FAMILIES = tuple(_FAMILIES)
_FAMILY = {f"us-gaap:{tag}": family for family, tags in _FAMILIES.items() for tag in tags.split()}


# The same for lines without tags, as statements call them
FOLLOWED_NAMES = (
    "sales|operating revenues|product sales|service sales|cost of sales|gross profit|gross margin"
    "|operating income|operating margin|net income|income before income taxes"
    "|earnings before interest and taxes|comprehensive income|earnings per share|basic earnings per share"
    "|diluted earnings per share|income taxes|effective tax rate|income taxes paid|interest paid"
    "|research and development|research, development and engineering"
    "|selling, general and administrative expenses|selling expenses|sales and marketing"
    "|marketing expenses|advertising expenses|general and administrative expenses|operating expenses"
    "|interest expense|interest income|depreciation and amortization|depreciation"
    "|amortization of intangible assets|share-based compensation|cash from operating activities"
    "|cash from investing activities|cash from financing activities|free cash flow|capital expenditures"
    "|repurchases of common stock|dividends paid|dividends per share|dividends declared per share"
    "|acquisitions|business acquisitions|business acquisitions, net of cash acquired"
    "|proceeds from long-term debt|issuance of long-term debt|proceeds from issuance of long-term debt"
    "|repayments of long-term debt|repayments of debt|restructuring charges|total assets|current assets"
    "|total liabilities|current liabilities|total debt|long-term debt|short-term debt|total equity"
    "|shareholders' equity|retained earnings|cash and cash equivalents|receivables|accounts receivable"
    "|accounts payable|inventories|property and equipment|property, plant and equipment|goodwill"
    "|intangible assets|employees|deferred revenue|backlog|operating lease cost"
).split("|")


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


# What people give as a percentage of what else of a company: tags of the part → tags of the whole
_PROFIT = "NetIncomeLoss ProfitLoss"
_SALES, _OPERATING_CASH = _FAMILIES["sales"], _FAMILIES["operating cash"]
_GIVEN_OF = {
    "ResearchAndDevelopmentExpense": _SALES,
    "SellingGeneralAndAdministrativeExpense": _SALES,
    "ShareBasedCompensation": _SALES,
    "NetIncomeLoss": _SALES,
    "PaymentsToAcquirePropertyPlantAndEquipment": f"{_SALES} {_OPERATING_CASH}",
    "PaymentsOfDividends": f"{_PROFIT} {_OPERATING_CASH}",
    "PaymentsOfDividendsCommonStock": f"{_PROFIT} {_OPERATING_CASH}",
    "PaymentsForRepurchaseOfCommonStock": f"{_PROFIT} {_OPERATING_CASH}",
}
GIVEN_OF = {f"us-gaap:{part}": [f"us-gaap:{tag}" for tag in whole.split()] for part, whole in _GIVEN_OF.items()}


def family_of(triplet: Triplet) -> str:
    """The family of a figure that people follow; "" for others."""
    return _FAMILY.get(triplet.concept, "") if triplet.method == "table" else ""


def is_unfollowed(triplet: Triplet) -> bool:
    """Whether a fact is of a whole company's tagged line that people do not follow."""
    return bool(triplet.concept) and triplet.subject == triplet.entity and not family_of(triplet)


def how_telling(triplet: Triplet) -> int:
    """How readily people describe a year or a segment by this figure; 0: not at all."""
    family = family_of(triplet)
    return 2 if family and triplet.concept in _HEADLINES else int(family in _SPENT)


def go_together(told: str, asked: str) -> bool:
    """Whether somebody who describes a year by a figure of one family would ask for a figure of the other."""
    return asked in _ASKED_WITH.get(told, ())
