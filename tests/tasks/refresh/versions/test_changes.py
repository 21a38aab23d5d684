"""What was done to documents is what the changes say, no more and no less."""

import mmap
import random
import re
from dataclasses import replace
from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from versioned import benchmark

from rarefy.data_contracts import rows
from rarefy.data_contracts.rows import Change, Chunk, Document, Quarantined, Question, Triplet, Variant
from rarefy.data_contracts.schemas import ROWS
from rarefy.data_contracts.tables import from_table, schema_of, to_table
from rarefy.tasks.refresh.versions import COLUMNS, compare_tables, questions
from rarefy.tasks.refresh.versions.compare import MEANINGS
from rarefy.tasks.refresh.versions.corpus import compare_documents
from rarefy.tasks.refresh.versions.matching import match_rows

OSLO = ("City", ["Oslo is a city.", "Oslo | population | 700 | 2024", "It lies on a fjord."])
MONEY = ("Money", ["Oslo | budget | 90 | 2024", "Taxes are due in May.", "Rates are set in June."])
PARKS = ("Parks", ["Frogner is a park.", "Oslo | parks | 35 | 2024"])
BERGEN = [("City", ["Bergen is a city.", "Bergen | population | 290 | 2024"])]
OLD = {"oslo.md": [OSLO, MONEY, PARKS], "bergen.md": BERGEN}


def done(new, old=OLD):
    """What became of things, without those that are as they were."""
    found = compare_tables(benchmark(old), benchmark(new))
    return [row for row in found.rows if row.change != "unchanged"]


def told(rows, kind):
    return [(row.change, row.before, row.after) for row in rows if row.kind == kind]


def edited(section, old, new):
    return {**OLD, "oslo.md": [_edited(one, old, new) if one[0] == section else one for one in OLD["oslo.md"]]}


def _edited(section, old, new):
    assert old in section[1]
    return section[0], [sentence for one in section[1] for sentence in ((new,) if one == old else (one,)) if sentence]


def test_a_benchmark_beside_itself_has_not_changed():
    found = compare_tables(benchmark(OLD), benchmark(OLD))
    assert found.nothing
    assert found.counts["questions_unchanged"] == 4
    assert {row.change for row in found.rows} == {"unchanged"}


def test_a_restated_figure_is_told_as_one_and_moves_nothing_else():
    rows = done(edited("Money", "Oslo | budget | 90 | 2024", "Oslo | budget | 95 | 2024"))
    assert told(rows, "paragraphs") == [("edited", "Oslo | budget | 90 | 2024", "Oslo | budget | 95 | 2024")]
    assert told(rows, "triplets") == [("restated", "90", "95")]
    assert told(rows, "questions") == [("answer_changed", "90", "95")]
    assert told(rows, "sections") == []
    assert [(row.change, row.doc_id) for row in rows if row.kind == "documents"] == [("edited", "oslo.md")]


def test_an_answer_that_changed_names_the_old_question_and_its_successor():
    new = edited("Money", "Oslo | budget | 90 | 2024", "Oslo | budget | 95 | 2024")
    (row,) = (row for row in done(new) if row.kind == "questions")
    old_ids, new_ids = (
        {one.text: one.question_id for one in from_table(benchmark(side)[Question], Question)} for side in (OLD, new)
    )
    assert (row.old_id, row.new_id) == (old_ids[row.about], new_ids[row.about])
    assert row.old_id != row.new_id


def test_a_paragraph_that_moved_to_another_section_is_told_with_both():
    moved = [OSLO, ("Money", [*MONEY[1][:1], MONEY[1][2]]), ("Parks", [*PARKS[1], "Taxes are due in May."])]
    rows = done({**OLD, "oslo.md": moved})
    (row,) = (row for row in rows if row.kind == "paragraphs")
    assert (row.change, row.after, row.detail) == ("moved", "Taxes are due in May.", "from 'Money' to 'Parks'")
    assert told(rows, "questions") == told(rows, "triplets") == []
    assert {row.change for row in rows if row.kind == "chunks"} <= {"moved", "section_changed"}


def test_a_paragraph_that_moved_within_its_section_is_told():
    turned = ("City", [OSLO[1][2], OSLO[1][0], OSLO[1][1]])
    (row,) = (row for row in done({**OLD, "oslo.md": [turned, MONEY, PARKS]}) if row.kind == "paragraphs")
    assert (row.change, row.after, row.detail) == ("moved", "It lies on a fjord.", "within the section")


