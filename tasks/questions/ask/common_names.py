"""What figures of several companies, or several figures of one, measure in common, and how a row of names is said."""

import re
from collections.abc import Sequence

from rarefy.data_contracts.rows import Triplet
from rarefy.tasks.questions.ask.index import relation_of
from rarefy.tasks.questions.ask.measures import describe_measure


def measure_name(operands: Sequence[Triplet]) -> str:
    """What all of these figures measure: "net sales"; "" where they differ, or the sign says on which side one is."""
    measures = [describe_measure(triplet) for triplet in operands]
    unsure = any(m.rejected_because or m.turned or m.thing for m in measures)
    same = len({re.sub("^total ", "", m.name) for m in measures}) == 1 and len({m.direction for m in measures}) == 1
    return measures[0].name if same and not unsure else ""


OPERATING_CASH = "net cash from operating activities"
# What everybody calls the measures of these tags, and the labels that say so: filers name them in their own words
_TAGS: dict[str, tuple[str, str]] = {
    tag: (name, pattern)
    for name, tags, pattern in (
        ("revenue", "Revenues RevenueFromContractWithCustomerExcludingAssessedTax",
         r"(?:net )?(?:operating )?(?:revenues?|sales)(?: to customers)?"),
        ("cost of sales", "CostOfRevenue CostOfGoodsAndServicesSold",
         r"costs? of (?:goods |products )?(?:sold|sales|revenues?)"),
        ("gross profit", "GrossProfit", r"gross (?:profit|margin)"),
        ("operating income", "OperatingIncomeLoss",
         r"operating (?:income|profit|earnings)|(?:income|earnings) from operations"),
        ("operating expenses", "OperatingExpenses", r"operating expenses"),
        ("net income", "NetIncomeLoss ProfitLoss",
         r"(?:consolidated )?net (?:income|earnings)(?: (?:attributable|available) to .*)?"),
        ("income before income taxes",
         "IncomeLossFromContinuingOperationsBeforeIncomeTaxesExtraordinaryItemsNoncontrollingInterest",
         r"(?:income|earnings) before (?:provision for )?(?:income taxe?s?|taxes on income)"),
        ("income tax expense", "IncomeTaxExpenseBenefit",
         r"(?:income tax(?:es)?|tax)(?: expense| provision)?|provision for (?:income taxes|taxes on income)(?:, net)?"),
        ("income tax payments", "IncomeTaxesPaidNet IncomeTaxesPaid",
         r"(?:net )?cash (?:paid|payments)(?: during the period)? for (?:income )?taxes(?:, net(?: of refunds)?)?"
         r"|income taxes paid(?:, net)?"),
        ("proceeds from the issuance of long-term debt", "ProceedsFromIssuanceOfLongTermDebt",
         r"(?:proceeds from (?:the )?issuances? of |additions to )(?:long-)?term debt(?:, net)?"),
        ("repayments of long-term debt", "RepaymentsOfLongTermDebt",
         r"(?:(?:re)?payments? of|reductions in) (?:long-)?term debt"),
        ("effective tax rate", "EffectiveIncomeTaxRateContinuingOperations", r"effective (?:income )?(?:tax )?rate"),
        ("research and development expense", "ResearchAndDevelopmentExpense",
         r"research and development(?: expenses?| costs?)?"),
        ("selling, general and administrative expenses", "SellingGeneralAndAdministrativeExpense",
         r"(?:operating, )?sell\w+, (?:general|marketing),? and administrative(?: expenses?)?"
         r"|sales, general and administrative.*"),
        ("general and administrative expenses", "GeneralAndAdministrativeExpense", r"general and administrative.*"),
        ("interest expense", "InterestExpense InterestExpenseNonoperating", r"interest expense"),
        ("interest income", "InvestmentIncomeInterest", r"interest income"),
        ("depreciation and amortization", "DepreciationDepletionAndAmortization DepreciationAndAmortization",
         r"depreciation and amortization(?: expenses?)?"),
        ("share-based compensation expense", "ShareBasedCompensation AllocatedShareBasedCompensationExpense",
         r"(?:share|stock)[- ]based (?:compensation(?: expense)?|expense)"),
        ("basic earnings per share", "EarningsPerShareBasic",
         r"basic (?:net )?(?:earnings|income) per (?:common )?share"),
        ("diluted earnings per share", "EarningsPerShareDiluted",
         r"diluted (?:net )?(?:earnings|income) per (?:common )?share"),
        ("total assets", "Assets", r"assets"),
        ("total current assets", "AssetsCurrent", r"current assets"),
        ("total liabilities", "Liabilities", r"liabilities"),
        ("total current liabilities", "LiabilitiesCurrent", r"current liabilities"),
        ("shareholders’ equity", "StockholdersEquity",
         r"(?:equity|(?:\w+ )?(?:share|stock)(?:holders|owners)[’']? equity)(?: attributable to .*)?"),
        ("cash and cash equivalents", "CashAndCashEquivalentsAtCarryingValue", r"cash and cash equivalents"),
        ("accounts receivable", "AccountsReceivableNetCurrent", r"(?:net )?(?:trade )?accounts receivable(?:, net)?"),
        ("accounts payable", "AccountsPayableCurrent", r"accounts payable"),
        ("inventories", "InventoryNet", r"inventories(?:, net)?"),
        ("net property, plant and equipment", "PropertyPlantAndEquipmentNet",
         r"(?:net )?property,?(?: plant)? and equipment(?:, net)?"),
        ("long-term debt", "LongTermDebtNoncurrent", r"(?:long-term|non-current term) debt"),
        (OPERATING_CASH, "NetCashProvidedByUsedInOperatingActivities",
         r"(?:net )?cash (?:flows? )?(?:provided by|generated by|from) (?:operating activities|operations)"),
        ("capital expenditures", "PaymentsToAcquirePropertyPlantAndEquipment",
         r"(?:payments for |purchases? of |additions to |acquisitions? of |capital expenditures)+"
         r"(?:acquisition of )?(?:property.*)?"),
        ("spending on share repurchases", "PaymentsForRepurchaseOfCommonStock",
         r"(?:re)?purchases? of (?:company |treasury |class a )?(?:common )?(?:stock|shares)|common stock repurchased"
         r"|payments related to repurchases of common stock|treasury stock purchases"),
        ("spending on acquisitions", "PaymentsToAcquireBusinessesNetOfCashAcquired",
         r"(?:payments for )?(?:business )?acquisitions(?:, net of cash acquired)?"),
        ("dividend payments", "PaymentsOfDividends PaymentsOfDividendsCommonStock",
         r"(?:payments (?:for|of) )?dividends(?: paid| to share\w+)?(?: and dividend equivalents)?"),
        ("total deferred tax liabilities", "DeferredIncomeTaxLiabilities", r"(?:gross )?deferred tax liabilities"),
        ("operating lease cost", "OperatingLeaseCost", r"operating lease (?:cost|expense)"),
    )
    for tag in tags.split()
}  # fmt: skip


