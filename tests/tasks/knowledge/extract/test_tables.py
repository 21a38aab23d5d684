"""Facts from tables, with and without tags."""

from dataclasses import replace

import pytest

from rarefy.data_contracts.rows import Chunk, Document, Fact, Place
from rarefy.tasks.knowledge.extract import ExtractConfig, check_evidence, extract
from rarefy.tasks.knowledge.extract.markdown import parse_tables
from rarefy.tasks.knowledge.extract.periods import Period
from rarefy.tasks.knowledge.extract.tables import is_unlikely, without_period

INCOME = """CONSOLIDATED STATEMENTS OF OPERATIONS
(In millions, except per share amounts)

|  | Years ended September 28, 2024 | Years ended September 30, 2023 | % Change |
|---|---|---|---|
| Net sales: |  |  |  |
| Products | $294,866 | $298,085 | (1)% |
| Total net sales | 391,035 | 383,285 | 2% |
| Operating expenses: |  |  |  |
| Research and development | 31,370 | 29,915 | 5% |
| Repurchases of common stock | (94,949) | (77,550) | 22% |
| Other income/(expense), net | 269 | (565) | — |
| Earnings per share: |  |  |  |
| Diluted | $6.08 | $6.13 | (1)% |
| Total | 12 | 13 | — |
"""

YEARS = {"2024": ("2023-10-01", "2024-09-28"), "2023": ("2022-09-25", "2023-09-30")}


def filing(text, facts=(), entity="Apple Inc."):
    document = Document(
        "d", "h", "s", "t", "text/html", text, facts=tuple(facts), entity=entity, domain="finance", form="10-K",
        fiscal_year=2024, period_start="2023-10-01", period_end="2024-09-28",
    )  # fmt: skip
    chunk = Chunk("c", "d", 0, len(text), "table", "Item 8 > CONSOLIDATED STATEMENTS OF OPERATIONS", text, 1)
    return document, chunk


def tag(text, shown, concept, value, year="2024", unit="USD", dimensions=()):
    start = text.index(shown)
    return Fact(start, start + len(shown), concept, value, unit, *YEARS[year], tuple(dimensions))


def facts_of(document, chunk, **config):
    return list(extract([chunk], ExtractConfig(methods=("tables",), **config), documents={"d": document}))


def only(triplets, **wanted):
    found = [t for t in triplets if all(getattr(t, key) == value for key, value in wanted.items())]
    assert len(found) == 1, found
    return found[0]


def test_a_pipe_table_is_found_with_its_cells_in_place():
    (table,) = parse_tables(INCOME)
    assert table.lead.endswith("(In millions, except per share amounts)")
    assert [cell.text for cell in table.header.cells[1:3]] == [
        "Years ended September 28, 2024",
        "Years ended September 30, 2023",
    ]
    for row in (table.header, *table.rows):
        for cell in row.cells:
            assert INCOME[cell.start : cell.end] == cell.text


@pytest.mark.parametrize(
    ("heads", "read"),
    [
        ("December 31, 2022 | 2021", ["December 31, 2022", "December 31, 2021"]),
        ("Years ended May 31, 2022 | 2021 | 2020", [f"Years ended May 31, {year}" for year in (2022, 2021, 2020)]),
        ("Three months ended June 30, 2022 | 2021 | June 30, 2022 | 2021",
         [f"{day} {year}" for day in ("Three months ended June 30,", "June 30,") for year in (2022, 2021)]),
        ("2022 | 2021", ["2022", "2021"]),
        ("Amount 2022 | 2021", ["Amount 2022", "2021"]),
        ("December 31, 2022 | Change | 2021", ["December 31, 2022", "Change", "2021"]),
    ],
)  # fmt: skip
def test_what_stands_before_the_first_year_of_a_header_is_of_the_years_behind_it(heads: str, read: list[str]):
    columns = len(read) + 1
    (table,) = parse_tables(f"| | {heads} |\n{'|---' * columns}|\n{'| 1 ' * columns}|")
    assert [cell.text for cell in table.header.cells][1:columns] == read


def test_an_escaped_pipe_stays_in_its_cell():
    (table,) = parse_tables("| a \\| b | c |\n|---|---|\n| d | e |")
    assert [cell.text for cell in table.header.cells][:2] == ["a \\| b", "c"]


def test_a_tagged_cell_takes_period_unit_and_scale_from_its_tag():
    document, chunk = filing(INCOME, [tag(INCOME, "391,035", "us-gaap:Revenues", "391035000000")])
    fact = only(facts_of(document, chunk))
    assert (fact.subject, fact.relation, fact.answer) == ("Apple Inc.", "total net sales", "391,035")
    assert (fact.value, fact.unit, fact.scale) == ("391035000000", "USD", "millions")
    assert (fact.period, fact.period_end) == ("fiscal year 2024", "2024-09-28")
    assert chunk.text[fact.start : fact.end] == fact.source_sentence == "| Total net sales | 391,035 | 383,285 | 2% |"
    assert chunk.text[fact.header_start : fact.header_end] == fact.header
    assert not fact.rejected_because


