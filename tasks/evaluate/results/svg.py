"""Plots as inline SVG: strips with whiskers, curves with bands, radars; no script, colours from the page."""

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from markupsafe import Markup, escape

from rarefy.tasks.text.characters import visible

# Axes

_STEPS = (1.0, 2.0, 2.5, 5.0, 10.0)


@dataclass(frozen=True)
class Scale:
    """An axis from `low` to `high` with its ticks."""

    low: float
    high: float
    ticks: tuple[float, ...]

    def at(self, value: float) -> float:
        """The place of a value, 0 to 1; what lies outside stands at the end."""
        if self.high == self.low:
            return 0.5
        return min(1.0, max(0.0, (value - self.low) / (self.high - self.low)))

    def label(self, tick: float) -> str:
        """The text of a tick, in as few digits as distinguish it from the next."""
        step = self.ticks[1] - self.ticks[0] if len(self.ticks) > 1 else abs(tick) or 1.0
        digits = max(0, -math.floor(math.log10(step) + 1e-9))
        if round(step, digits) != round(step, digits + 1):  # 2.5 and 0.25 need one more than 2 and 0.2
            digits += 1
        text = f"{abs(tick):,.{digits}f}"
        return f"−{text}" if tick < 0 and any(digit in text for digit in "123456789") else text


def fit_scale(values: Iterable[float | None], least: float = 0.1, ticks: int = 5) -> Scale:
    """A scale that holds these values with a margin, and is no narrower than `least`.

    Shares stay between 0 and 1: no axis suggests that there could be more.
    """
    found = [value for value in values if value is not None and math.isfinite(value)]
    if not found:
        return Scale(0.0, 1.0, (0.0, 0.5, 1.0))
    low, high = min(found), max(found)
    shares = low >= 0.0 and high <= 1.0
    air = max((least - (high - low)) / 2, (high - low) * 0.06)
    low, high = low - air, high + air
    if shares:
        low, high = max(0.0, low), min(1.0, high)
    step = _round_step((high - low) / max(1, ticks - 1))
    first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
    marks = tuple(round(n * step, 10) for n in range(first, last + 1))
    return Scale(marks[0], marks[-1], marks)


def _round_step(rough: float) -> float:
    size = 10.0 ** math.floor(math.log10(rough))
    return next(step * size for step in _STEPS if step * size >= rough - 1e-12)


# Elements and marks

SHAPES = (  # around 0, 0: circle, square, triangle, diamond, cross, star
    "M-4 0a4 4 0 1 0 8 0a4 4 0 1 0 -8 0z",
    "M-3.6 -3.6h7.2v7.2h-7.2z",
    "M0 -4.8L4.6 3.6H-4.6z",
    "M0 -5.2L5.2 0L0 5.2L-5.2 0z",
    "M-1.6 -4.6h3.2v3h3v3.2h-3v3h-3.2v-3h-3v-3.2h3z",
    "M0 -5.4L1.6 -1.8L5.4 -1.6L2.4 .9L3.4 4.6L0 2.5L-3.4 4.6L-2.4 .9L-5.4 -1.6L-1.6 -1.8z",
)
COLOURS = 6  # classes c0 … c5 of the page's style


def element(name: str, *children: Any, **attributes: Any) -> Markup:
    """An element with its attributes escaped; `cls` is the class, "_" in a name is "-", None leaves it out."""
    text_attributes = "".join(
        f' {"class" if key == "cls" else key.replace("_", "-")}="{escape(visible(_format_coordinate(value)))}"'
        for key, value in attributes.items()
        if value is not None
    )
    inner = Markup("").join(child if isinstance(child, Markup) else escape(visible(child)) for child in children)
    return Markup(f"<{name}{text_attributes}>{inner}</{name}>" if inner else f"<{name}{text_attributes}/>")


def colour(series: int) -> str:
    """The class of a series; colours come round again, shapes with another period are then the difference."""
    return f"c{series % COLOURS}"


