"""Of two versions of a benchmark: what is the same in both, and the questions that only one has, apart."""

from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

from rich.box import SIMPLE_HEAD
from rich.markup import escape
from rich.table import Table

from rarefy.data_contracts.rows import Figure
from rarefy.flows.compare import RIGHT, Apart, Comparison
from rarefy.tasks.evaluate.statistics.compare import Difference

OF = {"retired": "A: retired questions", "new": "B: new questions"}
Row = tuple[str, dict[str, Apart]]


def as_json(comparison: Comparison) -> dict[str, Any]:
    """What the differences are of, and the numbers of what they are not of."""
    core = comparison.core
    if core is None:
        return {"core": None, "apart": []}
    named = {"changed": [*core.changed], "retired": [*core.retired], "new": [*core.new]}
    return {"core": {"kept": len(core.kept), **named}, "apart": [asdict(one) for one in comparison.apart]}


def lines(comparison: Comparison) -> Iterator[str]:
    """Which questions are compared, and what the system was shown with them."""
    core = comparison.core
    if core is None:
        return
    yield (
        f"drift: of the {len(core.kept):,} questions that read the same in both versions (text, answer, evidence). "
        f"{len(core.retired):,} of A are not in B, {len(core.new):,} of B were not in A: told apart, in no drift"
    )
    if core.changed:
        yield f"{len(core.changed):,} of these are in both by name, with another text, answer or evidence"
    for name, side in zip("AB", (comparison.first, comparison.second), strict=True):
        about = side.about["benchmark"]
        if about.get("questions") != about.get("of"):
            yield (
                f"{name} was put {about['questions']:,} of {about['of']:,} questions: one that is left out counts as "
                "if it were not in that version"
            )
    for one in comparison.paired:
        same = one.common - one.other - one.unknown
        told = f"{one.protocol}: of {one.common:,} pairs {same:,} were shown the same passages"
        told += f", {one.other:,} others (retrieval and mixing follow the documents)" if one.other else ""
        yield told + (f", {one.unknown:,} what the system found and does not tell" if one.unknown else "")


def by_passages(comparison: Comparison) -> list[Difference]:
    """The differences that tell pairs with the same passages from those with others."""
    if comparison.core is None:
        return []
    place = {one.protocol: at for at, one in enumerate(comparison.paired)}
    return sorted((row for row in comparison.differences if row.metric == RIGHT), key=lambda row: place[row.protocol])


def table(comparison: Comparison) -> Table | None:
    """Headlines of the questions that one version alone has, for a width of 80."""
    rows = _rows(comparison, headlines=True)
    if not rows:
        return None
    made = Table(
        title="Not compared: questions of one version alone", title_justify="left", box=SIMPLE_HEAD, pad_edge=False
    )
    for at, head in enumerate(_heads(comparison)):
        made.add_column(head, justify="left" if at == 0 else "right", overflow="fold")
    for name, told in rows:
        made.add_row(escape(name.replace("_", " ")), *(_cell(told.get(of)) for of in OF))
    return made


def grid(comparison: Comparison) -> Iterator[tuple[str, ...]]:
    """All numbers of these questions, the heads first."""
    rows = _rows(comparison, headlines=False)
    if rows:
        yield _heads(comparison)
    for name, told in rows:
        notes = [f"{of}: {told[of].figure.note}" for of in OF if of in told and told[of].figure.note]
        yield (name, *(_cell(told.get(of)) for of in OF), "; ".join(notes))


def _heads(comparison: Comparison) -> tuple[str, ...]:
    return ("number", *(f"{head}, {100 * comparison.config.level:g} %, questions" for head in OF.values()))


def _rows(comparison: Comparison, *, headlines: bool) -> list[Row]:
    """By number, both versions beside each other: not a pair, since no question is in both."""
    found: dict[str, dict[str, Apart]] = {}
    for one in comparison.apart:
        if one.figure.headline or not headlines:
            found.setdefault(f"{one.figure.protocol} {one.figure.metric}", {})[one.of] = one
    return [*found.items()]


def _cell(one: Apart | None) -> str:
    if one is None:
        return "none"
    row: Figure = one.figure
    if row.value is None:
        return f"withheld, of {one.questions:,}" if row.withheld else f"undefined, of {one.questions:,}"
    ends = "" if row.low is None or row.high is None else f" [{100 * row.low:.1f}, {100 * row.high:.1f}]"
    return f"{100 * row.value:.1f}{ends} of {row.clusters:,}"
