"""What a build tells of its questions."""

from dataclasses import replace

from rarefy.data_contracts.rows import Chunk, Question, Span
from rarefy.data_contracts.tables import to_table
from rarefy.flows.reports.build_report import evidence_lines, find_homes
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
