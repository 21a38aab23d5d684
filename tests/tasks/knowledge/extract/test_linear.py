"""No table, label or amount takes more than about its share of time: what is four times as long takes four times."""

from collections.abc import Callable

import pytest
from linear import long, longer_than_linear

from rarefy.data_contracts.rows import Chunk, Document
from rarefy.tasks.knowledge.extract import ExtractConfig, extract
from rarefy.tasks.knowledge.extract.claim_values import value_type
from rarefy.tasks.knowledge.extract.deadlines import parse_rule
from rarefy.tasks.knowledge.extract.registrant import _is_note

YEARS = ("Years ended September 28, 2024", "Years ended September 30, 2023")
PIECES = ("47 ", "(", "- ", "fiscal year 2024 ", "shares in ")


def table(*rows: tuple[str, ...], lead: str = "") -> str:
    head, *rest = ["| " + " | ".join(row) + " |" for row in rows]
    lines = [
        lead,
        "CONSOLIDATED STATEMENTS OF OPERATIONS",
        "(In millions)",
        "",
        head,
        "|---" * len(rows[0]) + "|",
        *rest,
    ]
    return "\n".join([*lines, ""])


def facts(text: str, *methods: str) -> int:
    """How many facts are taken from a table."""
    document = Document(
        *("d", "h", "s", "t", "text/html", text), entity="Acme Inc.", domain="finance", form="10-K", fiscal_year=2024,
        period_start="2023-10-01", period_end="2024-09-28",
    )  # fmt: skip
    chunk = Chunk("c", "d", 0, len(text), "table", "Item 8 > CONSOLIDATED STATEMENTS OF OPERATIONS", text, 1)
    return len(list(extract([chunk], ExtractConfig(methods=methods), documents={"d": document})))


SHAPES: dict[str, Callable[[Callable[[int], str], int], str]] = {
    "cell": lambda it, n: table(("", *YEARS), ("Net sales", f"12 {it(n)} x", "12"), ("Cost of sales", "13", "14")),
    "label": lambda it, n: table(("", *YEARS), (f"Net {it(n)} sales", "11", "12"), ("Cost of sales", "13", "14")),
    "header": lambda it, n: table((it(n), f"{it(n)} 2024", YEARS[1]), ("Net sales", "11", "12")),
    "group": lambda it, n: table(("", *YEARS), (f"Net {it(n)} x:", "", ""), ("Net sales", "11", "12")),
    "lead": lambda it, n: table(("", *YEARS), ("Net sales", "11", "12"), lead=it(n)),
    "officer": lambda it, n: table(("Name", "Age", "Position"), (f"A. {it(n)} B", "5", f"Chief {it(n)} Officer")),
}
TABLES: dict[str, Callable[[int], str]] = {
    "columns": lambda n: table(("", *YEARS * (n // 10)), ("Net sales", *("12",) * (n // 5))),
    "rows": lambda n: table(("", *YEARS), *(("Net sales", "12", "13"),) * (n // 20)),
    "groups": lambda n: table(
        ("", *YEARS), *((f"Group {i}:", "", "") for i in range(n // 20)), ("Net sales", "1", "2")
    ),
    "tables": lambda n: table(("", *YEARS), ("Net sales", "12", "13")) * (n // 180),
    "a row of bars": lambda n: table(("", *YEARS), ("Net sales", "12", "13")) + "|" * n,
    "a rule that is none": lambda n: "| a | b |\n|" + "---|  " * (n // 6) + "x\n| a | 1 |\n",
}


@pytest.mark.parametrize("piece", PIECES)
@pytest.mark.parametrize("shape", SHAPES)
def test_a_long_part_of_a_table_takes_no_more_than_its_share(shape: str, piece: str) -> None:
    facts(table(("", *YEARS), ("Net sales", "11", "12")), "tables", "officers")
    assert not longer_than_linear(lambda n: facts(SHAPES[shape](long(piece), n), "tables", "officers"))


@pytest.mark.parametrize("name", TABLES)
def test_a_table_of_many_parts_takes_no_more_than_its_share(name: str) -> None:
    assert not longer_than_linear(lambda n: facts(TABLES[name](n), "tables", "officers"))


@pytest.mark.parametrize("piece", PIECES)
@pytest.mark.parametrize("read", [value_type, _is_note, lambda text: parse_rule(f"It must pay {text}.")])
def test_a_long_amount_takes_no_more_than_its_share(read: Callable[[str], object], piece: str) -> None:
    assert not longer_than_linear(lambda n: read(long(piece)(n) + "x"))


def test_a_row_as_wide_as_a_survey_is_read_and_one_that_no_page_holds_is_not() -> None:
    wide = table(("", *YEARS), ("Net sales", *("12",) * 2), ("Cost of sales", "13", "14" + " " * 15_000))
    assert facts(wide, "tables") == 4
    assert facts(wide.replace("14", "14" + " " * 10_000), "tables") == 2


def test_what_is_too_long_for_a_label_or_a_number_hides_no_other_fact() -> None:
    rows = (("Net sales", "11", "12"), ("x" * 5_000, "13", "14"), ("Cost of sales", "9" * 500, "15"))
    assert facts(table(("", *YEARS), *rows), "tables") == 3


@pytest.mark.parametrize(
    ("title", "note"), [("1.375% Notes due 2029", True), ("Common Stock 5%", False), ("2029 Notes, 1.375%", False)]
)
def test_a_note_gives_its_rate_before_its_year(title: str, note: bool) -> None:
    assert _is_note(title) is note


@pytest.mark.parametrize(
    "said", ["fiscal year 2024", "January 1, 2024", "the end of fiscal year 2024", "first quarter of 2024"]
)
def test_a_date_is_still_a_date(said: str) -> None:
    assert value_type(said) == "DATE"
