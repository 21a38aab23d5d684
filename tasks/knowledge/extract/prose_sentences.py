"""Knows which stretches of a chunk are prose sentences worth parsing, and which sentences claim nothing."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from rarefy.tasks.text.sentences import sentences

_LIST_MARK = re.compile(r"\s*(?:[-*•●▪–—·]\s+|\((?:[a-z]|\d{1,2}|[ivx]+)\)\s+|\d{1,2}[.)]\s+)")
# "Interest Rate Risk: At …", "Aveda - We acquired …": a heading on the line of its text.
_RUN_IN = re.compile(
    r"(?![^.:;!?]*\b(?:[Ww]e|[Oo]ur|us|are|is|was|were|has|have|had|includes?|following|segments|follows)\b)"
    r"[“\"]?[A-Z][^.:;!?]{0,60}?(?::| [-–—]) +(?=[A-Z])",
)
_ENDS = re.compile(r"[.;:!][)”\"’']*$")
_WORDS = (4, 75)  # shorter ones are headings, longer ones are parsed wrongly too often

# Somebody else than the registrant says "we" here, or a form speaks.
FOREIGN = re.compile(
    r"\b(?:[Ww]e (?:have (?:also )?audited|conducted our audits?|also have audited)|[Oo]ur audits? "
    r"(?:included|provide|of)"
    r"|[Oo]ur responsibility is to express|I, [A-Z][\w. ]+, certify|the undersigned|IN WITNESS WHEREOF)\b"
)
# Sentences about what may be, what is meant by a word, or where to read on.
_NO_CLAIM = (
    ("question", re.compile(r"\?[”\"’)]*$")),
    (
        "definition",
        re.compile(
            r"[“\"](?:we|us|our|the Company|Company)[,.]?[”\"]|\b(?:unless the context|as used (?:in this|herein))\b",
            re.I,
        ),
    ),
    (
        "cross_reference",
        re.compile(
            r"^\(?(?:See|Refer to|For (?:more|further|additional|a (?:full|further|more|detailed)))\b"
            r"|\bincorporated (?:herein )?by reference\b|\bis set forth\b|\bin this (?:Annual )?Report\b"
            r"|\bhereof\b|\bherein\b|\bhereby\b"
        ),
    ),
    ("forward_looking", re.compile(r"\bforward[- ]looking\b")),
    (
        "conditional",
        re.compile(
            r"\b(?:[Ii]f|[Uu]nless|[Ww]hether|[Aa]ssuming|[Ss]hould (?:we|any|the)|[Ii]n the event|hypothetical"
            r"(?:ly)?|[Pp]rovided that)\b"
        ),
    ),
    ("paired_list", re.compile(r"\brespectively\b")),
)
# Something that can stand in a triplet: a name inside the sentence, money, a number.
_SUBSTANCE = re.compile(r"(?<=[\w,;:)’”®™] )[“\"(]?[A-Z][\w&.-]*|(?<=[\w,] )[a-z]+[A-Z]\w+|[$€£]\s?\d|\d")
_WORD = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class Passage:
    """A sentence `text[start:end]` of a chunk, and why it claims nothing ("" where it may)."""

    start: int
    end: int
    text: str
    trouble: str


def passages(text: str) -> Iterator[Passage]:
    """The sentences of the chunk's prose that have something to name; tables and headings are passed over."""
    at = 0
    for line in _paragraphs(text):
        start, at = at, at + len(line)
        plain = line.strip()
        if not plain or plain[0] in "|#>" or FOREIGN.search(plain):
            continue
        for first, last in sentences(line):
            mark = _LIST_MARK.match(line, first, last)
            first = mark.end() if mark else first
            heading = _RUN_IN.match(line, first, last)
            first = heading.end() if heading else first
            said = line[first:last].replace("\n", " ")
            if _ENDS.search(said) and _WORDS[0] <= len(_WORD.findall(said)) <= _WORDS[1] and _SUBSTANCE.search(said):
                trouble = next((reason for reason, pattern in _NO_CLAIM if pattern.search(said)), "")
                yield Passage(start + first, start + last, said, trouble)


def _paragraphs(text: str) -> list[str]:
    """The text cut after each line, but for lines that go on a sentence of the line before."""
    return re.findall(r"[^\n]*(?:\n(?=[a-z(])[^\n]*)*\n*", text)
