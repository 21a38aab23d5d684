"""What is sampled, and what is not."""

import random
from collections import Counter, defaultdict
from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from rarefy.data_contracts.rows import Triplet, row_id
from rarefy.tasks.knowledge.graph import PATTERNS, GraphConfig, count_paths, trace
from rarefy.tasks.knowledge.graph.computed import choose_operands
from rarefy.tasks.knowledge.graph.facts import build_graphs

ALL = GraphConfig(exclusive="none", per_answer=1, per_pivot=1000, quotas=dict.fromkeys(PATTERNS, 1000))


def triplet(head, relation, tail, chunk="c0", kind="", period="", domain="d"):
    return Triplet(
        triplet_id=row_id(head, relation, tail, chunk, kind, period, domain), chunk_id=chunk, doc_id="x",
        start=0, end=1, subject=head.title(), relation=relation, object=tail.title(), source_sentence="s",
        method="prose",
        object_type=kind, period=period, domain=domain, subject_key=head, relation_key=relation, object_key=tail,
    )  # fmt: skip


def companies(number=30):
    """Companies with things around them that they share, and figures; 5 chunks each."""
    rows = []
    for i in range(number):
        name, chunk = f"company {i}", lambda part, i=i: f"c{i}-{part}"
        rows += [
            triplet(name, "listed on", f"exchange {i % 3}", chunk(0)),
            triplet(name, "audited by", f"auditor {i % 7}", chunk(0)),
            triplet(name, "headquartered in", f"city {i}", chunk(1)),
            triplet(name, "incorporated in", f"state {i % 5}", chunk(1)),
            triplet(name, "has segment", f"segment {i}", chunk(2)),
        ]
        rows += [triplet(name, f"figure {j}", f"{name} figure {j}", chunk(3), "MONEY") for j in range(5)]
        rows += [triplet(f"segment {i}", f"sales {j}", f"{name} sales {j}", chunk(4), "MONEY") for j in range(3)]
    return rows


ROWS = companies()
BY_ID = {row.triplet_id: row for row in ROWS}


def facts(path):
    return [BY_ID[triplet_id] for triplet_id in path.triplet_ids]


def of(pattern, paths):
    return [path for path in paths if path.pattern == pattern]


PATHS = list(trace(ROWS, GraphConfig()))


@pytest.mark.parametrize("pattern", PATTERNS)
def test_every_pattern_finds_paths_among_companies(pattern):
    assert of(pattern, PATHS)


def test_a_chain_leads_from_head_to_tail_in_its_order():
    for path in of("chain", PATHS):
        told = facts(path)
        assert all(a.object_key == b.subject_key for a, b in pairwise(told))
        assert path.pivot == told[0].object


def test_a_star_ends_in_its_only_value():
    for path in of("star", PATHS):
        told = facts(path)
        assert len({row.subject_key for row in told}) == 1
        assert len({row.object_key for row in told}) == len(told)
        assert not any(row.object_type for row in told[:-1])
        assert path.pivot == told[0].subject
    assert any(facts(path)[-1].object_type for path in of("star", PATHS))


def test_an_inverted_star_meets_in_one_thing_by_one_relation():
    for path in of("inverted_star", PATHS):
        told = facts(path)
        assert len({row.object_key for row in told}) == len({row.relation_key for row in told}) == 1
        assert len({row.subject_key for row in told}) == len(told)
        assert path.pivot == told[0].object


def test_chunks_stand_in_the_order_of_the_triplets():
    for path in PATHS:
        assert path.chunk_ids == tuple(row.chunk_id for row in facts(path))


def test_no_path_comes_twice():
    assert len({path.path_id for path in PATHS}) == len(PATHS)
    assert len({(path.pattern, frozenset(path.triplet_ids)) for path in PATHS}) == len(PATHS)


def test_a_fact_serves_one_pattern_only():
    patterns = defaultdict(set)
    for path in PATHS:
        for triplet_id in path.triplet_ids:
            patterns[triplet_id].add(path.pattern)
    assert max(map(len, patterns.values())) == 1


def test_patterns_may_share_facts_when_asked_to():
    used = Counter(i for path in trace(ROWS, ALL) for i in {(path.pattern, i) for i in path.triplet_ids})
    assert len({i for _, i in used}) < len(used)


@pytest.mark.parametrize("limit", [1, 2])
def test_a_fact_answers_no_more_often_than_allowed(limit):
    config = ALL.model_copy(update={"per_answer": limit})
    for pattern in ("star", "chain"):
        answers = Counter(path.triplet_ids[-1] for path in of(pattern, trace(ROWS, config)))
        assert max(answers.values()) == (limit if pattern == "star" else 1)  # each figure ends but one chain


