"""What a figure measures, as a person would say it: the label's whole meaning, its direction by the sign, or a reason.

A filing's label allows for both signs ("Net income (loss)"), leans on its table ("Dividends" in a statement of cash
flows) or is cut ("Current year expense"). `describe_measure` says which of the two a figure is, and gives up where the
label and its tag do not say it.
"""

import re
from dataclasses import dataclass, replace

from rarefy.data_contracts.rows import Triplet
from rarefy.tasks.knowledge.extract.cell_names import read_cell_name
from rarefy.tasks.knowledge.extract.column_heads import read_kind
from rarefy.tasks.knowledge.extract.labels import FLOW, STOCK, is_plural
from rarefy.tasks.text.names import without_form


@dataclass(frozen=True, slots=True)
class Measure:
    """A measure as it stands in a sentence, without an article: "net loss", "cash paid for income taxes"."""

    name: str
    plural: bool = False
    direction: str = ""  # loss | income | expense | benefit | used | provided | increase | decrease | gain | paid | ...
    turned: bool = False  # the words name the side that is printed as negative: "net loss" of (2,303) is 2,303
    thing: str = ""  # what increased or decreased: "inventories"; "" for other measures
    rejected_because: str = ""

    @property
    def verb(self) -> str:
        """What agrees with it: "was", "were"."""
        return "were" if self.plural else "was"


def describe_measure(triplet: Triplet) -> Measure:
    """The measure of a figure in words, or the reason why its label does not say surely what it is."""
    name = _plain(triplet.relation, triplet.entity)
    if triplet.subject_type == "TABLE":  # a cell is asked for in its table's own words
        little = _REST.match(name) or _SUM_OR_STAGE.match(name)
        cell = read_cell_name(name)
        mixed = split_column(name) is None and _TIME_AND_MORE.search(name) and not (cell and read_kind(cell.column))
        reason = "label_says_little" if little else "label_not_plain" if mixed else ""
        return Measure(name, rejected_because=reason)
    if reason := _fault(name, triplet):
        return Measure(name, rejected_because=reason)
    name, reason = _complete(name, triplet)
    if reason:
        return Measure(name, rejected_because=reason)
    measure = _choose_side(name, triplet)
    if measure.rejected_because:
        return measure
    name = re.sub(r"^total (?=.*\bper )", "", _reorder(measure.name))
    if not measure.thing and re.search(r"[()/*†‡§|_:]", _KEPT.sub("", name)):
        return Measure(name, rejected_because="label_not_plain")
    return replace(measure, name=name, plural=_takes_were(name))


_KEPT = re.compile(r"\(?401\(k\)\)?")  # brackets that belong to a name


def _plain(label: str, entity: str = "") -> str:
    """A label without the signs that only print needs, and without the name of its own company."""
    name = re.sub(r"\s*[-‑–—]\s*$", "", label.strip())
    name = re.sub(r"(?<=[a-z]) & (?=[a-z])", " and ", name)
    name = re.sub(
        r"(?<=.) by(?: (?:category|geograph\w+|geographic (?:region|area)|segment|product|region|type))?$", "", name
    )
    if entity:  # "Total Costco stockholders' equity" of Costco Wholesale
        joined = without_form(entity).replace(" ", "")  # "ExxonMobil share of equity" of Exxon Mobil
        who = "|".join(map(re.escape, (entity, entity.split()[0], joined)))
        name = re.sub(rf"\b(?:{who}) (?=(?:share|stock)holders|share of\b)", "", name, flags=re.I)
        name = re.sub(r"\b(?:Share|Stock)holders['’] Equity$", lambda heading: heading[0].lower(), name)
    if (owners := _OWNERS.fullmatch(name)) and _bare(owners["who"]) == _bare(entity):
        name = f"{owners['what']} to {owners['common'] or ''}shareholders"
    if re.match(r"(?:total )?[A-Z][a-z]+[ -][^A-Z]*$", name):  # a heading's capital
        name = re.sub(r"[A-Z]", lambda capital: capital[0].lower(), name, count=1)
    return re.sub(r"\)\s*/\s*", ") ", re.sub(r"\s*/\s*\(", " (", name))


