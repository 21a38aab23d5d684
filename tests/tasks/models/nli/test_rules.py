"""The rules keep only what a text says again; whatever they are not sure of is not shown."""

import json
from collections import Counter
from pathlib import Path

import pytest

from rarefy.tasks.models.nli import Label, NLIConfig, equivalent
from rarefy.tasks.models.nli.rules import compare_by_items, label_pair
from rarefy.tasks.text.notations import mark_figures

KEPT = [
    ("Revenue was $1.5 billion in fiscal 2023.", "In fiscal 2023, revenue was 1,500 million dollars."),
    ("Net sales rose 12% in 2021.", "Net sales increased 12 percent in 2021."),
    ("The notes mature on March 1, 2031.", "The notes mature on 2031-03-01."),
    ("The plant employs twenty-five people.", "The plant employs 25 people."),
    ("The rate was raised by 50 basis points.", "The rate was raised by 0.5 percentage points."),
    ("The board didn't approve the merger.", "The board did not approve the merger."),
    ("Margins fell in Q3 2022 at Acme.", "Margins fell in the third quarter of 2022 at Acme."),
    ("Acme operates 40 stores. Its headquarters are in Oslo.", "Its headquarters are in Oslo."),
    ("The shareholders met in Oslo.", "The stockholders met in Oslo."),
    ("Costs may exceed $3 million.", "Costs could exceed $3m."),
]
CHANGED = [
    ("Revenue was $1.5 billion in fiscal 2023.", "Revenue was $1.6 billion in fiscal 2023."),
    ("Revenue was $15 million.", "Revenue was $15 billion."),
    ("Revenue was $15 million.", "Revenue was €15 million."),
    ("Net sales rose 12% in 2021.", "Net sales rose 21% in 2021."),
    ("The notes mature on March 1, 2031.", "The notes mature on March 11, 2031."),
    ("Operating income increased in 2020.", "Operating income decreased in 2020."),
    ("The board approved the merger.", "The board did not approve the merger."),
    ("Members never vote by proxy.", "Members vote by proxy."),
    ("No director owns shares.", "A director owns shares."),
    ("Acme employs more than 300 engineers.", "Acme employs less than 300 engineers."),
    ("The loan is secured by land.", "The loan is unsecured by land."),
    ("Acme acquired the mill in Bergen.", "Acme sold the mill in Bergen."),
    ("Globex supplies the turbines in Ohio.", "Initech supplies the turbines in Ohio."),
    ("All tenants must file a report.", "Some tenants must file a report."),
    ("The levy applies before delivery.", "The levy applies after delivery."),
    ("Revenue grew to $4 million from $3 million.", "Revenue grew to $4 million from $2 million."),
]
NOT_SHOWN = [
    ("Acme sued Globex in 2019.", "Globex sued Acme in 2019."),
    ("Acme acquired Globex in 2019.", "Acme was acquired by Globex in 2019."),
    ("Sales fell from 19% in 2023 to 14% in 2024.", "Sales fell from 14% in 2023 to 19% in 2024."),
    ("A Corp and B Corp made $5 and $6.", "B Corp and A Corp made $5 and $6."),
    ("The plant may close in May.", "The plant closes in May."),
    ("Acme expects to repay the loan.", "Acme repaid the loan."),
    ("If rates rise, deposits shrink.", "Deposits shrink."),
    ("Adjusted income was $4 million.", "Income was $4 million."),
    ("Only members may vote.", "Members may vote."),
    ("The firm pays at least $10 per hour.", "The firm pays $10 per hour."),
    ("Acme will sell the mine and will not sell the port.", "Acme will not sell the mine and will sell the port."),
    ("Critics claim that Acme hid losses.", "Acme hid losses."),
    ("The deposits exceed the loans.", "The loans exceed the deposits."),
    ("Profit was 3% higher in spring.", "Profit was the highest in spring by 3%."),
    ("The president of Acme resigned.", "The chairman of Acme resigned."),
    ("Our sales fell in Peru.", "Their sales fell in Peru."),
    ("The firm must file A and B.", "The firm must file A or B."),
    ("Acme is profitable.", "Acme was profitable."),
    ("When did Acme open the mine?", "Where did Acme open the mine?"),
    ("The gain was $5 in May.", "The gain was $(5) in May."),
    ("The ratio is > 3.", "The ratio is < 3."),
    ("Version 1.2.3 shipped.", "Version 1.2.4 shipped."),
    ("COVID-19 cut sales.", "COVID-20 cut sales."),
    ("The total is 5 units per day.", "The total is 5 units per week."),
    ("Acme sells pumps.", "Acme sells pumps to hospitals."),
    ("Acme sells pumps.", "The weather in Oslo is mild."),
    ("Acme sells pumps.", ""),
    ("", "Acme sells pumps."),
]


