"""Paths of questions that the corpus does not answer, of what a competent reader would look for in it.

That is a measure that several companies report and this one does not, a figure of the whole company that it does not
break down to one of its parts, and a figure of a year that it does not give by quarter. Not one of a year that its
documents do not cover: the year alone tells that. That no fact was found is where a search begins, and no proof:
`ask.absent` reads the documents.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence

from rarefy.data_contracts.rows import Path, Triplet, row_id
from rarefy.tasks.knowledge.graph.computed import is_computable, name_figure
from rarefy.tasks.knowledge.graph.config import GraphConfig
from rarefy.tasks.knowledge.graph.facts import is_member

_FISCAL_YEAR = re.compile(r"fiscal year (?:19|20)\d\d")
LONGEST = 5  # words of a measure that one asks of a part
PER_MEASURE = 3  # absences of one sort, of one measure of one company
HOLDERS = 3  # companies that report a measure, before it is natural to ask another for it


def trace_absences(triplets: Iterable[Triplet], config: GraphConfig, drawn: int) -> Iterator[Path]:
    """Paths of the smallest hashes, at most a fifth of all with the `drawn` ones; `pivot` is the period asked for.

    The last triplet is of what is asked about; before it stands another company's, where that one's measure is, or the
    whole company's, where its measure is asked of a part.
    """
    figures = [
        triplet
        for triplet in triplets
        if _FISCAL_YEAR.fullmatch(triplet.period)
        and triplet.period_start
        and triplet.concept
        and is_computable(triplet)
    ]
    wanted = min(config.quotas.get("absent", 0), drawn // 4)
    taken: list[Path] = []
    proposed = (_other_measures(figures), _other_parts(figures), _quarters(figures))
    known = {triplet.triplet_id: triplet for triplet in figures}
    for at, paths in enumerate(proposed):  # each has its share of what those before it left
        taken += _in_turn(paths, known)[: (wanted - len(taken)) // (len(proposed) - at)]
    yield from _by_hash(taken)


def _in_turn(paths: Iterable[Path], known: dict[str, Triplet]) -> list[Path]:
    """Each absence once, those of all companies and measures before the second of any, and few of any one.

    That a company does not tell what it earns on one kind of its goods is worth asking, but not for each kind.
    """
    once = {path.path_id: path for path in _by_hash(paths)}
    turns: Counter[tuple[str, ...]] = Counter()
    ordered: list[tuple[int, int, str]] = []
    for name, path in once.items():
        asked, own = known[path.triplet_ids[0]], known[path.triplet_ids[-1]]
        measure, company = (own.domain, own.entity, asked.concept), (own.domain, own.entity)
        if turns[measure] < PER_MEASURE:
            ordered.append((turns[measure], turns[company], name))
            turns.update((measure, company))
    return [once[name] for *_, name in sorted(ordered)]


def _by_year(figures: Iterable[Triplet]) -> dict[tuple[str, ...], dict[int, Triplet]]:
    """The figures of each measure of a thing, by fiscal year."""
    known: dict[tuple[str, ...], dict[int, Triplet]] = defaultdict(dict)
    for triplet in _by_name(figures):
        key = (triplet.domain, triplet.entity, triplet.subject_key, triplet.relation, triplet.unit)
        known[key].setdefault(year_of(triplet.period), triplet)
    return known


def year_of(period: str) -> int:
    """The fiscal year that a period is, or is a part of."""
    return int(period.rpartition(" ")[2])


def _quarters(figures: Iterable[Triplet]) -> Iterator[Path]:
    """A company's figure of its last year, asked of a quarter of it."""
    for (domain, entity, *names), facts in sorted(_by_year(figures).items()):
        last = facts[max(facts)]
        if last.subject == entity and last.concept.partition(":")[2] in QUARTERLY:
            quarter = _QUARTERS[int(row_id("quarter", entity, *names), 16) % len(_QUARTERS)]
            yield _path([last], f"{quarter} quarter of {last.period}", domain)


