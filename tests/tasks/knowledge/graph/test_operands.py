"""Sets of figures: what takes reading comes before what is a row, or a guess; a sum stands beside none of its parts."""

from dataclasses import replace

import pytest

from rarefy.data_contracts.rows import Triplet
from rarefy.tasks.knowledge.graph.computed import (
    Operands,
    by_table,
    collect_figures,
    compared_shares,
    comparisons,
    growths,
    is_computable,
    is_of_growth,
    is_of_shares,
    ratios,
    superlatives,
    take_in_turn,
)
from rarefy.tasks.knowledge.graph.facts import is_in_a_role

FIGURE = Triplet(
    "t", "c", "d", 0, 9, "Acme", "goodwill", "100", "| Goodwill | 100 | 160 |", "table", subject_type="ORG",
    answer="100", value="100", unit="USD", period="fiscal year 2023", period_end="2023-12-31", entity="Acme",
    subject_key="ORG:Acme", relation_key="goodwill",
)  # fmt: skip


def figures(*values, **fields):
    return tuple(
        replace(FIGURE, triplet_id=str(at), value=str(value), period_end=f"202{at}-12-31", **fields)
        for at, value in enumerate(values)
    )


@pytest.mark.parametrize(
    ("kind", "triplets", "easy"),
    [
        ("change", figures(100, 160), 1),
        ("change", (FIGURE, replace(FIGURE, triplet_id="u", start=50)), 0),
        ("superlative", figures(100, 160, 120), 1),
        ("comparison", figures(100, 140), 1),
        ("comparison", figures(100, 160), 2),
        ("comparison", figures(100, 160, 200), 0),
        ("share", figures(100, 160), 0),
    ],
)
def test_a_row_and_a_guess_between_two_are_easy(kind, triplets, easy):
    assert Operands(kind, triplets, 2).easy == easy


def test_easy_sets_come_last_though_they_are_of_more_documents():
    hard = [Operands("comparison", figures(100, 120, 140, unit=f"U{n}"), 2) for n in range(3)]
    easy = Operands("comparison", figures(100, 120, subject_key="ORG:Other", relation_key="debt"), 0)
    assert list(take_in_turn([easy, *hard], 4))[-1] == easy


@pytest.mark.parametrize(("name", "role"), [("Participant", True), ("Participant Services", False), ("Cloud", False)])
def test_a_part_that_is_called_by_a_role_is_not_computed_with(name, role):
    part = replace(FIGURE, subject=f"Acme {name}", subject_type="PRODUCT")
    assert is_in_a_role(part) == role and is_computable(part) != role


def test_of_the_parts_in_one_table_it_is_not_asked_which_has_the_most():
    rows = [
        replace(
            FIGURE, triplet_id=str(value), subject=f"Acme {value}", subject_key=str(value), subject_type="SEGMENT",
            value=str(value),
        )
        for value in (100, 120, 140)
    ]  # fmt: skip
    assert not list(comparisons(collect_figures(rows)))


def spending(company, spent, sales):
    """What a company spends and sells in a year."""
    return [
        replace(
            FIGURE, triplet_id=f"{company} {tag}", subject=company, subject_key=f"ORG:{company}", entity=company,
            relation_key=tag, concept=f"us-gaap:{tag}", value=str(value), unit="USD", period_start="2023-01-01",
        )
        for tag, value in (("ResearchAndDevelopmentExpense", spent), ("Revenues", sales))
    ]  # fmt: skip


@pytest.mark.parametrize(("spent", "sales", "found"), [(20, 100, True), (120, 100, False), (0.5, 100, False)])
def test_a_figure_is_given_as_a_share_of_what_people_set_it_beside(spent, sales, found):
    of_company = list(ratios(collect_figures(spending("Acme", spent, sales))))
    assert [[t.concept for t in one.triplets] for one in of_company] == found * [
        ["us-gaap:ResearchAndDevelopmentExpense", "us-gaap:Revenues"]
    ]


@pytest.mark.parametrize(("spent", "found"), [(25, 1), (20.5, 0), (90, 0)])
def test_companies_are_compared_by_what_share_they_spend_where_it_differs_and_not_by_far(spent, found):
    rows = spending("Acme", 20, 100) + spending("Bolt", spent, 100)
    sets = list(compared_shares(collect_figures(rows), [(2, 1)], "comparison"))
    assert len(sets) == found
    for one in sets:
        assert is_of_shares(one.triplets) and not is_of_growth(one.triplets)
        assert [t.entity for t in one.triplets] == ["Acme", "Acme", "Bolt", "Bolt"]


