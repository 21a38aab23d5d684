"""Questions are worked on by document, so that an edit touches those about it."""

from dataclasses import replace

import pytest

from rarefy.data_contracts.rows import Chunk, Pool, Question
from rarefy.data_contracts.tables import from_table, to_table
from rarefy.flows.engine.batches import batch_questions
from rarefy.tasks.store.tables import Store

CHUNKS = [Chunk(f"{doc}{n}", doc, 0, 4, "text", "", f"{doc}{n}", 1) for doc in "ab" for n in range(3)]


def question(name: str, *chunk_ids: str, **more: object) -> Question:
    return Question(name, "p", "single", "?", "a", (), (), chunk_ids, (), (), **more)  # type: ignore[arg-type]


QUESTIONS = [
    question("1", "a0"),
    question("2", "a1", "b2"),
    question("3", "b0"),
    question("4", "b1", rejected_because="no"),
]


POOLS = [
    Pool("p1", "1", ("a1",), ("b2",), ()),
    Pool("p2", "2", ("a0", "b1"), (), ()),
    Pool("p3", "3", ("b1",), ("a0",), ()),
]


@pytest.fixture
def groups(tmp_path):
    store = Store(tmp_path)

    def of(questions: list[Question], chunks: list[Chunk] = CHUNKS, pools: list[Pool] = POOLS):
        tables = ((questions, Question), (chunks, Chunk), (pools, Pool))
        return store, batch_questions(store, *(store.keep(to_table(rows, row_type)) for rows, row_type in tables))

    return of


def test_each_accepted_question_is_in_one_group_with_its_pool_and_all_their_chunks(groups):
    store, found = groups(QUESTIONS)
    held = [[row.question_id for row in from_table(store.table(group.questions), Question)] for group in found]
    drawn = [[row.pool_id for row in from_table(store.table(group.pools), Pool)] for group in found]
    named = [[row.chunk_id for row in from_table(store.table(group.chunks), Chunk)] for group in found]
    assert held == [["1", "2"], ["3"]] and drawn == [["p1", "p2"], ["p3"]]
    assert named == [["a0", "a1", "b1", "b2"], ["a0", "b0", "b1"]]
    assert [group.rows for group in found] == [2, 1]


def test_what_the_corpus_decides_about_a_question_moves_no_group(groups):
    told = [replace(row, retrievable=True, split="test") for row in reversed(QUESTIONS)]
    assert groups(told)[1] == groups(QUESTIONS)[1]


def test_an_edit_moves_the_group_of_its_document_alone(groups):
    edited = [replace(row, text="edited") if row.chunk_id == "b0" else row for row in CHUNKS]
    before, after = groups(QUESTIONS)[1], groups(QUESTIONS, edited)[1]
    assert [a == b for a, b in zip(before, after, strict=True)] == [True, False]


def test_an_edit_further_up_that_moves_a_chunk_moves_no_group(groups):
    moved = [replace(row, start=row.start + 100, end=row.end + 100) for row in CHUNKS]
    assert groups(QUESTIONS, moved)[1] == groups(QUESTIONS)[1]


def test_a_chunk_that_a_pool_names_moves_the_groups_of_that_pool(groups):
    edited = [replace(row, text="edited") if row.chunk_id == "a1" else row for row in CHUNKS]
    before, after = groups(QUESTIONS)[1], groups(QUESTIONS, edited)[1]
    assert [a == b for a, b in zip(before, after, strict=True)] == [False, True]


def test_a_question_without_a_pool_has_its_gold_chunks(groups):
    store, found = groups(QUESTIONS, pools=[])
    assert [row.chunk_id for row in from_table(store.table(found[1].chunks), Chunk)] == ["b0"]


@pytest.mark.parametrize("lost", ["questions", "pools", "chunks"])
def test_a_table_of_a_group_that_was_lost_is_made_anew(groups, lost):
    store, before = groups(QUESTIONS)
    store.fs.rm_file(f"{store.root}/tables/{getattr(before[0], lost)}.parquet")
    _, after = groups(QUESTIONS)
    assert after == before and store.holds(getattr(after[0], lost))
