"""What the linkers look at: the documents that count, their chunks in order, and the facts found so far."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from rarefy.data_contracts.rows import Chunk, Document, Triplet, row_id
from rarefy.tasks.corpus.chunk import repeated
from rarefy.tasks.corpus.places import PlaceIndex
from rarefy.tasks.corpus.read.language import is_english
from rarefy.tasks.knowledge.extract import check_evidence, find_place
from rarefy.tasks.text.sentences import sentences


@dataclass(frozen=True, slots=True)
class Corpus:
    """The documents that repeat no other one, in order of name, each with its chunks; and the accepted facts."""

    documents: tuple[Document, ...]
    chunks: Mapping[str, tuple[Chunk, ...]]  # by doc_id, in the order of the text
    facts: tuple[Triplet, ...]
    overlap: Mapping[str, int]  # by chunk_id: the characters that the chunk before has too


def gather(triplets: Iterable[Triplet], chunks: Mapping[str, Chunk], documents: Mapping[str, Document]) -> Corpus:
    """The corpus as the linkers look at it."""
    held = tuple(sorted((d for d in documents.values() if not d.duplicate_of), key=lambda d: d.doc_id))
    own: dict[str, list[Chunk]] = {document.doc_id: [] for document in held}
    for chunk in sorted(chunks.values(), key=lambda c: (c.doc_id, c.start, c.chunk_id)):
        if chunk.doc_id in own:
            own[chunk.doc_id].append(chunk)
    facts = tuple(row for row in triplets if not row.rejected_because and row.doc_id in own)
    overlap = repeated(chunk for of_document in own.values() for chunk in of_document)
    return Corpus(held, {name: tuple(rows) for name, rows in own.items()}, facts, overlap)


def new_sentences(chunk: Chunk, corpus: Corpus) -> Iterator[tuple[int, int]]:
    """The sentences of a chunk of English prose that the chunk before has not."""
    if chunk.kind != "text" or not is_english(chunk.language):
        return
    yield from (span for span in sentences(chunk.text) if span[0] >= corpus.overlap.get(chunk.chunk_id, 0))


def make_link(
    document: Document,
    chunk: Chunk,
    span: tuple[int, int],
    fact: tuple[str, str, str],
    types: tuple[str, str],
    answer: str = "",
) -> Triplet:
    """The link that a sentence states, `answer` being the words in it that name the object, if it has any."""
    row = Triplet(
        row_id("link", chunk.chunk_id, span[0], *fact),
        *(chunk.chunk_id, document.doc_id, *span, *fact, chunk.text[slice(*span)], "link", *types),
        answer=answer,
        entity=document.entity,
        domain=document.domain,
    )
    row = check_evidence(row, chunk.text)
    return find_place(row, chunk, PlaceIndex(document.places)) if document.places else row
