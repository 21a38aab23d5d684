"""A passage holds the answer where a string match would find it, and no noise does in any notation."""

import json
import tracemalloc

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st
from linear import long, longer_than_linear

from rarefy.tasks.perturb.case import Case, Draft
from rarefy.tasks.perturb.checks import answer_kept, answer_readable, no_answer


def case(text: str, answer: str, *aliases: str) -> Case:
    return Case("c", "document", text, answer=answer, aliases=aliases)


@pytest.mark.parametrize(
    ("answer", "text"),
    [
        ("5", "We have 5 segments."),
        ("Ernst & Young", "audited by ERNST &  YOUNG\nLLP"),
        ("Banco de México", "the Banco de Mexico"),
        ("approximately 164,000", "about 164,000 people"),
        ("the Nasdaq", "on Nasdaq"),
        ("U.S. Dollar", "the US dollar"),
        ("Johnson’s", "Johnson's"),
    ],
)
def test_an_answer_is_kept_whatever_its_case_spacing_and_article(answer: str, text: str) -> None:
    assert answer_kept(case(f"It says {answer} here.", answer), Draft(text)) == ""


@pytest.mark.parametrize(
    ("answer", "text"),
    [
        ("5", "in 2015, 15, 5.5, 1,005 and 5,000"),
        ("$47,525 million", "$47,526 million"),
        ("Delaware", "in Maryland"),
        ("over 75%", "over 76%"),
        ("Cook", "Cookies"),
        ("12%", "112%"),
        ("", "x") if False else ("x y", "xy"),
    ],
)
def test_a_lost_answer_is_told(answer: str, text: str) -> None:
    assert answer_kept(case(f"It says {answer} here.", answer), Draft(text)) == f"answer_lost: {answer}"


def test_an_alias_keeps_it_and_what_was_not_there_cannot_be_lost() -> None:
    assert answer_kept(case("It was $47.5 billion.", "47,525", "$47.5 billion"), Draft("It was $47.5 billion!")) == ""
    assert answer_kept(case("Nothing here.", "47,525"), Draft("Nothing.")) == ""
    assert answer_kept(case("No, it is not.", "no"), Draft("It is.")) == ""


@pytest.mark.parametrize(
    ("answer", "text"),
    [
        ("$47,525 million", "about $47.525 billion"),
        ("$47,525", "| Data Center | 47,525 |"),
        ("five", "We have 5 segments."),
        ("5", "We have five segments."),
        ("September 28, 2024", "on 28 September 2024"),
        ("12%", "by 12 percent"),
        ("Christopher K. Cox", "led by Christopher Cox"),
        ("Ernst & Young LLP", "audited by Ernst & Young"),
        ("the Banco de México", "banco de mexico"),
    ],
)
def test_noise_must_not_hold_the_answer_in_any_notation(answer: str, text: str) -> None:
    assert no_answer(case("", answer), Draft(text)).startswith("answer_remains")


@pytest.mark.parametrize(
    ("answer", "text"),
    [
        ("5", "in 2015 and 15 and 5.5"),
        ("$47,525", "$47,526 and $475.25"),
        ("12%", "12 countries"),
        ("Delaware", "Maryland"),
        ("no", "There is no answer here."),
        ("", "anything"),
        ("11,234", "111,234"),
    ],
)
def test_what_is_not_the_answer_may_stand_in_noise(answer: str, text: str) -> None:
    assert no_answer(case("", answer), Draft(text)) == ""


HIDDEN = [
    ("COVID-19", "the COVID\u201119 pandemic"),
    ("COVID-19", "the COVID\u201019 pandemic"),
    ("AT&T", "sold by AT&amp;T in May"),
    ("Ernst & Young", "by Ernst &#38; Young"),
    ("Nvidia", "made by Nvi\u200bdia"),
    ("Nvidia", "made by Nvi\u2060di\ufe0fa"),
    ("$1,200 million", "about $1 200 million"),
    ("$1,200 million", "about $1\u202f200 million"),
    ("$1,200 million", "about $1'200 million"),
    ("$1,200 million", "about $1’200 million"),
    ("4,500", "four thousand five hundred people"),
    ("4,500", "four thousand, five hundred people"),
    ("4,500", "4\u2009500 people"),
    ("1,200,000", "one million two hundred thousand"),
    ("125", "one hundred and twenty-five"),
    ("$3.5 million", "three and a half million dollars"),
    ("four thousand five hundred", "about 4,500 people"),
    ("November 5, 2024", "on 11/05/2024"),
    ("November 5, 2024", "on 05/11/2024"),
    ("November 5, 2024", "on 5 November 2024"),
    ("November 5, 2024", "on Nov. 5, 2024"),
    ("November 5, 2024", "on 2024-11-05"),
    ("November 5, 2024", "am 05.11.2024"),
    ("November 5, 2024", "am 5. November 2024"),
    ("November 5, 2024", "le 5 novembre 2024"),
    ("on November 5, 2024", "5 Nov 2024"),
    ("11/05/2024", "on November 5, 2024"),
    ("December 31, 2023", "zum 31. Dezember 2023"),
    ("$47,500 million", "47.500 Millionen Euro"),
    ("$47.5 billion", "47,5 Milliarden"),
    ("$47.5 billion", "47,5 Mrd. USD"),
    ("$47.5 billion", "47,5 milliards"),
    ("1,200.5", "von 1 200,5 auf"),
    ("1,200.5", "von 1.200,5 auf"),
    ("12.5%", "um 12,5 %"),
    ("12.5%", "12,5 Prozent"),
]
OTHER = [
    ("4,500", "four thousand six hundred"),
    ("567", "five six seven"),
    ("$47,500", "47,6 Milliarden"),
    ("November 5, 2024", "11/06/2024"),
    ("November 5, 2024", "5 December 2024"),
    ("12.5%", "12,6 %"),
    ("AT&T", "AT&amp;S"),
    ("1,200", "1 201 and 2 000"),
]