def shape(series: int, x: float = 0.0, y: float = 0.0, cls: str = "mark") -> Markup:
    """The mark of a series at a place; the second round of colours is hollow."""
    hollow = " hollow" if (series // COLOURS) % 2 else ""
    place = f"translate({_format_coordinate(x)} {_format_coordinate(y)})" if x or y else None
    return element("path", d=SHAPES[series % len(SHAPES)], cls=f"{cls} {colour(series)}{hollow}", transform=place)


def _format_coordinate(value: Any) -> Any:
    return f"{value:.2f}".rstrip("0").rstrip(".") if isinstance(value, float) else value


# Strips: a value with its interval, in per cent of the width, so that no text is scaled

_AIR = 3.0  # per cent at both ends, so that marks at the ends are whole
STRIP_HEIGHT = 20


def draw_strip(
    scale: Scale,
    value: float | None,
    low: float | None,
    high: float | None,
    title: str,
    series: int = 0,
    *,
    bounds: bool = False,
    reference: float | None = None,
) -> Markup:
    """A mark with its whisker, gridlines behind it; `bounds`: the whisker is dashed."""
    middle = STRIP_HEIGHT // 2
    parts = [
        element("line", x1=x, x2=x, y1=0, y2=STRIP_HEIGHT, cls="grid")
        for x in (_percent(scale, t) for t in scale.ticks)
    ]
    if scale.low < 0 < scale.high:
        parts.append(
            element("line", x1=_percent(scale, 0.0), x2=_percent(scale, 0.0), y1=0, y2=STRIP_HEIGHT, cls="zero")
        )
    if reference is not None:
        parts.append(
            element(
                "line",
                x1=_percent(scale, reference),
                x2=_percent(scale, reference),
                y1=0,
                y2=STRIP_HEIGHT,
                cls="reference",
            )
        )
    if low is not None and high is not None:
        ends = [_percent(scale, low), _percent(scale, high)]
        cls = f"whisker {colour(series)}{' bounds' if bounds else ''}"
        parts.append(element("line", x1=ends[0], x2=ends[1], y1=middle, y2=middle, cls=cls))
        parts += [element("line", x1=x, x2=x, y1=middle - 4, y2=middle + 4, cls=cls) for x in ends]
    if value is not None:
        mark = element("svg", shape(series), x=_percent(scale, value), y=middle, overflow="visible", width=1, height=1)
        parts.append(mark)
    return element(
        "svg",
        element("title", title),
        *parts,
        cls="strip",
        role="img",
        width="100%",
        height=STRIP_HEIGHT,
        aria_label=title,
    )


def draw_axis(scale: Scale) -> Markup:
    """The labels of the ticks, for the head of a column of strips."""
    labels = [
        element("text", scale.label(tick), x=_percent(scale, tick), y=12, text_anchor="middle", cls="tick")
        for tick in scale.ticks
    ]
    return element("svg", *labels, cls="strip axis", width="100%", height=16, aria_hidden="true")


def draw_swatch(series: int) -> Markup:
    """The mark of a series beside its name."""
    return element(
        "svg", shape(series, 7.0, 7.0), cls="swatch", width=14, height=14, viewBox="0 0 14 14", aria_hidden="true"
    )


def _percent(scale: Scale, value: float) -> str:
    return f"{_AIR + scale.at(value) * (100 - 2 * _AIR):.2f}%"


# Curves

CURVE_WIDTH, CURVE_HEIGHT = 380, 250
Place = Callable[[float | None], float]  # of a value on the drawing; of a value that is there, as its caller sees to
_LEFT, _RIGHT, _TOP, _BOTTOM = 44, 12, 12, 40


@dataclass(frozen=True)
class Point:
    """A value at a place; `x` is a number, or the place of a name."""

    x: float
    y: float | None
    low: float | None = None
    high: float | None = None
    title: str = ""
    rows: int | None = None  # which number this is, for the link to its rows
    bounds: bool = False  # `low` and `high` are no interval, but how far what has no score can move it


@dataclass(frozen=True)
class Curve:
    """A series of points; `series` is its colour and shape, `dashed` what is not a system's own."""

    name: str
    points: tuple[Point, ...]
    series: int = 0
    dashed: bool = False


def draw_curves(
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
    up = fit_scale([*values, *(y for _, y, _ in references)])
    across = _fit_x_scale(found, names, marks)
    inside = CURVE_WIDTH - _LEFT - _RIGHT

    def x(value: float | None) -> float:
        return _LEFT + across.at(value or 0.0) * inside

    def y(value: float | None) -> float:
        return CURVE_HEIGHT - _BOTTOM - up.at(value or 0.0) * (CURVE_HEIGHT - _TOP - _BOTTOM)

    parts = [element("title", title), *_draw_axes(up, across, x, y, names)]
    parts.append(element("text", x_label, x=_LEFT + inside / 2, y=CURVE_HEIGHT - 4, text_anchor="middle", cls="label"))
    for name, level, series in references:
        parts.append(
            element(
                "line", element("title", name), x1=x(across.low), x2=x(across.high), y1=y(level), y2=y(level),
                cls=f"reference {colour(series)}",
            )
        )  # fmt: skip
    offset = _offsets(len(found)) if names else [0.0] * len(found)
    for shift, curve in zip(offset, found, strict=True):
        parts += _draw_curve(curve, x, y, shift, bool(names))
    return element(
        "svg",
        *parts,
        cls="plot",
        role="img",
        viewBox=f"0 0 {CURVE_WIDTH} {CURVE_HEIGHT}",
        aria_label=title,
        width=CURVE_WIDTH,
    )


def _fit_x_scale(found: Sequence[Curve], names: Sequence[str], marks: Sequence[float]) -> Scale:
    if names:
        return Scale(-0.5, len(names) - 0.5, tuple(float(at) for at in range(len(names))))
    places = sorted({*marks, *(point.x for curve in found for point in curve.points)})
    if len(places) < 2:
        return Scale(places[0] - 1 if places else 0.0, places[0] + 1 if places else 1.0, tuple(places))
    return Scale(places[0], places[-1], tuple(places))


def _draw_axes(up: Scale, across: Scale, x: Place, y: Place, names: Sequence[str]) -> list[Markup]:
    parts = []
    for tick in up.ticks:
        parts.append(element("line", x1=_LEFT, x2=CURVE_WIDTH - _RIGHT, y1=y(tick), y2=y(tick), cls="grid"))
        parts.append(element("text", up.label(tick), x=_LEFT - 6, y=y(tick) + 4, text_anchor="end", cls="tick"))
    if up.low < 0 < up.high:
        parts.append(element("line", x1=_LEFT, x2=CURVE_WIDTH - _RIGHT, y1=y(0.0), y2=y(0.0), cls="zero"))
    end = -100.0  # of the last label
    for at, tick in enumerate(across.ticks):
        parts.append(
            element(
                "line", x1=x(tick), x2=x(tick), y1=CURVE_HEIGHT - _BOTTOM, y2=CURVE_HEIGHT - _BOTTOM + 4, cls="zero"
            )
        )
        text = names[at] if names else f"{tick:g}"
        half = len(text) * 3.2
        if x(tick) - half < end + 4:  # too close to the last one: its tick stands without a label
            continue
        end = x(tick) + half
        parts.append(element("text", text, x=x(tick), y=CURVE_HEIGHT - _BOTTOM + 16, text_anchor="middle", cls="tick"))
    return parts


def _draw_curve(curve: Curve, x: Place, y: Place, shift: float, apart: bool) -> list[Markup]:
    look = f"{colour(curve.series)}{' dashed' if curve.dashed else ''}"
    parts: list[Markup] = []
    bands = _split_runs(curve.points, lambda point: apart or point.bounds or point.y is None)
    for points in bands:
        spread = [point for point in points if point.low is not None and point.high is not None]
        if len(spread) > 1:
            there = [f"{x(point.x):.1f} {y(point.high):.1f}" for point in spread]
            back = [f"{x(point.x):.1f} {y(point.low):.1f}" for point in reversed(spread)]
            parts.append(element("path", d=f"M{'L'.join([*there, *back])}z", cls=f"band {look}"))
        elif spread:
            at, held = x(spread[0].x) + shift, " bounds" if spread[0].bounds else ""
            ends = {"y1": y(spread[0].low), "y2": y(spread[0].high)}
            line = element("line", element("title", spread[0].title), x1=at, x2=at, **ends, cls=f"whisker {look}{held}")
            parts.append(line)
    for run in [] if apart else _split_runs(curve.points, lambda point: point.y is None):
        if len(run) > 1:
            way = "L".join(f"{x(point.x):.1f} {y(point.y):.1f}" for point in run)
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


def _split_runs(points: Sequence[Point], alone: Callable[[Point], bool]) -> Iterator[list[Point]]:
    """Points that a line or a band joins: it breaks at those that stand alone."""
    run: list[Point] = []
    for point in points:
        if alone(point):
            yield from ([run] if run else [])
            yield [point]
            run = []
        else:
            run.append(point)
    if run:
        yield run


def _offsets(series: int) -> list[float]:
    return [(at - (series - 1) / 2) * 12.0 for at in range(series)]


# Radar (SURE §4.3)

RADAR_WIDTH, RADAR_HEIGHT, RADIUS = 380, 300, 105


def draw_radar(series_list: Sequence[Curve], spokes: Sequence[str], title: str) -> Markup:
    """A polygon per series; point `x` counts the spokes. The middle is not 0 but the lowest ring, which is labelled."""
    values = [point.y for curve in series_list for point in curve.points]
    scale = fit_scale(values, least=0.2, ticks=4)
    parts = [element("title", title)]
    for tick in scale.ticks[1:]:
        ring = "L".join(_polar_text(scale.at(tick), spoke, len(spokes)) for spoke in range(len(spokes)))
        parts.append(element("path", d=f"M{ring}z", cls="grid ring"))
    for spoke, name in enumerate(spokes):
        x, y = _polar(1.0, spoke, len(spokes))
        parts.append(element("line", x1=RADAR_WIDTH / 2, y1=RADAR_HEIGHT / 2, x2=x, y2=y, cls="grid"))
        x, y = _polar(1.16, spoke, len(spokes))
        anchor = "middle" if abs(x - RADAR_WIDTH / 2) < 8 else "start" if x > RADAR_WIDTH / 2 else "end"
        parts.append(element("text", name, x=x, y=y + 4, text_anchor=anchor, cls="label"))
    for curve in series_list:
        present = [point for point in curve.points if point.y is not None]
        around = "L".join(_polar_text(scale.at(point.y or 0.0), int(point.x), len(spokes)) for point in present)
        if len(present) == len(spokes):
            parts.append(element("path", d=f"M{around}z", cls=f"area {colour(curve.series)}"))
        for point in present:
            x, y = _polar(scale.at(point.y or 0.0), int(point.x), len(spokes))
            inner = Markup("").join((element("title", point.title), shape(curve.series, x, y)))
            link = {"href": "#rows", "data_set": point.rows, "aria_label": point.title}
            parts.append(element("g", inner) if point.rows is None else element("a", inner, **link))
    for tick in scale.ticks:  # last, so that no area hides them
        x, y = _polar(scale.at(tick), 0, len(spokes))
        parts.append(element("text", scale.label(tick), x=x + 4, y=y + 12, cls="tick halo"))
    return element(
        "svg",
        *parts,
        cls="plot",
        role="img",
        viewBox=f"0 0 {RADAR_WIDTH} {RADAR_HEIGHT}",
        aria_label=title,
        width=RADAR_WIDTH,
    )


def _polar(share: float, spoke: int, spokes: int) -> tuple[float, float]:
    angle = 2 * math.pi * spoke / spokes - math.pi / 2
    return RADAR_WIDTH / 2 + math.cos(angle) * RADIUS * share, RADAR_HEIGHT / 2 + math.sin(angle) * RADIUS * share


def _polar_text(share: float, spoke: int, spokes: int) -> str:
    x, y = _polar(share, spoke, spokes)
    return f"{x:.1f} {y:.1f}"
