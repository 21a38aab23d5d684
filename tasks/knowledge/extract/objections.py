"""Why a model's triplet is not to be had: words that name nothing, or that no sentence could prove (quality.md)."""

import re

from rarefy.data_contracts.rows import Triplet
from rarefy.tasks.knowledge.extract.labels import MEASURES
from rarefy.tasks.knowledge.extract.locate import folded
from rarefy.tasks.knowledge.extract.stems import SMALL_WORDS, same
from rarefy.tasks.text.dates import NAME

LONG_NAME = 8  # words of an object: longer ones say something rather than name it
_LONGEST_OBJECT = 14
_LONGEST_NAME = 14  # words of a subject
_LONGEST_RELATION = 6  # asked for are 2 to 4

_SELF = re.compile(r"(?:we|us|our company|(?:the )?(?:company|registrant|corporation))", re.I)
_INSTITUTIONS = frozenset("agency association authority bank board commission committee council department".split())
_OURS = re.compile(r"(?:our|(?:the )?(?:company|registrant|corporation)[’']s) (?=\S)", re.I)
_ARTICLE = re.compile(r"^(?:the|a|an) ", re.I)
_POINTS = re.compile(
    r"(?:it|they|them|he|him|she|her|this|that|these|those|which|who|one|ones|each|both|others?|all|some|such|its|their"
    r"|his|same|former|latter|foregoing|following|above|below|here|there|thereof)"
)
_POINTS_AT = re.compile(r"(?:this|these|those|such|its|their|his|her|our|your|my|said) ", re.I)
_GENERIC = frozenset(
    """
    increase increases decrease decreases change changes growth decline amount amounts amounts period year years quarter
    month table item items section note notes company companies business businesses segment segments product products
    service services customer customers supplier suppliers employee employees management operation operations result
    results activity activities factor factors other others total totals subtotal net gross all various certain general
    consolidated aggregate average annual number percentage percent share portion part majority basis fiscal current
    prior following operating financial market markets price prices volume demand period-over-period document report
    """.split()
)
_DATED = re.compile(rf"\b(?:19|20)\d\d\b|\b{NAME} \d|\b(?:in|of|during) {NAME}\b|\bQ[1-4]\b|\bfiscal year\b")
# What stands in every document of its kind
_BOILERPLATE = re.compile(
    r"(?:the )?(?:SEC|(?:U\.S\. )?Securities and Exchange Commission|(?:Securities )?Exchange Act(?: of \d+)?"
    r"|Securities Act(?: of \d+)?|Sarbanes-Oxley.*|PCAOB|Public Company Accounting Oversight Board|Form \d+-\w+(?:/A)?"
    r"|(?:Annual|Quarterly) Reports?(?: on Form.*)?|Proxy Statement.*|EDGAR|Exhibit \d.*|(?:U\.S\. )?GAAP"
    r"|Table of Contents)",
    re.I,
)


# Words that speak to whoever reads by machine: they state no fact, whatever they say
def resolved(said: str, entity: str) -> str:
    """A subject or object without the quotes around it, "we" and "the Company" by the name of the document's entity."""
    plain = re.sub(r"\s+", " ", said).strip().strip("\"“”'‘’").strip().rstrip(";,")
    plain = re.sub(r"[®™©℠\u00ad\u200b]", "", plain)
    if entity and (_SELF.fullmatch(plain) or same(plain, entity) or plain.lower() == _in_short(entity)):
        return entity
    own = _OURS.match(plain) if entity else None
    return f"{entity} {plain[own.end() :]}" if own else plain


def _in_short(entity: str) -> str:
    """What minutes and regulations call the institution they are of: "the committee"."""
    last = entity.lower().rpartition(" ")[2]
    return f"the {last}" if last in _INSTITUTIONS else entity.lower()


def lowered(relation: str) -> str:
    """A relation in one line, not written as an identifier ("HAS_SEGMENT", "has-segment") nor in capitals."""
    plain = re.sub(r"[\s_]+", " ", relation).strip().strip("\"“”'‘’.,;:").strip()
    plain = re.sub(r"(?<=[a-z])(?=[A-Z][a-z])", " ", plain) if " " not in plain else plain
    first, _, rest = plain.partition(" ")
    if plain.isupper() or (first[:1].isupper() and first[1:].islower()):
        return plain.lower() if plain.isupper() else f"{first.lower()} {rest}".strip()
    return plain


def to_words(row: Triplet) -> str:
    """Why the words of a triplet name nothing, whatever stands in its sentence; "" where they do."""
    if not all(part.strip() for part in (row.subject, row.relation, row.object, row.source_sentence)):
        return "empty_part"
    for end in (row.subject, row.object):
        if _POINTS.fullmatch(_ARTICLE.sub("", end).lower()) or _POINTS_AT.match(end) or _SELF.fullmatch(end):
            return "unresolved_reference"
    if folded(row.subject).letters == folded(row.object).letters:
        return "subject_is_object"
    if not specific(row.subject):
        return "subject_not_specific"
    if len(row.subject.split()) > _LONGEST_NAME:
        return "subject_too_long"
    if len(row.object.split()) > _LONGEST_OBJECT:
        return "object_too_long"
    if _BOILERPLATE.fullmatch(row.subject) or _BOILERPLATE.fullmatch(row.object):
        return "boilerplate"
    if _DATED.search(row.relation):
        return "relation_with_a_date"
    if re.search(r"(?<!^)\b[A-Z][a-z]{2,}\b", row.relation):
        return "relation_with_a_name"
    return "relation_too_long" if len(row.relation.split()) > _LONGEST_RELATION else ""


def specific(name: str) -> bool:
    """Whether a name has a word that is more than a measure or a kind of thing."""
    words = [w for w in re.findall(r"[^\W_][\w&.’'-]*", name) if w.lower() not in SMALL_WORDS]
    return any(w.lower() not in _GENERIC and w.lower() not in MEASURES for w in words)
