"""A table that lies in a folder, brought up to today's schema; one of a later rarefy's is refused."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa

from rarefy.data_contracts.schemas import NewerSchema, migrated, schemas_of
from rarefy.flows.faults import UsageFault


def brought_up(kind: str, table: pa.Table, told: Mapping[str, Any], place: object) -> pa.Table:
    """The table with today's columns; `told` is the manifest or summary beside it. UsageFault names the place."""
    try:
        return migrated(kind, table, schemas_of(told).get(kind, 1))
    except NewerSchema as error:
        raise UsageFault(f"{place}: {error}") from error


def manifest_of(folder: Path) -> dict[str, Any]:
    """The manifest of a benchmark; UsageFault where there is none, or it is none."""
    if not folder.is_dir():
        raise UsageFault(f"{folder}: no such folder; give the folder of a benchmark")
    try:
        told = json.loads((folder / "manifest.json").read_bytes())
    except FileNotFoundError:
        raise UsageFault(f"{folder}: no manifest.json, so that this is no finished benchmark") from None
    except ValueError as error:
        raise UsageFault(f"{folder / 'manifest.json'}: {error}; build the benchmark again") from error
    if not isinstance(told, dict) or "files" not in told:
        raise UsageFault(f"{folder / 'manifest.json'}: not a manifest of rarefy; build the benchmark again")
    return told
