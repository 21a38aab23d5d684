"""Which revision of each document was known on a day: by its own date, else by when it was first seen."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Revision:
    """What one document was for a time, and where its row is; one that it became again is a revision of its own."""

    doc_id: str
    content_hash: str
    as_of: str  # ISO date, "" where it does not say
    period_end: str
    seen: str  # ISO date on which it was first seen
    turn: int  # the how-manieth look that was, several of which may be of one day
    table: str
    place: int  # in that table


@dataclass(frozen=True, slots=True)
class State:
    """What the corpus held at a time at which somebody looked."""

    seen: str  # ISO date
    doc_ids: frozenset[str]


@dataclass(frozen=True, slots=True)
class Known:
    """What was known on a day, one revision of each document, and which of them only by assumption."""

    revisions: tuple[Revision, ...]  # by doc_id
    assumed: tuple[str, ...]  # doc_ids
    unknown: tuple[str, ...]  # doc_ids of which nothing was known yet, or no longer


def known(revisions: Iterable[Revision], states: Sequence[State], date: str) -> Known:
    """The revision of each document that was known on a day; `states` in the order in which they were seen.

    A revision with a date counts from that day, one without from the day it was first seen, and never before its period
    is over. Where nobody looked by that day, the earliest state is the best witness: what it held, or what was seen
    before it, is taken on the assumption that it was there, where it has no date; what came later is not. A document
    that had gone by that day is out; one that went since is in. Of several revisions the one of the latest day counts;
    of those of one day the last seen by the date, else the first seen. A document that was renamed is one document,
    under the name it was seen with by that day, else the first one.
    """
    past = [state for state in states if state.seen <= date]
    there = past[-1].doc_ids if past else None
    ever = frozenset[str]().union(*(state.doc_ids for state in past))
    first = states[0] if states else None
    by_name: dict[str, list[Revision]] = {}
    for revision in revisions:
        by_name.setdefault(revision.doc_id, []).append(revision)
    counting: dict[str, list[Revision]] = {}
    unknown = []
    for name in sorted(by_name):
        found = [one for one in by_name[name] if _counts(one, date, None if past else first)]
        if not found or (there is not None and name in ever and name not in there):
            unknown.append(name)
        else:
            counting[name] = found
    kept = sorted((_best(found, date) for found in _renamed(counting, states)), key=lambda one: one.doc_id)
    assumed = [one.doc_id for one in kept if not one.as_of and one.seen > date]
    return Known(tuple(kept), tuple(assumed), tuple(unknown))


def _counts(one: Revision, date: str, witness: State | None) -> bool:
    """Is it a revision of that day? `witness` is the first state, where that is of a later day."""
    if one.as_of:
        return one.as_of <= date
    assumed = witness is not None and (one.doc_id in witness.doc_ids or one.seen < witness.seen)
    return one.period_end <= date and (one.seen <= date or assumed)


def _best(found: Sequence[Revision], date: str) -> Revision:
    days = {one: one.as_of or (one.seen if one.seen <= date else "") for one in found}
    latest = [one for one in found if days[one] == max(days.values())]
    seen = [one for one in latest if one.seen <= date]
    return max(seen, key=_order) if seen else min(latest, key=_order)


def _order(one: Revision) -> tuple[int, str]:
    return one.turn, one.doc_id


def _renamed(found: Mapping[str, Sequence[Revision]], states: Sequence[State]) -> list[list[Revision]]:
    """The revisions by document: a name with what another one had, that never stood beside it, is that one renamed.

    Copies stood side by side and stay two. Of several that it may have been, the one that was seen first.
    """
    holders: dict[tuple[str, str], set[str]] = {}
    for name, own in found.items():
        for one in own:
            holders.setdefault(_content(one), set()).add(name)
    shared = set[str]().union(*(names for names in holders.values() if len(names) > 1))
    stood = {name: sum(1 << at for at, state in enumerate(states) if name in state.doc_ids) for name in shared}
    groups: dict[str, list[Revision]] = {}  # by first name
    # The first names that had a content, by when they stood: there are few such times, and may be many copies.
    firsts: dict[tuple[str, str], dict[int, list[str]]] = {}
    for name in sorted(found, key=lambda name: min(map(_order, found[name]))):
        first = name
        if stood.get(name):  # of one that no state held nobody can say what it stood beside
            contents = dict.fromkeys(map(_content, found[name]))
            earlier = (
                one
                for content in contents
                for times, names in firsts.get(content, {}).items()
                if not times & stood[name]
                for one in names
                if not stood[one] & stood[name]
            )
            first = next(earlier, name)
            if first != name:
                stood[first] |= stood[name]
            for content in contents:
                names = firsts.setdefault(content, {}).setdefault(stood[first], [])
                names.append(first)
        groups.setdefault(first, []).extend(found[name])
    return list(groups.values())


def _content(one: Revision) -> tuple[str, str]:
    return one.content_hash, one.as_of