def test_a_label_under_a_group_keeps_the_group_as_evidence():
    document, chunk = filing(
        INCOME, [tag(INCOME, "6.08", "us-gaap:EarningsPerShareDiluted", "6.08", unit="USD/shares")]
    )
    fact = only(facts_of(document, chunk))
    assert (fact.relation, fact.answer, fact.unit) == ("diluted earnings per share", "$6.08", "USD/shares")
    assert fact.group == "| Earnings per share: |  |  |  |" == chunk.text[fact.group_start : fact.group_end]


def test_a_part_of_the_company_is_the_subject_and_its_group_the_measure():
    dimension = "srt:ProductOrServiceAxis=us-gaap:ProductMember"
    document, chunk = filing(
        INCOME, [tag(INCOME, "294,866", "us-gaap:Revenues", "294866000000", dimensions=[dimension])]
    )
    fact = only(facts_of(document, chunk))
    assert (fact.subject, fact.subject_type, fact.relation) == ("Apple Inc. Products", "PRODUCT", "net sales")


def test_parentheses_are_layout_where_the_label_counts_up_and_a_sign_where_it_may_go_both_ways():
    document, chunk = filing(
        INCOME,
        [
            tag(INCOME, "94,949", "us-gaap:PaymentsForRepurchaseOfCommonStock", "94949000000"),
            tag(INCOME, "565", "us-gaap:OtherNonoperatingIncomeExpense", "-565000000", "2023"),
        ],
    )
    found = facts_of(document, chunk)
    assert only(found, relation="repurchases of common stock").answer == "94,949"
    other = only(found, value="-565000000")
    assert other.answer == "(565)"


@pytest.mark.parametrize(
    ("shown", "concept", "value", "reason"),
    [
        ("391,035", "us-gaap:DeferredTaxAssetsNet", "391035000000", "scope_not_in_label"),
        ("391,035", "us-gaap:IncreaseDecreaseInInventories", "391035000000", "scope_not_in_label"),
        ("391,035", "us-gaap:Revenues", "391", "scale_disagrees"),
        ("12", "us-gaap:Assets", "12000000", "measure_not_named"),
    ],
)
def test_a_cell_whose_words_do_not_bear_out_its_tag_is_rejected_with_the_reason(shown, concept, value, reason):
    text = INCOME.replace("| Total | 12 |", "| Total | 12.5 |") if shown == "12.5" else INCOME
    document, chunk = filing(
        text, [replace(tag(text, shown, concept, value), start=text.rindex(shown), end=text.rindex(shown) + len(shown))]
    )
    assert only(facts_of(document, chunk)).rejected_because == reason


@pytest.mark.parametrize(
    "head",
    ["For the Years Ended December 31, 2024", "For Years Ended December 31, 2024", "At and for the year ended 2024"],
)
def test_a_column_that_says_whose_end_its_period_is_says_no_more(head):
    assert without_period(head) == ""
    assert without_period(f"{head} Gross") != ""


def test_an_amount_of_millions_that_is_called_per_share_is_rejected():
    text = INCOME.replace("Total net sales", "Net income per share, basic")
    document, chunk = filing(text, [tag(text, "391,035", "us-gaap:NetIncomeLoss", "391035000000")])
    assert only(facts_of(document, chunk)).rejected_because == "unit_disagrees"


def test_a_column_that_says_more_than_its_period_is_not_the_whole_company():
    text = "| | December 31, 2024 Gross | December 31, 2024 Net |\n|---|---|---|\n| Intangible assets | 900 | 700 |"
    fact = Fact(
        text.index("900"), text.index("900") + 3, "us-gaap:IntangibleAssetsGross", "900000000", "USD", "", "2024-12-31"
    )
    document, chunk = filing(text, [fact])
    assert only(facts_of(document, chunk)).rejected_because == "column_qualified"


def test_an_untagged_statement_is_read_by_its_headers_and_caption_alone():
    document, chunk = filing(INCOME)
    found = facts_of(document, chunk)
    sales = only(found, relation="total net sales", period="fiscal year 2024")
    assert (sales.value, sales.scale, sales.answer) == ("391035000000", "millions", "391,035")
    share = only(found, relation="diluted earnings per share", period="fiscal year 2023")
    assert (share.answer, share.scale, share.unit) == ("$6.13", "", "USD/shares")
    company = [t for t in found if t.subject_type == "ORG"]
    assert not any("%" in t.answer for t in company), "a change column is no fact about the company"
    assert not any(t.relation == "products" for t in company), "a part is not the whole"


