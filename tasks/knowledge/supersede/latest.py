"""Of facts on one thing those that a later document states otherwise, without comparing each with each."""

from bisect import bisect_left
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache

from rarefy.data_contracts.rows import Document, Triplet
from rarefy.tasks.knowledge.supersede.compare import OTHER, SAME
from rarefy.tasks.knowledge.supersede.order import later, newness

Compare = Callable[[Triplet, Triplet], str]
Said = tuple[str, ...]  # all that comparing looks at
Told = tuple[str, str, str]  # all that tells which document is later: its date, its period, its form


@dataclass(slots=True)
class _Line:
    """Documents by a day of theirs, ascending, each with the place of its fact in the order."""

    days: list[str] = field(default_factory=list)
    spoken: list[tuple[int, Document]] = field(default_factory=list)

    def add(self, day: str, place: int, document: Document) -> None:
        self.days.append(day)
        self.spoken.append((place, document))

    def first_after(self, own: Document, day: str) -> int | None:
        """The place of the first that is later than this document, where none before the day is."""
        near = (self.spoken[at] for at in range(bisect_left(self.days, day), len(self.days)))
        return next((place for place, document in near if later(document, own)), None)


@dataclass(slots=True)
class _Stated:
    """Where one value stands: of the facts told of one time the first."""

    seen: set[Told] = field(default_factory=set)
    dated: _Line = field(default_factory=_Line)
    both: _Line = field(default_factory=_Line)  # of the dated those that have a period, too
    undated: _Line = field(default_factory=_Line)  # by the end of their period; without either nothing is later

    def add(self, place: int, document: Document) -> None:
        """One more fact; they come in the order of `newness`."""
        if (told := _told(document)) in self.seen:
            return
        self.seen.add(told)
        if document.as_of:
            self.dated.add(document.as_of, place, document)
        if document.as_of and document.period_end:
            self.both.add(document.as_of, place, document)
        elif document.period_end:
            self.undated.add(document.period_end, place, document)

    def first_after(self, own: Document) -> int | None:
        """The place of the first of them in a later document than this one (`order.later`)."""
        if own.as_of:  # the date decides, but on one day
            days = own.as_of, min(own.as_of, own.period_end or own.as_of)
        elif own.period_end:
            days = own.period_end, own.period_end
        else:
            return None
        lines = (self.dated if own.as_of else self.both, self.undated)
        found = [line.first_after(own, day) for line, day in zip(lines, days, strict=True)]
        return min((place for place in found if place is not None), default=None)


def superseded(rows: Sequence[Triplet], compared: Compare, documents: Mapping[str, Document]) -> dict[str, Triplet]:
    """Of facts on one thing those that were superseded, by triplet_id, each with the first fact that did it.

    What says the same at the same time is looked at once, and of what is later the first of each value alone: thousands
    of documents may state one fact.
    """
    order = sorted(rows, key=lambda row: (newness(documents[row.doc_id]), row.doc_id, row.triplet_id))
    said = [_said(row) for row in order]
    one_of = dict(zip(reversed(said), reversed(order), strict=True))

    @cache
    def beside(one: Said, other: Said) -> str:
        return compared(one_of[one], one_of[other])

    first: dict[str, Said] = {}
    for row, own in zip(order, said, strict=True):
        if beside(own, first.setdefault(row.doc_id, own)) != SAME:
            return {}  # not one value at a time, or two measures under one name
    stated: dict[Said, _Stated] = {}
    for place, row in enumerate(order):
        if not row.rejected_because:
            document = documents[row.doc_id]
            stated.setdefault(said[place], _Stated()).add(place, document)
    known: dict[tuple[Said, Told], int | None] = {}

    def after(place: int) -> int | None:
        """The place of the first fact that stands, is later and says another thing."""
        own, document = said[place], documents[order[place].doc_id]
        if (key := (own, _told(document))) not in known:
            best: int | None = None
            for value, there in stated.items():
                found = there.first_after(document)
                if found is not None and (best is None or found < best) and beside(own, value) == OTHER:
                    best = found
            known[key] = best
        return known[key]

    current = [own for place, own in enumerate(said) if not order[place].rejected_because and after(place) is None]
    if not current or any(beside(current[0], own) != SAME for own in current):
        return {}
    now = set(current)
    old = {own for own in one_of if all(beside(own, value) != SAME for value in now)}
    found = ((row.triplet_id, after(place)) for place, row in enumerate(order) if said[place] in old)
    return {name: order[by] for name, by in found if by is not None}


def _said(row: Triplet) -> Said:
    return row.value, row.answer, row.object, row.object_key, row.subject, row.subject_key, row.concept


def _told(document: Document) -> Told:
    return document.as_of, document.period_end, document.form
