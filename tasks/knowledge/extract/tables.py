"""Triplets from tables: entity, row label, value with unit and period (issue stage 3a; RARE §3.2).

A cell that the source tags (inline XBRL) takes its period, unit, scale and sign from the tag, and the table must show
them; a cell of an untagged source takes them from headers and caption, and is left alone where those do not say."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Set
from dataclasses import dataclass, replace
from decimal import Decimal

from rarefy.data_contracts.rows import Chunk, Document, Fact, Triplet, row_id
from rarefy.tasks.corpus.places import PlaceIndex
from rarefy.tasks.knowledge.extract.column_heads import DUE_LATER
from rarefy.tasks.knowledge.extract.labels import (
    FLOW,
    MEASURES,
    STOCK,
    complete_measure,
    group_measure,
    label_words,
    lowercase_label,
    measure_name,
    tidy_label,
)
from rarefy.tasks.knowledge.extract.markdown import (
    LONGEST_LABEL,
    Cell,
    Row,
    Table,
    group_labels,
    labelled_rows,
    parse_tables,
)
from rarefy.tasks.knowledge.extract.periods import Period, period_of_fact, period_of_header
from rarefy.tasks.knowledge.extract.plain_tables import PlainTable
from rarefy.tasks.knowledge.extract.table_names import Outline, is_company_statement, outline_document
from rarefy.tasks.knowledge.extract.values import FACTORS, CellNumber, find_scale, format_number, parse_cell_number
from rarefy.tasks.text.dates import MONTH
from rarefy.tasks.text.notations import without_scales
from rarefy.tasks.text.quantities import is_number

_INDIAN = ("lakhs", "crores")  # no filing with the SEC counts in them
# What a tag's name may say that changes the meaning of the label; each needs a word of its kind in the label.
_SCOPES = {
    r"DeferredTax": r"deferred tax|valuation",
    r"DeferredIncomeTax": r"deferred",
    r"Deferred(?:Income)?Tax\w*Net": r"\bnet\b|non-?current",
    r"UnrecognizedTax": r"unrecognized|uncertain",
    r"IncreaseDecrease": r"change|increase|decrease",
    r"ExcludingExchangeRateEffect": r"exchange|currenc",  # the balance rose by this and by the line of exchange rates
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


def missing_scope(concept: str, name: str) -> str:
    """The part of a tag that narrows its meaning and that the measure's name does not say; "" for none."""
    local = concept.rpartition(":")[2]
    for tag, words in _SCOPES.items():
        if re.search(tag, local, 0 if tag.startswith("^") else re.I) and not re.search(words, name, re.I):
            return tag
    return ""


_SYNONYM_STEMS = {
    "sales": "reven",
    "sale": "reven",
    "earnings": "incom",
    "profit": "incom",
    "turnover": "reven",
    "stockholders": "share",
}


def shares_no_word(concept: str, name: str) -> bool:
    """Whether a measure's name has no word in common with its tag, and so means something in its table alone."""
    # by five letters, for tags run words together and cut them, and the table above is of such beginnings
    tag = {p.lower()[:5] for p in re.findall(r"[A-Z]+(?![a-z])|[A-Z][a-z]+", concept.rpartition(":")[2])}
    tag |= {"incom"} if "profi" in tag or "earni" in tag else set()
    tag |= {"reven"} if "sales" in tag else set()
    words = re.findall(r"[a-z]{3,}", name.lower())
    return not tag & {_SYNONYM_STEMS.get(w, w)[:5] for w in words}


_AXES = {
    "StatementBusinessSegmentsAxis": "SEGMENT",
    "ProductOrServiceAxis": "PRODUCT",
    "StatementGeographicalAxis": "REGION",
}
_FILLER = frozenset(["member", "segment", "segments", "group", "business", "and", "of", "the", "other", "total"])


def part_type(axis: str) -> str:
    """SEGMENT, PRODUCT or REGION; "" for an axis that is not a part of the company."""
    return _AXES.get(axis.rpartition(":")[2], "")


def _squeeze(text: str) -> str:
    return re.sub(r"[^a-z0-9]", "", text.lower())


