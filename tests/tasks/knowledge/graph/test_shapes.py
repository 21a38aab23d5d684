"""Graphs that break programs: hubs, circles, parallels, nothing at all."""

import time
from dataclasses import replace
from itertools import product
from math import comb

import numpy as np
import pytest

from rarefy.data_contracts.rows import Triplet, row_id
from rarefy.tasks.knowledge.graph import PATTERNS, GraphConfig, count_paths, trace
from rarefy.tasks.knowledge.graph.facts import build_graphs
from rarefy.tasks.knowledge.graph.patterns import star
from rarefy.tasks.knowledge.graph.sample import Allocation

HUB = 100_000


def triplet(head, relation, tail, chunk="c0", kind="", number=0):
    return Triplet(
        triplet_id=row_id(head, relation, tail, chunk, kind, number), chunk_id=chunk, doc_id="x", start=0, end=1,
        subject=head, relation=relation, object=tail, source_sentence="s", method="prose", object_type=kind,
        subject_key=head, relation_key=relation, object_key=tail,
    )  # fmt: skip


def sizes(rows, **options):
    return {row.pattern: dict(row.sizes) for row in count_paths(rows, GraphConfig(**options))}


@pytest.mark.parametrize("rule", ["covered", "distinct"])
def test_an_empty_graph_has_nothing_and_breaks_nothing(rule):
    assert count_paths([], GraphConfig(chunk_rule=rule)) == []
    assert list(trace([], GraphConfig(chunk_rule=rule))) == []


@pytest.mark.parametrize("rule", ["covered", "distinct"])
def test_one_triplet_is_one_single_fact(rule):
    rows = [triplet("a", "r", "b")]
    config = GraphConfig(chunk_rule=rule, single_rule="paper")
    assert [path.pattern for path in trace(rows, config)] == ["single"]
    assert {row.pattern: row.eligible for row in count_paths(rows, config)} == {
        "inverted_star": 0, "chain": 0, "star": 0, "single": 1,
        "comparison": 0, "change": 0, "share": 0, "superlative": 0,
    }  # fmt: skip


@pytest.mark.parametrize("rule", ["covered", "distinct"])
def test_a_graph_of_self_loops_has_none(rule):
    rows = [triplet("a", "r", "a"), triplet("b", "r", "b", "c1")]
    assert list(trace(rows, GraphConfig(chunk_rule=rule))) == []
    assert all(not any(by_size.values()) for by_size in sizes(rows, chunk_rule=rule).values())


@pytest.mark.parametrize(("length", "chains"), [(2, {2: 0, 3: 0}), (3, {2: 3, 3: 0}), (4, {2: 4, 3: 4})])
@pytest.mark.parametrize("rule", ["covered", "distinct"])
def test_a_chain_does_not_run_in_a_circle(length, chains, rule):
    rows = [triplet(f"n{i}", "r", f"n{(i + 1) % length}", f"c{i}") for i in range(length)]
    assert sizes(rows, chunk_rule=rule)["chain"] == chains
    assert all(path.pattern != "chain" for path in trace(rows, GraphConfig())) == (sum(chains.values()) == 0)


def test_parallel_relations_stay():
    rows = [triplet("a", "buys", "b", "c0"), triplet("a", "owns", "b", "c1"), triplet("b", "makes", "c", "c2")]
    assert sizes(rows)["chain"] == {2: 2, 3: 0}
    assert sizes(rows)["star"] == {2: 0, 3: 0, 4: 0}  # two facts about one tail are no star


def test_a_hub_of_a_hundred_thousand_is_counted_and_sampled_at_once():
    rows = [triplet("hub", "r", f"n{i}", f"c{i % 500}") for i in range(HUB)]
    config = GraphConfig(quotas={"star": 1000}, per_pivot=1000, needed_clues=False)
    start = time.process_time()
    (graph,) = build_graphs(rows)
    free = np.ones(HUB, bool)
    found = star(graph, config, free)
    per_chunk = HUB // 500
    assert found.count() == {k: comb(HUB, k) - 500 * comb(per_chunk, k) for k in (2, 3, 4)}
    assert len(list(Allocation(graph, config).choose("star", found))) == 1000
    assert time.process_time() - start < 30  # minutes or never, if anything were listed


@pytest.mark.parametrize("rule", ["covered", "distinct"])
def test_everything_in_one_chunk_leaves_no_multi_hop_path(rule):
    rows = [triplet("hub", "r", f"n{i}") for i in range(5000)] + [triplet(f"m{i}", "s", "hub") for i in range(5000)]
    by_pattern = sizes(rows, chunk_rule=rule)
    assert not any(n for pattern in ("star", "inverted_star", "chain") for n in by_pattern[pattern].values())
    assert {path.pattern for path in trace(rows, GraphConfig(chunk_rule=rule))} == {"single"}