_OWNERS = re.compile(  # "net income attributable to Walmart", whose filing it is
    r"(?P<what>.+ (?:attributable|available)) to (?:(?:share|stock)(?:holders|owners) of )?(?P<who>(?:the )?[A-Z].*?)"
    r"(?: (?P<common>common )?(?:[Ss]hare|[Ss]tock)(?:holders|owners))?"
)


def _bare(company: str) -> str:
    return re.sub(r"^the ", "", without_form(company).casefold()).replace(" ", "")


# --- labels that nobody could ask about ---

_MARK = re.compile(r"\(\d{1,2}\)|\([a-z]\)(?!\w)|\[\w{1,2}\]|[*†‡§]|\d$|¹|(?<!\bm)(?<!\b[cdkmµ]m)(?<!\bft)[²³]")
_VAGUE = re.compile(
    r"(?:(?:total|net|estimated|aggregate) )*(?:fair|carrying|notional|book|market|principal) (?:value|amount)s?|"
    r"(?:total )?(?:debt|equity|other|fair value|marketable) (?:hedges?|adjustments?)|participating securities"
    r"|(?:current|prior) years? expense|payments for (?:current|prior) years?|deferred benefit|state and local expense"
    r"|(?:all )?others?|totals?(?: as presented.*)?|(?:operating|finance) leases?|assets held|adjustments?"
    r"|pension benefits|company equity .+"
    r"|(?:increase|decrease) to .+|goodwill adjustments|current benefits payable|net (?:loss|gain) realized and .+"
    r"|(?:financing|other|confirmed) (?:liability|obligations?)(?: outstanding)?|debt securities|effective rate"
    r"|impact of .+|supplier notes receivable|computer equipment|forward loss recognition|other charges and credits.*"
    r"|effect of (?:dilutive|rounding|adjust).*|dilutive .+|shares repurchased under treasury stock method"
    r"|reductions for .+|warranty costs incurred|net changes? in .*(?:warrant|operating assets).*|.+, net income"
    r"|total liabilities(?:,.*)? and .*equity|total liabilities, .*equity|.+ and other(?:, net)?|.*\badjustments?\b.*"
    # lines that only who drew up the statement can place
    r"|(?:.* )?state and local (?:income|loss)|accumulated income|(?:ending|beginning|balance)\b.*"
    r"|initial cost basis|equity method|(?:net )?(?:un)?realized .*|.*\bremeasurement\b.*|allocation of .*"
    r"|.*\bcomputation\b.*|.*\bobtained in exchange\b.*|.*\bat par\b.*|.*anti-?dilutive.*|potential .*"
    r"|convertible preferred shares"
    r"|(?:operating|financing|investing) cash (?:in|out)?flows? (?:from|used for|for) .*leases?"
    r"|benefits relating to .*|(?:domestic|foreign) operations income|dividend paid payments|performance fees"
    r"|total contributions|debt issued"
    r"|(?:net )?other (?:non-?operating|comprehensive|costs?|expense|income|intangible|accrued|acquisi)\b.*"
    r"|total other comprehensive .*|total (?:net )?other (?:income|expense).*|hedging gains|refund liabilities"
    r"|(?:total )?(?:net )?(?:interest|investment|income|loss) and other .*|net (?:gains?|loss(?:es)?) on .*"
    r"|(?:total )?net non-operating (?:income|expense)|(?:current|long-term) other .*|reserve for .*"
    r"|expected return on .*|.*\bincluded in\b.*|.*\bin accounts payable\b.*|share-based plans expense"
    r"|.*\bexcluded from\b.*|.*\w—\w.*|.*\bsales return reserve\b.*|segment operating (?:income|loss)"
    r"|capital investments accrued.*|assets under management|.*\bstill held\b.*"
    r"|.*\brecognized during\b.*|.*, (?:aggregate cost|average price.*|shares)",
    re.I,
)
_RESIDUAL = re.compile(  # the rest of a statement, by name: nobody needs to know it
    r"(?:total )?(?:other|prepaid expenses and other|accrued expenses and other|all other)"
    r"(?: (?:current|non-?current|long-term|short-term|net))*"
    r"(?: (?:assets|liabilities|receivables|charges|accrued expenses|deferred tax assets))?(?:, net)?",
    re.I,
)
_REST = re.compile(r"“(?:all )?others?(?:, net)?”", re.I)
# a sum without a word of what is summed up, and what only its place among the rows explains
_SUM_OR_STAGE = re.compile(
    r"“(?:(?:sub)?totals?|net|high|low|less\b[^”]*|(?:beginning |ending )?balances?\b[^”]*|[^”]*\([A-Z]\)"
    r"|[A-Z][a-z]+ \d+, \d{4})”",
    re.I,
)
_TIME_AND_MORE = re.compile(
    r" in the column “(?=[^“”]*\b(?:19|20)\d\d\b)(?!(?:fiscal |financial )?(?:year )?(?:19|20)\d\d”)[^“”]+”"
)
_COLUMN = re.compile(
    r"“(?P<thing>[^“”]+)”(?P<under> under “[^“”]+”)? in the column “(?P<time>[A-Z][a-z]+ \d{1,2}, \d{4}) "
    r"(?P<measure>(?:[A-Z][\w-]* )*(?:Basis|Value|Amount|Losses|Gains))”"
)


