"""Passages are whole sentences and rows around the evidence, and can be read on their own."""

import time

from hypothesis import given, settings
from hypothesis import strategies as st

from rarefy.data_contracts.rows import Chunk
from rarefy.tasks.perturb.passages import find_passage, is_informative, split_passages, split_units

TABLE = (
    "The following table shows what was sold:\n\n(In millions)\n\n|  | 2024 | 2023 |\n|---|---|---|\n"
    + "\n".join(f"| Product number {i} | {i * 7} | {i * 5} |" for i in range(1, 60))
    + "\n\nWhat follows is told in words, and in no few of them either."
)


def chunk(text: str) -> Chunk:
    return Chunk("c", "d", 0, len(text), "text", "", text, 0)


def test_a_row_comes_with_its_header_and_the_line_that_says_the_unit():
    at = TABLE.index("| Product number 30 ")
    start, end = find_passage(chunk(TABLE), [(at, at + 10)], 40)
    text = TABLE[start:end]
    assert text.startswith("The following table") and "(In millions)" in text and "|  | 2024 | 2023 |" in text
    assert text.splitlines()[-1] == "| Product number 30 | 210 | 150 |"


def test_a_long_sentence_that_announces_the_table_and_its_unit_comes_too():
    lead = (
        "The following table shows sales, as well as the portion of all sales that "
        + "was put off " * 9
        + "(in millions):"
    )
    text = f"Other words stand here.\n\n{lead}\n\n| | 2025 |\n|---|---|\n| iPad | 28,023 |"
    at = text.index("| iPad")
    start, end = find_passage(chunk(text), [(at, at + 8)], 20)
    assert lead in text[start:end] and text[start:end].endswith("28,023 |")


def test_a_passage_does_not_begin_in_the_middle_of_an_address():
    cover = (
        "Apple Inc.\n\nOne Apple Park Way, Cupertino\n\n95014 (Zip Code)\n\n(408) 996-1010\n\n(Telephone number)\n\n"
    )
    text = cover + "Securities registered:\n\n| Title | Symbol |\n|---|---|\n| Notes due 2029 | AAPL |"
    at = text.index("| Notes")
    for words in range(20, 40):
        start, _ = find_passage(chunk(text), [(at, at + 8)], words)
        assert text[start:].startswith(("Apple", "One Apple", "Securities"))


def test_around_the_evidence_as_much_is_taken_as_there_is_room_for():
    text = "One is a number of some size. " * 20 + "The answer is Delaware. " + "Two is a number of some size. " * 20
    at = text.index("Delaware")
    start, end = find_passage(chunk(text), [(at, at + 8)], 50)
    assert start <= at < end
    assert 40 <= len(text[start:end].split()) <= 50
    assert text[start:end].endswith("size.")


def test_evidence_in_two_places_is_held_together_whatever_lies_between():
    text = "Begin here. " + "Between there is much. " * 60 + "End here."
    start, end = find_passage(chunk(text), [(0, 5), (len(text) - 3, len(text))], 20)
    assert (start, end) == (0, len(text))


def test_a_passage_does_not_run_into_the_next_section():
    text = "What is asked about stands here.\n\n## The next\n\nOther things stand there."
    start, end = find_passage(chunk(text), [(0, 5)], 100)
    assert text[start:end] == "What is asked about stands here."


def test_windows_skip_what_says_nothing_and_the_middle_of_a_table():
    rows = "| one row of it all | 1 |\n| and another row of it all | 2 |"
    assert split_passages(f"## Item 7\n\n12\n\n{rows}", 100) == ()
    assert not is_informative("## A heading of many words that says nothing at all to anyone\n\n45")


def test_windows_of_a_table_begin_with_its_caption():
    (start, _), *_ = split_passages(TABLE, 40)
    assert TABLE[start:].startswith("The following table")
    assert all("| 2024 |" in TABLE[a:b] for a, b in split_passages(TABLE, 40) if "Product number" in TABLE[a:b])


def test_a_line_of_title_does_not_end_a_passage():
    text = "The Company believes that its people play an important role in what it does all year.\n\nHuman Capital\n\n"
    text += "Its people can do the best work of their lives, and the Company would like them to do it here."
    assert not any(text[a:b].endswith("Human Capital") for a, b in split_passages(text, 18))


@given(st.text(max_size=300), st.integers(0, 300), st.integers(0, 50))
@settings(max_examples=100)
def test_any_text_has_a_passage_made_of_whole_units(text, at, length):
    start, end = find_passage(chunk(text), [(at, at + length)], 30)
    assert 0 <= start <= end <= len(text)
    own = split_units(text)
    assert not own or (start in {u.start for u in own} and end in {u.end for u in own})


def test_a_megabyte_takes_no_square_of_its_length():
    text = "A sentence of some words that goes on. " * 12_000 + "\n" + "| a row | 12 |\n" * 40_000
    begun = time.perf_counter()
    assert split_passages(text, 100)
    start, end = find_passage(chunk(text), [(len(text) - 5, len(text))], 100)
    assert end - start < 20_000
    assert time.perf_counter() - begun < 10
