"""SURE: the radar of types, and the table of Known and Unknown questions by Golden and Noise documents (Table 2)."""

from collections.abc import Iterator

from rarefy.tasks.evaluate.results import wording
from rarefy.tasks.evaluate.results.page.dots import Dots, dots
from rarefy.tasks.evaluate.results.page.found import Found, Row, one, values
from rarefy.tasks.evaluate.results.page.parts import Grid, Plot, Plots, Section, section
from rarefy.tasks.evaluate.results.svg import Curve, Point, radar

SUBSETS = ("K-G", "U-G", "K-N", "U-N", "golden", "noise", "total")
_SAID = {
    "K-G": "Known, Golden",
    "U-G": "Unknown, Golden",
    "K-N": "Known, Noise",
    "U-N": "Unknown, Noise",
    "total": "all",
}
ABOUT = (
    "Robustness rate (RR): share of answers that stay as right or as wrong as they were when a document is changed in "
    "what does not matter; WR rise from wrong to right, LR fall from right to wrong. Known: the system answers the "
    "question without a document. On Noise both answers are mostly wrong, which inflates RR."
)


def spurious(found: Found) -> Section | None:
    """Radar, and the tables by subset."""
    parts = [_radar(found), _subsets(found), *_grids(found)]
    return section("sure", "Spurious features: radar, known and unknown, golden and noise", ABOUT, parts)


def _radar(found: Found) -> Plots | None:
    plots = []
    legend: dict[tuple[int, str, bool], None] = {}
    for title, names, subset in (
        ("Golden documents", ("type",), ""),
        ("K-G", ("type", "subset"), "K-G"),
        ("U-G", ("type", "subset"), "U-G"),
    ):
        rows = [
            row
            for row in found.by("sure", *names)
            if row["metric"] == "RR" and row["where"].get("subset", "") == subset and row["value"] is not None
        ]
        spokes = values(rows, "type")
        if len(spokes) < 3:
            continue
        drawn = []
        for system in dict.fromkeys(row["system"] for row in rows):
            its = [row for row in rows if row["system"] == system]
            for row in its:
                found.show(row)
            points = tuple(
                _point(row, spokes) for row in sorted(its, key=lambda row: spokes.index(row["where"]["type"]))
            )
            drawn.append(Curve(wording.system(system), points, found.series.get(system, 0)))
        legend |= dict.fromkeys((curve.series, curve.name, False) for curve in drawn)
        plots.append(
            Plot(f"RR by type, {title}", radar(drawn, [wording.said(name) for name in spokes], f"RR by type, {title}"))
        )
    note = "The middle is the lowest ring, not zero."
    return Plots("RR by type of change", tuple(plots), tuple(legend), note) if plots else None


def _point(row: Row, spokes: list[str]) -> Point:
    told = f"{wording.system(row['system'])}, {row['where']['type']}: RR {wording.value(row)} {wording.interval(row)}"
    return Point(float(spokes.index(row["where"]["type"])), row["value"], row["low"], row["high"], told, row["at"])


def _subsets(found: Found) -> Dots | None:
    rows = found.by("sure", "subset")
    mine = sorted((row for row in rows if row["metric"] == "RR"), key=lambda row: _place(row["where"]["subset"]))
    beside = [
        (name, lambda row, name=name: one(rows, metric=name, slice=row["slice"], system=row["system"]))
        for name in ("WR", "LR", "base accuracy")
        if one(rows, metric=name)
    ]
    return dots(found, "RR by subset", mine, lambda row: _said(row["where"]["subset"]), beside=beside)


def _grids(found: Found) -> Iterator[Grid]:
    """Table 2 for each system: a row per change, a column per subset, WR and LR under RR."""
    for kind in ("type", "perturbation"):
        rows = found.by("sure", kind, "subset")
        for system in dict.fromkeys(row["system"] for row in rows):
            its = {
                (row["where"][kind], row["where"]["subset"], row["metric"]): row
                for row in rows
                if row["system"] == system
            }
            columns = sorted({subset for _, subset, _ in its}, key=_place)
            lines = []
            for name in values([row for row in rows if row["system"] == system], kind):
                cells = tuple(its.get((name, subset, "RR")) for subset in columns)
                under = tuple(
                    tuple(
                        (metric, its[name, subset, metric]) for metric in ("WR", "LR") if (name, subset, metric) in its
                    )
                    for subset in columns
                )
                lines.append((wording.said(name), cells, under))
                for row in (*cells, *(row for some in under for _, row in some)):
                    if row is not None:
                        found.show(row)
            yield Grid(
                f"{wording.system(system)}: RR by {kind}, Known and Unknown, Golden and Noise",
                tuple(map(_said, columns)),
                tuple(lines),
                shaded=True,
                folded=kind == "perturbation",
            )


def _place(subset: str) -> tuple[int, str]:
    return (SUBSETS.index(subset) if subset in SUBSETS else len(SUBSETS), subset)


def _said(subset: str) -> str:
    return (
        f"{subset} ({_SAID[subset]})"
        if subset in _SAID and subset != "total"
        else _SAID.get(subset, wording.said(subset))
    )