def split_column(relation: str) -> tuple[str, str] | None:
    """(measure, day) of a cell whose column says both: "cost basis of commercial paper", "June 30, 2013"."""
    column = _COLUMN.fullmatch(relation)
    if (
        not column
        or re.match(r"(?:Due|Other|Less|Within|After)\b", column["thing"])
        or not re.fullmatch(r"[A-Z][a-z-]+(?: [a-z][\w-]*)*|(?:[A-Z.]+ )?[a-z -]+", column["thing"])
    ):
        return None
    of = f" of {lower_first(column['thing'])}" if not column["measure"].startswith("Less") else ""
    return f"{column['measure'].lower()}{of}{column['under'] or ''}", column["time"]


_USED_IN_COMPUTING = re.compile(
    r"net (?:income|earnings) (?:for|used in) .*(?:diluted|basic|EPS)|earnings allocated to|undistributed earnings"
    r"|available to common .*\(|\((?:basic|diluted)\)",
    re.I,
)


def _fault(name: str, triplet: Triplet) -> str:
    if _MARK.search(_KEPT.sub("", name)):
        return "footnote_mark"
    letters = [c for c in name if c.isalpha()]
    if re.match(r"(?:current|non-current) [A-Z][a-z]+ [a-z]", name):
        return "label_not_plain"  # a heading's capital that only the label has
    if not letters or (len(letters) > 5 and sum(c.isupper() for c in letters) > len(letters) / 2):
        return "label_not_plain"
    if _VAGUE.fullmatch(name) or _RESIDUAL.fullmatch(name) or _USED_IN_COMPUTING.search(name):
        return "label_says_little"
    return ""


# --- what the tag says and the label leaves to its table ---

_OWED = re.compile(
    r"accrued|accruals?\b|liabilit|payable|reserve|obligation|debt|borrowing|\bdue\b|deposit|allowance|unearned|deferred"
    r"|\bleases?\b.*current portion|notes|commercial paper|maturities|installments|benefits|balance|rebates payable",
    re.I,
)
_PAID = re.compile(
    r"\bpaid\b|payment|purchas|acqui|repay|repurchase|retire|reduction|expenditure|additions|contribution|redemption"
    r"|settle|used|outflow|combinations|capital|transferred|interest crediting",
    re.I,
)
_RECEIVED = re.compile(
    r"proceeds|issu|\bsales?\b|maturit|borrowing|additions|receipt|collections|disposal|grants|repayments? (?:on|of)",
    re.I,
)
_CHANGED = re.compile(r"chang|increase|decrease|effect|use[sd]?\b|provided", re.I)
_LATER = re.compile(
    r"NextTwelveMonths|InNext|(?:In|Due)Year(?:Two|Three|Four|Five)|Thereafter|After(?:Year)?Five|RemainderOfFiscalYear"
    r"|FutureMinimum|ToBePaid|ExpectedFuture|MaturitiesOf|FutureAmortization"
)
_SAID_LATER = re.compile(r"future|expected|\bdue\b|to be |will |remaining|minimum", re.I)