def tags_of_one_name(concept: str) -> list[str]:
    """The tags whose figures everybody calls by the name that those of this tag have, itself among them."""
    name = _TAGS.get(concept.removeprefix("us-gaap:"), ("", ""))[0]
    return [f"us-gaap:{tag}" for tag, (other, _) in _TAGS.items() if other == name] if name else [concept]


_BELOW_NOTHING = re.compile(r" \((?:loss|losses|benefit|used in)\)")


def common_name(operands: Sequence[Triplet]) -> str:
    """What a measure of several filers is called: as all of them call it, or as everybody does; "" where neither is.

    Of figures above nothing a label need not say what they are called below it: "operating income (loss)".
    """
    labels = {re.sub(r"^total ", "", relation_of(t).casefold()) for t in operands}
    if not any(t.value.startswith("-") for t in operands):
        labels = {_BELOW_NOTHING.sub("", label) for label in labels}
    concept = operands[0].concept
    if concept and concept.startswith("us-gaap:") and concept.partition(":")[2] in _TAGS:
        name, pattern = _TAGS[concept.partition(":")[2]]
        return name if all(re.fullmatch(pattern, label) for label in labels) else ""
    return measure_name(operands) if len(labels) == 1 else ""


def join_names(names: Sequence[str], word: str = "and") -> str:
    """ "Meta and Walmart"; "Beauty; Grooming; and Fabric & Home Care" where a name has a comma or "and" of its own."""
    *first, last = names
    if not first:
        return last
    if len(names) == 2 and not any(f" {word} " in name for name in names):
        return f"{first[0]} {word} {last}"
    if any("," in name or " and " in name for name in names):
        return f"{'; '.join(first)}; {word} {last}"
    return f"{', '.join(first)} {word} {last}"
