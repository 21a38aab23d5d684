"""Same letters, same sentences: what may differ, and what may not."""

import time

import pytest

from rarefy.tasks.perturb.case import Case, Draft
from rarefy.tasks.perturb.checks import same_letters, same_sentences


def letters(original: str, variant: str) -> str:
    return same_letters(Case("c", "query", original), Draft(variant))


def in_order(original: str, variant: str) -> str:
    return same_sentences(Case("c", "document", original), Draft(variant))


@pytest.mark.parametrize(
    ("original", "variant"),
    [
        ("What was Apple's revenue?", "WHAT was  apple's\n Revenue ?"),
        ("Straße", "STRASSE"),
        ("İstanbul", "i̇stanbul"),
        ("e\u0301tude", "ÉTUDE"),
        ("ὈΔΥΣΣΕΎΣ", "ὀδυσσεύς"),
        ("ﬁscal µ ŉ", "FISCAL Μ ʼN"),
        ("", ""),
        ("🙂 שלום", " 🙂  שלום "),
    ],
)
def test_case_and_white_space_may_differ(original, variant):
    assert letters(original, variant) == ""
    assert letters(original.upper(), original.lower()) == ""


@pytest.mark.parametrize(
    ("original", "variant", "found"),
    [
        ("What was revenue?", "What was revenue", ""),
        ("What was revenue?", "What wsa revenue?", ""),
        ("in 2024", "in 2023", ""),
        ("revenue", "reve nue", ": 'revenue' became 'reve'"),
        ("net sales", "netsales", ": 'net' became 'netsales'"),
        ("47 525", "47525", ": '47' became '47525'"),
        ("a", "a\u200b", ""),
        ("resume", "résumé", ""),
        ("", "a", ""),
    ],
)
def test_nothing_else_may(original, variant, found):
    assert letters(original, variant) == f"letters_changed{found}"
    assert letters(variant, original).startswith("letters_changed")


TEXT = "# Sales\n\nSales rose in the U.S. by 5%. Costs fell.\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\nCosts fell. No."


@pytest.mark.parametrize(
    "variant",
    [
        TEXT,
        "# Sales\n\nNo. Costs fell.\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\nCosts fell. Sales rose in the U.S. by 5%.",
    ],
)
def test_sentences_may_stand_in_any_order(variant):
    assert in_order(TEXT, variant) == ""


@pytest.mark.parametrize(
    ("variant", "found"),
    [
        (TEXT.replace("Costs fell. No.", "No."), "'Costs fell.' is gone"),
        (TEXT + " Costs fell.", "'Costs fell.'"),
        (TEXT.replace("5%", "6%"), "'Sales rose in the U.S. by 6%."),
        (TEXT.replace("| 1 | 2 |", "| 2 | 1 |"), "'| a | b |"),
        (TEXT + " It is so.", "'It is so.'"),
        ("", "'# Sales' is gone"),
    ],
)
def test_none_may_go_come_or_change(variant, found):
    assert in_order(TEXT, variant).startswith(f"sentences_changed: {found}")


def test_a_sentence_that_begins_like_another_is_told_from_it():
    assert in_order("Costs fell in the year of the crisis. Costs fell in the year of the crisis there.", "Costs fell "
                    "in the year of the crisis there. Costs fell in the year of the crisis.") == ""  # fmt: skip


def test_a_megabyte_takes_seconds_at_most():
    sentences = [f"The sales of segment {i} rose." for i in range(30_000)]
    started = time.perf_counter()
    assert in_order(" ".join(sentences), " ".join(sentences[::-1])) == ""
    assert letters(" ".join(sentences), " ".join(sentences).upper()) == ""
    assert in_order("x" * 1_000_000, "x" * 1_000_001).startswith("sentences_changed")
    assert time.perf_counter() - started < 10
