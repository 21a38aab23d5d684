"""Find values that could replace an answer: its kind, other values of that kind, and made-up ones."""

import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from functools import lru_cache
from random import Random

from rarefy.data_contracts.rows import LITERALS, VERDICTS, Question, Swap, Triplet, row_id
from rarefy.tasks.perturb.context.swaps import draw_figures, find_figures, parse_amount, scale_digits, size_ratio
from rarefy.tasks.text.dates import moments
from rarefy.tasks.text.names import ENDING, ENGLISH_FORMS, is_legal_form, without_form
from rarefy.tasks.text.notations import contains_answer, find_numbers
from rarefy.tasks.text.quantities import UNITS, quantities
from rarefy.tasks.text.states import STATES

# Short forms of names

_WORD = re.compile(r"[A-ZÀ-ÖØ-Þ][\w'’.&-]*")
# Words that many names share, so that they identify none
_SHARED = frozenset(
    """
    River Lake Mount Mountain Mountains Sea Ocean Bay Island Islands Peninsula City County State States Province
    District Region North South East West Northern Southern Eastern Western Central Upper Lower New Great Saint St
    St. Street Road Avenue Square Park Stadium Arena Center Centre Hall House Tower Castle Palace Church Cathedral
    Airport Station Bridge University College School Institute Academy Museum Library Hospital Society Association
    Foundation Organization Union United Republic Kingdom Empire Party Army Navy Force Forces War Battle Treaty Act
    Court Council Committee Commission Department Ministry Office Agency Board Bank Group Fund Trust
    Holdings International National Global American
    British Stock Exchange Market Markets Services Systems Technologies Technology Industries Products Energy
    Capital Financial Notes Series Prize Award Medal League Cup Jr Jr. Sr Sr. II III IV Vice President Executive
    Officer Chief Director Chairman Senior General Segment Americas World Select
    """.split()
)
LONGEST = 5  # words of a name; what is longer is a phrase


@lru_cache(10_000)
def short_name(answer: str) -> str:
    """The word that a longer name is shortened to: its last that is not generic ("River", "Inc."); "" if none."""
    words = [word.strip(",") for word in answer.split()]
    own = [word for word in words if _WORD.fullmatch(word)]
    if not 2 <= len(words) <= LONGEST or len(own) != len([w for w in words if w not in ("the", "of")]):
        return ""
    return next((word for word in reversed(own) if not _is_common_word(word) and len(word) > 3), "")


def is_name_mentioned(text: str, answer: str, question: str) -> bool:
    """Whether a text contains the short form of a name that the question does not contain."""
    short = short_name(answer)
    if not short or short in question or short not in text:
        return False
    return re.search(rf"(?<!\w){re.escape(short)}(?!\w)", text) is not None


def is_person(name: str) -> bool:
    """Whether a name looks like a given name and a surname."""
    words = name.split()
    return (
        2 <= len(words) <= 3
        and all(_WORD.fullmatch(word) for word in words)
        and not any(_is_common_word(word) for word in words)
        and not words[-1].endswith("s")  # teams, bands and peoples: "Denver Broncos"
    )


def _is_common_word(word: str) -> bool:
    return word in _SHARED or is_legal_form(word)


# Kinds of answers

UNKNOWN = ""

_DECADE = re.compile(r"(?i)((?:the )?(?:early |mid-|late )?)(\d{3})0s")
_UNIT = re.compile(r"[^\W\d_]+")
_SCALE = frozenset(
    "thousand million billion trillion about approximately roughly nearly over under some than more less".split()
)
_NAME = re.compile(r"(?:(?:The|the|[A-Z][\w.'’&-]*|of|and|the|de|van|von|la|&)\s?)+")
_WH = re.compile(
    r"(?i)\b(?:(who|whom|whose|when|where)\b|(?:which|what)\s+(?:is\s+the\s+|was\s+the\s+|are\s+the\s+|were\s+the\s+)?((?:[\w-]+\s+){0,3}?)"
    r"(?=of\b|is\b|are\b|was\b|were\b|did\b|does\b|do\b|has\b|have\b|had\b|will\b|can\b|in\b|on\b|to\b|from\b|that\b"
    r"|by\b|for\b|at\b|with\b|wrote\b|won\b|[\w-]+ed\b|[?]))"
)
_BODY = re.compile(r"(?i)\b(?:bank|group|university|institute)\b")
# "What is the name of ..." asks for anything
_EMPTY = frozenset(
    """
    name title term type kind sort part thing other one word first last most unit group item area place category level
    form way body body's subject factor aspect term reason purpose
    """.split()
)
# Things asked for that are persons
_PERSONS = frozenset(
    """
    person man woman actor actress artist painter poet writer author singer musician player quarterback president king
    queen emperor ruler leader director chairman general scientist inventor founder philosopher composer explorer coach
    governor minister bishop pope architect engineer physicist chemist mathematician historian economist judge senator
    officer manager editor owner employee
    """.split()
)
_PLURAL = re.compile(r"(?<=[a-z]{3})(?<!s)s$")


