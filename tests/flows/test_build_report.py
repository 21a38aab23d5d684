"""What a build tells of its questions."""

from dataclasses import replace

from rarefy.data_contracts.rows import Chunk, Document, Question, Span, Triplet
from rarefy.data_contracts.tables import to_table
from rarefy.flows.engine.stages import CensusRow
from rarefy.flows.reports.build_report import (
    WithoutQuestion,
    brief_census,
    census_records,
    describe_variants,
    evidence_lines,
    find_homes,
    find_without_question,
)
from rarefy.tasks.export.statistics import Tally
from rarefy.tasks.store.tables import Store

SPANS = (Span("c", 0, 9), Span("c", 10, 18))
QUESTION = Question("q", "p", "single", "What?", "5", (), ("t",), ("c",), ("The head.", "It is 5."), SPANS)
PLACED = replace(QUESTION, evidence_places=("", "page 3"))


def test_evidence_says_its_document_and_place_where_it_has_one(tmp_path):
    store = Store(tmp_path)
    chunks = store.keep(to_table([Chunk("c", "a.pdf", 0, 18, "text", "", "The head. It is 5.", 6)], Chunk))
    assert list(evidence_lines(PLACED, find_homes(store, chunks, [QUESTION, PLACED]))) == [
        "The head.",
        "It is 5. (a.pdf, page 3)",
    ]
    assert find_homes(store, "not asked for", [QUESTION]) == {}
    assert list(evidence_lines(QUESTION, {})) == ["The head.", "It is 5."]


def test_documents_without_a_question_are_told_with_what_would_help(tmp_path):
    """One was asked about, one states the same, one is a copy; of the rest one has figures that nobody owns."""
    store, names = Store(tmp_path), ("asked", "same", "copy", "sales.csv", "prose")
    documents = [Document(name, name, name, "", "text/plain", "") for name in names]
    documents[2] = replace(documents[2], duplicate_of="asked")
    chunks = [Chunk(name[0], name, 0, 1, "text", "", "x", 1) for name in ("asked", "same")]
    asked = replace(QUESTION, chunk_ids=("a",), alternatives=(("s",),))
    turned_down = replace(QUESTION, question_id="r", chunk_ids=("c",), rejected_because="cover_fact")
    fact = Triplet("t", "c", "sales.csv", 0, 1, "", "sales", "5", "x", "table", rejected_because="no_subject")
    rows = {
        "documents": (documents, Document),
        "chunks": (chunks, Chunk),
        "questions": ([asked, turned_down], Question),
        "triplets": ([fact], Triplet),
    }
    tables = {kind: store.keep(to_table(some, row_type)) for kind, (some, row_type) in rows.items()}
    count, unread, turned_down, nameless, way = find_without_question(store, tables, by_rules=True).describe("b")
    assert count == "2 of 5 documents gave no question: prose, sales.csv"
    assert unread.startswith("1 of them have no sentence and no table that the rules read") and unread.endswith("prose")
    assert turned_down.startswith("What was turned down of sales.csv, and") and "b/triplets.jsonl" in turned_down
    assert turned_down.endswith("docs/reasons.md says what each reason means")
    assert (
        nameless.startswith("1 of them")
        and "sales.csv; give them a title (" in nameless
        and "set [read] entity" in nameless
    )
    assert "[llm]" in way and "docs/models.md" in way
    assert len(list(find_without_question(store, tables, by_rules=False).describe("b"))) == 4
    unread = WithoutQuestion(("a", "b", "c", "d"), 5, ("a", "b", "c", "d"), (), by_rules=True)
    (first, _) = unread.describe("b")  # the same documents are named once, and one is not hidden behind a number
    assert first.endswith("gave no question, having no sentence and no table that the rules read: a, b, c, d")
    everything = replace(find_without_question(store, tables, by_rules=True), documents=())
    assert list(everything.describe("b")) == []


def test_a_terminal_is_told_of_the_patterns_that_there_are():
    row = CensusRow("inverted_star", "default", "0", 0, 0, "no_more_eligible", 0, False)
    single = replace(row, pattern="single", eligible="57", sampled=57)
    assert brief_census([row, single]) == [{"pattern": "single", "allowed": "57", "taken": "57"}]
    star = replace(row, eligible="49", quota=20, sampled=20, reason="", crossing=3, domain="law")
    records = brief_census([single, star])
    assert [*records[0]] == ["pattern", "domain", "allowed", "taken", "of several documents", "why no more"]
    assert records[1]["pattern"] == "inverted star" and records[1]["why no more"] == "quota of 20"
    assert brief_census([row]) == []


def test_variants_are_one_line():
    found = Tally()
    found.add([
        ("q1", "query", "character", "", "surface", ""),
        ("q1", "query", "irrelevant_detail", "", "advanced", "no_candidate"),
    ])  # fmt: skip
    assert describe_variants(found).startswith("Variants: of 1 kinds; none of irrelevant detail (--verbose")


def test_a_quota_is_shown_where_it_was_the_reason():
    row = CensusRow("star", "default", "49", 0, 49, "no_more_eligible", 3, False)
    full = replace(row, quota=49, reason="")
    (few, many) = census_records([replace(row, quota=8_000), full])
    assert "8,000" not in str(few) and few["why no more"] == "no more eligible"
    assert many["why no more"] == "quota of 49"