def test_a_pivot_carries_no_more_paths_than_allowed():
    config = GraphConfig(per_pivot=2)
    for pattern in ("star", "inverted_star"):
        pivots = Counter(path.pivot for path in of(pattern, trace(ROWS, config)))
        assert max(pivots.values()) == 2


def test_inverted_stars_leave_every_head_clues_for_stars():
    taken = {i for path in of("inverted_star", PATHS) + of("chain", PATHS) for i in path.triplet_ids}
    left = Counter(row.subject_key for row in ROWS if not row.object_type and row.triplet_id not in taken)
    assert min(left[f"company {i}"] for i in range(30)) >= 1
    assert len({row.subject_key for path in of("star", PATHS) for row in facts(path)}) == 30


def test_the_whole_of_a_small_meeting_is_proposed_first():
    rows = [triplet(f"firm {i}", "audited by", "auditor", f"c{i}") for i in range(4)]
    quotas = {"inverted_star": 1}
    (path,) = trace(rows, GraphConfig(quotas=quotas))
    assert len(path.triplet_ids) == 4


@pytest.mark.parametrize("seed", range(3))
def test_the_order_of_the_triplets_does_not_matter(seed):
    shuffled = random.Random(seed).sample(ROWS + ROWS[:40], len(ROWS) + 40)
    assert list(trace(shuffled, GraphConfig())) == PATHS
    assert count_paths(shuffled, GraphConfig()) == count_paths(ROWS, GraphConfig())


def test_a_quota_takes_the_first_of_what_no_quota_takes():
    few = ALL.model_copy(update={"quotas": dict.fromkeys(PATTERNS, 7)})
    for pattern in PATTERNS:
        assert of(pattern, trace(ROWS, few)) == of(pattern, trace(ROWS, ALL))[:7]


def test_a_new_document_moves_few_picks():
    config = GraphConfig(quotas=dict.fromkeys(PATTERNS, 60))
    before = {path.path_id for path in trace(ROWS, config)}
    after = {path.path_id for path in trace(companies(31), config)}
    assert len(before & after) > 0.75 * len(before)


def test_a_fact_said_again_is_one_fact_with_two_supports():
    rows = [
        triplet("a", "makes", "b", "c0"),
        triplet("a", "sells", "d", "c1"),
        triplet("a", "sells", "d", "c0"),
    ]
    config = GraphConfig(quotas={"star": 5}, exclusive="none", needed_clues=False)
    assert [path.pattern for path in trace(rows[:2], config)] == ["star"]
    assert not list(trace(rows, config))  # c0 covers both
    assert {row.pattern: row.eligible for row in count_paths(rows, config)}["star"] == 0


def test_the_rule_of_the_code_looks_at_every_pair_of_chunks():
    rows = [triplet("a", "r", "b", "c0"), triplet("a", "r", "c", "c0"), triplet("a", "r", "d", "c1")]
    sizes = {}
    for rule in ("covered", "distinct"):
        census = {row.pattern: dict(row.sizes) for row in count_paths(rows, GraphConfig(chunk_rule=rule))}
        sizes[rule] = census["star"]
    assert sizes == {"covered": {2: 2, 3: 1, 4: 0}, "distinct": {2: 2, 3: 1, 4: 0}}  # of three facts, at most


def test_rejected_and_unkeyed_triplets_are_no_facts():
    rows = [replace(ROWS[0], rejected_because="not_in_text"), replace(ROWS[1], subject_key="")]
    assert not list(trace(rows, GraphConfig()))


def test_domains_are_graphs_of_their_own():
    rows = [triplet("a", "makes", "b", "c0", domain="x"), triplet("b", "costs", "c", "c1", domain="y")]
    assert not of("chain", trace(rows, ALL))
    census = count_paths(rows, ALL)
    assert {row.domain for row in census} == {"x", "y"}
    assert all(row.eligible == 0 for row in census if row.pattern == "chain")


def test_a_shortfall_is_reported_with_its_reason():
    config = GraphConfig(quotas={"star": 2, "single": 10_000, "inverted_star": 500})
    rows = {row.pattern: row for row in count_paths(ROWS, config, trace(ROWS, config))}
    assert (rows["star"].sampled, rows["star"].reason) == (2, "")
    assert rows["inverted_star"].sampled < 500
    assert rows["inverted_star"].reason == "limits"
    lone = [triplet("a", "makes", "b", "c0")]
    (single,) = [row for row in count_paths(lone, config, trace(lone, config)) if row.pattern == "single"]
    assert (single.eligible, single.sampled, single.reason) == (1, 1, "no_more_eligible")


def test_an_outsider_brings_a_pattern_by_its_name():
    name = "rarefy.tasks.knowledge.graph.patterns:single"
    config = GraphConfig(patterns=(name,), quotas={name: 3})
    paths = list(trace(ROWS, config))
    assert [path.pattern for path in paths] == [name] * 3