_WORN = re.compile(r"(?:total )?(?:less:? )?accumulated (?:depreciation|depletion|amortization|,| |and)+", re.I)
_TAX_ASSETS = re.compile(r"(?:(?:total|net) )*deferred (?:income )?tax assets(?:, net)?", re.I)
_WEARING = (  # word of a tag → what is worn
    ("PropertySubjectToOrAvailableForOperatingLease", "property leased to others"),
    ("PropertyPlantAndEquipment", "property, plant and equipment"),
    ("IntangibleAssets", "intangible assets"),
    ("CapitalizedComputerSoftware", "capitalized software"),
)


def _complete(name: str, triplet: Triplet) -> tuple[str, str]:
    """The name with the words that its tag adds, and a reason against it where they cannot be added."""
    tag = triplet.concept.rpartition(":")[2]
    money = triplet.unit.isupper() and len(triplet.unit) == 3
    flow = bool(triplet.period_start)
    counted = STOCK.search(name) or re.match(r"(?:total )?cash\b", name)
    if flow and not tag and counted and not FLOW.search(name) and "paid" not in name:
        return name, "period_unclear"
    if tag.startswith("PaymentsOf") and "Dividend" in tag and re.match(r"(?:cash )?dividends?\b", name):
        name = name if re.search("paid|payments", name) else re.sub(r"^((?:cash )?dividends?)", r"\1 paid", name)
    if tag.startswith("ProceedsFrom") and re.match(r"(?:sales|maturities)\b", name):
        name = f"proceeds from {name}"
    name = re.sub(r"^common stock repurchased$", "repurchases of common stock", name)
    if tag.startswith("IncreaseDecreaseIn") and not _CHANGED.search(name):
        return name, "label_not_plain"
    if tag.startswith("ProceedsFrom") and not _RECEIVED.search(name):
        return name, "label_not_plain"
    if re.match(r"Payments?(?:To|For|Of|Related)|Repayments", tag) and not _PAID.search(name):
        return name, "label_not_plain"
    if re.match(r"(?:InterestPaid|IncomeTaxesPaid)", tag) and not _PAID.search(name):
        return f"cash paid for {name}", ""
    if _LATER.search(tag) and not _SAID_LATER.search(name):
        return name, "meaning_of_lead_in_lost"
    if "ShareBased" in tag and not re.search(r"share|stock|equity|award|option|employee", name, re.I):
        return name, "meaning_of_lead_in_lost"
    if "NotYetRecognized" in tag and not re.search(r"unrecognized|unamortized|not yet", name, re.I):
        return name, "meaning_of_lead_in_lost"
    if re.search(r"TaxExpenseBenefit|BeforeIncomeTaxes", tag) and not re.search(r"\btax|\bprovisions?$", name, re.I):
        return name, "meaning_of_lead_in_lost"
    if "TaxExpenseBenefit" in tag and not re.search(r"\btax|\(", name, re.I):
        name = f"{name} for income taxes"
    if "DefinedBenefitPlan" in tag and not re.search(r"pension|benefit|\bplans?\b|retire|actuarial", name, re.I):
        return name, "meaning_of_lead_in_lost"
    if "DeferredTaxAssetsValuationAllowance" in tag and "deferred" not in name:
        name = re.sub(r"\b(valuation allowances?)\b", r"\1 on deferred tax assets", name)
    if re.search(r"DeferredTaxAssets|DeferredTaxLiabilities", tag) and not re.search(
        r"deferred|valuation allowance", name, re.I
    ):
        return name, "meaning_of_lead_in_lost"
    if money and not flow and tag.startswith("Accrued") and not _OWED.search(name):
        name = re.sub(r"^((?:current |non-?current |long-term )?)", r"\1accrued ", name)
    if re.fullmatch(r"\w*TaxExpenseBenefit(?:ContinuingOperations)?", tag) and not re.search(
        r"\b(?:for|from|before|on)\b", name
    ):
        name = re.sub(r"\b(?:income )?taxes$", "income tax expense", name)
    if re.search(r"Liabilit(?:y|ies)(?!AndStockholders)", tag) and not flow and not _OWED.search(name):
        return name, "label_not_plain"
    if _WORN.fullmatch(name):  # of what, only its table says, or its tag
        of = next((thing for word, thing in _WEARING if word in tag), "")
        return (f"{name} of {of}", "") if of else (name, "label_says_little")
    if tag == "DeferredTaxAssetsNet" and _TAX_ASSETS.fullmatch(name):
        return "deferred tax assets after valuation allowance", ""  # liabilities are not yet taken off
    if re.search(r"(?:NetOfTax|BeforeTax|AndTax)$", tag) and re.search(r"(?<!of )(?<!before )\btax$", name):
        return name, "label_not_plain"  # the last word is lent by the tag
    if tag.startswith("AdjustmentOf") or "TranslationAdjustment" in tag or "Reclassification" in tag:
        return name, "label_says_little"
    return _complete_unit(name, triplet, tag)


