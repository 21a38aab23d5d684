"""Which of two documents came later, and of facts on one thing those that a later document states otherwise."""

from bisect import bisect_left
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache

from rarefy.data_contracts.rows import Document, Triplet
from rarefy.tasks.knowledge.supersede.compare import OTHER, SAME
from rarefy.tasks.text.names import company

AMENDED = "/A"  # ends the form of what amends another filing: "10-K/A"


def valid_since(document: Document) -> str:
    """The ISO date of a document: its own, else the end of its period; "" for neither."""
    return document.as_of or document.period_end


def is_later(one: Document, other: Document) -> bool:
    """Whether `one` was published after `other`, as far as they say: by their dates, their periods, their forms.

    A document without a date is later than another's date once its own period ends after it. Of two on one period, one
    amends the other. False where nothing tells them apart.
    """
    if one.as_of and other.as_of and one.as_of != other.as_of:
        return one.as_of > other.as_of
    if one.as_of and not other.as_of and other.period_end > one.as_of:
        return False
    if other.as_of and not one.as_of and one.period_end > other.as_of:
        return True
    if one.period_end != other.period_end:
        return bool(one.period_end and other.period_end) and one.period_end > other.period_end
    return bool(one.period_end) and one.form == f"{other.form}{AMENDED}"


def recency(document: Document) -> tuple[str, str, bool]:
    """Sort key of documents by date, as far as that goes without comparing them two by two."""
    return valid_since(document), document.period_end, document.form.endswith(AMENDED)


def issuers_by_document(documents: Iterable[Document]) -> dict[str, str]:
    """The issuer of each document, by doc_id: the registrant's number, else its name; "" where neither is known."""
    rows = list(documents)
    names = {row.doc_id: company(row.entity)[0] for row in rows}
    numbers = {row.doc_id: row.metadata.get("cik", "").lstrip("0") for row in rows}
    known = {name: numbers[doc_id] for doc_id, name in sorted(names.items(), reverse=True) if numbers[doc_id]}
    return {doc_id: numbers[doc_id] or known.get(name, name) for doc_id, name in names.items()}


Compare = Callable[[Triplet, Triplet], str]
ComparedFields = tuple[str, ...]  # all that comparing looks at
DateFields = tuple[str, str, str]  # all that tells which document is later: its date, its period, its form


@dataclass(slots=True)
class _Timeline:
    """Documents by date, ascending, each with the place of its fact in the order of all facts."""

    days: list[str] = field(default_factory=list)
    facts: list[tuple[int, Document]] = field(default_factory=list)

    def add(self, day: str, place: int, document: Document) -> None:
        self.days.append(day)
        self.facts.append((place, document))

    def first_after(self, own: Document, day: str) -> int | None:
        """The place of the first that is later than this document, where none before the day is."""
        near = (self.facts[at] for at in range(bisect_left(self.days, day), len(self.days)))
        return next((place for place, document in near if is_later(document, own)), None)


@dataclass(slots=True)
class _ValueTimelines:
    """The documents that state one value, of those of one date the first."""

    seen: set[DateFields] = field(default_factory=set)
    dated: _Timeline = field(default_factory=_Timeline)
    both: _Timeline = field(default_factory=_Timeline)  # of the dated those that have a period, too
    undated: _Timeline = field(default_factory=_Timeline)  # by the end of their period; without either nothing is later

    def add(self, place: int, document: Document) -> None:
        """Add a fact; facts come in the order of `recency`."""
        if (dates := _date_fields(document)) in self.seen:
            return
        self.seen.add(dates)
        if document.as_of:
            self.dated.add(document.as_of, place, document)
        if document.as_of and document.period_end:
            self.both.add(document.as_of, place, document)
        elif document.period_end:
            self.undated.add(document.period_end, place, document)

    def first_after(self, own: Document) -> int | None:
        """The place of the first fact of a later document than this one (`is_later`); None for none."""
        if own.as_of:  # the date decides, but on one day
            days = own.as_of, min(own.as_of, own.period_end or own.as_of)
        elif own.period_end:
            days = own.period_end, own.period_end
        else:
            return None
        lines = (self.dated if own.as_of else self.both, self.undated)
        places = [line.first_after(own, day) for line, day in zip(lines, days, strict=True)]
        return min((place for place in places if place is not None), default=None)


def find_superseded(
    rows: Sequence[Triplet], compared: Compare, documents: Mapping[str, Document]
) -> dict[str, Triplet]:
    """The superseded ones of facts about one thing, by triplet_id, each with the first fact that did it.

    What says the same at the same time is looked at once, and of what is later the first of each value alone: thousands
    of documents may state one fact.
    """
    order = sorted(rows, key=lambda row: (recency(documents[row.doc_id]), row.doc_id, row.triplet_id))
    compared_fields = [_compared_fields(row) for row in order]
    example = dict(zip(reversed(compared_fields), reversed(order), strict=True))

    @cache
    def beside(one: ComparedFields, other: ComparedFields) -> str:
        return compared(example[one], example[other])

    first: dict[str, ComparedFields] = {}
    for row, own in zip(order, compared_fields, strict=True):
        if beside(own, first.setdefault(row.doc_id, own)) != SAME:
            return {}  # not one value at a time, or two measures under one name
    stated: dict[ComparedFields, _ValueTimelines] = {}
    for place, row in enumerate(order):
        if not row.rejected_because:
            document = documents[row.doc_id]
            stated.setdefault(compared_fields[place], _ValueTimelines()).add(place, document)
    known: dict[tuple[ComparedFields, DateFields], int | None] = {}

    def after(place: int) -> int | None:
        """The place of the first fact that stands, is later and says another thing."""
        own, document = compared_fields[place], documents[order[place].doc_id]
        if (key := (own, _date_fields(document))) not in known:
            best: int | None = None
            for value, timelines in stated.items():
                candidate = timelines.first_after(document)
                if candidate is not None and (best is None or candidate < best) and beside(own, value) == OTHER:
                    best = candidate
            known[key] = best
        return known[key]

    current = [
        own for place, own in enumerate(compared_fields) if not order[place].rejected_because and after(place) is None
    ]
    if not current or any(beside(current[0], own) != SAME for own in current):
        return {}
    now = set(current)
    old = {own for own in example if all(beside(own, value) != SAME for value in now)}
    successors = ((row.triplet_id, after(place)) for place, row in enumerate(order) if compared_fields[place] in old)
    return {name: order[by] for name, by in successors if by is not None}


def _compared_fields(row: Triplet) -> ComparedFields:
    return row.value, row.answer, row.object, row.object_key, row.subject, row.subject_key, row.concept


def _date_fields(document: Document) -> DateFields:
    return document.as_of, document.period_end, document.form
