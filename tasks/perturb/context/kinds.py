"""What kind of thing an answer is, by its shape and by what was asked for: only like may stand for like."""

import re

from rarefy.data_contracts.rows import LITERALS, VERDICTS
from rarefy.tasks.perturb.context.names import is_person
from rarefy.tasks.text.dates import moments
from rarefy.tasks.text.names import ENDING, ENGLISH_FORMS
from rarefy.tasks.text.notations import numbers
from rarefy.tasks.text.quantities import quantities

UNKNOWN = ""

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
_PLURAL = re.compile(r"(?<=[a-z]{3})s$")


def kind_of(answer: str, question: str) -> str:
    """A name that only answers share of which one could stand for the other; `UNKNOWN` where that is not sure.

    Figures are of one kind with their unit ("MONEY", "NUMBER employees"); names with what the question asks for
    ("name who", "name city"), since a capital letter says nothing of the kind. Phrases and verdicts are of none.
    """
    text = " ".join(answer.split())
    if not text or text.strip(" .").casefold() in VERDICTS:
        return UNKNOWN
    if dated := _of_date(text):
        return dated
    if numbers(text):
        return _of_number(text)
    asked = wanted_thing(question)
    named = _NAME.fullmatch(text) is not None and len(text.split()) <= 8 and any(c.isupper() for c in text)
    if not asked or not named:
        return UNKNOWN
    if asked == "where":  # a city, a stadium and a continent are all somewhere
        return UNKNOWN
    if asked == "who":
        return "NAME who firm" if is_firm(text) else "NAME who" if is_person(text) else UNKNOWN
    return f"NAME {asked}"


def _of_date(text: str) -> str:
    """ "DATE day", "DATE fiscal year", ... of what is one moment with a year, and no more; ""."""
    dated = f"in {text}"  # "1776" alone may be anything
    found = moments(dated)
    if len(found) != 1 or not found[0].years or found[0].decade:
        return ""
    beside = dated[3 : found[0].start] + dated[found[0].end :]
    return "" if beside.strip(" .,") else f"DATE {'fiscal ' if found[0].fiscal else ''}{found[0].kind}"


def _of_number(text: str) -> str:
    if len(numbers(text)) != 1 or len(text.split()) > 6:
        return UNKNOWN
    kinds = {one.kind for one in quantities(text)}
    if "percent" in kinds:
        return "PERCENT"
    if "money" in kinds:
        return "MONEY"
    units = [w.casefold() for w in _UNIT.findall(text) if w.casefold() not in _SCALE]
    return " ".join(["NUMBER", *(_PLURAL.sub("", unit) for unit in units)])


def wanted_thing(question: str) -> str:
    """What a question asks for: "who", "when", "where", or the head of "which city", "what is the capital of"; ""."""
    match = _WH.search(question)
    if match is None:
        return ""
    if match[1]:
        return "who" if match[1].casefold() in ("who", "whom", "whose") else match[1].casefold()
    words = match[2].casefold().split()
    head = _PLURAL.sub("", words[-1]) if words else ""
    return "" if head in _EMPTY else head


def is_firm(name: str) -> bool:
    """Does a name say that it is a firm's, a bank's or a school's?"""
    said = ENDING.search(name) or _BODY.search(name)
    return said is not None or any(word.rstrip(".,").casefold() in ENGLISH_FORMS for word in name.split())


def is_figure(kind: str) -> bool:
    """Is what is of this kind a number, a sum, a share or a date?"""
    return kind.partition(" ")[0] in LITERALS - {"TEXT"}
