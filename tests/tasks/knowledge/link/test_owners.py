"""What is said of what belongs to a named thing is said of that thing."""

import pytest

from rarefy.data_contracts.rows import Triplet, row_id
from rarefy.tasks.knowledge.link.linked import Corpus
from rarefy.tasks.knowledge.link.owners import link_owners

NAMED = [("Works Council", "is part of", "Larkfield Group"), ("Travel Guide", "is kept by", "Works Council")]


def owned(*facts: tuple[str, str, str], sentence: str = "") -> set[tuple[str, str, str]]:
    rows = [
        Triplet(row_id(*fact), "c", "d", at, at + 1, *fact, sentence or " ".join(fact), "model", "NAME", "NAME")
        for at, fact in enumerate((*NAMED, *facts))
    ]
    found = list(link_owners(Corpus((), {}, tuple(rows), {})))
    assert all(row.method == "owner" and row.answer in row.source_sentence for row in found)
    return {(row.subject, row.relation, row.object) for row in found}


@pytest.mark.parametrize("subject", ["Works Council member", "member of the Works Council", "WC member"])
def test_a_fact_of_a_member_is_one_of_its_council(subject: str) -> None:
    assert owned((subject, "is elected for", "4 years")) == {("Works Council", "member is elected for", "4 years")}


def test_who_elects_its_members_elects_them_of_that_council() -> None:
    found = owned(("Staff Assembly", "elects", "members of the Works Council"))
    assert found == {("Staff Assembly", "elects members of", "Works Council")}


@pytest.mark.parametrize(
    "subject", ["Works Council", "Works Council Secretariat", "Works Council elected in May", "travel guide reader"]
)
def test_a_name_a_condition_and_a_common_thing_are_no_parts(subject: str) -> None:
    assert not owned((subject, "meets in", "June"))


@pytest.mark.parametrize("kind", ["USB-C", "ERC-20"])
def test_what_a_name_stands_before_as_a_kind_is_none_of_its_things(kind: str) -> None:
    given = (kind, "is used by", "Larkfield Group")
    assert not owned(given, (f"{kind} port", "draws power from", "battery"))
    assert owned(given, (f"port of the {kind}", "draws power from", "battery"))