def _complete_unit(name: str, triplet: Triplet, tag: str) -> tuple[str, str]:
    if triplet.unit == "shares":
        if tag.startswith("WeightedAverageNumberOf") and "Adjustment" not in tag:
            diluted = "diluted" if "Diluted" in tag else "basic"
            return f"weighted-average number of {diluted} shares outstanding", ""
        if not re.search(r"\bshares\b", name):
            return name, "label_not_plain"
    if triplet.unit.endswith("/shares") and not re.search(r"\bper\b", name, re.I):
        return name, "label_not_plain"
    if (
        triplet.unit not in {"shares"}
        and re.search(r"\bshares\b(?!.*\bper\b)", name)
        and not re.search(r"cost|value|paid|amount|repurchas|dividend|attributable", name)
    ):
        return name, "label_not_plain"  # an amount that is called shares
    return name, ""


# --- which of two sides ---

_CHANGE = re.compile(
    r"(?P<net>net )?(?:(?P<first>increase|decrease) \((?P<second>decrease|increase)\)"
    r"|\((?P<first_>increase|decrease)\) (?P<second_>decrease|increase)) in (?P<thing>.+)",
    re.I,
)
_WHOLE = re.compile(r"(?:net )?changes? in (?P<thing>(?:cash|funds)\b.+)", re.I)
_CASH = re.compile(r"(?P<head>.*\bcash )(?P<words>.*?\b)provided by \(used (?:in|for|by)\) (?P<rest>.+)", re.I)
_PROVISION = re.compile(
    r"(?P<head>.*?)(?:provision (?:for )?\(benefit(?: from)?\) (?:for )?|\(benefit\) provision for )(?P<rest>.+)", re.I
)
_BENEFIT = re.compile(r"(?P<head>.*?)(?:benefit \(provision\) for |benefit from \(provision for\) )(?P<rest>.+)", re.I)
_PAIR = re.compile(r"(?P<a>[a-z]+) \((?P<b>[a-z]+)\)|\((?P<b_>[a-z]+)\) (?P<a_>[a-z]+)", re.I)
_OUTWARD = re.compile(
    r"(?:cash )?(?:reductions?|payments?|purchases?|repayments?|repurchases?|acquisitions?|business combinations"
    r"|transferred)\b"
    r"|(?:common|treasury) stock (?:re)?purchase",
    re.I,
)
_SIGNED = re.compile(r"\b(?:rate|margin|equity|yield|return|growth)s?\b", re.I)
_DEFICIT = re.compile(r"\bdeficits?$", re.I)
_RESULT = re.compile(r"(?P<head>(?:.*\b)?)(?P<side>income|earnings|profit)\b(?P<rest>.*)", re.I)
_LOSS = re.compile(r"\bloss(?:es)?\b", re.I)
# results that may be losses; "investment income (39)" stands among expenses, which income lessens
_OF_BUSINESS = re.compile(
    r"\b(?:net|operating|operations|gross|before|pre-?tax|continuing|discontinued|segment|per)\b", re.I
)
_NUMBER = re.compile(r"[$€£]?\s*\(?\s*[$€£]?\s*\d[\d,]*(?:\.\d+)?\s*\)?")


