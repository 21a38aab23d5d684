"""The same number however it is written, and no other."""

import tracemalloc
from decimal import ROUND_HALF_UP, Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rarefy.tasks.perturb.context.swaps import format_like
from rarefy.tasks.text.notations import contains_answer, find_numbers, is_same_number, may_state_number
from rarefy.tasks.text.quantities import quantities


@pytest.mark.parametrize(
    ("answer", "text"),
    [
        ("$47,525", "Data Center | $47,525 | $15,005"),
        ("$47,525", "revenue of $47.5 billion, up 217%"),
        ("$47,525", "about $47.525 billion"),
        ("$47,525 million", "| Data Center | 47,525 |"),
        ("$47.5 billion", "revenue was $47,525 million"),
        ("47,525", "47525"),
        ("$1,234,567", "1,234.567 thousand"),
        ("(1,234)", "a loss of $1,234 million"),
        ("12%", "rose 12 percent"),
        ("12.5%", "12.5"),
        ("approximately 164,000", "164,000 full-time equivalent employees"),
        ("Delaware", "incorporated in DELAWARE in 1998"),
        ("Ernst &  Young LLP", "by Ernst & Young\nLLP,"),
        ("5", "We have 5 segments."),
        ("1,234,567,890,123,456,789", "1234567890123456789 units"),
        ("0.1234567890123", "a factor of .1234567890123"),
        ("161,000", "1,61,000 rupees"),
        ("$5 million", "from $5 to $6 million"),
        ("0.25 percentage points", "by 25 basis points"),
    ],
)
def test_an_answer_is_found_in_every_notation(answer, text):
    assert contains_answer(text, answer)


@pytest.mark.parametrize(
    ("answer", "text"),
    [
        ("12%", "| growth | 112% | 12.5% |"),
        ("12%", "in 12 countries"),
        ("5", "2015 and 15 and 5.5 and $1,005"),
        ("$47,525", "$47,526 and $475.25 and 4,752"),
        ("$2,024", "in fiscal year 2024"),
        ("$5 million", "$5 billion"),
        ("Delaware", "incorporated in Maryland"),
        ("10,000", "its annual report on Form 10-K"),
        ("3,000,000", "goods that 3M sold"),
        ("28", "as of September 30, 2024"),
    ],
)
def test_another_number_or_part_of_a_word_is_not_the_answer(answer, text):
    assert not contains_answer(text, answer)


def test_an_alias_counts_as_the_answer():
    assert contains_answer("listed on Nasdaq", "The NASDAQ Global Select Market", ["Nasdaq"])
    assert not contains_answer("listed on the NYSE", "The NASDAQ Global Select Market", ["Nasdaq", ""])


@given(st.integers(min_value=1000, max_value=10**9))
def test_thousands_separators_and_scale_words_do_not_hide_a_number(value):
    text = f"the sum was {value:,} thousand dollars"
    assert contains_answer(text, f"${value}")
    assert contains_answer(text, f"${value:,}")
    assert contains_answer(f"| x | {value} |", f"{value:,}") or 1900 <= value < 2100


@given(st.integers(min_value=100, max_value=10**7), st.integers(min_value=100, max_value=10**7))
def test_numbers_that_are_no_rounding_of_each_other_differ(a, b):
    first, second = find_numbers(f"{a:,}")[0], find_numbers(f"{b:,}")[0]
    digits = (str(a).rstrip("0"), str(b).rstrip("0"))
    if (
        not digits[0].startswith(digits[1][:2])
        and abs(int(digits[0][:2].ljust(2, "0")) - int(digits[1][:2].ljust(2, "0"))) > 1
    ):
        assert not is_same_number(first, second)


@given(st.text(max_size=200), st.text(max_size=20))
def test_any_text_can_be_searched(text, answer):
    assert contains_answer(text, answer) in (True, False)


