"""The small benchmark of the contracts' tests, exported."""

import importlib.util
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from rarefy.tasks.export import NAMES, CardConfig, export

_ROWS = Path(__file__).parents[2] / "data_contracts" / "conftest.py"
CENSUS = {"finance": {"single": 40, "chain": 7, "star": 5, "inverted_star": 2}, "economics": {"single": 3}}


@pytest.fixture(scope="session")
def tables() -> dict[type, pa.Table]:
    """The small benchmark; change a copy."""
    spec = importlib.util.spec_from_file_location("small_benchmark", _ROWS)
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.benchmark()


@pytest.fixture(scope="session")
def given() -> dict[str, Any]:
    """What a build gives to the export beside its tables."""
    return {
        "config": {"chunk": {"tokens": 600}, "domains": ["finance", "economics"]},
        "digests": {name: f"digest of {name}" for name in NAMES.values()},
        "census": CENSUS,
        "card_config": CardConfig(title="Small: a benchmark", sources="Written for the tests."),
    }


@pytest.fixture(scope="session")
def exported(tables, given, tmp_path_factory) -> Path:
    """The folder that the small benchmark was exported into; look, do not touch."""
    out = tmp_path_factory.mktemp("exported") / "benchmark"
    export(tables, out, **given)
    return out
