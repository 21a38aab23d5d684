"""The summary of a result: what was evaluated, how, and every number of it (its schema: summary.schema.json)."""

import dataclasses
import json
import math
from collections.abc import Iterable, Mapping
from functools import cache
from importlib.resources import files
from typing import Any

from rarefy.data_contracts.rows import Figure
from rarefy.tasks.evaluate.results.order import key, places
from rarefy.tasks.evaluate.results.slices import where

SCHEMA = 1
DIGITS = 6  # significant ones of a number: far more than any interval allows, and the same on every machine
_FLOATS = ("value", "low", "high", "worst", "best")
_EMPTY: dict[str, Any] = {
    "benchmark": {},
    "systems": {},
    "protocols": {},
    "retrieval": {},
    "correctness": [],
    "left_out": [],
    "statistics": {},
    "currency": "",
    "package": {},
    "funnel": [],
    "usage": {},
}


def summary(meta: Mapping[str, Any], figures: Iterable[Figure]) -> dict[str, Any]:
    """All of `meta` as it is told, and `figures` in a stable order, whatever order they come in.

    Floats are rounded to six significant digits; a number that is none (NaN, infinite) is null, with a note.
    """
    told: dict[str, Any] = {"schema": SCHEMA, **_EMPTY, **{name: _plain(value) for name, value in meta.items()}}
    systems = {name: at for at, name in enumerate(told["systems"])}
    protocols = places(told["protocols"])
    rows = [_figure(one) for one in figures]
    told["figures"] = sorted(rows, key=lambda row: key(row, systems, protocols))
    return told


def _figure(one: Figure) -> dict[str, Any]:
    row = dataclasses.asdict(one)
    row["where"] = where(one.slice)
    for name in _FLOATS:
        row[name] = rounded(row[name])
    if one.value is not None and row["value"] is None:
        row["note"] = "; ".join(filter(None, (one.note, "undefined")))
    due = one.n_scored + one.n_failed + one.n_missing
    row["coverage"] = rounded(one.n_scored / due) if due else None
    return row


def rounded(value: float | None) -> float | None:
    """The value to six significant digits; None where it is no finite number. -0.0 is 0.0."""
    if value is None or not math.isfinite(value):
        return None
    return float(f"{value:.{DIGITS}g}") + 0.0


def _plain(value: Any) -> Any:
    """The value as JSON knows it: tuples as lists, sets sorted, floats finite."""
    if isinstance(value, Mapping):
        return {str(name): _plain(one) for name, one in value.items()}
    if isinstance(value, set | frozenset):
        return sorted(map(_plain, value))
    if isinstance(value, list | tuple):
        return [_plain(one) for one in value]
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    return value


@cache
def schema() -> dict[str, Any]:
    """The JSON Schema of a summary."""
    found: dict[str, Any] = json.loads(
        files("rarefy.tasks.evaluate.results").joinpath("summary.schema.json").read_text("utf-8")
    )
    return found


def check(told: Any) -> None:
    """ValueError that names the place, where this is not a summary that the schema allows."""
    import jsonschema  # late: only who reads foreign files needs it

    rules = schema()
    for wrong in jsonschema.Draft202012Validator(rules).iter_errors(told):
        place = "/".join(map(str, wrong.absolute_path)) or "the whole"
        raise ValueError(
            f"not a summary of schema {SCHEMA}: {place}: {wrong.message}; made by another version of rarefy?"
        )
