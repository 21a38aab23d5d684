"""Stems: forms of one word have one."""

import pytest

from rarefy.tasks.text.stems import root, stem, stems


@pytest.mark.parametrize(
    "forms",
    ["employee employees", "company companies company’s", "loss losses", "operate operated operating operates",
     "increase increases increased", "tax taxes", "acquire acquired acquires"],
)  # fmt: skip
def test_forms_of_a_word_have_one_stem(forms: str) -> None:
    assert len({stem(form) for form in forms.split()}) == 1


def test_other_words_and_numbers_have_their_own() -> None:
    assert stem("news") != stem("new")
    assert stem("1,234") == "1,234"
    assert stems("Employees’ 2 offices") == [stem("employee"), "2", "offic"]


def test_words_derived_from_one_another_share_a_root() -> None:
    assert root("acquired") == root("acquisition") and root("auditor") == root("audited")
    assert root("2024") == "2024"
