"""The one parser of quantities: a table of what is read, and that what a notation writes is read back."""

import re
from decimal import Decimal
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from rarefy.tasks.text.quantities import MOST_DIGITS, TENS, UNITS, Quantity, number, per, quantities

TABLE = Path(__file__).with_name("quantities.tsv")
CASES = [
    tuple(line.split("\t"))
    for line in TABLE.read_text(encoding="utf-8").splitlines()
    if line and not line.startswith("#")
]


def shown(one: Quantity, grain: bool) -> str:
    """A quantity as the table writes it."""
    part = {"from": " <", "to": " >", "": ""}[one.part]
    unit = f" {one.currency or one.unit}" if one.currency or one.unit else ""
    last = f" /{one.grain.normalize():f}" if grain else ""
    value = f"{one.value.normalize():f}" if one.value else "0"
    return f"{one.kind} {value}{unit}{last}{f' ~{one.bound}' if one.bound else ''}{part}"


def written(cell: str) -> list[str]:
    """What a row of the table asks for, in one notation of numbers."""
    found = []
    for one in [] if cell == "-" else cell.split(" ; "):
        kind, value, *rest = one.split(" ")
        rest = [f"/{Decimal(word[1:]).normalize():f}" if word.startswith("/") else word for word in rest]
        order = sorted(rest, key=lambda word: "/~<>".find(word[0]) + 1)
        number = Decimal(value)
        found.append(" ".join([kind, f"{number.normalize():f}" if number else "0", *order]))
    return found


@pytest.mark.parametrize(("text", "reading"), CASES)
def test_a_text_is_read_as_the_table_says(text: str, reading: str) -> None:
    wanted = written(reading)
    found = quantities(text)
    grains = ["/" in one for one in wanted] + [False] * len(found)
    assert [shown(one, grain) for one, grain in zip(found, grains, strict=False)] == wanted


def test_the_table_has_four_hundred_cases() -> None:
    assert len(CASES) >= 400
    assert len({text for text, _ in CASES}) == len(CASES)


AMOUNTS = st.decimals(min_value=Decimal("0.01"), max_value=Decimal("99999999.99"), places=2).map(
    lambda amount: amount.quantize(Decimal("0.01"))
)
FIGURES = st.integers(min_value=1, max_value=999)
SCALES = st.sampled_from([("thousand", 3), ("million", 6), ("billion", 9), ("trillion", 12)])
MONEY = {
    "USD": ("$", "US$", "USD "),
    "EUR": ("€", "EUR "),
    "GBP": ("£", "GBP "),
    "JPY": ("¥", "JPY "),
    "INR": ("₹", "Rs. "),
}
CURRENCY = st.sampled_from([(code, mark) for code, marks in MONEY.items() for mark in marks])
SAID_ABOUT = st.sampled_from(["Revenue was {}.", "{}", "It paid {} in May.", "| {} |", "between {} and nothing"])


def only(text: str) -> Quantity:
    """The one quantity of a text."""
    found = quantities(text)
    assert len(found) == 1, (text, found)
    return found[0]


@given(AMOUNTS, CURRENCY, SAID_ABOUT)
def test_a_sum_with_separators_is_read_as_it_was_written(
    amount: Decimal, currency: tuple[str, str], frame: str
) -> None:
    code, mark = currency
    one = only(frame.format(f"{mark}{amount:,}"))
    assert (one.kind, one.value, one.currency, one.grain) == ("money", amount, code, Decimal("0.01"))


@given(AMOUNTS, CURRENCY)
def test_brackets_and_minus_signs_around_a_sum_mean_less_than_nothing(
    amount: Decimal, currency: tuple[str, str]
) -> None:
    for form in ("{}({})", "({}{})", "-{}{}", "{}-{}", "−{}{}"):
        one = only(form.format(currency[1], f"{amount:,}"))
        assert (one.value, one.currency) == (-amount, currency[0]), form


@given(FIGURES, st.integers(min_value=0, max_value=9), SCALES, SAID_ABOUT)
def test_every_way_to_write_a_scale_says_the_same(whole: int, tenths: int, scale: tuple[str, int], frame: str) -> None:
    word, power = scale
    letters = {3: ("K", "k"), 6: ("M", "m", "mn", "mm"), 9: ("B", "b", "bn"), 12: ("T", "t", "tn")}[power]
    wanted, grain = Decimal(f"{whole}.{tenths}").scaleb(power), Decimal(1).scaleb(power - 1)
    for form in (f"${whole}.{tenths} {word}", f"{whole}.{tenths} {word} dollars"):
        one = only(frame.format(form))
        assert (one.kind, one.value, one.grain, one.scale) == ("money", wanted, grain, power), form
    for letter in letters:
        one = only(frame.format(f"${whole}.{tenths}{letter}"))
        assert (one.kind, one.value, one.grain, one.scale) == ("money", wanted, grain, power), letter