def test_a_section_that_went_and_one_that_came_are_told_once_each():
    new = ("Roads", ["Ring 3 is a road.", "Oslo | roads | 12 | 2024"])
    rows = done({**OLD, "oslo.md": [OSLO, new, PARKS]})
    assert [(row.change, row.section, row.detail) for row in rows if row.kind == "sections"] == [
        ("added", "Roads", "2 paragraphs"), ("deleted", "Money", "3 paragraphs"),
    ]  # fmt: skip
    assert told(rows, "paragraphs") == []
    assert told(rows, "questions") == [("added", "", "12"), ("retired", "90", "")]


def test_a_section_is_told_with_all_that_stands_below_it():
    deep = [("Money > Taxes", ["A tax."]), ("Money > Taxes > Income", ["An income."]), ("Parks", ["A park."])]
    rows = done({"a": deep[2:]}, {"a": deep})
    assert [(row.change, row.section, row.detail) for row in rows if row.kind == "sections"] == [
        ("deleted", "Money > Taxes", "2 paragraphs")
    ]


def test_another_heading_over_the_same_text_is_a_renamed_section():
    rows = done({**OLD, "oslo.md": [OSLO, ("Finance", MONEY[1]), PARKS]})
    assert told(rows, "sections") == [("renamed", "Money", "Finance")]
    assert told(rows, "paragraphs") == []
    assert {row.change for row in rows if row.kind == "chunks"} == {"section_changed", "moved"}


def test_sections_in_another_order_are_moved_and_their_paragraphs_are_not():
    rows = done({**OLD, "oslo.md": [OSLO, PARKS, MONEY]})
    assert [row.change for row in rows if row.kind == "sections"] == ["moved"]
    assert told(rows, "paragraphs") == told(rows, "questions") == []


def test_words_above_move_chunks_and_leave_questions_as_they_were():
    rows = done({**OLD, "oslo.md": [("City", ["A new beginning.", *OSLO[1]]), MONEY, PARKS]})
    assert told(rows, "paragraphs") == [("added", "", "A new beginning.")]
    assert {row.kind for row in rows if row.change != "added"} == {"documents", "chunks"}
    assert [row.change for row in rows if row.kind == "chunks"].count("moved") == 8


def test_a_document_under_another_name_is_renamed_and_its_questions_only_moved():
    rows = done({"oslo.md": OLD["oslo.md"], "hordaland.md": BERGEN})
    assert told(rows, "documents") == [("renamed", "bergen.md", "hordaland.md")]
    assert {(row.kind, row.change) for row in rows} == {
        ("documents", "renamed"), ("chunks", "moved"), ("triplets", "moved"), ("questions", "evidence_moved"),
    }  # fmt: skip
    (question,) = (row for row in rows if row.kind == "questions")
    assert question.detail == "from bergen.md to hordaland.md"


def test_a_document_renamed_and_edited_is_told_as_that():
    new = [("City", [*OSLO[1], "A sentence more."]), MONEY, PARKS]
    rows = done({"bergen.md": BERGEN, "kristiania.md": new})
    assert told(rows, "documents") == [("renamed_and_edited", "oslo.md", "kristiania.md")]
    assert told(rows, "paragraphs") == [("added", "", "A sentence more.")]


def test_documents_that_share_little_are_one_gone_and_one_new():
    rows = done(
        {"bergen.md": BERGEN, "b.md": [OSLO, ("Other", [f"Something else entirely, number {n}." for n in range(9)])]}
    )
    assert [(row.change, row.doc_id) for row in rows if row.kind == "documents"] == [
        ("added", "b.md"), ("deleted", "oslo.md")
    ]  # fmt: skip


def test_a_text_of_many_documents_makes_no_two_of_them_one():
    same = [("", ["All rights reserved."])]
    rows = done(
        {f"new {n}": [*same, ("x", [f"{n} a"])] for n in range(20)},
        {f"old {n}": [*same, ("x", [f"{n} b"])] for n in range(20)},
    )
    assert {row.change for row in rows if row.kind == "documents"} == {"added", "deleted"}


def test_a_question_of_a_document_that_is_gone_says_so():
    (row,) = (row for row in done({"oslo.md": OLD["oslo.md"]}) if row.kind == "questions")
    assert (row.change, row.detail) == ("retired", "its document is gone: bergen.md")


def test_the_same_content_read_otherwise_is_no_edit():
    new = benchmark(OLD)
    rows = [replace(row, text=f"{row.text}x") for row in from_table(new[Document], Document)]
    found = compare_tables(benchmark(OLD), {**new, Document: to_table(rows, Document)})
    assert found.by_kind["documents"] == {**dict.fromkeys(MEANINGS["documents"], 0), "reread": 2}