@pytest.mark.parametrize("wrong", [{"star_sizes": (5,)}, {"chain_sizes": (4,)}, {"chain_sizes": ()}, {"star": 1}])
def test_what_cannot_be_counted_is_refused(wrong):
    with pytest.raises(ValidationError):
        GraphConfig(**wrong)


SMALL = st.lists(
    st.builds(
        triplet,
        st.sampled_from("abcd"),
        st.sampled_from(["r", "s"]),
        st.sampled_from("abcdef"),
        chunk=st.sampled_from(["c0", "c1", "c2"]),
        kind=st.sampled_from(["", "MONEY"]),
    ),
    max_size=14,
)


@settings(max_examples=150, deadline=None)
@given(SMALL, st.sampled_from(["covered", "distinct"]), st.sampled_from(["entity", "any"]))
def test_something_is_sampled_exactly_where_something_is_eligible(rows, rule, clues):
    config = ALL.model_copy(update={"chunk_rule": rule, "star_clues": clues, "needed_clues": False})
    stated = defaultdict(set)
    for row in rows:
        stated[row.subject_key, row.relation_key, row.object_key, row.object_type].add(row.chunk_id)
    by_id = {row.triplet_id: row for row in rows}
    paths = list(trace(rows, config))
    for census in count_paths(rows, config, paths):
        assert census.sampled <= census.eligible
        assert (census.sampled > 0) == (census.eligible > 0)
    for path in paths:
        told = [by_id[i] for i in path.triplet_ids]
        if rule == "covered" and len(told) > 1:
            supports = [stated[row.subject_key, row.relation_key, row.object_key, row.object_type] for row in told]
            assert not set.intersection(*supports)
        if rule == "distinct":
            assert len(set(path.chunk_ids)) == len(told)


def test_multi_hop_patterns_leave_values_for_single_facts():
    values = Counter(row.subject_key for row in ROWS if row.object_type)
    singles = Counter(facts(path)[0].subject_key for path in of("single", PATHS))
    share = GraphConfig().reserve_values
    assert all(singles[name] >= int(number * share) for name, number in values.items())


def test_the_clues_of_a_star_are_all_needed():
    """Alpha alone is in Akron; Beta shares its state with one and its exchange with another."""
    said = [
        ("alpha", "city", "Akron"), ("alpha", "state", "Ohio"), ("alpha", "lists", "Nasdaq"),
        ("beta", "state", "Ohio"), ("beta", "lists", "NYSE"), ("gamma", "state", "Texas"), ("gamma", "lists", "NYSE"),
    ]  # fmt: skip
    rows = [triplet(head, relation, tail, f"c{i}") for i, (head, relation, tail) in enumerate(said)]
    rows += [
        replace(triplet(head, f"sales {n}", f"{head}{n}", f"v{head}{n}"), object_type="MONEY")
        for head in ("alpha", "beta", "gamma")
        for n in range(6)
    ]
    facts = {row.triplet_id: row for row in rows}
    config = GraphConfig(exclusive="none", patterns=("star",))
    found = {
        tuple(sorted(facts[i].relation_key for i in path.triplet_ids if facts[i].object_type != "MONEY"))
        for path in trace(rows, config)
        if facts[path.triplet_ids[-1]].object_type == "MONEY"
    }
    assert ("city",) in found
    assert ("lists", "state") in found, "only together they single beta out"
    assert not any("city" in clues and len(clues) > 1 for clues in found)


def figure(owner, measure, value, chunk, *, year=2024, kind="SEGMENT", doc="x", tag=""):
    row = triplet(f"{owner}", measure, f"{owner} {measure} {year} {value}", chunk, "MONEY", f"fiscal year {year}")
    company = owner.partition(" ")[0].title()
    name = row_id(row.triplet_id, kind, tag, year, doc)
    return replace(row, triplet_id=name, subject_type=kind, entity=company, value=value, unit="USD", concept=tag,
                   doc_id=doc, period_start=f"{year}-01-01", period_end=f"{year}-12-31")  # fmt: skip


FIGURES = st.lists(
    st.builds(
        figure,
        st.sampled_from(["acme north", "acme south", "acme west", "bolt north", "acme", "bolt"]),
        st.sampled_from(["sales", "net sales", "costs"]),
        st.sampled_from(["1", "2", "3"]),
        st.sampled_from(["c0", "c1", "c2"]),
        year=st.sampled_from([2023, 2024]),
        kind=st.sampled_from(["SEGMENT", "ORG"]),
        tag=st.sampled_from(["", "Sales", "Costs"]),
    ),
    max_size=24,
)


