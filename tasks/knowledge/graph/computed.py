"""Proposes the operands of computed answers: comparisons, changes, shares and superlatives, from accepted triplets.

Whatever is proposed can be computed: figures above nothing, of one measure and unit, that the corpus states one way.
What cannot be told for sure (two values for one figure, members that may not be all) is not proposed.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from heapq import heapify, heappop, heapreplace
from itertools import accumulate, combinations, pairwise
from typing import TypeVar

from rarefy.data_contracts.rows import Path, Triplet, row_id
from rarefy.tasks.knowledge.graph.compared_cells import cells_of_two_years, cells_to_compare
from rarefy.tasks.knowledge.graph.config import GraphConfig
from rarefy.tasks.knowledge.graph.facts import MEMBERS, is_in_a_role, is_member
from rarefy.tasks.knowledge.graph.headlines import GIVEN_OF, family_of, is_unfollowed
from rarefy.tasks.text.dates import days_between

NEAR = Decimal("0.02")  # two figures that differ by less, as a share of the larger, are a tie to a reader who rounds
LEAST = Decimal("0.01")  # share of a whole
NEARBY = Decimal("1.25")  # times as large: of two filers whoever knows which is the larger knows no more
FAR = Decimal("1.8")  # times as large: of four filers or more
CLOSE = Decimal("1.5")  # times as large: what is known of the names does not yet tell which of two it is
APART = Decimal("1.05")  # two shares of which one is larger differ by this factor at least
FEWEST = 3  # things of which one can be the most
ROUNDED = Decimal("0.005")  # what the members of a whole may be short of it, or over it, by rounding
_WEEK = 8  # days by which fiscal years of 52 and 53 weeks, or their last days, differ
_WHOLE = "ORG"  # subject_type of the filer itself
# Filers or parts that are compared, and filers among which one has the most: how many, and each how far from the next
BETWEEN = ((2, 1), (2, 2), (3, 1), (3, 2))
AMONG = ((4, 1), (4, 2), (4, 3), (5, 1), (5, 2))
_NUMBER = re.compile(r"\d+(?:\.\d+)?")

# Names of measures whose sign or direction their words leave open, or that mean another thing in every filing
_UNCLEAR = re.compile(
    r"[(/:“”]|\b(?:loss(?:es)?|deficit|increases?|decreases?|changes?|gains?|benefits?|adjustments?|effects?|impact"
    r"|noncontrolling|unrealized|reclassif\w+|reconcil\w+|eliminations?|other|others|used|reduction|accumulated|allowances?)\b"
    r"|\bliabilities\b.*\bequity\b",  # the total of a balance sheet is what its assets are
    re.IGNORECASE,
)

_SUM_ROW = re.compile(r"\|?\s*total\b", re.IGNORECASE)
_REST_OF_WORLD = re.compile(r"\b(?:other|others|rest of (?:the )?world)\b", re.IGNORECASE)  # nobody asks for it by name


@dataclass(frozen=True, slots=True)
class Operands:
    """Triplets whose values make one answer, in the order of `Path.triplet_ids`."""

    kind: str
    triplets: tuple[Triplet, ...]
    far: int  # 0: from several documents; 1: from several chunks of one; 2: from one chunk

    @property
    def figures(self) -> frozenset[str]:
        """What is set side by side, whichever passages state it."""
        return frozenset(map(name_figure, self.triplets))

    @property
    def easy(self) -> int:
        """How little it takes to answer: 0 for the most, then what is one row of one table, or a guess between two."""
        if self.kind in ("change", "superlative"):
            return int(len({(t.chunk_id, t.start) for t in self.triplets}) == 1)
        if self.kind != "comparison" or len(self.triplets) > 2:
            return 0
        low, high = sorted(map(worth, self.triplets))
        return 1 if high <= CLOSE * low else 2

    @property
    def spread(self) -> tuple[tuple[str, ...], ...]:
        """What it is one of, so that no measure, thing or document takes more than its turn."""
        first = self.triplets[0]
        measure = ("measure", first.concept or relation_of(first))
        subjects = [("subject", t.subject_key) for t in self.triplets]
        series = [("series", t.subject_key, *measure) for t in self.triplets]
        documents = [("document", t.doc_id) for t in self.triplets]
        return tuple(dict.fromkeys((measure, *subjects, *series, *documents)))


@dataclass(frozen=True, slots=True)
class Figures:
    """The figures of one domain that can be computed with, each as the triplets that state it, by what they are of."""

    stated: dict[tuple[str, str, str, str, str], list[Triplet]]  # (subject, measure, unit, start, end)
    years: dict[tuple[str, str], str]  # (entity, last day) -> "fiscal year 2024"
    everything: Sequence[Triplet]  # rejected ones too: what a table names besides

    def series(self) -> Iterator[list[list[Triplet]]]:
        """Figures of one subject, measure and unit that can be set side by side, by time."""
        groups: dict[tuple[str, str, str, bool], list[list[Triplet]]] = defaultdict(list)
        for (subject, measure, unit, start, _), triplets in self.stated.items():
            groups[subject, measure, unit, bool(start)].append(triplets)
        for _, group in sorted(groups.items()):
            yield sorted(group, key=lambda triplets: triplets[0].period_end)

    def side_by_side(self) -> Iterator[list[list[Triplet]]]:
        """Figures of several filers of one measure, unit and fiscal year, none of them per share."""
        groups: dict[tuple[str, str, bool, str], list[list[Triplet]]] = defaultdict(list)
        for (_, measure, unit, start, _), triplets in self.stated.items():
            year = self.year_of(triplets[0])
            if triplets[0].subject_type == _WHOLE and year and "/" not in unit:
                groups[measure, unit, bool(start), year].append(triplets)
        yield from (group for _, group in sorted(groups.items()))

    def members(self) -> Iterator[list[list[Triplet]]]:
        """Figures of several segments, products or regions of one filer, of one measure, unit and time."""
        groups: dict[tuple[str, ...], list[list[Triplet]]] = defaultdict(list)
        for (_, measure, unit, start, end), triplets in self.stated.items():
            first = triplets[0]
            if is_member(first):
                groups[first.entity, first.subject_type, measure, unit, start, end].append(triplets)
        yield from (group for _, group in sorted(groups.items()))

    def year_of(self, triplet: Triplet) -> str:
        """ "fiscal year 2024" for a figure of that year, or of its last day; "" for others."""
        if triplet.period_start:
            return triplet.period if triplet.period.startswith("fiscal year ") else ""
        return self.years.get((triplet.entity, triplet.period_end), "")

    def whole_of(self, member: Triplet) -> list[Triplet]:
        """The filer's own figure of a member's measure, unit and time; none where the corpus has none."""
        whole = f"{_WHOLE}:{member.entity}"
        key = (whole, measure_of(member), member.unit, member.period_start, member.period_end)
        return self.stated.get(key, [])


def relation_of(triplet: Triplet) -> str:
    return triplet.relation_key or triplet.relation.casefold()


def measure_of(triplet: Triplet) -> str:
    """What is measured: the tag that says so, else the relation."""
    return triplet.concept or relation_of(triplet)


def is_computable(triplet: Triplet) -> bool:
    """Whether a triplet is a figure of a known thing and time, above nothing, of a measure whose direction is clear.

    With a whole company's lines that people do not follow nobody computes anything.
    """
    return (
        not triplet.rejected_because
        and triplet.method == "table"
        and bool(triplet.unit and triplet.period and triplet.period_end and triplet.entity and triplet.subject_key)
        and triplet.subject_type in (_WHOLE, *MEMBERS)
        and bool(_NUMBER.fullmatch(triplet.value))
        and Decimal(triplet.value) > 0
        and not _UNCLEAR.search(triplet.relation)
        and not (triplet.subject_type == "REGION" and _REST_OF_WORLD.search(triplet.subject))
        and not is_in_a_role(triplet)
        and not is_unfollowed(triplet)
    )


def collect_figures(triplets: Iterable[Triplet]) -> Figures:
    """The figures to compute with; left out is what the corpus states in two ways."""
    everything = sorted(triplets, key=lambda t: t.triplet_id)
    values: dict[tuple[str, ...], set[Decimal]] = defaultdict(set)
    stated: dict[tuple[str, str, str, str, str], list[Triplet]] = defaultdict(list)
    years: dict[tuple[str, str], str] = {}
    for triplet in everything:
        if triplet.rejected_because or not re.fullmatch(r"-?\d+(?:\.\d+)?", triplet.value):
            continue
        time = (triplet.unit, triplet.period_start, triplet.period_end)
        for name in (triplet.concept, relation_of(triplet)):
            values[triplet.subject_key, name, *time].add(Decimal(triplet.value))
        if triplet.period_start and triplet.period.startswith("fiscal year "):
            years[triplet.entity, triplet.period_end] = triplet.period
        if is_computable(triplet):
            stated[triplet.subject_key, measure_of(triplet), *time].append(triplet)
    settled = {
        key: kept
        for key, group in stated.items()
        if len(values[key[0], key[1], *key[2:]]) == 1
        and (kept := [t for t in group if len(values[key[0], relation_of(t), *key[2:]]) == 1])
    }
    return Figures(settled, years, everything)


def worth(triplet: Triplet) -> Decimal:
    return Decimal(triplet.value)


def differ(one: Decimal, other: Decimal) -> bool:
    """Whether two figures differ by enough to say which is larger."""
    return abs(one - other) >= NEAR * max(one, other) and one != other


def choose_operands(kind: str, figures: Sequence[Sequence[Triplet]], alike: bool = True) -> Operands | None:
    """One triplet of each figure, from as few chunks as hold them all; by hash.

    Whoever has one table with both figures needs no second one. With `alike` all have one relation, so that one name
    says what is measured.
    """
    groups: list[list[list[Triplet]]] = [[list(figure) for figure in figures]]
    if alike:
        shared = set.intersection(*({relation_of(t) for t in figure} for figure in figures))
        groups = [[[t for t in figure if relation_of(t) == name] for figure in figures] for name in sorted(shared)]
    best: tuple[int, str, Operands] | None = None
    for group in groups:
        seed = min(t.triplet_id for t in group[0])
        states = Counter(name for figure in group for name in {t.chunk_id for t in figure})
        picked = [
            min(figure, key=lambda t: (-states[t.chunk_id], row_id(kind, seed, t.chunk_id), t.triplet_id))
            for figure in group
        ]
        chunks = len({t.chunk_id for t in picked})
        far = 0 if len({t.doc_id for t in picked}) > 1 else 1 if chunks > 1 else 2
        found = (chunks, row_id(kind, *(t.triplet_id for t in picked)), Operands(kind, tuple(picked), far))
        best = min(best, found, key=lambda one: one[:2]) if best else found
    return best[2] if best else None


def changes(figures: Figures) -> Iterator[Operands]:
    """By how much a figure of one thing changed from one year to another."""
    for series in figures.series():
        for earlier, later in combinations(series, 2):
            if not (_are_years_apart(earlier[0], later[0]) and differ(worth(earlier[0]), worth(later[0]))):
                continue
            if found := choose_operands("change", (earlier, later)):
                yield found
    yield from (Operands("change", cells, 2) for cells in cells_of_two_years(figures.everything))


def _are_years_apart(one: Triplet, other: Triplet) -> bool:
    """Whether two figures are of years, or of the last days of years, so that they can be set side by side."""
    apart = days_between(one.period_end, other.period_end)
    off = abs(apart - 365.25 * round(apart / 365.25))
    return apart > 300 and off <= _WEEK and abs(_days(one) - _days(other)) <= _WEEK


def _days(triplet: Triplet) -> int:
    return days_between(triplet.period_start, triplet.period_end) if triplet.period_start else 0


def shares(figures: Figures) -> Iterator[Operands]:
    """What share of a filer's figure one of its segments, products or regions makes: the member, then the whole.

    Then what percentage one figure of a filer is of another one, where people give the two so.
    """
    for group in figures.members():
        for member in group:
            whole = figures.whole_of(member[0])
            if not whole or not is_additive(member[0]):
                continue
            # nobody asks for less than a hundredth, and what is nearly all of it is the whole under another name
            part = worth(member[0]) / worth(whole[0])
            if LEAST < part < 1 - NEAR and (found := choose_operands("share", (member, whole), alike=False)):
                yield found

    yield from ratios(figures)


def ratios(figures: Figures) -> Iterator[Operands]:
    """What percentage of a filer's figure another one of the year is: capital spending of operating cash flow."""
    for (subject, tag, unit, start, end), part in sorted(figures.stated.items()):
        for other in GIVEN_OF.get(tag, ()) if start and part[0].subject_type == _WHOLE else ():
            whole = figures.stated.get((subject, other, unit, start, end))
            fits = whole and LEAST < worth(part[0]) / worth(whole[0]) < 1 - NEAR
            if whole and fits and (found := choose_operands("share", (part, whole), alike=False)):
                yield found


