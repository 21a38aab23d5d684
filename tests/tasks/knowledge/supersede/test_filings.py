"""Filings from the page to the question: the newest figure is asked for, and nothing else is right."""

from pathlib import Path

import numpy as np
import pytest
from larkfield import report

from rarefy.data_contracts.rows import PATTERNS, Document, Question, Triplet
from rarefy.flows.engine.stages import flag
from rarefy.tasks.corpus import chunk
from rarefy.tasks.corpus.read import ReadConfig, read_corpus
from rarefy.tasks.corpus.read.duplicates import DuplicatesConfig
from rarefy.tasks.knowledge import extract, graph, normalise, supersede
from rarefy.tasks.questions import ask, gates

FILED = [
    ("Net sales", ("$ 4,060", "$ 3,950")),
    ("Operating income", ("512", "480")),
]
AMENDED = [
    ("Net sales", ("$ 4,080", "$ 3,950")),
    ("Operating income", ("472", "480")),
]
NEXT = [("Net sales", ("$ 4,510", "$ 4,064")), ("Operating income", ("560", "472"))]
LONG = " ".join(
    f"The drive of model {n} is made in plant {n * 7 % 13} and sold to makers of elevators in region {n * 11 % 17}."
    for n in range(300)
)


def made(corpus: Path) -> tuple[list[Document], dict[str, Triplet], list[Question]]:
    """The documents, the facts and the judged questions of a folder."""
    documents = [row for row in read_corpus(corpus, ReadConfig()) if isinstance(row, Document)]
    chunks = {row.chunk_id: row for row in chunk.chunk(documents, chunk.ChunkConfig())}
    documents = list(flag(documents, DuplicatesConfig()))
    homes = {row.doc_id: row for row in documents}
    config = extract.ExtractConfig(methods=("cover", "tables", "officers"))
    found = list(extract.extract(chunks.values(), config, documents=homes))
    embed = lambda texts: np.eye(len(texts), 8, dtype=np.float32)  # noqa: E731  (nothing here is compared by meaning)
    named = normalise.normalise(found, normalise.NormaliseConfig(), embed=embed, documents=homes)
    rows = [row for row in named if isinstance(row, Triplet)]
    facts = {row.triplet_id: row for row in supersede.supersede(rows, supersede.SupersedeConfig(), documents=homes)}
    paths = list(graph.trace(facts.values(), graph.GraphConfig()))
    asked = ask.ask(paths, ask.AskConfig(), triplets=facts, chunks=chunks, documents=homes)
    return documents, facts, list(gates.judge(asked, gates.GatesConfig(), chunks=chunks, triplets=facts))


def closed(facts: dict[str, Triplet]) -> set[tuple[str, str, str, str]]:
    """(document, what, its answer, the answer that superseded it) of figures and of who is chief executive."""
    return {
        (row.doc_id, row.relation, row.answer, facts[row.superseded_by].answer)
        for row in facts.values()
        if row.superseded_by and (row.value or "officer" in row.relation)
    }


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    (tmp_path / "a.html").write_text(report("10-K", 2023, FILED, "20240215"))
    (tmp_path / "b.html").write_text(report("10-K/A", 2023, AMENDED, "20240620"))
    (tmp_path / "c.html").write_text(report("10-K", 2024, NEXT, "20250214", "Jonas Pell", "Akron"))
    return tmp_path


def test_figures_amended_and_restated_are_superseded_and_so_is_the_officer_who_left(corpus: Path) -> None:
    _, facts, questions = made(corpus)
    office = "chief executive officer of"
    assert closed(facts) == {
        ("a.html", "net sales", "$4,060", "$4,080"),
        ("b.html", "net sales", "$4,080", "$4,064"),
        ("a.html", "Operating income", "512", "472"),
        ("a.html", office, "Mara Voss", "Jonas Pell"),
        ("b.html", office, "Mara Voss", "Jonas Pell"),
    }
    asked = [question for question in questions if not question.rejected_because]
    assert asked and not [question for question in questions if question.rejected_because == "several_answers"]
    for question in asked:
        assert not any(facts[name].rejected_because for name in question.triplet_ids)
        assert "Mara Voss" not in question.text and "Dayton" not in question.text
        told = {question.answer, *question.aliases}
        if question.pattern not in PATTERNS:
            continue  # what is computed, or is absent, is computed from the facts that stand
        if "net sales" in question.text and "2023" in question.text:
            assert question.answer == "$4,064" and not told & {"$4,060", "4,060", "$4.06 billion", "4,060 million"}
        if "perating income" in question.text and "2023" in question.text:
            assert question.answer == "472" and "512" not in told
    assert any("net sales" in question.text and question.answer == "$4,064" for question in asked)


def test_without_dates_the_periods_and_forms_tell_which_is_later(tmp_path: Path) -> None:
    (tmp_path / "a.html").write_text(report("10-K", 2023, FILED))
    (tmp_path / "b.html").write_text(report("10-K/A", 2023, AMENDED))
    (tmp_path / "c.html").write_text(report("10-K", 2024, NEXT, chief="Jonas Pell"))
    documents, facts, _ = made(tmp_path)
    assert [row.as_of for row in documents] == ["", "", ""]
    assert ("a.html", "net sales", "$4,060", "$4,080") in closed(facts)
    assert ("b.html", "net sales", "$4,080", "$4,064") in closed(facts)
    (old,) = (row for row in facts.values() if row.doc_id == "b.html" and row.answer == "$4,080")
    assert (old.valid_from, old.valid_to) == ("2023-12-31", "2024-12-31")


def test_two_that_nothing_tells_apart_are_asked_about_by_nobody(tmp_path: Path) -> None:
    (tmp_path / "a.html").write_text(report("10-K", 2023, FILED, "20240215"))
    (tmp_path / "b.html").write_text(report("10-K", 2023, AMENDED, "20240215"))
    _, facts, questions = made(tmp_path)
    assert not closed(facts)
    doubtful = [q for q in questions if "2023" in q.text and ("sales" in q.text or "income" in q.text)]
    assert doubtful and {question.rejected_because for question in doubtful} == {"several_answers"}


def test_of_a_report_and_its_amended_form_in_full_the_report_is_the_copy(tmp_path: Path) -> None:
    (tmp_path / "a.html").write_text(report("10-K", 2023, FILED, "20240215", more=LONG))
    (tmp_path / "b.html").write_text(report("10-K/A", 2023, AMENDED, "20240620", more=LONG))
    documents, facts, questions = made(tmp_path)
    assert [row.duplicate_of for row in documents] == ["b.html", ""]
    assert closed(facts) == {
        ("a.html", "net sales", "$4,060", "$4,080"),
        ("a.html", "Operating income", "512", "472"),
    }
    asked = {question.answer for question in questions if not question.rejected_because}
    assert asked & {"$4,080", "472"} and not asked & {"$4,060", "512"}
