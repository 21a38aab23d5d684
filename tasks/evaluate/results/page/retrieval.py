"""How good retrieval is, and who is at fault where an answer is wrong."""

import re
from collections.abc import Iterator, Sequence
from typing import Any

from rarefy.tasks.evaluate.results import wording
from rarefy.tasks.evaluate.results.page.dots import Dots, dots
from rarefy.tasks.evaluate.results.page.found import Found, Row, metrics, one, values
from rarefy.tasks.evaluate.results.page.parts import Grid, Plot, Plots, Section, section
from rarefy.tasks.evaluate.results.slices import natural
from rarefy.tasks.evaluate.results.svg import Curve, Point, curves

_AT = re.compile(r"(.+)@(\d+)")
FAULTS = ("Retriever at fault", "Answer shown without all gold", "Generator at fault", "Fault not known")
WITH = ("All gold retrieved", "Right with all gold", "Right without all gold", "Refused though all gold was there")
ABOUT = (
    "What each retriever finds, whatever system is put to the test. For the wording as it stands, then for every other."
)
ABOUT_FAULTS = (
    "Of the wrong answers to questions with retrieved passages: was the gold there, so that the generator failed, or "
    "not, so that the retriever did? Beside them, how often an answer is right with all the gold and without."
)


def retrieval(found: Found) -> Section | None:
    """A grid of retrievers and measures, curves over k, and a table by wording."""
    rows = [row for row in found.rows if row["protocol"] == wording.RETRIEVAL]
    plain = [row for row in rows if _plain(row)]
    parts: list[Any] = [_grid(found, plain), _over_k(found, plain), *_by_wording(found, rows)]
    return section("retrieval", "Retrieval", ABOUT, parts)


def faults(found: Found) -> Section | None:
    """Attribution, protocol by protocol."""
    return section("faults", "Retriever or generator", ABOUT_FAULTS, list(_faults(found)))


def _plain(row: Row) -> bool:
    """Of the original wording, of all questions."""
    return not set(row["where"]) - {"retriever", "perturbation"} and row["where"].get("perturbation", "none") == "none"


def _grid(found: Found, rows: Sequence[Row]) -> Grid | None:
    if not rows:
        return None
    columns = [name for name in metrics(rows) if "against" not in name]
    lines = []
    for retriever in dict.fromkeys(row["where"].get("retriever", "") for row in rows):
        mine = [row for row in rows if row["where"].get("retriever", "") == retriever]
        cells = tuple(one(mine, metric=name) for name in columns)
        for cell in cells:
            if cell is not None:
                found.show(cell)
        lines.append((retriever or "all", cells, tuple(() for _ in columns)))
    # measures as rows: there are many of them, and few retrievers
    names = tuple(name for name, _, _ in lines)
    turned = tuple(
        (column, tuple(cells[at] for _, cells, _ in lines), tuple(() for _ in lines))
        for at, column in enumerate(columns)
    )
    return Grid("Questions as they stand", names, turned, folded=False)


def _over_k(found: Found, rows: Sequence[Row]) -> Plots | None:
    kinds: dict[str, list[tuple[int, Row]]] = {}
    for row in rows:
        if (match := _AT.fullmatch(row["metric"])) is not None:
            kinds.setdefault(match[1], []).append((int(match[2]), row))
    plots = []
    legend: dict[tuple[int, str, bool], None] = {}
    retrievers = values(rows, "retriever")
    for name, some in kinds.items():
        if len({k for k, _ in some}) < 2:
            continue
        drawn = []
        for at, retriever in enumerate(retrievers):
            its = sorted(
                ((k, row) for k, row in some if row["where"].get("retriever") == retriever), key=lambda one: one[0]
            )
            points = []
            for k, row in its:
                found.show(row)
                told = f"{retriever}, {row['metric']}: {wording.value(row)} {wording.interval(row)}"
                points.append(Point(float(k), row["value"], row["low"], row["high"], told, row["at"]))
            drawn.append(Curve(retriever, tuple(points), at))
        legend |= dict.fromkeys((curve.series, curve.name, False) for curve in drawn)
        plots.append(Plot(f"{name}@k", curves(drawn, f"{name} over k", "passages (k)")))
    return Plots("Over the number of passages", tuple(plots), tuple(legend)) if plots else None


def _by_wording(found: Found, rows: Sequence[Row]) -> Iterator[Dots | None]:
    mine = [row for row in rows if set(row["where"]) == {"retriever", "perturbation"}]
    have = [
        name for name in metrics(mine) if name.startswith(("Recall@10", "Recall@5", "nDCG")) and "against" not in name
    ]
    for name in sorted(have, key=natural)[:1]:
        for retriever in values(mine, "retriever"):
            its = [row for row in mine if row["metric"] == name and row["where"]["retriever"] == retriever]
            its.sort(key=lambda row: natural(row["where"]["perturbation"]))
            beside = [
                (other, lambda row, other=other: one(mine, metric=other, slice=row["slice"]))
                for other in metrics(mine)
                if other.startswith(("nDCG", "MRR", f"{name} against")) and other != name
            ]
            yield dots(
                found, f"{retriever}: {name} by wording", its, lambda row: wording.said(row["where"]["perturbation"]),
                beside=beside[:3],
                folded=True,
            )  # fmt: skip


def _faults(found: Found) -> Iterator[Dots | None]:
    for protocol in found.protocols:
        title = wording.title(protocol, found.summary["protocols"])
        for names in ((), ("retriever",), ("hops",)):
            rows = found.by(protocol, *names)
            parts = (("wrong answers, who is at fault", FAULTS), ("right and refused, with and without gold", WITH))
            for title_, kinds in parts[: 1 if names else 2]:
                mine = [row for row in rows if row["metric"] in kinds]
                mine.sort(
                    key=lambda row: (
                        kinds.index(row["metric"]),
                        natural(row["slice"]),
                        found.series.get(row["system"], 0),
                    )
                )
                by = f", by {wording.said(names[0])}" if names else ""
                yield dots(found, f"{title}: {title_}{by}", mine, _label, folded=bool(names))


def _label(row: Row) -> str:
    return str(row["metric"]) if row["slice"] == "all" else f"{row['metric']}, {wording.slice_(row['slice'])}"