def is_additive(triplet: Triplet) -> bool:
    """Whether parts of it make up the whole: sums of money do, rates and figures per share do not."""
    return "/" not in triplet.unit and triplet.unit not in ("percent", "pure")


def comparisons(figures: Figures) -> Iterator[Operands]:
    """Which of two or three filers, or parts of one filer, had more, or grew faster: each beside the next larger ones.

    That a giant sells more than a small firm needs no passage, and firms of two trades are compared by nobody but for
    how fast they grow or what share they spend; and the number of sets stays in proportion to that of figures. Of parts
    in one table it is asked which grew: which has the most takes one look.
    """
    for group in figures.side_by_side():
        yield from _compare("comparison", BETWEEN, group, farthest=NEARBY)
    yield from growths(figures)
    yield from compared_shares(figures, BETWEEN, "comparison")
    yield from (Operands("comparison", cells, 2) for cells in cells_to_compare("comparison", figures.everything))


def growths(figures: Figures, kind: str = "comparison") -> Iterator[Operands]:
    """Which of three filers, or parts of one filer, grew fastest from one year to the next: both figures, old first.

    All grew, none by more than itself. Where only two did it is asked which of them grew faster. A superlative is among
    four or five filers.
    """
    for moved, alike in figures_of_two_years(figures):
        grown = [one for one in moved if 0 < one.rate <= 1]
        ranked = sorted(grown, key=lambda one: (one.rate, one.new[0].triplet_id))
        few = min(len(ranked), FEWEST)
        sizes = ((few, 1), (few, 2)) if kind == "comparison" else () if alike else AMONG
        for chosen in _take_apart(ranked, sizes if few > 1 else ()):
            ends = chosen if len(chosen) <= FEWEST else (chosen[0], chosen[1], chosen[-2], chosen[-1])
            if all(fast.rate - slow.rate >= NEAR for slow, fast in pairwise(ends)):
                figures_of_all = [figure for one in chosen for figure in (one.old, one.new)]
                if found := choose_operands(kind, figures_of_all, alike):
                    yield found


