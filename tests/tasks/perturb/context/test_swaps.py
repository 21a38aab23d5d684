"""A value is changed everywhere it is said, in the notation of each place, and nothing else is."""

from decimal import Decimal
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rarefy.tasks.perturb.context.distracting import measure_misfit
from rarefy.tasks.perturb.context.other_values import (
    Value,
    ValueIndex,
    classify_answer,
    find_replacements,
    invent_counts,
)
from rarefy.tasks.perturb.context.swaps import (
    apply_edits,
    correct_article,
    draw_figures,
    find_figures,
    format_like,
    replace_value,
)
from rarefy.tasks.text.notations import contains_answer


def swapped(text: str, old: str, new: str, aliases=(), kind="") -> str:
    return apply_edits(text, replace_value(text, old, aliases, new, kind))[0]


@pytest.mark.parametrize(
    ("text", "old", "new", "after"),
    [
        (
            "sales of $47,525 million, or $47.5 billion",
            "$47,525",
            "$26,044",
            "sales of $26,044 million, or $26.0 billion",
        ),
        ("| Sales | (2,565) | 1 |", "(2,565)", "(1,488)", "| Sales | (1,488) | 1 |"),
        ("a 12% rise, or 12 percent", "12%", "8%", "an 8% rise, or 8 percent"),
        ("an 8% rise", "8%", "12%", "a 12% rise"),
        ("due on March 12, 2024, Note 12: 12 stores", "12", "14", "due on March 12, 2024, Note 12: 14 stores"),
        ("38% and 62%, respectively", "62%", "55%", "45% and 55%, respectively"),
        ("about 164,000 people", "approximately 164,000", "approximately 105,000", "about 105,000 people"),
        ("paid $0.25 a share", "$0.25", "$0.24", "paid $0.24 a share"),
    ],
)
def test_a_number_is_changed_in_the_notation_that_stands_there(text, old, new, after):
    assert swapped(text, old, new) == after


def test_a_name_is_changed_in_all_its_forms():
    text = "NVIDIA Corporation (nvidia.com). NVIDIA’s own, NVIDIA CORPORATION"
    after = "Tesla, Inc. (tesla.com). Tesla’s own, TESLA, INC."
    assert swapped(text, "NVIDIA Corporation", "Tesla, Inc.", ("NVIDIA",)) == after


def test_a_person_goes_with_the_surname():
    text = "Tim Cook is the CEO. Mr. Cook joined us; Cook’s team does not cook."
    after = "Jane Roe is the CEO. Mr. Roe joined us; Roe’s team does not cook."
    assert swapped(text, "Tim Cook", "Jane Roe", kind="PERSON") == after


def test_an_article_follows_a_name():
    assert swapped("an Ohio firm and a firm of Ohio", "Ohio", "Texas") == "a Texas firm and a firm of Texas"


@pytest.mark.parametrize("text", ["sales of $60.9 billion and $26.04 billion", "nothing of it", ""])
def test_what_is_said_already_or_is_not_there_is_not_put_in(text):
    assert replace_value(text, "$60.9 billion", (), "$26.0 billion") == []


def test_what_stays_stands_where_the_moves_say():
    text = "An 8% rise of $1,000, or 8 %."
    after, moves = apply_edits(text, replace_value(text, "8%", (), "12%"))
    assert after == "A 12% rise of $1,000, or 12 %."
    assert all(text[m.start : m.end] == after[m.at : m.at + m.end - m.start] for m in moves)


@given(st.integers(100, 10**9), st.integers(100, 10**9), st.sampled_from(["{:,}", "${:,}", "{}", "({:,})"]))
def test_after_a_swap_the_old_number_is_gone(old, new, form):
    text = f"The sum of {form.format(old)} was paid, of {form.format(old)} due."
    after = swapped(text, form.format(old), form.format(new))
    assert (
        after == text
        or not contains_answer(after, form.format(old))
        or contains_answer(form.format(new), form.format(old))
    )


@given(st.text(max_size=200), st.text(max_size=30), st.text(max_size=30))
def test_any_text_can_be_searched_for_any_value(text, old, new):
    after, moves = apply_edits(text, replace_value(text, old, (), new))
    assert all(text[m.start : m.end] == after[m.at : m.at + m.end - m.start] for m in moves)


def test_dates_references_and_forms_are_no_quantities():
    text = (
        "On March 31, 2024 (Form 10-K, Note 12, 24 CFR 92.250, section 5(a)) at 1:30 we had $5.2 billion for 30 days."
    )
    assert [f.digits for f in find_figures(text)] == ["5.2", "30"]


@pytest.mark.parametrize(
    "old", ["62%", "98.5%", "30 days", "$97.3 billion", "fiscal year 2022", "0.05%", "(1,234)", "7"]
)
def test_made_up_figures_differ_and_keep_the_notation(old):
    for new, _ in zip(draw_figures(old, Random(1)), range(20), strict=False):
        assert new != old and not contains_answer(new, old)
        assert len(new.split()) == len(old.split()) and ("%" in new) == ("%" in old)
        assert "%" not in new or Decimal(new.strip("%")) <= 100


@pytest.mark.parametrize(
    ("digits", "value", "written"),
    [("47,525", "1488.4", "1,488"), ("12.50", "3", "3.00"), ("999", "1234", "1,234"), (".5", "0.25", ".3")],
)
def test_a_number_is_written_like_another(digits, value, written):
    assert format_like(digits, Decimal(value)) == written


