"""What a tagged cell says: the tag gives period, unit and sign, the table must give the words (inline XBRL)."""

import re
from dataclasses import dataclass
from decimal import Decimal

from rarefy.data_contracts.rows import Fact
from rarefy.tasks.knowledge.extract.cell_context import CellFact, Source
from rarefy.tasks.knowledge.extract.grouping import labels_of
from rarefy.tasks.knowledge.extract.headers import WHOLE, names_another_year, shows_period, undated
from rarefy.tasks.knowledge.extract.labels import MEASURES, borrowed, kind_of, lowered, measure, tidy, words_of
from rarefy.tasks.knowledge.extract.markdown import Row, Table
from rarefy.tasks.knowledge.extract.members import member_type, shows_member
from rarefy.tasks.knowledge.extract.periods import of_fact
from rarefy.tasks.knowledge.extract.scope import scope_missing, unlike
from rarefy.tasks.knowledge.extract.values import FACTORS, Number, number
from rarefy.tasks.text.quantities import is_number

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
_RATE = re.compile(r"\brate|margin|percent|yield|ratio|return|growth|share\b", re.I)
_TERM = re.compile(r"(?<!Non)(Current|Noncurrent)$")
_TERM_SAID = re.compile(r"current|long-term|short-term|due ", re.I)
_SHORT = re.compile(r"AccountsPayable|AccountsReceivable|ReceivablesNet|Prepaid|Inventor")
_TWO_SIGNS = re.compile(r"\([a-z]|^(?:net )?(?:change|effect|other adjustments)|/\(|\bchanges? in\b|/", re.I)


@dataclass(frozen=True, slots=True)
class Named:
    """A measure and the part of the company that it is of, in the table's own words."""

    name: str | None
    member: str = ""
    kind: str = ""
    hangs_on: str = ""
    rejected_because: str = ""


def tagged(
    fact: Fact, value: Number, table: Table, row: Row, groups: tuple[Row, ...], column: int, source: Source
) -> CellFact | None:
    """What a tagged cell says, with the first reason against it; None for tags that are not put into sentences."""
    period = of_fact(fact, source.document)
    dimensions = [d for d in fact.dimensions if d not in _QUALIFIERS]
    try:
        amount = Decimal(fact.value)
    except ArithmeticError:
        return None
    if not is_number(fact.value):
        return None
    if period is None or value.value == 0 or len(dimensions) > 1:
        return None
    label, header, above = row.cells[0].text, table.header.cells[column].text, labels_of(row, groups)
    if dimensions:
        named = of_part(fact, dimensions[0], label, header, above, source)
    else:
        named = of_whole(fact, label, header, above)
    if named is None:
        return None
    name = lowered(named.name or tidy(label), source.vocabulary)
    band = next((g for g in above if re.search(rf"\b{period.end[:4]}\b", g)), "")
    hangs_on = named.hangs_on
    if above and not hangs_on:
        if band and not shows_period(period, header):
            hangs_on = band
        elif name.lower().endswith(tidy(above[-1]).lower()):
            hangs_on = above[-1]
    factor = abs(amount / value.value)
    scale = "" if fact.unit == "pure" else next((s for s, f in FACTORS.items() if f == factor), None)
    around = f"{header} {label} {table.header.cells[0].text} {band} {table.lead}"
    missing = scope_missing(fact.concept, f"{name} {named.member}") or unlike(fact.concept, name)
    reasons = (
        named.rejected_because,
        "row_has_two_labels" if any(words_of(c.text) and number(c.text) is None for c in row.cells[1:]) else "",
        "" if named.name else "measure_not_named",
        "" if shows_period(period, around) else "period_not_shown",
        "period_disagrees" if names_another_year(period, header) else "",
        "scope_not_in_label" if missing else "",
        "percent_of_what" if value.percent and not _RATE.search(name) else "",
        "unit_unknown" if fact.unit == "pure" and not value.percent else "",
        "scale_disagrees" if scale is None else "",
    )
    reason = next(filter(None, reasons), "")
    amount = signed(amount, value, name)
    return CellFact(
        name, named.member, named.kind, period, amount, fact.unit, scale or "", fact.concept, reason, hangs_on
    )


def of_whole(fact: Fact, label: str, header: str, above: tuple[str, ...]) -> Named:
    """A measure of the whole company; a column that says more than its period ("Gross", "Level 1") is not one."""
    name = measure(label, above)
    if not name and fact.unit == "USD":
        name = borrowed(label, above, fact.concept.rpartition(":")[2])
    if name and re.search(r"Expenses?$", fact.concept) and not _COSTS.search(name):
        name = f"{name} expenses"
    reason = "" if undated(header).lower() in WHOLE else "column_qualified"
    term = _TERM.search(fact.concept)
    if name and term and not _SHORT.search(fact.concept) and not _TERM_SAID.search(name):
        # "Term debt" stands under current and under non-current liabilities: the group says which, or nothing does
        group = next((g for g in reversed(above) if re.search(r"\bcurrent\b|\blong-term\b", g, re.I)), "")
        if not group:
            return Named(name, rejected_because=reason or "current_or_not")
        return Named(f"{'current' if term[1] == 'Current' else 'non-current'} {name}", "", "", group, reason)
    return Named(name, rejected_because=reason)


def of_part(
    fact: Fact, dimension: str, label: str, header: str, above: tuple[str, ...], source: Source
) -> Named | None:
    """A measure of a segment, product or region that row, column or group names; None for other kinds of part."""
    axis, _, code = dimension.partition("=")
    kind = member_type(axis)
    name = measure(label, above)
    if not kind:
        # the statement of equity may say the same words of another amount; nothing is asked of it, but it counts
        return Named(name, rejected_because="equity_component") if axis.endswith("EquityComponentsAxis") else None
    over = next((g for g in above if shows_member(g, code)), "")
    shown = next((part for part in (label, undated(header), over) if part and shows_member(part, code)), "")
    if _NO_PART[kind].fullmatch(plain(shown)):
        return Named(name, rejected_because="no_part")
    if shows_member(label, code):
        group = next((g for g in reversed(above) if kind_of(g)), "")
        member = plain(label)
        if set(words_of(member)) & MEASURES:
            return Named(member, hangs_on=group)  # "Total automotive revenues" is a measure by itself
        return Named(kind_of(group) if group else source.names.get(fact.concept), member, kind, group)
    if shows_member(undated(header), code):
        return Named(name, plain(undated(header)), kind)
    if over:
        return Named(name, plain(over), kind, over)
    return Named(name, rejected_because="member_not_shown")


def plain(member: str) -> str:
    """A part's name as a sentence takes it: "Americas" for "Americas segment (1):"."""
    return re.sub(r"\s+segment$", "", tidy(member), flags=re.I)


def signed(amount: Decimal, value: Number, name: str) -> Decimal:
    """An amount with the sign that its label means.

    A statement puts parentheses around what flows out ("Repurchases of common stock (94,949)"), where the tag, like the
    label, counts it up; a label that allows both signs ("Other income (expense)") means the sign that is printed.
    """
    shown = abs(amount) if value.value > 0 else -abs(amount)
    return abs(amount) if value.value < 0 and _DIRECTED.search(name) and not _TWO_SIGNS.search(name) else shown
