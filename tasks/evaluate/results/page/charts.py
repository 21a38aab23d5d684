"""Sections with drawings: curves over noise and passages, SURE's radar and subsets, retrieval and who is at fault."""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import Any

from rarefy.tasks.evaluate.results import wording
from rarefy.tasks.evaluate.results.own_retrieval import TITLE, cells_of, heads_of, own_retrieval
from rarefy.tasks.evaluate.results.page.parts import (
    Dots,
    Grid,
    Listed,
    PageNumbers,
    Plot,
    Plots,
    Row,
    Section,
    build_dots,
    build_section,
    companion_finder,
    find_row,
    label_row,
    list_metrics,
    slice_values,
)
from rarefy.tasks.evaluate.results.svg import Curve, Point, draw_curves, draw_radar
from rarefy.tasks.evaluate.results.wording import natural_key, parse_number

# Curves

MakePoint = Callable[[Any], Point]
Legend = dict[tuple[int, str, bool], None]  # series, name, dashed

AXES = ("ratio", "k")
MOST = 6  # curves of a plot
LABELS = {"ratio": "share of noise among the passages", "k": "passages (k)"}
# Curves that are read together: the number itself, then what it is set against
TOGETHER = ("performance", "perfect NDR", "perfect RSR", "perfect ROR")
ABOUT_CURVES = (
    "How a system fares as noise rises, as passages are added, and as they are shown in another order. Bands and "
    "whiskers are 95 % intervals; dashed whiskers show how far the answers without a score could move a number."
)


def curves_section(numbers: PageNumbers) -> Section | None:
    """Every protocol's curves."""
    parts = [
        plots for name in numbers.protocols for plots in _protocol_curves(numbers, name) if name != wording.RETRIEVAL
    ]
    return build_section("curves", "Curves", ABOUT_CURVES, parts)


def _protocol_curves(numbers: PageNumbers, protocol: str) -> Iterator[Plots]:
    title = numbers.title(protocol)
    for axis in AXES:
        for names in numbers.kinds(protocol):
            if axis not in names or len(names) > 3:
                continue
            rest = [name for name in names if name != axis]
            rows = [row for row in numbers.by(protocol, *names) if parse_number(row["where"][axis]) is not None]
            if len(slice_values(rows, axis)) > 1:
                yield from _plots_over(numbers, title, axis, rest, rows)
    rows = numbers.by(protocol, "order")
    if len(slice_values(rows, "order")) > 1:
        yield _order_plots(numbers, title, rows)


def _plots_over(
    numbers: PageNumbers, title: str, axis: str, rest: Sequence[str], rows: Sequence[Row]
) -> Iterator[Plots]:
    """Plots over an axis: one per metric, or, where metrics are read together, one per system."""
    reference = {row["system"]: row for row in rows if row["where"][axis] == "0" and axis == "k"}
    rows = [row for row in rows if row not in reference.values()]
    together = [name for name in TOGETHER if name in list_metrics(rows)]

    def point(row: Row) -> Point:
        return _point(row, parse_number(row["where"][axis]) or 0.0)

    title = f"{title}: over {axis}" + (f", by {' and '.join(map(wording.plain_words, rest))}" if rest else "")
    plots, legend = [], Legend()
    if not rest and len(together) > 1:
        for system in dict.fromkeys(row["system"] for row in rows):
            mine = [row for row in rows if row["system"] == system]
            drawn = [
                _curve(numbers, name, at, [row for row in mine if row["metric"] == name], point, dashed=at > 0)
                for at, name in enumerate(together)
            ]
            levels = [
                ("closed-book", row["value"], 5)
                for name, row in reference.items()
                if name == system and row["value"] is not None
            ]
            plots.append(_plot(f"{wording.system_title(system)}: performance", drawn, axis, levels))
            legend |= _legend(drawn)
            legend |= {(5, "closed-book", True): None} if levels else {}
        yield Plots(title, tuple(plots), tuple(legend))
        return
    folded = len(rest) > 1 or "retriever" in rest
    for metric in [name for name in list_metrics(rows) if name not in TOGETHER[1:] and not name.endswith("gain")]:
        mine = [row for row in rows if row["metric"] == metric]
        for label, some in _split_facets(mine, rest):
            drawn = _facet_curves(numbers, some, rest, point)
            if _has_line(drawn):
                plots.append(_plot(f"{metric}{label}", drawn, axis, []))
                legend |= _legend(drawn)
    if plots:
        yield Plots(title, tuple(plots), tuple(legend), folded=folded)


