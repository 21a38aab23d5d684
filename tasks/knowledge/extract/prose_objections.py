"""Knows why a clause that reads like a claim may not stand: torn lists, amounts without their context, lost words."""

import re
from typing import TYPE_CHECKING

from rarefy.tasks.knowledge.extract.prose_phrases import named
from rarefy.tasks.knowledge.extract.prose_values import several
from rarefy.tasks.knowledge.extract.prose_verbs import members

if TYPE_CHECKING:
    from spacy.tokens import Doc, Token

# What may follow a count that is meant whole: "in Mexico" would make it a count of fewer.
_END_OF_COUNT = re.compile(
    r"(?: worldwide| globally| around the world| throughout the world| in total| as of\b[^.;]*)?[.,;]"
)
_MOVES = frozenset(
    "be rise fall increase decrease decline edge drop climb jump move grow expand total average stand remain".split()
)


def trouble_with_level(text: str, end: int, when: str, thing: "Token", verb: "Token", relation: list[str]) -> str:
    """Why a percentage is not all that is said of an economic measure at one time."""
    if not when:
        return "amount_without_one_period"
    if verb.lemma_.lower() not in _MOVES or len(relation) > 3:
        return "amount_out_of_context"
    if several(text, "percent"):
        return "several_amounts"
    if re.match(
        r"(?:age)? ?(?:points?\b|of\b|for\b|from\b|above\b|below\b|more\b|less\b|or\b|annual\b|pace\b)",
        text[end:].lstrip(),
    ):
        return "restricted_amount"
    return ""


def holds_for(doc: "Doc", at: int, verb: "Token") -> bool:
    """Whether the time that starts at this character is said of this verb, not of a clause within or around it."""
    token = next((token for token in doc if token.idx <= at < token.idx + len(token)), None)
    for _ in range(12):
        if token is None or token.head.i == token.i:
            break
        token = token.head
        if token.pos_ in ("VERB", "AUX") or any(
            child.dep_ in ("cop", "nsubj", "nsubj:pass") for child in token.children
        ):
            break
    if token is None or token.i == verb.i:
        return token is not None
    # a time before two verbs joined by "and" is said of both, one after the first is said of that
    return token.i == verb.head.i and (verb.dep_ == "xcomp" or (verb.dep_ == "conj" and at < token.idx))


def trouble_with_list(thing: "Token") -> str:
    """Two names of which only the first has an article, or one ends in a common noun, may be one name torn apart."""
    first = thing.head if thing.dep_ == "conj" else thing
    both = members(first)
    if thing.i != first.i and not all(named(member) for member in both):
        return "torn_list"
    if len({member.text[0].isupper() for member in both}) > 1:
        return "torn_list"
    if any(member.lower_ in ("act", "acts", "code", "law") and not _has_article(member) for member in both[1:]):
        return "torn_list"
    if len(both) != 2:
        return ""
    articles = [_has_article(member) for member in both]
    if articles == [True, False]:
        return "torn_list"
    return ""


def _has_article(noun: "Token") -> bool:
    return any(child.dep_ == "det" for child in noun.children)


def trouble_with_value(
    doc: "Doc", kind: str, end: int, said: list[str], when: str, thing: "Token", verb: "Token"
) -> str:
    """Why an amount is not to be had: of what or when is not said, or it is one of several."""
    if kind in ("MONEY", "PERCENT"):
        if len(said) != 1 or not when:
            return "amount_without_one_period"
        if kind == "PERCENT":
            return "percentage_of_what"
        if re.match(r" (?:more|less|higher|lower|greater|of|for|to|from)\b", doc.text[end:]):
            return "restricted_amount"
        if verb.i == thing.i or verb.lemma_.lower() == "total":
            return ""
        return "amount_out_of_context"
    if kind == "NUMBER" and thing.dep_ not in ("obj", "nummod"):
        return "amount_out_of_context"
    if not _END_OF_COUNT.match(doc.text, end) or re.search(r"shares$", doc.text[:end]):
        return "restricted_amount"
    if any(child.dep_ == "conj" for child in thing.children) or thing.dep_ == "conj":
        return "several_amounts"
    return ""


def trouble_with_words(relation: list[str]) -> str:
    short = shorten(relation).split()
    if short[-2:] in (
        ["acquired", "from"],
        ["purchased", "from"],
        ["sold", "to"],
        ["received", "from"],
        ["bought", "from"],
        ["submit", "to"],
    ):
        return "object_lost"
    if short[:2] in (["entered", "with"], ["entered", "in"], ["entered", "under"]) or short == ["entered"]:
        return "preposition_lost"
    if len(short) > 4:
        return "relation_too_long"
    if any(not re.fullmatch(r"[a-z’'-]+", word) for word in short):
        return "relation_with_a_name"
    return ""


def shorten(relation: list[str]) -> str:
    """Up to four words: "has entered into agreement with" loses its auxiliary."""
    if len(relation) > 4 and relation[0] in ("has", "have", "had") and relation[1].endswith("ed"):
        relation = relation[1:]
    return " ".join(relation)
