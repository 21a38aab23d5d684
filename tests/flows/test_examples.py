"""The configs in examples/ work as they stand."""

from pathlib import Path

import pytest

from rarefy.flows.config import load
from rarefy.flows.engine.config_check import check_config

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("file", sorted((ROOT / "examples").glob("*.toml")), ids=lambda file: file.name)
def test_an_example_names_nothing_that_is_not_there(file, monkeypatch):
    monkeypatch.chdir(ROOT)
    assert check_config(load(file), file) is None  # it raises with a line for each that is not