@settings(max_examples=200, deadline=None)
@given(FIGURES)
def test_what_remains_without_a_clue_is_counted_as_by_hand(rows):
    """For every fact: who else has another value of the same measure, in the corpus and in its chunk."""
    (graph,) = build_graphs(rows) or [None]
    if graph is None:
        return
    by_id = {row.triplet_id: row for row in rows}
    facts = [by_id[name] for name in graph.triplet_ids]
    stated = [
        {graph.chunk_ids[c] for c in graph.support[graph.support_start[i] : graph.support_start[i + 1]]}
        for i in range(len(facts))
    ]

    def sort(fact):
        member = fact.subject_type == "SEGMENT" and fact.subject.startswith(f"{fact.entity} ")
        return fact.subject_type, fact.entity if member else ""

    def rivals(fact, others):
        return sum(
            other.subject_key != fact.subject_key
            and other.value != fact.value
            and sort(other) == sort(fact)
            and (other.object_type, other.unit, other.period) == (fact.object_type, fact.unit, fact.period)
            and (other.relation_key == fact.relation_key or (bool(fact.concept) and other.concept == fact.concept))
            for other in others
        )

    for i, fact in enumerate(facts):
        here = [other for other, chunks in zip(facts, stated, strict=True) if fact.chunk_id in chunks]
        assert graph.rivals[i] == rivals(fact, facts)
        assert graph.rivals_in_chunk[i] == rivals(fact, here)


def test_a_balance_is_asked_for_at_the_end_of_its_year():
    """Two companies' years end on different days: their balances answer one question all the same."""
    rows = []
    for name, day in (("acme", "2024-12-31"), ("bolt", "2024-09-28")):
        flow = replace(figure(name, "sales", "1", f"{name}0", kind="ORG"), period_end=day)
        cash = replace(figure(name, "cash", name, f"{name}1", kind="ORG"), period=day, period_start="", period_end=day)
        rows += [flow, cash]
    (graph,) = build_graphs(rows)
    remaining = dict(zip(graph.triplet_ids, graph.rivals.tolist(), strict=True))
    assert [remaining[row.triplet_id] for row in rows] == [0, 1, 0, 1], "both sold 1, which is one answer"


def test_a_figure_that_one_company_has_needs_no_clue_and_is_no_star():
    rows = [triplet("alpha", "city", "akron", "c0"), triplet("alpha", "sales", "5", "c1", "MONEY")]
    config = GraphConfig(exclusive="none", patterns=("star",))
    assert not list(trace(rows, config))
    rows += [triplet("beta", "city", "boise", "c2"), triplet("beta", "sales", "7", "c3", "MONEY")]
    by_id = {row.triplet_id: row for row in rows}
    answers = {by_id[path.triplet_ids[-1]].subject_key for path in trace(rows, config)}
    assert answers == {"alpha", "beta"}, "now the sales of both have a rival"


def test_things_of_other_sorts_are_rivals_and_values_of_other_types_are_none():
    """Whether a school is an ORG or only a NAME is a guess; dollars are no percentages."""
    rows = [
        triplet("alpha", "studied at", "rutgers", "c0", "ORG"),
        triplet("beta", "studied at", "stonier", "c1", "NAME"),
    ]
    rows += [triplet("alpha", "grew by", "5", "c2", "MONEY"), triplet("beta", "grew by", "7", "c3", "PERCENT")]
    (graph,) = build_graphs(rows)
    rivals = dict(zip(graph.triplet_ids, graph.rivals.tolist(), strict=True))
    assert [rivals[row.triplet_id] for row in rows] == [1, 1, 0, 0]


def test_no_chain_ends_in_what_kind_of_thing_it_is():
    rows = [
        fact
        for i, name in enumerate(("alpha", "beta"))
        for fact in (
            triplet(f"founder {i}", "founded", name, f"c{i}-0"),
            triplet(name, "is a kind of", f"bank {i}", f"c{i}-1"),
            triplet(name, "is owned by", f"owner {i}", f"c{i}-2"),
        )
    ]
    by_id = {row.triplet_id: row for row in rows}
    paths = of("chain", trace(rows, GraphConfig(exclusive="none")))
    assert {by_id[path.triplet_ids[-1]].relation for path in paths} == {"is owned by"}


def parts(*measures, document="x", year=2024):
    """Three segments of one company, the west largest; each measure of theirs stands in a chunk of its own."""
    tags = {"sales": "us-gaap:Revenues", "profit": "us-gaap:OperatingIncomeLoss"}
    return [
        replace(figure(f"acme {part}", measure, str(100 * i + at), f"{document} {measure} {year}", doc=document,
                       year=year, tag=tags.get(measure, "")), method="table")
        for at, part in enumerate(("north", "south", "west"))
        for i, measure in enumerate(measures)
    ]  # fmt: skip


