"""python -m rarefy.benchmarks.multi_hop BENCH [QUESTIONS.jsonl]: how many multi-hop questions does a corpus hold?

Counted by plain loops over the triplets of a finished benchmark, by the kind of clue: the pairs of a clue and an answer
that no one chunk states, where at least two answers remain without the clue; and the different answers among them,
which is how many can be asked where each fact answers once. Beside it stands what became of the paths that were drawn:
how many were turned down for what, and how many questions were accepted.
"""

import json
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from itertools import permutations
from pathlib import Path

import pyarrow.parquet as pq

from rarefy.data_contracts.rows import LITERALS, Triplet
from rarefy.data_contracts.tables import from_table
from rarefy.tasks.knowledge.graph.facts import MEMBERS
from rarefy.tasks.knowledge.graph.headlines import family_of, go_together, how_telling

OFFICE = re.compile(r"chief (executive|financial) officer of")
SHARED = ("is audited by", "is listed on", "is incorporated in", "is based in", "is headquartered in")
MONTH = re.compile(r"([A-Z][a-z]+) (?:\d{1,2}, )?(\d{4})")
Pairs = Iterator[tuple[str, Triplet, Triplet]]  # (kind, clue, answer)


class Facts:
    """The accepted triplets, one for each fact, with all chunks that state it."""

    def __init__(self, triplets: Iterable[Triplet]) -> None:
        self.chunks: dict[tuple[str, ...], set[str]] = defaultdict(set)
        named: dict[tuple[str, ...], Triplet] = {}
        for triplet in triplets:
            if triplet.rejected_because or not triplet.subject_key:
                continue
            self.chunks[fact(triplet)].add(triplet.chunk_id)
            named.setdefault(fact(triplet), triplet)
        self.things = [t for t in named.values() if t.object_type not in LITERALS]
        self.figures = [t for t in named.values() if re.fullmatch(r"-?\d+(\.\d+)?", t.value)]
        self.years = {
            (t.entity, t.period_end): t.period
            for t in self.figures
            if t.period_start and t.period.startswith("fiscal year")
        }
        self.of: dict[str, list[Triplet]] = defaultdict(list)
        self.alike: dict[tuple[str, ...], list[Triplet]] = defaultdict(list)
        for figure in self.figures:
            self.of[figure.subject_key].append(figure)
            self.alike[self.question(figure)].append(figure)

    def year(self, figure: Triplet) -> str:
        """The fiscal year of a figure, or that which its day ends."""
        return figure.period if figure.period_start else self.years.get((figure.entity, figure.period_end), "")

    def question(self, figure: Triplet) -> tuple[str, ...]:
        """What is asked where its subject is not named: the measure, the time, and a part of which company it is."""
        part = figure.entity if figure.subject_type in MEMBERS else ""
        return figure.relation_key, figure.unit, self.year(figure) or figure.period, figure.subject_type, part

    def others_remain(self, figure: Triplet) -> bool:
        """Whether somebody else has another figure, so that a clue is needed."""
        others = self.alike[self.question(figure)]
        return any(o.value != figure.value and o.subject_key != figure.subject_key for o in others)

    def are_apart(self, one: Triplet, other: Triplet) -> bool:
        """Whether no chunk states both."""
        return self.chunks[fact(one)].isdisjoint(self.chunks[fact(other)])


def fact(triplet: Triplet) -> tuple[str, ...]:
    """What makes a triplet the same fact as another."""
    return triplet.subject_key, triplet.relation_key, triplet.object_key, triplet.period


def chains_by_things(facts: Facts) -> Pairs:
    """What belongs to a segment, was bought by a company, leads it or is linked to it, and a figure of that."""
    for clue in facts.things:
        office, link = OFFICE.fullmatch(clue.relation), clue.method == "link"
        part = clue.relation == "is part of"
        if not (office or link or part or clue.relation in ("was acquired by", "was sold by")):
            continue
        kind = "office" if office else "link" if link else "part" if part else "purchase"
        for answer in facts.of[clue.object_key]:
            dull = answer.subject_type == "ORG" and answer.concept and not family_of(answer)
            dated = office and clue.period != facts.year(answer)
            if not dull and not dated and facts.others_remain(answer) and facts.are_apart(clue, answer):
                yield f"chain, {kind}", clue, answer


