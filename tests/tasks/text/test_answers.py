"""Whether an answer stands in a text: what is stated word for word is read, and what else a text says is no matter."""

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rarefy.tasks.text.answers import find_readable, find_verbatim
from rarefy.tasks.text.notations import contains_answer

AMOUNTS = st.decimals(min_value=Decimal("1"), max_value=Decimal("99999999"), places=1)
WRITTEN = st.sampled_from(["{:,.1f}", "${:,.1f}", "{:,.1f}%", "${:,.1f} million", "EUR {:,.1f} billion", "{:.1f}"])
NAMES = st.sampled_from(["Ernst & Young LLP", "U.S. Dollar", "the Banco de México", "Christopher K. Cox", "Nvidia"])
DAYS = st.dates().filter(lambda day: day.year > 1900).map(lambda day: f"{day:%B} {day.day}, {day.year}")
# a soft hyphen alone shows nothing, and is no answer
SHOWN = st.text(min_size=1, max_size=12).filter(lambda text: any(letter.isprintable() for letter in text))
ANSWERS = st.one_of(st.builds(str.format, WRITTEN, AMOUNTS), NAMES, DAYS, SHOWN)
FRAMES = st.sampled_from(
    ["It was {}.", "{}", "| Total | {} |", "according to {}, the auditor", "It said: {} (unaudited)."]
)
ASIDE = "The weather in Oslo was mild, and the concert began late because the pianist had missed her train."


@given(ANSWERS, FRAMES)
def test_what_is_stated_is_never_absent(answer: str, frame: str) -> None:
    text = frame.format(answer)
    assert not find_verbatim(text, answer) or find_readable(text, answer), (text, answer)
    assert not contains_answer(text, answer) or find_readable(text, answer), (text, answer)


@given(st.one_of(st.builds(str.format, WRITTEN, AMOUNTS), NAMES, DAYS), FRAMES)
def test_an_answer_that_a_sentence_was_made_with_is_stated_and_readable(answer: str, frame: str) -> None:
    assert find_verbatim(frame.format(answer), answer) and find_readable(frame.format(answer), answer)


@given(st.one_of(st.builds(str.format, WRITTEN, AMOUNTS), NAMES, DAYS), ANSWERS, FRAMES)
def test_a_sentence_about_something_else_makes_nothing_stated_or_absent(answer: str, other: str, frame: str) -> None:
    text = frame.format(other)
    assert bool(find_verbatim(text, answer)) == bool(find_verbatim(f"{text} {ASIDE}", answer))
    assert bool(find_readable(text, answer)) == bool(find_readable(f"{text} {ASIDE}", answer))


@pytest.mark.parametrize(
    ("answer", "text", "told"),
    [
        ("$47,525 million", "about $47.525 billion", "$47,525 million, in another notation"),
        ("2.5", "two and a half percent or so", ""),
        ("3.5 million", "three and a half million people", "3.5 million, in another notation"),
        ("Nvidia", "by NVIDIA", "Nvidia"),
        ("yes", "Yes, it is.", ""),
        ("497", "Form 497K of 1497", ""),
    ],
)
def test_how_it_can_be_read_is_told(answer: str, text: str, told: str) -> None:
    assert find_readable(text, answer) == told
