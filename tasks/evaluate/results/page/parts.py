"""The building blocks of the page: the numbers that it shows, sections, plots, grids, lists and dot tables."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from markupsafe import Markup

from rarefy.tasks.evaluate.protocols.display import Title
from rarefy.tasks.evaluate.results import wording
from rarefy.tasks.evaluate.results.summary import protocol_places
from rarefy.tasks.evaluate.results.svg import Scale, draw_axis, draw_strip, fit_scale
from rarefy.tasks.evaluate.results.wording import natural_key, parse_slice

# Numbers

Row = dict[str, Any]  # of the summary's figures, and `at`, its place among them


class PageNumbers:
    """All numbers of a summary, and which of them are on the page, so that their rows can be included."""

    def __init__(self, summary: Mapping[str, Any]) -> None:
        self.summary = summary
        self.rows: list[Row] = [{**row, "at": at} for at, row in enumerate(summary["figures"])]
        self.shown: dict[int, bool] = {}  # place of a number: does it come first
        used = [row["protocol"] for row in self.rows]
        self.protocols = [
            name for name in protocol_places({**summary["protocols"], **dict.fromkeys(used)}) if name in set(used)
        ]
        labels = dict.fromkeys([*summary["systems"], *(row["system"] for row in self.rows)])
        self.series = {name: at for at, name in enumerate(name for name in labels if name)}
        self.series[""] = 0  # retrieval is nobody's
        self._by: dict[tuple[str, tuple[str, ...]], list[Row]] = {}
        for row in self.rows:
            names = tuple(name for name, _ in parse_slice(row["slice"]))
            self._by.setdefault((row["protocol"], tuple(sorted(names))), []).append(row)

    def title(self, protocol: str) -> str:
        """What a protocol is called."""
        return wording.protocol_title(protocol, self.summary["protocols"])

    def by(self, protocol: str, *names: str) -> list[Row]:
        """The numbers of slices that have exactly these names, in the order of the summary."""
        return self._by.get((protocol, tuple(sorted(names))), [])

    def kinds(self, protocol: str) -> list[tuple[str, ...]]:
        """The sets of names that slices of a protocol have."""
        return sorted({names for name, names in self._by if name == protocol})

    def show(self, row: Row | None, first: bool = False) -> None:
        """Record that this number, if there is one, is on the page."""
        if row is None:
            return
        self.shown[row["at"]] = self.shown.get(row["at"], False) or first

    def numbers(self) -> Iterable[tuple[int, Row, bool]]:
        """Those on the page, those that come first at the front."""
        order = sorted(self.shown, key=lambda at: (not self.shown[at], at))
        return ((at, self.rows[at], self.shown[at]) for at in order)


def slice_values(rows: Iterable[Row], name: str) -> list[str]:
    """The values that a name has in these slices, as a reader counts."""
    return sorted({row["where"][name] for row in rows if name in row["where"]}, key=natural_key)


def list_metrics(rows: Iterable[Row]) -> list[str]:
    """The metrics of these numbers, in their order."""
    return list(dict.fromkeys(row["metric"] for row in rows))


def find_row(rows: Sequence[Row], **fields: str) -> Row | None:
    """The first number with these fields."""
    return next((row for row in rows if all(row[name] == value for name, value in fields.items())), None)


def label_row(row: Row) -> str:
    """Metric and slice of a number."""
    return str(row["metric"]) if row["slice"] == "all" else f"{row['metric']}, {wording.format_slice(row['slice'])}"


def companion_finder(rows: Sequence[Row], metric: str) -> Callable[[Row], Row | None]:
    """A function that finds the number of this metric for the system and slice of another number."""
    place = {(row["system"], row["slice"]): row for row in rows if row["metric"] == metric}
    return lambda row: place.get((row["system"], row["slice"]))


@dataclass(frozen=True)
class Plot:
    """A drawing with its caption."""

    title: str
    svg: Markup


@dataclass(frozen=True)
class Plots:
    """Drawings side by side with one legend: series, name, dashed."""

    title: str
    plots: tuple[Plot, ...]
    legend: tuple[tuple[int, str, bool], ...] = ()
    note: str = ""
    folded: bool = False


@dataclass(frozen=True)
class Grid:
    """Numbers in rows and columns, None where there is none; a row ends with the small ones below its cells."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, tuple[Row | None, ...], tuple[tuple[tuple[str, Row], ...], ...]], ...]
    note: str = ""
    shaded: bool = False
    folded: bool = False


