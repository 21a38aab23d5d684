import pytest

from rarefy.data_contracts.rows import Merge, Triplet, row_id
from rarefy.data_contracts.suites import SUITES

NOBODY = "0123456789abcdef"  # a well-formed name of nothing

# row type, rule, which rows to change, how, and what the message must show
BREACHES = [
    (Triplet, "triplet_id is unique", "twice", {}, ""),
    (Triplet, "triplet_id is 16 hexadecimal digits", 0, {"triplet_id": "T1"}, "T1"),
    (Triplet, "chunk_id names a Chunk", 0, {"chunk_id": NOBODY}, f"'{NOBODY}' is no Chunk"),
    (Triplet, "doc_id is its chunk's", 0, {"doc_id": "bolt-2024"}, "'bolt-2024'"),
    (Triplet, "source sentence verbatim in its chunk", 0, {"source_sentence": "Never said."}, "'Never said.'"),
    (Triplet, "source sentence verbatim in its chunk", 0, {"end": 999}, "999)"),
    (Triplet, "group verbatim in its chunk", 0, {"group": "Costs:", "group_end": 6}, "'Costs:'"),
    (Triplet, "header verbatim in its chunk", 0, {"header": "Year", "header_start": 0, "header_end": 4}, "'Year'"),
    (Triplet, "header verbatim in its chunk", 0, {"header_start": 3, "header_end": 2}, "[3, 2)"),
    (Triplet, "answer verbatim in its source sentence", 0, {"answer": "Granite LLP"}, "'Granite LLP'"),
    (Triplet, "subject, relation, object not blank unless rejected", 0, {"relation": " "}, "relation blank"),
    (
        Triplet,
        "method is table | cover | deadline | reading | prose | model | link | owner, or module:function",
        0,
        {"method": "guess"},
        "'guess'",
    ),
    (Triplet, "value is a plain number, an ISO day or empty", 0, {"value": "$12 million"}, "'$12 million'"),
    (Triplet, "period_start, period_end are days", 0, {"period_end": "FY24"}, "'FY24'"),
    (Triplet, "valid_from, valid_to are days", 0, {"valid_from": "2024"}, "valid_from '2024'"),
    (Triplet, "what is superseded says by what and when, nothing else does", 0, {"valid_to": "2025-01-31"}, "''"),
    (
        Triplet,
        "what is superseded says by what and when, nothing else does",
        7,
        {"rejected_because": "superseded", "superseded_by": NOBODY},
        "valid_to ''",
    ),
    (
        Triplet,
        "what is superseded says by what and when, nothing else does",
        7,
        {
            "rejected_because": "superseded",
            "superseded_by": NOBODY,
            "valid_from": "2025-02-01",
            "valid_to": "2025-01-31",
        },
        "is before valid_from 2025-02-01",
    ),
    (Triplet, "what supersedes a fact is a Triplet that stood", 7, {"superseded_by": NOBODY}, "no Triplet"),
    (
        Triplet,
        "what supersedes a fact is a Triplet that stood",
        7,
        {"superseded_by": row_id("rejected")},
        "'sentence_not_in_chunk'",
    ),
    (Triplet, "domain is not blank", 0, {"domain": ""}, "''"),
    (Triplet, "rejected_because is a snake_case code or empty", 7, {"rejected_because": "Not found!"}, "'Not found!'"),
    (Triplet, "every accepted triplet has its keys, once any has", 0, {"object_key": ""}, "object_key is empty"),
    (Merge, "merge_id is unique", "twice", {}, row_id("a")),
    (Merge, "merge_id is 16 hexadecimal digits", 0, {"merge_id": ""}, ""),
    (Merge, "kind is relation | entity, or module:function", 0, {"kind": "person"}, "'person'"),
    (Merge, "name is not blank", 0, {"name": ""}, "''"),
    (Merge, "canonical is not blank", 0, {"canonical": ""}, "''"),
    (Merge, "evidence is not blank", 0, {"evidence": ""}, "''"),
    (Merge, "two different names", 0, {"name": "Acme Inc."}, "'Acme Inc.' merged with itself"),
]


@pytest.mark.parametrize(("row_type", "rule", "where", "changes", "shown"), BREACHES)
def test_a_breach_is_caught_and_named(breach, row_type, rule, where, changes, shown):
    result, message = breach(row_type, rule, where, changes)
    assert not result.success and result.count >= 1
    assert shown in result.examples[0]
    assert "some stage" in message and rule in message and row_type.__name__ in message


@pytest.mark.parametrize("row_type", [Triplet, Merge])
def test_every_rule_has_a_breach(row_type):
    rules = [rule.says for rule in SUITES[row_type].rules]
    assert len(set(rules)) == len(rules)
    assert {rule for its_type, rule, *_ in BREACHES if its_type is row_type} == set(rules)