def test_of_what_has_several_values_one_that_comes_restates_none_that_goes():
    def part(name):
        return f"iPad line | includes | {name} | "

    old = {"a": [("", [part("iPad Air"), part("iPad Pro"), "Text."])]}
    rows = done({"a": [("", [part("iPad Air"), part("iPad mini"), "Text."])]}, old)
    assert sorted(told(rows, "triplets")) == [("added", "", "iPad mini"), ("gone", "iPad Pro", "")]


def test_a_fact_that_is_stated_elsewhere_too_is_told_so_when_one_of_the_places_goes():
    old = {"a": [("", ["Oslo | population | 700 | 2024"])], "b": [("", ["Oslo | population | 700 | 2024", "Text."])]}
    (row,) = (row for row in done({"b": old["b"]}, old) if row.kind == "triplets")
    assert (row.change, row.detail) == ("gone", "still stated 1 times elsewhere")


def with_facts(tables, **fields):
    rows = [replace(row, **fields.get(row.subject, {})) for row in from_table(tables[Triplet], Triplet)]
    return {**tables, Triplet: to_table(rows, Triplet)}


def test_a_fact_that_was_superseded_is_restated_by_the_one_that_did_it():
    old = {"a": [("", ["Oslo | mayor | Lae | "])]}
    new = {"a": old["a"], "b": [("", ["Oslo kommune | mayor | Lindboe | "])]}
    tables = benchmark(new)
    heir = next(row for row in from_table(tables[Triplet], Triplet) if row.subject == "Oslo kommune")
    tables = with_facts(tables, Oslo={"rejected_because": "superseded", "superseded_by": heir.triplet_id})
    questions = [replace(row, rejected_because="superseded" if "Oslo in" in row.text else "")
                 for row in from_table(tables[Question], Question)]  # fmt: skip
    found = compare_tables(benchmark(old), {**tables, Question: to_table(questions, Question)})
    (fact,) = (row for row in found.rows if row.kind == "triplets")
    assert (fact.change, fact.before, fact.after, fact.new_id) == ("restated", "Lae", "Lindboe", heir.triplet_id)
    (question,) = (row for row in found.rows if row.kind == "questions")
    assert (question.change, question.before, question.after) == ("answer_changed", "Lae", "Lindboe")


def with_questions(tables, **fields):
    rows = [replace(row, **fields) for row in from_table(tables[Question], Question)]
    return {**tables, Question: to_table(rows, Question)}


ONE = {"a": [("", ["Oslo | population | 700 | 2024"])]}


def became(old, new):
    (row,) = (row for row in compare_tables(old, new).rows if row.kind == "questions")
    return row


def test_a_question_that_is_rejected_now_is_retired_with_the_reason():
    row = became(benchmark(ONE), with_questions(benchmark(ONE), rejected_because="several_chunks"))
    assert (row.change, row.detail) == ("retired", "rejected now: several_chunks")


def test_a_question_in_other_words_is_reworded():
    row = became(benchmark(ONE), with_questions(benchmark(ONE), text="How many live in Oslo?", question_id="other"))
    assert (row.change, row.after) == ("reworded", "How many live in Oslo?")


@pytest.mark.parametrize("known", [(("$700",), ()), ((), ("700",))])
def test_an_answer_written_otherwise_is_no_other_answer(known):
    """A form that either side knows: an answer without a sign has fewer forms than one with it."""
    before = with_questions(benchmark(ONE), aliases=known[0])
    row = became(before, with_questions(benchmark(ONE), answer="$700", aliases=known[1]))
    assert row.change == "unchanged"
    assert "written '$700'" in row.detail


def test_what_else_is_another_is_said_of_a_question_that_stands():
    row = became(benchmark(ONE), with_questions(benchmark(ONE), split="train"))
    assert (row.change, row.detail) == ("unchanged", "split: test → train")


def test_further_passages_that_state_the_same_are_said_of_a_question_that_stands():
    row = became(benchmark(ONE), with_questions(benchmark(ONE), alternatives=(("b", "c"),)))
    assert (row.change, row.detail) == ("unchanged", "passages that state the same: 0 → 2")


def test_a_question_proved_by_another_place_in_its_chunk_is_told():
    table = benchmark(ONE)
    spans = next(from_table(table[Question], Question)).evidence_spans
    row = became(table, with_questions(table, evidence_spans=tuple(replace(s, start=1) for s in spans)))
    assert (row.change, row.detail) == ("evidence_moved", "another place in its chunk")


