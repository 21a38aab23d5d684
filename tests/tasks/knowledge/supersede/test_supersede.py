"""What a later document says otherwise supersedes; rounding, later periods, copies and ties do not."""

from collections.abc import Iterable
from itertools import permutations
from typing import Any

import pytest

from rarefy.data_contracts.rows import Document, Triplet, row_id
from rarefy.tasks.knowledge.supersede import SupersedeConfig, supersede
from rarefy.tasks.knowledge.supersede.latest import is_later

ACME = "ORG:Acme Inc."


def document(name: str, as_of: str = "", period: str = "", form: str = "10-K", **told: Any) -> Document:
    told = {"entity": "Acme Inc.", **told}
    return Document(name, "hash", name, "", "text/html", "", form=form, as_of=as_of, period_end=period, **told)


FY23 = document("fy23", "2024-02-15", "2023-12-31")
AMENDED = document("fy23a", "2024-06-20", "2023-12-31", "10-K/A")
FY24 = document("fy24", "2025-02-14", "2024-12-31")
FY25 = document("fy25", "2026-02-13", "2025-12-31")


def figure(home: Document, shown: str, value: str, **told: Any) -> Triplet:
    told = {
        "relation": "Net sales", "unit": "USD", "period": "fiscal year 2023", "period_start": "2023-01-01",
        "period_end": "2023-12-31", "method": "table", "subject_key": ACME, "object_type": "MONEY", **told,
    }  # fmt: skip
    name = row_id(home.doc_id, shown, *(str(value) for value in told.values()))
    return Triplet(
        name, "c", home.doc_id, 0, 1, "Acme Inc.", object=shown, source_sentence=shown, answer=shown, value=value,
        subject_type="ORG", relation_key=told["relation"].lower(), object_key=f"MONEY:{value}", **told,
    )  # fmt: skip


def thing(home: Document, subject: str, relation: str, name: str, kinds: str = "ORG GPE", **told: Any) -> Triplet:
    kind, other = kinds.split()
    return Triplet(
        row_id(home.doc_id, subject, relation, name), "c", home.doc_id, 0, 1, subject, relation, name, "…",
        told.pop("method", "cover"), kind, other, answer=name, subject_key=f"{kind}:{subject}",
        relation_key=relation, object_key=f"{other}:{name}", **told,
    )  # fmt: skip


def run(rows: Iterable[Triplet], *homes: Document) -> list[Triplet]:
    return list(supersede(rows, SupersedeConfig(), documents={home.doc_id: home for home in homes}))


def gone(rows: Iterable[Triplet]) -> dict[str, tuple[str, str]]:
    """What was superseded, as document: (valid_to, the document of what did it)."""
    rows = list(rows)
    home = {row.triplet_id: row.doc_id for row in rows}
    assert all(bool(row.superseded_by) == (row.rejected_because == "superseded") for row in rows)
    return {row.doc_id: (row.valid_to, home[row.superseded_by]) for row in rows if row.superseded_by}


def test_a_fact_is_valid_from_its_documents_date_else_from_the_end_of_its_period() -> None:
    homes = (FY23, document("undated", period="2022-12-31"), document("bare", entity=""))
    rows = run([figure(home, "$4", "4") for home in homes], *homes)
    assert [row.valid_from for row in rows] == ["2024-02-15", "2022-12-31", ""]


def test_a_figure_restated_by_a_later_document_is_superseded_by_the_first_that_says_so() -> None:
    rows = [figure(FY23, "$4,120", "4120"), figure(AMENDED, "$4,080", "4080"), figure(FY24, "$4,060", "4060")]
    expected = {"fy23": ("2024-06-20", "fy23a"), "fy23a": ("2025-02-14", "fy24")}
    for order in permutations(rows):
        assert gone(run(order, FY23, AMENDED, FY24)) == expected


def test_what_a_still_later_document_says_again_stands() -> None:
    rows = [figure(FY23, "$4,120", "4120"), figure(FY24, "$4,060", "4060"), figure(FY25, "$4,120", "4120")]
    assert gone(run(rows, FY23, FY24, FY25)) == {"fy24": ("2026-02-13", "fy25")}