@pytest.mark.parametrize(("premise", "hypothesis"), KEPT)
def test_the_same_in_other_notation_or_inflection_is_kept(premise: str, hypothesis: str) -> None:
    assert compare_by_items(premise, hypothesis).label == "kept", compare_by_items(premise, hypothesis)


@pytest.mark.parametrize(("premise", "hypothesis"), CHANGED)
def test_another_figure_name_or_the_contrary_is_changed_both_ways(premise: str, hypothesis: str) -> None:
    assert compare_by_items(premise, hypothesis).label == "changed", compare_by_items(premise, hypothesis)
    assert compare_by_items(hypothesis, premise).label == "changed", compare_by_items(hypothesis, premise)


@pytest.mark.parametrize(("premise", "hypothesis"), NOT_SHOWN)
def test_what_the_rules_cannot_see_is_not_kept(premise: str, hypothesis: str) -> None:
    found = compare_by_items(premise, hypothesis)
    assert found.label != "kept" and found.why
    assert label_pair(premise, hypothesis).label != "kept"


def test_no_contradiction_and_nothing_new_of_the_recorded_pairs_is_kept(shared: Path) -> None:
    lines = (shared / "reference" / "recorded-model" / "nli.jsonl").read_text(encoding="utf-8").splitlines()
    rows = [json.loads(line) for line in lines]
    for label in (compare_by_items, label_pair):
        table = Counter((row["label"], label(row["premise"], row["hypothesis"]).label) for row in rows)
        assert table.total() == 72
        assert table["contradiction", "kept"] == table["neutral", "kept"] == 0


@pytest.mark.parametrize(
    ("text", "figures"),
    [
        ("$97.3bn and 97,300 million dollars", ["$97300000000", "$97300000000"]),
        ("US$ 5, €5, 5 euros, £2", ["$5", "€5", "€5", "£2"]),
        ("75%, 75 percent, 75 per cent, 25 bps, 0.25 percentage points", ["75%", "75%", "75%", "0.25pp", "0.25pp"]),
        ("Sept. 28, 2024; 28 September 2024; 2024-09-28", ["@2024-09-28"] * 3),
        ("FY24, fiscal year 2024, 2024, Q2, second quarter", ["@2024", "@2024", "@2024", "@q2", "@q2"]),
        ("twenty-five, 25, three million, 3,000,000", ["25", "25", "3000000", "3000000"]),
        ("a loss of -$4 million", ["-$4000000"]),
        ("the 3rd and A100 and COVID-19", ["3th"]),
        ("the firſt quarter, ſixty thouſand, 1 ſept. 2024", ["@q1", "60000", "@2024-09-01"]),  # as old prints have it
    ],
)
def test_figures_have_one_notation(text: str, figures: list[str]) -> None:
    assert mark_figures(text)[1] == figures


def test_what_is_not_proved_is_not_kept_however_alike_it_is() -> None:
    premise = "Because holiday demand is seasonal, net sales of the stores in Oslo are higher in the first quarter."
    again = "Owing to seasonal demand around the holidays, the Oslo stores have higher net sales in the first quarter."
    assert label_pair("Net sales rose 12% in 2021.", "Net sales increased 12 percent in 2021.").label == "kept"
    assert label_pair(premise, again).label == label_pair(again, premise).label == "not_shown"
    assert label_pair("Acme sells pumps.", "The weather in Oslo is mild.").label == "not_shown"
    assert label_pair("Acme sold pumps.", "Acme sold no pumps.").label == "changed"
    assert label_pair("Acme sells pumps.", " ").label == label_pair("", "").label == "not_shown"


def test_two_texts_are_equivalent_if_each_keeps_the_other() -> None:
    kept, not_shown = Label("kept", 1), Label("not_shown", 0)
    assert equivalent(kept, kept) and not equivalent(kept, not_shown) and not equivalent(not_shown, kept)
    assert equivalent(Label("entailment", 1), Label("entailment", 1))


def test_rules_are_never_called_inference() -> None:
    assert not NLIConfig().inference
    assert {compare_by_items(*pair).label for pair in KEPT + CHANGED + NOT_SHOWN} == {"kept", "changed", "not_shown"}
