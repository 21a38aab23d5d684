"""Absences: each once, and few of one measure of one company."""

from collections import Counter
from dataclasses import replace

from rarefy.data_contracts.rows import Triplet
from rarefy.tasks.knowledge.graph import GraphConfig
from rarefy.tasks.knowledge.graph.absences import PER_MEASURE, trace_absences
from rarefy.tasks.knowledge.graph.facts import is_member

WHOLE = Triplet(
    "whole", "c", "d", 0, 1, "Acme", "gross margin", "5", "s", "table", subject_type="ORG", answer="5", value="5",
    unit="USD", period="fiscal year 2023", period_start="2023-01-01", period_end="2023-12-31", entity="Acme",
    concept="us-gaap:GrossProfit", subject_key="ORG:Acme", relation_key="gross margin",
)  # fmt: skip


def sales(part, **fields):
    changed = {
        "triplet_id": part, "subject": f"Acme {part}", "subject_key": f"PRODUCT:Acme {part}", "subject_type": "PRODUCT",
        "relation": "net sales", "relation_key": "net sales", "concept": "us-gaap:Revenues",
    }  # fmt: skip
    return replace(WHOLE, **{**changed, **fields})


def test_one_measure_of_one_company_is_missing_from_few_of_its_parts():
    figures = [WHOLE, *(sales(part) for part in "Lumber Paint Tools Hardware Millwork Lawn".split())]
    paths = list(trace_absences(figures, GraphConfig(), drawn=1_000))
    asked = Counter(path.triplet_ids[0] for path in paths if len(path.triplet_ids) == 2)
    assert asked == {"whole": PER_MEASURE}
    assert paths == list(trace_absences(reversed(figures), GraphConfig(), drawn=1_000))


def test_a_figure_with_two_labels_is_missing_once():
    figures = [WHOLE, replace(WHOLE, triplet_id="again", relation="gross profit", relation_key="gross profit")]
    paths = list(trace_absences(figures, GraphConfig(), drawn=1_000))
    assert len({path.path_id for path in paths}) == len(paths) > 0


def test_gross_profit_is_not_missing_where_revenue_and_costs_give_it():
    costs = {"relation": "cost of sales", "relation_key": "cost of sales", "concept": "us-gaap:CostOfRevenue"}
    figures = [WHOLE, sales("Lumber"), sales("Lumber", triplet_id="costs", **costs), sales("Paint")]
    paths = trace_absences(figures, GraphConfig(), drawn=1_000)
    parts = {path.triplet_ids[1] for path in paths if path.triplet_ids[0] == "whole" and len(path.triplet_ids) == 2}
    assert parts == {"Paint"}


def test_a_total_of_parts_is_no_part():
    assert is_member(sales("Property"))
    assert not is_member(sales("Total Property"))