def test_a_sum_stands_beside_none_of_its_parts():
    rows = ("| Canada | 1 |", "| Total North America | 3 |", "| Europe | 2 |")
    canada, total, europe = ([replace(FIGURE, triplet_id=row, source_sentence=row)] for row in rows)
    assert list(by_table([canada, total, europe])) == [[canada, europe]]
    assert list(by_table([total])) == [[total]]


def test_a_part_that_others_make_up_stands_beside_none_of_them():
    """Of UnitedHealth Group's table of segments, 2023: Optum is Optum Health, Optum Insight and Optum Rx."""
    row = "| Earnings from operations | $16,415 | $6,560 | $4,268 | $5,115 | $— | $15,943 | $— | $32,358 |"
    cells = dict(
        zip(("UnitedHealthcare", "Health", "Insight", "Rx", "Optum"), (16415, 6560, 4268, 5115, 15943), strict=True)
    )
    made = {
        name: [replace(FIGURE, triplet_id=name, value=str(value), answer=f"${value:,}", source_sentence=row)]
        for name, value in cells.items()
    }
    (level,) = by_table(list(made.values())[::-1])
    assert {figure[0].triplet_id for figure in level} == {"UnitedHealthcare", "Health", "Insight", "Rx"}


@pytest.mark.parametrize(("total", "found"), [(122_336, 0), (122_071, 1), (122_070, 1)])
def test_which_part_has_the_least_is_asked_where_no_other_is_left_out(total, found):
    """Of AT&T's revenues by region, 2024: without Latin America (149) and other (116) Europe would be the least."""
    parts = (("United States", 116_882), ("Mexico", 4_286), ("Asia/Pacific Rim", 462), ("Europe", 441))
    figure = replace(FIGURE, relation="revenues", relation_key="revenues", period_start="2023-01-01", domain="finance")
    rows = [
        replace(
            figure, triplet_id=name, subject=f"Acme {name}", subject_key=f"REGION:Acme {name}", subject_type="REGION",
            value=f"{value}000000", answer=f"{value:,}", source_sentence=f"| {name} | {value:,} |", start=at,
        )
        for at, (name, value) in enumerate(parts)
    ]  # fmt: skip
    whole = replace(figure, triplet_id="whole", value=f"{total}000000", answer=f"{total:,}")
    assert len(list(superlatives(collect_figures([*rows, whole])))) == found


@pytest.mark.parametrize(
    ("europe", "japan", "found"),
    [
        ((100, 110), (50, 60), True),
        ((100, 90), (50, 60), False),
        ((100, 110), (100, 111), False),
        ((9, 90), (5, 6), False),
    ],
)
def test_of_two_that_grew_it_is_asked_which_grew_faster(europe, japan, found):
    rows = [
        replace(
            FIGURE, triplet_id=f"{name}{at}", subject=f"Acme {name}", subject_key=name, subject_type="SEGMENT",
            value=str(value), period_start=f"202{at}-01-01", period_end=f"202{at}-12-31", period=f"fiscal year 202{at}",
        )
        for name, values in (("Europe", europe), ("Japan", japan))
        for at, value in enumerate(values)
    ]  # fmt: skip
    asked = [[t.triplet_id for t in one.triplets] for one in growths(collect_figures(rows))]
    assert asked == ([["Europe0", "Europe1", "Japan0", "Japan1"]] if found else [])


def of_company(name, value, **fields):
    return replace(
        FIGURE, triplet_id=name, doc_id=name, subject=name, subject_key=name, entity=name, value=str(value),
        period_start="2023-01-01", **fields,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("fields", "sizes"),
    [
        ({}, {2}),
        ({"concept": "us-gaap:Assets"}, {2}),
        ({"concept": "us-gaap:DeferredTaxLiabilities"}, set()),  # that nobody follows
        ({"unit": "USD/shares"}, set()),  # a company may have as many shares as it likes
    ],
)
def test_companies_are_compared_by_what_people_follow(fields, sizes):
    figures = [of_company(name, value, **fields) for name, value in (("Acme", 100), ("Bolt", 120))]
    assert {len(one.triplets) for one in comparisons(collect_figures(figures))} == sizes


def test_of_three_that_grew_it_is_asked_which_grew_fastest():
    figures = [
        of_company(name, value, concept="us-gaap:Revenues")
        for name, value in (("Acme", 100), ("Bolt", 110), ("Crane", 121))
    ]
    before = [
        replace(one, triplet_id=f"{one.triplet_id}0", value=str(value), period_start="2022-01-01",
                period_end="2022-12-31", period="fiscal year 2022")
        for one, value in zip(figures, (80, 100, 100), strict=True)
    ]  # fmt: skip
    (asked,) = growths(collect_figures([*figures, *before]))
    assert [t.triplet_id for t in asked.triplets] == ["Bolt0", "Bolt", "Crane0", "Crane", "Acme0", "Acme"]
