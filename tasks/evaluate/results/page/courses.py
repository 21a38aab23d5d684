"""Curves over the ratio of noise and the number of passages, and what their order does."""

from collections.abc import Iterator, Sequence

from rarefy.tasks.evaluate.results import wording
from rarefy.tasks.evaluate.results.page.found import Found, Row, metrics, values
from rarefy.tasks.evaluate.results.page.parts import Plot, Plots, Section, section
from rarefy.tasks.evaluate.results.slices import number
from rarefy.tasks.evaluate.results.svg import Curve, Point, curves

AXES = ("ratio", "k")
MOST = 6  # curves of a plot
LABELS = {"ratio": "share of noise among the passages", "k": "passages (k)"}
# Curves that are read together: the number itself, then what it is set against
TOGETHER = ("performance", "perfect NDR", "perfect RSR", "perfect ROR")
ABOUT = (
    "How a system fares as noise rises, as passages are added, and as they are shown in another order. Bands and "
    "whiskers are 95 % intervals; dashed whiskers stand for numbers that are withheld."
)


def courses(found: Found) -> Section | None:
    """Every protocol's curves."""
    parts = [plots for name in found.protocols for plots in _of(found, name) if name != wording.RETRIEVAL]
    return section("curves", "Curves", ABOUT, parts)


def _of(found: Found, protocol: str) -> Iterator[Plots]:
    title = wording.title(protocol, found.summary["protocols"])
    for axis in AXES:
        for names in found.kinds(protocol):
            if axis not in names or len(names) > 3:
                continue
            rest = [name for name in names if name != axis]
            rows = [row for row in found.by(protocol, *names) if number(row["where"][axis]) is not None]
            if len(values(rows, axis)) > 1:
                yield from _over(found, title, axis, rest, rows)
    rows = found.by(protocol, "order")
    if len(values(rows, "order")) > 1:
        yield _by_order(found, title, rows)


def _over(found: Found, title: str, axis: str, rest: Sequence[str], rows: Sequence[Row]) -> Iterator[Plots]:
    """Plots over an axis: one per metric, or, where metrics are read together, one per system."""
    reference = {row["system"]: row for row in rows if row["where"][axis] == "0" and axis == "k"}
    rows = [row for row in rows if row not in reference.values()]
    together = [name for name in TOGETHER if name in metrics(rows)]
    said = f"{title}: over {axis}" + (f", by {' and '.join(map(wording.said, rest))}" if rest else "")
    plots, legend = [], dict[tuple[int, str, bool], None]()
    if not rest and len(together) > 1:
        for system in dict.fromkeys(row["system"] for row in rows):
            mine = [row for row in rows if row["system"] == system]
            drawn = [
                _curve(found, name, at, axis, [row for row in mine if row["metric"] == name], dashed=at > 0)
                for at, name in enumerate(together)
            ]
            levels = [
                ("closed-book", row["value"], 5)
                for name, row in reference.items()
                if name == system and row["value"] is not None
            ]
            plots.append(_plot(f"{wording.system(system)}: performance", drawn, axis, levels))
            legend |= dict.fromkeys((curve.series, curve.name, curve.dashed) for curve in drawn)
            legend |= {(5, "closed-book", True): None} if levels else {}
        yield Plots(said, tuple(plots), tuple(legend))
        return
    folded = len(rest) > 1 or "retriever" in rest
    for metric in [name for name in metrics(rows) if name not in TOGETHER[1:] and not name.endswith("gain")]:
        mine = [row for row in rows if row["metric"] == metric]
        for label, some in _facets(mine, rest):
            drawn = [_curve(found, name, series, axis, its) for name, series, its in _series(found, some, rest)]
            if any(len([p for p in curve.points if p.y is not None]) for curve in drawn):
                plots.append(_plot(f"{metric}{label}", drawn, axis, []))
                legend |= dict.fromkeys((curve.series, curve.name, False) for curve in drawn)
    if plots:
        yield Plots(said, tuple(plots), tuple(legend), folded=folded)


def _facets(rows: Sequence[Row], rest: Sequence[str]) -> Iterator[tuple[str, list[Row]]]:
    """The rows as they are, or a plot for each system where there are too many curves for one."""
    curves_ = {(row["system"], tuple(row["where"][name] for name in rest)) for row in rows}
    systems = list(dict.fromkeys(row["system"] for row in rows))
    if not rest or (len(systems) == 1 and len(curves_) <= MOST):
        yield "", list(rows)
        return
    for system in systems:
        mine = [row for row in rows if row["system"] == system]
        if len(rest) == 1 or len({row["where"][rest[0]] for row in mine}) == 1:
            yield f", {wording.system(system)}", mine
        else:
            for value in values(mine, rest[0]):
                yield (
                    f", {wording.system(system)}, {wording.said(value)}",
                    [r for r in mine if r["where"][rest[0]] == value],
                )


def _series(found: Found, rows: Sequence[Row], rest: Sequence[str]) -> Iterator[tuple[str, int, list[Row]]]:
    """Name, colour and rows of each curve: systems, or, within one system, the values of the last name."""
    if not rest:
        for system in dict.fromkeys(row["system"] for row in rows):
            its = [row for row in rows if row["system"] == system]
            yield wording.system(system), found.series.get(system, 0), its
        return
    for at, value in enumerate(values(rows, rest[-1])):
        yield wording.said(value), at, [row for row in rows if row["where"][rest[-1]] == value]


def _curve(found: Found, name: str, series: int, axis: str, rows: Sequence[Row], dashed: bool = False) -> Curve:
    for row in rows:
        found.show(row)
    points = sorted((_point(row, number(row["where"][axis]) or 0.0) for row in rows), key=lambda point: point.x)
    return Curve(name, tuple(points), series, dashed)


def _point(row: Row, x: float) -> Point:
    title = f"{wording.system(row['system'])}, {row['metric']}, {wording.slice_(row['slice'])}: "
    title += f"{wording.value(row)} {wording.interval(row)}".strip()
    low, high = (row["worst"], row["best"]) if row["withheld"] else (row["low"], row["high"])
    return Point(x, row["value"], low, high, title, row["at"])


def _plot(title: str, drawn: Sequence[Curve], axis: str, levels: Sequence[tuple[str, float, int]]) -> Plot:
    return Plot(title, curves(drawn, title, LABELS[axis], references=levels))


def _by_order(found: Found, title: str, rows: Sequence[Row]) -> Plots:
    names = values(rows, "order")
    plots, legend = [], dict[tuple[int, str, bool], None]()
    for metric in metrics(rows):
        mine = [row for row in rows if row["metric"] == metric]
        drawn = []
        for system in dict.fromkeys(row["system"] for row in mine):
            its = [row for row in mine if row["system"] == system]
            for row in its:
                found.show(row)
            points = tuple(_point(row, float(names.index(row["where"]["order"]))) for row in its)
            drawn.append(Curve(wording.system(system), points, found.series.get(system, 0)))
        legend |= dict.fromkeys((curve.series, curve.name, False) for curve in drawn)
        plots.append(Plot(metric, curves(drawn, f"{metric} by order", "order of the passages", names=names)))
    return Plots(f"{title}: by order", tuple(plots), tuple(legend))
