"""What the whole corpus says: who else has a fact, what else a fact's subject is said to be, where names stand."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from rarefy.data_contracts.rows import Chunk, Document, Span, Triplet


@dataclass(slots=True)
class Index:
    """Look-ups over every accepted triplet of a corpus, not only those on a path."""

    triplets: Mapping[str, Triplet]
    chunks: Mapping[str, Chunk]
    documents: Mapping[str, Document]
    subjects: dict[tuple[str, str], set[str]] = field(default_factory=dict)  # (relation, object) → subjects
    objects: dict[tuple[str, str], set[str]] = field(default_factory=dict)  # (subject, relation) → objects
    facts: dict[tuple[str, str], list[Triplet]] = field(default_factory=dict)  # (subject, relation) → triplets
    restated: dict[tuple[str, str, str], list[Triplet]] = field(default_factory=dict)  # fact → what it superseded
    traits: dict[str, list[Triplet]] = field(default_factory=dict)  # subject → what its documents' covers say it is
    _texts: dict[str, list[str]] = field(default_factory=dict)  # entity → its documents, folded
    _told: dict[str, set[str]] = field(default_factory=dict)
    _named: dict[str, Span | None] = field(default_factory=dict)
    _by_document: dict[str, list[Chunk]] = field(default_factory=dict)

    def told_of(self, words: str) -> set[str]:
        """The entities whose documents write these words anywhere, exhibits and all."""
        if words not in self._told:
            if not self._texts:
                for document in self.documents.values():
                    text = re.sub(r"\s+", " ", document.text).casefold()
                    self._texts.setdefault(document.entity, []).append(text)
            folded = re.sub(r"\s+", " ", words).casefold()
            self._told[words] = {entity for entity, texts in self._texts.items() if any(folded in t for t in texts)}
        return self._told[words]

    def naming(self, document: Document, among: Iterable[str]) -> Span | None:
        """Where a document writes its entity's name, in one of these chunks if it can; None where it never does."""
        for chunk_id in among:
            if self.chunks[chunk_id].doc_id == document.doc_id:
                found = _line_with(self.chunks[chunk_id], document.entity)
                if found:
                    return found
        if document.doc_id not in self._named:
            spans = (_line_with(chunk, document.entity) for chunk in self._by_document.get(document.doc_id, ()))
            self._named[document.doc_id] = next((s for s in spans if s), None)
        return self._named[document.doc_id]


def subject_of(triplet: Triplet) -> str:
    return triplet.subject_key or triplet.subject


def object_of(triplet: Triplet) -> str:
    return triplet.object_key or triplet.object


def relation_of(triplet: Triplet) -> str:
    return triplet.relation_key or triplet.relation


def fact_of(triplet: Triplet) -> tuple[str, str, str]:
    return subject_of(triplet), relation_of(triplet), object_of(triplet)


def _standing(triplet: Triplet, triplets: Mapping[str, Triplet]) -> Triplet:
    """The fact that stands in the place of a superseded one, which several may have followed."""
    while triplet.superseded_by:
        triplet = triplets[triplet.superseded_by]
    return triplet


def index(triplets: Mapping[str, Triplet], chunks: Mapping[str, Chunk], documents: Mapping[str, Document]) -> Index:
    """Index a corpus once, for all its questions."""
    made = Index(triplets, chunks, documents)
    for triplet in triplets.values():
        if triplet.superseded_by:
            made.restated.setdefault(fact_of(_standing(triplet, triplets)), []).append(triplet)
        if triplet.rejected_because:
            continue
        subject, relation, thing = subject_of(triplet), relation_of(triplet), object_of(triplet)
        made.subjects.setdefault((relation, thing), set()).add(subject)
        made.objects.setdefault((subject, relation), set()).add(thing)
        made.facts.setdefault((subject, relation), []).append(triplet)
        if triplet.method == "cover" and triplet.subject == triplet.entity and not triplet.value:
            made.traits.setdefault(subject, []).append(triplet)
    for chunk in sorted(chunks.values(), key=lambda c: (c.doc_id, c.start)):
        made._by_document.setdefault(chunk.doc_id, []).append(chunk)
    return made


def _line_with(chunk: Chunk, name: str) -> Span | None:
    at = chunk.text.find(name) if name else -1
    if at < 0:
        return None
    left = chunk.text.rfind("\n", 0, at) + 1
    right = chunk.text.find("\n", at)
    return Span(chunk.chunk_id, left, len(chunk.text) if right < 0 else right)