@pytest.mark.parametrize(
    ("before", "new", "article"),
    [
        ("a ", "8%", "an"),
        ("a ", "11,000", "an"),
        ("an ", "1,100", "a"),
        ("An ", "10", "A"),
        ("a ", "18", "an"),
        ("an $", "136", "a"),
        ("the ", "8", None),
    ],
)
def test_articles_go_by_how_a_figure_is_said(before, new, article):
    assert correct_article(before, new) == (None if article == before.strip() else article)


@pytest.mark.parametrize(
    ("answer", "question", "kind"),
    [
        ("$97.3 billion", "How much?", "MONEY"),
        ("62%", "What share?", "PERCENT"),
        ("approximately 164,000 employees", "How many?", "NUMBER employee"),
        ("July 4, 1776", "When?", "DATE day"),
        ("1999", "In what year?", "DATE year"),
        ("1776", "In what year?", "DATE year"),
        ("FY2024", "When?", "DATE fiscal year"),
        ("9/28/2024", "When?", "DATE day"),
        ("Q3 2024", "When?", "DATE quarter"),
        ("the 1990s", "When?", "DATE decade"),
        ("1979-80", "When?", ""),
        ("50 cents", "How much?", "MONEY"),
        ("Paris", "Which city hosted the games?", "NAME city"),
        ("Tim Cook", "Who leads Apple?", "NAME who"),
        ("Paris", "What is the name of it?", ""),
        ("the end of the war", "What came then?", ""),
        ("no", "Is it so?", ""),
        ("", "", ""),
    ],
)
def test_the_kind_of_an_answer_is_said_only_where_it_is_sure(answer, question, kind):
    assert classify_answer(answer, question) == kind


def test_a_cell_with_the_mark_of_a_note_has_a_rank_too():
    table = "|  | 2024 | 2023 |\n|---|---|---|\n| Basic | $104 (2) | $90 |\n| Diluted | $110 | $95 |"
    at = table.index("110")
    assert measure_misfit(table, [(at, at + 3, "103")]) and not measure_misfit(table, [(at, at + 3, "105")])


def test_a_changed_cell_keeps_its_rank_among_the_rows():
    table = "|  | 2024 | 2023 |\n|---|---|---|\n| Basic | 100 | 90 |\n| Diluted | 110 | 95 |\n| Sum | 300 | 280 |"
    at = table.index("110")
    assert measure_misfit(table, [(at, at + 3, "120")]) == 0
    assert measure_misfit(table, [(at, at + 3, "99")]) == 2
    assert measure_misfit(table, [(at, at + 3, "301")]) == 2
    assert measure_misfit("no table", [(0, 2, "5")]) == 0


@pytest.mark.parametrize(
    ("text", "old", "new", "after"),
    [
        ("It is of Acme Corporation. It sells.", "Acme Corporation", "Meta, Inc.", "It is of Meta, Inc. It sells."),
        ("It is that of Meta, Inc. The firm sells.", "Meta, Inc.", "Acme", "It is that of Acme. The firm sells."),
        ("What Meta, Inc. sells is good.", "Meta, Inc.", "Acme", "What Acme sells is good."),
        ("Meta, Inc.\n\nA report", "Meta, Inc.", "Acme", "Acme\n\nA report"),
    ],
)
def test_a_sentence_keeps_its_one_full_stop(text, old, new, after):
    assert swapped(text, old, new) == after


def test_a_range_of_which_one_end_is_a_fraction_has_no_figures_that_could_be_changed_alone():
    assert find_figures("a range of 2 to 2-1/4 percent, about 3/4 percentage point less") == ()
    assert [figure.digits for figure in find_figures("from 5 to 6 percent")] == ["5", "6"]


def test_basis_points_are_no_shares_of_a_whole():
    assert [figure.share for figure in find_figures("25 basis points, 12.5%, 3 percentage points and 4 stores")] == [
        False, True, True, False
    ]  # fmt: skip


def test_a_date_that_is_made_up_is_a_date_of_another_year():
    made = set(draw_figures("September 28, 2024", Random(0)))
    assert made and all(one.startswith("September 28, 20") and one != "September 28, 2024" for one in made)


@pytest.mark.parametrize(
    ("old", "others"),
    [
        ("ten days", {"five days", "six days", "seven days", "eight days", "nine days", "eleven days", "twelve days"}),
        ("Two days", {"Three days", "Four days"}),
        ("a two-year term", {"a three-year term", "a four-year term"}),
        ("three-quarters", set()),
        ("30 days", set()),
        ("once", set()),
    ],
)
def test_a_number_in_words_gives_way_to_others_of_its_size(old, others):
    assert {swap.new for swap in invent_counts(old, "NUMBER", "seed")} == others


def test_letters_that_are_no_word_keep_their_capitals():
    index = ValueIndex()
    index.by_kind["auditor",].append(Value("KPMG LLP", None, "", "t", "KPMG LLP"))
    old = Value("PricewaterhouseCoopers LLP", None, "", "s", "PwC")
    assert [s.new for s in find_replacements(index.sort(), old, [("auditor",)], "ORG")] == ["KPMG LLP"]


def test_one_end_of_a_range_is_not_made_up():
    assert not list(draw_figures("10 - 15%", Random(1)))
