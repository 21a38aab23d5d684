"""What a filing lists under its segments belongs to them, by the name that its tables give them."""

import pytest
from linear import long, longer_than_linear

from rarefy.data_contracts.rows import Chunk, Document, Fact, Triplet
from rarefy.tasks.knowledge.extract.parts import extract_parts, list_products

BRANDS = """The segments and their brands:

| Reportable Segments | % of Net Sales | Major Brands |
|---|---|---|
| Beauty | 18% | Head & Shoulders, Olay |
| Corporate | 1% | Nobody |"""


def parts(text: str, *codes: str, kind: str = "text") -> set[tuple[str, str, str]]:
    axis = "us-gaap:StatementBusinessSegmentsAxis"
    tags = tuple(Fact("us-gaap:Revenues", 0, 0, "1", dimensions=(f"{axis}=x:{code}",)) for code in codes)
    document = Document("d", "", "", "", "", text, facts=tags, entity="Acme Inc.")
    rows: list[Triplet] = list(extract_parts(document, [Chunk("c", "d", 0, len(text), kind, "", text, 0)]))
    assert all(text[row.start : row.end] == row.source_sentence and row.answer in row.source_sentence for row in rows)
    assert {row.object_type for row in rows} <= {"SEGMENT"}
    return {(row.subject, row.object, row.answer) for row in rows}


def test_products_are_part_of_the_segment_that_lists_them():
    text = "The Graphics segment includes GeForce GPUs for gaming and PCs, and the GeForce NOW service."
    assert parts(text, "GraphicsSegmentMember") == {
        ("GeForce GPUs", "Acme Inc. Graphics", "Graphics"),
        ("GeForce NOW", "Acme Inc. Graphics", "Graphics"),
    }


def test_a_segment_is_spelled_out_where_its_abbreviation_is_explained():
    text = "We report Family of Apps (FoA).\n\nFoA includes Reels, Threads, and other services."
    assert parts(text, "FamilyOfAppsMember") == {
        ("Reels", "Acme Inc. Family of Apps", "FoA"),
        ("Threads", "Acme Inc. Family of Apps", "FoA"),
    }


def test_what_a_segment_bought_is_part_of_it():
    text = "In December 2024, the Acme U.S. segment completed the acquisition of VIZIO Corp. for $1.9 billion."
    assert parts(text, "AcmeUSMember") == {("VIZIO Corp.", "Acme Inc. Acme U.S.", "Acme U.S.")}


def test_brands_are_part_of_the_segment_of_their_row():
    assert parts(BRANDS, "BeautyMember", kind="table") == {
        ("Head & Shoulders", "Acme Inc. Beauty", "Beauty"),
        ("Olay", "Acme Inc. Beauty", "Beauty"),
    }


@pytest.mark.parametrize(
    "text",
    [
        "The Paint segment includes Gloss and Matt.",  # no tag knows it
        "The Graphics segment may include Gloss and Matt.",
        "If so, the Graphics segment includes Gloss and Matt.",
        "Our sales in the Graphics segment included Gloss.",
        "The Graphics segment includes the Company's stores in the U.S., Canada and eCommerce.",
        "The Graphics segment includes products used in the Orthopaedic, Surgery and Vision fields.",
    ],
)
def test_what_is_not_sure_is_no_part(text: str):
    assert parts(text, "GraphicsSegmentMember") == set()


def test_parts_of_the_company_are_not_parts_of_each_other():
    text = "The Graphics segment includes Gaming and Gloss."
    assert parts(text, "GraphicsSegmentMember", "GamingMember") == {("Gloss", "Acme Inc. Graphics", "Graphics")}


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Surface RT and Pro devices", ["Surface RT"]),
        ("nets including Quantum for InfiniBand and Spectrum;", ["Quantum for InfiniBand", "Spectrum"]),
        ("intelligence, or AI, Cockpit; and Jetson", ["Jetson"]),
        ("the results of our Costa, innocent and dogadan businesses, as well as fees", ["Costa"]),
        ("the Windows Store, which offers Games", ["Windows Store"]),
    ],
)  # fmt: skip
def test_names_are_taken_whole_and_kinds_of_things_are_left_out(text: str, names: list[str]):
    assert list_products(text) == names


@pytest.mark.parametrize("piece", ["Acme ", "Acme, ", "FoA (", "ACME and "])
def test_an_abbreviation_is_looked_for_in_no_more_than_its_share_of_time(piece: str):
    words = long(piece)
    assert not longer_than_linear(lambda n: parts(f"{words(n)}\n\nFoA includes Reels.", "GraphicsSegmentMember"))
