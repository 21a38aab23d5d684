"""Triplets from prose: claims of sentences by fixed wordings and by their grammar (issue stage 3c)."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from rarefy.data_contracts.rows import Chunk, Triplet, row_id
from rarefy.tasks.knowledge.extract.prose_clauses import ProseClaim, claims_by_grammar
from rarefy.tasks.knowledge.extract.prose_grammar import Name, Registrant
from rarefy.tasks.knowledge.extract.values import find_period, find_value_at, has_several
from rarefy.tasks.text.names import FORM
from rarefy.tasks.text.sentences import sentences

if TYPE_CHECKING:
    from spacy.language import Language
    from spacy.tokens import Doc


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


_NUMBERS = {word: n for n, word in enumerate("two three four five six seven eight nine ten".split(), 2)}
_SEGMENTS = re.compile(
    r"\b(?:(?P<count>two|three|four|five|six|seven|eight|nine|ten) )?(?:principal |primary |main )?"
    r"(?P<kind>reportable|operating|reporting|business)"
    r"(?: business| operating| reportable)? segments?(?P<join>,? which (?:are|include|consist of)| (?:are"
    r"|were|consists? of|consisted of|is comprised of"
    r"|are comprised of|comprise)| as follows|)(?P<colon>:?)[ ,—–-]*(?P<list>[^.]+)\.?$"
)
_PERSON = r"(?:(?:Dr|Mr|Ms|Mrs)\. )?[A-Z][\w’'-]+(?: [A-Z]\.)?(?: [A-Z][\w’'-]+){1,2}(?:,? (?:Jr|Sr|II|III)\.?)?"
_CHIEF = r"(?:Chief [A-Z]\w+(?: (?:and )?[A-Z]\w+)? Officer|General Counsel|Chairman of the Board|Treasurer|Controller)"
_OFFICE = rf"(?P<office>(?:[A-Z][\w-]+(?: and| &|,)? ){{0,5}}?{_CHIEF})"
_OFFICERS = (
    re.compile(
        rf"(?P<who>{_PERSON}), (?:our|the Company[’']s|the Registrant[’']s) (?:[a-z-]+ )?{_OFFICE}(?=[,.;]| and )"
    ),
    re.compile(rf"\b[Oo]ur {_OFFICE}, (?P<who>{_PERSON})(?=[,.;])"),
)
_TITLE = re.compile(r"\b(?:President|Officer|Director|Chair|Counsel|Secretary|Treasurer|Controller|Partner)")
_ORGANISATION = rf"[A-Z][\w&.’'-]*(?: (?:[A-Z][\w&.’'-]*|of|&|de))*(?:,? {FORM})?"
_SUBSIDIARY = re.compile(
    rf"(?P<sub>{_ORGANISATION})(?: \([^)]*\))?, (?:a|our|the Company[’']s) (?:\w+ )?(?:direct |indirect )?"
    rf"(?:wholly[- ]owned |majority[- ]owned )?"
    rf"subsidiary(?: of (?P<owner>the Company|ours|{_ORGANISATION}))?(?=[,.;)])"
)
_OUR_SUBSIDIARY = re.compile(
    rf"\b(?:our|the Company[’']s) (?:direct |indirect )?(?:wholly[- ]owned |majority[- ]owned )(?:\w+"
    rf" )?subsidiary, (?P<sub>{_ORGANISATION})(?=[,.; ])"
)
_HEADQUARTERS = re.compile(
    r"\b(?:[Oo]ur|[Tt]he Company[’']s) (?:corporate |global |world |worldwide |principal |executive "
    r"|current )*(?:headquarters|executive offices)"
    r"(?: and [a-z ]+)? (?:is|are) (?:currently )?located (?:in|at) (?:[^,]*\d[^,]*, )?"
    r"(?P<place>[A-Z][\w.’-]+(?: [A-Z][\w.’-]+)*(?:, [A-Z][\w.]+(?: [A-Z][\w.]+)?)?)"
)
_ACQUIRED = re.compile(
    rf"\b(?:acquired|completed (?:the|our|its) acquisition of|purchased) (?:all (?:of )?the (?:outstanding "
    rf"|issued )?(?:shares|stock|equity) of |100% of )?(?P<what>{_ORGANISATION})"
    r"(?P<between>(?:(?!\b(?:and|which|shares|interest|stake)\b)[^.$€£]){0,60}?) for (?:a |an )?(?:total "
    r"|aggregate |net |initial )?"
    r"(?:cash )?(?:purchase price |consideration |price |cash consideration )?(?:of )?(?P<price>"
    r"(?:approximately |about )?[$€£])"
)
_ROLE = re.compile(
    r"\b(?:[Oo]ur|[Tt]he Company[’']s|[Ww]e (?:utilize|use|rely on|work with|contract with|sell to"
    r"|supply))\b(?P<between>[^.;:]{0,60}?)"
    r"(?P<role>suppliers|foundries|foundry|contract manufacturers|competitors|customers|distributors|brands)"
    r"(?:,? (?:such as|including)| include|,? which include| are) (?P<list>[A-Z][^.;:]*)"
)
_RELATIONS = {
    "competitors": "competes with",
    "foundries": "uses foundry",
    "foundry": "uses foundry",
    "contract manufacturers": "uses manufacturer",
}
_UNSURE = re.compile(r"\b(?:may|might|could|would|potential|former|other|not|no longer|some|certain|new|future|of)\b")
_TARGET = re.compile(
    r"\b(?P<verb>keep|maintain|raise|lower|increase|reduce)(?:ing)? (?:its|the) target(?: range)? for the"
    r" federal funds rate"
    r"(?: by [\w/ -]+? (?:basis|percentage) points?)?,? (?P<join>at|to|of) (?P<value>[\d/-]+(?: to [\d/-]+)? percent)"
)
_DID = dict(
    pair.split(":")
    for pair in "keep:kept maintain:kept raise:raised lower:lowered increase:raised reduce:lowered".split()
)
_NO_FIRST_WORDS = frozenset("the our this company we in on as a".split())
_MENTION = re.compile(r"\b(?:[Ww]e|[Oo]ur|us|[Tt]he (?:Company|Registrant|Corporation))\b")


def claims_by_wording(text: str, registrant: Registrant) -> Iterator[ProseClaim]:
    """Claims of a sentence by fixed wordings: officers, segments, subsidiaries, headquarters, prices paid."""
    if registrant.name and _mentions(text, registrant):
        us = Name(registrant.name, registrant.name, "ORG")
        yield from _segment_claims(text, us)
        for pattern in _OFFICERS:
            for match in pattern.finditer(text):
                office = re.search(_CHIEF, match["office"])
                # "our Chief Operating Officer, Executive Vice President" names nobody
                if office and not _TITLE.search(match["who"]):
                    yield ProseClaim(
                        _make_name(match["who"], "PERSON"), f"{office[0].lower()} of", us, find_period(text)[0]
                    )
        for match in _OUR_SUBSIDIARY.finditer(text):
            yield ProseClaim(_make_name(match["sub"], "ORG"), "is subsidiary of", us)
        for match in _ROLE.finditer(text):
            if _UNSURE.search(match["between"]):
                continue
            relation = _RELATIONS.get(match["role"], f"has {match['role'].removesuffix('s')}")
            for name in _leading_names(match["list"]):
                yield ProseClaim(us, relation, _make_name(name, "BRAND" if match["role"] == "brands" else "ORG"))
        for match in _HEADQUARTERS.finditer(text):
            yield ProseClaim(us, "is headquartered in", _make_name(match["place"].rstrip("."), "GPE"))
        for match in _TARGET.finditer(text) if registrant.domain == "economics" else ():
            if re.search(r"\b(?:decided|voted|agreed)\b", text[: match.start()]):
                relation = f"{_DID[match['verb']]} target rate {match['join']}".replace(" of", " at")
                yield ProseClaim(us, relation, Name(match["value"], match["value"], "PERCENT"), find_period(text)[0])
    for match in _SUBSIDIARY.finditer(text):
        ours = match["owner"] in (None, "the Company", "ours")
        if (ours and not registrant.name) or not _is_usable_name(match["sub"]):
            continue
        owner = Name(registrant.name, match["owner"] or "", "ORG") if ours else _make_name(match["owner"], "ORG")
        yield ProseClaim(
            _make_name(match["sub"], "ORG"),
            "is subsidiary of",
            owner,
            objection="" if match["owner"] or "our" in match[0] else "owner_not_said",
        )
    for match in _ACQUIRED.finditer(text):
        value = find_value_at(text, match.start("price"), match.start("price") + 1)
        if value is not None and not has_several(text, "money") and _is_usable_name(match["what"]):
            price = Name(value.written, value.written, value.type)
            yield ProseClaim(
                _make_name(match["what"], "ORG"), "was acquired for", price, find_period(text)[0], value.fields()
            )


def _mentions(text: str, registrant: Registrant) -> bool:
    folded = text.casefold()
    names = (*(form for form in registrant.short if len(form) > 3), *(f"the {kind}" for kind in registrant.kind))
    return bool(_MENTION.search(text)) or any(form in folded for form in names)


def _make_name(text: str, kind: str) -> Name:
    return Name(re.sub(r"^The ", "", text.strip()), text.strip(), kind)


def _is_usable_name(text: str) -> bool:
    first = text.split()[0].lower() if len(text) > 2 else ""
    return len(text) > 2 and not text.startswith(("Int’l", "Int'l")) and first not in _NO_FIRST_WORDS


def _segment_claims(text: str, us: Name) -> Iterator[ProseClaim]:
    match = _SEGMENTS.search(text)
    if match is None or not (match["join"] or match["colon"] or match["count"]):
        return
    kind = "operating" if match["kind"] == "operating" else "business" if match["kind"] == "business" else "reportable"
    parts = _split_list(match["list"])
    count = _NUMBERS.get(match["count"] or "")
    objection = ""
    if (count is not None and count != len(parts)) or (count is None and not match["colon"] and not match["join"]):
        objection = "list_of_other_length"
    if any(not re.fullmatch(r"[A-Z][^:;()|]{1,60}", part) or len(part.split()) > 8 for part in parts) or len(parts) < 2:
        objection = "not_a_list_of_names"
    for part in parts:
        yield ProseClaim(us, f"has {kind} segment", Name(part, part, "SEGMENT", objection), objection=objection)


def _split_list(text: str) -> list[str]:
    """The members of a list: by semicolons or numbers where it has them, else by commas and its last "and"."""
    text = re.sub(r"^(?:the following|as follows)[:,]? ?", "", text.strip())
    if re.search(r"\((?:\d|[ivx]+|[a-e])\) ", text):
        parts = re.split(r"[,;]? ?(?:and )?\((?:\d|[ivx]+|[a-e])\) ", text)
    elif ";" in text:
        parts = re.split(r"; ?(?:and )?", text)
    else:
        parts = [piece.removeprefix("and ") for piece in text.split(", ")]
        if not text.rpartition(", ")[2].startswith("and ") and " and " in parts[-1]:
            parts[-1:] = parts[-1].split(" and ", 1)
    return [re.sub(r"^(?:the|our) ", "", part.strip(' ,;.“”"')) for part in parts if part.strip(" ,;.")]


def _leading_names(text: str) -> list[str]:
    """The names with which a list begins, up to the first member that is no name."""
    names: list[str] = []
    text = re.sub(r" ?\([^)]*\)|[“”\"®™]", "", text)
    text = re.sub(r",? or [A-Z][\w-]*(?=,)", "", text)  # "Advanced Micro Devices, or AMD,"
    text = re.sub(rf",(?= {FORM})", "\0", text)
    for part in re.split(r", (?:and )?| and ", text):
        name = part.replace("\0", ",").strip(" ,")
        if not re.fullmatch(_ORGANISATION, name) or len(name.split()) > 7 or not _is_usable_name(name):
            break
        names.append(name)
    return names


# Relations that may describe a thing in a multi-hop question, or lead to one (RARE R19 step 2). By what else sentences
# say ("is investing in Reels") nobody would know their subject again; places and suppliers single nobody out.
_LINKS = frozenset(
    "acquired|completed acquisition of|completed divestiture of|has subsidiary|is subsidiary of|was acquired by"
    "|was founded by".split("|")
)
_SINGLE_OFFICE = re.compile(r"chief [a-z, ]+ officer of|general counsel of")


def is_link(triplet: Triplet) -> bool:
    """Whether a prose triplet may be an edge of a multi-hop pattern; others are kept for single facts."""
    if _SINGLE_OFFICE.fullmatch(triplet.relation):
        return triplet.subject_type == "PERSON" and not re.search(r"officer|president", triplet.subject, re.I)
    return triplet.relation in _LINKS and triplet.subject == (triplet.entity or triplet.subject)


def extract_prose(chunk: Chunk, document_entity: str, nlp: "Language") -> Iterator[Triplet]:
    """The claims of a text chunk's sentences, each with its sentence; those that may not stand carry their reason.

    "We" and "the Company" are `document_entity`; where that is empty, claims about them are left out.
    """
    if chunk.kind != "text":
        return
    registrant = Registrant(document_entity, chunk.domain)
    sentences = list(prose_sentences(chunk.text))
    for sentence, doc in zip(sentences, nlp.pipe(_parse_as_one_sentence(nlp, s.text) for s in sentences), strict=True):
        seen = set()
        for claim in (*claims_by_wording(sentence.text, registrant), *claims_by_grammar(doc, registrant)):
            triplet = _to_triplet(chunk, sentence, _expand_names(claim, chunk.text))
            if triplet.triplet_id not in seen:
                seen.add(triplet.triplet_id)
                yield triplet


def _expand_names(claim: ProseClaim, text: str) -> ProseClaim:
    subject, thing = _expand_title(claim.subject, text), _expand_title(claim.object, text)
    return replace(
        claim, subject=subject, object=thing, objection=claim.objection or subject.objection or thing.objection
    )


def _expand_title(name: Name, text: str) -> Name:
    """ "Mr. Cook" with the full name that the chunk gives elsewhere, if it gives one."""
    title = re.fullmatch(r"(?:Mr|Ms|Mrs|Dr|Messrs|Governor|Chairman)\.? ([A-Z][\w’'-]+)", name.text)
    if title is None:
        return name
    pattern = rf"\b((?!(?:Mr|Ms|Mrs|Dr)\b)[A-Z][\w’-]+(?: [A-Z]\.)?(?: [A-Z][\w’-]+)? {re.escape(title[1])})\b"
    no_name = re.compile(r"(?:Mr|Ms|Mrs|Dr|Since|In|On|From|When|While|As|And|With|Both)\b")
    full_names = {full for full in re.findall(pattern, text) if not no_name.match(full)}
    if len(full_names) != 1:
        return replace(name, type="PERSON", objection="surname_alone")
    return replace(name, text=full_names.pop(), type="PERSON")


def _parse_as_one_sentence(nlp: "Language", text: str) -> "Doc":
    """The sentence's words, marked as one sentence so that the parser does not cut it."""
    doc = nlp.make_doc(text)
    for token in doc:
        token.is_sent_start = token.i == 0
    return doc


def _to_triplet(chunk: Chunk, sentence: ProseSentence, claim: ProseClaim) -> Triplet:
    words = claim.subject.text, claim.relation, claim.object.text
    source = chunk.text[sentence.start : sentence.end]
    return Triplet(
        triplet_id=row_id("prose", chunk.chunk_id, sentence.start, *words),
        chunk_id=chunk.chunk_id,
        doc_id=chunk.doc_id,
        start=sentence.start,
        end=sentence.end,
        subject=claim.subject.text,
        relation=claim.relation,
        object=claim.object.text,
        source_sentence=source,
        method="prose",
        subject_type=claim.subject.type,
        object_type=claim.object.type,
        answer=claim.object.written if claim.object.written in source else "",
        period=claim.period,
        entity=chunk.entity,
        domain=chunk.domain,
        rejected_because=sentence.objection or claim.objection,
        value=claim.fields.get("value", ""),
        unit=claim.fields.get("unit", ""),
        scale=claim.fields.get("scale", ""),
    )
