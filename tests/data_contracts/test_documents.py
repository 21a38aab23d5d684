import dataclasses
import re
from pathlib import Path

import pytest

from rarefy.data_contracts.suites import SUITES

DOCS = Path(__file__).parents[2] / "docs"
HEADINGS = {"Quarantined": "quarantine", "Unanswered": "unanswered", "Hits": "hits", "Similarity": "similarities"}


@pytest.mark.parametrize("row_type", SUITES, ids=lambda t: t.__name__)
def test_every_rule_is_documented(row_type):
    part = (DOCS / "contracts.md").read_text().split(f"### {row_type.__name__}\n")[1].split("\n#")[0]
    listed = re.findall(r"^- (.*)$", part, re.M)
    assert listed == [rule.says for rule in SUITES[row_type].rules]


@pytest.mark.parametrize("row_type", SUITES, ids=lambda t: t.__name__)
def test_every_column_is_documented(row_type):
    heading = HEADINGS.get(row_type.__name__, f"{row_type.__name__.lower()}s")
    part = (DOCS / "format.md").read_text().split(f"\n## {heading}\n")[1].split("\n## ")[0]
    named = set(re.findall(r"`(\w+)`", part))
    assert not {field.name for field in dataclasses.fields(row_type)} - named
