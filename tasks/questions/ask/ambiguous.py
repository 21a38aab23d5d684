"""Figures for which a filing has a second value: by another breakdown, by another way to count, or under one name."""

import re
from decimal import Decimal

from rarefy.data_contracts.rows import Chunk, Fact, Triplet
from rarefy.tasks.knowledge.extract.values import parse_cell_number
from rarefy.tasks.knowledge.graph.computed import is_sum_of_neighbours
from rarefy.tasks.knowledge.graph.facts import is_member
from rarefy.tasks.questions.ask.common_names import tags_of_one_name
from rarefy.tasks.questions.ask.index import CorpusIndex, subject_of
from rarefy.tasks.questions.ask.measures import describe_measure
from rarefy.tasks.text.markdown import split_cells

ROUNDED = Decimal("0.005")  # two values that differ by less are one, rounded
EXACT = Decimal("0.0005")  # likewise, of which no share to a tenth of a percent is another

# Tags of one measure, of which a filing may use one in this table and another in that
_REVENUE = frozenset(
    "Revenues RevenueFromContractWithCustomerExcludingAssessedTax RevenueFromContractWithCustomerIncludingAssessedTax "
    "SalesRevenueNet RevenuesNetOfInterestExpense".split()
)
# Axes that say how a part was counted, and not of what the figure is a part
_COUNTED = re.compile(r":(?:ConsolidationItems|ConcentrationRisk\w+|StatementScenario|Range)Axis$")
_NOT_OF_THE_PART = re.compile(r"Eliminat|Intersegment|IntersubSegment|Reconcil|CorporateNonSegment|Adjustment", re.I)

_US = r"U\.?S\.?A?\.?|United States(?: of America)?|Canada"
_INSIDE = {  # regions, and countries of each that filings print in a row of their own
    "Americas": rf"{_US}|North America",
    "North America": _US,
    "Asia|Asia[- ]Pacific|APAC": r"(?:Greater |Mainland )?China(?: region)?|Japan|India|(?:South )?Korea|Taiwan",
    "Europe|EMEA": r"United Kingdom|U\.?K\.?|Germany|France|Ireland|Switzerland|Netherlands",
}


def second_value(triplet: Triplet, index: CorpusIndex) -> str:
    """Why a reader of the filing may find another value for what a figure of a part is of; "" for nothing.

    Sales in a country are counted by where customers are in one table and by where the seller is in the next.
    """
    if names_two_lines(triplet, index.chunks[triplet.chunk_id]):
        return "label_of_two_rows"
    if not (is_member(triplet) and triplet.value and triplet.concept):
        return ""
    chunk = index.chunks[triplet.chunk_id]
    if triplet.subject_type == "REGION" and leaves_out_its_country(triplet, chunk):
        return "several_breakdowns"
    start, end = chunk.start + triplet.start, chunk.start + triplet.end
    same_time = index.facts_of_time(triplet.doc_id, triplet.period_start, triplet.period_end)
    own = [fact for fact in same_time if start <= fact.start < end and fact.concept == triplet.concept]
    parts = {_part_of(fact) for fact in own if abs(Decimal(fact.value)) == abs(Decimal(triplet.value))}
    for fact in same_time:
        # a segment may have sales and other revenues, each in a row of its own; of a country, revenues are sales
        named = _measure if triplet.subject_type == "REGION" else str
        alike = fact.unit == triplet.unit and named(fact.concept) == named(triplet.concept)
        if alike and _part_of(fact) in parts - {frozenset()} and not _is_same(fact.value, triplet.value):
            return "several_breakdowns"
    return "restated_elsewhere" if any(_is_restated(triplet, part, index) for part in parts) else ""


def has_namesake(fact: Triplet, index: CorpusIndex) -> bool:
    """Whether the company has another figure of the year that goes by the same name: revenue with and without fees.

    Its report may tag one that no question is made of: net income with what belongs to noncontrolling interests.
    """
    names = tags_of_one_name(fact.concept)
    of_report = index.facts_of_time(fact.doc_id, fact.period_start, fact.period_end)
    if any(
        other.concept in names and not other.dimensions and not _is_same(other.value, fact.value) for other in of_report
    ):
        return True
    return any(
        other.value != fact.value
        and index.year_of(other) == index.year_of(fact)
        and bool(other.period_start) == bool(fact.period_start)
        for tag in names
        for other in index.tagged.get((subject_of(fact), tag), ())
    )


def _is_restated(triplet: Triplet, part: frozenset[str], index: CorpusIndex) -> bool:
    """Whether another report of the company has the part's figure inside a larger part alone, and another amount.

    A company that draws its lines anew restates the years before: "Indoor Garden" of fiscal 2022 is less from then on.
    """
    for document in index.documents_about(triplet.entity) if part else ():
        if document.doc_id == triplet.doc_id:
            continue
        same_time = index.facts_of_time(document.doc_id, triplet.period_start, triplet.period_end)
        told = {
            (_part_of(fact), fact.value)
            for fact in same_time
            if (fact.concept, fact.unit) == (triplet.concept, triplet.unit) and part <= _part_of(fact)
        }
        if len(told) == 1 and all(of != part and not _is_same(value, triplet.value) for of, value in told):
            return True
    return False