@pytest.mark.parametrize(("answer", "text"), HIDDEN)
def test_noise_is_refused_where_a_reader_finds_the_answer_in_other_signs_words_or_languages(
    answer: str, text: str
) -> None:
    assert no_answer(case("", answer), Draft(text)).startswith("answer_remains")


@pytest.mark.parametrize(("answer", "text"), OTHER)
def test_noise_with_another_number_date_or_name_in_those_notations_is_kept(answer: str, text: str) -> None:
    assert no_answer(case("", answer), Draft(text)) == ""


def test_an_answer_with_a_hyphen_that_does_not_break_is_kept() -> None:
    assert answer_kept(case("It is COVID-19 here.", "COVID-19"), Draft("It is COVID\u201119 here.")) == ""


@pytest.mark.parametrize(
    "piece", ["1 200 ", "four thousand ", "11/05/2024 ", "&amp;", "47.500,5 ", "a\u200b\u2011", "1.1"]
)
def test_a_passage_of_any_signs_is_searched_in_the_time_of_its_length(piece: str) -> None:
    def work(n: int) -> None:
        text = long(piece)(n)
        no_answer(case("", "$47,525 million"), Draft(text))
        no_answer(case("", "November 6, 2019"), Draft(text))

    assert longer_than_linear(work) == ""


def test_memory_does_not_grow_with_the_texts_that_were_searched() -> None:
    tracemalloc.start()
    try:
        for at in range(5):
            no_answer(case("", "$47,525 million"), Draft(f"{at} It was 12 in 2020. " * 600))
        held = tracemalloc.get_traced_memory()[0]
    finally:
        tracemalloc.stop()
    assert held < 400_000  # bytes; fewer than the caches of whole texts took


HARD = 'He said: "5 < 6 & \\ {a: [b]} # x" — </body> © \u05d0\u05d1 \u200f 🙂'


@pytest.mark.parametrize(
    "written",
    [
        json.dumps({"title": "T", "text": HARD}),
        json.dumps({"title": "T", "text": HARD}, ensure_ascii=False),
        yaml.safe_dump({"Title": "T", "Text": HARD}, allow_unicode=True, sort_keys=False),
        '<!DOCTYPE html><html lang="en"><head><title>T</title></head><body>'
        + HARD.replace("&", "&amp;").replace("<", "&lt;")
        + "</body></html>",
        "# T\n\n" + "".join(f"\\{c}" if c in '\\#*_[]{}<>"&' else c for c in HARD),
    ],
)
def test_an_escaped_answer_is_read_as_its_reader_would(written: str) -> None:
    assert answer_readable(case(HARD, '"5 < 6 & \\ {a: [b]} # x"'), Draft(written)) == ""
    assert answer_readable(case(HARD + " Oslo", "Oslo"), Draft(written)) == "answer_lost: Oslo"


@pytest.mark.parametrize("broken", ['{"title": "a", "text": "b"b"}', "Title: a: b: c\nText: [x", "Title: x"])
def test_a_format_that_cannot_be_read_says_so(broken: str) -> None:
    found = answer_readable(case("Oslo", "Oslo"), Draft(broken))
    assert found.startswith(("unreadable: ", "answer_lost: "))


@given(st.text(max_size=60), st.text(max_size=20), st.text(max_size=60))
def test_any_text_can_be_searched_and_no_noise_holds_a_kept_answer(before: str, answer: str, after: str) -> None:
    one = case(f"{before} {answer} {after}", answer)
    assert answer_kept(one, Draft(one.text)) == ""
    no_answer(one, Draft(after))