def _has_line(drawn: Iterable[Curve]) -> bool:
    """Whether any curve has two points or more: single ones are in the tables."""
    return any(sum(place.y is not None for place in curve.points) > 1 for curve in drawn)


def _split_facets(rows: Sequence[Row], rest: Sequence[str]) -> Iterator[tuple[str, list[Row]]]:
    """The rows as they are, or a plot for each system where there are too many curves for one."""
    curves_ = {(row["system"], tuple(row["where"][name] for name in rest)) for row in rows}
    systems = list(dict.fromkeys(row["system"] for row in rows))
    if not rest or (len(systems) == 1 and len(curves_) <= MOST):
        yield "", list(rows)
        return
    for system in systems:
        mine = [row for row in rows if row["system"] == system]
        if len(rest) == 1 or len({row["where"][rest[0]] for row in mine}) == 1:
            yield f", {wording.system_title(system)}", mine
        else:
            for value in slice_values(mine, rest[0]):
                yield (
                    f", {wording.system_title(system)}, {wording.plain_words(value)}",
                    [r for r in mine if r["where"][rest[0]] == value],
                )


def _facet_curves(numbers: PageNumbers, rows: Sequence[Row], rest: Sequence[str], point: MakePoint) -> list[Curve]:
    """A curve for each system, or, within one system, for each value of the last name."""
    if not rest:
        return _system_curves(numbers, rows, point)
    return [
        _curve(numbers, wording.plain_words(value), at, [row for row in rows if row["where"][rest[-1]] == value], point)
        for at, value in enumerate(slice_values(rows, rest[-1]))
    ]


def _system_curves(numbers: PageNumbers, rows: Iterable[Row], point: MakePoint) -> list[Curve]:
    """A curve for each system."""
    return [
        _curve(numbers, wording.system_title(system), numbers.series.get(system, 0), its, point)
        for (system,), its in wording.group_rows(rows, "system")
    ]


def _curve(
    numbers: PageNumbers, name: str, series: int, rows: Sequence[Any], point: MakePoint, dashed: bool = False
) -> Curve:
    for row in rows:
        numbers.show(row)
    return Curve(name, tuple(sorted(map(point, rows), key=lambda point: point.x)), series, dashed)


def _legend(drawn: Iterable[Curve]) -> Legend:
    return dict.fromkeys((curve.series, curve.name, curve.dashed) for curve in drawn)


def _point(row: Row, x: float) -> Point:
    low, high = (row["worst"], row["best"]) if row["withheld"] else (row["low"], row["high"])
    return Point(x, row["value"], low, high, wording.describe_row(row), row["at"], bool(row["withheld"]))


def _plot(title: str, drawn: Sequence[Curve], axis: str, levels: Sequence[tuple[str, float, int]]) -> Plot:
    return Plot(title, draw_curves(drawn, title, LABELS[axis], references=levels))


def _order_plots(numbers: PageNumbers, title: str, rows: Sequence[Row]) -> Plots:
    names = slice_values(rows, "order")
    plots, legend = [], Legend()
    for metric in list_metrics(rows):
        mine = [row for row in rows if row["metric"] == metric]
        drawn = _system_curves(numbers, mine, lambda row: _point(row, float(names.index(row["where"]["order"]))))
        legend |= _legend(drawn)
        plots.append(Plot(metric, draw_curves(drawn, f"{metric} by order", "order of the passages", names=names)))
    return Plots(f"{title}: by order", tuple(plots), tuple(legend))


# SURE: radar and subsets (Table 2)