def test_a_part_of_a_company_is_described_by_another_figure_of_its_own():
    rows = parts("sales", "costs")
    by_id = {row.triplet_id: row for row in rows}
    paths = of("star", trace(rows, GraphConfig(exclusive="none")))
    assert len(paths) == 2, "people rank by sales, not by costs; the middle one has no rank"
    for path in paths:
        clue, answer = (by_id[name] for name in path.triplet_ids)
        assert clue.subject_key == answer.subject_key
        assert (clue.relation_key, answer.relation_key) == ("sales", "costs")
        assert clue.chunk_id != answer.chunk_id
    in_one_table = [replace(row, chunk_id="x") for row in rows]
    assert not of("star", trace(in_one_table, GraphConfig(exclusive="none")))
    assert not of("star", trace(rows, GraphConfig(exclusive="none", star_clues="entity")))


def filers(*figures):
    """Figures of two companies, each pair of one measure and each figure in a chunk of its own."""
    return [
        replace(figure(name, measure, str(value), f"{name} {measure}", kind="ORG", doc=name), subject=name.title(),
                method="table", concept=f"us-gaap:{tag}")
        for measure, tag, *values in figures
        for name, value in zip(("acme", "bolt"), values, strict=True)
    ]  # fmt: skip


def test_one_of_two_companies_is_told_by_a_figure_in_which_they_are_near():
    rows = filers(("sales", "Revenues", 100, 120), ("spending", "ResearchAndDevelopmentExpense", 9, 5))
    by_id = {row.triplet_id: row for row in rows}
    paths = of("star", trace(rows, ALL))
    told = {tuple((by_id[name].subject, by_id[name].relation) for name in path.triplet_ids) for path in paths}
    assert told == {
        (("Acme", "sales"), ("Acme", "spending")),
        (("Bolt", "sales"), ("Bolt", "spending")),
    }, "their spending is too far apart to tell them by"
    (count,) = (row for row in count_paths(rows, ALL) if row.pattern == "star")
    assert count.eligible >= 2
    assert not of("star", trace(rows, ALL.model_copy(update={"one_of_two": False})))


@pytest.mark.parametrize(
    ("sales", "spending"),
    [
        ((100, 200), (9, 5)),  # whoever knows the names knows which is larger
        ((100, 101), (9, 5)),  # a tie to a reader who rounds
        ((-100, -120), (9, 5)),
        ((100, 120), (7, 7)),  # either has the answer
    ],
)
def test_two_companies_are_not_told_apart_by_what_needs_no_reading(sales, spending):
    rows = filers(("sales", "Revenues", *sales), ("spending", "ResearchAndDevelopmentExpense", *spending))
    assert not of("star", trace(rows, ALL))


def test_a_passage_that_has_both_figures_tells_no_company():
    rows = filers(("sales", "Revenues", 100, 120), ("spending", "ResearchAndDevelopmentExpense", 9, 5))
    assert not of("star", trace([replace(row, chunk_id=row.entity) for row in rows], ALL))


def test_clues_of_another_document_come_first():
    rows = parts("sales", "costs") + parts("assets", document="y")
    documents = {row.triplet_id: row.doc_id for row in rows}
    paths = of("star", trace(rows, GraphConfig(exclusive="none")))
    assert sum(len({documents[name] for name in path.triplet_ids}) == 2 for path in paths) == 2, "as many as there are"


def test_an_officer_is_asked_about_in_the_period_of_the_office():
    rows = [replace(figure("acme", "sales", "5", "c1", kind="ORG"), entity=""),
            replace(figure("bolt", "sales", "6", "c2", kind="ORG"), entity=""),
            replace(triplet("pat", "chief executive officer of", "acme", "c3", period="fiscal year 2024"),
                    subject_type="PERSON")]  # fmt: skip
    assert len(of("chain", trace(rows, ALL))) == 1
    rows[2] = replace(rows[2], period="fiscal year 2023")
    assert not of("chain", trace(rows, ALL))


def test_what_is_one_of_a_list_leads_nowhere():
    rows = [replace(figure("acme", "sales", "5", "c1", kind="ORG"), entity=""),
            replace(figure("bolt", "sales", "6", "c2", kind="ORG"), entity="")]  # fmt: skip
    notes = [triplet(f"note {n}", "are issued by", "acme", "cover") for n in range(4)]
    assert of("chain", trace(rows + notes[:2], ALL))
    assert not of("chain", trace(rows + notes, ALL))


def test_a_common_clue_alone_serves_few_paths_and_any_clue_only_some():
    rows = [triplet(name, "is headquartered in", f"city {name}", f"{name}0") for name in ("a", "b")]
    rows += [triplet(name, f"sales {n}", f"{name}{n}", f"{name}1", "MONEY") for name in ("a", "b") for n in range(9)]
    stars = of("star", trace(rows, ALL))
    assert Counter(path.pivot for path in stars) == {"A": 2, "B": 2}
    bought = [replace(row, relation_key="acquired") if "head" in row.relation else row for row in rows]
    assert Counter(path.pivot for path in of("star", trace(bought, ALL))) == {"A": ALL.per_clue, "B": ALL.per_clue}


