"""Paths of listings: facts that say of each of several things whether it is one of those asked for.

Membership is settled for every candidate by facts of its own: a figure and that of the year before, which it is above
or not, or a figure on one side or the other of a threshold. That a thing has no fact is never taken for a no.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from decimal import Decimal
from itertools import pairwise

from rarefy.data_contracts.rows import Path, Triplet, row_id
from rarefy.tasks.knowledge.graph.computed import (
    Figures,
    Operands,
    by_table,
    choose_operands,
    collect_domains,
    figures_of_two_years,
    is_additive,
    is_of_growth,
    make_computed_path,
    take_in_turn,
    worth,
)
from rarefy.tasks.knowledge.graph.config import GraphConfig

FEWEST, MOST = 2, 6  # members
CANDIDATES = (4, 5)  # that a question names; fewer where there are no more
APART = Decimal("1.05")  # a threshold and any figure beside it differ by this factor at least
LEADING = tuple(Decimal(number) for number in "1 5 2 3 4 2.5 1.5 6 8 7 9".split())  # of a threshold, roundest first

# Nobody asks by name for what is left
_REST = re.compile(r"\b(?:corporate|eliminations?|unallocated|all other|other \w+)\b", re.IGNORECASE)


def trace_listings(triplets: Iterable[Triplet], config: GraphConfig) -> Iterator[Path]:
    """The listings of each domain, by turns as computed kinds; `pivot` is what members have.

    That is a threshold in digits.
    """
    domains = collect_domains(triplets)
    for domain, figures in domains:
        quota = config.quotas.get("listing", 0)
        counted = list(take_in_turn(_grown(figures), quota))
        # a third are by a threshold, which repeat one column of a table
        counted += take_in_turn(_above_threshold(figures), len(counted) // 2 + 1)
        for operands in counted[:quota]:
            yield _path(operands, _limit(operands.triplets), domain)


GROWN = "0"  # what the growth of a member is above


def _limit(facts: Sequence[Triplet]) -> str:
    """What the figures of members are above, or their growth."""
    if is_of_growth(facts):
        return GROWN
    return str(choose_threshold([worth(fact) for fact in facts]))


def has_what_members_have(fact: Triplet, pivot: str) -> bool:
    """Whether what a candidate's fact says makes it one of those asked for."""
    return worth(fact) > Decimal(pivot)


def _grown(figures: Figures) -> Iterator[Operands]:
    """Companies, or parts of one in one table, whose figure rose from the year before, beside others' that fell.

    Each by its old figure and its new one.
    """
    for moved, alike in figures_of_two_years(figures):
        first = moved[0].new[0] if moved else None
        if first is None:
            continue
        names = (first.concept or first.relation_key, first.period)
        size = CANDIDATES[int(row_id("listing", *names), 16) % len(CANDIDATES)]
        named = [one for one in moved if not _REST.search(one.new[0].subject)]
        chosen = sorted(named, key=lambda one: row_id("grown", *names, one.new[0].subject_key))[:size]
        risen = sum(one.rate > 0 for one in chosen)
        both = [figure for one in chosen for figure in (one.old, one.new)]
        if FEWEST <= risen < len(chosen) and (found := choose_operands("listing", both, alike)):
            yield found


def _above_threshold(figures: Figures) -> Iterator[Operands]:
    """Four or more parts of one company in one table, some with a figure above a round number.

    Nobody asks for companies that way, and with three parts it is a quiz.
    """
    for group in (table for members in figures.members() for table in by_table(members)):
        of = {figure[0].subject_key: figure for figure in group if not _REST.search(figure[0].subject)}
        first = group[0][0]
        money = first.unit.partition("/")[0] == "USD" and (is_additive(first) or first.unit == "USD/shares")
        names = (first.concept or first.relation_key, first.period)
        size = CANDIDATES[int(row_id("listing", *names), 16) % len(CANDIDATES)]
        chosen = sorted(of, key=lambda subject: row_id("listing", *names, subject))[:size]
        few = len(chosen) < min(CANDIDATES)
        if not money or few or choose_threshold([worth(of[name][0]) for name in chosen]) is None:
            continue
        if found := choose_operands("listing", [of[name] for name in chosen], True):
            yield found


def choose_threshold(values: Sequence[Decimal]) -> Decimal | None:
    """The round number clear of all values that leaves two to six of them above it, and at least one below.

    Where several gaps have one, it is that of the gap nearest the middle.
    """
    falling = sorted(values, reverse=True)
    found = []
    for above, (high, low) in enumerate(pairwise(falling), 1):
        threshold = _round_number(low * APART, high / APART)
        if FEWEST <= above <= MOST and threshold is not None:
            found.append((abs(2 * above - len(falling)), LEADING.index(_leading(threshold)), threshold))
    return min(found)[2] if found else None


def _round_number(low: Decimal, high: Decimal) -> Decimal | None:
    powers = range(low.adjusted(), high.adjusted() + 1)
    fits = [
        (rank, number)
        for power in powers
        for rank, leading in enumerate(LEADING)
        if low <= (number := leading.scaleb(power)) <= high
    ]
    return Decimal(f"{min(fits)[1]:f}") if fits else None


def _leading(number: Decimal) -> Decimal:
    return number.scaleb(-number.adjusted()).normalize()


def _by_hash(facts: Iterable[Triplet], *names: str) -> list[Triplet]:
    return sorted(facts, key=lambda fact: row_id("listing", *names, fact.subject_key))


def _path(operands: Operands, pivot: str, domain: str) -> Path:
    """The path of these candidates, in an order that does not tell who is in."""
    facts = tuple(_by_hash(operands.triplets, "order", pivot))
    return replace(make_computed_path(replace(operands, triplets=facts), domain), pivot=pivot)
