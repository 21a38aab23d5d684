"""Sentences in another order: all of them, each once, under their headings, tables and lists whole."""

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rarefy.tasks.perturb.case import Case, Draft
from rarefy.tasks.perturb.checks import same_sentences
from rarefy.tasks.perturb.config import PerturbConfig
from rarefy.tasks.perturb.document.sentence_order import (
    find_sentence_units,
    random_order,
    reorder_sentences,
    reverse_order,
)

TABLE = "| Segment | 2024 |\n|---|---|\n| Europe | 101,328 |"
PARTS = st.sampled_from(
    [
        "Sales rose 5%.", "Costs fell in the U.S. by $1.5 million.", "It pays dividends!", "Is it listed?", "No.",
        "The following table shows sales:", "(in millions)", TABLE, "(1) Restated.", "# Net Sales", "Other Income",
        "- one item\n- another item", "(a) General. It holds.", "العربية نص.", "日本語の文です。次の文です。",
        "👩‍👩‍👧 e\u0301 \u200b İ.", 'He said "no." Then he left.', "and the rest of", "a\nb.", "...", "Inc.",
    ]
)  # fmt: skip
GAPS = st.sampled_from([" ", "\n", "\n\n", "  ", "\n\n\n", ""])
TEXTS = st.lists(st.tuples(PARTS, GAPS), max_size=9).map(lambda parts: "".join(a + b for a, b in parts))


def drafts(make, text: str, seed: int = 0) -> list[Draft]:
    return list(make(Case("c", "document", text), PerturbConfig(), Random(seed)))


def units(text: str) -> list[str]:
    return [text[start:end] for start, end in find_sentence_units(text)]


def test_sentences_are_reversed():
    (draft,) = drafts(reverse_order, "One rose. Two fell. Three stayed.")
    assert draft.text == "Three stayed. Two fell. One rose."


def test_sentences_stay_under_their_headings():
    text = "# A\n\nOne rose. Two fell.\n\n## B\n\nThree stayed.\n\nFour went.\n\nOther Income\n\nFive came."
    (draft,) = drafts(reverse_order, text)
    assert draft.text == (
        "# A\n\nTwo fell. One rose.\n\n## B\n\nFour went.\n\nThree stayed.\n\nOther Income\n\nFive came."
    )


def test_a_table_moves_whole_with_what_leads_it_in_and_its_footnotes():
    block = f"The following table shows sales:\n\n(in millions)\n\n{TABLE}\n\n(1) Restated."
    text = f"One rose. {block}\n\nTwo fell. Three stayed."
    assert units(text) == ["One rose.", block, "Two fell.", "Three stayed."]
    (draft,) = drafts(reverse_order, text)
    assert draft.text == f"Three stayed. Two fell.\n\n{block}\n\nOne rose."


def test_a_list_moves_whole_with_its_lead_in():
    block = "It sells:\n\n- phones;\n- tablets; and\n\n- watches."
    assert units(f"One rose. {block}\n\nTwo fell.") == ["One rose.", block, "Two fell."]


def test_a_box_stays_with_its_question_and_a_remark_with_its_line():
    asked = "Indicate by check mark if it must file. Yes ☒ No ☐"
    other = "Indicate whether it is a shell company. Yes ☐ No ☒"
    lone = "Check here if it has elected not to comply.\n\n☐"
    assert units(f"{asked}\n\n{other}\n\n{lone}\n\nOn May 1 it had 5 sites.") == [
        asked, other, lone, "On May 1 it had 5 sites."
    ]  # fmt: skip
    assert units("WALMART INC.\n\n(Exact name of registrant)\n\nIt sells food.") == [
        "WALMART INC.\n\n(Exact name of registrant)", "It sells food."
    ]  # fmt: skip


def test_two_lines_of_a_form_exchanged_are_no_other_order():
    text = "".join(f"# Part {i}\n\nIts line number {i} stands alone.\n\n" for i in range(5)) + "# Last\n\nOne. Two."
    assert drafts(reverse_order, text) == [] == drafts(random_order, text)


def test_sentences_of_chinese_stay_without_spaces():
    (draft,) = drafts(reverse_order, "日本語の文です。次の文です。最後の文です。")
    assert draft.text == "最後の文です。次の文です。日本語の文です。"


@pytest.mark.parametrize("text", ["", "word", "One sentence.", "\u200b", "# Heading\n\nOne sentence.", TABLE, " \n "])
def test_where_there_is_nothing_to_reorder_there_is_no_draft(text):
    assert drafts(random_order, text) == [] == drafts(reverse_order, text)


def test_a_cut_sentence_at_the_end_does_not_grow_into_the_next():
    (draft,) = drafts(reverse_order, "Sales rose. Costs fell. The rest of")
    assert draft.text == "The rest of Costs fell. Sales rose."


@given(TEXTS, st.integers(0, 5))
@settings(max_examples=300, deadline=None)
def test_every_order_keeps_every_sentence_once_and_is_a_change(text, seed):
    case = Case("c", "document", text)
    backwards = [draft.text for draft in drafts(reverse_order, text)]
    shuffled = drafts(random_order, text, seed)
    begun = any(one != other and other.startswith(one) for one in units(text) for other in units(text))
    for draft in [*shuffled, *drafts(reverse_order, text)]:
        assert draft.text != text
        # the check lays the longest that fits: where one sentence begins another, it may reject a right order
        assert same_sentences(case, draft) == "" or begun
        assert sorted("".join(draft.text.split())) == sorted("".join(text.split()))
        for move in draft.moves:
            assert draft.text[move.at : move.at + move.end - move.start] == text[move.start : move.end]
    assert len({draft.text for draft in shuffled}) == len(shuffled)
    assert not {draft.text for draft in shuffled} & set(backwards)
    assert drafts(random_order, text, seed) == shuffled


@given(st.lists(st.sampled_from(["One rose.", "Two fell.", "Three stayed.", "Four went."]), min_size=3, max_size=8))
def test_three_different_sentences_can_always_be_shuffled(sentences):
    if len(set(sentences)) >= 3:
        assert drafts(random_order, " ".join(sentences))


def test_an_order_that_is_no_permutation_is_refused():
    for order in ([0, 0, 1], [0, 1], [0, 1, 3], []):
        with pytest.raises(ValueError, match="not an order of 3 units"):
            reorder_sentences("One rose. Two fell. Three stayed.", order)
    assert reorder_sentences("One rose. Two fell. Three stayed.", [1, 2, 0]).text == "Two fell. Three stayed. One rose."
    assert reorder_sentences("One rose. Two fell. Three stayed.", [1, 2, 0]).detail == "1 2 0"


def test_a_megabyte_is_no_trouble():
    text = "\n\n".join(f"Sales of segment {i} rose. Its costs fell by {i}%." for i in range(20_000))
    assert len(next(iter(reverse_order(Case("c", "document", text), PerturbConfig(), Random(0)))).text) == len(text)
    (start, end), *others = find_sentence_units("x" * 1_000_000 + ".")
    assert (start, end, others) == (0, 1_000_001, [])