@dataclass(frozen=True)
class Listed:
    """Plain text in rows and columns; `numeric` are the columns that stand right."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]
    numeric: frozenset[int] = frozenset()
    note: str = ""
    folded: bool = False


@dataclass(frozen=True)
class Section:
    """A heading of the page."""

    name: str
    title: str
    about: str
    parts: tuple[Any, ...] = field(default=())


def build_section(name: str, title: str, about: str, parts: Sequence[Any]) -> Section | None:
    """The section, or None where there is nothing to put under its heading."""
    have = tuple(part for part in parts if part is not None)
    return Section(name, title, about, have) if have else None


# Dot tables

MOST_LINES = 40  # lines of a table; the rest is in the table of all numbers


@dataclass(frozen=True)
class Line:
    """A number with its strip; `beside` are others of the same slice, None where there is none."""

    system: str
    series: int
    row: Row
    strip: Markup
    beside: tuple[Row | None, ...] = ()


@dataclass(frozen=True)
class Group:
    """The lines of one label."""

    label: str
    lines: tuple[Line, ...]
    about: str = ""  # what its number says, in a line


@dataclass(frozen=True)
class Dots:
    """The table: groups of lines under one axis."""

    title: str
    axis: Markup
    groups: tuple[Group, ...]
    beside: tuple[Title, ...] = ()
    systems: bool = True  # is a column for them needed
    more: int = 0  # labels that are not shown
    note: str = ""
    folded: bool = False
    caution: str = ""  # said above it
    untried: tuple[str, ...] = ()  # labels of which nothing was tried
    ends: str = ""  # the head of the column of intervals and ranges; "" where no number has one


def build_dots(
    numbers: PageNumbers,
    title: str,
    rows: Iterable[Row],
    label: Callable[[Row], str],
    *,
    beside: Sequence[tuple[str | Title, Callable[[Row], Row | None]]] = (),
    about: Callable[[Row], str] = lambda _: "",
    caution: str = "",
    first: bool = False,
    note: str = "",
    folded: bool = False,
    scale: Scale | None = None,
    most: int = MOST_LINES,
) -> Dots | None:
    """A table of these numbers, one group per label; None where there are none. All of them are marked as shown.

    What is of no unit at all, not even of one that was lost, is left out. A label of which nothing was tried has no
    lines, and stands among `untried`.
    """
    rows = [row for row in rows if any(row[f"n_{name}"] for name in ("scored", "failed", "missing", "skipped"))]
    if not rows:
        return None
    groups: dict[str, list[Row]] = {}
    for row in rows:
        groups.setdefault(label(row), []).append(row)
    untried = tuple(name for name, some in groups.items() if not any(map(wording.was_tried, some)))
    groups = {name: some for name, some in groups.items() if name not in untried}
    if not groups:
        return None
    kept = dict(list(groups.items())[:most])
    mine = [row for some in kept.values() for row in some]
    scale = scale or fit_scale(value for row in mine for value in _extent(row))
    drawn = []
    for name, some in kept.items():
        lines = []
        for row in some:
            numbers.show(row, first)
            others = tuple(of(row) for _, of in beside)
            for other in others:
                numbers.show(other)
            series = numbers.series.get(row["system"], 0)
            lines.append(
                Line(wording.system_title(row["system"]), series, row, _draw_strip(scale, row, series), others)
            )
        drawn.append(Group(name, tuple(lines), about(some[0])))
    systems = len({row["system"] for row in mine}) > 1
    names = tuple(name if isinstance(name, Title) else Title(name, "") for name, _ in beside)
    more = len(groups) - len(kept)
    heads = {"(range)" if row["withheld"] else "95 % interval": None for row in mine if wording.format_ends(row)}
    ends = " or ".join(sorted(heads, reverse=True))
    return Dots(title, draw_axis(scale), tuple(drawn), names, systems, more, note, folded, caution, untried, ends)


def _extent(row: Row) -> tuple[float | None, ...]:
    ends = ("worst", "best") if row["withheld"] else ("low", "high")
    return (row["value"], *(row[end] for end in ends))


def _draw_strip(scale: Scale, row: Row, series: int) -> Markup:
    title = wording.describe_row(row)
    if row["withheld"]:
        low, high = sorted(v for v in (row["worst"], row["best"]) if v is not None) or (None, None)
        return draw_strip(scale, row["value"], low, high, title, series, bounds=True)
    return draw_strip(scale, row["value"], row["low"], row["high"], title, series)
