"""Triplets from prose: what sentences claim of named things, by patterns over their dependencies (issue stage 3c)."""

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from rarefy.data_contracts.rows import Chunk, Triplet, row_id
from rarefy.tasks.knowledge.extract.prose_clauses import Claim, clauses
from rarefy.tasks.knowledge.extract.prose_names import Name, Registrant
from rarefy.tasks.knowledge.extract.prose_patterns import patterns
from rarefy.tasks.knowledge.extract.prose_sentences import Passage, passages

if TYPE_CHECKING:
    from spacy.language import Language
    from spacy.tokens import Doc


def prose(chunk: Chunk, document_entity: str, nlp: "Language") -> Iterator[Triplet]:
    """The claims of a text chunk's sentences, each with its sentence; those that may not stand carry their reason.

    "We" and "the Company" are `document_entity`; where that is empty, what is said of them is left out.
    """
    if chunk.kind != "text":
        return
    registrant = Registrant(document_entity, chunk.domain)
    sentences = list(passages(chunk.text))
    for sentence, doc in zip(sentences, nlp.pipe(_whole(nlp, s.text) for s in sentences), strict=True):
        seen = set()
        for claim in (*patterns(sentence.text, registrant), *clauses(doc, registrant)):
            triplet = _triplet(chunk, sentence, _in_full_of(claim, chunk.text))
            if triplet.triplet_id not in seen:
                seen.add(triplet.triplet_id)
                yield triplet


def _in_full_of(claim: Claim, text: str) -> Claim:
    subject, thing = _in_full(claim.subject, text), _in_full(claim.object, text)
    return replace(claim, subject=subject, object=thing, trouble=claim.trouble or subject.trouble or thing.trouble)


def _in_full(name: Name, text: str) -> Name:
    """ "Mr. Cook" by the name that the chunk gives him elsewhere, if it gives him one."""
    title = re.fullmatch(r"(?:Mr|Ms|Mrs|Dr|Messrs|Governor|Chairman)\.? ([A-Z][\w’'-]+)", name.text)
    if title is None:
        return name
    full = set(
        re.findall(
            rf"\b((?!(?:Mr|Ms|Mrs|Dr)\b)[A-Z][\w’-]+(?: [A-Z]\.)?(?: [A-Z][\w’-]+)? {re.escape(title[1])})\b", text
        )
    )
    full = {
        found
        for found in full
        if not re.match(r"(?:Mr|Ms|Mrs|Dr|Since|In|On|From|When|While|As|And|With|Both)\b", found)
    }
    if len(full) != 1:
        return Name(name.text, name.said, "PERSON", "surname_alone")
    return Name(full.pop(), name.said, "PERSON", name.trouble)


def _whole(nlp: "Language", text: str) -> "Doc":
    """The sentence's words, marked as one sentence so that the parser does not cut it."""
    doc = nlp.make_doc(text)
    for token in doc:
        token.is_sent_start = token.i == 0
    return doc


def _triplet(chunk: Chunk, sentence: Passage, claim: Claim) -> Triplet:
    trouble = sentence.trouble or claim.trouble
    return Triplet(
        triplet_id=row_id(
            "prose", chunk.chunk_id, sentence.start, claim.subject.text, claim.relation, claim.object.text
        ),
        chunk_id=chunk.chunk_id,
        doc_id=chunk.doc_id,
        start=sentence.start,
        end=sentence.end,
        subject=claim.subject.text,
        relation=claim.relation,
        object=claim.object.text,
        source_sentence=chunk.text[sentence.start : sentence.end],
        method="prose",
        subject_type=claim.subject.type,
        object_type=claim.object.type,
        answer=claim.object.said if claim.object.said in chunk.text[sentence.start : sentence.end] else "",
        period=claim.period,
        entity=chunk.entity,
        domain=chunk.domain,
        rejected_because=trouble,
        value=claim.fields.get("value", ""),
        unit=claim.fields.get("unit", ""),
        scale=claim.fields.get("scale", ""),
    )