def compared_shares(figures: Figures, sizes: Iterable[tuple[int, int]], kind: str) -> Iterator[Operands]:
    """Which of several filers gave the largest share of one figure for another: the part and the whole of each."""
    of_year: dict[tuple[str, str], dict[str, list[Triplet]]] = defaultdict(dict)
    for group in figures.side_by_side():
        for figure in group:
            of_year[measure_of(figure[0]), figures.year_of(figure[0])][figure[0].subject_key] = figure
    for (tag, year), parts in sorted(of_year.items()):
        for other in GIVEN_OF.get(tag, ()):
            wholes = of_year.get((other, year), {})
            pairs = [(parts[name], wholes[name]) for name in sorted(parts.keys() & wholes.keys())]
            rated = sorted((worth(part[0]) / worth(whole[0]), part[0].triplet_id, part, whole) for part, whole in pairs)
            for chosen in _take_apart(rated, sizes):
                ends = (chosen[:2], chosen[-2:])
                apart = all(APART * low[0] <= high[0] <= CLOSE * low[0] for low, high in ends)
                both = [figure for _, _, part, whole in chosen for figure in (part, whole)]
                if apart and (found := choose_operands(kind, both, alike=False)):
                    yield found


def is_of_growth(facts: Sequence[Triplet]) -> bool:
    """Whether these are two figures of each thing, from one year and the next."""
    return _in_pairs(facts) and len({(fact.subject_key, fact.period_end) for fact in facts}) == len(facts)


