"""Chunks in, triplets out: subject, relation, object, each with the words that prove it (RARE §3.2, R6-R8).

Rules read tables, prose, cover pages, regulations and minutes; a language model can be asked too. A triplet whose words
do not stand in its chunk is rejected with a reason, and so is what rules find in another language than English."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import groupby, islice
from operator import attrgetter
from threading import Lock

from pydantic import BaseModel, Field

from rarefy.data_contracts.rows import Chunk, Document, Triplet, Unanswered
from rarefy.tasks.corpus.chunk import repeated
from rarefy.tasks.corpus.places import PlaceIndex
from rarefy.tasks.corpus.read.language import is_english
from rarefy.tasks.find import find
from rarefy.tasks.knowledge.extract.deadlines import extract_deadlines
from rarefy.tasks.knowledge.extract.model import DocumentChunks, ModelExtractConfig, extract_by_model
from rarefy.tasks.knowledge.extract.parts import extract_parts
from rarefy.tasks.knowledge.extract.prose import extract_prose
from rarefy.tasks.knowledge.extract.readings import extract_readings
from rarefy.tasks.knowledge.extract.registrant import extract_cover, extract_officers
from rarefy.tasks.knowledge.extract.tables import extract_tables, table_context
from rarefy.tasks.models.llm import LLM

VERSION = 43  # labels over several rows; notes behind words; the parent company's statements; instructions of forms


class ExtractConfig(BaseModel, frozen=True, extra="forbid"):
    """How facts are taken from chunks."""

    methods: tuple[str, ...] = Field(
        ("cover", "tables", "officers", "deadlines", "readings", "prose"),
        description="where facts are looked for: built-in names (model asks the one in [llm]) or module:function",
    )
    pipeline: str = Field(
        "english", description="spaCy pipeline for deadlines: the shipped one, or any installed name or path"
    )
    model: ModelExtractConfig = Field(
        default_factory=ModelExtractConfig, description="how a model is asked, where it is among the methods"
    )


Row = Triplet | Unanswered
# (documents with their chunks, config, model) -> rows; several documents at a time only where there is a model
Method = Callable[[list[DocumentChunks], ExtractConfig, LLM | None], Iterator[Row]]

# documents that wait for a model are worked on in threads, and spaCy is not safe in several
_PARSER_LOCK = Lock()
BLOCK = 64  # documents that a model is asked about together


def _extract_cover(block: list[DocumentChunks], config: ExtractConfig, llm: LLM | None) -> Iterator[Triplet]:
    for document, chunks in block:
        yield from extract_cover(document, chunks)


def _extract_tables(block: list[DocumentChunks], config: ExtractConfig, llm: LLM | None) -> Iterator[Triplet]:
    for document, chunks in block:
        context = table_context(document, chunks)
        for chunk in chunks:
            if chunk.kind == "table":
                yield from extract_tables(chunk, context)


def _extract_officers(block: list[DocumentChunks], config: ExtractConfig, llm: LLM | None) -> Iterator[Triplet]:
    for document, chunks in block:
        for chunk in chunks:
            if chunk.kind == "table":
                yield from extract_officers(chunk, document)


def _extract_deadlines(block: list[DocumentChunks], config: ExtractConfig, llm: LLM | None) -> Iterator[Triplet]:
    from rarefy.tasks.text.language import (
        load,
    )  # late: spaCy takes seconds, and only sentences that set a rule are parsed

    for document, chunks in block:
        with _PARSER_LOCK:
            triplets = list(extract_deadlines(document, chunks, lambda: load(config.pipeline)))
        yield from triplets


def _extract_readings(block: list[DocumentChunks], config: ExtractConfig, llm: LLM | None) -> Iterator[Triplet]:
    for document, chunks in block:
        yield from extract_readings(document, chunks)


def _extract_prose(block: list[DocumentChunks], config: ExtractConfig, llm: LLM | None) -> Iterator[Triplet]:
    for document, chunks in block:
        yield from extract_parts(document, chunks)
        for chunk in chunks:
            yield from extract_prose(chunk, document)


def _extract_by_model(block: list[DocumentChunks], config: ExtractConfig, llm: LLM | None) -> Iterator[Row]:
    if llm is None:
        raise ValueError('extract.methods has "model", and there is no model; say in [llm] which one is asked')
    return extract_by_model(block, config.model, llm)


METHODS: dict[str, Method] = {
    "cover": _extract_cover,
    "tables": _extract_tables,
    "officers": _extract_officers,
    "deadlines": _extract_deadlines,
    "readings": _extract_readings,
    "prose": _extract_prose,
    "model": _extract_by_model,
}


def extract(
    chunks: Iterable[Chunk], config: ExtractConfig, *, documents: Mapping[str, Document], llm: LLM | None = None
) -> Iterator[Row]:
    """Every triplet of these chunks, in which a document's chunks follow each other; rejected ones with their reason.

    What stands in the overlap of two chunks is taken from the first. After the triplets of the documents that a model
    was asked about come the windows that it did not answer. ValueError where a method needs a model and there is none.
    """
    methods = [(find(name, METHODS), name in METHODS and name != "model") for name in config.methods]
    by_document = ((documents[doc_id], list(group)) for doc_id, group in groupby(chunks, key=attrgetter("doc_id")))
    while block := list(islice(by_document, 1 if llm is None else BLOCK)):
        home = {chunk.chunk_id: (i, chunk) for i, (_, own) in enumerate(block) for chunk in own}
        overlap = repeated(chunk for _, own in block for chunk in own)
        places = [PlaceIndex(document.places) for document, _ in block]
        seen: set[str] = set()
        triplets: list[list[Triplet]] = [[] for _ in block]
        unanswered: list[Unanswered] = []
        for method, of_english in methods:  # a method of the user's own knows its languages itself
            for row in method(block, config, llm):
                if isinstance(row, Unanswered):
                    unanswered.append(row)
                    continue
                document, chunk = home[row.chunk_id]
                # what a chunk repeats of the one before was found there; what a model says is placed there already
                repeats = row.method != "model" and row.start < overlap.get(row.chunk_id, 0)
                if row.triplet_id not in seen and not repeats:
                    seen.add(row.triplet_id)
                    placed = find_place(check_evidence(row, chunk.text), chunk, places[document])
                    foreign = of_english and not is_english(chunk.language)
                    triplets[document].append(replace(placed, rejected_because="not_english") if foreign else placed)
        for of_document in triplets:
            yield from reject_ambiguous_labels(of_document)
        yield from unanswered


# Table figures rejected for what their label leaves out: under that label they are another value all the same
_SAME_LABEL = frozenset(
    "scope_not_in_label row_has_two_labels current_or_not percent_of_what column_qualified equity_component "
    "period_not_shown".split()
)


def reject_ambiguous_labels(triplets: list[Triplet]) -> Iterator[Triplet]:
    """A document's triplets; rejected where the same subject, label, period and unit have another value in it too.

    A question in these words would have two answers for whoever has the filing open, even if tags tell them apart.
    """

    def key(triplet: Triplet) -> tuple[str, ...]:
        return triplet.subject, triplet.relation.lower(), triplet.period, triplet.unit

    values: dict[tuple[str, ...], set[str]] = {}
    for t in triplets:
        if t.value and t.method in ("table", "model") and (not t.rejected_because or t.rejected_because in _SAME_LABEL):
            values.setdefault(key(t), set()).add(t.value if t.subject_type == "TABLE" else t.value.lstrip("-"))
    for t in triplets:
        ambiguous = t.value and not t.rejected_because and len(values.get(key(t), ())) > 1
        yield replace(t, rejected_because="label_used_twice") if ambiguous else t


def find_place(triplet: Triplet, chunk: Chunk, places: PlaceIndex) -> Triplet:
    """The triplet with the place of its answer in the source, or of its sentence where that has the answer twice.

    A method that knows more, such as the cell of a row in which two are equal, has named the place itself.
    """
    if triplet.place:
        return triplet
    start, end = chunk.start + triplet.start, chunk.start + triplet.end
    if triplet.answer and triplet.source_sentence.count(triplet.answer) == 1:
        start += triplet.source_sentence.index(triplet.answer)
        end = start + len(triplet.answer)
    place = places.name(start, end) or places.name(chunk.start + triplet.start, chunk.start + triplet.end)
    return replace(triplet, place=place) if place else triplet


def check_evidence(triplet: Triplet, text: str) -> Triplet:
    """The triplet, rejected if its words are not where it says (RARE §3.2: the source sentence is the proof)."""
    if triplet.rejected_because:
        return triplet
    if not triplet.source_sentence or not _is_at(text, triplet.source_sentence, triplet.start, triplet.end):
        return replace(triplet, rejected_because="sentence_not_in_text")
    if not _is_at(text, triplet.header, triplet.header_start, triplet.header_end):
        return replace(triplet, rejected_because="header_not_in_text")
    if not _is_at(text, triplet.group, triplet.group_start, triplet.group_end):
        return replace(triplet, rejected_because="group_not_in_text")
    if triplet.answer and triplet.answer not in triplet.source_sentence:
        return replace(triplet, rejected_because="object_not_in_sentence")
    if not (triplet.subject.strip() and triplet.relation.strip() and triplet.object.strip()):
        return replace(triplet, rejected_because="empty_part")
    return triplet


def _is_at(text: str, words: str, start: int, end: int) -> bool:
    """Whether the words are `text[start:end]`; without words only [0, 0) is right."""
    return text[start:end] == words and (0 <= start < end if words else start == end == 0)
