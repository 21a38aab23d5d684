"""What a figure is about beyond its row label: figures whose scope the label does not tell are not facts."""

import re

# What a tag's name may say that changes the meaning of the label; each needs a word of its kind in the label.
_SCOPES = {
    r"DeferredTax": r"deferred tax|valuation",
    r"DeferredIncomeTax": r"deferred",
    r"Deferred(?:Income)?Tax\w*Net": r"\bnet\b|non-?current",
    r"UnrecognizedTax": r"unrecognized|uncertain",
    r"IncreaseDecrease": r"change|increase|decrease",
    r"Allowance": r"allowance|reserve|provision",
    r"Unrealized": r"unrealized",
    r"FairValue": r"fair value",
    r"DefinedBenefit|PensionPlan": r"pension|benefit|plan|retire",
    r"OperatingLease": r"operating",
    r"FinanceLease": r"finance",
    r"LeaseLiabilityPayments|MaturitiesOf|Year(?:Two|Three|Four|Five)|NextTwelve|NextRolling|DueAfter": (
        r"\bdue in\b|\bpayable in\b"
    ),
    r"IncomeTaxReconciliation|EffectiveIncomeTaxRateReconciliation": r"effective",
    r"ShareBased|StockBased|StockOption|AllocatedShare": r"stock|share|compensation|equity award|rsu",
    r"BusinessAcquisition|BusinessCombination": r"acqui",
    r"ProForma": r"pro forma",
    r"Derivative|(?-i:Hedg)": r"derivative|hedg|contract|swap",
    r"FiniteLived": r"intangible|finite|amortiz",
    r"OtherComprehensive|AccumulatedOther|Aoci|Reclassification": r"comprehensive|translation",
    r"^Goodwill(?!$)": r"goodwill",
    r"^(?:FiniteLived)?IntangibleAssets": r"intangible",
    r"AdjustmentsTo": r"adjust|excess",
    r"TaxBenefitFrom": r"tax",
    r"StockIssued": r"issu",
    r"StockRepurchased": r"repurchas|purchas",
    r"Restructuring": r"restructur",
    # cash is tagged "including disposal group" by everybody, with such a group or without
    r"^(?!.*IncludingDisposalGroup).*(?:Discontinued|DisposalGroup|HeldForSale)": r"discontinu|held for sale|disposal",
    r"(?<!InterestExpense)Nonoperating": r"non-?operating|other",
    r"TaxesPaid|InterestPaid|IncomeTaxesPaid": r"paid|payment",
    r"InExcessOf": r"excess",
    r"SalesType": r"sales-type",
    r"Interest(?:Expense|Income)": r"interest",
    r"^Cost(?:Of|s)": r"cost|expense",
    r"(?<!Of)Revenue(?!.*(?:Deferred|Cost))": r"revenue|sales|income|turnover|fees|premiums",
    r"Accumulated(?:Dep|Amort)": r"accumulated|less",
    r"Antidilutive": r"dilut",
    r"Foreign": r"foreign|international|non-u\.?s|outside|u\.s\.",
    r"Domestic|UnitedStates": r"domestic|u\.?s\.?|united states|federal",
    r"StateAndLocal": r"state",
    r"Federal": r"federal",
    r"Contractual|Purchase(?:Obligation|Commitment)": r"purchase|commitment|obligation|contract",
    r"Guarant": r"guarant",
    r"Variable": r"variable",
    r"ShortTerm(?!Invest|Borrow)": r"short|current|commercial paper",
    r"ContractWithCustomerLiability|DeferredRevenue": r"deferred|unearned|contract liabilit|customer",
    r"RightOfUseAsset": r"right-of-use|assets|obtained",
    r"^(?:IncomeLoss|NetIncomeLoss|ProfitLoss|ComprehensiveIncome)": r"income|earnings|loss|profit|attributable",
    r"AccumulatedImpairment": r"impairment",
    r"Contingent": r"contingen",
    r"EquityMethod": r"equity|affiliate|unconsolidated",
    r"AvailableForSale|HeldToMaturity|DebtSecurities|EquitySecurities": r"securit|investment|debt",
    r"Cumulative": r"cumulative",
    r"SegmentReporting|ReconcilingItem": r"segment|corporate",
}


def scope_missing(concept: str, name: str) -> str:
    """The scope that a tag has and the measure's name does not say; "" when all is said."""
    local = concept.rpartition(":")[2]
    for tag, words in _SCOPES.items():
        if re.search(tag, local, 0 if tag.startswith("^") else re.I) and not re.search(words, name, re.I):
            return tag
    return ""


_SAME = {
    "sales": "reven",
    "sale": "reven",
    "earnings": "incom",
    "profit": "incom",
    "turnover": "reven",
    "stockholders": "share",
}


def unlike(concept: str, name: str) -> bool:
    """Whether a measure's name has no word in common with its tag: it means something by its table alone."""
    # by five letters, for tags run words together and cut them, and the table above is of such beginnings
    tag = {p.lower()[:5] for p in re.findall(r"[A-Z]+(?![a-z])|[A-Z][a-z]+", concept.rpartition(":")[2])}
    tag |= {"incom"} if "profi" in tag or "earni" in tag else set()
    tag |= {"reven"} if "sales" in tag else set()
    words = re.findall(r"[a-z]{3,}", name.lower())
    return not tag & {_SAME.get(w, w)[:5] for w in words}


# Where an untagged source states the company's own totals under their plain names
_STATEMENTS = re.compile(
    r"income statement|statements? of (?:consolidated )?(?:income|operations|earnings|cash flows|financial position)"
    r"|balance sheet|consolidated (?:income|results|statements?)|results of operations"
    r"|selected (?:consolidated )?financial data|financial highlights|summary results",
    re.I,
)
_ELSEWHERE = re.compile(
    r"deferred tax|fair value|pension|lease|stock option|stock award|derivative|hedg|reconcil|quarter"
    r"|pro forma|acqui|segment|maturit|unrecognized|geograph|allowance|intangible|comprehensive|parent company"
    r"|discontinued|unaudited|unrealized",
    re.I,
)


def untagged_scope(section: str, said: str) -> bool:
    """Whether an untagged table is one of the statements whose labels mean the whole company."""
    near = f"{section.rpartition('>')[2]} {said}"
    return bool(_STATEMENTS.search(near)) and not _ELSEWHERE.search(near)
