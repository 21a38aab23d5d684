"""The one parser of quantities: a table of what is read, and that what a notation writes is read back."""

from decimal import Decimal
from pathlib import Path

import pytest

from rarefy.tasks.text.quantities import Quantity, quantities

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