def _choose_side(name: str, triplet: Triplet) -> Measure:
    negative = triplet.value.startswith("-")
    unclear = Measure(name, rejected_because="direction_unclear")
    if change := _CHANGE.fullmatch(name) or _WHOLE.fullmatch(name):
        sides = change.groupdict()
        # "(increase) decrease": what stands in parentheses is printed so, whichever comes first
        plain = (sides.get("first") or sides.get("second_") or "increase").lower()
        bracketed = "decrease" if plain == "increase" else "increase"
        side = bracketed if negative else plain
        thing = change["thing"]
        if re.search(r"[()/]", thing) or re.search(r"\bother\b", thing):
            return unclear
        return Measure(f"{side} in {thing}", direction=side, turned=negative, thing=thing)
    if one := re.fullmatch(r"(increase|decrease) in (.+)", name, re.I):
        if negative or _is_mixed(triplet.source_sentence) or re.search(r"[()/]|\bother\b", one[2]):
            return unclear
        return Measure(name, direction=one[1].lower(), thing=one[2])
    if re.match(r"(?:net )?changes? (?:in|due)\b|effect of|foreign currency effect", name, re.I):
        return unclear
    if cash := _CASH.fullmatch(name):
        side = "used in" if negative else "provided by"
        return Measure(
            f"{cash['head']}{cash['words']}{side} {cash['rest']}", direction=side.split()[0], turned=negative
        )
    if flows := re.fullmatch(r"(?:net )?cash flows? (?:from|for) ((?:operating|investing|financing) activities)", name):
        side = "used in" if negative else "provided by"
        return Measure(f"net cash {side} {flows[1]}", direction=side.split()[0], turned=negative)
    if taxes := _PROVISION.fullmatch(name):
        words = "benefit from" if negative else "provision for"
        return Measure(f"{taxes['head']}{words} {taxes['rest']}", direction=words.split()[0], turned=negative)
    if taxes := _BENEFIT.fullmatch(name):
        words = "provision for" if negative else "benefit from"
        return Measure(f"{taxes['head']}{words} {taxes['rest']}", direction=words.split()[0], turned=negative)
    pairs = list(_PAIR.finditer(name))
    if len(pairs) == 1 and (side := _side_of(pairs[0], name, negative)):
        words = f"{name[: pairs[0].start()]}{side}{name[pairs[0].end() :]}"
        return Measure(words, direction=side, turned=negative)
    if pairs:
        return unclear
    return _keep_side(name, triplet, negative)


def _side_of(pair: re.Match[str], name: str, negative: bool) -> str:
    """The side of "income (loss)" or "(gain) loss" that is meant; "" for a pair that says nothing."""
    plain, bracketed = (pair["a"] or pair["a_"]).lower(), (pair["b"] or pair["b_"]).lower()
    known = {
        ("income", "loss"), ("earnings", "loss"), ("profit", "loss"), ("loss", "income"), ("gain", "loss"),
        ("gains", "losses"), ("losses", "gains"), ("loss", "gain"), ("income", "expense"), ("expense", "income"),
        ("expense", "benefit"), ("benefit", "expense"), ("earnings", "losses"),
        ("assets", "liabilities"), ("proceeds", "repayments"),
    }  # fmt: skip
    if (plain, bracketed) not in known:
        return ""
    return bracketed if negative else plain