SUBSETS = ("K-G", "U-G", "K-N", "U-N", "golden", "noise", "total")
SUBSET_NAMES = {
    "K-G": "Known, Golden",
    "U-G": "Unknown, Golden",
    "K-N": "Known, Noise",
    "U-N": "Unknown, Noise",
    "total": "all",
}
ABOUT_SURE = (
    "Robustness rate (RR): share of answers that stay as right or as wrong as they were when a document is changed in "
    "what does not matter; WR rise from wrong to right, LR fall from right to wrong. K, Known: the system answers the "
    "question without a document; U, Unknown: it does not. G, Golden: the document has the answer; N, Noise: it has "
    "not, so that both answers are mostly wrong, which inflates RR."
)


def sure_section(numbers: PageNumbers) -> Section | None:
    """Radar, and the tables by subset."""
    parts = [_radar(numbers), _subset_dots(numbers), *_subset_grids(numbers)]
    return build_section("sure", "Spurious features: radar, known and unknown, golden and noise", ABOUT_SURE, parts)


def _radar(numbers: PageNumbers) -> Plots | None:
    plots, legend = [], Legend()
    for title, names, subset in (
        ("Golden documents", ("type",), ""),
        ("K-G (Known, Golden)", ("type", "subset"), "K-G"),
        ("U-G (Unknown, Golden)", ("type", "subset"), "U-G"),
    ):
        rows = [
            row
            for row in numbers.by("sure", *names)
            if row["metric"] == "RR" and row["where"].get("subset", "") == subset and row["value"] is not None
        ]
        spokes = slice_values(rows, "type")
        if len(spokes) < 3:
            continue
        drawn = _system_curves(numbers, rows, partial(_radar_point, spokes=spokes))
        legend |= _legend(drawn)
        plots.append(
            Plot(
                f"RR by type, {title}",
                draw_radar(drawn, [wording.plain_words(name) for name in spokes], f"RR by type, {title}"),
            )
        )
    note = "The middle is the lowest ring, not zero."
    return Plots("RR by type of change", tuple(plots), tuple(legend), note) if plots else None


def _radar_point(row: Row, spokes: list[str]) -> Point:
    return _point(row, float(spokes.index(row["where"]["type"])))


def _subset_dots(numbers: PageNumbers) -> Dots | None:
    rows = numbers.by("sure", "subset")
    mine = sorted((row for row in rows if row["metric"] == "RR"), key=lambda row: _subset_order(row["where"]["subset"]))
    beside = [
        (name, companion_finder(rows, name)) for name in ("WR", "LR", "base accuracy") if find_row(rows, metric=name)
    ]
    return build_dots(numbers, "RR by subset", mine, lambda row: _subset_name(row["where"]["subset"]), beside=beside)


def _subset_grids(numbers: PageNumbers) -> Iterator[Grid]:
    """Table 2 for each system: a row per change, a column per subset, WR and LR under RR."""
    for kind in ("type", "perturbation"):
        rows = numbers.by("sure", kind, "subset")
        for system in dict.fromkeys(row["system"] for row in rows):
            its = {
                (row["where"][kind], row["where"]["subset"], row["metric"]): row
                for row in rows
                if row["system"] == system
            }
            columns = sorted({subset for _, subset, _ in its}, key=_subset_order)
            lines = []
            for name in slice_values([row for row in rows if row["system"] == system], kind):
                cells = tuple(its.get((name, subset, "RR")) for subset in columns)
                under = tuple(
                    tuple(
                        (metric, its[name, subset, metric]) for metric in ("WR", "LR") if (name, subset, metric) in its
                    )
                    for subset in columns
                )
                lines.append((wording.plain_words(name), cells, under))
                for row in (*cells, *(row for some in under for _, row in some)):
                    numbers.show(row)
            yield Grid(
                f"{wording.system_title(system)}: RR by {kind}, Known and Unknown, Golden and Noise",
                tuple(map(_subset_name, columns)),
                tuple(lines),
                shaded=True,
                folded=kind == "perturbation",
            )