def chains_by_years(facts: Facts) -> Pairs:
    """A figure that is highest or lowest in a year, where it does not just rise, and another one of that year."""
    for company in sorted({f.subject_key for f in facts.figures if f.subject == f.entity}):
        series: dict[tuple[str, str], dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
        own = [f for f in facts.of[company] if family_of(f) and facts.year(f).startswith("fiscal year")]
        for figure in own:
            series[figure.concept, figure.unit][facts.year(figure)].add(figure.value)
        for clue in own:
            values = series[clue.concept, clue.unit]
            if not (clue.period_start and how_telling(clue)) or clue.period not in turning_years(values):
                continue
            for answer in own:
                answers = series[answer.concept, answer.unit]
                several = len({v for some in answers.values() for v in some}) > 1
                single_valued = all(len(some) == 1 for some in answers.values())
                if (
                    facts.year(answer) == clue.period
                    and go_together(family_of(clue), family_of(answer))
                    and several
                    and single_valued
                    and facts.are_apart(clue, answer)
                ):
                    yield "chain, year", clue, answer


def turning_years(values: dict[str, set[str]]) -> list[str]:
    """The years of the highest and the lowest of at least three figures in a row, but for what growth alone says."""
    years = sorted(values)
    numbers = {year: float(next(iter(values[year]))) for year in years}
    in_a_row = [int(year.split()[-1]) for year in years] == list(
        range(int(years[0].split()[-1]), int(years[0].split()[-1]) + len(years))
    )
    if any(len(some) > 1 for some in values.values()) or len(years) < 3 or not in_a_row or min(numbers.values()) <= 0:
        return []
    low, *_, high = ranked = sorted(years, key=lambda year: numbers[year])
    found = [high] if high != years[-1] and numbers[ranked[-2]] <= 0.98 * numbers[high] else []
    return found + ([low] if low != years[0] and numbers[low] <= 0.98 * numbers[ranked[1]] else [])


def stars(facts: Facts) -> Pairs:
    """A figure by which a segment leads or trails the others of its table, and another measure of the segment."""
    for own in facts.of.values():
        for clue, answer in permutations([f for f in own if f.subject_type in MEMBERS], 2):
            same = clue.relation_key == answer.relation_key or (clue.concept and clue.concept == answer.concept)
            table = [f for f in facts.alike[facts.question(clue)] if f.chunk_id == clue.chunk_id]
            place = sorted(float(f.value) for f in table).index(float(clue.value))
            from_end = min(place, len(table) - 1 - place)
            ranked = len(table) > 1 and from_end <= (len(table) > 3)
            if not same and ranked and facts.others_remain(answer) and facts.are_apart(clue, answer):
                yield "star, rank", clue, answer


def inverted_stars(facts: Facts) -> Pairs:
    """A company that shares a thing with another: alone, or alone with one trait; or was bought by one in a month."""
    holders: dict[tuple[str, str], dict[str, Triplet]] = defaultdict(dict)
    for thing in facts.things:
        if thing.relation in (*SHARED, "was acquired by"):
            holders[thing.relation, thing.object_key].setdefault(thing.subject_key, thing)
    for (relation, _), heads in sorted(holders.items()):
        for given, answer in permutations(heads.values(), 2):
            others = heads.keys() - {given.subject_key}
            if relation == "was acquired by":
                month = MONTH.fullmatch(answer.period)
                times = [heads[name].period for name in heads if name != answer.subject_key]
                alone = month and not any(month[1] in time and month[2] in time for time in times)
            else:
                traits = [h.keys() for (r, _), h in holders.items() if r != relation and answer.subject_key in h]
                alone = len(others) == 1 or any(others & trait == {answer.subject_key} != trait for trait in traits)
            if alone and facts.are_apart(given, answer):
                yield f"inverted star, {relation}", given, answer


def main(bench: str, questions: str = "") -> None:
    """Print how many there are, and how many questions of each pattern were accepted."""
    rows = from_table(pq.read_table(Path(bench) / "triplets.parquet"), Triplet)
    facts = Facts(rows)
    pairs: Counter[str] = Counter()
    answers: dict[str, set[tuple[str, ...]]] = defaultdict(set)
    companies: dict[str, set[str]] = defaultdict(set)
    for count in (chains_by_things, chains_by_years, stars, inverted_stars):
        for kind, _, answer in count(facts):
            pairs[kind] += 1
            answers[kind].add(fact(answer))
            companies[kind].add(answer.entity)
    print(f"{'':36}{'pairs':>8}{'answers':>9}{'entities':>10}")
    for kind in sorted(pairs):
        print(f"{kind:36}{pairs[kind]:8,}{len(answers[kind]):9,}{len(companies[kind]):10,}")
    if questions:
        with Path(questions).open() as lines:
            asked = [json.loads(line) for line in lines]
        for pattern in ("chain", "star", "inverted_star"):
            ends = Counter(q["rejected_because"] or "accepted" for q in asked if q["pattern"] == pattern)
            told = ", ".join(f"{count:,} {end}" for end, count in ends.most_common())
            print(f"{pattern}: {ends.total():,} drawn: {told}")


if __name__ == "__main__":
    main(*sys.argv[1:3])
