import pytest

from rarefy.data_contracts.rows import KINDS, Question, Span, row_id
from rarefy.data_contracts.suites import SUITES

NOBODY = "0123456789abcdef"  # a well-formed name of nothing

# row type, rule, which rows to change, how, and what the message must show
BREACHES = [
    (Question, "question_id is unique", "twice", {}, ""),
    (Question, "question_id is 16 hexadecimal digits", 0, {"question_id": "Q1"}, "Q1"),
    (
        Question,
        f"pattern is {' | '.join(KINDS)}, or module:function",
        0,
        {"pattern": "loop"},
        "'loop'",
    ),
    (Question, "path_id names a Path", 0, {"path_id": NOBODY}, f"'{NOBODY}' is no Path"),
    (Question, "triplet_ids names a Triplet", 0, {"triplet_ids": lambda ids: (*ids, NOBODY)}, "is no Triplet"),
    (Question, "chunk_ids names a Chunk", 0, {"chunk_ids": lambda ids: (*ids, NOBODY)}, "is no Chunk"),
    (Question, "alternatives names a Chunk", 0, {"alternatives": ((NOBODY,),)}, "is no Chunk"),
    (
        Question,
        "alternatives to each gold chunk, or to none",
        0,
        {"alternatives": ((), ())},
        "2 lists of alternatives to 1 chunks",
    ),
    (Question, "parts names a Chunk", 0, {"parts": lambda _: ((NOBODY,),)}, "is no Chunk"),
    (Question, "a part begins with its gold chunk", 0, {"parts": lambda _: ((NOBODY,),)}, "begins with no gold chunk"),
    (Question, "its path's pattern and triplets", 0, {"pattern": "star"}, "a star question on a single path"),
    (Question, "its path's pattern and triplets", 2, {"triplet_ids": lambda ids: ids[1:]}, "is not in the question's"),
    (Question, "evidence verbatim in its chunks", 0, {"evidence": ("Never said.",)}, "'Never said.'"),
    (Question, "evidence verbatim in its chunks", 0, {"evidence": ()}, "0 sentences, 1 spans"),
    (
        Question,
        "a place for each evidence, or for none",
        0,
        {"evidence_places": ("page 1", "page 2")},
        "1 sentences, 2 places",
    ),
    (
        Question,
        "evidence verbatim in its chunks",
        0,
        {"evidence_spans": (Span(NOBODY, 0, 3),)},
        f"chunk {NOBODY}, not among",
    ),
    (
        Question,
        "accepted questions rest on accepted triplets",
        0,
        {"triplet_ids": lambda ids: (*ids, row_id("rejected"))},
        "sentence_not_in_chunk",
    ),
    (
        Question,
        "accepted questions have evidence, absences have none",
        0,
        {"evidence": (), "evidence_spans": ()},
        "0 sentences of evidence",
    ),
    (
        Question,
        "alternatives to each gold chunk, or to none",
        0,
        {"alternatives": ((), (), ())},
        "3 lists of alternatives",
    ),
    (Question, "alternatives names a Chunk", 0, {"alternatives": ((NOBODY,),)}, "is no Chunk"),
    (Question, "answers are computed where their kind says so", 0, {"arithmetic": "difference"}, "single"),
    (Question, "a chance among things that are named", 0, {"chance": 0.5}, "a single with a chance of 0.5"),
    (Question, "a chance among things that are named", 0, {"chance": 0.75}, "outside of 0 to 1/2"),
    (
        Question,
        "accepted questions have evidence, absences have none",
        0,
        {"pattern": "absent"},
        "yet it has gold chunks",
    ),
    (Question, "a listing alone has members", 0, {"members": ("Apple", "Meta")}, "with members ['Apple', 'Meta']"),
    (Question, "a listing alone has members", 0, {"pattern": "listing"}, "a listing with members []"),
    (Question, "text, answer not blank unless rejected", 0, {"answer": ""}, "answer blank"),
    (Question, "domain is not blank", 0, {"domain": ""}, "''"),
    (Question, "valid_from are days", 0, {"valid_from": "31.12.2024"}, "'31.12.2024'"),
    (Question, "split is train, test or empty", 0, {"split": "dev"}, "'dev'"),
    (Question, "rejected questions are in no split", 5, {"split": "test"}, "yet in 'test'"),
    (Question, "rejected_because is a snake_case code or empty", 5, {"rejected_because": "It is bad"}, "'It is bad'"),
]


@pytest.mark.parametrize(("row_type", "rule", "where", "changes", "shown"), BREACHES)
def test_a_breach_is_caught_and_named(breach, row_type, rule, where, changes, shown):
    result, message = breach(row_type, rule, where, changes)
    assert not result.success and result.count >= 1
    assert shown in result.examples[0]
    assert "some stage" in message and rule in message and row_type.__name__ in message


@pytest.mark.parametrize("row_type", [Question])
def test_every_rule_has_a_breach(row_type):
    rules = [rule.says for rule in SUITES[row_type].rules]
    assert len(set(rules)) == len(rules)
    assert {rule for its_type, rule, *_ in BREACHES if its_type is row_type} == set(rules)
