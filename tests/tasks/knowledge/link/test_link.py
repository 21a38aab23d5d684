"""Links between documents: named by the other record's own name, read from sure sentences, silent elsewhere."""

from collections.abc import Mapping
from dataclasses import replace

import pytest

from rarefy.data_contracts.rows import Block, Chunk, Document, Triplet
from rarefy.tasks.corpus.chunk import ChunkConfig, chunk
from rarefy.tasks.knowledge.extract import ExtractConfig, extract
from rarefy.tasks.knowledge.link import LinkConfig, link
from rarefy.tasks.knowledge.link.companies import possible_names

ACME, BOREAL = "Acme Robotics, Inc.", "Boreal Systems Corporation"
JUNE = (
    "A joint meeting of the Federal Open Market Committee and the Board of Governors was held on Tuesday, June 18, "
    "2019, at 10:00 a.m. and continued on Wednesday, June 19, 2019, at 9:00 a.m.\n\n"
    "Voting against this action: James Bullard.\n\n"
    "It was agreed that the next meeting of the Committee would be held on Tuesday–Wednesday, July 30–31, 2019."
)
JULY = (
    "A joint meeting of the Federal Open Market Committee and the Board of Governors was held on Tuesday, July 30, "
    "2019, at 10:00 a.m. and continued on Wednesday, July 31, 2019, at 9:00 a.m.\n\n"
    "By notation vote completed on July 9, 2019, the Committee unanimously approved the minutes of the Committee "
    "meeting held on June 18–19, 2019.\n\n"
    "Voting against this action: Esther L. George and Eric Rosengren."
)


def filing(name: str, text: str, entity: str) -> Document:
    return Document(
        *(name, "h", name, f"{entity}, Form 10-K", "text/html", text),
        *((), (), (), entity, "finance", "10-K", 2024),
    )


def record(name: str, text: str, entity: str, domain: str) -> Document:
    return Document(*(name, "h", name, entity, "text/plain", text), entity=entity, domain=domain)


def links(*documents: Document) -> list[Triplet]:
    chunks: Mapping[str, Chunk] = {row.chunk_id: row for row in chunk(documents, ChunkConfig())}
    held = {row.doc_id: row for row in documents}
    methods = ExtractConfig(methods=("readings",))
    facts = [row for row in extract(chunks.values(), methods, documents=held) if isinstance(row, Triplet)]
    rows = list(link(facts, LinkConfig(), chunks=chunks, documents=held))
    assert rows[: len(facts)] == facts
    found = [row for row in rows if row.method == "link"]
    for row in found:
        assert chunks[row.chunk_id].text[row.start : row.end] == row.source_sentence
        assert row.answer in row.source_sentence
    return found


def said(rows: list[Triplet]) -> set[tuple[str, str, str]]:
    return {(row.subject, row.relation, row.object) for row in rows}


def of_acme(sentence: str) -> set[tuple[str, str, str]]:
    return said(links(filing("a", sentence, ACME), filing("b", "We make drives.", BOREAL)))


def test_a_meeting_is_linked_to_the_next_and_to_the_one_whose_minutes_it_approved() -> None:
    name = "Federal Open Market Committee meeting of "
    rows = links(*(record(text[-20:], text, "Federal Open Market Committee", "economics") for text in (JUNE, JULY)))
    assert said(rows) == {
        (f"{name}June 18-19, 2019", "was followed by", f"{name}July 30-31, 2019"),
        (f"{name}July 30-31, 2019", "approved minutes of", f"{name}June 18-19, 2019"),
    }
    june, july, call = (
        record(name, text, "Federal Open Market Committee", "economics")
        for name, text in (("june", JUNE), ("july", JULY), ("call", "The Committee met on July 2."))
    )
    assert not links(june)
    call = replace(call, period_end="2019-07-02")
    assert {row.relation for row in links(june, july, call)} == {"approved minutes of"}


@pytest.mark.parametrize(
    ("sentence", "relation"),
    [
        ("Sales to Boreal Systems Corporation represent approximately 16% of our total sales in 2024.", "customer"),
        ("We entered into an exclusive license agreement with Boreal Systems Corporation.", "has an agreement with"),
    ],
)
def test_a_cue_says_what_another_filer_is_to_this_one(sentence: str, relation: str) -> None:
    found = of_acme(sentence)
    assert [fact for fact in found if fact[0] == ACME and relation in fact[1] and fact[2] == BOREAL]
    assert [fact for fact in found if fact[0] == BOREAL and fact[2] == ACME]


@pytest.mark.parametrize(
    "sentence",
    [
        "We compare ourselves with Boreal Systems Corporation.",
        "We entered into a license agreement with Nordwerk, Boreal Systems, and Tessera Corporation.",
        "We have a supply agreement with Boreal Systems Robotics Holding.",
        "Acme Robotics, Inc. has a supply agreement with Acme Robotics, Inc.",
    ],
)
def test_no_cue_a_list_or_another_name_is_no_link(sentence: str) -> None:
    assert not of_acme(sentence)


def test_an_officer_is_linked_to_the_company_of_an_earlier_career() -> None:
    text = (
        "Information About Our Executive Officers\n\nDana R. Moor joined us in 2013. From 2004 to 2010 Ms. Moor held a "
        "variety of positions at Boreal Systems, a software company."
    )
    blocks = (Block("heading", 0, 40), Block("text", 42, len(text), "Information About Our Executive Officers"))
    other = filing("b", "We make drives.", BOREAL)
    assert said(links(replace(filing("a", text, ACME), blocks=blocks), other)) == {
        ("Dana R. Moor", "formerly worked at", BOREAL),
        (BOREAL, "formerly employed an officer of", ACME),
    }
    assert not links(filing("a", text, ACME), other)  # whose career that is is not said


def test_a_common_word_is_no_name() -> None:
    target = "Target Corporation"
    of_target = filing("b", "We sell things.", target)
    assert not links(filing("a", "We have a supply agreement with Target. Our target is growth.", ACME), of_target)
    assert links(
        filing("a", "We have a supply agreement with Target Corporation. Our target is growth.", ACME), of_target
    )


def test_a_repeated_document_is_linked_to_nothing() -> None:
    sentence = "We have a supply agreement with Boreal Systems Corporation."
    copy = replace(filing("a", sentence, ACME), duplicate_of="c")
    assert not links(copy, filing("b", "We make drives.", BOREAL))


def test_short_names_of_a_company() -> None:
    assert "IBM" in possible_names("International Business Machines Corporation")
    assert "P&G" in possible_names("The Procter & Gamble Company")
    assert "Amazon" in possible_names("Amazon.com, Inc.")
