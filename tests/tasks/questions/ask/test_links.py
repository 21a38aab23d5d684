"""Chains whose link leads to another document: the pivot is described by it, the answer is a fact of the other one."""

from collections.abc import Callable, Sequence
from typing import Any

import pytest

from rarefy.data_contracts.rows import Chunk, Document, Path, Triplet
from rarefy.tasks.questions.ask.index import CorpusIndex, build_index
from rarefy.tasks.questions.ask.patterns import Wording, chain, single

ACME, BOREAL = "Acme Robotics, Inc.", "Boreal Systems Corporation"
MEETING = "Federal Open Market Committee meeting of "
OPENING = (
    "A meeting of the Federal Open Market Committee was held on Tuesday, July 30, 2019, at 10:00 a.m. and continued on "
    "Wednesday, July 31, 2019, at 9:00 a.m."
)


def fact(name: str, subject: str, relation: str, thing: str, sentence: str, method: str, **more: Any) -> Triplet:
    return Triplet(name, name, name, 0, len(sentence), subject, relation, thing, sentence, method, **more)


def asked(
    writer: Callable[[Path, CorpusIndex], Wording], facts: Sequence[Triplet], others: Sequence[Triplet] = ()
) -> Wording:
    chunks, documents = {}, {}
    for row in (*facts, *others):
        text = OPENING if row.method == "reading" else row.source_sentence
        chunks[row.chunk_id] = Chunk(row.chunk_id, row.doc_id, 0, len(text), "text", "", text, 9)
        documents[row.doc_id] = Document(
            *(row.doc_id, "h", row.doc_id, "", "text/plain", text), entity=row.entity, fiscal_year=2024
        )
    index = build_index({row.triplet_id: row for row in (*facts, *others)}, chunks, documents)
    path = Path("p", "chain", tuple(row.triplet_id for row in facts), tuple(chunks), "")
    return writer(path, index)


def link(relation: str, sentence: str, back: bool = False, other: str = BOREAL, name: str = "l") -> Triplet:
    subject, thing = (other, ACME) if back else (ACME, other)
    kinds = {"subject_type": "ORG", "object_type": "ORG", "entity": ACME, "answer": "" if back else "Boreal Systems"}
    return fact(name, subject, relation, thing, sentence, "link", **kinds)


def revenue(entity: str) -> Triplet:
    return fact(
        *("r", entity, "revenue", "$47 (fiscal year 2024)", "| Revenue | $47 |", "table"),
        subject_type="ORG", object_type="MONEY", answer="$47", value="47000000", unit="USD", scale="millions",
        period="fiscal year 2024", period_start="2024-01-01", period_end="2024-12-31", entity=entity,
    )  # fmt: skip


SOLD = "Sales to Boreal Systems and its affiliates represent approximately 16% of our total sales in 2024."


@pytest.mark.parametrize(
    ("relation", "sentence", "back", "company"),
    [
        (
            *("has as a major customer", SOLD, False),
            "the company that accounted for approximately 16% of Acme Robotics' total sales in 2024",
        ),
        (
            *("is a major customer of", SOLD, True),
            "the company that got approximately 16% of its total sales in 2024 from Boreal Systems",
        ),
    ],
)
def test_a_company_is_described_by_what_a_filing_says_of_it(
    relation: str, sentence: str, back: bool, company: str
) -> None:
    row = link(relation, sentence, back)
    wording = asked(chain, [row, revenue(row.object)])
    assert company in wording.text
    assert BOREAL not in wording.text
    assert wording.answer == "$47"


def test_of_two_companies_none_is_the_one() -> None:
    row = link("has as a major customer", SOLD)
    other = link("has as a major customer", SOLD.replace("Boreal", "Carex"), other="Carex Corp.", name="m")
    assert asked(chain, [row, revenue(BOREAL)], [other]).rejected_because == "pivot_not_unique"


def test_a_link_alone_is_asked_where_its_description_is_a_question() -> None:
    asks = "Which company accounted for approximately 16% of Acme Robotics' total sales in 2024?"
    wording = asked(single, [link("has as a major customer", SOLD)])
    assert (wording.text, wording.answer) == (asks, "Boreal Systems")
    assert asked(single, [link("is located near", SOLD)]).rejected_because == "no_wording"


def test_who_voted_against_at_the_meeting_that_followed() -> None:
    next_one = "It was agreed that the next meeting of the Committee would be held on July 30-31, 2019."
    row = fact("l", f"{MEETING}June 18-19, 2019", "was followed by", f"{MEETING}July 30-31, 2019", next_one, "link")
    votes = fact(
        *("v", row.object, "was dissented from by", "Esther L. George", "Voting against this action: Esther L. George.",
        "reading"), object_type="TEXT", answer="Esther L. George",
    )  # fmt: skip
    assert asked(chain, [row, votes]).text == (
        "Who voted against the policy action at the Federal Open Market Committee meeting that followed that of "
        "June 18-19, 2019?"
    )
