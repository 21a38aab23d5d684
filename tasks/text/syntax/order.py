"""Phrases and clauses at the other end of their sentence (Magic Mushroom §3.2, the change of syntax)."""

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from rarefy.tasks.text.dates import NAME
from rarefy.tasks.text.syntax import tree
from rarefy.tasks.text.syntax.pieces import Piece, Rewrite

if TYPE_CHECKING:
    from spacy.tokens import Doc, Token

# a time, and nothing but a time
TIME = re.compile(
    rf"(?:(?i:in|during|at the end of|at|on|as of|as at|for|since|until|by|throughout|after|before)\s+)?"
    rf"(?:the\s+)?(?:(?:calendar|fiscal|financial)?\s*(?:years?\s+)?(?:19|20)\d\d|"
    rf"(?:early|mid|late)?[\s-]?{NAME}(?:\s+\d{{1,2}})?(?:,?\s+(?:19|20)\d\d)?,?|"
    rf"\d{{1,2}}\s+{NAME}(?:\s+(?:19|20)\d\d)?|"
    rf"(?:first|second|third|fourth|last)\s+(?:fiscal\s+)?(?:quarter|half)\s+of\s+(?:fiscal\s+(?:year\s+)?)?(?:19|20)\d\d|"
    rf"(?:(?:fiscal|financial)\s+)?years?\s+ended\s+{NAME}\s+\d{{1,2}},?\s+(?:19|20)\d\d|"
    r"(?:early|mid|late)?[\s-]?(?:19|20)\d0s)"
)
# clauses whose place says nothing; "as", "so" and "that" do many things, "since" is a time or a reason in either place
MARKS = frozenset("because although though if when after before unless once until".split())
# what compares two times, or counts from one, has its own time, and the other stays with its words
_COMPARING = frozenset(
    "compared versus vs than from since between prior previous previously earlier later through".split()
)
# what reaches over the part that moves: "did not fall because", "will only pay if"
_CLAIMED = frozenset("not n't never no only even just partly neither nor".split())
_TIED = frozenset("due payable ending ended beginning maturing expiring effective dated commencing and or".split())


def fronted(doc: "Doc") -> Iterator[Rewrite]:
    """Puts "Sales rose in 2024." as "In 2024, sales rose."; "X because Y." as "Because Y, X."."""
    verb, end = tree.root(doc), tree.closes(doc)
    if verb is None or end < 0 or not _may_turn(doc):
        return
    for part in verb.children:
        at = tree.span(part)
        if not at or at[1] != end or at[0] < 3:
            continue
        first = at[0] - 1 if doc[at[0] - 1].text == "," else at[0]
        time = part.dep_ in ("obl", "obl:tmod", "obl:unmarked") and _is_time(doc, at) and first == at[0]
        clause = part.dep_ == "advcl" and _is_clause(doc, part, at)
        if not (time or clause) or not _is_main(doc, verb, 0, first, time):
            continue
        if time and (doc[first - 1].lower_ in _TIED or doc[first - 1].pos_ in ("NUM", "ADP", "PUNCT")):
            continue
        if clause and any(t.lower_ in ("this", "these", "such") for t in doc[at[0] : at[1]]):
            continue
        if doc[first - 1].pos_ in ("ADV", "PART") or any(t.lower_ in _CLAIMED for t in doc[0:first]):
            continue
        pieces = (*tree.raised(doc, *at), ", ", *tree.lowered(doc, 0, first))
        yield Rewrite("fronted", tree.ended(doc, pieces, end))


