"""Which revision of each document was known on a day: by its own date, else by when it was first seen."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Revision:
    """One revision of a document, and where its row is; a document that returns to old content is a new revision."""

    doc_id: str
    content_hash: str
    as_of: str  # ISO date, "" where it does not say
    period_end: str
    seen: str  # ISO date on which it was first seen
    turn: int  # number of the reading in which it was first seen; several may be of one day
    table: str
    place: int  # in that table


@dataclass(frozen=True, slots=True)
class CorpusState:
    """The documents of the corpus on a day on which it was read."""

    seen: str  # ISO date
    doc_ids: frozenset[str]


@dataclass(frozen=True, slots=True)
class KnownRevisions:
    """The revision of each document that was known on a day, and which of them only by assumption."""

    revisions: tuple[Revision, ...]  # by doc_id
    assumed: tuple[str, ...]  # doc_ids
    unknown: tuple[str, ...]  # doc_ids of which nothing was known yet, or no longer


def revisions_known_on(revisions: Iterable[Revision], states: Sequence[CorpusState], date: str) -> KnownRevisions:
    """The revision of each document that was known on a day; `states` in the order in which they were seen.

    A revision with a date counts from that day, one without from the day it was first seen, and never before its period
    is over. Where nobody looked by that day, the earliest state is the best witness: what it held, or what was seen
    before it, is taken on the assumption that it was there, where it has no date; what came later is not. A document
    that had gone by that day is out; one that went since is in. Of several revisions the one of the latest day counts;
    of those of one day the last seen by the date, else the first seen. A document that was renamed is one document,
    under the name it was seen with by that day, else the first one.
    """
    past = [state for state in states if state.seen <= date]
    present = past[-1].doc_ids if past else None
    ever = frozenset[str]().union(*(state.doc_ids for state in past))
    first = states[0] if states else None
    by_name: dict[str, list[Revision]] = {}
    for revision in revisions:
        by_name.setdefault(revision.doc_id, []).append(revision)
    counting: dict[str, list[Revision]] = {}
    unknown = []
    for name in sorted(by_name):
        counted = [revision for revision in by_name[name] if _counts_on(revision, date, None if past else first)]
        if not counted or (present is not None and name in ever and name not in present):
            unknown.append(name)
        else:
            counting[name] = counted
    chosen = sorted(
        (_latest_revision(group, date) for group in _group_renamed(counting, states)),
        key=lambda revision: revision.doc_id,
    )
    assumed = [revision.doc_id for revision in chosen if not revision.as_of and revision.seen > date]
    return KnownRevisions(tuple(chosen), tuple(assumed), tuple(unknown))


def _counts_on(revision: Revision, date: str, witness: CorpusState | None) -> bool:
    """Whether a revision counts on that day; `witness` is the first state, where that is of a later day."""
    if revision.as_of:
        return revision.as_of <= date
    assumed = witness is not None and (revision.doc_id in witness.doc_ids or revision.seen < witness.seen)
    return revision.period_end <= date and (revision.seen <= date or assumed)


def _latest_revision(revisions: Sequence[Revision], date: str) -> Revision:
    days = {revision: revision.as_of or (revision.seen if revision.seen <= date else "") for revision in revisions}
    latest = [revision for revision in revisions if days[revision] == max(days.values())]
    seen = [revision for revision in latest if revision.seen <= date]
    return max(seen, key=_seen_order) if seen else min(latest, key=_seen_order)


def _seen_order(revision: Revision) -> tuple[int, str]:
    return revision.turn, revision.doc_id


def _group_renamed(found: Mapping[str, Sequence[Revision]], states: Sequence[CorpusState]) -> list[list[Revision]]:
    """The revisions by document: a name whose content another name had, never beside it, is that document renamed.

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
    for name in sorted(found, key=lambda name: min(map(_seen_order, found[name]))):
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


def _content(revision: Revision) -> tuple[str, str]:
    return revision.content_hash, revision.as_of
