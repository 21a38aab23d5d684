"""The cells that RARE-Met makes of a question."""

from collections import Counter
from dataclasses import replace

import pytest
from framed import RARE_QUERIES, RETRIEVERS, made, tried

from rarefy.data_contracts.rows import Hits, Variant
from rarefy.tasks.evaluate.protocols.rare import RARE, RareConfig

CONFIG = RareConfig()


def test_a_question_has_thirty_cells_and_a_probe_with_three_retrievers() -> None:
    """RARE: 180,000 trials of a model are 6,000 questions by 5 wordings by (gold, 2 changed, 3 retrieved)."""
    rows = tried(RARE, made(2, gold=2), CONFIG)
    assert len(rows) == 2 * 31 and len({row.trial_id for row in rows}) == len(rows)
    cells = Counter((row.query, row.cell, row.retriever) for row in rows if row.cell != "probe")
    settings = [
        ("gold", ""),
        ("lexical_similar", ""),
        ("lexical_different", ""),
        *(("retrieved", r) for r in RETRIEVERS),
    ]
    assert cells == Counter({(query, *cell): 2 for query in ("none", *RARE_QUERIES) for cell in settings})
    assert not any(row.skipped_because for row in rows)


def test_the_probe_is_the_original_wording_without_passages() -> None:
    (probe,) = [row for row in tried(RARE, made(1), CONFIG) if row.cell == "probe"]
    assert (probe.given, probe.query, probe.query_id, probe.passage_ids) == ("closed_book", "none", "q0:none", ())


def test_every_gold_chunk_of_a_multi_hop_question_is_shown_or_replaced() -> None:
    rows = {
        row.cell: row for row in tried(RARE, made(2, gold=2), CONFIG) if row.question_id == "q1" and row.query == "none"
    }
    assert rows["gold"].passage_ids == ("g1a", "g1b")
    assert rows["lexical_similar"].passage_ids == ("g1a:answer_deleted", "g1b:answer_deleted")
    assert rows["lexical_different"].passage_ids == ("g1a:back_translation", "g1b:back_translation")
    assert [rows[cell].gold for cell in ("gold", "lexical_similar", "lexical_different")] == [1.0, 0.0, 1.0]


def test_retrieved_passages_are_those_left_by_the_reranker_for_that_very_wording() -> None:
    known = made(2, gold=2, found=lambda n, retriever, wording: (retriever, wording) == ("dense", "word"))
    rows = [row for row in tried(RARE, known, CONFIG) if row.cell == "retrieved" and row.question_id == "q1"]
    found = [(row.retriever, row.query, row.gold) for row in rows if row.gold > 0]
    assert found == [("dense", "word", 0.5)]
    assert all(len(row.passage_ids) == 3 and row.k == 3 for row in rows)


def test_where_a_passage_has_no_variant_the_cell_is_there_and_says_why() -> None:
    why = Variant("lost", "q0", "document", "back_translation", "", rejected_because="needs_model")
    rows = tried(RARE, made(1, documents=("answer_deleted",), rejected=[why]), CONFIG)
    lost = [row for row in rows if row.cell == "lexical_different"]
    assert len(lost) == 5 and {row.skipped_because for row in lost} == {"needs_model"} and len(rows) == 31


def test_a_change_of_some_of_the_gold_chunks_is_no_change_of_the_documents() -> None:
    (_, known) = made(2, gold=2)
    half = replace(known, documents=tuple(row for row in known.documents if row.chunk_id == "g1a"))
    rows = [row for row in RARE.trials(half, CONFIG) if row.cell in ("lexical_similar", "lexical_different")]
    assert {row.skipped_because for row in rows} == {"not_every_gold_chunk"}
    assert all(not row.passage_ids for row in rows)


def test_a_missing_wording_skips_all_of_its_cells() -> None:
    rows = tried(RARE, made(1, queries=RARE_QUERIES[1:]), CONFIG)
    lost = [row for row in rows if row.query == "character"]
    assert len(lost) == 6 and {row.skipped_because for row in lost} == {"no_character"} and len(rows) == 31
    assert len({row.trial_id for row in rows}) == 31


def test_a_golden_passage_in_other_words_can_stand_for_the_back_translation() -> None:
    config = RareConfig(lexical_different="golden_augmented")
    rows = tried(RARE, made(1, documents=("answer_deleted",), context=("golden_augmented",)), config)
    changed = [row for row in rows if row.cell == "lexical_different"]
    assert {row.passage_ids for row in changed} == {("g0a:golden_augmented",)}
    assert {row.gold for row in changed} == {1.0} and {row.document for row in changed} == {"golden_augmented"}


def test_a_retriever_that_finds_nothing_is_asked_with_nothing() -> None:
    (known,) = made(1, retrievers=())
    empty = {("bm25", "q0:none"): Hits("h", "bm25", "q0:none", "q0", (), ())}
    rows = [row for row in RARE.trials(replace(known, hits=empty), CONFIG) if row.retriever == "bm25"]
    by_query = {row.query: row for row in rows}
    assert (
        by_query["none"].skipped_because == "" and by_query["none"].passage_ids == () and by_query["none"].gold == 0.0
    )
    assert by_query["word"].skipped_because == "not_retrieved"


def test_a_system_that_retrieves_itself_is_asked_every_wording() -> None:
    rows = tried(RARE, made(1), CONFIG, takes=["own"])
    assert [(row.query, row.cell, row.retriever) for row in rows] == [
        (query, "retrieved", "own") for query in ("none", *RARE_QUERIES)
    ]


@pytest.mark.parametrize(
    ("takes", "words"),
    [
        ({"closed_book"}, "takes passages or retrieves itself"),
        ({"passages"}, ""),
        ({"own"}, ""),
        ({"own", "passages"}, ""),
    ],
)
def test_what_is_lacking_is_said(takes: set[str], words: str) -> None:
    said = RARE.lacking(made(1), CONFIG, frozenset(takes))
    assert words in said and bool(words) == bool(said)
