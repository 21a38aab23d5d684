"""The summary of a result: what was evaluated, how, and every number of it (its schema: summary.schema.json)."""

import dataclasses
import json
import math
from collections.abc import Iterable, Mapping
from functools import cache
from importlib.resources import files
from typing import Any

from rarefy.data_contracts.rows import Figure
from rarefy.tasks.evaluate.protocols import PROTOCOLS
from rarefy.tasks.evaluate.results import wording
from rarefy.tasks.evaluate.results.wording import natural_key, parse_slice, slice_fields
from rarefy.tasks.evaluate.statistics import round_digits

# Order of the numbers

RETRIEVAL = ("recall", "mrr", "ndcg", "map", "gold recall", "all gold")
# What decides in which chart a number of several names stands first
METRICS = {
    name.lower(): at
    for at, name in enumerate([*(name for one in PROTOCOLS.values() for name in one.display.metrics), *RETRIEVAL])
}


def _metric(name: str) -> tuple[Any, ...]:
    plain = name.strip().lower()
    at = METRICS.get(plain, METRICS.get(plain.partition("@")[0], len(METRICS)))
    return (at, natural_key(plain))


def sort_key(row: Mapping[str, Any], systems: Mapping[str, int], protocols: Mapping[str, int]) -> tuple[Any, ...]:
    """Protocol, system, headline first, wholes before parts, metric as in the paper, then the slice."""
    names = parse_slice(row["slice"])
    return (
        protocols.get(row["protocol"], len(protocols)),
        row["protocol"],
        systems.get(row["system"], len(systems)),
        row["system"],
        not row["headline"],
        len(names),
        tuple(name for name, _ in names),
        _metric(row["metric"]),
        row["metric"],
        tuple(natural_key(value) for _, value in names),
        row["slice"],
        row["figure_id"],
    )


def protocol_places(names: Mapping[str, Any]) -> dict[str, int]:
    """The place of each protocol: the papers' as `PROTOCOLS` has them, others after them in their order."""
    order = [*PROTOCOLS, wording.RETRIEVAL]
    known = [name for name in order if name in names]
    return {name: at for at, name in enumerate([*known, *(name for name in names if name not in order)])}


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
    "findings": {},
}


def summary(meta: Mapping[str, Any], figures: Iterable[Figure]) -> dict[str, Any]:
    """The summary as a dict: `meta` as it is, and `figures` in a stable order.

    Floats are rounded to six significant digits; a number that is none (NaN, infinite) is null, with a note.
    """
    result: dict[str, Any] = {"schema": SCHEMA, **_EMPTY, **{name: _plain(value) for name, value in meta.items()}}
    systems = {name: at for at, name in enumerate(result["systems"])}
    protocols = protocol_places(result["protocols"])
    rows = [_figure(one) for one in figures]
    result["figures"] = sorted(rows, key=lambda row: sort_key(row, systems, protocols))
    return result


def _figure(one: Figure) -> dict[str, Any]:
    row = dataclasses.asdict(one)
    row["where"] = slice_fields(one.slice)
    for name in _FLOATS:
        row[name] = round_digits(row[name], DIGITS)
    if one.value is not None and row["value"] is None:
        row["note"] = "; ".join(filter(None, (one.note, "undefined")))
    due = one.n_scored + one.n_failed + one.n_missing
    row["coverage"] = round_digits(one.n_scored / due, DIGITS) if due else None
    return row


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


def check(result: Any) -> None:
    """Raise ValueError that names the place, unless this is a summary that the schema allows."""
    import jsonschema  # late: only who reads foreign files needs it

    rules = schema()
    for error in jsonschema.Draft202012Validator(rules).iter_errors(result):
        place = "/".join(map(str, error.absolute_path)) or "the whole"
        raise ValueError(
            f"not a summary of schema {SCHEMA}: {place}: {error.message}; made by another version of rarefy?"
        )