def names_part(label: str, code: str) -> bool:
    """Whether a label names the member of a tag: "Greater China" and "aapl:GreaterChinaSegmentMember"."""
    prefix, _, local = code.rpartition(":")
    shown = _squeeze(re.sub(r"\(.*?\)|\d{4}|\bsegment\b|\btotal\b", " ", label.lower()))
    if not shown:
        return False
    if prefix == "country":
        return shown in _COUNTRY.get(local, ()) or (shown == local.lower())
    camel = re.sub(r"Member$", "", local)
    parts = [p for p in re.findall(r"[A-Z]+(?![a-z])|[A-Z][a-z]+|[a-z]+|\d+", camel) if p.lower() not in _FILLER]
    name = "".join(parts).lower()
    if not name or len(shown) < 2:
        return False
    letters = "".join(part[0] for part in parts)
    if len(letters) > 2 and re.search(rf"\b{letters}\b", label):  # "AMEA": Asia, Middle East and Africa
        return shown == letters.lower()
    shown = re.sub(r"and|of|the", "", shown) or shown
    name = re.sub(r"and|of|the", "", name) or name
    return shown == name or (min(len(shown), len(name)) >= 4 and (name.startswith(shown) or shown.startswith(name)))


# country code → its names in tables, letters only
_COUNTRY = {
    code: tuple(names.split("|"))
    for code, names in (
        entry.split(":")
        for entry in """
        US:us|unitedstates|usa|unitedstatesofamerica|domestic CN:china|mainlandchina|chinaincludinghongkong
        GB:unitedkingdom|uk DE:germany JP:japan TW:taiwan SG:singapore IE:ireland CA:canada MX:mexico IN:india
        FR:france KR:korea|southkorea AU:australia BR:brazil IL:israel NL:netherlands CH:switzerland
        HK:hongkong NO:norway IT:italy ES:spain
        """.split()
    )
}


# Column headers, their dates apart, under which a row means the whole company
COMPANY_HEADERS = frozenset(
    ("", "total", "consolidated", "amount", "total company", "as reported", "consolidated total", "total consolidated")
)
_DATED = re.compile(
    r"(?:\b(?:as (?:of|at)|at|for|in|during)(?: and for)?(?: the)?\s+)?"
    r"\b(?:(?:fiscal|twelve|12|full|calendar)\s+)*(?:years?|months)?[\s,-]*(?:ended|ending)?[\s,]*"
    r"(?:as of|as at|at|on)?[\s,]*"
    rf"(?:\b{MONTH}\s+\d{{1,2}}[\s,]*)?(?:\bFY\s?)?(?:19|20)\d\d\b|\bfiscal\b|\byears?\b",
    re.I,
)
_MARKS = re.compile(r"\((?:\d{1,2}|[a-z])\)|[$%*:]", re.I)  # of notes and units
# What is left of "For the Years Ended December 31, 2023", and the title of a statement above its dates
_SAYS_NO_MORE = re.compile(
    r"(?:at|as of|for|in|during)?(?: and for)?(?: the)?"
    r"|(?:the )?consolidated (?:statements? of [a-z -]+|balance sheets?)",
    re.I,
)


def without_period(header: str) -> str:
    """What a column header says besides its period and its unit."""
    plain = _MARKS.sub(" ", without_scales(_DATED.sub(" ", header)))
    plain = re.sub(r"^\s*(?:years?\s+)?ended\s+[A-Z][a-z]+\s+\d{1,2}\s*,?\s*$", "", plain, flags=re.I)
    plain = re.sub(r"\s+", " ", plain).strip(" ,-–—")
    return "" if _SAYS_NO_MORE.fullmatch(plain) else plain


def names_another_year(period: Period, header: str) -> bool:
    """Whether a column header names years, and none of them is the period's: the table inherited a wrong header."""
    years = set(re.findall(r"\b((?:19|20)\d\d)\b", header))
    return bool(years) and not years & {period.end[:4], period.label[-4:]}


def shows_period(period: Period, shown: str) -> bool:
    """Whether the year of a period, calendar or fiscal, stands in these words."""
    years = {period.end[:4], period.label[-4:]}
    return any(re.search(rf"\b{year}\b|[’']{year[2:]}\b|\b(?:FY|fiscal) ?{year[2:]}\b", shown) for year in years)


@dataclass(frozen=True, slots=True)
class TableContext:
    """What the cells of one document are read with: its tags, names of concepts, vocabulary, places in its source."""

    document: Document
    facts: Mapping[int, Fact]  # by where they start in the document
    names: Mapping[str, str]  # concept → what the registrant calls it for the whole company
    vocabulary: Set[str]  # the words that the document writes in lower case
    places: PlaceIndex
    outline: Outline