@given(st.integers(min_value=100_000, max_value=10**12))
def test_every_way_to_group_digits_says_the_same(number: int) -> None:
    english = f"{number:,}"
    digits = str(number)
    indian, rest = digits[-3:], digits[:-3]
    while rest:
        indian, rest = f"{rest[-2:]},{indian}", rest[:-2]
    groups = [english.replace(",", mark) for mark in ("'", "’", "\u00a0", "\u202f")]
    for form in (english, indian, digits, *groups, f"{english.replace(',', '.')},0".replace(",0", ",00")):
        assert only(form).value == number, form


@given(AMOUNTS, st.sampled_from(["%", " %", " percent", " per cent", " pct"]), st.sampled_from(["", "-", "+"]))
def test_a_share_is_read_with_its_sign(amount: Decimal, unit: str, sign: str) -> None:
    one = only(f"{sign}{amount:,}{unit}")
    assert (one.kind, one.grain) == ("percent", Decimal("0.01"))
    assert one.value == (-amount if sign == "-" else amount)


@given(FIGURES)
def test_basis_points_are_hundredths_of_points(number: int) -> None:
    for unit in ("basis points", "bps", "bp"):
        one = only(f"{number} {unit}")
        assert (one.kind, one.value, one.grain) == ("points", Decimal(number) / 100, Decimal("0.01"))


def worded(number: int) -> str:
    """A whole number below a thousand millions in English words."""
    small = [*UNITS]
    tens = {n: word for word, n in TENS.items()}
    if number < 20:
        return small[number]
    if number < 100:
        return tens[number - number % 10] + (f"-{small[number % 10]}" if number % 10 else "")
    for size, name in ((10**6, "million"), (1000, "thousand"), (100, "hundred")):
        if number >= size:
            rest = number % size
            between = " and " if rest and rest < 100 and size == 100 else " "
            return f"{worded(number // size)} {name}" + (between + worded(rest) if rest else "")
    raise AssertionError(number)


@given(st.integers(min_value=2, max_value=10**9 - 1))
def test_a_number_in_words_is_read_as_the_number(number: int) -> None:
    assert only(worded(number)).value == number
    assert only(f"{worded(number)} employees").value == number


@given(st.text(alphabet="0123456789,.$%()-+ KMBTxabc\n|½€", max_size=60))
@example("0\n½")
def test_spans_are_in_order_and_apart_and_every_value_is_finite(text: str) -> None:
    last = 0
    for one in quantities(text):
        assert last <= one.start < one.end <= len(text)
        assert one.value.is_finite()
        assert one.grain >= 0
        last = one.end


@given(AMOUNTS, st.sampled_from(["", "Apollo 16 flew. ", "See Form 10-K. ", "3M grew. ", "In net-zero plans, "]))
def test_a_name_before_a_sum_changes_nothing_of_it(amount: Decimal, name: str) -> None:
    assert only(f"{name}It paid ${amount:,}.").value == amount


@pytest.mark.parametrize(
    "unit",
    ["47 ", "1,234 ", "1 234 ", "one ", "one hundred and ", "(", "$", " ", "-", "1. ", "5-", "5 to ", "[1,", "9", "a"],
)
def test_reading_is_linear_in_the_length_of_the_text(unit: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of four times the text four times as many numbers are looked at, each with no more than its surroundings."""
    from rarefy.tasks.text import quantities as module

    looked: list[int] = []
    read = module._read

    def counted(text: str, hit: re.Match[str], language: str, last: int) -> tuple[Quantity | None, int]:
        one, at = read(text, hit, language, last)
        assert at > hit.start()
        looked.append(at)
        return one, at

    monkeypatch.setattr(module, "_read", counted)
    counts = []
    for size in (5_000, 20_000):
        looked.clear()
        quantities((unit * size)[:size])
        counts.append(len(looked))
    assert counts[1] <= 4 * counts[0] + 8


def test_a_row_of_digits_too_long_for_a_quantity_is_none() -> None:
    assert quantities("9" * MOST_DIGITS)
    assert not quantities("9" * (MOST_DIGITS + 1))
    assert not quantities("1" + " million" * 9)


def test_another_language_reads_its_points_as_separators() -> None:
    assert quantities("1.234", language="de")[0].value == 1234
    assert quantities("1,234", language="de")[0].value == Decimal("1.234")
    assert quantities("1.234")[0].value == Decimal("1.234")


def test_a_whole_cell_is_one_number_or_none() -> None:
    for text, value in (("$ (1,234)", -1234), ("12,345 (1)", 12345), ("about 5 percent", 5), (" 7 * ", 7)):
        one = number(text)
        assert one is not None and one.value == value, text
    for text in ("Revenue 5", "5 to 6", "—", "", "Form 10-K", "5 stores"):
        assert number(text) is None, text


def test_a_raised_digit_behind_a_number_is_a_mark_but_where_it_may_be_a_power() -> None:
    for text, value in (("35 ¹", 35), ("3.1²", Decimal("3.1")), ("5,240 ¹⁰", 5240), ("12%³", 12), ("(7)¹", -7)):
        one = number(text)
        assert one is not None and one.value == value, text
    for text in ("10²", "35¹", "5 m²"):
        one = number(text)
        assert one is None or one.kind != "bare", text


def test_what_a_sum_is_for_is_told() -> None:
    text = "It earned $1.76 per diluted share."
    assert per(text, only(text)) == "share"