def _keep_side(name: str, triplet: Triplet, negative: bool) -> Measure:
    """The measure of a label that names one side alone: the sign must agree with it."""
    unclear = Measure(name, rejected_because="direction_unclear")
    if negative:
        if _DEFICIT.search(name):  # of (5) is one of 5, unless brackets tell it from a surplus
            return unclear if _is_mixed(triplet.source_sentence) else Measure(name, turned=True)
        if _SIGNED.search(name):
            return Measure(name)
        if _OUTWARD.match(name):
            return Measure(name, direction="paid", turned=True)
        if re.match(r"\|\s*less\b", triplet.source_sentence, re.I):
            return unclear  # taken off, whatever it is
        result = _RESULT.fullmatch(name)
        if (
            result
            and _OF_BUSINESS.search(name)
            and not re.search(r"comprehensive|loss|interest|tax(?:es)?$|other", name)
        ):
            return Measure(f"{result['head']}loss{result['rest']}", direction="loss", turned=True)
        return unclear
    row = triplet.source_sentence
    if _LOSS.search(name) and row.startswith("|") and not _LOSS.search(f"{row} {triplet.group}"):
        return unclear  # a word of the tag, which allows for both sides
    lent = _LOSS.search(name) and _LOSS.search(triplet.group)
    if lent and ("(" not in triplet.source_sentence or _is_mixed(triplet.source_sentence)):
        return unclear  # a heading lends its word to rows of either sign: without parentheses it may be a profit
    bare = triplet.answer.lstrip("$€£")
    bracketed = f"({bare})" in re.sub(r"[$€£]\s*", "", triplet.source_sentence)
    if not bracketed or triplet.method != "table":
        return Measure(name)
    if re.search(r"\bdeferred\b.*\b(?:tax|taxes|provision|benefit)\b", name) and triplet.period_start:
        return unclear  # an expense that is printed as negative is a benefit
    if re.search(r"\b(?:income|earnings|profit|gains?|charges)\b", name) and not re.search(
        r"\bloss(?:es)?\b|deficit|\bexpenses?\b|\bcosts?\b|interest income|\bpaid\b|\bpayments?\b", name
    ):
        return unclear
    return unclear if _is_mixed(triplet.source_sentence) else Measure(name)


def _is_mixed(row: str) -> bool:
    """Whether a row has numbers in parentheses and others that are not: then the parentheses are a sign."""
    cells = [cell.strip() for cell in row.split("|")[2:]]
    numbers = [cell for cell in cells if _NUMBER.fullmatch(cell) and re.search(r"[1-9]", cell)]
    return len({cell.replace("$", "").strip().startswith("(") for cell in numbers}) > 1


# --- the order of words ---

_LEADS_WITH = re.compile(
    r"(.+?)(?:,| [-–—])\s+(net|gross|current|non-?current|long-term|short-term|basic|diluted)(?P<portion> portion)?",
    re.I,
)


_DONE = "acquisitions|liquidations|purchases|sales|maturities|issuances|repayments|disposals"


def _reorder(name: str) -> str:
    """ "X, net" is "net X", "X, current portion" "the current portion of X"."""
    name = re.sub(r",? at cost$", " at cost", name)
    name = re.sub(rf"^([^,]+), ({_DONE})$", r"\2 of \1", name)
    if match := _LEADS_WITH.fullmatch(name):
        word, rest = match[2].lower(), match[1]
        if match["portion"]:
            return f"{word} portion of {rest}"
        if rest.startswith("total "):
            return rest if rest[6:].startswith(f"{word} ") else f"total {word} {lower_first(rest[6:])}"
        if not re.match(rf"{word}\b", rest, re.I):
            return f"{word} {lower_first(rest)}"
        return rest
    return re.sub(r"^(basic|diluted) total ", r"total \1 ", name)


def upper_first(words: str) -> str:
    """The words as they begin a sentence."""
    return words[0].upper() + words[1:]


def lower_first(words: str) -> str:
    """The words with a small first letter, but for "EPS" and the like."""
    return words[0].lower() + words[1:] if words[1:2].islower() else words


def _takes_were(name: str) -> bool:
    if re.match(r"(?!.*\bper\b)(?:[\w-]+ ){0,2}shares\b", name):
        return True
    if re.match(r"(?:(?:total|net|trade|current) )*accounts (?:payable|receivable)\b", name):
        return True
    if re.match(r"(?:total )?cash(?:,| and) ", name):
        return True
    if re.search(r"\b(?:assets|liabilities|investments|securities|receivables)$", name) and not re.search(
        r"\b(?:of|in|on|for|from|to)\b", name
    ):
        return True
    if re.match(r"(?:weighted-average )?number of\b|(?:current|non-?current|long-term) portion of\b", name):
        return False
    return is_plural(name)


MOST_WORDS = 9  # in the name of a measure that is said within a longer sentence
# Debris, and what trails behind a comma and would need another one; the commas of a list may stay
_BURDENED = re.compile(
    r"[:;“”]|, (?:net of|excluding|including|inclusive|less|before|after|related|current|non-?current)\b"
)


def is_sayable(name: str) -> bool:
    """Whether the name of a measure fits into a sentence."""
    return 0 < len(name.split()) <= MOST_WORDS and not _BURDENED.search(name)