def classify_answer(answer: str, question: str) -> str:
    """The kind of an answer, shared only by answers that could replace each other; `UNKNOWN` where not certain.

    Figures are classified by unit ("MONEY", "NUMBER employees"), names by what the question asks for ("NAME who",
    "NAME city"). Phrases and verdicts have no kind.
    """
    text = " ".join(answer.split())
    if not text or text.strip(" .").casefold() in VERDICTS:
        return UNKNOWN
    if dated := _classify_date(text):
        return dated
    if find_numbers(text):
        return _classify_number(text)
    asked = find_asked_thing(question)
    named = _NAME.fullmatch(text) is not None and len(text.split()) <= 8 and any(c.isupper() for c in text)
    if not asked or not named or asked == "where":  # a city, a stadium and a continent are all somewhere
        return UNKNOWN
    if asked == "who" or (asked in _PERSONS and is_person(text)):
        return "NAME who firm" if is_firm(text) else "NAME who" if is_person(text) else UNKNOWN
    return f"NAME {asked}"


def _classify_date(text: str) -> str:
    """ "DATE day", "DATE fiscal year", "DATE decade", ... for a single moment with a year; else ""."""
    if _DECADE.fullmatch(text):
        return "DATE decade"
    dated = f"in {text}"  # "1776" alone may be anything
    found = moments(dated)
    if len(found) != 1 or not found[0].years or found[0].decade:
        return ""
    beside = dated[3 : found[0].start] + dated[found[0].end :]
    return "" if beside.strip(" .,") else f"DATE {'fiscal ' if found[0].fiscal else ''}{found[0].kind}"


def _classify_number(text: str) -> str:
    if len(find_numbers(text)) != 1 or len(text.split()) > 6:
        return UNKNOWN
    kinds = {quantity.kind for quantity in quantities(text)}
    if "percent" in kinds:
        return "PERCENT"
    if "money" in kinds:
        return "MONEY"
    units = [w.casefold() for w in _UNIT.findall(text) if w.casefold() not in _SCALE]
    return " ".join(["NUMBER", *(_PLURAL.sub("", unit) for unit in units)])


def find_asked_thing(question: str) -> str:
    """What a question asks for: "who", "when", "where", the noun of "which city", "what is the capital of"; or ""."""
    match = _WH.search(question)
    if match is None:
        return ""
    if match[1]:
        return "who" if match[1].casefold() in ("who", "whom", "whose") else match[1].casefold()
    words = match[2].casefold().split()
    head = _PLURAL.sub("", words[-1]) if words else ""
    return "" if head in _EMPTY else head


def is_firm(name: str) -> bool:
    """Whether a name has the words of a firm, bank or school."""
    ending = ENDING.search(name) or _BODY.search(name)
    return ending is not None or any(word.rstrip(".,").casefold() in ENGLISH_FORMS for word in name.split())


def is_figure_kind(kind: str) -> bool:
    """Whether a kind is of numbers, sums, shares or dates."""
    return kind.partition(" ")[0] in LITERALS - {"TEXT"}


# Values of the corpus by kind