def is_of_shares(facts: Sequence[Triplet]) -> bool:
    """Whether these are two figures of each thing of one year, of which one is given as a share of the other."""
    return len(facts) > 2 and _in_pairs(facts) and not is_of_growth(facts)


def _in_pairs(facts: Sequence[Triplet]) -> bool:
    return len({fact.subject_key for fact in facts}) * 2 == len(facts)


@dataclass(frozen=True, slots=True)
class Moved:
    """A figure of a year and that of the year before, which differ by enough to say which is larger."""

    rate: Decimal  # by what part of the old figure
    old: list[Triplet]
    new: list[Triplet]


def figures_of_two_years(figures: Figures) -> Iterator[tuple[list[Moved], bool]]:
    """Sums of money of filers, or of parts of one filer in one table (True), in one year and the year before.

    Of filers those are measures that people follow.
    """
    before = _years_before(figures)
    groups = [(group, False) for group in figures.side_by_side() if family_of(group[0][0])]
    groups += [(table, True) for group in figures.members() for table in by_table(group)]
    for group, alike in groups:
        moved: dict[str, Moved] = {}
        for new in group:
            old = before.get((new[0].subject_key, measure_of(new[0]), new[0].unit, new[0].period_end))
            if old and new[0].unit == "USD" and differ(worth(old[0]), worth(new[0])):
                moved[new[0].subject_key] = Moved(worth(new[0]) / worth(old[0]) - 1, old, new)
        yield list(moved.values()), alike


