"""Texts beside each other: what stands in the place of what, what kept its place, which words are other ones."""

import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

import rarefy.tasks.refresh.versions.matching as similarity
from rarefy.tasks.refresh.versions.matching import MAX_PAIRS, PREFIX, find_displaced, pair_similar_texts
from rarefy.tasks.refresh.versions.report import MAX_WORDS, mark_differences


def test_rows_of_a_table_are_told_by_their_label_whatever_else_changed():
    old = ["| Net sales | 1 | 2 |", "| Cost of sales | 3 | 4 |"]
    new = ["| Cost of sales | 999,999 | 1,234 |", "| Net sales | 1 | 5 |"]
    assert sorted(pair_similar_texts(old, new)) == [(0, 1), (1, 0)]


def test_sentences_are_told_by_how_alike_they_are():
    old = ["The board met in May.", "Sales were 90 million.", "Nothing like it."]
    new = ["Sales were 95 million.", "The board met in June.", "Quite 77 xyz?"]
    assert sorted(pair_similar_texts(old, new)) == [(0, 1), (1, 0)]


def test_of_very_many_texts_those_that_begin_alike_are_taken():
    texts = [f"{n:0{PREFIX}d} old" for n in range(int(MAX_PAIRS**0.5) + 1)]
    assert sorted(pair_similar_texts(texts, [text.replace("old", "new") for text in texts])) == [
        (n, n) for n in range(len(texts))
    ]


words = st.lists(st.sampled_from(["| a | 1 |", "| a | 2 |", "one thing", "one thing more", "", "x"]), max_size=8)


@given(words, words)
def test_no_text_stands_in_the_place_of_two(old, new):
    found = list(pair_similar_texts(old, new))
    assert len({a for a, _ in found}) == len({b for _, b in found}) == len(found)


@given(st.lists(st.integers(0, 50), max_size=30, unique=True))
def test_what_is_left_ascends_and_no_fewer_could_be_taken_out(places):
    out = find_displaced(places)
    kept = [place for at, place in enumerate(places) if at not in out]
    assert kept == sorted(kept)
    longest = [1] * len(places)  # the slow way
    for at, place in enumerate(places):
        longest[at] = 1 + max((longest[j] for j in range(at) if places[j] < place), default=0)
    assert len(kept) == max(longest, default=0)


@given(st.text(max_size=60), st.text(max_size=60))
def test_marked_texts_are_the_texts(before, after):
    left, right = mark_differences(before, after)
    assert "".join(text for _, text in left) == before
    assert "".join(text for _, text in right) == after
    assert before != after or not any(other for other, _ in (*left, *right))


def test_a_figure_is_marked_as_a_whole():
    assert mark_differences("It was $1,000.5 in May", "It was $1,200.5 in May") == (
        [(False, "It was "), (True, "$1,000.5"), (False, " in May")],
        [(False, "It was "), (True, "$1,200.5"), (False, " in May")],
    )


def test_long_texts_stand_as_they_are():
    long = "word " * MAX_WORDS
    assert mark_differences(long, f"{long}more") == ([(False, long)], [(False, f"{long}more")])


def test_spaces_are_no_words_and_are_marked_between_two_marked_words_alone():
    assert mark_differences("one two three four", "one three  four five") == (
        [(False, "one "), (True, "two"), (False, " three four")],
        [(False, "one three  four "), (True, "five")],
    )
    assert mark_differences("a b c d", "a x y d")[1] == [(False, "a "), (True, "x y"), (False, " d")]


def _calls(work):
    """How many calls of functions some work makes: what it takes, whatever else the machine does."""
    count = 0

    def seen(_, what, __):
        nonlocal count
        count += what in ("call", "c_call")

    sys.setprofile(seen)
    try:
        work()
    finally:
        sys.setprofile(None)
    return count


def test_marking_takes_steps_in_proportion_to_the_words():
    mark_differences("warm", "up")
    texts = [" ".join(f"{(word * turn) % 97}" for word in range(390)) for turn in (31, 57)]
    assert _calls(lambda: mark_differences(*texts)) < 40 * 780


def test_what_is_labelled_is_looked_up_and_not_gone_through_for_every_text(monkeypatch: pytest.MonkeyPatch):
    class Pairs(list):
        times = 0

        def __iter__(self):
            Pairs.times += 1
            return super().__iter__()

    labelled = similarity._pair_table_rows
    monkeypatch.setattr(similarity, "_pair_table_rows", lambda old, new: Pairs(labelled(old, new)))
    rows = [f"| Row {n} | {n} |" for n in range(30)]
    assert len(list(pair_similar_texts(rows, rows))) == 30
    assert Pairs.times <= 3
