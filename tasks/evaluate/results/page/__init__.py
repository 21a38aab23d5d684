"""The HTML report, one self-contained file; only the drill-down from numbers to rows needs JavaScript."""

import re
from collections.abc import Callable, Mapping, Sequence, Set
from functools import cache
from importlib.resources import files
from typing import Any

import pyarrow as pa
from markupsafe import Markup

from rarefy.tasks.evaluate.results import wording
from rarefy.tasks.evaluate.results.drilldown_payload import drilldown_payload, json_script
from rarefy.tasks.evaluate.results.page.charts import curves_section, fault_section, retrieval_section, sure_section
from rarefy.tasks.evaluate.results.page.parts import PageNumbers, Section
from rarefy.tasks.evaluate.results.page.tables import (
    cost_section,
    funnel_section,
    headline_section,
    numbers_section,
    options_section,
    perturbation_section,
    slice_section,
)
from rarefy.tasks.evaluate.results.plain_summary import FOLDER, plain_summaries
from rarefy.tasks.evaluate.results.svg import draw_swatch
from rarefy.tasks.text.html_page import page_environment

_BEFORE_SIGN = re.compile(r"(?<=\d) (?=%)")
CHARTS: dict[str, Callable[[PageNumbers], Section | None]] = {  # sections that draw numbers, in their order
    "headline": headline_section,
    "perturbations": perturbation_section,
    "curves": curves_section,
    "sure": sure_section,
    "faults": fault_section,
    "retrieval": retrieval_section,
    "slices": slice_section,
}


def page(summary: Mapping[str, Any], tables: Mapping[str, pa.Table], folder: str = FOLDER) -> str:
    """The page of a result; `tables` are trials, answers, scores, questions, chunks, variants, and maybe hits.

    `folder` is where the result lies, for the commands that it names.
    A row that is not carried is in the tables; how many of how many are shown is said.
    """
    numbers = PageNumbers(summary)
    built = [
        *(build(numbers) for build in CHARTS.values()),
        funnel_section(summary),
        options_section(summary),
        cost_section(summary),
        numbers_section(numbers),
    ]
    sections = [one for one in built if one is not None]
    data = drilldown_payload(summary, tables, numbers.numbers())
    words: dict[str, int] = {}  # each once: thousands of numbers have the same protocol, slice and note
    data["numbers"] = {
        at: [words.setdefault(text, len(words)) for text in _said(numbers.rows[at], summary)] for at in data["sets"]
    }
    data["words"] = list(words)
    return _render(summary, numbers, sections, json_script(data), set(data["sets"]), folder)


def charts(summary: Mapping[str, Any], names: Sequence[str] = ()) -> str:
    """A page of the sections of CHARTS with these names alone, all where none is named; no rows behind the numbers.

    ValueError for a name that CHARTS has not. A section that the result has no numbers for is left out.
    """
    if unknown := [name for name in names if name not in CHARTS]:
        raise ValueError(f"no chart {unknown[0]!r}; have {', '.join(CHARTS)}")
    numbers = PageNumbers(summary)
    built = [CHARTS[name](numbers) for name in names or CHARTS]
    return _render(summary, numbers, [one for one in built if one is not None])


def _render(
    summary: Mapping[str, Any],
    numbers: PageNumbers,
    sections: Sequence[Section],
    data: Markup | None = None,
    linked: Set[int] = frozenset(),
    folder: str = FOLDER,
) -> str:
    html: str = _template().render(
        summary=summary,
        title=_title(summary),
        short=plain_summaries(summary, folder),
        sections=sections,
        series=[(at, name) for name, at in numbers.series.items() if name],
        data=data,
        linked=linked,
        style=_file("page.css"),
        script=_file("page.js"),
        swatch=draw_swatch,
        wording=wording,
    )
    return html


def _said(row: Mapping[str, Any], summary: Mapping[str, Any]) -> list[str]:
    """The labels of a number, for the heading of its rows."""
    return [
        wording.system_title(row["system"]),
        wording.protocol_title(row["protocol"], summary["protocols"]),
        row["metric"],
        wording.format_slice(row["slice"]),
        wording.format_estimate(row).strip(),
        wording.format_counts(row),
        row["note"],
    ]


def _title(summary: Mapping[str, Any]) -> str:
    systems = " and ".join(list(summary["systems"])[:3])
    return f"{systems or 'Systems'} on {summary['benchmark'].get('name') or 'a benchmark'}"


@cache
def _template() -> Any:
    environment = page_environment("rarefy.tasks.evaluate.results.page")
    write = environment.finalize or str
    environment.finalize = lambda value: _keep_sign(write(value))
    environment.filters["kind"] = lambda part: type(part).__name__.lower()
    return environment.get_template("page.html.j2")


def _keep_sign(value: Any) -> Any:
    """A text with each figure and its per cent sign on one line; markup, which holds data and drawings, as it is."""
    if isinstance(value, str) and not isinstance(value, Markup):
        return _BEFORE_SIGN.sub("\N{NO-BREAK SPACE}", value)
    return value


@cache
def _file(name: str) -> Markup:
    """A file of this package as it stands: it is ours, and has no markup that would end its element."""
    return Markup(files("rarefy.tasks.evaluate.results.page").joinpath(name).read_text("utf-8"))