def _years_before(figures: Figures) -> dict[tuple[str, str, str, str], list[Triplet]]:
    """The figure of the year before, of what is of a year, by subject, measure, unit and last day."""
    found = {}
    for series in figures.series():
        for old, new in combinations(series, 2):
            if new[0].period_start and _are_years_apart(old[0], new[0]) and _is_next_year(old[0], new[0]):
                found[new[0].subject_key, measure_of(new[0]), new[0].unit, new[0].period_end] = old
    return found


def _compare(
    kind: str,
    sizes: Iterable[tuple[int, int]],
    group: Sequence[list[Triplet]],
    farthest: Decimal,
) -> Iterator[Operands]:
    by_subject = {figure[0].subject_key: figure for figure in group}
    ranked = sorted(by_subject.values(), key=lambda figure: (worth(figure[0]), figure[0].triplet_id))
    for chosen in _take_apart(ranked, sizes):
        ends = (chosen[:2], chosen[-2:]) if len(chosen) > FEWEST else (chosen,)
        close = all(worth(some[-1][0]) <= farthest * worth(some[0][0]) for some in ends)
        if close and _has_clear_ends(chosen) and (found := choose_operands(kind, chosen, alike=False)):
            yield found


T = TypeVar("T")


def _take_apart(ranked: Sequence[T], sizes: Iterable[tuple[int, int]]) -> Iterator[Sequence[T]]:
    """So many of these, each so far from the next, wherever they begin."""
    for size, step in sizes:
        for at in range(len(ranked) - (size - 1) * step):
            yield ranked[at : at + size * step : step]


def by_table(group: Sequence[list[Triplet]]) -> Iterator[list[list[Triplet]]]:
    """The figures of a group as each table states them: what stands in one table is of one level."""
    tables: dict[tuple[str, int], list[list[Triplet]]] = defaultdict(list)
    for figure in group:
        for table, own in _tables_of(figure).items():
            tables[table].append(own)
    yield from (_of_one_level(tables[name]) for name in sorted(tables))