def test_rejected_variants_are_not_counted():
    table = benchmark(ONE)
    rejected = to_table(
        [replace(row, rejected_because="no_candidate") for row in from_table(table[Variant], Variant)], Variant
    )
    assert compare_tables(table, {**table, Variant: rejected}).by_kind["variants"] == {
        "added": 0,
        "gone": 2,
        "unchanged": 0,
    }


sentences = st.one_of(
    st.sampled_from(["A tree.", "A stone.", "A river runs through the valley.", "A road leads to the sea."]),
    st.builds("{} | {} | {} | 2024".format, st.sampled_from(["Oslo", "Bergen"]), st.sampled_from(["size", "age"]),
              st.sampled_from(["1", "2", "Narvik"])),
)  # fmt: skip
sections = st.lists(st.tuples(st.sampled_from(["", "A", "B", "B > C"]), st.lists(sentences, max_size=4)), max_size=4)
corpora = st.dictionaries(st.sampled_from(["a.md", "b.md", "c.md"]), sections, max_size=3)
TABLES = {"documents": Document, "chunks": Chunk, "triplets": Triplet, "questions": Question}


@settings(max_examples=150, deadline=None)
@given(corpora, corpora)
def test_every_row_of_both_sides_is_accounted_for_once(old, new):
    before, after = benchmark(old), benchmark(new)
    found = compare_tables(before, after)
    for kind, row_type in TABLES.items():
        rows = [row for row in found.rows if row.kind == kind]
        stands = 0 if kind == "questions" else found.standing[kind]
        for side, table in (("old_id", before[row_type]), ("new_id", after[row_type])):
            ids = [getattr(row, side) for row in rows if getattr(row, side)]
            assert len(ids) == len(set(ids)) == table.num_rows - stands
            assert set(ids) <= set(table.column(0).to_pylist())
    assert len({row.change_id for row in found.rows}) == len(found.rows)
    assert all(row.change in MEANINGS[row.kind] for row in found.rows)


@settings(max_examples=100, deadline=None)
@given(corpora, corpora)
def test_what_came_one_way_goes_the_other_way(old, new):
    there, back = (
        compare_tables(benchmark(old), benchmark(new)).by_kind,
        compare_tables(benchmark(new), benchmark(old)).by_kind,
    )
    for kind, away, home in (("documents", "added", "deleted"), ("questions", "added", "retired")):
        assert (there[kind][away], there[kind][home]) == (back[kind][home], back[kind][away])
    for kind in TABLES:
        assert there[kind]["unchanged"] == back[kind]["unchanged"]


@settings(max_examples=60, deadline=None)
@given(corpora, corpora, st.randoms(use_true_random=False))
def test_the_order_of_rows_changes_nothing(old, new, chance):
    sides = benchmark(old), benchmark(new)
    mixed = [{row_type: shuffled(table, chance) for row_type, table in side.items()} for side in sides]
    assert compare_tables(*sides).rows == compare_tables(*mixed).rows


def shuffled(table: pa.Table, chance: random.Random) -> pa.Table:
    places = list(range(table.num_rows))
    chance.shuffle(places)
    return table.take(pa.array(places, pa.int64()))


def test_only_the_columns_it_says_are_looked_at():
    sides = [{row_type: table.select(list(COLUMNS[row_type])) for row_type, table in benchmark(side).items()}
             for side in (OLD, edited("Money", "Taxes are due in May.", ""))]  # fmt: skip
    assert compare_tables(*sides).counts["paragraphs_removed"] == 1


def test_tables_that_are_not_there_are_empty():
    assert compare_tables({}, {}).nothing
    assert compare_tables({}, benchmark(OLD)).by_kind["documents"]["added"] == 2


@pytest.mark.parametrize("kind", [kind for kind in MEANINGS if kind not in ("sections", "paragraphs")])
def test_kinds_are_called_as_their_tables_are(kind):
    assert kind in ROWS
    assert Change