@dataclass(frozen=True, slots=True)
class NumberCell:
    """A cell with a number, and all of its table that says what the number means."""

    chunk: Chunk
    table: Table
    row: Row
    groups: tuple[Row, ...]  # group labels above the row, nearest last
    column: int
    value: CellNumber

    @property
    def cell(self) -> Cell:
        """The cell itself."""
        return self.row.cells[self.column]

    @property
    def label(self) -> str:
        """The label of its row."""
        return self.row.cells[0].text

    @property
    def header(self) -> str:
        """The header of its column."""
        return self.table.header.cells[self.column].text

    @property
    def above(self) -> tuple[str, ...]:
        """The group labels that its row depends on, nearest last."""
        return group_labels(self.row, self.groups)


@dataclass(frozen=True, slots=True)
class CellFact:
    """The fact of a cell, before it becomes a triplet."""

    name: str
    member: str
    member_kind: str
    period: Period | None
    value: Decimal
    unit: str
    scale: str
    concept: str
    rejected_because: str
    hangs_on: str = ""  # the group label that names the measure, the member or the period


_COSTS = re.compile(
    r"expens|cost|charge|provision|tax|deprecia|amortiz|compensation|interest|loss|impairment|benefit|income|write|research",
    re.I,
)
# Dimensions that every company-level or segment figure may carry
_QUALIFIERS = (
    "srt:ConsolidationItemsAxis=us-gaap:OperatingSegmentsMember",
    "us-gaap:StatementClassOfStockAxis=us-gaap:CommonStockMember",
)
# What reconciles parts to the whole, or is everything else, is no part that anybody would ask for
_NO_PART = {
    "SEGMENT": re.compile(
        r"(?:corporate|eliminations?|unallocated|intersegment|reconciling)\b.*|(?:all )?others?", re.I
    ),
    "REGION": re.compile(r"international|foreign|non-u\.?s\.?.*|(?:all )?other.*|rest of (?:the )?world", re.I),
    "PRODUCT": re.compile(r"(?:all )?others?", re.I),
}
# Labels that give the direction themselves, so that parentheses around their numbers say it once more
_DIRECTED = re.compile(
    r"\b(?:payments?|purchases?|repurchases?|repayments?|paid|additions?|acquisitions?|expenditures?|dividends?|costs?"
    r"|expenses?|loss(?:es)?|deficit|decreases?|increases?|outflows?|charges?|used|tax(?:es)?|withh\w+|provision|allowances?"
    r"|discounts?|depreciation|amortization|settle\w*|retire\w*|redemptions?|treasury|deposits?|contributions?|reserves?"
    r"|investments? in|excluding|interest|liabilit\w+)\b",
    re.I,
)
# "Net income per share" of some filers is the net income that the line below divides; "used for ... per share" says so
_CALLED_PER_SHARE = re.compile(r"(?!.*\b(?:for|in|used|using)\b).*\bper (?:\w+ ){0,2}share\b", re.I)
_RATE = re.compile(r"\brate|margin|percent|yield|ratio|return|growth|share\b", re.I)
_TERM = re.compile(r"(?<!Non)(Current|Noncurrent)$")
_TERM_SAID = re.compile(r"current|long-term|short-term|due ", re.I)
_SHORT = re.compile(r"AccountsPayable|AccountsReceivable|ReceivablesNet|Prepaid|Inventor")
_TWO_SIGNS = re.compile(r"\([a-z]|^(?:net )?(?:change|effect|other adjustments)|/\(|\bchanges? in\b|/", re.I)


@dataclass(frozen=True, slots=True)
class NamedMeasure:
    """A measure and the part of the company it is of, in the table's own words."""

    name: str | None
    member: str = ""
    kind: str = ""
    hangs_on: str = ""
    rejected_because: str = ""


