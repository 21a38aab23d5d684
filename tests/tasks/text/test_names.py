"""Names, their legal forms and the signs of shares."""

import re

import pytest

from rarefy.tasks.text.names import FORM, company, is_legal_form, without_form


@pytest.mark.parametrize(
    ("name", "core", "forms"),
    [
        ("Apple Inc.", "apple", ("inc",)),
        ("The Coca-Cola Company", "coca cola", ("co",)),
        ("NVIDIA Corporation", "nvidia", ("corp",)),
        ("Deere & Co.", "deere", ("co",)),
        ("Shell plc", "shell", ("plc",)),
        ("SAP SE", "sap", ("se",)),
        ("Nestlé S.A.", "nestle", ("sa",)),
        ("Robert Bosch GmbH", "robert bosch", ("gmbh",)),
        ("Tata Motors Pvt. Ltd.", "tata motors pvt", ("ltd",)),
        ("Merck KGaA", "merck", ("kgaa",)),
        ("Acme Pty Ltd", "acme", ("pty", "ltd")),
        ("Inc.", "inc", ()),
    ],
)
def test_a_firm_is_its_name_and_its_legal_forms(name: str, core: str, forms: tuple[str, ...]) -> None:
    assert company(name) == (core, forms)


def test_a_name_without_its_form_keeps_its_letters() -> None:
    assert [without_form(name) for name in ("The Apple, Inc.", "Deere & Co.", "Acme Pty Ltd", "Shell")] == [
        "Apple", "Deere", "Acme", "Shell",
    ]  # fmt: skip


def test_legal_forms_are_known_with_and_without_stops() -> None:
    assert all(is_legal_form(form) for form in ("Inc.", "inc", "L.L.C.", "GmbH", "S.A.", "PLC"))
    assert not any(is_legal_form(word) for word in ("Apple", "the", "Group"))


@pytest.mark.parametrize("form", ["Inc.", "Inc", "L.L.C.", "LLP", "plc", "AG", "N.V.", "Limited", "Pty", "GmbH", "Co."])
def test_a_pattern_knows_legal_forms_as_print_has_them(form: str) -> None:
    assert re.fullmatch(FORM, form)


@pytest.mark.parametrize("word", ["co", "inc", "Cost", "Includes", "AGM", "In", "Spain"])
def test_other_words_are_no_legal_forms(word: str) -> None:
    assert not re.match(FORM, word)