def test_questions_that_come_to_the_same_fact_by_other_ways_are_two():
    facts = {"a": [("", ["Norway | capital | Oslo | 2024", "Viken | seat | Oslo | 2024", "Oslo | budget | 90 | 2024"])]}
    tables = benchmark(facts)
    by = {row.subject: row.triplet_id for row in from_table(tables[Triplet], Triplet)}
    last = next(row for row in from_table(tables[Question], Question) if "budget" in row.text)

    def chain(start, text):
        ids = (by[start], by["Oslo"])
        return to_table([replace(last, question_id=text, text=text, pattern="chain", triplet_ids=ids)], Question)

    norway, viken = (chain(*one) for one in (("Norway", "Budget of its capital?"), ("Viken", "Budget of its seat?")))
    found = compare_tables({**tables, Question: norway}, {**tables, Question: viken}).by_kind["questions"]
    assert (found["retired"], found["added"], found["reworded"]) == (1, 1, 0)
    again = chain("Norway", "What does the capital of Norway spend?")
    assert (
        compare_tables({**tables, Question: norway}, {**tables, Question: again}).by_kind["questions"]["reworded"] == 1
    )


def quarantined(*sources):
    rows = [Quarantined(f"{n}", "read", source, "empty_file", "no text") for n, source in enumerate(sources)]
    return {Quarantined: to_table(rows, Quarantined)}


def test_a_document_in_quarantine_now_is_unreadable_with_the_reason_and_not_deleted():
    old = {"oslo.md": [OSLO], "bergen.md": BERGEN, "gone.md": [PARKS]}
    found = compare_tables(benchmark(old), benchmark({"oslo.md": [OSLO]}) | quarantined("bergen.md", "other.md"))
    rows = {row.old_id: (row.change, row.detail) for row in found.rows if row.kind == "documents"}
    assert rows == {"bergen.md": ("unreadable", "empty_file: no text"), "gone.md": ("deleted", "")}
    assert (found.by_kind["documents"]["unreadable"], found.by_kind["documents"]["deleted"]) == (1, 1)


@pytest.mark.parametrize("fault", ["all.jsonl", "all.jsonl#1"])
def test_a_record_is_unreadable_by_its_own_fault_or_by_that_of_its_file(fault):
    old = benchmark({"all.jsonl#one": [OSLO], "bergen.md": BERGEN})
    rows = [replace(row, source="all.jsonl#1") if row.doc_id != "bergen.md" else row
            for row in from_table(old[Document], Document)]  # fmt: skip
    found = compare_tables(
        old | {Document: to_table(rows, Document)}, benchmark({"bergen.md": BERGEN}) | quarantined(fault)
    )
    assert [(row.change, row.old_id) for row in found.rows if row.kind == "documents"] == [
        ("unreadable", "all.jsonl#one")
    ]


def test_a_document_that_is_there_again_after_quarantine_is_added():
    found = compare_tables(benchmark(OLD) | quarantined("new.md"), benchmark({**OLD, "new.md": [PARKS]}))
    assert [(row.change, row.new_id) for row in found.rows if row.kind == "documents"] == [("added", "new.md")]


@pytest.mark.machines
def test_texts_of_more_than_2_gib_in_all_are_compared():
    """They lie in memory that was never written to, and takes none."""
    size = 2**30
    large = pa.StringArray.from_buffers(
        1, pa.array([0, size], pa.int32()).buffers()[1], pa.py_buffer(mmap.mmap(-1, size))
    )
    names = ["a", "b", "c", "d"]

    def table(last, title):
        text = pa.chunked_array([large, large, large, pa.array([last])])
        columns = {"doc_id": names, "content_hash": names, "source": names, "title": [title] * 4, "text": text}
        return pa.table(columns)

    chunks, faults = (schema_of(kind).empty_table() for kind in (Chunk, Quarantined))
    found = compare_documents(table("one", "x"), table("two", "y"), chunks, chunks, faults)
    assert [(row.change, row.new_id) for row in found.rows] == [("reread", "d")]
    assert found.unchanged == 3


def test_columns_that_more_than_2_gib_may_be_taken_from_are_wide():
    rows = pa.table({"id": ["a", "b"], "text": ["1", "2"]})
    both = match_rows(rows, rows.slice(1), "id", ("text",))
    assert both.old.schema.field("text").type == both.new.schema.field("text").type == pa.large_string()
    assert both.old["text"].to_pylist() == ["2"]


def test_what_is_read_of_a_table_is_listed_once():
    assert COLUMNS[Triplet] is questions.TRIPLET_COLUMNS
    assert COLUMNS[Question] == (*questions.QUESTION_COLUMNS, "rejected_because")


def test_the_contract_points_to_modules_that_are_there():
    told = Path(rows.__file__)
    named = re.findall(r"\b[\w/]+\.py\b", told.read_text())
    assert named
    assert [name for name in named if not told.parent.parent.joinpath(name).exists()] == []
