"""Figures that a filing states twice, in two ways."""

from dataclasses import replace

import pytest

from rarefy.data_contracts.rows import Chunk, Document, Fact, Triplet
from rarefy.tasks.questions.ask.ambiguous import are_parts_of_whole, second_value, whole_is_of_table
from rarefy.tasks.questions.ask.index import build_index

ROW = "| United States | 41,190 |"
TOTAL = "| Net sales | 67,074 |"
TEXT = f"By customer location:\n\n| | 2022 |\n{ROW}\n{TOTAL}\n\nThe end."
US, ORIGIN = "srt:StatementGeographicalAxis=country:US", "us-gaap:ConcentrationRiskByTypeAxis=x:ByOriginMember"
SALES = Triplet(
    "t", "c", "d", TEXT.index(ROW), TEXT.index(ROW) + len(ROW), "Acme United States", "net sales", "41,190", ROW,
    "table", subject_type="REGION", answer="41,190", value="41190", unit="USD", period="fiscal year 2022",
    entity="Acme", period_start="2022-01-01", period_end="2022-12-31", concept="us-gaap:RevenueFromContractWithCustomer"
    "ExcludingAssessedTax",
)  # fmt: skip


def tag(value, *dimensions, concept=SALES.concept, end="2022-12-31", start=0):
    return Fact(start, start + 3, concept, value, "USD", "2022-01-01", end, dimensions)


def index_of(*facts, text=TEXT):
    document = Document("d", "h", "d", "Acme", "text/plain", text, entity="Acme", facts=facts)
    return build_index({}, {"c": Chunk("c", "d", 0, len(text), "table", "", text, 9)}, {"d": document})


OWN = tag("41190", US, start=TEXT.index("41,190"))


@pytest.mark.parametrize(
    ("other", "reason"),
    [
        (tag("57869", US, ORIGIN, concept="us-gaap:Revenues"), "several_breakdowns"),
        (tag("57869", US), "several_breakdowns"),
        (tag("41200", US), ""),  # rounded
        (tag("57869", US, end="2021-12-31"), ""),
        (tag("57869", US, concept="us-gaap:Assets"), ""),
        (tag("57869", US, "us-gaap:StatementBusinessSegmentsAxis=x:Engines"), ""),  # a part of the part
        (tag("900", US, "srt:ConsolidationItemsAxis=us-gaap:IntersegmentEliminationMember"), ""),
    ],
)
def test_a_part_with_a_second_value_of_the_measure_is_not_asked_for(other, reason):
    assert second_value(SALES, index_of(OWN, other)) == reason


@pytest.mark.parametrize(
    ("country", "reason"),
    [("United States | 41,190", "several_breakdowns"), ("Canada | 900", ""), ("Japan | 41,190", "")],
)
def test_a_region_below_a_country_of_it_that_has_more_is_the_rest_of_it(country, reason):
    row = "| Americas | 4,000 |"
    text = f"By customer location:\n\n| | 2022 |\n| {country} |\n{row}\n{TOTAL}\n\nThe end."
    place = {"start": text.index(row), "end": text.index(row) + len(row), "source_sentence": row}
    americas = replace(SALES, subject="Acme Americas", answer="4,000", value="4000", **place)
    assert second_value(americas, index_of(text=text)) == reason


ENGINES = "us-gaap:StatementBusinessSegmentsAxis=x:Engines"


@pytest.mark.parametrize(
    ("others", "reason"),
    [
        ((tag("57869", US, ENGINES),), "restated_elsewhere"),
        ((tag("41190", US, ENGINES),), ""),  # the same amount
        ((tag("9000", US, ENGINES), tag("32190", US, "us-gaap:StatementBusinessSegmentsAxis=x:Care")), ""),  # its parts
        ((tag("57869", US, ENGINES), tag("41190", US)), ""),  # a part of it
        ((tag("57869", US, ENGINES, end="2021-12-31"),), ""),
    ],
)
def test_a_part_that_a_later_report_has_in_another_amount_is_not_asked_for(others, reason):
    index = index_of(OWN)
    later = Document("later", "h", "later", "Acme", "text/plain", "", entity="Acme", facts=others)
    index.documents = {**index.documents, "later": later}
    assert second_value(SALES, index) == reason


