"""The exact census against counting path by path."""

import json
from collections import defaultdict
from itertools import combinations, pairwise, permutations

from hypothesis import given, settings
from hypothesis import strategies as st

from rarefy.data_contracts.rows import Triplet
from rarefy.tasks.knowledge.graph import GraphConfig, count_paths

LITERAL_TYPES = {"MONEY"}


def triplet(head, relation, tail, chunk="c0", kind="", period="", domain="d"):
    made_of = json.dumps([head, relation, tail, chunk, kind, period, domain])
    return Triplet(
        triplet_id=made_of, chunk_id=chunk, doc_id="x", start=0, end=1, subject=head, relation=relation, object=tail,
        source_sentence="s", method="prose", object_type=kind, period=period, domain=domain,
        subject_key=head, relation_key=relation, object_key=tail,
    )  # fmt: skip


def facts_of(triplets):
    """[(head, relation, tail, literal, chunk that stands for it, all chunks)], self-loops left out."""
    stated = defaultdict(list)
    for t in triplets:
        literal = t.object_type in LITERAL_TYPES
        if t.subject_key != t.object_key or literal:
            stated[(t.subject_key, t.relation_key, (literal, t.object_key), t.period)].append(
                (t.triplet_id, t.chunk_id)
            )
    return [
        (("", s), r, ("=" if o[0] else "", o[1]), o[0], min(where)[1], {chunk for _, chunk in where})
        for (s, r, o, _), where in stated.items()
    ]


def apart(facts, rule):
    if rule == "distinct":
        return len({f[4] for f in facts}) == len(facts)
    return not set.intersection(*(f[5] for f in facts))


def brute(triplets, config):
    facts = facts_of(triplets)
    found = defaultdict(int)
    for f in facts:
        others = [g for g in facts if g is not f]
        touches = [g for g in others if f[2] in (g[0], g[2]) and config.single_rule != "any"]
        if config.single_rule == "paper":
            touches += [g for g in others if f[0] in (g[0], g[2])]
        alone = not f[3] and not any(g[:2] == f[:2] for g in others)
        found["single", 1] += not touches or (config.single_rule == "subject" and alone)
    for size in config.chain_sizes:
        for path in permutations(facts, size):
            linked = all(a[2] == b[0] for a, b in pairwise(path))
            nodes = {path[0][0], *(f[2] for f in path)}
            found["chain", size] += linked and len(nodes) == size + 1 and apart(path, config.chunk_rule)
    for size in config.star_sizes:
        for path in combinations(facts, size):
            around = len({f[0] for f in path}) == 1 and len({f[2] for f in path}) == size
            clear = config.star_clues == "any" or sum(f[3] for f in path) < 2
            found["star", size] += around and clear and apart(path, config.chunk_rule)
    for size in config.inverted_star_sizes:
        for path in combinations(facts, size):
            meet = len({f[2] for f in path}) == 1 and not path[0][3] and len({f[0] for f in path}) == size
            alike = not config.same_relation or len({f[1] for f in path}) == 1
            found["inverted_star", size] += meet and alike and apart(path, config.chunk_rule)
    return {key: value for key, value in found.items() if value}


def census(triplets, config):
    """What is counted, and whether more than two facts are counted at most."""
    rows = count_paths(triplets, config)
    found = {(row.pattern, size): n for row in rows for size, n in row.sizes if n}
    return found, {(row.pattern, size) for row in rows if row.at_most for size, _ in row.sizes if size > 2}


NAMES = st.sampled_from("abcde")
TRIPLETS = st.lists(
    st.builds(
        triplet,
        NAMES,
        st.sampled_from(["r", "s"]),
        NAMES,
        chunk=st.sampled_from(["c0", "c1", "c2", "c3"]),
        kind=st.sampled_from(["", "", "ORG", "MONEY"]),
        period=st.sampled_from(["", "2024"]),
    ),
    max_size=14,
)
RULES = st.builds(
    GraphConfig,
    single_rule=st.sampled_from(["tail", "paper", "subject", "any"]),
    chunk_rule=st.sampled_from(["covered", "distinct"]),
    star_clues=st.sampled_from(["entity", "any"]),
    same_relation=st.booleans(),
)


@settings(max_examples=150, deadline=None)
@given(TRIPLETS, RULES)
def test_the_census_is_what_counting_one_by_one_gives(triplets, config):
    found, loose = census(triplets, config)
    exact = brute(triplets, config)
    assert config.chunk_rule == "distinct" or not loose
    for key in found.keys() | exact.keys():
        assert found.get(key, 0) >= exact.get(key, 0) if key in loose else found.get(key, 0) == exact.get(key, 0)