@pytest.mark.parametrize(
    "told",
    [
        {"period": "fiscal year 2024", "period_start": "2024-01-01", "period_end": "2024-12-31"},
        {"period_start": "2023-10-01"},
        {"unit": "EUR"},
        {"relation": "Net sales, Europe"},
        {"subject_key": "ORG:Bolt Corp."},
        {"method": "reading"},
        {"method": "deadline"},
        {"value": ""},
        {"rejected_because": "scope_not_in_label"},
    ],
)
def test_another_period_measure_or_holder_is_another_fact(told: dict[str, str]) -> None:
    value = told.pop("value", "4060")
    assert gone(run([figure(FY23, "$4,120", "4120"), figure(FY24, "$4,060", value, **told)], FY23, FY24)) == {}


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (("12.3 billion", "12300000000"), ("12,345", "12345000000")),
        (("12,345", "12345000000"), ("$12.3 billion", "12300000000")),
        (("4.2", "4.2"), ("4.20", "4.20")),
        (("1 billion", "1000000000"), ("1,234", "1234000000")),
        (("(512)", "-512000000"), ("512", "512000000")),  # how a table is set, which nobody can tell from here
    ],
)
def test_rounding_and_the_set_of_a_table_are_no_restatement(old: tuple[str, str], new: tuple[str, str]) -> None:
    assert gone(run([figure(FY23, *old), figure(FY24, *new)], FY23, FY24)) == {}


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (("12.3 billion", "12300000000"), ("12,245", "12245000000")),
        (("12.3 billion", "12300000000"), ("12.4 billion", "12400000000")),
        (("$1.74", "1.74"), ("$0.17", "0.17")),  # a split of shares, ten for one
        (("0", "0"), ("12", "12000000")),
    ],
)
def test_more_than_rounding_is_a_restatement(old: tuple[str, str], new: tuple[str, str]) -> None:
    assert gone(run([figure(FY23, *old), figure(FY24, *new)], FY23, FY24)) == {"fy23": ("2025-02-14", "fy24")}


def test_two_measures_under_one_label_are_left_to_the_gates() -> None:
    old = figure(FY23, "$4,120", "4120", concept="us-gaap:NetIncomeLoss")
    assert gone(run([old, figure(FY24, "$4,060", "4060", concept="us-gaap:ProfitLoss")], FY23, FY24)) == {}
    for concept in ("", "us-gaap:NetIncomeLoss", "acme:NetIncomeLoss"):
        assert gone(run([old, figure(FY24, "$4,060", "4060", concept=concept)], FY23, FY24))


def test_what_one_document_says_twice_is_not_one_value_at_a_time() -> None:
    rows = [figure(FY23, "$4,120", "4120"), figure(FY24, "$4,060", "4060"), figure(FY24, "$3,000", "3000")]
    assert gone(run(rows, FY23, FY24)) == {}


def test_two_latest_documents_that_disagree_decide_nothing() -> None:
    twin = document("twin", "2025-02-14", "2024-12-31")
    rows = [figure(FY23, "$4,120", "4120"), figure(FY24, "$4,060", "4060"), figure(twin, "$3,000", "3000")]
    assert gone(run(rows, FY23, FY24, twin)) == {}


def test_another_issuer_supersedes_nothing_and_one_number_is_one_issuer() -> None:
    rows = [figure(FY23, "$4,120", "4120"), figure(FY24, "$4,060", "4060")]
    bolt = document("fy24", "2025-02-14", "2024-12-31", entity="Bolt Corp.")
    nobody = (document("fy23", "2024-02-15", entity=""), document("fy24", "2025-02-14", entity=""))
    assert gone(run(rows, FY23, bolt)) == gone(run(rows, *nobody)) == {}
    renamed = document("fy24", "2025-02-14", "2024-12-31", entity="Acme Group", metadata={"cik": "0000000007"})
    numbered = document("fy23", "2024-02-15", "2023-12-31", metadata={"cik": "7"})
    assert gone(run(rows, numbered, renamed))
    assert not gone(run(rows, FY23, renamed))


def test_an_office_passes_to_another_whatever_the_period() -> None:
    chief = "chief executive officer of"
    rows = [
        thing(FY23, "Mara Voss", chief, "Acme Inc.", "PERSON ORG", period="fiscal year 2023", method="table"),
        thing(FY24, "Jonas Pell", f"is {chief}", "Acme Inc.", "PERSON ORG", method="model"),
        thing(FY24, "Ruth Calder", "chief financial officer of", "Acme Inc.", "PERSON ORG"),
    ]
    assert gone(run(rows, FY23, FY24)) == {"fy23": ("2025-02-14", "fy24")}


