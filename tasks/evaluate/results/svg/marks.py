"""The small parts of a plot: elements, and the shapes that tell series apart where colours do not."""

from typing import Any

from markupsafe import Markup, escape

from rarefy.tasks.text.visible import visible

SHAPES = (  # around 0, 0: circle, square, triangle, diamond, cross, star
    "M-4 0a4 4 0 1 0 8 0a4 4 0 1 0 -8 0z",
    "M-3.6 -3.6h7.2v7.2h-7.2z",
    "M0 -4.8L4.6 3.6H-4.6z",
    "M0 -5.2L5.2 0L0 5.2L-5.2 0z",
    "M-1.6 -4.6h3.2v3h3v3.2h-3v3h-3.2v-3h-3v-3.2h3z",
    "M0 -5.4L1.6 -1.8L5.4 -1.6L2.4 .9L3.4 4.6L0 2.5L-3.4 4.6L-2.4 .9L-5.4 -1.6L-1.6 -1.8z",
)
COLOURS = 6  # classes c0 … c5 of the page's style


def element(name: str, *children: Any, **told: Any) -> Markup:
    """An element with its attributes escaped; `cls` is the class, "_" in a name is "-", None leaves it out."""
    attributes = "".join(
        f' {"class" if key == "cls" else key.replace("_", "-")}="{escape(visible(_short(value)))}"'
        for key, value in told.items()
        if value is not None
    )
    inner = Markup("").join(child if isinstance(child, Markup) else escape(visible(child)) for child in children)
    return Markup(f"<{name}{attributes}>{inner}</{name}>" if inner else f"<{name}{attributes}/>")


def colour(series: int) -> str:
    """The class of a series; colours come round again, shapes with another period are then the difference."""
    return f"c{series % COLOURS}"


def shape(series: int, x: float = 0.0, y: float = 0.0, cls: str = "mark") -> Markup:
    """The mark of a series at a place; the second round of colours is hollow."""
    hollow = " hollow" if (series // COLOURS) % 2 else ""
    place = f"translate({_short(x)} {_short(y)})" if x or y else None
    return element("path", d=SHAPES[series % len(SHAPES)], cls=f"{cls} {colour(series)}{hollow}", transform=place)


def _short(value: Any) -> Any:
    return f"{value:.2f}".rstrip("0").rstrip(".") if isinstance(value, float) else value