# Least ratio to the old value: graders accept what differs by a rounding
APART = Decimal("1.05")
# Greatest ratio: beyond it a total visibly no longer fits its parts
FAR = Decimal(3)
LOOKED_AT = 200  # candidates of a kind for one value

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
class ValueIndex:
    """Values by kind, in an order that does not depend on the order of input."""

    by_kind: dict[Kind, list[Value]] = field(default_factory=lambda: defaultdict(list))
    amounts: dict[Kind, list[Decimal]] = field(default_factory=dict)

    def sort(self) -> "ValueIndex":
        """The index, sorted by amount; equal figures of one owner are kept once."""
        for kind, values in self.by_kind.items():
            values = sorted(values, key=_sort_key, reverse=True)
            once = {(v.owner, v.text if v.amount is None else v.amount): v for v in values}
            self.by_kind[kind] = sorted(once.values(), key=_sort_key)
            self.amounts[kind] = [v.amount or Decimal(0) for v in self.by_kind[kind]]
        return self

    def nearest(self, kind: Kind, value: Decimal | None) -> list[Value]:
        """The values of a kind, at most `LOOKED_AT` of them: those around the amount."""
        values = self.by_kind.get(kind, [])
        if len(values) <= LOOKED_AT:
            return values
        if value is None:  # names are sorted by hash
            return values[:LOOKED_AT]
        at = bisect_left(self.amounts[kind], value)
        low = max(0, min(at - LOOKED_AT // 2, len(values) - LOOKED_AT))
        return values[low : low + LOOKED_AT]


def _sort_key(value: Value) -> tuple[Decimal, str, str, str]:
    return (value.amount or Decimal(0), row_id(value.text), value.owner, value.source)


def index_triplets(triplets: Iterable[Triplet]) -> ValueIndex:
    """Values of a graph's triplets, by relation and, for figures, also by type and unit alone."""
    others = ValueIndex()
    for triplet in triplets:
        if triplet.rejected_because or not triplet.answer.strip():
            continue
        owner, named = triplet.subject_key or triplet.subject, triplet.object_key or triplet.object
        value = Value(triplet.answer, signless_value(triplet), owner, triplet.triplet_id, named)
        for kind in object_kinds(triplet):
            others.by_kind[kind].append(value)
        if triplet.subject_type not in LITERALS:
            others.by_kind[subject_kind(triplet)].append(
                Value(triplet.subject, None, triplet.entity, triplet.triplet_id, owner)
            )
        if triplet.entity:
            others.by_kind[ENTITY].append(Value(triplet.entity, None, "", "", triplet.entity))
    return others.sort()


def object_kinds(triplet: Triplet) -> list[Kind]:
    """Kinds whose values could replace a triplet's object, the closest first.

    A figure can replace any of its entity in the same unit; a name only one of the same relation; a phrase only one of
    the same relation and entity.
    """
    relation = triplet.relation_key or triplet.relation
    if triplet.value:
        unit = triplet.unit + ("-" if triplet.value.startswith("-") else "")
        return [(triplet.object_type, unit, relation), (triplet.object_type, unit, "", triplet.entity)]
    if triplet.object_type != "TEXT" or triplet.method == "cover":
        return [(triplet.object_type, "", relation)]
    return [("TEXT", "firm", relation)] if is_firm(triplet.answer) else [("TEXT", "", relation, triplet.entity)]


def subject_kind(triplet: Triplet) -> Kind:
    """The kind whose names could replace a triplet's subject."""
    own = triplet.subject_type in ("TEXT", "NAME", "")
    relation = triplet.relation_key or triplet.relation
    if triplet.subject_type == "PERSON":
        relation = ""
    return ("subject", triplet.subject_type, relation, *([triplet.entity] if own else []))


def index_answers(questions: Iterable[Question]) -> ValueIndex:
    """The answers of questions, by kind."""
    others = ValueIndex()
    for question in questions:
        kind = classify_answer(question.answer, question.text)
        if kind:
            number = parse_amount(question.answer) if is_figure_kind(kind) else None
            others.by_kind[(kind,)].append(Value(question.answer, number, question.question_id, question.question_id))
    return others.sort()


def signless_value(triplet: Triplet) -> Decimal | None:
    """A triplet's value without its sign; None where it is no number."""
    return abs(Decimal(triplet.value)) if re.fullmatch(r"-?\d+(?:\.\d+)?", triplet.value) else None


def find_replacements(
    others: ValueIndex, old: Value, kinds: Sequence[Kind], name: str, taken: Sequence[str] = (), context: str = ""
) -> Iterator[Swap]:
    """Swaps of a value for others, the best first: by kind, then of the same owner, then the nearest.

    `taken` are the value's other forms, `context` is its question. No replacement is another notation or part of the
    value, differs only by rounding, or is named in the question.
    """
    seen: set[str] = set()
    for kind in kinds:
        for value in sorted(others.nearest(kind, old.amount), key=lambda v: _measure_fitness(old, v)):
            if (value.source and value.source == old.source) or (value.key and value.key == old.key):
                continue
            if value.amount is not None and old.amount is not None:
                if not APART <= size_ratio(old.amount, value.amount) <= FAR:
                    continue
                new = _format_like(old, value)
            else:
                new = _normalise_capitals(value.text, old.text)
                if value.amount is not None or old.amount is not None or _reveals_owner(value, new, old):
                    continue
            forms = {new, _first_word(new) or new, value.key or new}  # two names of one exchange are one other
            if (
                new
                and not seen & forms
                and is_distinct(new, old.text, taken)
                and not (context and _is_owner_named(context, new))
            ):
                seen |= forms
                yield Swap(old.text, new, name, value.source)


def is_distinct(new: str, old: str, taken: Sequence[str]) -> bool:
    """Whether neither value could be taken for the other, in any notation."""
    forms = [form for form in (old, *taken) if form.strip()]
    back = forms[:1] if find_numbers(old) else forms  # figures are alike both ways
    if contains_answer(new, old, taken) or any(contains_answer(form, new) for form in back):
        return False
    first = _first_word(new)
    return not first or all(first != _first_word(form) for form in forms)


def _first_word(name: str) -> str:
    """The first word of a firm's or exchange's name: "The Nasdaq Stock Market LLC" and "NASDAQ" are one."""
    found = re.search(r"(?i)^(?:the\s+)?([^\W\d_]{4,})", name)
    many = is_firm(name) or re.search(r"(?i)\b(?:market|exchange|nasdaq)\b", name)
    return found[1].casefold() if found and many else ""


def _measure_fitness(old: Value, value: Value) -> tuple[bool, Decimal, str]:
    near = size_ratio(old.amount, value.amount) if old.amount and value.amount else Decimal(0)
    return (value.owner != old.owner, near, row_id(old.text, value.text))


def _format_like(old: Value, value: Value) -> str:
    """The value in the notation of the old one; "" where that cannot be done."""
    found = find_figures(old.text)
    if not found or not old.amount or value.amount is None:
        return ""
    digits = scale_digits(found[0].digits, value.amount / old.amount)
    return old.text[: found[0].start] + digits + old.text[found[0].end :] if digits else ""


def _normalise_capitals(new: str, old: str) -> str:
    """A name, capitalised by word where only the new one is all capitals, as on a cover."""
    shouted = new.isupper() and not old.isupper() and (len(new.split()) > 1 or len(new) > 6)
    # "KPMG LLP" has no vowels: letters, not words
    return re.sub(r"[^\W\d_]*[AEIOUY][^\W\d_]*", lambda m: m.group().capitalize(), new) if shouted else new


def _reveals_owner(value: Value, new: str, old: Value) -> bool:
    """Whether a name contains that of its owner ("1 Meta Way") and would be given to another."""
    words = {w.casefold() for w in re.findall(r"[^\W\d_]{4,}", value.owner.partition(":")[2] or value.owner)}
    return value.owner != old.owner and bool(words & {w.casefold() for w in re.findall(r"[^\W\d_]{4,}", new)})


def _is_owner_named(context: str, new: str) -> bool:
    return without_form(new).casefold() in context.casefold()


# Made-up values

_SECURITY = re.compile(r"(\d{1,2}(?:\.\d+)?)\s?%(?=\s.*\b(?:[Nn]otes?|NOTES?|[Dd]ebentures?|[Bb]onds?)\b)")


def find_other_states(old: str, name: str) -> Iterator[Swap]:
    """Swaps of a US state for the others."""
    if old in STATES.values():
        for state in sorted(STATES.values(), key=lambda s: row_id(old, s)):
            if is_distinct(state, old, ()):
                yield Swap(old, state, name)


def find_namesakes(others: ValueIndex, old: str, taken: Sequence[str], question: str, seed: str) -> Iterator[Swap]:
    """Swaps of a person for the same given name with surnames of other answers.

    Invented persons cannot be of the wrong time or trade, as Shakespeare on the Moon.
    """
    given, surname = old.rsplit(" ", 1)
    found = {value.text.rsplit(" ", 1)[-1] for value in others.nearest(("NAME who",), None)}
    for other in sorted(found - {surname}, key=lambda name: row_id(seed, name)):
        new = f"{given} {other}"
        if (
            is_distinct(new, old, taken)
            and other not in question
            and all(new != v.text for v in others.by_kind[("NAME who",)])
        ):
            yield Swap(old, new, "PERSON")


def is_security(name: str) -> bool:
    """Whether this is a debt named by its rate: "1.150% Notes Due November 2028"."""
    return _SECURITY.match(name) is not None


def find_other_rates(old: str, name: str) -> Iterator[Swap]:
    """Swaps of a debt for the same at other rates, in eighths of a per cent as they are issued; without a source."""
    match = _SECURITY.match(old)
    if match is None:
        return
    rate = Decimal(match[1])
    places = max(3, len(match[1].partition(".")[2]))
    for step in (2, -2, 1, -1, 3, -3, 4, -4, 5, -5, 6, -6):
        other = rate + Decimal(step) / 8
        if other > 0:
            written = f"{other:.{places}f}"
            yield Swap(old, (written if "." in match[1] else f"{other.normalize():f}") + old[match.end(1) :], name)


def invent_figures(old: str, taken: Sequence[str], name: str, seed: str) -> Iterator[Swap]:
    """Swaps of a figure for made-up ones; without a source."""
    seen: set[str] = set()
    if decade := _DECADE.fullmatch(old):
        steps = sorted((-3, -2, -1, 1, 2), key=lambda step: row_id(seed, old, str(step)))
        yield from (Swap(old, f"{decade[1]}{int(decade[2]) + step}0s", name) for step in steps)
        return
    for new in draw_figures(old, Random(row_id(seed, old))):
        if new not in seen and is_distinct(new, old, taken):
            seen.add(new)
            yield Swap(old, new, name)


_WORDED = "|".join(word for word, size in UNITS.items() if 2 <= size <= 12)
_COUNTED = re.compile(rf"(?<![\w-])(?:{_WORDED})(?!\w|-(?:thirds|quarters|fifths))", re.IGNORECASE)


def invent_counts(old: str, name: str, seed: str) -> Iterator[Swap]:
    """Swaps of a number in words for others, half to twice as large: "six days" for "ten days"; without a source."""
    found = _COUNTED.findall(old)
    if len(found) != 1 or find_numbers(old):
        return
    size = UNITS[found[0].lower()]
    others = [word for word, other in UNITS.items() if 2 <= other <= 12 and size <= 2 * other <= 4 * size]
    for word in sorted(set(others) - {found[0].lower()}, key=lambda word: row_id(seed, old, word)):
        written = word.capitalize() if found[0][0].isupper() else word
        yield Swap(old, _COUNTED.sub(written, old), name)


# Names in lists

MOST = 40  # names kept per name

_NAME_WORD = r"(?:[A-Z]\.|[A-Z][\w’'&-]*)"
_ONE = rf"(?:{_NAME_WORD}(?:\s(?:of\s)?{_NAME_WORD}){{0,3}})"
# Only lists of three or more: of two, "Apple and California" may be anything
_LIST = re.compile(rf"{_ONE}(?:,\s{_ONE})+,?\s(?:and|or)\s(?:the\s)?{_ONE}")
_ITEM = re.compile(r",?\s(?:and|or)\s(?:the\s)?|,\s")
_OPENERS = frozenset("The In On At For From Of As By With And Or But If When While Since After Before".split())
_LONGEST = 600  # characters of a list; what is longer is an index


def find_listed_names(texts: Iterable[str]) -> dict[str, tuple[str, ...]]:
    """For each name in a list, the other names listed with it, sorted."""
    beside: dict[str, set[str]] = defaultdict(set)
    for text in texts:
        for match in _LIST.finditer(text):
            if len(match.group()) > _LONGEST:
                continue
            names = [_strip_name(name) for name in _ITEM.split(match.group())]
            names = [name for name in dict.fromkeys(names) if len(name) > 2]
            for name in names if len(names) > 2 else ():
                if len(beside[name]) < MOST:
                    beside[name].update(other for other in names if other != name)
    return {name: tuple(sorted(others)[:MOST]) for name, others in beside.items() if others}


def _strip_name(name: str) -> str:
    first, _, rest = name.strip(" .").partition(" ")
    return rest if first in _OPENERS else f"{first} {rest}".strip()
