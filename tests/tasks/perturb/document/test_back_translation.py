"""Back-translation by apertium keeps lines, tables and figures, and says why where it cannot."""

from random import Random

import pytest

from rarefy.tasks.perturb.case import Case, Draft
from rarefy.tasks.perturb.checks import same_facts
from rarefy.tasks.perturb.config import PerturbConfig
from rarefy.tasks.perturb.document import back_translation as module
from rarefy.tasks.perturb.document.back_translation import back_translation, find_garbled, version

TEXT = (
    "Liquidity and Capital\n\nThe company reported revenue of $47,525 million in fiscal 2024, up 12% from the prior "
    "year. Mellanox Technologies sells the A100 in Q3.\n\n| Year | Sales |\n|---|---|\n| 2024 | the best sales |\n\n"
    "  The board may approve the plan by June 30, 2025."
)


def made(text: str) -> list[Draft]:
    return list(back_translation(Case("c", "document", text), PerturbConfig(), Random(1)))


@pytest.fixture(scope="module")
def installed() -> None:
    if not version():
        pytest.skip("apertium with apertium-eng-spa is not installed here")


def test_lines_tables_and_figures_stand_and_the_wording_changes(installed: None) -> None:
    (draft,) = made(TEXT)
    assert draft.refused in ("", "garbled") and draft.text != TEXT
    before, after = TEXT.split("\n"), draft.text.split("\n")
    assert len(before) == len(after)
    assert [line for line in before if line.startswith("|")] == [line for line in after if line.startswith("|")]
    for kept in ("$47,525 million", "fiscal 2024", "12%", "Mellanox Technologies", "A100", "June 30, 2025"):
        assert kept in draft.text
    assert draft.text.split("\n")[-1].startswith("  ")
    assert made(TEXT) == [draft]


def test_a_text_without_prose_or_too_long_is_refused_with_its_reason() -> None:
    assert [draft.refused for text in ("", "word", "| a | b |\n| 1 | 2 |") for draft in made(text)] == ["no_prose"] * 3
    assert [draft.refused for draft in made("some words here " * 70_000)] == ["too_long"]


@pytest.mark.parametrize(
    "text",
    [
        "these are signs ✓ \u200f אבג and [brackets] \\ ^caret$ {x} /y/ <b>bold</b> é\u0301 🙂",
        "more of this\ttext and ~ that",
    ],
)
def test_signs_that_the_program_itself_uses_do_not_break_it(installed: None, text: str) -> None:
    (draft,) = made(text)
    assert draft.refused in ("", "untranslatable", "garbled")


def test_a_sign_of_ours_in_the_text_is_refused_and_not_filled_in(installed: None) -> None:
    (draft,) = made("the words Xqa and Xqb stand here with 5 and 6")
    assert draft.refused == "untranslatable" and "Xq" in draft.detail


def test_a_program_that_is_not_there_is_a_refused_draft(monkeypatch: pytest.MonkeyPatch) -> None:
    module._run_apertium.cache_clear()
    monkeypatch.setenv("PATH", "/nowhere")
    (draft,) = made("the company sells many things")
    assert draft.refused == "untranslatable" and "apertium" in draft.detail


def test_the_checks_catch_what_apertium_does_to_fiscal_years_and_quarters(installed: None) -> None:
    """Unprotected, "fiscal" comes back as "public prosecutors", and a quarter as a neighbourhood."""
    said = "Net sales were higher in the first quarter than in the second quarter of the year."
    (back,) = module._translate(module._translate([said], "eng-spa"), "spa-eng")
    assert "neighbourhood" in back
    assert same_facts(Case("c", "document", said), Draft(back)).startswith("facts_changed")


@pytest.mark.parametrize(
    ("before", "after", "wrong"),
    [
        ("We began to purchase it.", "We started to buy it.", ""),
        ("Intangible assets were sold.", "Intangible advantages were sold.", "'advantages' for 'assets'"),
        ("Physical stores opened.", "Physical tents opened.", "'tents' for 'stores'"),
        ("We purchased it.", "We buy it.", "'buy' for 'purchased'"),
        ("The costs of leases.", "The costs leases.", "'' for 'of'"),
    ],
)
def test_only_words_that_were_found_interchangeable_may_come_back_otherwise(before, after, wrong):
    assert find_garbled(before, after) == wrong
