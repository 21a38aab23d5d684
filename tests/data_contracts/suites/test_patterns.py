import pytest

from rarefy.data_contracts.rows import KINDS, Path, Triplet, row_id
from rarefy.data_contracts.suites import SUITES
from rarefy.data_contracts.tables import to_table

NOBODY = "0123456789abcdef"  # a well-formed name of nothing

# row type, rule, which rows to change, how, and what the message must show
BREACHES = [
    (Path, "the table has rows", "none", {}, "0"),
    (Path, "path_id is unique", "twice", {}, ""),
    (Path, "path_id is 16 hexadecimal digits", 0, {"path_id": "p"}, "p"),
    (Path, f"pattern is {' | '.join(KINDS)}, or module:function", 0, {"pattern": "ring"}, "'ring'"),
    (Path, "domain is not blank", 0, {"domain": ""}, "''"),
    (Path, "triplet_ids names a Triplet", 0, {"triplet_ids": (NOBODY,)}, f"'{NOBODY}' is no Triplet"),
    (Path, "chunk_ids names a Chunk", 0, {"chunk_ids": lambda ids: (*ids, NOBODY)}, f"'{NOBODY}' is no Chunk"),
    (Path, "as many triplets as its pattern takes", 0, {"triplet_ids": ()}, "[]"),
    (Path, "as many triplets as its pattern takes", 2, {"pattern": "single"}, "a single of 2 triplets"),
    (Path, "as many triplets as its pattern takes", 2, {"triplet_ids": lambda ids: ids[:1] * 2}, "not distinct"),
    (Path, "triplets linked as its pattern says", 2, {"pattern": "star"}, "a star from 'acme inc.' to 'bolt corp.'"),
    (Path, "triplets linked as its pattern says", 3, {"pattern": "chain"}, "a chain from 'stone llp' to 'acme inc.'"),
    (
        Path,
        "triplets linked as its pattern says",
        3,
        {"pattern": "inverted_star"},
        "a inverted_star from 'stone llp' to 'reno, nevada'",
    ),
    (Path, "triplets were accepted", 0, {"triplet_ids": (row_id("rejected"),)}, "was rejected: sentence_not_in_chunk"),
    (Path, "the chunks of its triplets", 2, {"chunk_ids": ()}, "is not among []"),
    (Path, "multi-hop takes several chunks", 2, {"chunk_ids": lambda ids: ids[:1] * 2}, "a chain within"),
    (Path, "multi-hop has a pivot", 2, {"pivot": ""}, "no pivot"),
]


@pytest.mark.parametrize(("row_type", "rule", "where", "changes", "shown"), BREACHES)
def test_a_breach_is_caught_and_named(breach, row_type, rule, where, changes, shown):
    result, message = breach(row_type, rule, where, changes)
    assert not result.success and result.count >= 1
    assert shown in result.examples[0]
    assert "some stage" in message and rule in message and row_type.__name__ in message


@pytest.mark.parametrize("row_type", [Path])
def test_every_rule_has_a_breach(row_type):
    rules = [rule.says for rule in SUITES[row_type].rules]
    assert len(set(rules)) == len(rules)
    assert {rule for its_type, rule, *_ in BREACHES if its_type is row_type} == set(rules)


@pytest.mark.parametrize(
    ("subject", "period_end", "unit", "fault"),
    [
        ("acme", "2024-12-31", "USD", None),
        ("acme", "2023-12-31", "USD", "a chain from 'figure 1' to 'acme'"),
        ("bolt", "2024-12-31", "USD", "a chain from 'figure 1' to 'bolt'"),
        ("acme", "2024-12-31", "", "a chain from 'figure 1' to 'acme'"),
    ],
)
def test_a_chain_may_lead_through_a_year_that_a_figure_singles_out(subject, period_end, unit, fault):
    rule = next(one for one in SUITES[Path].rules if one.says == "triplets linked as its pattern says")
    of = {"subject_key": "acme", "period_end": "2024-12-31", "unit": "USD"}
    clue = Triplet("a", "c", "d", 0, 1, "s", "r", "o", "x", "table", object_key="figure 1", **of)
    answer = Triplet(
        "b", "c", "d", 0, 1, "s", "r", "o", "x", "table", object_key="figure 2",
        subject_key=subject, period_end=period_end, unit=unit,
    )  # fmt: skip
    judge = rule.judge({Triplet: to_table([clue, answer], Triplet)})
    assert judge("chain", ["a", "b"]) == fault
