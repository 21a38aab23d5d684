"""What could be taken for an answer is of another thing, of the same kind, in like words."""

import pytest

from rarefy.data_contracts.rows import Triplet, row_id
from rarefy.tasks.questions.rivals import Rivals, describe


def fact(subject: str, relation: str, thing: str, kind: str = "NAME", method: str = "model") -> Triplet:
    return Triplet(
        *(row_id(subject, relation, thing), "c", "d", 0, 1, subject, relation, thing, "s", method, "ORG", kind),
        subject_key=subject,
        relation_key=relation,
        object_key=thing,
    )


TERM = fact("Works Council", "member is elected to", "2-year term", "DURATION")


@pytest.mark.parametrize(
    ("other", "found"),
    [
        (fact("Audit Board", "serves terms of", "one-year terms", "DURATION"), True),
        (fact("Youth Forum", "has term length", "no term length"), True),
        (fact("first Works Council", "serves terms of", "one-year terms", "DURATION"), False),
        (fact("Audit Board", "answers within", "two years", "DURATION"), False),
        (fact("Audit Board", "ends term with", "Annual Meeting"), False),
        (fact("Audit Board", "serves terms of", "one-year terms", "DURATION", "table"), False),
    ],
)
def test_a_rival_says_another_value_of_another_thing_in_like_words(other: Triplet, found: bool) -> None:
    assert [describe(one) for one in Rivals([TERM, other]).find(TERM, 3)] == ([describe(other)] if found else [])


def test_who_did_it_is_another_question_than_when() -> None:
    dissolved = fact("Works Council", "is dissolved by", "Staff Assembly")
    others = [fact("Audit Board", "was dissolved at", "Annual Meeting"), fact("Forum", "is dissolved by", "Mayor")]
    assert list(Rivals(others).find(dissolved, 3)) == others[1:]
    assert not Rivals(others).find(dissolved, 0)
