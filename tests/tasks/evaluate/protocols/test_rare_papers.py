"""What the paper's own tables say of the reconstruction of RARE-Met (papers.md 004-G, 004-M)."""

import csv
from pathlib import Path

import pytest

from rarefy.tasks.export.statistics import Statistics, sum_statistics

TABLES = Path(__file__).parent / "tables"
PATTERNS = ("single", "chain", "star", "inverted_star")


def read(name: str) -> list[dict[str, str]]:
    with (TABLES / name).open(encoding="utf-8") as lines:
        return list(csv.DictReader((line for line in lines if not line.startswith("#")), delimiter="\t"))


def test_table_5_is_a_flat_mean_of_one_gold_two_changed_and_three_retrieved() -> None:
    """004-M evidence 1: within .0103 of it for all ten models, where a mean of the three sub-scores is off by .042."""
    rows = [{key: float(value) for key, value in row.items() if key != "model"} for row in read("rare_table5.tsv")]
    flat = [abs(r["Overall"] - (r["Query"] + 2 * r["Document"] + 3 * r["Retrieval"]) / 6) for r in rows]
    plain = [abs(r["Overall"] - (r["Query"] + r["Document"] + r["Retrieval"]) / 3) for r in rows]
    assert len(rows) == 10
    assert max(flat) == pytest.approx(0.0103, abs=5e-5) and sum(gap <= 0.008 for gap in flat) == 8
    assert max(plain) == pytest.approx(0.042, abs=0.001)


def test_the_statistics_table_sums_to_the_papers_totals() -> None:
    rows = {row.pop("row"): row for row in read("rare_statistics.tsv")}
    domains = [
        Statistics(
            domain,
            int(rows["documents"][domain]),
            int(rows["chunks"][domain]),
            **{part: {p: int(rows[f"{part} {p}"][domain]) for p in PATTERNS} for part in ("eligible", "train", "test")},
        )
        for domain in ("finance", "economics", "policy")
    ]
    everything = sum_statistics(domains)
    train, test = sum(everything.train.values()), sum(everything.test.values())
    assert everything.documents == 527 and everything.chunks == 39_754
    assert (train, test, train + test) == (42_295, 6_000, 48_295)
    for one in domains:  # 1,000 single-hop and 1,000 multi-hop questions of each
        assert one.test["single"] == sum(n for name, n in one.test.items() if name != "single") == 1_000
