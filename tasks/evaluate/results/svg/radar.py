"""A radar: several shares of the same kind around one middle (SURE §4.3)."""

import math
from collections.abc import Sequence

from markupsafe import Markup

from rarefy.tasks.evaluate.results.svg.curves import Curve
from rarefy.tasks.evaluate.results.svg.marks import colour, element, shape
from rarefy.tasks.evaluate.results.svg.scale import fitted

WIDTH, HEIGHT, RADIUS = 380, 300, 105


def radar(found: Sequence[Curve], spokes: Sequence[str], title: str) -> Markup:
    """A polygon per series; point `x` counts the spokes. The middle is not 0 but the lowest ring, which is labelled."""
    values = [point.y for curve in found for point in curve.points]
    scale = fitted(values, least=0.2, ticks=4)
    parts = [element("title", title)]
    for tick in scale.ticks[1:]:
        ring = "L".join(_at(scale.at(tick), spoke, len(spokes)) for spoke in range(len(spokes)))
        parts.append(element("path", d=f"M{ring}z", cls="grid ring"))
    for spoke, name in enumerate(spokes):
        x, y = _place(1.0, spoke, len(spokes))
        parts.append(element("line", x1=WIDTH / 2, y1=HEIGHT / 2, x2=x, y2=y, cls="grid"))
        x, y = _place(1.16, spoke, len(spokes))
        anchor = "middle" if abs(x - WIDTH / 2) < 8 else "start" if x > WIDTH / 2 else "end"
        parts.append(element("text", name, x=x, y=y + 4, text_anchor=anchor, cls="label"))
    for curve in found:
        told = [point for point in curve.points if point.y is not None]
        around = "L".join(_at(scale.at(point.y or 0.0), int(point.x), len(spokes)) for point in told)
        if len(told) == len(spokes):
            parts.append(element("path", d=f"M{around}z", cls=f"area {colour(curve.series)}"))
        for point in told:
            x, y = _place(scale.at(point.y or 0.0), int(point.x), len(spokes))
            inner = Markup("").join((element("title", point.title), shape(curve.series, x, y)))
            link = {"href": "#rows", "data_set": point.rows, "aria_label": point.title}
            parts.append(element("g", inner) if point.rows is None else element("a", inner, **link))
    for tick in scale.ticks:  # last, so that no area hides them
        x, y = _place(scale.at(tick), 0, len(spokes))
        parts.append(element("text", scale.label(tick), x=x + 4, y=y + 12, cls="tick halo"))
    return element(
        "svg", *parts, cls="plot", role="img", viewBox=f"0 0 {WIDTH} {HEIGHT}", aria_label=title, width=WIDTH
    )


def _place(share: float, spoke: int, spokes: int) -> tuple[float, float]:
    angle = 2 * math.pi * spoke / spokes - math.pi / 2
    return WIDTH / 2 + math.cos(angle) * RADIUS * share, HEIGHT / 2 + math.sin(angle) * RADIUS * share


def _at(share: float, spoke: int, spokes: int) -> str:
    x, y = _place(share, spoke, spokes)
    return f"{x:.1f} {y:.1f}"
