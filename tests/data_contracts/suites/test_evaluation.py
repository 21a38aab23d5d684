import pytest

from rarefy.data_contracts.rows import Answer, Hits, Score, Trial
from rarefy.data_contracts.suites import SUITES
from rarefy.data_contracts.suites.evaluation import OF_EVALUATION

NOBODY = "0123456789abcdef"  # a well-formed name of nothing

# row type, rule, which rows to change, how, and what the message must show
BREACHES = [
    (Hits, "hits_id is unique", "twice", {}, ""),
    (Hits, "hits_id is 16 hexadecimal digits", 0, {"hits_id": "H"}, "H"),
    (Hits, "a ranking is one", 0, {"scores": (1.0, 0.5)}, "1 chunks with 2 scores"),
    (Hits, "a ranking is one", 0, {"chunk_ids": (NOBODY, NOBODY), "scores": (1.0, 0.5), "best": ()}, "found twice"),
    (Hits, "a ranking is one", 0, {"chunk_ids": ("a", "b"), "scores": (0.5, 1.0), "best": ()}, "rise"),
    (Hits, "a ranking is one", 0, {"best": (NOBODY,)}, "was not found"),
    (Hits, "question_id names a Question", 0, {"question_id": NOBODY}, f"'{NOBODY}' is no Question"),
    (Hits, "chunk_ids names a Chunk", 0, {"chunk_ids": (NOBODY,), "best": ()}, f"'{NOBODY}' is no Chunk"),
    (Trial, "trial_id is unique", "twice", {}, ""),
    (Trial, "trial_id is 16 hexadecimal digits", 0, {"trial_id": "T"}, "T"),
    (Trial, "protocol is a snake_case code or empty", 0, {"protocol": "RARE-Met"}, "'RARE-Met'"),
    (Trial, "skipped_because is a snake_case code or empty", 2, {"skipped_because": "No model"}, "'No model'"),
    (Trial, "k is at least 0", 0, {"k": -1}, "-1"),
    (Trial, "what is shown fits how it is given", 0, {"given": "guessed"}, "given 'guessed'"),
    (Trial, "what is shown fits how it is given", 1, {"ranks": ()}, "1 passages with 0 ranks"),
    (Trial, "what is shown fits how it is given", 1, {"given": "closed_book"}, "closed_book with 1 passages"),
    (Trial, "what is shown fits how it is given", 1, {"passage_ids": (), "ranks": ()}, "no passages"),
    (Trial, "gold is a share, or -1", 1, {"gold": 1.5}, "1.5"),
    (Trial, "question_id names a Question", 0, {"question_id": NOBODY}, f"'{NOBODY}' is no Question"),
    (Answer, "system, trial_id are unique together", "twice", {}, "mine"),
    (Answer, "asked_id is 16 hexadecimal digits", 0, {"asked_id": "A"}, "A"),
    (Answer, "error is a snake_case code or empty", 0, {"error": "HTTP 500"}, "'HTTP 500'"),
    (Answer, "gold is a share, or -1", 0, {"gold": -0.5}, "-0.5"),
    (Answer, "an error has its detail", 0, {"detail": " "}, "timeout without a word"),
    (Answer, "shown is at least 0", 0, {"shown": -1}, "-1"),
    (Answer, "prompt_tokens is at least 0", 0, {"prompt_tokens": -1}, "-1"),
    (Answer, "completion_tokens is at least 0", 0, {"completion_tokens": -1}, "-1"),
    (Answer, "calls is at least 0", 0, {"calls": -1}, "-1"),
    (Answer, "seconds is at least 0", 0, {"seconds": -1.0}, "-1"),
    (Answer, "cost is at least 0", 0, {"cost": -1.0}, "-1"),
    (Answer, "trial_id names a Trial", 0, {"trial_id": NOBODY}, f"'{NOBODY}' is no Trial"),
    (Score, "system, trial_id are unique together", "twice", {}, "mine"),
    (Score, "a score is one, or says why not", 0, {"status": "lost"}, "status 'lost'"),
    (Score, "a score is one, or says why not", 1, {"value": None}, "scored, with value None"),
    (Score, "a score is one, or says why not", 1, {"value": 1.2}, "scored, with value 1.2"),
    (Score, "a score is one, or says why not", 1, {"stage": ""}, "nobody says what decided"),
    (Score, "a score is one, or says why not", 0, {"value": 0.0}, "failed, with value 0.0"),
    (Score, "a score is one, or says why not", 0, {"why": ""}, "nobody says why"),
    (Score, "trial_id names a Trial", 0, {"trial_id": NOBODY}, f"'{NOBODY}' is no Trial"),
]


@pytest.mark.parametrize(("row_type", "rule", "where", "changes", "shown"), BREACHES)
def test_a_breach_is_caught_and_named(breach, row_type, rule, where, changes, shown):
    result, message = breach(row_type, rule, where, changes)
    assert not result.success and result.count >= 1
    assert shown in result.examples[0]
    assert "some stage" in message and rule in message and row_type.__name__ in message


@pytest.mark.parametrize("row_type", OF_EVALUATION, ids=lambda t: t.__name__)
def test_every_rule_has_a_breach(row_type):
    rules = [rule.says for rule in SUITES[row_type].rules]
    assert {rule for its_type, rule, *_ in BREACHES if its_type is row_type} == set(rules)
