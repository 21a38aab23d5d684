"""changes.html: one file that needs nothing beside it, with what changed marked word by word."""

from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from rarefy.tasks.refresh.versions.compare import Changes
from rarefy.tasks.refresh.versions.settings import differ
from rarefy.tasks.refresh.versions.shown import FOLLOWS, named, shown
from rarefy.tasks.refresh.versions.shown import beside as cut
from rarefy.tasks.refresh.versions.words import Marked, marked
from rarefy.tasks.text.visible import visible

ROWS = 200  # of a class: what a person looks through
LONG = 1_500  # characters of a text
IN_PLACE = ("edited", "restated", "answer_changed", "evidence_moved", "reworded")  # before and after are one thing


def page(changes: Changes, old: str, new: str, settings: Sequence[str] = ()) -> str:
    """The page of these changes."""
    classes = list(shown(changes, ROWS))
    told: str = _template().render(
        old=named(old),
        new=named(new),
        nothing=changes.nothing,
        settings=differ(settings, named(old)) if settings else "",
        kinds=changes.by_kind,
        classes=classes,
        there={(one.kind, one.change) for one in classes if one.rows},
        folded=FOLLOWS,
        style=Markup(files("rarefy.tasks.refresh.versions").joinpath("page.css").read_text("utf-8")),
        beside=_beside,
    )
    return told


def _beside(row: Any) -> tuple[Marked, Marked]:
    """Before and after, what differs marked where the one stands in the place of the other."""
    before, after = cut(row.before, row.after, LONG)
    return marked(before, after) if row.change in IN_PLACE else ([(False, before)], [(False, after)])


@cache
def _template() -> Any:
    environment = Environment(
        loader=PackageLoader("rarefy.tasks.refresh.versions", "."),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.finalize = visible
    return environment.get_template("page.html.j2")
