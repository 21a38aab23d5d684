"""Tables whose middle column is a plot: label, system, strip with whisker, number, and other numbers beside it."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from rarefy.tasks.evaluate.results import wording
from rarefy.tasks.evaluate.results.page.found import Found, Row
from rarefy.tasks.evaluate.results.svg import Scale, axis, fitted, strip

MOST = 40  # lines of a table; the rest is in the table of all numbers


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


@dataclass(frozen=True)
class Dots:
    """The table: groups of lines under one axis."""

    title: str
    axis: Markup
    groups: tuple[Group, ...]
    beside: tuple[str, ...] = ()
    systems: bool = True  # is a column for them needed
    more: int = 0  # labels that are not shown
    note: str = ""
    folded: bool = False


def dots(
    found: Found,
    title: str,
    rows: Iterable[Row],
    label: Callable[[Row], str],
    *,
    beside: Sequence[tuple[str, Callable[[Row], Row | None]]] = (),
    first: bool = False,
    note: str = "",
    folded: bool = False,
    scale: Scale | None = None,
    most: int = MOST,
) -> Dots | None:
    """A table of these numbers, one group per label; None where there are none. All of them are marked as shown.

    What is of no unit at all, not even of one that was lost, is left out.
    """
    rows = [row for row in rows if any(row[f"n_{name}"] for name in ("scored", "failed", "missing", "skipped"))]
    if not rows:
        return None
    groups: dict[str, list[Row]] = {}
    for row in rows:
        groups.setdefault(label(row), []).append(row)
    kept = dict(list(groups.items())[:most])
    mine = [row for some in kept.values() for row in some]
    scale = scale or fitted(value for row in mine for value in _extent(row))
    told = []
    for name, some in kept.items():
        lines = []
        for row in some:
            found.show(row, first)
            others = tuple(of(row) for _, of in beside)
            for other in others:
                if other is not None:
                    found.show(other)
            series = found.series.get(row["system"], 0)
            lines.append(Line(wording.system(row["system"]), series, row, _strip(scale, row, series), others))
        told.append(Group(name, tuple(lines)))
    systems = len({row["system"] for row in mine}) > 1
    names = tuple(name for name, _ in beside)
    return Dots(title, axis(scale), tuple(told), names, systems, len(groups) - len(kept), note, folded)


def _extent(row: Row) -> tuple[float | None, ...]:
    if row["withheld"] or row["value"] is None:
        return (row["worst"], row["best"]) if row["withheld"] else ()
    return (row["value"], row["low"], row["high"])


def _strip(scale: Scale, row: Row, series: int) -> Markup:
    title = f"{wording.system(row['system'])}, {row['metric']}, {wording.slice_(row['slice'])}: "
    title += f"{wording.value(row)} {wording.interval(row)}".strip()
    if row["withheld"]:
        low, high = sorted(v for v in (row["worst"], row["best"]) if v is not None) or (None, None)
        return strip(scale, None, low, high, title, series, bounds=True)
    return strip(scale, row["value"], row["low"], row["high"], title, series)