def test_an_office_by_which_nobody_knows_a_company_begins_no_chain():
    rows = [replace(figure(name, "sales", name, name, kind="ORG"), entity="") for name in ("acme", "bolt")]
    officer = replace(triplet("pat", "chief accounting officer of", "acme", "c3", period="fiscal year 2024"),
                      subject_type="PERSON")  # fmt: skip
    assert not of("chain", trace([*rows, officer], ALL))
    assert of("chain", trace([*rows, replace(officer, relation_key="chief executive officer of")], ALL))


def test_what_belongs_to_a_part_of_a_company_may_be_one_of_many():
    rows = parts("sales")
    brands = [triplet(f"brand {n}", "is part of", "acme north", "brands") for n in range(5)]
    assert of("chain", trace(rows + brands, ALL))
    assert not of("chain", trace(rows + [replace(row, relation_key="are issued by") for row in brands], ALL))


def test_no_part_of_a_company_has_all_the_chains():
    rows = [row for n in range(15) for row in parts(f"measure {n}")]
    brands = [triplet(f"brand {n}", "is part of", "acme north", "brands") for n in range(5)]
    limited = ALL.model_copy(update={"per_part": 3})
    assert len(of("chain", trace(rows + brands, ALL))) == ALL.per_part
    assert len(of("chain", trace(rows + brands, limited))) == 3


@pytest.mark.parametrize(
    ("measures", "tag", "asked"),
    [
        (("sales", "sales"), "Revenues", True),
        (("sales", "sales"), "DeferredTaxAssetsOther", False),  # nobody wonders about it
        (("sales", "freight revenue"), "Revenues", False),  # the words say whose it is
    ],
)
def test_of_a_described_company_figures_are_asked_for_that_people_follow_in_words_that_tell_nothing(
    measures, tag, asked
):
    rows = [
        replace(
            figure(name, measure, name, name, kind="ORG", tag=f"us-gaap:{tag}"), subject=name.title(), method="table"
        )
        for name, measure in zip(("acme", "bolt"), measures, strict=True)
    ]
    rows.append(triplet("firm", "was acquired by", "acme", "c3"))
    assert bool(of("chain", trace(rows, ALL))) == asked


def test_two_that_one_company_bought_are_told_apart_by_their_times():
    rows = [triplet(f"firm {n}", "was acquired by", "acme", f"c{n}", period=f"May {n}, 2024") for n in range(1, 5)]
    stars = of("inverted_star", trace(rows, ALL))
    assert stars and {len(path.triplet_ids) for path in stars} == {2}


def yearly(measure, *values, chunk="", tag="", first=2022):
    """A company's figures of years that follow on one another, all in one chunk."""
    return [
        replace(figure("acme", measure, str(value), chunk or measure, year=first + at, kind="ORG"),
                subject="Acme", entity="Acme", method="table", concept=f"us-gaap:{tag}")
        for at, value in enumerate(values)
    ]  # fmt: skip


def through_years(rows, config=ALL):
    by_id = {row.triplet_id: row for row in rows}
    found = [(path, *(by_id[name] for name in path.triplet_ids)) for path in of("chain", trace(rows, config))]
    (row,) = (row for row in count_paths(rows, config) if row.pattern == "chain")
    assert row.eligible >= len(found)
    return found


def test_a_chain_leads_through_the_year_that_a_figure_singles_out():
    sales = yearly("sales", 30, 20, 40, tag="Revenues")
    rows = sales + yearly("buybacks", 5, 6, 7, tag="PaymentsForRepurchaseOfCommonStock")
    ((path, clue, answer),) = through_years(rows)
    assert (clue.relation_key, clue.value, answer.relation_key, answer.value) == ("sales", "20", "buybacks", "6")
    assert (path.pivot, path.remaining, path.remaining_in_chunk) == ("Acme fiscal year 2023", 3, 3)
    assert not through_years(rows, ALL.model_copy(update={"through_years": False}))