@pytest.mark.parametrize("digits", ["9" * 25, "9" * 5_000, f"1{',234' * 8}"])
def test_digits_beyond_what_anybody_counts_are_no_number(digits):
    assert find_numbers(f"It was ${digits} million.") == () == find_numbers(digits)
    assert [number.figures for number in find_numbers(f"{digits} and 12")] == ["12"]


def test_memory_does_not_grow_with_the_texts_and_answers_that_were_read():
    tracemalloc.start()
    try:
        for at in range(2_400):
            contains_answer(
                f"{at} was 12 in 2020, 13 in 2021 and {at * 7:,} in 2022, " + "of which more. " * 8, f"${at},525"
            )
        for at in range(5):
            find_numbers(f"{at} and 12 " * 4_000)
        held = tracemalloc.get_traced_memory()[0]
    finally:
        tracemalloc.stop()
    assert held < 8_000_000  # bytes: of 2,000 texts at most, however many were read


@given(
    st.integers(min_value=1, max_value=10**9), st.integers(min_value=0, max_value=3), st.sampled_from((3, 6, 9, 12)),
    st.sampled_from((str, "{:,}".format)),
)  # fmt: skip
def test_what_a_notation_writes_is_read_as_it_was_meant(digits, decimals, scale, written):
    whole, rest = divmod(digits, 10**decimals)
    shown = written(whole) + (f".{rest:0{decimals}d}" if decimals else "")
    word = {3: "thousand", 6: "million", 9: "billion", 12: "trillion"}[scale]
    for text, sign, kind in (
        (f"${shown} {word}", 1, "money"),
        (f"-${shown} {word}", -1, "money"),
        (f"{shown}%", 1, "percent"),
    ):
        (read,) = quantities(f"It was {text}.")
        power = scale if kind == "money" else 0
        assert (read.kind, read.currency) == (kind, "USD" if kind == "money" else "")
        assert read.value == sign * Decimal(digits).scaleb(power - decimals)
        assert read.grain == Decimal(1).scaleb(power - decimals)


@given(st.decimals(min_value=1, max_value=10**9, places=2), st.sampled_from(("7", "1,234", "12.5", "47,525.0", ".5")))
def test_a_figure_written_like_another_is_read_with_its_value_and_grain(value, like_this):
    new = format_like(like_this, value)
    grain = Decimal(1).scaleb(-len(like_this.partition(".")[2]))
    (read,) = quantities(f"It was ${new} million.")
    assert (read.value, read.grain) == (value.quantize(grain, ROUND_HALF_UP).scaleb(6), grain.scaleb(6))
    assert read.grouped == ("," in new)


SPARSE = st.lists(st.integers(0, 9), min_size=1, max_size=6).map(lambda digits: "".join(map(str, digits)))
SEPARATED = st.lists(
    st.tuples(SPARSE, st.sampled_from([",", ".", " ", "'", "\u00a0", "/", "-", ", ", " million ", "½ "]))
)


@given(SEPARATED, SPARSE, st.sampled_from(["{}", "${}", "{}%", "{} million", "{},000"]), st.sampled_from(["en", "de"]))
def test_no_number_is_passed_over_that_may_be_the_answer(pieces, digits, form, language):
    text = "".join(part + between for part, between in pieces)
    numbers = find_numbers(text, language)
    for sought in find_numbers(form.format(digits)):
        alike = any(is_same_number(sought, other) for other in numbers)
        assert may_state_number(text, [sought.figures]) or not alike


@pytest.mark.parametrize(
    ("figures", "text", "expected"),
    [
        ("47525", "revenue of $47.5 billion", True),
        ("47525", "revenue of $48 billion", True),
        ("475", "0.000475 of it", True),
        ("12", "12 of 300", True),
        ("125", "5 ½ of 300", True),  # fractions are read
        ("47525", "revenue of $52.1 billion in 2024", False),
        ("12", "125 and 1,250", False),
    ],
)
def test_whether_a_number_may_be_stated_is_told_by_how_numbers_begin(figures, text, expected):
    assert may_state_number(text, [figures]) is expected
