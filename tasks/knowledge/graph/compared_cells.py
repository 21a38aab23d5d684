"""Proposes cells of tables without tags to compare: one measure of several things with names, or of two years."""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from decimal import Decimal

from rarefy.data_contracts.rows import Triplet, row_id
from rarefy.tasks.knowledge.extract.cell_names import NO_KIND, CellName, read_cell_name
from rarefy.tasks.knowledge.extract.column_heads import find_unit, read_kind, unit_in_brackets
from rarefy.tasks.knowledge.extract.labels import is_plural

# What is measured in a unit that its table need not state
_MEASURES = re.compile(
    r"(?:.*\W)?(?:weight|height|width|length|depth|size|capacity|price|cost|fee|rate|amount|limit|speed|power|voltage"
    r"|current|temperature|pressure|duration|time|distance|age|area|volume|score|ratio|efficiency|level|allowance"
    r"|salary|budget|population|output|input|range|consumption|cop|frequency|resolution|thickness|diameter)",
    re.I,
)
_COUNTED = re.compile(r"[1-9]\d{0,3}|[1-9]\d{0,2}(?:,\d{3})+")
FEWEST, MOST = 3, 5  # things of which one has the most


def cells_to_compare(kind: str, triplets: Iterable[Triplet]) -> Iterator[tuple[Triplet, ...]]:
    """For each measure of a table: two or three of its things ("comparison"), or three to five ("superlative").

    None of them has the same figure as another, and which are taken is drawn by hash.
    """
    measures: dict[tuple[str, ...], dict[str, Triplet]] = defaultdict(dict)
    twice: set[tuple[str, ...]] = set()
    for triplet in triplets:
        name = read_cell_name(triplet.relation) if _is_figure(triplet) else None
        if name is None or name.under or not name.measure or not name.named or not _is_measure(name, triplet):
            continue
        table = (triplet.doc_id, triplet.chunk_id, str(triplet.header_start), triplet.period)
        key: tuple[str, ...] = (*table, name.measure, triplet.unit, triplet.scale, triplet.object_type)
        if name.thing in measures[key]:
            twice.add(key)
        measures[key][name.thing] = triplet
    asked: set[tuple[tuple[str, str], ...]] = set()  # what many tables repeat is asked of the first of them
    for key, of in sorted(measures.items()):
        figures = _unlike([of[thing] for thing in sorted(of)])
        drawn = sorted(figures, key=lambda triplet: row_id(kind, triplet.relation))
        size = 2 if len(figures) <= FEWEST else FEWEST
        chosen = drawn[:size] if kind == "comparison" else drawn[:MOST]
        said = tuple((triplet.relation, triplet.value) for triplet in chosen)
        if key not in twice and said not in asked and len(chosen) >= (2 if kind == "comparison" else FEWEST):
            asked.add(said)
            yield tuple(chosen)


def cells_of_two_years(triplets: Iterable[Triplet]) -> Iterator[tuple[Triplet, Triplet]]:
    """For each thing of a table and each measure of it: its figures of the last year and of the one before."""
    series: dict[tuple[str, ...], dict[str, Triplet]] = defaultdict(dict)
    for triplet in triplets:
        if _is_figure(triplet) and re.fullmatch(r"(?:19|20)\d\d", triplet.period):
            table = (triplet.doc_id, triplet.chunk_id, str(triplet.header_start))
            series[(*table, _without_year(triplet), triplet.unit, triplet.scale)][triplet.period] = triplet
    for _, years in sorted(series.items()):
        *_, old, new = [None, None, *(years[year] for year in sorted(years))]
        if old and new and old.value != new.value and int(new.period) - int(old.period) == 1:
            yield old, new


def _without_year(triplet: Triplet) -> str:
    """What is said of a thing, whatever the year: its budget of one year goes with its budget of another one alone."""
    name = read_cell_name(triplet.relation)
    dated = name and read_kind(name.column)
    return (
        triplet.relation.replace(name.column, f"{dated.measure} {dated.kind}") if name and dated else triplet.relation
    )


def _is_figure(triplet: Triplet) -> bool:
    """Whether a triplet is a figure above nothing in a table of a document that is about no company."""
    kept = triplet.subject_type == "TABLE" and not triplet.rejected_because and not triplet.entity
    return kept and re.fullmatch(r"\d+(?:\.\d+)?", triplet.value) is not None and Decimal(triplet.value) > 0


def _is_measure(name: CellName, triplet: Triplet) -> bool:
    """Whether more or less of a measure can be told: it has a unit, counts things, or is called so.

    Phone numbers, versions and defaults are figures, too.
    """
    if name.kind and NO_KIND.fullmatch(name.kind) and not name.turned:
        return False  # each row of a table of settings is another measure
    bracket = re.search(r"\(([^()]{1,20})\)$", name.measure)
    unit = unit_in_brackets(name.measure) or triplet.unit or (bracket and find_unit(bracket[1]))
    words = re.sub(r" ?\([^()]*\)$", "", name.measure)
    counted = is_plural(words) and _COUNTED.fullmatch(triplet.answer)
    return bool(unit or counted or _MEASURES.fullmatch(words))


def _unlike(figures: Sequence[Triplet]) -> list[Triplet]:
    """The figures that no other one is equal to."""
    values = [Decimal(figure.value) for figure in figures]
    return [figure for figure, value in zip(figures, values, strict=True) if values.count(value) == 1]