@pytest.mark.parametrize(
    ("sales", "buybacks", "fields"),
    [
        ((20, 30, 40), (5, 6, 7), {}),  # growth alone says which year was the lowest
        ((30, 29.9, 40), (5, 6, 7), {}),  # a tie to a reader who rounds
        ((20, 40), (5, 6), {}),  # of two years one is guessed
        ((30, 20, 40), (6, 6, 6), {}),  # any year has the answer
        ((30, 20, 40), (5, 6, 7), {"chunk": "sales"}),  # one chunk tells both
        ((30, 20, 40), (5, 6, 7), {"tag": "NobodyFollowsThis"}),
        ((30, 20, 40), (5, 6, 7), {"tag": "GrossProfit"}),  # follows from the sales themselves
        ((30, 20, 40), (5, 6, 7), {"tag": "LiabilitiesCurrent"}),  # nobody puts the two together
        ((-30, 20, -10), (5, 6, 7), {}),
        ((30, 20, 40), (-5, 6, -7), {}),  # the only year with a gain
    ],
)
def test_a_year_is_no_pivot_where_it_needs_no_finding(sales, buybacks, fields):
    rows = yearly("sales", *sales, tag="Revenues")
    rows += yearly("buybacks", *buybacks, **{"tag": "PaymentsForRepurchaseOfCommonStock", **fields})
    assert not through_years(rows)


def test_one_figure_under_two_labels_is_asked_for_by_a_year_once():
    rows = yearly("sales", 30, 20, 40, tag="Revenues")
    for label in ("buybacks", "repurchases"):
        rows += yearly(label, 5, 6, 7, tag="PaymentsForRepurchaseOfCommonStock")
    assert len(through_years(rows)) == 1


def test_the_year_of_few_acquisitions_is_no_pivot():
    bought = {least: yearly("bought", *values, tag="PaymentsToAcquireBusinessesNetOfCashAcquired")
              for least, values in ((True, (5, 1, 6)), (False, (5, 9, 6)))}  # fmt: skip
    profit = yearly("profit", 3, 4, 5, tag="NetIncomeLoss")
    assert not through_years(bought[True] + profit)
    assert len(through_years(bought[False] + profit)) == 1


def test_a_figure_that_only_a_year_makes_worth_asking_is_not_asked_of_who_is_described():
    """Nobody else has a figure of that time, so that who bought the firm need not be found."""
    rows = yearly("sales", 30, 20, 40, tag="Revenues")
    rows += yearly("buybacks", 5, 6, 7, tag="PaymentsForRepurchaseOfCommonStock")
    bought = triplet("firm", "was acquired by", "acme", "c9")
    paths = of("chain", trace([*rows, bought], ALL))
    assert paths and not any(bought.triplet_id in path.triplet_ids for path in paths)


def test_another_time_tells_a_part_by_its_rank_only_where_another_part_had_it():
    sales = parts("sales")
    costs = [row for year in (2024, 2023) for row in parts("costs", year=year)]
    assert len(of("star", trace(sales + costs, GraphConfig(exclusive="none", per_tables=9)))) == 2, "of one time"
    same = parts("sales", year=2023)
    old = [row for row in costs if row.period == "fiscal year 2023"]
    told = GraphConfig(exclusive="none", chunk_rule="covered")
    beside = [replace(row, chunk_id="old") for row in (*same, *old)]
    assert not of("star", trace(sales + beside, told)), "the west led then, too, so that the year is idle"
    turned = [replace(row, value=str(9 - int(row.value)), object_key=f"{row.object_key} turned")
              if row.relation_key == "sales" else row for row in beside]  # fmt: skip
    assert len(of("star", trace(sales + turned, told))) == 2


def test_two_tables_make_few_stars():
    rows = parts("sales", "costs", "debts")
    rows = [row if row.relation_key == "sales" else replace(row, chunk_id="one") for row in rows]
    assert len(of("star", trace(rows, GraphConfig(exclusive="none")))) == 4
    assert len(of("star", trace(rows, GraphConfig(exclusive="none", per_tables=1)))) == 1


def test_answers_come_in_rounds_by_measure_and_chunk():
    rows = [triplet(f"firm {i}", f"sales {j}", f"{i} {j}", f"c{i % 3}", "MONEY") for i in range(9) for j in range(4)]
    by_id = {row.triplet_id: row for row in rows}
    config = GraphConfig(patterns=("single",), quotas={"single": 3}, reserve_values=0)
    picked = [by_id[path.triplet_ids[0]] for path in trace(rows, config)]
    assert len({row.relation_key for row in picked}) == len(picked) == 3


def test_the_census_counts_paths_across_documents():
    rows = parts("sales", "costs") + parts("assets", document="y")
    config = GraphConfig(exclusive="none", patterns=("star",))
    paths = of("star", trace(rows, config))
    (row,) = (row for row in count_paths(rows, config, paths) if row.pattern == "star")
    assert (row.crossing, row.at_most) == (2, False)
    assert all(path.remaining == path.remaining_in_chunk == 3 for path in paths)