def read_tagged_cell(fact: Fact, place: NumberCell, source: TableContext) -> CellFact | None:
    """The fact of a tagged cell, with the first reason against it; None for tags that make no fact."""
    period = period_of_fact(fact, source.document)
    dimensions = [d for d in fact.dimensions if d not in _QUALIFIERS]
    value, label, header, above = place.value, place.label, place.header, place.above
    try:
        amount = Decimal(fact.value)
    except ArithmeticError:
        return None
    if not is_number(fact.value) or period is None or value.value == 0 or len(dimensions) > 1:
        return None
    if dimensions:
        named = name_part_measure(fact, dimensions[0], label, header, above, source)
    else:
        named = name_company_measure(fact, label, header, above)
    if named is None:
        return None
    name = lowercase_label(named.name or tidy_label(label), source.vocabulary)
    band = next((g for g in above if re.search(rf"\b{period.end[:4]}\b", g)), "")
    hangs_on = named.hangs_on
    if above and not hangs_on:
        if band and not shows_period(period, header):
            hangs_on = band
        elif name.lower().endswith(tidy_label(above[-1]).lower()):
            hangs_on = above[-1]
    factor = abs(amount / value.value)
    scale = (
        "" if fact.unit == "pure" else next((s for s, f in FACTORS.items() if f == factor and s not in _INDIAN), None)
    )
    around = f"{header} {label} {place.table.header.cells[0].text} {band} {place.table.lead}"
    two_labels = any(label_words(c.text) and parse_cell_number(c.text) is None for c in place.row.cells[1:])
    missing = missing_scope(fact.concept, f"{name} {named.member}") or shares_no_word(fact.concept, name)
    reasons = (
        named.rejected_because,
        "row_has_two_labels" if two_labels else "",
        "" if named.name else "measure_not_named",
        "" if shows_period(period, around) else "period_not_shown",
        "period_disagrees" if names_another_year(period, header) else "",
        "scope_not_in_label" if missing else "",
        "percent_of_what" if value.percent and not _RATE.search(name) else "",
        "unit_disagrees" if fact.unit == "USD" and _CALLED_PER_SHARE.match(name) else "",
        "unit_unknown" if fact.unit == "pure" and not value.percent else "",
        "scale_disagrees" if scale is None else "",
    )
    reason = next(filter(None, reasons), "")
    signed = apply_sign(amount, value, name)
    part = named.member, named.kind
    return CellFact(name, *part, period, signed, fact.unit, scale or "", fact.concept, reason, hangs_on)


def name_company_measure(fact: Fact, label: str, header: str, above: tuple[str, ...]) -> NamedMeasure:
    """A measure of the whole company; a column that says more than its period ("Gross", "Level 1") is not one."""
    name = measure_name(label, above)
    if not name and fact.unit == "USD":
        name = complete_measure(label, above, fact.concept.rpartition(":")[2])
    if name and re.search(r"Expenses?$", fact.concept) and not _COSTS.search(name):
        name = f"{name} expenses"
    reason = "" if without_period(header).lower() in COMPANY_HEADERS else "column_qualified"
    term = _TERM.search(fact.concept)
    if name and term and not _SHORT.search(fact.concept) and not _TERM_SAID.search(name):
        # "Term debt" stands under current and under non-current liabilities: the group says which, or nothing does
        group = next((g for g in reversed(above) if re.search(r"\bcurrent\b|\blong-term\b", g, re.I)), "")
        if not group:
            return NamedMeasure(name, rejected_because=reason or "current_or_not")
        return NamedMeasure(f"{'current' if term[1] == 'Current' else 'non-current'} {name}", "", "", group, reason)
    return NamedMeasure(name, rejected_because=reason)


def name_part_measure(
    fact: Fact, dimension: str, label: str, header: str, above: tuple[str, ...], source: TableContext
) -> NamedMeasure | None:
    """A measure of a segment, product or region that row, column or group names; None for other kinds of part."""
    axis, _, code = dimension.partition("=")
    kind = part_type(axis)
    name = measure_name(label, above)
    if not kind:
        # the statement of equity may have the same label for another amount: no question asks for it, but it counts
        return (
            NamedMeasure(name, rejected_because="equity_component") if axis.endswith("EquityComponentsAxis") else None
        )
    over = next((g for g in above if names_part(g, code)), "")
    shown = next((part for part in (label, without_period(header), over) if part and names_part(part, code)), "")
    if _NO_PART[kind].fullmatch(part_name(shown)):
        return NamedMeasure(name, rejected_because="no_part")
    if names_part(label, code):
        group = next((g for g in reversed(above) if group_measure(g)), "")
        member = part_name(label)
        if set(label_words(member)) & MEASURES:
            return NamedMeasure(member, hangs_on=group)  # "Total automotive revenues" is a measure by itself
        return NamedMeasure(group_measure(group) if group else source.names.get(fact.concept), member, kind, group)
    if names_part(without_period(header), code):
        return NamedMeasure(name, part_name(without_period(header)), kind)
    if over:
        return NamedMeasure(name, part_name(over), kind, over)
    return NamedMeasure(name, rejected_because="member_not_shown")