def _subset_order(subset: str) -> tuple[int, str]:
    return (SUBSETS.index(subset) if subset in SUBSETS else len(SUBSETS), subset)


def _subset_name(subset: str) -> str:
    return (
        f"{subset} ({SUBSET_NAMES[subset]})"
        if subset in SUBSET_NAMES and subset != "total"
        else SUBSET_NAMES.get(subset, wording.plain_words(subset))
    )


# Retrieval and attribution

_AT = re.compile(r"(.+)@(\d+)")
_FIGURES = frozenset(range(1, 20))  # columns of a table whose first one is a name
FAULTS = ("Retriever at fault", "Answer shown without all gold", "Generator at fault", "Fault not known")
WITH = ("All gold retrieved", "Right with all gold", "Right without all gold", "Refused though all gold was there")
ABOUT_RETRIEVAL = (
    "What each retriever finds, whatever system is put to the test. For the wording as it stands, then for every "
    "other. Recall is of the gold passages, or others that state the same; gold recall is the share of questions "
    "with the answer's words, letter by letter, in some passage. Depths k at which nothing changes are left out."
)
ABOUT_FAULTS = (
    "Of the wrong answers to questions with retrieved passages: was the gold there, so that the generator failed, or "
    "not, so that the retriever did? Beside them, how often an answer is right with all the gold and without."
)


def retrieval_section(numbers: PageNumbers) -> Section | None:
    """A grid of retrievers and measures, curves over k, and a table by wording."""
    rows = [row for row in numbers.rows if row["protocol"] == wording.RETRIEVAL]
    plain = _drop_repeats([row for row in rows if _is_unperturbed(row)])
    own = [
        Listed(TITLE.format(system), tuple(heads_of(its[0])), tuple(tuple(cells_of(row)) for row in its), _FIGURES)
        for system, its in own_retrieval(numbers.summary).items()
    ]
    parts: list[Any] = [*own, _grid(numbers, plain), _plots_over_k(numbers, plain), *_wording_dots(numbers, rows)]
    return build_section("retrieval", "Retrieval", ABOUT_RETRIEVAL, parts)


def fault_section(numbers: PageNumbers) -> Section | None:
    """Attribution, protocol by protocol."""
    return build_section("faults", "Retriever or generator", ABOUT_FAULTS, list(_fault_dots(numbers)))


def _is_unperturbed(row: Row) -> bool:
    """Of the original wording, of all questions."""
    return not set(row["where"]) - {"retriever", "perturbation"} and row["where"].get("perturbation", "none") == "none"


def _drop_repeats(rows: Sequence[Row]) -> list[Row]:
    """The rows without depths that add nothing: where every retriever has what it has at the depth before.

    Such are those of more passages than there are, and those beyond where all is found.
    """
    values: dict[str, dict[Any, Any]] = {}
    for row in rows:
        values.setdefault(row["metric"], {})[row["system"], row["slice"]] = row["value"]
    before: dict[str, str] = {}  # the deepest that is kept, by measure
    dropped = set()
    for metric in sorted((name for name in values if "@" in name), key=natural_key):
        kind = metric.partition("@")[0]
        known = values.get(before.get(kind, ""), {})
        if all(of in known and known[of] == value for of, value in values[metric].items()):
            dropped.add(metric)
        else:
            before[kind] = metric
    return [row for row in rows if row["metric"] not in dropped]


def _grid(numbers: PageNumbers, rows: Sequence[Row]) -> Grid | None:
    if not rows:
        return None
    tried = [row for row in rows if wording.was_tried(row)]
    every = [name for name in list_metrics(rows) if "against" not in name]
    columns = [name for name in every if find_row(tried, metric=name)]
    if not columns:
        return None
    for row in tried:
        if row["metric"] in columns:
            numbers.show(row)
    note = _describe_untried([name for name in every if name not in columns])
    lines = []
    for retriever in dict.fromkeys(row["where"].get("retriever", "") for row in rows):
        mine = [row for row in rows if row["where"].get("retriever", "") == retriever]
        cells = tuple(find_row(mine, metric=name) for name in columns)
        lines.append((retriever or "all", cells, tuple(() for _ in columns)))
    # measures as rows: there are many of them, and few retrievers
    names = tuple(name for name, _, _ in lines)
    turned = tuple(
        (column, tuple(cells[at] for _, cells, _ in lines), tuple(() for _ in lines))
        for at, column in enumerate(columns)
    )
    return Grid("Questions as they stand", names, turned, note)


