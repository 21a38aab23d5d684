"""Keep rates count what was tried, and SURE's types as SURE counts them."""

import pytest

from rarefy.data_contracts.rows import Variant
from rarefy.data_contracts.tables import to_table
from rarefy.tasks.export.statistics import SURE, Tally, render_keep_rates, tally_variants


def variant(number: int, perturbation: str, family: str, chunk: str = "c", side: str = "document", reason: str = ""):
    name = f"{number}{perturbation}{chunk}"
    return Variant(name, f"q{number}", side, perturbation, "text", chunk, family=family, rejected_because=reason)


ROWS = [
    Variant("none", "q1", "query", "none", "text"),
    variant(1, "random_order", "logic"),
    variant(1, "reverse_order", "logic", reason="no_candidate"),
    variant(1, "llm_ranked", "logic", reason="needs_model"),
    variant(2, "random_order", "logic"),
    variant(2, "reverse_order", "logic"),
    variant(2, "llm_ranked", "logic", reason="needs_model"),
    variant(1, "simple", "style", reason="needs_model"),
    variant(1, "word", "surface", "", "query", "language"),
    variant(2, "word", "surface", "", "query"),
]


def test_a_rate_is_of_what_was_tried():
    rates = {rate.name: rate for rate in tally_variants(to_table(ROWS, Variant)).each()}
    assert "none" not in rates
    assert (rates["reverse_order"].tried, rates["reverse_order"].percent) == (2, 50.0)
    assert (rates["simple"].tried, rates["simple"].percent) == (0, None)
    assert (rates["word"].rows, rates["word"].tried, rates["word"].percent) == (2, 1, 100.0)
    assert list(rates) == ["word", "llm_ranked", "random_order", "reverse_order", "simple"], "by side, family and name"


def test_a_type_keeps_a_chunk_of_which_all_subtypes_were_kept():
    """What was not tried for want of a model counts neither way."""
    (logic,) = tally_variants(to_table(ROWS, Variant)).by_family()
    assert (logic.name, logic.tried, logic.kept) == ("logic", 2, 1)


def test_the_order_of_subtypes_does_not_matter():
    assert tally_variants(to_table(ROWS[::-1], Variant)) == tally_variants(to_table(ROWS, Variant))


def test_the_table_stands_beside_sures():
    told = render_keep_rates(tally_variants(to_table(ROWS, Variant)))
    assert "| `reverse_order` | document | logic | 2 | 1 | 50.0 % | 1 no_candidate |" in told
    assert f"| logic | 2 | 1 | 50.0 % | {SURE['logic']} % |" in told
    assert "| `simple` | document | style | 0 | 0 | – | 1 needs_model |" in told


def test_sures_figures_are_those_of_its_table():
    """Table 1 gives counts of 100,000: 79,203, 84,013, 90,838, 98,714, 98,797."""
    counts = {"style": 79_203, "source": 84_013, "logic": 90_838, "format": 98_714, "metadata": 98_797}
    assert {name: pytest.approx(count / 1_000, abs=0.05) for name, count in counts.items()} == SURE


def test_nothing_gives_an_empty_tally():
    assert tally_variants(to_table([], Variant)) == Tally()