def test_the_operands_of_an_answer_are_taken_from_as_few_chunks_as_hold_them():
    figures = [
        [figure("acme", "sales", str(year), chunk, year=year, doc=chunk) for chunk in chunks]
        for year, chunks in ((2022, ("a", "b", "d")), (2023, ("b", "c", "d")), (2024, ("c", "b", "d")))
    ]
    whole = [choose_operands("change", some) for some in (figures, figures[::-1], [one[::-1] for one in figures])]
    taken = [{t.chunk_id for t in found.triplets} for found in whole]
    assert all(len(chunks) == 1 and chunks <= {"b", "d"} for chunks in taken)
    apart = choose_operands("change", [figures[0][:1], figures[1][1:2]])
    assert {t.chunk_id for t in apart.triplets} == {"a", "c"} and apart.far == 0


MODEL = GraphConfig(for_model=True, exclusive="none", reserve_clues=0, reserve_values=0)


def by_model(head, relation, tail, at, doc="x", kind=""):
    row = triplet(head.lower(), relation, tail.lower(), f"c{at}", kind)
    return replace(row, subject=head, object=tail, doc_id=doc, method="model")


def drawn(pattern, rows):
    by_id = {row.triplet_id: row for row in rows}
    return [
        tuple((by_id[name].subject, by_id[name].object) for name in path.triplet_ids)
        for path in of(pattern, trace(rows, MODEL))
    ]


@pytest.mark.parametrize(
    ("pivot", "clue", "verb", "asked"),
    [
        ("Larkfield Pump", "Tessera Optics", "is made by", True),
        ("Pump Inspectors", "Tessera Optics", "are paid by", False),  # all of a kind
        ("backup limit", "Tessera Optics", "is set by", False),  # no name
        ("Larkfield Pump", "percentage based fee", "is sold at", False),  # nothing that anybody has in hand
    ],
)
def test_a_model_is_asked_about_stars_of_named_things_by_names(pivot, clue, verb, asked):
    rows = [by_model(pivot, verb, clue, 0), by_model(pivot, "weighs about", "Nine Stone", 1)]
    rows += [by_model("Orsa Valve", "weighs about", "Two Stone", 2)]
    assert bool(drawn("star", rows)) is asked


def test_a_clue_that_leads_to_two_things_in_other_words_describes_neither():
    rows = [
        by_model("Lite Robot", "is built on", "Acme Base Create", 0),
        by_model("Full Robot", "uses as platform", "Base Create", 1),
        by_model("Lite Robot", "has camera", "Eye One", 2),
        by_model("Full Robot", "has camera", "Eye Two", 3),
    ]
    assert not drawn("star", rows)
    assert len(drawn("star", [rows[0], *rows[2:]])) == 1


@pytest.mark.parametrize(("documents", "others", "asked"), [("xy", 0, True), ("xx", 0, False), ("xy", 2, False)])
def test_a_model_is_asked_what_meets_in_a_thing_of_two_documents_that_few_facts_lead_to(documents, others, asked):
    rows = [
        by_model(f"Film {at}", "was directed by", "Ilse Krantz", at, doc)
        for at, doc in zip("12", documents, strict=True)
    ]
    rows += [by_model(f"Person {at}", f"knows in way {at}", "Ilse Krantz", 9 + at) for at in range(others)]
    assert bool(drawn("inverted_star", rows)) is asked


@pytest.mark.parametrize(("other", "asked"), [("Eye Two", True), ("Adapter Board", False)])
def test_what_things_of_all_kinds_do_has_other_answers_among_its_own_kind_alone(other, asked):
    rows = [
        by_model("Full Robot", "has camera", "Eye One", 0),
        by_model("Eye One", "adds", "laser projector", 1),
        by_model(other, "adds", "radio link", 2),
    ]
    assert bool(drawn("chain", rows)) is asked


@pytest.mark.parametrize(("other", "asked"), [("two-year", True), ("one (1) year", False), ("One year", False)])
def test_equal_words_are_no_other_answer(other, asked):
    rows = [
        by_model("Conflict Note", "is given to", "Conduct Team", 0),
        by_model("Conduct Team", "serves term of", "one-year", 1),
        by_model("Larkfield Board", "has term of", other, 2, kind="DURATION"),
    ]
    assert bool(drawn("chain", rows)) is asked


def test_a_model_s_fact_of_the_same_relation_with_equal_words_needs_no_clue():
    rows = [
        by_model("Conflict Note", "is given to", "Conduct Team", 0),
        by_model("Conduct Team", "answers within", "48 hours", 1, kind="DURATION"),
        by_model("Larkfield Board", "answers within", "48 Hours", 2, kind="DURATION"),
    ]
    rows = [
        replace(row, object_key=f"{row.subject_key} {row.object_key}" if row.object_type else row.object_key)
        for row in rows
    ]
    assert not drawn("chain", rows)
    assert drawn("chain", [*rows[:2], replace(rows[2], object="72 hours")])
