"""The parts of the page: a heading with what belongs under it."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from markupsafe import Markup

from rarefy.tasks.evaluate.results.page.found import Row


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
    """Numbers in rows and columns; a cell is None where there is no number; `under` are small ones below it."""

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


def section(name: str, title: str, about: str, parts: Sequence[Any]) -> Section | None:
    """The section, or None where there is nothing to put under its heading."""
    have = tuple(part for part in parts if part is not None)
    return Section(name, title, about, have) if have else None