def leaves_out_its_country(triplet: Triplet, chunk: Chunk) -> bool:
    """Whether a country has more than the region it lies in: "Americas" in a row below "U.S." are the rest of them."""
    region = triplet.subject.removeprefix(triplet.entity).strip()
    inside = next((countries for name, countries in _INSIDE.items() if re.fullmatch(name, region, re.I)), "")
    own = parse_cell_number(triplet.answer)
    if not inside or own is None:
        return False
    start, end = _table_of(triplet, chunk)
    lines = (line for line in chunk.text[start:end].split("\n") if line.startswith("|"))
    rows = [[cell.strip() for cell in split_cells(line)] for line in lines]
    mine = (parse_cell_number(cell.strip()) for cell in split_cells(triplet.source_sentence))
    column = next((at for at, number in enumerate(mine) if number and number.digits == own.digits), None)
    beside = [row[column] for row in rows if column is not None and re.fullmatch(inside, row[0], re.I) and row[column:]]
    return any(number.value > own.value for number in map(parse_cell_number, beside) if number)


def _measure(concept: str) -> str:
    return "revenue" if concept.partition(":")[2] in _REVENUE else concept


def _part_of(fact: Fact) -> frozenset[str]:
    """What a fact is a figure of, without how it was counted; empty for the whole company and for what is taken off."""
    if any(_NOT_OF_THE_PART.search(dimension) for dimension in fact.dimensions):
        return frozenset()
    return frozenset(d for d in fact.dimensions if not _COUNTED.search(d.partition("=")[0]))


def _is_same(one: str, other: str, within: Decimal = ROUNDED) -> bool:
    first, second = abs(Decimal(one)), abs(Decimal(other))
    return abs(first - second) <= within * max(first, second)


def names_two_lines(triplet: Triplet, chunk: Chunk) -> bool:
    """Whether a label that ends in ", net" has a "net ..." of the same thing in another row of its passage.

    "Deferred tax assets, net" is less an allowance; "Net deferred tax assets" are less the liabilities as well.
    """
    label = re.fullmatch(r"(?:total )?(.+?)(?:,| [-–—]) net", triplet.relation, re.I)
    if label is None or not re.match(r"(?:total )?net ", describe_measure(triplet).name):
        return False  # the name says it in full
    turned = re.compile(rf"\b(?:total )?net (?:total )?{re.escape(label[1])}", re.I)
    rows = (line.split("|")[1] for line in chunk.text.splitlines() if line.startswith("|"))
    return any(turned.search(re.sub(r"[()]", "", row)) for row in rows)


def whole_is_of_table(member: Triplet, whole: Triplet, index: CorpusIndex) -> bool:
    """Whether the table of a part has the whole that it is measured by, so that both are of one breakdown."""
    chunk = index.chunks[member.chunk_id]
    start, end = _table_of(member, chunk)
    printed = parse_cell_number(whole.answer)
    cells = chunk.text[start:end].split("|")
    numbers = (parse_cell_number(cell.strip()) for cell in cells)
    return any(number.digits == printed.digits for number in numbers if number and printed)


def _table_of(fact: Triplet, chunk: Chunk) -> tuple[int, int]:
    """Where the table of a fact begins and ends in its passage."""
    end = chunk.text.find("\n\n", fact.end)
    return chunk.text.rfind("\n\n", 0, fact.start) + 1, end if end > 0 else len(chunk.text)


def are_parts_of_whole(member: Triplet, whole: Triplet, index: CorpusIndex) -> bool:
    """Whether what the table of a part lists beside it comes to no more than the whole, so that nothing counts twice.

    Segments that sell to one another, or that bear no cost of the head office, come to more: a share is none of them.
    The table's tags say what is listed; a sum of others in it is left out, as the others are counted.
    """
    chunk = index.chunks[member.chunk_id]
    start, end = (chunk.start + place for place in _table_of(member, chunk))
    listed = [
        fact
        for fact in index.facts_of_time(member.doc_id, member.period_start, member.period_end)
        if start <= fact.start < end and (fact.concept, fact.unit) == (member.concept, member.unit)
    ]
    row = range(chunk.start + member.start, chunk.start + member.end)
    for axes in {_axes_of(fact) for fact in listed if fact.start in row and fact.value == member.value}:
        parts = {f.dimensions: Decimal(f.value) for f in sorted(listed, key=lambda f: f.start) if _axes_of(f) == axes}
        values = [value for value in parts.values() if value > 0]
        leaves = [value for at, value in enumerate(values) if not is_sum_of_neighbours(values, at)]
        if axes and sum(leaves) <= Decimal(whole.value) * (1 + ROUNDED):
            return True
    return False


def _axes_of(fact: Fact) -> frozenset[str]:
    """Along what a tagged figure is a part: segments, regions; empty for a whole."""
    return frozenset(dimension.partition("=")[0] for dimension in _part_of(fact))
