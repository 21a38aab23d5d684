"""What a system retrieved itself is known by chunk_id or by its words, and measured as our own retrievers are."""

from typing import Any

import pytest

from rarefy.data_contracts.rows import Chunk, Passage, Question, Span, Variant
from rarefy.tasks.evaluate.retrieve.measured import MeasuredConfig
from rarefy.tasks.evaluate.retrieve.system_hits import PassageMatcher, gold_shares, measured_of_system

BOARD = "The board met on {} and discussed pumps, valves and the new factory in Bergen at length with its advisers."
SALES = "Net sales were $47.5 billion in fiscal 2024, as pumps sold well in Norway and in Sweden."
OTHER = "Sales of valves fell short of what had been hoped for, since hospitals put off their orders until the spring."
RESTATED = "In fiscal 2024 pumps brought net sales of 47,500 million dollars, which no year before had come near to."
STAFF = "At the end of the year the company had 1,204 people, of whom nine in ten work in its factory in Bergen."
HEAD = "| | Years ended June 30, 2024 | Years ended June 30, 2023 |"
ROWS = "| Pumps | 1,204 | 1,180 |\n| Valves | 377 | 402 |\n| Hoses | 91 | 88 |"
CHUNKS = {
    name: Chunk(name, doc, 0, len(text), "text", "", text, 0)
    for name, doc, text in (
        ("a", "2024", f"{BOARD.format('May 4')} {SALES} {OTHER}"),
        ("b", "2024", f"{STAFF} {OTHER}"),
        ("c", "letter", RESTATED),
        ("d", "2023", f"{BOARD.format('June 7')} {STAFF} It was a quiet year for everybody. {OTHER}"),
        ("t", "2024", f"{HEAD}\n|---|---|---|\n{ROWS}"),
    )
}


def question(name: str, *gold: tuple[str, str], **more: Any) -> Question:
    spans = tuple(Span(chunk, at := CHUNKS[chunk].text.index(text), at + len(text)) for chunk, text in gold)
    chunk_ids = tuple(dict.fromkeys(chunk for chunk, _ in gold))
    evidence = tuple(text for _, text in gold)
    return Question(name, "p", "chain", f"{name}?", "$47.5 billion", (), (), chunk_ids, evidence, spans, **more)


def measure(retrieved: dict[str, Any], asked: Question, variants: tuple[Variant, ...] = ()) -> dict[Any, Any]:
    named = {row.variant_id: row for row in variants}
    rows = measured_of_system("mine", retrieved, {asked.question_id: asked}, CHUNKS, named, MeasuredConfig())
    found = {}
    for row in rows:
        below = row.denominator.sum()
        perturbation = row.slice.removeprefix("retriever=mine, perturbation=")
        found[perturbation, row.metric] = (float(row.numerator.sum() / below) if below else None, row.counts)
    return found


def test_a_chunk_counts_the_same_by_its_id_and_by_its_text():
    asked = question("q", ("a", SALES), ("b", STAFF))
    by_id, by_text = (
        measure({"q": [Passage(name(one), CHUNKS[one].text) for one in ("d", "a", "b")]}, asked)
        for name in (str, "mine-{}".format)
    )
    assert by_id == by_text
    assert by_text["none", "Recall@1"][0] == 0 and by_text["none", "Recall@3"][0] == 1
    assert by_text["none", "MRR@3"][0] == pytest.approx(1 / 2)


def test_passages_cut_otherwise_count_where_they_hold_the_gold_sentences():
    asked = question("q", ("a", SALES))
    half = CHUNKS["a"].text.index("Net sales")
    first, second = Passage("1", CHUNKS["a"].text[:half]), Passage("2", CHUNKS["a"].text[half:])
    found = measure({"q": [first, second]}, asked)
    assert (found["none", "Recall@1"][0], found["none", "Recall@2"][0]) == (0, 1)
    marked = Passage("3", second.text.replace("$47.5 billion", "| $47.5 | billion").upper())
    assert measure({"q": [marked]}, asked)["none", "Recall@1"][0] == 1, "marks, tables and letters are no words"


