"""Paths of questions that the corpus does not answer: a figure like others that it holds, of a year before or after all
that a company's documents report, or a measure that several companies report and this one does not.

That no fact was found is where a search begins, and no proof: `ask.absent` reads the documents.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence

from rarefy.data_contracts.rows import Path, Triplet, row_id
from rarefy.tasks.knowledge.graph.computed import is_computable
from rarefy.tasks.knowledge.graph.config import GraphConfig

_FISCAL_YEAR = re.compile(r"fiscal year ((?:19|20)\d\d)")
HOLDERS = 3  # companies that report a measure, before it is natural to ask another for it


def trace_absences(triplets: Iterable[Triplet], config: GraphConfig, drawn: int) -> Iterator[Path]:
    """Paths of the smallest hashes, at most a fifth of all with the `drawn` ones; `pivot` is the period asked for.

    The last triplet is of the company asked about; before it stands another company's, where that one's measure is.
    """
    years: dict[tuple[str, str], set[int]] = defaultdict(set)  # by domain and company: those that it reports on
    figures = []
    for triplet in triplets:
        year = _FISCAL_YEAR.fullmatch(triplet.period)
        if year and triplet.entity and triplet.method == "table" and not triplet.rejected_because:
            years[triplet.domain, triplet.entity].add(int(year[1]))
            if triplet.period_start and triplet.concept and is_computable(triplet):
                figures.append(triplet)
    wanted = min(config.quotas.get("absent", 0), drawn // 4)
    measures = _by_hash(_other_measures(figures))[: wanted // 2]
    yield from _by_hash([*measures, *_by_hash(_other_years(figures, years))[: wanted - len(measures)]])


def _other_years(figures: Sequence[Triplet], years: dict[tuple[str, str], set[int]]) -> Iterator[Path]:
    """A figure of the year before the first, or after the last, of all that the company's documents report."""
    known: dict[tuple[str, ...], dict[int, Triplet]] = defaultdict(dict)
    for triplet in sorted(figures, key=lambda t: t.triplet_id):
        key = (triplet.domain, triplet.entity, triplet.subject_key, triplet.relation, triplet.unit)
        known[key].setdefault(int(triplet.period.removeprefix("fiscal year ")), triplet)
    for (domain, entity, *names), facts in sorted(known.items()):
        covered = years[domain, entity]
        early = int(row_id("absent", *names), 16) % 2 == 0
        near, asked = (min(covered), min(covered) - 1) if early else (max(covered), max(covered) + 1)
        if near in facts:  # reported next to the gap, so that its question is like those beside it
            yield _path([facts[near]], f"fiscal year {asked}", domain)


def _other_measures(figures: Sequence[Triplet]) -> Iterator[Path]:
    """A measure of several companies, asked of one that does not report it, in a year that it reports on."""
    holders: dict[tuple[str, str], dict[str, list[Triplet]]] = defaultdict(lambda: defaultdict(list))
    tags: dict[tuple[str, str], set[str]] = defaultdict(set)
    labels: dict[tuple[str, str], set[str]] = defaultdict(set)
    own: dict[tuple[str, str], Triplet] = {}
    for triplet in sorted(figures, key=lambda t: t.triplet_id):
        if triplet.subject != triplet.entity:
            continue
        holders[triplet.domain, triplet.concept][triplet.entity].append(triplet)
        tags[triplet.domain, triplet.entity].add(triplet.concept)
        labels[triplet.domain, triplet.entity].add(triplet.relation_key)
        last = own.setdefault((triplet.domain, triplet.entity), triplet)
        if triplet.period > last.period:
            own[triplet.domain, triplet.entity] = triplet
    for (domain, concept), companies in sorted(holders.items()):
        if len(companies) < HOLDERS:
            continue
        facts = [fact for its in companies.values() for fact in its]
        labels_used = Counter(fact.relation for fact in facts)
        called = min(labels_used, key=lambda label: (-labels_used[label], label))
        for (where, entity), last in sorted(own.items()):
            if where != domain or concept in tags[domain, entity]:
                continue
            models = [fact for fact in facts if fact.relation == called and fact.period == last.period]
            if models and models[0].relation_key not in labels[domain, entity]:
                yield _path([min(models, key=lambda t: t.triplet_id), last], last.period, domain)


def _by_hash(paths: Iterable[Path]) -> list[Path]:
    return sorted(paths, key=lambda path: path.path_id)


def _path(facts: Sequence[Triplet], period: str, domain: str) -> Path:
    names = tuple(fact.triplet_id for fact in facts)
    return Path(
        row_id("path", "absent", period, *names), "absent", names, tuple(f.chunk_id for f in facts), period, domain
    )