@pytest.mark.parametrize(("old", "new"), [("Colette M. Kress", "Colette Kress"), ("Jen-Hsun Huang", "Jensen Huang")])
def test_another_spelling_of_a_person_is_the_same_person(old: str, new: str) -> None:
    chief = "chief executive officer of"
    rows = [thing(home, name, chief, "Acme Inc.", "PERSON ORG") for home, name in ((FY23, old), (FY24, new))]
    assert gone(run(rows, FY23, FY24)) == {}


def test_two_who_share_an_office_supersede_nobody() -> None:
    chief = "chief executive officer of"
    rows = [thing(FY23, "Mara Voss", chief, "Acme Inc.", "PERSON ORG")]
    rows += [thing(FY24, name, chief, "Acme Inc.", "PERSON ORG") for name in ("Mara Voss", "Jonas Pell")]
    assert gone(run(rows, FY23, FY24)) == {}


@pytest.mark.parametrize(
    ("relation", "old", "new", "moved"),
    [
        ("is headquartered in", "Dayton, Ohio", "Akron, Ohio", True),
        ("is headquartered in", "Milpitas, CA", "Milpitas, California", False),
        ("is audited by", "Stone LLP", "Granite LLP", True),
        ("is audited by", "Stone LLP", "Stone", False),
        ("has principal executive offices at", "100 Canal Street", "100 Canal Street, Suite 5", False),
        ("has subsidiary", "Bolt Corp.", "Nut Corp.", False),
        ("has supplier", "Bolt Corp.", "Nut Corp.", False),
        ("is located in", "Dayton, Ohio", "Akron, Ohio", False),
    ],
)
def test_only_what_holds_of_one_thing_at_a_time_is_superseded(relation: str, old: str, new: str, moved: bool) -> None:
    rows = [thing(home, "Acme Inc.", relation, name) for home, name in ((FY23, old), (FY24, new))]
    assert bool(gone(run(rows, FY23, FY24))) == moved


def test_what_a_copy_says_supersedes_nothing_but_may_be_what_was_restated() -> None:
    copy = figure(FY23, "$4,120", "4120", subject_key="", rejected_because="duplicate_document")
    rows = [copy, figure(AMENDED, "$4,080", "4080")]
    assert gone(run(rows, FY23, AMENDED)) == {"fy23": ("2024-06-20", "fy23a")}
    later_copy = figure(FY24, "$4,060", "4060", subject_key="", rejected_because="duplicate_document")
    assert gone(run([figure(FY23, "$4,120", "4120"), later_copy], FY23, FY24)) == {}


def test_relations_of_ones_own_may_be_named_in_the_config() -> None:
    rows = [thing(home, "Acme Inc.", "has mascot", name) for home, name in ((FY23, "a fox"), (FY24, "a heron"))]
    homes = {home.doc_id: home for home in (FY23, FY24)}
    assert gone(supersede(rows, SupersedeConfig(one_object=("has mascot",)), documents=homes))
    assert not gone(supersede(rows, SupersedeConfig(one_object=()), documents=homes))


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        (("2025-02-14", "2024-12-31"), ("2024-02-15", "2023-12-31"), True),
        (("2024-06-20", "2023-12-31"), ("2024-02-15", "2023-12-31"), True),
        (("2024-02-15", "2023-12-31"), ("2024-02-15", "2022-12-31"), True),
        (("", "2024-12-31"), ("", "2023-12-31"), True),
        (("", "2024-12-31"), ("2024-02-15", "2023-12-31"), True),
        (("2024-02-15", "2023-12-31"), ("", "2024-12-31"), False),
        (("2025-02-14", "2024-12-31"), ("", "2023-12-31"), True),
        (("2024-02-15", "2023-12-31"), ("", "2023-12-31"), False),  # the one without a date may be either
        (("", "2023-12-31"), ("", "2023-12-31"), False),
        (("", ""), ("", "2023-12-31"), False),
        (("2024-02-15", ""), ("2024-02-15", ""), False),
    ],
)
def test_which_document_is_later_is_told_by_what_both_say(
    one: tuple[str, str], other: tuple[str, str], expected: bool
) -> None:
    assert is_later(document("a", *one), document("b", *other)) == expected
    assert not (expected and is_later(document("b", *other), document("a", *one)))


def test_of_two_on_one_period_without_dates_the_amended_form_is_the_later() -> None:
    original, amended = document("a", period="2023-12-31"), document("b", period="2023-12-31", form="10-K/A")
    assert is_later(amended, original) and not is_later(original, amended)
    assert gone(run([figure(original, "$4,120", "4120"), figure(amended, "$4,080", "4080")], original, amended)) == {
        "a": ("2023-12-31", "b")
    }
