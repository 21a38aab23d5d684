"""What captions and headers count in is read once: for sums, for numbers of shares, and to be taken off a header."""

import pytest
from linear import long, longer_than_linear

from rarefy.tasks.text.notations import counted_in, scales, without_scales

APPLE = "(In millions, except number of shares, which are reflected in thousands, and per-share amounts)"


@pytest.mark.parametrize(
    ("caption", "sums", "shares"),
    [
        ("(In millions, except per share amounts)", 6, 6),
        ("(in millions, except share and per share data)", 6, 0),
        (APPLE, 6, 3),
        ("(shares in thousands, dollars in millions)", 6, 3),
        ("In millions, except shares in thousands, and per share data", 6, 3),
        ("net income in millions and shares in thousands", 6, 3),
        ("Dollars and shares in millions", 6, 6),
        ("(dollars in thousands)", 3, 3),
        ("($ in billions)", 9, 9),
        ("($ millions)", 6, 6),
        ("(in € million)", 6, 6),
        ("(Thousands of U.S. dollars)", 3, 3),
        ("in 000s", 3, 3),
        ("Billions", 9, 9),
        ("All in thousands\nThis table in millions", 6, 6),  # the nearest
        ("Net sales by category", None, None),
        ("It cost $5 million in 2024", None, None),
        ("invested in million-dollar homes", None, None),
        ("Millions came to see it.", None, None),
        ("5,000s of them", None, None),
        ("(US$ million)", 6, 6),
        ("EUR in million", 6, 6),
        ("in €million", 6, 6),
        ("What was it, in millions of US dollars?", 6, 6),
        ("millions of customers", None, None),
    ],
)
def test_a_caption_states_what_sums_and_shares_are_counted_in(caption, sums, shares):
    assert counted_in(caption) == sums
    assert counted_in(caption, shares=True) == shares


@pytest.mark.parametrize(
    ("header", "left"),
    [
        ("Fair value (in millions)", "Fair value"),
        (f"Income {APPLE} in all", "Income in all"),
        ("(dollars in thousands) Europe", "Europe"),
        ("Gross (1) in millions", "Gross (1)"),
        ("Greater China", "Greater China"),
    ],
)
def test_a_header_is_left_without_its_scale(header, left):
    assert " ".join(without_scales(header).split()) == left


def test_a_scale_stands_where_it_is_said_to_stand():
    (one, two) = scales(APPLE)
    assert APPLE[one.start : one.end] == "In millions" and not one.shares
    assert APPLE[two.start : two.end] == "in thousands" and two.shares


@pytest.mark.parametrize(
    "piece",
    ["in millions ", "(in millions) ", "(in millions ", "share ", "shares in thousands, ", "except ", "(", " .\n"],
)
def test_captions_of_any_length_are_read_in_the_time_of_their_length(piece):
    def work(n):
        text = long(piece)(n)
        return counted_in(text), counted_in(text, shares=True), without_scales(text)

    assert longer_than_linear(work) == ""
