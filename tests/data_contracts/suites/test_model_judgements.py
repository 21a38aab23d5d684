import pyarrow as pa
import pyarrow.compute as pc
import pytest

from rarefy.data_contracts.expectations import check_table
from rarefy.data_contracts.rows import Judgement, Probe, Question, Unanswered
from rarefy.data_contracts.suites import SUITES
from rarefy.data_contracts.suites.questions import _find_untried

NOBODY = "0123456789abcdef"  # a well-formed name of nothing

# row type, rule, which rows to change, how, and what the message must show
BREACHES = [
    (Probe, "probe_id is unique", "twice", {}, ""),
    (Probe, "probe_id is 16 hexadecimal digits", 0, {"probe_id": "P"}, "P"),
    (Probe, "question_id names a Question", 0, {"question_id": NOBODY}, f"'{NOBODY}' is no Question"),
    (Probe, "chunk_id names a Chunk", 0, {"chunk_id": NOBODY}, f"'{NOBODY}' is no Chunk"),
    (Probe, "the chunk is a gold chunk of its question", 0, {"chunk_id": NOBODY}, "is no gold chunk"),
    (Probe, "what is right has an answer and no error", 0, {"right": True, "answer": " "}, "right with answer ' '"),
    (Probe, "what is right has an answer and no error", 1, {"right": True, "error": "timeout"}, "error 'timeout'"),
    (Probe, "no accepted question is answered by one chunk", 1, {"right": True}, "alone answers it"),
    (Probe, "error is a snake_case code or empty", 0, {"error": "It failed"}, "'It failed'"),
    (
        Probe,
        "every accepted multi-hop question was tried on each chunk, once any was",
        "without first",
        {},
        "never asked with chunk",
    ),
    (
        Probe,
        "every accepted multi-hop question was tried on each chunk, once any was",
        0,
        {"error": "timeout"},
        "never asked with chunk",
    ),
    (Judgement, "judgement_id is unique", "twice", {}, ""),
    (Judgement, "judgement_id is 16 hexadecimal digits", 0, {"judgement_id": "J"}, "J"),
    (Judgement, "question_id names a Question", 0, {"question_id": NOBODY}, f"'{NOBODY}' is no Question"),
    (Judgement, "judge is first | second, or module:function", 0, {"judge": "Judy"}, "'Judy'"),
    (Judgement, "round is at least 0", 0, {"round": -1}, "-1"),
    (Judgement, "scores are 1 to 5, or 0 with an error", 0, {"clarity": 6}, "scores 5, 6, 5"),
    (Judgement, "scores are 1 to 5, or 0 with an error", 0, {"clarity": 0}, "scores 5, 0, 5"),
    (Judgement, "scores are 1 to 5, or 0 with an error", 0, {"error": "refused"}, "with error 'refused'"),
    (Judgement, "use lies in 0..5", 0, {"use": 6}, "use 6"),
    (Judgement, "error is a snake_case code or empty", 0, {"error": "No!"}, "'No!'"),
    (Judgement, "a judge judges a question once a round", "again", {"judgement_id": NOBODY}, "first judge in round 0"),
    (
        Judgement,
        "every accepted question but absences was judged, once any was",
        "without first",
        {},
        "accepted and not judged",
    ),
    (Unanswered, "unanswered_id is unique", "twice", {}, ""),
    (Unanswered, "unanswered_id is 16 hexadecimal digits", 0, {"unanswered_id": "U"}, "U"),
    (Unanswered, "stage is not blank", 0, {"stage": ""}, "''"),
    (Unanswered, "about is not blank", 0, {"about": " "}, "' '"),
    (Unanswered, "reason is not blank", 0, {"reason": ""}, "''"),
    (Unanswered, "reason is a snake_case code or empty", 0, {"reason": "Because"}, "'Because'"),
]


@pytest.mark.parametrize(("row_type", "rule", "where", "changes", "shown"), BREACHES)
def test_a_breach_is_caught_and_named(breach, row_type, rule, where, changes, shown):
    result, message = breach(row_type, rule, where, changes)
    assert not result.success and result.count >= 1
    assert shown in result.examples[0]
    assert "some stage" in message and rule in message and row_type.__name__ in message


@pytest.mark.parametrize("row_type", [Probe, Judgement, Unanswered])
def test_every_rule_has_a_breach(row_type):
    rules = [rule.says for rule in SUITES[row_type].rules]
    assert len(set(rules)) == len(rules)
    assert {rule for its_type, rule, *_ in BREACHES if its_type is row_type} == set(rules)


@pytest.mark.parametrize("row_type", [Probe, Judgement, Unanswered])
def test_a_build_without_models_has_none_of_it_and_that_is_no_breach(tables, row_type):
    assert not check_table("probe", row_type, tables[row_type].slice(0, 0), tables).broken


def test_what_is_computed_from_several_chunks_is_tried_on_none(tables):
    rows = tables[Question].to_pylist()
    untried = next(row for row in rows if len(row["chunk_ids"]) > 1 and not row["rejected_because"])
    left = tables[Probe].filter(pc.not_equal(tables[Probe]["question_id"], untried["question_id"]))
    for pattern, wanted in ((untried["pattern"], True), ("comparison", False)):
        changed = [{**row, "pattern": pattern} if row == untried else row for row in rows]
        known = {**tables, Question: pa.Table.from_pylist(changed, tables[Question].schema)}
        assert [name for name, _ in _find_untried(left, known)] == [untried["question_id"]] * wanted