def test_sales_and_all_revenues_of_a_segment_are_two_measures():
    segment = replace(SALES, subject="Acme Engines", subject_type="SEGMENT")
    assert second_value(segment, index_of(OWN, tag("57869", US, concept="us-gaap:Revenues"))) == ""


def test_a_net_amount_is_not_called_what_another_row_is_called():
    label = "Deferred taxes, net"
    tax = replace(SALES, subject="Acme", subject_type="ORG", relation=label.lower(), concept="", source_sentence="")
    other = "| Net deferred taxes (assets)/liabilities | (71) |"
    assert second_value(tax, index_of(text=f"{TEXT}\n\n| {label} | 4,897 |\n{other}")) == "label_of_two_rows"
    assert second_value(tax, index_of(text=f"{TEXT}\n\n| {label} | 4,897 |")) == ""


def test_a_whole_stands_in_the_table_of_its_part():
    whole = replace(SALES, answer="$67,074")
    assert whole_is_of_table(SALES, whole, index_of())
    assert not whole_is_of_table(SALES, whole, index_of(text=TEXT.replace(TOTAL, "| Total | 67,090 |")))
    assert not whole_is_of_table(SALES, whole, index_of(text=TEXT.replace(TOTAL, f"\n\n{TOTAL}")))


# Segments of UnitedHealth Group, 2023: revenues between them are taken off in a column of their own
SEGMENTS = ("Unitedhealthcare", "Optumhealth", "Optuminsight", "Optumrx", "", "TotalOptum", "-")
SEGMENT_ROWS = {
    "Revenues": (281_360, 95_319, 18_932, 116_087, -3_703, 226_635, -136_373, 371_622),
    "Assets": (110_943, 89_432, 34_173, 51_266, 0, 174_871, -12_094, 273_720),
    "DepreciationAndAmortization": (989, 1_058, 1_229, 696, 0, 2_983, 0, 3_972),
    "OperatingIncomeLoss": (16_415, 6_560, 4_268, 5_115, 0, 15_943, 0, 32_358),
}
ELIMINATED = "srt:ConsolidationItemsAxis=us-gaap:IntersegmentEliminationMember"


def segment_table(measure):
    """A row of the table, the figures of UnitedHealthcare, Optum and the whole, and an index with their tags."""
    values = SEGMENT_ROWS[measure]
    row = f"| {measure} | {' | '.join(f'{value:,}' for value in values)} |"
    text = f"(in millions)\n\n{row}\n\nThe end."
    facts, place, triplets = [], text.index(row), []
    for name, value in zip((*SEGMENTS, "all"), values, strict=True):
        place = text.index(f" {value:,} |", place) + 1
        segment = f"us-gaap:StatementBusinessSegmentsAxis=unh:{name}Member"
        dimensions = () if name == "all" else (segment,) if name[1:] else (ELIMINATED,)
        facts.append(tag(str(value), *dimensions, concept=f"us-gaap:{measure}", start=place))
        made = {"start": text.index(row), "end": text.index(row) + len(row), "source_sentence": row}
        triplets.append(replace(SALES, value=str(value), answer=f"{value:,}", concept=f"us-gaap:{measure}", **made))
    return triplets[0], triplets[5], triplets[7], index_of(*facts, text=text)


@pytest.mark.parametrize(
    ("measure", "parts"),
    [("Revenues", False), ("Assets", False), ("DepreciationAndAmortization", True), ("OperatingIncomeLoss", True)],
)
def test_a_share_is_of_parts_that_come_to_no_more_than_the_whole(measure, parts):
    one, total_of_three, whole, index = segment_table(measure)
    assert are_parts_of_whole(one, whole, index) == are_parts_of_whole(total_of_three, whole, index) == parts


def test_a_part_whose_siblings_are_not_listed_is_one_by_its_tag():
    whole = replace(SALES, value="67074", answer="67,074")
    assert are_parts_of_whole(SALES, whole, index_of(OWN))
    assert not are_parts_of_whole(SALES, whole, index_of(tag("41190", start=TEXT.index("41,190"))))