@pytest.mark.parametrize(
    ("name", "start", "doubtful"),
    [
        ("stockholders’ equity", "2012-07-01", True),
        ("stockholders’ equity", "", False),
        ("total revenue", "", True),
        ("total revenue", "2012-07-01", False),
        ("repayments of debt", "2012-07-01", False),
        ("retained earnings", "", False),
    ],
)
def test_what_is_counted_on_a_day_is_not_read_under_a_year_nor_the_other_way(name, start, doubtful):
    assert is_unlikely(name, Period(start, "2013-06-30", "x")) is doubtful


def test_an_untagged_table_that_is_no_statement_speaks_of_itself_alone():
    document, chunk = filing(INCOME)
    chunk = replace(chunk, section="Item 8 > Note 7 – Income Taxes > Deferred tax assets")
    text = INCOME.replace("CONSOLIDATED STATEMENTS OF OPERATIONS", "Deferred tax assets")
    for facts in (facts_of(replace(document, text=text), replace(chunk, text=text, end=len(text))),
                  facts_of(document, chunk)):  # fmt: skip
        assert facts and {t.subject_type for t in facts} == {"TABLE"}
        assert all(t.rejected_because or t.subject.endswith("” of Apple Inc.") for t in facts)


def test_what_is_included_in_a_statement_is_not_the_statement():
    title = "Stock-based compensation costs included in our Consolidated Statements of Operations were as follows:"
    text = INCOME.replace("CONSOLIDATED STATEMENTS OF OPERATIONS", title)
    document, chunk = filing(text)
    assert not any(t.subject_type == "ORG" for t in facts_of(document, replace(chunk, section="Item 8 > Note 9")))


def test_a_row_below_changes_is_a_change_and_not_what_it_names():
    text = INCOME.replace("| Operating expenses: |", "| Changes in assets and liabilities: |")
    text = text.replace("Research and development", "Customer deposits and incentives")
    company = [t for t in facts_of(*filing(text)) if t.subject_type == "ORG"]
    assert company and not any("deposits" in t.relation for t in company)


def test_a_document_without_an_entity_gives_no_facts_about_nobody():
    document, chunk = filing(INCOME, [tag(INCOME, "391,035", "us-gaap:Revenues", "391035000000")], entity="")
    assert all(t.rejected_because for t in facts_of(document, chunk))


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"header": "", "header_start": 3, "header_end": 3}, "header_not_in_text"),
        ({"group": "", "group_start": 5, "group_end": 5}, "group_not_in_text"),
        ({"start": -5, "end": -1}, "sentence_not_in_text"),
        ({}, ""),
    ],
)
def test_a_place_without_words_and_one_outside_the_text_prove_nothing(fields, reason):
    document, chunk = filing(INCOME, [tag(INCOME, "391,035", "us-gaap:Revenues", "391035000000")])
    fact = replace(only(facts_of(document, chunk)), **fields)
    if "start" in fields:
        fact = replace(fact, source_sentence=chunk.text[fact.start : fact.end], answer="")
    assert check_evidence(fact, chunk.text).rejected_because == reason


@pytest.mark.parametrize("scale", ["2", "17"])
def test_a_large_number_is_written_without_an_exponent(scale):
    value = "1" + "0" * int(scale)
    document, chunk = filing(INCOME, [tag(INCOME, "391,035", "us-gaap:Revenues", value)])
    (fact,) = (f for f in facts_of(document, chunk) if f.concept == "us-gaap:Revenues")
    assert (fact.value, fact.rejected_because) == (value, "scale_disagrees")


@pytest.mark.parametrize("scale", ["30", "400", "4400"])
def test_a_tag_of_more_digits_than_an_amount_has_confirms_nothing(scale):
    document, chunk = filing(INCOME, [tag(INCOME, "391,035", "us-gaap:Revenues", "1" + "0" * int(scale))])
    assert not [fact for fact in facts_of(document, chunk) if fact.concept == "us-gaap:Revenues"]


def test_a_fact_says_its_cell_in_the_source_though_its_row_has_the_number_twice():
    text = INCOME.replace("383,285", "391,035")
    tags = [
        replace(tag(text, "391,035", "us-gaap:Revenues", "391035000000"), start=at, end=at + 7, period_start=days[0],
                period_end=days[1])
        for at, days in ((text.index("391,035"), YEARS["2024"]), (text.rindex("391,035"), YEARS["2023"]))
    ]  # fmt: skip
    document, chunk = filing(text, tags)
    cells = (Place(0, len(text), "Income!A1:D9"), *(
        Place(fact.start, fact.end, f"Income!{column}5") for fact, column in zip(tags, "BC", strict=True)
    ))  # fmt: skip
    found = facts_of(replace(document, places=cells), replace(chunk, place="Income!A1:D9"))
    assert {fact.period_end: fact.place for fact in found} == {"2024-09-28": "Income!B5", "2023-09-30": "Income!C5"}
    assert {fact.place for fact in facts_of(document, chunk)} == {""}
