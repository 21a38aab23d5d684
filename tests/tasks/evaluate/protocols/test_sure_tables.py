"""SURE's own tables: sums, rates that add up to one, totals weighted by pairs, p of the K-S test (§000-D to F)."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from rarefy.tasks.evaluate.protocols.sure import LR, RR, SUBSETS, TYPES, WR, Pairs, rates
from rarefy.tasks.evaluate.statistics.significance import ks

TABLES = Path(__file__).parent / "tables"


def table(name: str) -> pd.DataFrame:
    return pd.read_csv(TABLES / f"{name}.tsv", sep="\t", comment="#")


SIZES = table("sure_table1")
ROWS = table("sure_table2")
TESTED = table("sure_table3")


@pytest.mark.parametrize("row", SIZES.to_dict("records"), ids=lambda row: f"{row['model']} {row['type']}")
def test_the_subsets_of_a_type_sum_to_its_total(row: dict) -> None:
    assert sum(row[subset] for subset in SUBSETS) == row["Total"]


def test_both_models_are_asked_the_same_number_of_pairs() -> None:
    totals = SIZES.groupby("model")["Total"].apply(list)
    assert totals["mistral"] == totals["llama"] == [79203, 84013, 90838, 98714, 98797]


def test_a_perturbation_of_every_row_of_table_2_is_in_its_type() -> None:
    of = {
        type_: list(rows["perturbation"]) for type_, rows in ROWS[ROWS["model"] == "llama"].groupby("type", sort=False)
    }
    assert of == {type_: list(names) for type_, names in TYPES.items()}


def made(row: dict) -> Pairs:
    """Pairs by the counts of Table 1 and the rates of Table 2."""
    size = SIZES[(SIZES["model"] == row["model"]) & (SIZES["type"] == row["type"])].iloc[0]
    parts = []
    for subset in SUBSETS:
        lost, _, won = (round(float(rate) * size[subset] / 100) for rate in row[subset].split("/"))
        c = np.zeros(size[subset])
        c[:lost], c[lost : lost + won] = 1, -1
        parts.append(
            pd.DataFrame({"subset": subset, "before": (c >= 0).astype(float), "after": (c <= 0).astype(float)})
        )
    rows = pd.concat(parts, ignore_index=True).assign(
        same=1.0, status="scored", at=0, perturbation=row["perturbation"], not_drawn=False
    )
    return Pairs(rows, ["q0"])


@pytest.mark.parametrize("row", ROWS.to_dict("records"), ids=lambda row: f"{row['model']} {row['perturbation']}")
def test_cells_and_totals_come_out_as_printed(row: dict) -> None:
    pairs = made(row)
    parts = {subset: pairs.where((pairs.rows["subset"] == subset).to_numpy()) for subset in SUBSETS}
    for subset, part in {**parts, "Total": pairs}.items():
        found = {one.metric: 100 * one.numerator.sum() / one.denominator.sum() for one in rates(part, subset)}
        assert found[RR] + found[WR] + found[LR] == pytest.approx(100)
        printed = dict(zip((LR, RR, WR), map(float, row[subset].split("/")), strict=True))
        assert sum(printed.values()) == pytest.approx(100, abs=0.0101)
        for metric, value in printed.items():
            # each printed rate is rounded, and a cell's three need not sum to 100: by .01 and what one pair is worth
            assert found[metric] == pytest.approx(value, abs=0.0151), (subset, metric)


def steps(statistic: float, n: int) -> tuple[np.ndarray, np.ndarray]:
    """Two samples of n whose distributions differ by this statistic, as near as n allows."""
    shift = round(statistic * n)
    first = np.arange(n, dtype=float)
    return first, first + shift


@pytest.mark.parametrize("row", TESTED.to_dict("records"), ids=lambda row: f"{row['model']} {row['feature']}")
def test_p_of_the_k_s_test_at_2658_is_as_printed(row: dict) -> None:
    for statistic, p in (("statistic", "p"), ("control statistic", "control p")):
        tested = ks(*steps(row[statistic], 2658))
        assert tested.statistic == pytest.approx(row[statistic], abs=5e-5)
        assert tested.p == pytest.approx(row[p], rel=6e-3, abs=5e-5 if row[p] > 5e-4 else 0)
