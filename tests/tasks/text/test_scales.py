"""What captions and headers say that their numbers count in."""

import pytest

from rarefy.tasks.text.scales import scales


@pytest.mark.parametrize(
    ("text", "powers"),
    [
        ("(in millions, except per share data)", [6]),
        ("(In thousands, except shares in millions)", [3, 6]),
        ("(dollars in billions)", [9]),
        ("($ millions)", [6]),
        ("(US$ million)", [6]),
        ("($ in thousands)", [3]),
        ("EUR in million", [6]),
        ("in €million", [6]),
        ("(thousands of U.S. dollars)", [3]),
        ("$000's", [3]),
        ("| Millions | 2024 |", [6]),
        ("What was it, in millions of US dollars?", [6]),
        ("$5 million and 3 billion people", []),
        ("millions of customers", []),
        ("in million-dollar homes", []),
        ("a fleet of 5,000 planes", []),
    ],
)
def test_a_scale_is_read_where_it_is_said(text: str, powers: list[int]) -> None:
    assert [one.power for one in scales(text)] == powers