def test_two_hubs_back_to_back_are_counted_by_their_degrees():
    into = [triplet(f"m{i}", "s", "x", f"a{i}") for i in range(3000)]
    out_of = [triplet("y", "r", f"n{i}", f"b{i}") for i in range(3000)]
    rows = [*into, triplet("x", "t", "y", "c"), *out_of]
    for rule in ("covered", "distinct"):
        assert sizes(rows, chunk_rule=rule)["chain"] == {2: 6000, 3: 3000 * 3000}


def test_a_full_graph_has_as_many_chains_as_ordered_nodes():
    n = 40
    rows = [triplet(f"n{i}", "r", f"n{j}", f"c{i}-{j}") for i, j in product(range(n), repeat=2) if i != j]
    for rule in ("covered", "distinct"):
        assert sizes(rows, chunk_rule=rule)["chain"] == {2: n * (n - 1) * (n - 2), 3: n * (n - 1) * (n - 2) * (n - 3)}


def test_facts_repeated_year_after_year_are_counted_all_the_same():
    rows = [triplet("co", "r", f"n{i}", f"c{year}", number=year) for i in range(30) for year in range(25)]
    assert sizes(rows)["star"] == {2: 0, 3: 0, 4: 0}
    rows += [triplet("co", "r", "other", "elsewhere")]
    assert sizes(rows)["star"] == {k: comb(30, k - 1) for k in (2, 3, 4)}


def test_repetition_too_tangled_to_count_is_counted_by_fewer_chunks_and_says_so():
    said = {i: {j for j in range(40) if int(row_id(i, j), 16) % 2} for i in range(120)}
    rows = [triplet("co", "r", f"n{i}", f"c{j}", number=j) for i, chunks in said.items() for j in chunks]
    (row,) = [row for row in count_paths(rows, GraphConfig()) if row.pattern == "star"]
    assert row.at_most
    fact = {row.triplet_id: int(row.object_key[1:]) for row in rows}
    paths = [path for path in trace(rows, GraphConfig(exclusive="none", needed_clues=False)) if path.pattern == "star"]
    assert len(paths) > 50
    assert not any(set.intersection(*(said[fact[i]] for i in path.triplet_ids)) for path in paths)


def test_the_name_most_used_is_the_label_whatever_the_order():
    said = ["NVIDIA", "NVIDIA Corporation", "NVIDIA Corporation"]
    rows = [
        Triplet(
            triplet_id=row_id(name, i), chunk_id=f"c{i}", doc_id="x", start=0, end=1, subject=name, relation="r",
            object=f"o{i}", source_sentence="s", method="prose", subject_key="nvidia", relation_key="r",
            object_key=f"o{i}",
        )
        for i, name in enumerate(said)
    ]  # fmt: skip
    for order in (rows, rows[::-1]):
        assert build_graphs(order)[0].labels[build_graphs(order)[0].nodes.index("nvidia")] == "NVIDIA Corporation"


def test_every_pattern_is_listed_under_its_own_name():
    assert all(name == pattern.__name__ for name, pattern in PATTERNS.items())


def test_lines_of_a_cover_page_leave_their_place_to_other_facts():
    rows = [
        triplet("Vault", "is owned by", "Stratus", "c0"),
        triplet("Stratus", "is incorporated in", "Delaware", "c1"),
        triplet("Cirrus", "is incorporated in", "Delaware", "c2"),
        triplet("Vault", "is rented to", "Altostrat", "c2"),
        triplet("Altostrat", "is headquartered in", "Oslo", "c3"),
        replace(triplet("Nimbus", "is headquartered in", "Oslo", "c4"), method="cover"),
    ]
    options = {"needed_clues": False, "exclusive": "none", "single_rule": "any"}

    def drawn(**more):
        paths = trace(rows, GraphConfig(**options, **more))
        relation = {row.triplet_id: row.relation for row in rows}
        return {(path.pattern, relation[path.triplet_ids[-1]]) for path in paths}

    asked, kept = drawn(), drawn(cover_facts=False)
    assert ("chain", "is incorporated in") in asked and ("chain", "is headquartered in") in asked
    assert kept < asked and asked == drawn(cover_facts=True)
    assert not {kind for kind, relation in kept if relation == "is incorporated in"} - {"single"}
    assert ("chain", "is headquartered in") not in kept and ("inverted_star", "is headquartered in") in kept
    assert (
        len([path for path in trace(rows, GraphConfig(**options, cover_facts=False)) if path.pattern == "single"]) == 5
    )
