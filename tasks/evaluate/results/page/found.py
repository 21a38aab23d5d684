"""The numbers of a result, found by protocol, metric and the names of their slices."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from rarefy.tasks.evaluate.results.order import places
from rarefy.tasks.evaluate.results.slices import natural, parsed

Row = dict[str, Any]  # of the summary's figures, and `at`, its place among them


class Found:
    """All numbers of a summary; what was put on the page is remembered, so that its rows can be carried along."""

    def __init__(self, summary: Mapping[str, Any]) -> None:
        self.summary = summary
        self.rows: list[Row] = [{**row, "at": at} for at, row in enumerate(summary["figures"])]
        self.shown: dict[int, bool] = {}  # place of a number: does it come first
        told = [row["protocol"] for row in self.rows]
        self.protocols = [name for name in places({**summary["protocols"], **dict.fromkeys(told)}) if name in set(told)]
        labels = dict.fromkeys([*summary["systems"], *(row["system"] for row in self.rows)])
        self.series = {name: at for at, name in enumerate(name for name in labels if name)}
        self.series[""] = 0  # retrieval is nobody's
        self._by: dict[tuple[str, tuple[str, ...]], list[Row]] = {}
        for row in self.rows:
            names = tuple(name for name, _ in parsed(row["slice"]))
            self._by.setdefault((row["protocol"], tuple(sorted(names))), []).append(row)

    def by(self, protocol: str, *names: str) -> list[Row]:
        """The numbers of slices that have exactly these names, in the order of the summary."""
        return self._by.get((protocol, tuple(sorted(names))), [])

    def kinds(self, protocol: str) -> list[tuple[str, ...]]:
        """The sets of names that slices of a protocol have."""
        return sorted({names for name, names in self._by if name == protocol})

    def show(self, row: Row, first: bool = False) -> None:
        """This number is on the page."""
        self.shown[row["at"]] = self.shown.get(row["at"], False) or first

    def numbers(self) -> Iterable[tuple[int, Row, bool]]:
        """Those on the page, those that come first at the front."""
        order = sorted(self.shown, key=lambda at: (not self.shown[at], at))
        return ((at, self.rows[at], self.shown[at]) for at in order)


def values(rows: Iterable[Row], name: str) -> list[str]:
    """The values that a name has in these slices, as a reader counts."""
    return sorted({row["where"][name] for row in rows if name in row["where"]}, key=natural)


def metrics(rows: Iterable[Row]) -> list[str]:
    """The metrics of these numbers, in their order."""
    return list(dict.fromkeys(row["metric"] for row in rows))


def one(rows: Sequence[Row], **told: str) -> Row | None:
    """The first number with these fields."""
    return next((row for row in rows if all(row[name] == value for name, value in told.items())), None)
