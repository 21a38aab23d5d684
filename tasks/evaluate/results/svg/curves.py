"""Curves over a number (ratio, k) or over names (orders): marks, lines, intervals as bands or whiskers."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from rarefy.tasks.evaluate.results.svg.marks import colour, element, shape
from rarefy.tasks.evaluate.results.svg.scale import Scale, fitted

WIDTH, HEIGHT = 380, 250
Place = Callable[[float | None], float]  # of a value on the drawing; of a value that is there, as its caller sees to
_LEFT, _RIGHT, _TOP, _BOTTOM = 44, 12, 12, 40


@dataclass(frozen=True)
class Point:
    """A value at a place; `x` is a number, or the place of a name."""

    x: float
    y: float | None
    low: float | None = None
    high: float | None = None
    title: str = ""  # where `y` is None, `low` and `high` are the bounds between which it lies
    rows: int | None = None  # which number this is, for the link to its rows


@dataclass(frozen=True)
class Curve:
    """A series of points; `series` is its colour and shape, `dashed` what is not a system's own."""

    name: str
    points: tuple[Point, ...]
    series: int = 0
    dashed: bool = False


def curves(
    found: Sequence[Curve],
    title: str,
    x_label: str,
    names: Sequence[str] = (),
    references: Sequence[tuple[str, float, int]] = (),
    marks: Sequence[float] = (),
) -> Markup:
    """The plot. With `names`, x counts them and lines are whiskers; `references` are dashed levels: name, y, series.

    `marks` are the x values that were measured: they are the ticks.
    """
    values = [v for curve in found for point in curve.points for v in (point.y, point.low, point.high)]
    up = fitted([*values, *(y for _, y, _ in references)])
    across = _across(found, names, marks)
    inside = WIDTH - _LEFT - _RIGHT

    def x(value: float | None) -> float:
        return _LEFT + across.at(value or 0.0) * inside

    def y(value: float | None) -> float:
        return HEIGHT - _BOTTOM - up.at(value or 0.0) * (HEIGHT - _TOP - _BOTTOM)

    parts = [element("title", title), *_axes(up, across, x, y, names)]
    parts.append(element("text", x_label, x=_LEFT + inside / 2, y=HEIGHT - 4, text_anchor="middle", cls="label"))
    for name, level, series in references:
        parts.append(
            element(
                "line", element("title", name), x1=x(across.low), x2=x(across.high), y1=y(level), y2=y(level),
                cls=f"reference {colour(series)}",
            )
        )  # fmt: skip
    offset = _offsets(len(found)) if names else [0.0] * len(found)
    for shift, curve in zip(offset, found, strict=True):
        parts += _drawn(curve, x, y, shift, bool(names))
    return element(
        "svg", *parts, cls="plot", role="img", viewBox=f"0 0 {WIDTH} {HEIGHT}", aria_label=title, width=WIDTH
    )


def _across(found: Sequence[Curve], names: Sequence[str], marks: Sequence[float]) -> Scale:
    if names:
        return Scale(-0.5, len(names) - 0.5, tuple(float(at) for at in range(len(names))))
    places = sorted({*marks, *(point.x for curve in found for point in curve.points)})
    if len(places) < 2:
        return Scale(places[0] - 1 if places else 0.0, places[0] + 1 if places else 1.0, tuple(places))
    return Scale(places[0], places[-1], tuple(places))


def _axes(up: Scale, across: Scale, x: Place, y: Place, names: Sequence[str]) -> list[Markup]:
    parts = []
    for tick in up.ticks:
        parts.append(element("line", x1=_LEFT, x2=WIDTH - _RIGHT, y1=y(tick), y2=y(tick), cls="grid"))
        parts.append(element("text", up.label(tick), x=_LEFT - 6, y=y(tick) + 4, text_anchor="end", cls="tick"))
    if up.low < 0 < up.high:
        parts.append(element("line", x1=_LEFT, x2=WIDTH - _RIGHT, y1=y(0.0), y2=y(0.0), cls="zero"))
    end = -100.0  # of the last label
    for at, tick in enumerate(across.ticks):
        parts.append(element("line", x1=x(tick), x2=x(tick), y1=HEIGHT - _BOTTOM, y2=HEIGHT - _BOTTOM + 4, cls="zero"))
        text = names[at] if names else f"{tick:g}"
        half = len(text) * 3.2
        if x(tick) - half < end + 4:  # too close to the last one: its tick stands without a label
            continue
        end = x(tick) + half
        parts.append(element("text", text, x=x(tick), y=HEIGHT - _BOTTOM + 16, text_anchor="middle", cls="tick"))
    return parts


def _drawn(curve: Curve, x: Place, y: Place, shift: float, apart: bool) -> list[Markup]:
    look = f"{colour(curve.series)}{' dashed' if curve.dashed else ''}"
    parts: list[Markup] = []
    for points in [[point] for point in curve.points] if apart else _runs(curve.points):
        spread = [point for point in points if point.low is not None and point.high is not None]
        if len(spread) > 1:
            there = [f"{x(point.x):.1f} {y(point.high):.1f}" for point in spread]
            back = [f"{x(point.x):.1f} {y(point.low):.1f}" for point in reversed(spread)]
            parts.append(element("path", d=f"M{'L'.join([*there, *back])}z", cls=f"band {look}"))
        elif spread:
            at, held = x(spread[0].x) + shift, " bounds" if spread[0].y is None else ""
            ends = {"y1": y(spread[0].low), "y2": y(spread[0].high)}
            line = element("line", element("title", spread[0].title), x1=at, x2=at, **ends, cls=f"whisker {look}{held}")
            parts.append(line)
        if len(points) > 1:
            way = "L".join(f"{x(point.x):.1f} {y(point.y):.1f}" for point in points)
            parts.append(element("path", d=f"M{way}", cls=f"line {look}"))
    for point in (point for point in curve.points if point.y is not None):
        mark = shape(curve.series, x(point.x) + shift, y(point.y))
        inner = Markup("").join((element("title", point.title), mark))
        parts.append(
            element("g", inner)
            if point.rows is None
            else element("a", inner, href="#rows", data_set=point.rows, aria_label=point.title)
        )
    return parts


def _runs(points: Sequence[Point]) -> Iterator[list[Point]]:
    """Points that a line joins: it breaks where a number is withheld, which stands alone."""
    run: list[Point] = []
    for point in points:
        if point.y is None:
            yield from ([run] if run else [])
            yield [point]
            run = []
        else:
            run.append(point)
    if run:
        yield run


def _offsets(series: int) -> list[float]:
    return [(at - (series - 1) / 2) * 12.0 for at in range(series)]