def part_name(member: str) -> str:
    """A part's name as a sentence takes it: "Americas" for "Americas segment (1):"."""
    return re.sub(r"\s+segment$", "", tidy_label(member), flags=re.I)


def apply_sign(amount: Decimal, value: CellNumber, name: str) -> Decimal:
    """An amount with the sign that its label means.

    A statement puts parentheses around what flows out ("Repurchases of common stock (94,949)"), where the tag, like the
    label, counts it up; a label that allows both signs ("Other income (expense)") means the sign that is printed.
    """
    shown = abs(amount) if value.value > 0 else -abs(amount)
    return abs(amount) if value.value < 0 and _DIRECTED.search(name) and not _TWO_SIGNS.search(name) else shown


_SHARES = re.compile(r"\bshares\b(?!.*\bper\b)", re.I)
_PER_SHARE = re.compile(r"\bper (?:common |diluted |basic |ordinary )*(?:share|unit)\b", re.I)


_OUTFLOW = re.compile(
    r"\b(?:payments?|purchases?|repurchases?|repayments?|additions|acquisitions?|dividends|expenditures?|costs?|expenses?|used)\b",
    re.I,
)


def is_unlikely(name: str, period: Period) -> bool:
    """Whether a measure that is counted on a day stands under a year, or one that runs over a year under a day."""
    stock, flow = bool(STOCK.search(name)), bool(FLOW.search(name))
    return (stock and not flow) if period.start else (flow and not stock)


_CHANGES = re.compile(
    r"(?:net )?(?:changes?|increase|decrease)\b", re.I
)  # a group, whose rows are changes and not what they name


def read_untagged_cell(place: NumberCell, source: TableContext) -> CellFact | None:
    """The fact of a cell in an untagged source, by headers and caption alone; None where they leave a doubt."""
    value, header, above = place.value, place.header, place.above
    caption = f"{place.table.lead}\n{place.table.header.cells[0].text}"
    about = source.document
    if not (about.entity and about.period_end and is_company_statement(place.chunk.section, caption)):
        return None  # what is no filing counts its years as it likes
    period, name = period_of_header(header, caption, source.document), measure_name(place.label, above)
    if period is None or name is None or is_unlikely(name, period):
        return None
    if value.value == 0 or (value.percent and value.value == 100) or any(map(_CHANGES.match, above)):
        return None
    stated = f"{caption}\n{header}"
    scale = find_scale(stated)
    if value.percent:
        unit, scale = "percent", ""
    elif re.search(r"\bshares\b", name, re.I) and not _PER_SHARE.search(name):
        unit, scale = "shares", find_scale(stated, shares=True)
    elif _PER_SHARE.search(f"{name} {' '.join(above[-1:])}"):
        unit, scale = "USD/shares", ""
    elif _SHARES.search(name):
        unit, scale = "shares", find_scale(stated, shares=True)
    elif value.currency or "$" in f"{caption} {header}" or scale:
        unit = value.currency or "USD"
    else:
        return None
    if not scale and unit in {"USD", "shares"}:
        return None  # a bare number of a filing is hardly ever whole dollars
    name = lowercase_label(name, source.vocabulary)
    amount = value.value * FACTORS[scale]
    if _OUTFLOW.search(name) and "(" not in name:
        amount = abs(amount)  # parentheses of a statement, not a sign
    return CellFact(name, "", "", period, amount, unit, scale, "", "")


def table_context(document: Document, chunks: list[Chunk]) -> TableContext:
    """A document's tags by place, its vocabulary, and what its own statements call each concept."""
    facts = {fact.start: fact for fact in document.facts if fact.end > fact.start}
    # not what stands in addresses ("walmart.com"), nor what the registrant is called
    small = re.findall(r"(?<![\w’'./@:-])[a-z]{2,}(?![\w@/]|\.\w)", document.text)
    vocabulary = frozenset(small) - frozenset(re.findall(r"[a-z]{2,}", document.entity.lower())) | {"company"}
    source = TableContext(document, facts, {}, vocabulary, PlaceIndex(document.places), outline_document(document))
    names: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for chunk in chunks:
        for table in parse_tables(chunk.text) if facts and chunk.kind == "table" else ():
            for row, groups in labelled_rows(table):
                name = measure_name(row.cells[0].text, group_labels(row, groups))
                for cell in row.cells[1:] if name else ():
                    fact = find_fact(cell, chunk, source)
                    if fact and not fact.dimensions and name:
                        names[fact.concept][re.sub(r"^total ", "", name, flags=re.I)] += 1
    most_common = {concept: min(counts, key=lambda n: (-counts[n], len(n), n)) for concept, counts in names.items()}
    return replace(source, names=most_common)


