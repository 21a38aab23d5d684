"""The summary on the terminal and as Markdown."""

import dataclasses
import io
import re

import pytest
from rich.console import Console

from rarefy.tasks.evaluate.results import headline, markdown, summary
from rarefy.tasks.evaluate.results.wording import (
    format_interval,
    format_number,
    format_percent,
    format_withheld,
    note_in_words,
    with_companions,
)


def shown(told: dict, numbers: list, width: int, verbose: bool = False) -> str:
    console = Console(width=width, file=io.StringIO(), force_terminal=False)
    console.print(headline(summary(told, numbers), "monday", verbose=verbose))
    return console.file.getvalue()


@pytest.mark.parametrize("width", [80, 120])
def test_the_headline_fits_the_terminal_and_says_what_it_is_of(told, numbers, width):
    text = shown(told, numbers, width)
    assert max(map(len, text.splitlines())) <= width
    assert "0.600 [0.550, 0.650]" in text
    assert "accuracy" in text and "40 of 40" in text
    assert "…" not in text  # nothing is cut


def test_a_number_under_the_floor_is_the_range_that_it_lies_in(told, numbers):
    text = " ".join(shown(told, numbers, 120).split())
    assert "0.410 to 0.530 40 of 66" in text
    assert "0.410 to 0.530 (60 % scored)" in markdown(summary(told, numbers))


def test_what_was_left_out_is_said(told, numbers):
    assert "the benchmark has no variants for it" in shown(told, numbers, 80)
    assert "the benchmark has no variants for it" in markdown(summary(told, numbers))


def test_names_are_no_markup_on_the_terminal(told, changed):
    text = shown(told, [changed("Overall Robustness", 0.5, system="[red]x[/red] [/]", headline=True)], 80)
    assert "[red]x[/red] [/]" in text


def test_names_are_no_markup_in_markdown(told, changed):
    text = markdown(summary(told, [changed("a|b\n# <b>", 0.5, system="*x*|[y](z)", headline=True)]))
    row = next(line for line in text.splitlines() if "a\\|b" in line)
    assert "\\*x\\*\\|\\[y\\](z)" in row
    assert "\\<b\\>" in row


def test_options_that_a_paper_leaves_open_are_told(told, numbers):
    assert "| RARE-Met | real\\_world | table | open | RARE Table 3 |" in markdown(summary(told, numbers))


def test_options_of_other_sections_are_told_too(told, numbers):
    told["open"] = [{"of": "Statistics", "name": "draws", "value": 1000, "tag": "open", "source": "A.2"}]
    assert "| Statistics | draws | 1000 | open | A.2 |" in markdown(summary(told, numbers))


def test_what_a_paper_wants_beside_a_number_stands_beside_it(told, changed):
    rows = [
        changed(
            "Overall Robustness", 0.5, headline=True, note="no cell of x: why; 2 differ: interval by an exact bound"
        ),
        changed("Overall Robustness: refusal rate", 0.25),
    ]
    text = shown(told, rows, 80, verbose=True)
    assert re.search(r"refused +0\.250", text) and "Overall Robustness: not tried with x: why" in text
    assert "exact bound" not in text
    written = markdown(summary(told, rows))
    assert "Overall Robustness: refusal rate | all | 0.250" in written
    assert "not tried with x: why; 2 differ" in written


def test_a_number_has_its_questions_and_whose_passages_it_is_of_beside_it(told, changed):
    real = "Real-World Retrieval Robustness"
    rows = [changed(real, 0.5, headline=True), changed(f"{real}: correct", 0.25)]
    rows += [changed(f"{real}: correct", 0.25, f"retriever={name}") for name in ("bm25", "dense", "own")]
    text, written = shown(told, rows, 120, verbose=True), markdown(summary(told, rows))
    assert re.search(r"scored +scored$", text, re.M) and re.search(rf"accuracy.* {rows[0].clusters}$", text, re.M)
    assert "interval | questions scored | scored |" in written
    for form in (text, written):
        assert "unchanged questions with passages that bm25 and dense found" in form
    told["statistics"]["cluster"] = "document"
    assert "interval | documents scored | scored |" in markdown(summary(told, rows))