def test_a_row_counts_without_the_head_that_the_reader_has_put_together():
    asked = question("q", ("t", HEAD), ("t", "| Valves | 377 | 402 |"))
    table = Passage("1", f"Years ended June 30 | 2024 | 2023\n{ROWS}")
    assert measure({"q": [Passage("2", OTHER), table]}, asked)["none", "Recall@2"][0] == 1
    assert measure({"q": [Passage("1", table.text.replace("377", "378"))]}, asked)["none", "Recall@1"][0] == 0


def test_gold_sentences_may_be_spread_over_passages_and_count_with_the_last():
    asked = question("q", ("a", BOARD.format("May 4")), ("a", SALES))
    half = CHUNKS["a"].text.index("Net sales")
    passages = [Passage("2", CHUNKS["a"].text[half:]), Passage("", OTHER), Passage("1", CHUNKS["a"].text[:half])]
    found = measure({"q": passages}, asked)
    assert (found["none", "Recall@1"][0], found["none", "Recall@3"][0]) == (0, 1)


def test_a_passage_that_holds_several_gold_chunks_is_all_that_was_to_be_found():
    asked = question("q", ("a", SALES), ("b", STAFF))
    both = Passage("page 3", f"{CHUNKS['a'].text}\n\n{CHUNKS['b'].text}")
    found = measure({"q": [both]}, asked)
    assert [found["none", name][0] for name in ("Recall@1", "nDCG@1", "MRR@1", "all gold@1")] == [1, 1, 1, 1]


def test_what_states_the_same_counts_and_what_documents_repeat_does_not():
    asked = question("q", ("a", SALES), alternatives=(("c",),))
    assert measure({"q": [Passage("letter-1", RESTATED)]}, asked)["none", "Recall@1"][0] == 1
    repeated = question("q", ("b", OTHER))
    elsewhere = Passage("2023", CHUNKS["d"].text)
    assert measure({"q": [elsewhere]}, repeated)["none", "Recall@1"][0] == 0, "the same sentence of another document"
    assert PassageMatcher(CHUNKS).shares(elsewhere.text)["d"] == 1


def test_each_wording_is_measured_against_the_original_and_what_failed_is_missing():
    asked = question("q", ("a", SALES))
    variants = (
        Variant("v", "q", "query", "none", "q?"),
        Variant("t1", "q", "query", "typos", "q ?"),
        Variant("t2", "q", "query", "typos", "qq?"),
    )
    found = measure({"v": [Passage("a", "")], "t1": [], "t2": None}, asked, variants)
    assert found["none", "Recall@1"][0] == 1
    value, counts = found["typos", "Recall@1"]
    assert value == 0 and (counts.scored, counts.missing) == (1, 1)
    assert found["typos", "Recall@1 against the original"][0] == -1


def test_a_wording_that_was_not_asked_is_in_no_count():
    asked = question("q", ("a", SALES))
    variants = (Variant("v", "q", "query", "none", "q?"), Variant("t1", "q", "query", "typos", "q ?"))
    found = measure({"t1": [Passage("a", "")]}, asked, variants)
    assert found["typos", "Recall@1"][0] == 1 and {perturbation for perturbation, _ in found} == {"typos"}
    found = measure({"v": [Passage("a", "")]}, asked, variants)
    assert {perturbation for perturbation, _ in found} == {"none"} and found["none", "Recall@1"][1].missing == 0


def test_the_same_passage_twice_counts_once_and_what_is_unknown_as_nothing():
    asked = question("q", ("a", SALES), ("b", STAFF))
    found = measure({"q": [Passage("a", ""), Passage("a", ""), Passage("no such chunk", "")]}, asked)
    assert found["none", "Recall@3"][0] == 1 / 2 and found["none", "MRR@3"][0] == 1


def test_of_a_system_that_says_nothing_there_are_no_numbers():
    assert not measure({"q": []}, question("q", ("a", SALES)))


def test_the_share_of_gold_goes_by_words_as_recall_does_and_is_unknown_without_any():
    asked = question("q", ("a", SALES), ("b", STAFF))
    upper = [Passage("mine-1", CHUNKS["a"].text.replace("$47.5 billion", "| $47.5 | billion").upper())]
    found = {"upper": ("q", upper), "named": ("q", [Passage("x", "")]), "known": ("q", [Passage("b", "")])}
    assert gold_shares(found, {"q": asked}, CHUNKS) == {"upper": 0.5, "named": -1.0, "known": 0.5}