# Measures that only some questions have
_FOR = {"all gold": "that need several passages", "gold recall": "with an answer other than yes or no"}


def _describe_untried(metrics: Sequence[str]) -> str:
    """Which measures no question here is for, and which questions they are for; "" for none."""
    kinds = dict.fromkeys(name.partition("@")[0] for name in metrics)
    of = "; ".join(f"{kind} is of questions {_FOR[kind]}" if kind in _FOR else kind for kind in kinds)
    return f"Not tried, as there is no question for it here: {of}." if metrics else ""


def _plots_over_k(numbers: PageNumbers, rows: Sequence[Row]) -> Plots | None:
    kinds: dict[str, list[Row]] = {}
    for row in rows:
        if (match := _AT.fullmatch(row["metric"])) and wording.was_tried(row):
            kinds.setdefault(match[1], []).append(row)

    def point(row: Row) -> Point:
        return _point(row, float(row["metric"].rpartition("@")[2]))

    plots, legend = [], Legend()
    retrievers = slice_values(rows, "retriever")
    for name, some in kinds.items():
        drawn = [
            _curve(numbers, retriever, at, [row for row in some if row["where"].get("retriever") == retriever], point)
            for at, retriever in enumerate(retrievers)
        ]
        if not _has_line(drawn):
            continue
        legend |= _legend(drawn)
        plots.append(Plot(f"{name}@k", draw_curves(drawn, f"{name} over k", "passages (k)")))
    return Plots("Over the number of passages", tuple(plots), tuple(legend)) if plots else None


def _wording_dots(numbers: PageNumbers, rows: Sequence[Row]) -> Iterator[Dots | None]:
    mine = [row for row in rows if set(row["where"]) == {"retriever", "perturbation"}]
    have = [
        name
        for name in list_metrics(mine)
        if name.startswith(("Recall@10", "Recall@5", "nDCG")) and "against" not in name
    ]
    for name in sorted(have, key=natural_key)[:1]:
        for retriever in slice_values(mine, "retriever"):
            its = [row for row in mine if row["metric"] == name and row["where"]["retriever"] == retriever]
            its.sort(key=lambda row: natural_key(row["where"]["perturbation"]))
            beside = [
                (other, lambda row, other=other: find_row(mine, metric=other, slice=row["slice"]))
                for other in list_metrics(mine)
                if other.startswith(("nDCG", "MRR", f"{name} against")) and other != name
            ]
            yield build_dots(
                numbers, f"{retriever}: {name} by wording", its,
                lambda row: wording.plain_words(row["where"]["perturbation"]),
                beside=beside[:3],
                folded=True,
            )  # fmt: skip


def _fault_dots(numbers: PageNumbers) -> Iterator[Dots | None]:
    for protocol in numbers.protocols:
        title = numbers.title(protocol)
        for names in ((), ("retriever",), ("hops",)):
            rows = numbers.by(protocol, *names)
            parts = (("wrong answers, who is at fault", FAULTS), ("right and refused, with and without gold", WITH))
            for title_, kinds in parts[: 1 if names else 2]:
                mine = [row for row in rows if row["metric"] in kinds]
                mine.sort(
                    key=lambda row: (
                        kinds.index(row["metric"]),
                        natural_key(row["slice"]),
                        numbers.series.get(row["system"], 0),
                    )
                )
                by = f", by {wording.plain_words(names[0])}" if names else ""
                yield build_dots(numbers, f"{title}: {title_}{by}", mine, label_row, folded=bool(names))