def find_fact(cell: Cell, chunk: Chunk, source: TableContext) -> Fact | None:
    """The tag of a cell's number, None where it has none."""
    value = parse_cell_number(cell.text)
    return source.facts.get(chunk.start + cell.start + value.start) if value else None


def extract_tables(chunk: Chunk, source: TableContext) -> Iterator[Triplet]:
    """Every fact that the tables of a chunk state; those that cannot be shown in the table carry a reason."""
    for table in parse_tables(chunk.text):
        named = dict(_read_cells(table, chunk, source))
        yield from named.values()
        if not source.facts:  # a tagged source does not tag its discussion; the statements say the same
            plain = PlainTable(table, chunk, source.document, source.outline, source.vocabulary, source.places)
            yield from plain.triplets(named.keys())


def _read_cells(table: Table, chunk: Chunk, source: TableContext) -> Iterator[tuple[int, Triplet]]:
    """The facts of cells whose meaning tags or a company's own statements give, by where the cells begin."""
    heads = [len(cell.text) <= LONGEST_LABEL for cell in table.header.cells]
    tagged_alone = bool(source.facts) or any(DUE_LATER.search(cell.text) for cell in table.header.cells)
    for row, groups in labelled_rows(table) if heads[:1] == [True] else ():
        for column, cell in enumerate(row.cells[1:], start=1):
            value = parse_cell_number(cell.text)
            if value is None or column >= len(heads) or not heads[column]:
                continue
            tag = source.facts.get(chunk.start + cell.start + value.start)
            place = NumberCell(chunk, table, row, groups, column, value)
            if tag is not None:
                fact = read_tagged_cell(tag, place, source)
            else:
                fact = None if tagged_alone else read_untagged_cell(place, source)
            if fact is not None:
                shown_at = source.places.name(chunk.start + cell.start, chunk.start + cell.end)
                yield cell.start, replace(cell_to_triplet(fact, place, source.document), place=shown_at)


def cell_to_triplet(fact: CellFact, place: NumberCell, document: Document) -> Triplet:
    """A cell's fact as a triplet, with row, header and group label as proof."""
    chunk, row, value, cell = place.chunk, place.row, place.value, place.cell
    answer = value.printed(cell.text, fact.value < 0)
    kind = "PERCENT" if value.percent else "MONEY" if fact.unit.startswith("USD") else "NUMBER"
    subject = f"{document.entity} {fact.member}".strip()
    spelled = answer if not fact.scale else f"{answer} {fact.scale[:-1]}"
    when = fact.period.label if fact.period else ""
    header = place.table.header
    group = next((g for g in place.groups if fact.hangs_on and g.cells[0].text == fact.hangs_on), None)
    return Triplet(
        triplet_id=row_id("table", chunk.chunk_id, cell.start, fact.name, subject),
        chunk_id=chunk.chunk_id,
        doc_id=chunk.doc_id,
        start=row.start,
        end=row.end,
        subject=subject,
        relation=fact.name,
        object=f"{spelled} ({when})" if when else spelled,
        source_sentence=chunk.text[row.start : row.end],
        method="table",
        subject_type=fact.member_kind or "ORG",
        object_type=kind,
        header=chunk.text[header.start : header.end],
        header_start=header.start,
        header_end=header.end,
        group=chunk.text[group.start : group.end] if group else "",
        group_start=group.start if group else 0,
        group_end=group.end if group else 0,
        answer=answer,
        value=format_number(fact.value),
        unit="percent" if value.percent else fact.unit,
        scale=fact.scale,
        period=when,
        period_start=fact.period.start if fact.period else "",
        period_end=fact.period.end if fact.period else "",
        concept=fact.concept,
        entity=document.entity,
        domain=document.domain,
        rejected_because=fact.rejected_because or ("" if document.entity else "entity_unknown"),
    )