_QUARTERS = ("the first", "the second", "the third", "the fourth")
QUARTERLY = frozenset(  # tags of what everybody follows by quarter
    """
    Revenues RevenueFromContractWithCustomerExcludingAssessedTax GrossProfit OperatingIncomeLoss NetIncomeLoss
    OperatingExpenses CostOfRevenue CostOfGoodsAndServicesSold ResearchAndDevelopmentExpense IncomeTaxExpenseBenefit
    EarningsPerShareBasic EarningsPerShareDiluted SellingGeneralAndAdministrativeExpense InterestExpense
    NetCashProvidedByUsedInOperatingActivities PaymentsToAcquirePropertyPlantAndEquipment ShareBasedCompensation
    SellingAndMarketingExpense GeneralAndAdministrativeExpense ComprehensiveIncomeNetOfTax
    PaymentsForRepurchaseOfCommonStock
    """.split()
)
_EARNED = "OperatingIncomeLoss GrossProfit CostOfRevenue CostOfGoodsAndServicesSold ResearchAndDevelopmentExpense"
BROKEN_DOWN = {  # type of a part → tags of what companies report of such parts, some of them of some
    "PRODUCT": frozenset(_EARNED.split()),
    "REGION": frozenset(_EARNED.split()),
    "SEGMENT": frozenset(
        (
            *_EARNED.split(),
            *"DepreciationDepletionAndAmortization NetIncomeLoss SellingGeneralAndAdministrativeExpense".split(),
            *"PaymentsToAcquirePropertyPlantAndEquipment ShareBasedCompensation SellingAndMarketingExpense".split(),
        )
    ),
}


_COST = re.compile(r"(?:total )?costs? of (?:sales|revenues?|goods|products|services)", re.IGNORECASE)


def _other_parts(figures: Sequence[Triplet]) -> Iterator[Path]:
    """A figure of a whole company in its last year, asked of a part of it that has other figures of that year."""
    wholes: dict[tuple[str, str, str], dict[str, Triplet]] = defaultdict(dict)
    parts: dict[tuple[str, str, str], dict[str, Triplet]] = defaultdict(dict)
    known: set[tuple[str, str, str]] = set()  # of which part which tag is known, in whatever year
    costed: set[tuple[str, str]] = set()  # parts whose costs are known, with which their gross profit is
    last: dict[tuple[str, str], str] = {}
    for triplet in _by_name(figures):
        of_year = (triplet.domain, triplet.entity, triplet.period)
        last[of_year[:2]] = max(triplet.period, last.get(of_year[:2], ""))
        if triplet.subject == triplet.entity:
            wholes[of_year].setdefault(triplet.concept, triplet)
        elif is_member(triplet):
            parts[of_year].setdefault(triplet.subject_key, triplet)
            known.add((triplet.domain, triplet.subject_key, triplet.concept))
            if _COST.match(triplet.relation):
                costed.add((triplet.domain, triplet.subject_key))
    for of_year, members in sorted(parts.items()):
        if of_year[2] != last[of_year[:2]]:
            continue
        for subject, own in sorted(members.items()):
            for concept, whole in sorted(wholes[of_year].items()):
                asked = concept.partition(":")[2] in BROKEN_DOWN[own.subject_type]
                brief = len(whole.relation.split()) <= LONGEST
                derived = concept.endswith(":GrossProfit") and (of_year[0], subject) in costed
                if asked and brief and not derived and (of_year[0], subject, concept) not in known:
                    yield _path([whole, own], own.period, of_year[0])


def _other_measures(figures: Sequence[Triplet]) -> Iterator[Path]:
    """A measure of several companies, asked of one that does not report it, in a year that it reports on."""
    holders: dict[tuple[str, str], dict[str, list[Triplet]]] = defaultdict(lambda: defaultdict(list))
    tags: dict[tuple[str, str], set[str]] = defaultdict(set)
    labels: dict[tuple[str, str], set[str]] = defaultdict(set)
    own: dict[tuple[str, str], Triplet] = {}
    for triplet in _by_name(figures):
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
                yield _path([_by_name(models)[0], last], last.period, domain)


def _by_hash(paths: Iterable[Path]) -> list[Path]:
    """Each once: a company may call the measure of one tag by several labels."""
    once: dict[str, Path] = {}
    for path in paths:
        once.setdefault(path.path_id, path)
    return [once[name] for name in sorted(once)]


def _by_name(figures: Iterable[Triplet]) -> list[Triplet]:
    """In an order that stays the same where facts only move within the corpus."""
    return sorted(figures, key=lambda t: (name_figure(t), t.triplet_id))


def _path(facts: Sequence[Triplet], period: str, domain: str) -> Path:
    """Named as what is computed is: after what its facts state figures of, not after where these stand."""
    return Path(
        row_id("path", "absent", domain, period, *map(name_figure, facts)),
        "absent",
        tuple(fact.triplet_id for fact in facts),
        tuple(fact.chunk_id for fact in facts),
        period,
        domain,
    )
