"""Listings: a slow, plain calculation from all facts holds each of them."""

import re
from decimal import Decimal

import pytest

from rarefy.data_contracts.rows import Path
from rarefy.tasks.knowledge.graph import GraphConfig, count_paths, trace
from rarefy.tasks.knowledge.graph.listings import choose_threshold
from rarefy.tasks.questions.ask.common_names import join_names
from rarefy.tasks.questions.operands import candidates_of
from tests.sample_questions import ask_sample


@pytest.fixture(scope="module")
def sample():
    return ask_sample()


def stated_threshold(text):
    amount, word = re.search(r"(?:above|more than|exceeding) \$([\d.,]+)(?: (billion|million))?", text).groups()
    return Decimal(amount.replace(",", "")) * {"billion": 10**9, "million": 10**6, None: 1}[word]


def test_every_listing_of_the_sample_is_what_all_facts_say(sample):
    listings = sample.of("listing")
    assert len(listings) > 10
    for question in listings:
        facts = [sample.triplets[name] for name in question.triplet_ids]
        grown = " than in " in question.text
        before = dict(zip(candidates_of(question), facts[::2], strict=True)) if grown else {}
        inside = set()
        for fact, name in zip(facts[1::2] if grown else facts, candidates_of(question), strict=True):
            assert name in question.text
            # every fact of the corpus that says the same thing of this candidate, not only the path's
            said = [
                t for t in sample.triplets.values()
                if not t.rejected_because and (t.subject_key, t.relation_key) == (fact.subject_key, fact.relation_key)
                and (t.period, t.unit) == (fact.period, fact.unit)
            ]  # fmt: skip
            if grown:
                old = before[name]
                assert old.subject_key == fact.subject_key and old.period < fact.period
                assert old.period.split()[-1] in question.text and fact.period.split()[-1] in question.text
                sides = {Decimal(t.value) > Decimal(old.value) for t in said}
            elif fact.value:
                threshold = stated_threshold(question.text)
                sides = {Decimal(t.value) > threshold for t in said}
                assert all(abs(Decimal(t.value) / threshold - 1) > Decimal("0.047") for t in said)
            else:
                sides = {t.object in question.text for t in said}
            assert len(sides) == 1, (question.text, name)
            inside |= {name} if sides.pop() else set()
        assert inside == set(question.members) and 2 <= len(inside) <= 6 and inside < set(candidates_of(question))
        assert question.answer == join_names(question.members)
        assert {span.chunk_id for span in question.evidence_spans} == set(question.chunk_ids)
        assert len(question.triplet_ids) == len(candidates_of(question)) * (2 if grown else 1)


@pytest.mark.parametrize(
    ("values", "threshold"),
    [
        ([93, 62, 15, 7], 50),
        ([100, 99, 98, 10], 50),
        ([100, 98, 96], None),  # nothing round is clear of all
        ([9, 8, 7.9], None),
        ([30, 3], None),  # one member is no set
        ([6.2, 5.6, 2.4, 2.3], 5),
    ],
)
def test_thresholds_are_round_and_clear(values, threshold):
    found = choose_threshold([Decimal(str(value)) for value in values])
    assert found == (None if threshold is None else Decimal(threshold))


def test_listings_do_not_depend_on_the_order_of_facts(sample):
    rows = list(sample.triplets.values())
    one, other = ([p for p in trace(order, GraphConfig()) if p.pattern == "listing"] for order in (rows, rows[::-1]))
    assert one == other and all(isinstance(path, Path) for path in one)


def test_a_quota_of_listings(sample):
    config = GraphConfig(quotas={"listing": 3})
    assert len([p for p in trace(sample.triplets.values(), config) if p.pattern == "listing"]) == 3


def test_of_listings_by_a_figure_a_third_are_by_a_threshold_at_most(sample):
    pivots = [p.pivot for p in trace(sample.triplets.values(), GraphConfig()) if p.pattern == "listing"]
    grown, above = pivots.count("0"), len([pivot for pivot in pivots if pivot != "0" and ":" not in pivot])
    assert grown and above <= grown // 2 + 1


def test_names_with_commas_are_kept_apart():
    assert join_names(["Meta", "Walmart"]) == "Meta and Walmart"
    assert join_names(["Beauty", "Grooming", "Fabric & Home Care"]) == "Beauty, Grooming and Fabric & Home Care"
    assert join_names(["Beauty", "Baby, Feminine & Family Care"]) == "Beauty and Baby, Feminine & Family Care"
    assert join_names(["A", "B, C", "D"], "or") == "A; B, C; or D"


def test_the_census_counts_listings_and_absences(sample):
    triplets = list(sample.triplets.values())
    paths = list(trace(triplets, GraphConfig()))
    for kind in ("listing", "absent"):
        rows = [row for row in count_paths(triplets, GraphConfig(), paths) if row.pattern == kind]
        taken = [path for path in paths if path.pattern == kind]
        assert sum(row.sampled for row in rows) == len(taken) > 0
        assert all(row.eligible == sum(many for _, many in row.sizes) >= row.sampled for row in rows)
        few = GraphConfig(quotas={**GraphConfig().quotas, kind: 1})
        assert [row.eligible for row in count_paths(triplets, few, paths) if row.pattern == kind] == [
            row.eligible for row in rows
        ]