def trailing(doc: "Doc") -> Iterator[Rewrite]:
    """Puts "In 2024, sales rose." as "Sales rose in 2024."; "Because Y, X." as "X because Y."."""
    verb, end = tree.root(doc), tree.closes(doc)
    if verb is None or end < 0 or not _may_turn(doc):
        return
    for part in verb.children:
        at = tree.span(part)
        if not at or at[0] != 0 or at[1] + 3 > end:
            continue
        comma = at[1] if doc[at[1]].text == "," else at[1] - 1
        if doc[comma].text != ",":
            continue
        inside = (0, comma)
        time = part.dep_ in ("obl", "obl:tmod", "obl:unmarked") and _is_time(doc, inside)
        clause = part.dep_ == "advcl" and _is_clause(doc, part, inside)
        if not (time or clause) or not _is_main(doc, verb, comma + 1, end, time):
            continue
        rest = doc[comma + 1 : end]
        # a pronoun would come to stand before what it means
        if clause and any(t.lower_ in tree.BOUND for t in rest):
            continue
        if time and not _takes_time(doc, comma + 1, end):
            continue
        gap = ", " if clause and doc[0].lower_ in ("although", "though") else " "
        if any(t.lower_ in _CLAIMED for t in rest):
            continue
        pieces = (*tree.raised(doc, comma + 1, end), gap, *tree.lowered(doc, *inside))
        yield Rewrite("trailing", tree.ended(doc, pieces, end))


def however(doc: "Doc") -> Iterator[Rewrite]:
    """Puts "However, sales rose." as "Sales, however, rose."."""
    verb = tree.root(doc)
    if verb is None or len(doc) < 5 or doc[0].text not in ("However", "Therefore", "Moreover") or doc[1].text != ",":
        return
    subject = tree.child(verb, "nsubj", "nsubj:pass")
    at = tree.span(subject) if subject is not None else None
    if (
        not at
        or subject is None
        or at[0] != 2
        or at[1] - at[0] > 6
        or subject.pos_ == "PRON"
        or doc[at[1]].pos_ not in ("VERB", "AUX")
    ):
        return
    pieces: tuple[Piece, ...] = (
        *tree.raised(doc, *at), f", {doc[0].lower_}, ", tree.kept(doc, at[1], len(doc)),
    )  # fmt: skip
    yield Rewrite("parenthesis", pieces)


def _may_turn(doc: "Doc") -> bool:
    return tree.plain(doc.text) and doc[len(doc) - 1].text == "."


def _is_time(doc: "Doc", at: tuple[int, int]) -> bool:
    text = doc[at[0] : at[1]].text
    return doc[at[0]].pos_ in ("ADP", "SCONJ") and TIME.fullmatch(text) is not None


def _is_clause(doc: "Doc", part: "Token", at: tuple[int, int]) -> bool:
    subject = tree.child(part, *tree.SUBJECTS)
    return (
        doc[at[0]].lower_ in MARKS
        and subject is not None
        and at[0] < subject.left_edge.i
        and any(t.tag_ in ("VBD", "VBZ", "VBP", "MD") for t in doc[at[0] : at[1]])
        and doc[at[0] + 1].lower_ not in ("of", "to", "and", "or")
    )


def _is_main(doc: "Doc", verb: "Token", first: int, end: int, time: bool) -> bool:
    """Is this one finite clause and no more, so that what moves can belong to nothing else in it?"""
    subject = tree.child(verb, *tree.SUBJECTS)
    if subject is None or subject.left_edge.i != first or verb.pos_ not in ("VERB", "NOUN", "ADJ", "AUX"):
        return False
    finite = [t for t in doc[first:end] if t.tag_ in ("VBD", "VBZ", "VBP", "MD")]
    others = [t for t in tree.verbs(doc, first, end) if t.i != verb.i and t.dep_ != "cop"]
    if len(finite) != 1 or others or any(t.dep_ == "conj" and t.pos_ in ("VERB", "AUX") for t in doc[first:end]):
        return False
    return doc[first].lower_ not in ("and", "but", "or", "nor", "yet", "which", "who")


def _takes_time(doc: "Doc", first: int, end: int) -> bool:
    """Can a time stand after these words and be read with their verb?"""
    words = doc[first:end]
    return (
        not any(t.lower_ in _COMPARING or t.lower_ in _TIED - {"and", "or"} for t in words)
        and not re.search(r"\b(?:19|20)\d\d\b|" + NAME, words.text)
        and "," not in words.text
        and doc[end - 1].pos_ != "NUM"
    )