def _of_one_level(table: list[list[Triplet]]) -> list[list[Triplet]]:
    """A table without its sums, unless each of its members is one: North America stands beside Europe, not Canada."""
    rows = sorted(table, key=lambda figure: _place_of(figure[0]))
    values = [worth(figure[0]) for figure in rows]
    made_up = {figure[0].triplet_id for at, figure in enumerate(rows) if is_sum_of_neighbours(values, at)}
    parts = [
        figure
        for figure in table
        if not _SUM_ROW.match(figure[0].source_sentence) and figure[0].triplet_id not in made_up
    ]
    return parts or table


def _place_of(figure: Triplet) -> tuple[int, int, str]:
    """Where a figure stands in its passage: its row, and its cell in it."""
    return figure.start, figure.source_sentence.find(figure.answer), figure.triplet_id


def is_sum_of_neighbours(values: Sequence[Decimal], at: int) -> bool:
    """Whether a figure of a table is the sum of two or more that stand right before or right after it."""
    for run in (values[:at][::-1], values[at + 1 :]):
        for count, total in enumerate(accumulate(run), start=1):
            if count > 1 and abs(total - values[at]) <= ROUNDED * values[at] / 10:
                return True
            if total > values[at] * (1 + ROUNDED):
                break
    return False


def _tables_of(figure: Iterable[Triplet]) -> dict[tuple[str, int], list[Triplet]]:
    found: dict[tuple[str, int], list[Triplet]] = defaultdict(list)
    for triplet in figure:
        found[triplet.chunk_id, triplet.header_start].append(triplet)
    return found


def superlatives(figures: Figures) -> Iterator[Operands]:
    """In which year a figure was highest or lowest; which member of a whole had the most, where all are known.

    Three years that one row holds are no question: it takes one look, and one guess in three is right. Of filers it is
    asked which of four or five had the most, grew fastest, or spent the largest share.
    """
    for series in figures.series():
        yearly = _longest_run(series)
        if len(yearly) < FEWEST or _is_guessed(yearly) or not _has_clear_ends(yearly):
            continue
        found = choose_operands("superlative", yearly)
        if found and (len(yearly) > FEWEST or not found.easy):
            yield found
    for group in figures.side_by_side():
        yield from _compare("superlative", AMONG, group, farthest=FAR)
    yield from growths(figures, "superlative")
    yield from compared_shares(figures, AMONG, "superlative")
    for group in figures.members():
        for table in by_table(group):
            if not (len(table) >= FEWEST and _has_clear_ends(table) and _are_all(table, figures)):
                continue
            if found := choose_operands("superlative", table):
                yield found
    yield from (Operands("superlative", cells, 2) for cells in cells_to_compare("superlative", figures.everything))


def _is_guessed(yearly: Sequence[Sequence[Triplet]]) -> bool:
    """Whether the first year has the least and the last the most, as anybody would guess."""
    values = [worth(figure[0]) for figure in yearly]
    return values[0] == min(values) and values[-1] == max(values)


def _longest_run(series: Sequence[list[Triplet]]) -> list[list[Triplet]]:
    """The longest row of years that follow on one another; of equals the last."""
    best: list[list[Triplet]] = []
    for at, figure in enumerate(series):
        run = [figure]
        for later in series[at + 1 :]:
            if _are_years_apart(run[-1][0], later[0]):
                if not _is_next_year(run[-1][0], later[0]):
                    break
                run.append(later)
        best = run if len(run) >= len(best) else best
    return best


def _is_next_year(one: Triplet, other: Triplet) -> bool:
    return days_between(one.period_end, other.period_end) < 400


def _has_clear_ends(group: Iterable[Sequence[Triplet]]) -> bool:
    values = sorted(worth(figure[0]) for figure in group)
    return differ(values[-1], values[-2]) and differ(values[0], values[1])


