"""One owner, two ways to say so: "Apple Inc.'s goodwill" and "the goodwill of Apple Inc."."""

import re
from collections.abc import Iterator

from rarefy.tasks.perturb.query.edited import Edit
from rarefy.tasks.perturb.query.hanging import nominal
from rarefy.tasks.perturb.query.question_parts import ParsedQuestion
from rarefy.tasks.text import wordnet

# Names that end like a possessive
APOSTROPHES = frozenset(
    """
    mcdonald moody lowe macy wendy kohl domino dick sotheby christie sainsbury denny arby levi daniel lay reese joe john
    chili applebee jerry bj carl casey lloyd poor harrod bloomingdale victoria kellogg nathan
    """.split()
)
# What may be said to be somebody's without a doubt about what "of" means: no "city of Paris", no "battle of Waterloo"
OWNABLE = frozenset(
    """
    capital population president ceo cfo chairman founder founders author director mayor king queen owner currency
    revenue revenues income sales expense expenses assets liabilities earnings share equity goodwill debt profit margin
    percentage rate headquarters wife husband father mother daughter son sister brother successor predecessor
    """.split()
)
_NAME = r"(?:the |The )?[A-Z0-9][\w.&’-]*(?:,? (?:[A-Z&][\w.&-]*|of|and(?= [A-Z])))*"
_OWNED = re.compile(rf" (?P<name>{_NAME}?)(?P<s>['’]s) (?P<measure>[\w$].*)")
_OF = re.compile(rf" (?P<the>the) (?P<measure>[a-z][\w -]*?) of (?P<name>{_NAME})")
# Where the owner is put in when the measure does not end: before a place, a customer, a segment
_BEFORE = re.compile(r" (?:in (?:the )?(?=[A-Z])|to (?=customers|[A-Z])|from (?=[A-Z])|for (?=the |[A-Z]))")
_LOOSE = re.compile(r",? (?:net of|including|excluding|exclusive of|inclusive of)\b|, in ", re.IGNORECASE)
# A measure inside the question and what may follow it: "of Apple Inc.'s total net sales in 2024"
_INSIDE = re.compile(
    rf"(?<=\b(?:of|in|to|by) )(?P<own>(?P<name>{_NAME})['’]s) (?P<measure>[a-z][\w-]*(?: [a-z][\w-]*){{0,3}}?)"
    r"(?= (?:in|for|during|to|as of|came|was|were|is|are|did|does) |[,?]|\Z)"
)
LONGEST = 6  # words of a measure that is put behind its owner


def owned(question: ParsedQuestion, entity: str) -> Iterator[tuple[Edit, ...]]:
    """The edits that say the other way whose the thing asked for is; only for "what (who) is (was) ...?"."""
    text, (low, high) = question.text, question.body
    if question.wh not in ("what", "who") or text[question.to : question.aux[0]].strip().lower() != question.wh:
        return
    if text[question.aux[0] : question.aux[1]].lower() not in ("is", "are", "was", "were") or not nominal(question):
        return
    body = text[low:high]
    if (has := _OWNED.fullmatch(body)) and not _LOOSE.search(has["measure"]):
        own, measure = _same(has["name"], entity), has["measure"]
        # "Destiny's Child" and "Grey's Anatomy" are names of their own
        if (not own and measure[0].isupper()) or has["name"].rpartition(" ")[2].lower() in APOSTROPHES:
            return
        at = _BEFORE.search(measure)
        put = low + has.start("measure") + (at.start() if at else len(measure))
        cut = (low + 1, low + has.start("measure"), "the ")
        yield cut, (put, put, f" of {_lowered_the(has['name'])}")
    elif of := _OF.fullmatch(body):
        name, measure = of["name"], of["measure"]
        if name.endswith(("s", "S")) or len(measure.split()) > LONGEST or re.search(r"\b(?:of|in|for|and)\b", measure):
            return
        if _same(name, entity) or measure.rpartition(" ")[2] in OWNABLE:
            start = low + of.start("the")
            yield ((start, low + of.start("measure"), f"{_lowered_the(name)}'s "), (low + of.end("measure"), high, ""))


def inside(question: ParsedQuestion, entity: str) -> Iterator[tuple[Edit, ...]]:
    """The edits that make "the net sales of Apple Inc." of "Apple Inc.'s net sales" within a question."""
    for match in _INSIDE.finditer(question.text, question.start, question.end):
        name, measure = match["name"], match["measure"].split()
        head = {r.pos for r in wordnet.readings(measure[-1])}
        verbs = any({r.pos for r in wordnet.readings(word)} <= {"v", "r"} for word in measure)
        if "n" not in head or verbs or name.rpartition(" ")[2].lower() in APOSTROPHES or measure[0] in ("own", "of"):
            continue
        if not re.search(r"\b(?:first|second|third|fourth) (?:quarter|half)$|\byear$", match["measure"]):
            put = match.end("measure")
            yield (*match.span("own"), "the"), (put, put, f" of {_lowered_the(name)}")


def _same(name: str, entity: str) -> bool:
    return bool(entity) and name.lower().removeprefix("the ") == entity.lower().removeprefix("the ")


def _lowered_the(name: str) -> str:
    return "the " + name[4:] if name.startswith("The ") else name
