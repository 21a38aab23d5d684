"""A value is taken as its sentence or its cell has it: number, unit, scale, sign and period, or not at all."""

from types import SimpleNamespace

import pytest

from rarefy.data_contracts.rows import Document, Fact
from rarefy.tasks.knowledge.extract.claim_values import value_in_row, value_in_sentence, value_type
from rarefy.tasks.knowledge.extract.locate import table_lines

DOCUMENT = Document(
    "d", "h", "s", "t", "text/html", "", entity="Acme Inc.", form="10-K", fiscal_year=2024, period_end="2024-12-31"
)


@pytest.mark.parametrize(
    ("said", "kind"),
    [
        ("$97.3 billion", "MONEY"),
        ("365 million dollars", "MONEY"),
        ("62% of total net sales", "PERCENT"),
        ("over 75 percent", "PERCENT"),
        ("approximately 164,000 full-time employees", "NUMBER"),
        ("240,000 Amazon employees", "NUMBER"),
        ("33.7 billion", "NUMBER"),
        ("25 basis points", "NUMBER"),
        ("fourth quarter of 2028", "DATE"),
        ("September 28, 2024", "DATE"),
        ("fiscal year 2025", "DATE"),
        ("90 days or more", "DURATION"),
        ("six months", "DURATION"),
        ("5 business days", "DURATION"),
        ("24 CFR part 811", ""),
        ("25 West 43rd Street", ""),
        ("42 U.S.C. 5416", ""),
        ("ASU 2025-06", ""),
        ("401(k) plan", ""),
        ("5G networks", ""),
        ("Apple Card", ""),
        ("three electric motors", ""),
    ],
)
def test_a_value_is_told_from_a_name_with_digits(said, kind):
    assert value_type(said) == kind


@pytest.mark.parametrize(
    ("said", "sentence", "expected"),
    [
        (
            "$89.3 billion",
            "During 2025, the Company repurchased $89.3 billion of its common stock.",
            ("$89.3 billion", "89300000000", "USD", "billions", "2025"),
        ),
        (
            "62% of total net sales",
            "During 2024, direct and indirect channels accounted for 38% and 62%, respectively, of total net sales.",
            ("62%", "62", "percent", "", "2024"),
        ),
        (
            "14%",
            "Our sales to China fell from 19% in fiscal year 2023 to 14% in fiscal year 2024.",
            ("14%", "14", "percent", "", "fiscal year 2024"),
        ),
        (
            "$47.5 billion",
            "Data Center revenue for fiscal year 2024 was $47.5 billion, up 217% from fiscal year 2023.",
            ("$47.5 billion", "47500000000", "USD", "billions", "fiscal year 2024"),
        ),
        ("25 basis points", "The range is 25 basis points wide.", ("25 basis points", "25", "basis points", "", "")),
        ("50 or fewer units", "It has 50 or fewer (assisted) units.", ("50 or fewer", "", "", "", "")),
        ("5.5%", "The rate was 5.5 percent in May 2015.", ("5.5 percent", "5.5", "percent", "", "May 2015")),
        ("six months", "Notice is due six months before.", ("six months", "", "", "", "")),
    ],
)
def test_a_value_of_prose_has_its_number_unit_scale_and_one_time(said, sentence, expected):
    got = value_in_sentence(said, sentence, 0, {}, DOCUMENT)
    assert (got.answer, got.value, got.unit, got.scale, got.period, got.rejected_because) == (*expected, "")


@pytest.mark.parametrize("said", ["$89.4 billion", "$89.3 million", "$89.3", "89.3%", "$3 billion", "2024 units"])
def test_another_number_or_scale_is_not_in_the_sentence(said):
    sentence = "During 2025, the Company repurchased $89.3 billion of its common stock."
    assert value_in_sentence(said, sentence, 0, {}, DOCUMENT).rejected_because == "object_not_in_sentence"


