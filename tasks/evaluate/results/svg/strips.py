"""A value with its interval on a line, as wide as its column: places are per cent, so that no text is ever scaled."""

from markupsafe import Markup

from rarefy.tasks.evaluate.results.svg.marks import colour, element, shape
from rarefy.tasks.evaluate.results.svg.scale import Scale

_AIR = 3.0  # per cent at both ends, so that marks at the ends are whole
HEIGHT = 20


def strip(
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
    """A mark with its whisker, gridlines behind it; `bounds` for a dashed range without a mark."""
    middle = HEIGHT // 2
    parts = [element("line", x1=x, x2=x, y1=0, y2=HEIGHT, cls="grid") for x in (_at(scale, t) for t in scale.ticks)]
    if scale.low < 0 < scale.high:
        parts.append(element("line", x1=_at(scale, 0.0), x2=_at(scale, 0.0), y1=0, y2=HEIGHT, cls="zero"))
    if reference is not None:
        parts.append(
            element("line", x1=_at(scale, reference), x2=_at(scale, reference), y1=0, y2=HEIGHT, cls="reference")
        )
    if low is not None and high is not None:
        ends = [_at(scale, low), _at(scale, high)]
        cls = f"whisker {colour(series)}{' bounds' if bounds else ''}"
        parts.append(element("line", x1=ends[0], x2=ends[1], y1=middle, y2=middle, cls=cls))
        parts += [element("line", x1=x, x2=x, y1=middle - 4, y2=middle + 4, cls=cls) for x in ends]
    if value is not None:
        mark = element("svg", shape(series), x=_at(scale, value), y=middle, overflow="visible", width=1, height=1)
        parts.append(mark)
    return element(
        "svg", element("title", title), *parts, cls="strip", role="img", width="100%", height=HEIGHT, aria_label=title
    )


def axis(scale: Scale) -> Markup:
    """The labels of the ticks, for the head of a column of strips."""
    labels = [
        element("text", scale.label(tick), x=_at(scale, tick), y=12, text_anchor="middle", cls="tick")
        for tick in scale.ticks
    ]
    return element("svg", *labels, cls="strip axis", width="100%", height=16, aria_hidden="true")


def swatch(series: int) -> Markup:
    """The mark of a series beside its name."""
    return element(
        "svg", shape(series, 7.0, 7.0), cls="swatch", width=14, height=14, viewBox="0 0 14 14", aria_hidden="true"
    )


def _at(scale: Scale, value: float) -> str:
    return f"{_AIR + scale.at(value) * (100 - 2 * _AIR):.2f}%"