def test_a_terminal_is_told_what_numbers_say_only_where_it_is_asked_for(told, numbers):
    brief, whole = (shown(told, numbers, 80, verbose) for verbose in (False, True))
    assert "share of answers that stay right" in whole and "share of answers that stay right" not in brief
    assert "or --verbose" in brief and "--verbose" not in whole
    assert len(brief.splitlines()) < len(whole.splitlines())
    assert brief.count("value [95 % interval]") == 1 and "Mind" not in brief


@pytest.mark.parametrize(
    ("note", "words"),
    [
        (
            "no cell of lexical_different: no_back_translation",
            "not tried with passages in other words: the benchmark has none",
        ),
        ("no cell with wording word: no_candidate", "not tried with questions changed by word: the benchmark has none"),
        ("no cell of gold: not drawn", "not tried with the right passages: not drawn"),
        ("2 of 9 differ: interval by an exact bound", "2 of 9 differ: interval by an exact bound"),
    ],
)
def test_what_nothing_was_tried_of_is_said_in_words(note, words):
    assert note_in_words(note) == words


def test_without_numbers_there_is_still_a_result(told):
    assert "# sample: evaluation" in markdown(summary(told, []))
    assert shown(told, [], 80)


@pytest.mark.parametrize(
    ("value", "text"),
    [(None, "–"), (0.12345, "0.123"), (-0.0001, "0.000"), (-0.25, "−0.250"), (12.34, "12.3"), (1234.5, "1,234")],
)
def test_numbers_are_written_for_readers(value, text):
    assert format_number(value) == text


@pytest.mark.parametrize(
    ("share", "text"),
    [(1.0, "100 %"), (0.9999, "99.9 %"), (0.9496, "94.9 %"), (0.61, "61 %"), (0.0, "0.0 %"), (1e-6, "< 0.1 %")],
)
def test_a_share_is_never_told_better_than_it_is(share, text):
    assert format_percent(share) == text


def test_no_interval_is_no_text():
    assert format_interval({"low": None, "high": 0.3}) == ""


def test_bounds_are_told_from_low_to_high_even_where_less_is_better():
    assert (
        format_withheld({"withheld": True, "coverage": 0.5, "worst": 0.9, "best": 0.2, "value": None})
        == "0.200 to 0.900 (50 % scored)"
    )


def test_a_number_of_which_too_little_was_scored_stands_before_its_range(told, changed):
    row = changed("Overall Robustness", 0.6, headline=True, withheld=True, worst=0.5, best=0.7)
    sure = changed("Query Robustness", 0.4, headline=True)
    result = summary(told, [row, sure])
    assert "0.600 (0.500 to 0.700)" in shown(told, [row, sure], 120)
    assert "0.600 (0.500 to 0.700; 100.0 % scored)".replace("100.0", "100") in markdown(result)


def test_why_a_sample_has_no_intervals_is_said_once_and_its_column_left_out(told, changed):
    bare = changed("Overall Robustness", 0.6, headline=True, withheld=False)
    sampled = {**told, "budget": {"calls": 9, "asked": 9, "of": 99, "look": False}}
    for written in (shown(sampled, [bare], 300), markdown(summary(sampled, [bare]))):
        assert written.count("No interval for numbers of a sample of under 30 questions") == 1
        assert "95 %" not in written
    sure = changed("Overall Robustness", 0.6, headline=True)
    assert "No interval" not in shown(sampled, [sure], 300) and "95 %" in shown(sampled, [sure], 300)


def test_a_robustness_that_is_refusals_alone_has_no_second_row(told, changed):
    whole, refused = (
        changed(name, 0.6, headline=True) for name in ("Document Robustness", "Document Robustness: refusal rate")
    )
    rows = list(with_companions([dataclasses.asdict(whole)], [dataclasses.asdict(refused)]))
    assert [row["metric"] for row in rows] == ["Document Robustness"] and rows[0]["note"] == "all of it refusals"
    other = {**dataclasses.asdict(refused), "value": 0.5}
    assert len(list(with_companions([dataclasses.asdict(whole)], [other]))) == 2