def test_a_tag_says_when_a_value_of_prose_held():
    sentence = "Advertising cost $5.0 million."
    tag = Fact(117, 120, "us-gaap:AdvertisingExpense", "5000000", "USD", "2024-01-01", "2024-12-31")
    got = value_in_sentence("$5.0 million", sentence, 100, {117: tag}, DOCUMENT)
    assert (got.period, got.period_end, got.concept) == ("fiscal year 2024", "2024-12-31", "us-gaap:AdvertisingExpense")


TABLE = """Selected figures were as follows (in millions, except per share data):

| Year ended December 31, | 2024 | 2023 |
| --- | --- | --- |
| Net sales | $1,234 | $1,100 |
| Change in net sales | 12% | (3)% |
| Operating income (loss) | (45) | 60 |
| Other result | (7) | 5 |
| Earnings per share | $0.45 | $0.60 |
| Dividends | 10 | 10 |
"""


def cell(label, said, around="had", text=TABLE):
    return value_in_row(
        said, next(line for line in table_lines(text) if line.row.cells[0].text == label), around, {}, DOCUMENT
    )


@pytest.mark.parametrize(
    ("label", "said", "expected"),
    [
        ("Net sales", "$1,234 million", ("$1,234", "1234000000", "USD", "millions", "fiscal year 2024")),
        ("Net sales", "$1,234", ("$1,234", "1234000000", "USD", "millions", "fiscal year 2024")),
        ("Net sales", "$1.1 billion", ("$1,100", "1100000000", "USD", "millions", "fiscal year 2023")),
        ("Change in net sales", "12%", ("12%", "12", "percent", "", "fiscal year 2024")),
        ("Change in net sales", "-3%", ("(3)%", "-3", "percent", "", "fiscal year 2023")),
        ("Operating income (loss)", "$45 million", ("(45)", "45000000", "USD", "millions", "fiscal year 2024")),
        ("Operating income (loss)", "$(45) million", ("(45)", "-45000000", "USD", "millions", "fiscal year 2024")),
        ("Earnings per share", "$0.45", ("$0.45", "0.45", "USD/shares", "", "fiscal year 2024")),
        ("Dividends", "$10 million", ("10", "10000000", "USD", "millions", "")),
    ],
)
def test_a_value_of_a_row_has_unit_and_period_from_header_and_caption(label, said, expected):
    got = cell(label, said)
    assert (got.answer, got.value, got.unit, got.scale, got.period, got.rejected_because) == (*expected, "")


@pytest.mark.parametrize(
    ("label", "said", "trouble"),
    [
        ("Net sales", "$1,235 million", "object_not_in_sentence"),
        ("Net sales", "$1,234 thousand", "unit_not_shown"),
        ("Net sales", "$1.2 billion", "object_not_in_sentence"),
        ("Other result", "$7 million", "sign_not_said"),
        ("Change in net sales", "$12 million", "object_not_in_sentence"),
    ],
)
def test_a_rounded_rescaled_or_unsigned_value_is_turned_down(label, said, trouble):
    assert cell(label, said).rejected_because == trouble


def test_a_bare_amount_without_any_scale_is_turned_down():
    text = "| Year | 2024 |\n| --- | --- |\n| Net sales | $1,234 |\n"
    assert cell("Net sales", "$1,234", text=text).rejected_because == "unit_not_shown"


def test_a_tag_gives_period_and_concept_to_a_cell_with_its_value():
    line = next(iter(table_lines(TABLE)))
    place = TABLE.index("1,100")
    tag = Fact(0, 5, "us-gaap:Revenues", "1100000000", "USD", "2023-01-01", "2023-12-31")
    got = value_in_row("$1,100 million", line, "", {place: tag}, DOCUMENT)
    assert (got.period, got.concept) == ("fiscal year 2023", "us-gaap:Revenues")
    other = SimpleNamespace(**{f: getattr(tag, f) for f in Fact.__slots__} | {"value": "999"})
    assert value_in_row("$1,100 million", line, "", {place: other}, DOCUMENT).concept == ""
