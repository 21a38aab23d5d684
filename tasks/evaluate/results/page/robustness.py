"""Robustness by perturbation, by what is shown, and by slices of the questions."""

from collections.abc import Callable, Iterator, Sequence

from rarefy.tasks.evaluate.protocols import display_of
from rarefy.tasks.evaluate.results import wording
from rarefy.tasks.evaluate.results.page.dots import Dots, dots
from rarefy.tasks.evaluate.results.page.found import Found, Row, metrics, one
from rarefy.tasks.evaluate.results.page.parts import Section, section
from rarefy.tasks.evaluate.results.slices import natural

CHANGED = ("query", "perturbation", "document", "family", "type", "class", "scenario", "retriever", "cell")
SLICED = ("pattern", "hops", "domain", "known", "entity", "period", "length")
_SAID = {"Overall Robustness: refusal rate": "refused", "Overall Robustness: correct": "right"}
PERTURBED = "What each change of the question, of the passages, or of where they come from does to a system."
PARTS = "The same numbers for parts of the questions. Few questions make wide intervals: look at these first."


def robustness(found: Found) -> Section | None:
    """By perturbation."""
    return section("perturbations", "Robustness per perturbation", PERTURBED, list(_tables(found, CHANGED)))


def slices(found: Found) -> Section | None:
    """By pattern, domain and what else questions are told apart by."""
    return section("slices", "Slices of the questions", PARTS, list(_tables(found, SLICED)))


def _tables(found: Found, names: Sequence[str]) -> Iterator[Dots | None]:
    for protocol in found.protocols:
        if protocol == wording.RETRIEVAL:
            continue
        for name in names:
            rows = found.by(protocol, name)
            main = display_of(protocol).main or _headline(found, protocol)
            have = [metric for metric in main if one(rows, metric=metric)] or _all_of(rows, protocol)
            for at, metric in enumerate(have):
                yield _table(found, protocol, name, metric, rows, folded=at > 0)


def _table(found: Found, protocol: str, name: str, metric: str, rows: Sequence[Row], folded: bool) -> Dots | None:
    mine = sorted((row for row in rows if row["metric"] == metric), key=lambda row: natural(row["where"][name]))
    told = [other for other in display_of(protocol).beside if other != metric and one(rows, metric=other)]
    return dots(
        found,
        f"{wording.title(protocol, found.summary['protocols'])}: {metric} by {wording.said(name)}",
        mine,
        lambda row: "as it stands" if row["where"][name] == "none" else wording.said(row["where"][name]),
        beside=[(_SAID.get(other, other), _other(rows, other)) for other in told],
        folded=folded,
    )


def _other(rows: Sequence[Row], metric: str) -> Callable[[Row], Row | None]:
    place = {(row["system"], row["slice"]): row for row in rows if row["metric"] == metric}
    return lambda row: place.get((row["system"], row["slice"]))


def _headline(found: Found, protocol: str) -> tuple[str, ...]:
    return tuple(metrics(row for row in found.rows if row["protocol"] == protocol and row["headline"]))


def _all_of(rows: Sequence[Row], protocol: str) -> list[str]:
    """Where the main number is not there: all that are not said of another ("…: refusal rate")."""
    shown = display_of(protocol)
    if not shown.main:
        return []
    return [name for name in metrics(rows) if ": " not in name and name not in shown.beside][:3]
