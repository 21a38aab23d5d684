"""In which order numbers are told: as the papers have them, then by name."""

from collections.abc import Mapping
from typing import Any

from rarefy.tasks.evaluate.protocols import PROTOCOLS
from rarefy.tasks.evaluate.results import wording
from rarefy.tasks.evaluate.results.slices import natural, parsed

RETRIEVAL = ("recall", "mrr", "ndcg", "map", "gold recall", "all gold")
# What decides in which chart a number of several names stands first
METRICS = {
    name.lower(): at
    for at, name in enumerate([*(name for one in PROTOCOLS.values() for name in one.display.metrics), *RETRIEVAL])
}


def _metric(name: str) -> tuple[Any, ...]:
    plain = name.strip().lower()
    at = METRICS.get(plain, METRICS.get(plain.partition("@")[0], len(METRICS)))
    return (at, natural(plain))


def key(row: Mapping[str, Any], systems: Mapping[str, int], protocols: Mapping[str, int]) -> tuple[Any, ...]:
    """Protocol, system, headline first, wholes before parts, metric as in the paper, then the slice."""
    names = parsed(row["slice"])
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
        tuple(natural(value) for _, value in names),
        row["slice"],
        row["figure_id"],
    )


def places(names: Mapping[str, Any]) -> dict[str, int]:
    """The place of each protocol: the papers' as `PROTOCOLS` has them, others after them as they are told."""
    order = [*PROTOCOLS, wording.RETRIEVAL]
    known = [name for name in order if name in names]
    return {name: at for at, name in enumerate([*known, *(name for name in names if name not in order)])}
