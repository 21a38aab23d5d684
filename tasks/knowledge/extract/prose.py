"""Triplets from prose: what a few sure forms of sentences say of the company that a document is about (RARE §3.2)."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from rarefy.data_contracts.rows import Chunk, Document, Triplet, row_id
from rarefy.tasks.knowledge.extract.periods import year_of_report
from rarefy.tasks.knowledge.extract.values import Value, find_period, find_value_at
from rarefy.tasks.text.dates import NAME as MONTH
from rarefy.tasks.text.names import FORM, without_form
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
OTHER_SPEAKER = re.compile(
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
class ProseSentence:
    """A sentence `text[start:end]` of a chunk; `objection` says why it claims nothing, "" where it may."""

    start: int
    end: int
    text: str
    objection: str


def prose_sentences(text: str) -> Iterator[ProseSentence]:
    """The sentences of a chunk that name something; tables and headings are left out."""
    at = 0
    for line in _paragraphs(text):
        start, at = at, at + len(line)
        plain = line.strip()
        if not plain or plain[0] in "|#>" or OTHER_SPEAKER.search(plain):
            continue
        for first, last in sentences(line):
            mark = _LIST_MARK.match(line, first, last)
            first = mark.end() if mark else first
            heading = _RUN_IN.match(line, first, last)
            first = heading.end() if heading else first
            words = line[first:last].replace("\n", " ")
            if _ENDS.search(words) and _WORDS[0] <= len(_WORD.findall(words)) <= _WORDS[1] and _SUBSTANCE.search(words):
                objection = next((reason for reason, pattern in _NO_CLAIM if pattern.search(words)), "")
                yield ProseSentence(start + first, start + last, words, objection)


def _paragraphs(text: str) -> list[str]:
    """The text cut after each line, but for lines that go on a sentence of the line before."""
    return re.findall(r"[^\n]*(?:\n(?=[a-z(])[^\n]*)*\n*", text)


_PROPER = r"(?:[A-Z]|\d+[A-Z])[\w&.’'-]*"
NAME = rf"{_PROPER}(?: (?:{_PROPER}|\d+\b|of(?= [A-Z])|&|de))*(?:,? {FORM})?"
_GOES_ON = r"and|in|on|for|to|from|during|at|through|including|as|by|with|within|under|a|an|which|into|effective"
# Here the name ends, neither torn nor somebody whose something is meant
_END = rf"(?<![’']s)(?=[.,;)]|$| ?\(| (?:{_GOES_ON})\b)"
_SHARES = (
    r"(?:all (?:of )?(?:the |its )?(?:issued |and |outstanding )*(?:shares|(?:capital |common )?stock|equity"
    r"|membership interests) (?:of|in) |100% of |privately[- ]held |[A-Z]\w+-based )*"
)
_CHIEF = r"(?P<office>Chief [A-Z]\w+(?: (?:and )?[A-Z]\w+)? Officer|General Counsel)"
_PERSON = r"(?:(?:Dr|Mr|Ms|Mrs)\. )?[A-Z][\w’'-]+(?: [A-Z]\.)?(?: [A-Z][\w’'-]+){1,2}(?:,? (?:Jr|Sr|II|III)\.?)?"
_TITLE = re.compile(r"\b(?:President|Officer|Director|Chair|Counsel|Secretary|Treasurer|Controller|Partner)|^(?:Mr|Ms)")
_NO_COMPANY = re.compile(
    r"(?:Class|Series|Treasury|Property|Common|Company|Corporation|Note|Item|Part|Our|The|This|We|Fiscal|Level)\b"
    rf"|(?:{MONTH})\b|[A-Z]{{1,3}}s?$|.*\b(?:Notes?|Plan|Agreement|Act|Stock|Shares|IPR&D|Date)$"
)
_PAST_OFFICE = re.compile(
    r"\b(?:former\w*|retire\w*|resign\w*|until|previous\w*|step\w* down|successor|interim|died|depart\w*)\b", re.I
)
_CAREER = re.compile(r"\b(?:He|She|Mr\.|Ms\.|Mrs\.|Dr\.|joined|served|employed by|formerly|former)(?!\w)")
_END_OF_COUNT = re.compile(
    r"(?: worldwide| globally| around the world| in total| on a full-time basis"
    r"| (?:in|across) (?:over |more than |approximately )?\d+ countries| (?:as of|at)\b[^.;]*)*[.,;]"
)
_ALL_PEOPLE = re.compile(r"\d (?:(?:full[- ]time|part[- ]time|active|regular|equivalent|and|people|persons) ?)*\w*$")
_STORES = re.compile(r"stores|restaurants|branches|locations|hotels|stations")
_PEOPLE = frozenset("people persons employees associates teammates colleagues members".split())


@dataclass(frozen=True, slots=True)
class ProseClaim:
    """What a form of sentence says, not yet tied to its chunk, with the words that answer a question about it."""

    subject: str
    relation: str
    object: str
    answer: str
    types: tuple[str, str]
    value: Value | None = None
    dated: bool = True  # the sentence's time is the fact's; else it holds in the year of the report
    objection: str = ""


def claims(text: str, entity: str) -> Iterator[ProseClaim]:
    """What the forms find in a sentence of a document that is about this company."""
    names = "|".join(re.escape(name) for name in sorted({entity, re.sub("^The ", "", entity), without_form(entity)}))
    us = rf"\b(?:[Ww]e|[Tt]he (?:Company|Registrant|Corporation)|(?:The |the )?(?:{names}))"
    yield from _acquisitions(text, us, entity)
    for match in re.finditer(
        rf"(?P<whose>\b(?:[Oo]ur|[Tt]he Company[’']s) (?:direct |indirect )?(?:wholly|majority)[- ]owned (?:\w+ )?"
        rf"subsidiary), (?P<sub>{NAME})(?=[,.; ])|(?P<of>{NAME})(?: \([^)]*\))?, (?:our|a|the Company[’']s) (?:direct "
        r"|indirect )?(?:wholly|majority)[- ]owned subsidiary(?: of (?:the Company|ours))?(?=[,.;)])",
        text,
    ):
        objection = "owner_not_said" if _CAREER.search(text) else ""
        if match["whose"] or "our" in match[0] or "Company" in match[0]:
            name = _tidy(match["sub"] or match["of"])
            objection = objection or _name_objection(name)
            yield ProseClaim(name, "is subsidiary of", entity, name, ("ORG", "ORG"), dated=False, objection=objection)
    owned = r"(?:owns?|has|have|holds?) (?:an? )?\d{1,2}(?:\.\d+)?% (?:[a-z]+ ){0,3}interest in (?:the )?"
    for match in re.finditer(rf"{us} {owned}(?P<what>{NAME}){_END}", text):
        what = _tidy(match["what"])
        yield ProseClaim(
            entity, "owns interest in", what, what, ("ORG", "TEXT"), dated=False, objection=_name_objection(what)
        )
    for match in re.finditer(rf"{us} (?:directly )?(?P<verb>had|employed|operated) (?P<count>(?=[a-z ]*\d))", text):
        yield from _counts(text, match, entity)
    for pattern in (rf"(?P<who>{_PERSON}), (?:our|the Company[’']s|the Registrant[’']s) {_CHIEF}(?=[,.;]| and )",
                    rf"\b[Oo]ur {_CHIEF}, (?P<who>{_PERSON})(?=[,.;])"):  # fmt: skip
        for match in re.finditer(pattern, text):
            objection = "past_office" if _PAST_OFFICE.search(text) else ""
            if not _TITLE.search(match["who"]):
                yield ProseClaim(
                    match["who"], f"{match['office'].lower()} of", entity, match["who"], ("PERSON", "ORG"),
                    objection=objection,
                )  # fmt: skip


def _acquisitions(text: str, us: str, entity: str) -> Iterator[ProseClaim]:
    patterns = (
        rf"(?:{us}|[Tt]he [A-Z][\w.& ]* segment)(?: have| has)?(?: also)? (?:acquired|purchased"
        rf"|completed (?:the|our|its)(?: previously announced)? acquisition of) {_SHARES}(?P<what>{NAME}){_END}",
        rf"(?:^|, |\()(?P<what>{NAME}) was acquired by {us}\b",
    )
    for match in (found for pattern in patterns for found in re.finditer(pattern, text)):
        if _NO_COMPANY.match(match["what"]):
            continue
        name = _tidy(match["what"])
        yield ProseClaim(name, "was acquired by", entity, name, ("ORG", "ORG"), objection=_name_objection(name))


def _counts(text: str, match: re.Match[str], entity: str) -> Iterator[ProseClaim]:
    digit = re.compile(r"\d").search(text, match.start("count"))
    value = find_value_at(text, digit.start(), digit.end()) if digit else None
    if value is None or value.type != "NUMBER" or value.start > match.start("count"):
        return
    if people := value.unit in _PEOPLE:
        whole = _ALL_PEOPLE.search(value.written)
    else:  # what else it "had" may be anything
        whole = _STORES.search(value.written) if match["verb"] == "operated" else None
    objection = "" if whole and _END_OF_COUNT.match(text, value.end) else "restricted_amount"
    relation = "employed" if people else match["verb"]
    yield ProseClaim(entity, relation, value.written, value.written, ("ORG", "NUMBER"), value, objection=objection)


def _tidy(name: str) -> str:
    """A name without the full stop of its sentence."""
    return name if re.search(rf"{FORM}$", name) else name.rstrip(".")


def _name_objection(name: str) -> str:
    return "not_a_name" if len(name) < 3 or _NO_COMPANY.match(name) else ""


def extract_prose(chunk: Chunk, document: Document) -> Iterator[Triplet]:
    """The claims of a text chunk's sentences about the document's company, each with its sentence or the reason."""
    if chunk.kind != "text" or not document.entity:
        return
    of_report = year_of_report(document)
    for sentence in prose_sentences(chunk.text):
        seen = set()
        when, _ = find_period(sentence.text)
        for claim in claims(sentence.text, document.entity):
            triplet = _to_triplet(chunk, document, sentence, claim, when if claim.dated else of_report)
            if triplet.triplet_id not in seen:
                seen.add(triplet.triplet_id)
                yield triplet


def _to_triplet(chunk: Chunk, document: Document, sentence: ProseSentence, claim: ProseClaim, when: str) -> Triplet:
    words = claim.subject, claim.relation, claim.object
    source = chunk.text[sentence.start : sentence.end]
    answer = claim.answer if claim.answer in source else ""
    fields = claim.value.fields() if claim.value else {"value": "", "unit": "", "scale": ""}
    return Triplet(
        triplet_id=row_id("prose", chunk.chunk_id, sentence.start, *words),
        chunk_id=chunk.chunk_id,
        doc_id=chunk.doc_id,
        start=sentence.start,
        end=sentence.end,
        subject=claim.subject,
        relation=claim.relation,
        object=claim.object,
        source_sentence=source,
        method="prose",
        subject_type=claim.types[0],
        object_type=claim.types[1],
        answer=answer,
        period=when,
        entity=document.entity,
        domain=document.domain,
        rejected_because=sentence.objection or claim.objection or ("" if answer else "torn_name"),
        value=fields["value"],
        unit=fields["unit"],
        scale=fields["scale"],
    )
