"""report.html: one file that needs nothing beside it; its numbers stand without a script, which only looks closer."""

from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any

import pyarrow as pa
from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from rarefy.tasks.evaluate.results import wording
from rarefy.tasks.evaluate.results.drill import drilldown_payload, json_script
from rarefy.tasks.evaluate.results.page.account import cost, funnel, options
from rarefy.tasks.evaluate.results.page.courses import courses
from rarefy.tasks.evaluate.results.page.everything import everything
from rarefy.tasks.evaluate.results.page.found import Found
from rarefy.tasks.evaluate.results.page.headlines import headlines
from rarefy.tasks.evaluate.results.page.retrieval import faults, retrieval
from rarefy.tasks.evaluate.results.page.robustness import robustness, slices
from rarefy.tasks.evaluate.results.page.spurious import spurious
from rarefy.tasks.evaluate.results.svg import swatch
from rarefy.tasks.text.visible import visible


def page(summary: Mapping[str, Any], tables: Mapping[str, pa.Table]) -> str:
    """The page of a result; `tables` are trials, answers, scores, questions, chunks, variants, and maybe hits.

    A row that is not carried is in the tables; how many of how many are shown is said.
    """
    found = Found(summary)
    built = [
        headlines(found),
        robustness(found),
        courses(found),
        spurious(found),
        faults(found),
        retrieval(found),
        slices(found),
        funnel(summary),
        options(summary),
        cost(summary),
        everything(found),
    ]
    sections = [one for one in built if one is not None]
    data = drilldown_payload(summary, tables, found.numbers())
    words: dict[str, int] = {}  # each once: thousands of numbers have the same protocol, slice and note
    data["numbers"] = {
        at: [words.setdefault(text, len(words)) for text in _said(found.rows[at], summary)] for at in data["sets"]
    }
    data["words"] = list(words)
    told: str = _template().render(
        summary=summary,
        title=_title(summary),
        sections=sections,
        series=[(at, name) for name, at in found.series.items() if name],
        data=json_script(data),
        linked=set(data["sets"]),
        style=_file("page.css"),
        script=_file("page.js"),
        swatch=swatch,
        wording=wording,
    )
    return told


def _said(row: Mapping[str, Any], summary: Mapping[str, Any]) -> list[str]:
    """What a number is, for the head of its rows."""
    return [
        wording.system(row["system"]),
        wording.title(row["protocol"], summary["protocols"]),
        row["metric"],
        wording.slice_(row["slice"]),
        f"{wording.value(row)} {wording.interval(row)}".strip(),
        wording.counts(row),
        row["note"],
    ]


def _title(summary: Mapping[str, Any]) -> str:
    systems = " and ".join(list(summary["systems"])[:3])
    return f"{systems or 'Systems'} on {summary['benchmark'].get('name') or 'a benchmark'}"


@cache
def _template() -> Any:
    environment = Environment(
        loader=PackageLoader("rarefy.tasks.evaluate.results.page", "."),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.finalize = visible
    environment.filters["kind"] = lambda part: type(part).__name__.lower()
    return environment.get_template("page.html.j2")


@cache
def _file(name: str) -> Markup:
    """A file of this package as it stands: it is ours, and has no markup that would end its element."""
    return Markup(files("rarefy.tasks.evaluate.results.page").joinpath(name).read_text("utf-8"))
