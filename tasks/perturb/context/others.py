"""Other values of a kind: what else the corpus says of a measure, or what else was answered to such a question."""

import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from decimal import Decimal

from rarefy.data_contracts.rows import LITERALS, Question, Swap, Triplet, row_id
from rarefy.tasks.perturb.context.figures import amount, figures, rescaled
from rarefy.tasks.perturb.context.kinds import is_figure, is_firm, kind_of
from rarefy.tasks.perturb.context.swaps import nearness
from rarefy.tasks.text.names import without_form
from rarefy.tasks.text.notations import numbers, occurs

# A grader takes what is off by a rounding for right, so another value is off by more than any rounding
APART = Decimal("1.05")
# Beyond three times as much a total no longer fits its parts, nor a part its total, and a reader sees it
FAR = Decimal(3)
LOOKED_AT = 200  # values of a kind looked at for one: enough for thirty, and no more in a large corpus

Kind = tuple[str, ...]

ENTITY: Kind = ("entity",)  # those that documents are about


@dataclass(frozen=True, slots=True)
class Value:
    """A value of some kind, and the row it was taken from."""

    text: str
    amount: Decimal | None
    owner: str  # whose it is: values of the same owner come first
    source: str
    key: str = ""  # of what it names: two names of one thing share it


@dataclass(slots=True)
class Others:
    """Values by kind, in an order that does not hang on the order they came in."""

    by_kind: dict[Kind, list[Value]] = field(default_factory=lambda: defaultdict(list))
    amounts: dict[Kind, list[Decimal]] = field(default_factory=dict)

    def settled(self) -> "Others":
        """Sorted by amount, figures that are the same kept once for each owner."""
        for kind, values in self.by_kind.items():
            values = sorted(values, key=_place, reverse=True)
            once = {(v.owner, v.text if v.amount is None else v.amount): v for v in values}
            self.by_kind[kind] = sorted(once.values(), key=_place)
            self.amounts[kind] = [v.amount or Decimal(0) for v in self.by_kind[kind]]
        return self

    def near(self, kind: Kind, value: Decimal | None) -> list[Value]:
        """The values of a kind, at most `LOOKED_AT` of them: those around the amount."""
        values = self.by_kind.get(kind, [])
        if len(values) <= LOOKED_AT:
            return values
        if value is None:  # names: a stretch of the sorted ones that hangs on nothing but their hashes
            return values[:LOOKED_AT]
        at = bisect_left(self.amounts[kind], value)
        low = max(0, min(at - LOOKED_AT // 2, len(values) - LOOKED_AT))
        return values[low : low + LOOKED_AT]


def _place(value: Value) -> tuple[Decimal, str, str, str]:
    return (value.amount or Decimal(0), row_id(value.text), value.owner, value.source)


def of_triplets(triplets: Iterable[Triplet]) -> Others:
    """The values that a graph states, under their measure and, for figures, under their type and unit alone."""
    others = Others()
    for triplet in triplets:
        if triplet.rejected_because or not triplet.answer.strip():
            continue
        owner, named = triplet.subject_key or triplet.subject, triplet.object_key or triplet.object
        value = Value(triplet.answer, figure(triplet), owner, triplet.triplet_id, named)
        for kind in kinds(triplet):
            others.by_kind[kind].append(value)
        if triplet.subject_type not in LITERALS:
            others.by_kind[subject_kind(triplet)].append(
                Value(triplet.subject, None, triplet.entity, triplet.triplet_id, owner)
            )
        if triplet.entity:
            others.by_kind[ENTITY].append(Value(triplet.entity, None, "", "", triplet.entity))
    return others.settled()


def kinds(triplet: Triplet) -> list[Kind]:
    """Whose values could stand for a triplet's object, the closest kind first.

    A sum can stand for any other of its owner if it is as large; a name only for one that is said of others in the
    same way, and a phrase only within one company, where "Africa" is not swapped for a line of telephones.
    """
    relation = triplet.relation_key or triplet.relation
    if triplet.value:
        unit = triplet.unit + ("-" if triplet.value.startswith("-") else "")
        return [(triplet.object_type, unit, relation), (triplet.object_type, unit, "", triplet.entity)]
    if triplet.object_type != "TEXT" or triplet.method == "cover":
        return [(triplet.object_type, "", relation)]
    return [("TEXT", "firm", relation)] if is_firm(triplet.answer) else [("TEXT", "", relation, triplet.entity)]


def subject_kind(triplet: Triplet) -> Kind:
    """Whose names could stand for a triplet's subject."""
    own = triplet.subject_type in ("TEXT", "NAME", "")
    relation = triplet.relation_key or triplet.relation
    if triplet.subject_type == "PERSON":
        relation = ""
    return ("subject", triplet.subject_type, relation, *([triplet.entity] if own else []))


def of_answers(questions: Iterable[Question]) -> Others:
    """The values that questions are answered with, by the kind that question and answer show."""
    others = Others()
    for question in questions:
        kind = kind_of(question.answer, question.text)
        if kind:
            number = amount(question.answer) if is_figure(kind) else None
            others.by_kind[(kind,)].append(Value(question.answer, number, question.question_id, question.question_id))
    return others.settled()


def figure(triplet: Triplet) -> Decimal | None:
    """A triplet's value without its sign; None where it is no number."""
    return abs(Decimal(triplet.value)) if re.fullmatch(r"-?\d+(?:\.\d+)?", triplet.value) else None


def instead(
    others: Others, old: Value, kinds: Sequence[Kind], name: str, taken: Sequence[str] = (), context: str = ""
) -> Iterator[Swap]:
    """Other values for one, the fittest first: of the same owner, then the nearest; of a looser kind after those.

    `taken` are the value's other forms, `context` what its question says. None of them is the value in another
    notation, a part of it, off by no more than a rounding, or named in the question.
    """
    seen: set[str] = set()
    for kind in kinds:
        for value in sorted(others.near(kind, old.amount), key=lambda v: _fitness(old, v)):
            if (value.source and value.source == old.source) or (value.key and value.key == old.key):
                continue
            if value.amount is not None and old.amount is not None:
                if not APART <= nearness(old.amount, value.amount) <= FAR:
                    continue
                new = _written(old, value)
            else:
                new = _plainly(value.text, old.text)
                if value.amount is not None or old.amount is not None or _betrays(value, new, old):
                    continue
            forms = {new, _first(new) or new, value.key or new}  # two names of one exchange are one other
            if new and not seen & forms and differs(new, old.text, taken) and not (context and _named(context, new)):
                seen |= forms
                yield Swap(old.text, new, name, value.source)


def differs(new: str, old: str, taken: Sequence[str]) -> bool:
    """Would nobody take the one for the other, in any notation?"""
    forms = [form for form in (old, *taken) if form.strip()]
    back = forms[:1] if numbers(old) else forms  # figures are alike both ways
    if occurs(new, old, taken) or any(occurs(form, new) for form in back):
        return False
    first = _first(new)
    return not first or all(first != _first(form) for form in forms)


def _first(name: str) -> str:
    """The first word of a firm's or exchange's name: "The Nasdaq Stock Market LLC" and "NASDAQ" are one."""
    found = re.search(r"(?i)^(?:the\s+)?([^\W\d_]{4,})", name)
    many = is_firm(name) or re.search(r"(?i)\b(?:market|exchange|nasdaq)\b", name)
    return found[1].casefold() if found and many else ""


def _fitness(old: Value, value: Value) -> tuple[bool, Decimal, str]:
    near = nearness(old.amount, value.amount) if old.amount and value.amount else Decimal(0)
    return (value.owner != old.owner, near, row_id(old.text, value.text))


def _written(old: Value, value: Value) -> str:
    """The value in the notation of the old one."""
    found = figures(old.text)
    if not found or not old.amount or value.amount is None:
        return ""
    digits = rescaled(found[0].digits, value.amount / old.amount)
    return old.text[: found[0].start] + digits + old.text[found[0].end :] if digits else ""


def _plainly(new: str, old: str) -> str:
    """A name off a cover in capitals, as it is written elsewhere."""
    shouted = new.isupper() and not old.isupper() and (len(new.split()) > 1 or len(new) > 6)
    return re.sub(r"[^\W\d_]+", lambda m: m.group().capitalize(), new) if shouted else new


def _betrays(value: Value, new: str, old: Value) -> bool:
    """Does a name say whose it is, "1 Meta Way", where it would stand for another's?"""
    words = {w.casefold() for w in re.findall(r"[^\W\d_]{4,}", value.owner.partition(":")[2] or value.owner)}
    return value.owner != old.owner and bool(words & {w.casefold() for w in re.findall(r"[^\W\d_]{4,}", new)})


def _named(context: str, new: str) -> bool:
    return without_form(new).casefold() in context.casefold()