def _are_all(table: Sequence[Sequence[Triplet]], figures: Figures) -> bool:
    """Whether these members make up the whole but for rounding, so that there is no other, however small."""
    first = table[0][0]
    whole = figures.whole_of(first)
    if not whole or not is_additive(first):
        return False
    values = [worth(figure[0]) for figure in table]
    grain = Decimal(10) ** min(int(one.to_integral_value().normalize().as_tuple().exponent) for one in values)
    return abs(sum(values) - worth(whole[0])) <= len(values) * grain


Kind = Callable[[Figures], Iterator[Operands]]
COMPUTED: dict[str, Kind] = {
    "comparison": comparisons,
    "change": changes,
    "share": shares,
    "superlative": superlatives,
}


def trace_computed(triplets: Iterable[Triplet], config: GraphConfig) -> Iterator[Path]:
    """The paths of computed kinds, domain by domain; a set of figures is asked once, whatever the kind."""
    for domain, figures in collect_domains(triplets):
        for kind in config.computed:
            for operands in take_in_turn(COMPUTED[kind](figures), config.quotas.get(kind, 0)):
                yield make_computed_path(operands, domain)


def count_computed(triplets: Iterable[Triplet], config: GraphConfig) -> Iterator[tuple[str, str, dict[int, int]]]:
    """Per domain and kind: how many sets of figures could be asked, by size."""
    for domain, figures in collect_domains(triplets):
        for kind in config.computed:
            sizes = Counter(len(names) for names in {one.figures for one in COMPUTED[kind](figures)})
            yield kind, domain, dict(sorted(sizes.items()))


def collect_domains(triplets: Iterable[Triplet]) -> list[tuple[str, Figures]]:
    """The figures of each domain, by its name."""
    domains: dict[str, list[Triplet]] = defaultdict(list)
    for triplet in triplets:
        domains[triplet.domain].append(triplet)
    return [(domain, collect_figures(group)) for domain, group in sorted(domains.items())]


def name_figure(triplet: Triplet) -> str:
    """The name of what a fact states a figure of: its subject, measure, unit and time; of other facts, what it says."""
    said = "" if triplet.value else triplet.object_key or triplet.object
    time = (triplet.unit, triplet.period_start, triplet.period_end)
    return row_id("figure", triplet.subject_key, measure_of(triplet), *time, said)


def take_in_turn(proposed: Iterable[Operands], quota: int) -> Iterator[Operands]:
    """Operands up to the quota: next is always what is of the measure, things and documents that came least so far.

    Easy ones come after those that are not. Of equals the one from more documents comes first, then the one with the
    smaller hash. A larger quota takes what a smaller one takes, and more.
    """
    taken: dict[tuple[str, ...], int] = defaultdict(int)
    seen: set[frozenset[str]] = set()

    def place(one: Operands) -> tuple[int, int, int, int]:
        counts = [taken[group] for group in one.spread]
        return one.easy, max(counts), one.far, sum(counts)

    waiting = [(place(one), row_id(one.kind, *map(name_figure, one.triplets)), one) for one in proposed]
    waiting.sort(key=lambda entry: entry[:2])
    queue = [(order, name, at) for at, (order, name, _) in enumerate(waiting)]
    heapify(queue)
    while queue and len(seen) < quota:
        order, name, at = queue[0]
        one = waiting[at][2]
        if (now := place(one)) != order:
            heapreplace(queue, (now, name, at))
            continue
        heappop(queue)
        if one.figures in seen:
            continue
        seen.add(one.figures)
        for group in one.spread:
            taken[group] += 1
        yield one


def make_computed_path(operands: Operands, domain: str) -> Path:
    """The operands as a row; `chunk_ids[i]` is the chunk of `triplet_ids[i]`, and nothing is hidden.

    It is named after what is compared, not after where that stands or what it comes to: a later version of the corpus
    asks the same in the same words.
    """
    names = tuple(t.triplet_id for t in operands.triplets)
    return Path(
        path_id=row_id("path", operands.kind, domain, *map(name_figure, operands.triplets)),
        pattern=operands.kind,
        triplet_ids=names,
        chunk_ids=tuple(t.chunk_id for t in operands.triplets),
        pivot="",
        domain=domain,
    )
