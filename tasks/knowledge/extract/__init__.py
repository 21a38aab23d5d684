"""Triplets, each with the words that prove it (RARE §3.2, R6-R8)."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import groupby, islice
from operator import attrgetter
from threading import Lock

from pydantic import BaseModel, Field

from rarefy.data_contracts.rows import LITERALS, Chunk, Document, Triplet, Unanswered
from rarefy.tasks.corpus.chunk import repeated
from rarefy.tasks.find import find
from rarefy.tasks.knowledge.extract.cover import of_cover
from rarefy.tasks.knowledge.extract.deadlines import of_deadlines
from rarefy.tasks.knowledge.extract.links import links
from rarefy.tasks.knowledge.extract.model import ModelExtractConfig, Own, of_model
from rarefy.tasks.knowledge.extract.officers import of_officers
from rarefy.tasks.knowledge.extract.readings import of_readings
from rarefy.tasks.knowledge.extract.tables import of_tables, source_of
from rarefy.tasks.models.llm import LLM

VERSION = 14  # captions: what is stated for shares alone is theirs alone


class ExtractConfig(BaseModel, frozen=True, extra="forbid"):
    """How facts are taken from chunks."""

    methods: tuple[str, ...] = Field(
        ("cover", "tables", "officers", "deadlines", "readings", "prose"),
        description="where facts are looked for: built-in names (model asks the one in [llm]) or module:function",
    )
    pipeline: str = Field(
        "english", description="spaCy pipeline for prose: the shipped one, or any installed name or path"
    )
    model: ModelExtractConfig = Field(
        default_factory=ModelExtractConfig, description="how a model is asked, where it is among the methods"
    )


Row = Triplet | Unanswered
# of documents with their chunks: one at a time, but for a model, which is asked about many together
Method = Callable[[list[Own], ExtractConfig, LLM | None], Iterator[Row]]

_PARSER = Lock()  # documents that wait for a model are worked on in threads of one process, and spaCy knows one
BLOCK = 64  # documents that a model is asked about together


def _cover(owns: list[Own], config: ExtractConfig, llm: LLM | None) -> Iterator[Triplet]:
    for document, chunks in owns:
        yield from of_cover(document, chunks)


def _tables(owns: list[Own], config: ExtractConfig, llm: LLM | None) -> Iterator[Triplet]:
    for document, chunks in owns:
        source = source_of(document, chunks)
        for chunk in chunks:
            if chunk.kind == "table":
                yield from of_tables(chunk, source)


def _officers(owns: list[Own], config: ExtractConfig, llm: LLM | None) -> Iterator[Triplet]:
    for document, chunks in owns:
        for chunk in chunks:
            if chunk.kind == "table":
                yield from of_officers(chunk, document)


def _deadlines(owns: list[Own], config: ExtractConfig, llm: LLM | None) -> Iterator[Triplet]:
    from rarefy.tasks.text.language.load import load  # late, as below: only sentences that set a rule are parsed

    for document, chunks in owns:
        with _PARSER:
            found = list(of_deadlines(document, chunks, lambda: load(config.pipeline)))
        yield from found


def _readings(owns: list[Own], config: ExtractConfig, llm: LLM | None) -> Iterator[Triplet]:
    for document, chunks in owns:
        yield from of_readings(document, chunks)


def _prose(owns: list[Own], config: ExtractConfig, llm: LLM | None) -> Iterator[Triplet]:
    # imported late: spaCy takes seconds, and a corpus of tables alone never needs it
    from rarefy.tasks.knowledge.extract.prose import prose
    from rarefy.tasks.text.language.load import load

    for document, chunks in owns:
        for chunk in chunks:
            if chunk.kind == "text":
                with _PARSER:
                    found = list(prose(chunk, document.entity, load(config.pipeline)))
                for triplet in found:
                    whole = replace(triplet, domain=document.domain, entity=document.entity)
                    literal = whole.object_type in LITERALS or links(whole)
                    yield whole if literal else replace(whole, object_type="TEXT")


def _model(owns: list[Own], config: ExtractConfig, llm: LLM | None) -> Iterator[Row]:
    if llm is None:
        raise ValueError('extract.methods has "model", and there is no model; say in [llm] which one is asked')
    return of_model(owns, config.model, llm)


METHODS: dict[str, Method] = {
    "cover": _cover,
    "tables": _tables,
    "officers": _officers,
    "deadlines": _deadlines,
    "readings": _readings,
    "prose": _prose,
    "model": _model,
}


def extract(
    chunks: Iterable[Chunk], config: ExtractConfig, *, documents: Mapping[str, Document], llm: LLM | None = None
) -> Iterator[Row]:
    """Every fact of these chunks, those of a document together; what does not hold carries its reason.

    What stands in the overlap of two chunks is taken from the first. After the facts of the documents that a model was
    asked about come the windows that it did not answer. ValueError where a method needs a model and there is none.
    """
    methods = [find(name, METHODS) for name in config.methods]
    owns = ((documents[doc_id], list(group)) for doc_id, group in groupby(chunks, key=attrgetter("doc_id")))
    while block := list(islice(owns, 1 if llm is None else BLOCK)):
        home = {chunk.chunk_id: (i, chunk) for i, (_, own) in enumerate(block) for chunk in own}
        overlap = repeated(chunk for _, own in block for chunk in own)
        seen: set[str] = set()
        found: list[list[Triplet]] = [[] for _ in block]
        unanswered: list[Unanswered] = []
        for method in methods:
            for row in method(block, config, llm):
                if isinstance(row, Unanswered):
                    unanswered.append(row)
                    continue
                own, chunk = home[row.chunk_id]
                # what a chunk repeats of the one before was found there; what a model says is placed there already
                repeats = row.method != "model" and row.start < overlap.get(row.chunk_id, 0)
                if row.triplet_id not in seen and not repeats:
                    seen.add(row.triplet_id)
                    found[own].append(verified(row, chunk.text))
        for triplets in found:
            yield from told_once(triplets)
        yield from unanswered


# Readings turned down for what their label leaves out: under that label they say something else all the same
_SAME_LABEL = frozenset(
    (
        "scope_not_in_label",
        "row_has_two_labels",
        "current_or_not",
        "percent_of_what",
        "column_qualified",
        "equity_component",
        "period_not_shown",
    )
)


def told_once(triplets: list[Triplet]) -> Iterator[Triplet]:
    """The triplets of a document, those rejected whose very words stand in it for another figure too.

    A question in these words would have two answers for whoever has the filing open, even if tags tell them apart.
    """
    values: dict[tuple[str, ...], set[str]] = {}
    for t in triplets:
        if t.value and t.method in ("table", "model") and (not t.rejected_because or t.rejected_because in _SAME_LABEL):
            values.setdefault((t.subject, t.relation.lower(), t.period, t.unit), set()).add(t.value.lstrip("-"))
    for t in triplets:
        twice = len(values.get((t.subject, t.relation.lower(), t.period, t.unit), ())) > 1 and t.value
        yield replace(t, rejected_because="label_used_twice") if twice and not t.rejected_because else t


def verified(triplet: Triplet, text: str) -> Triplet:
    """The triplet, rejected if its words are not where it says (RARE §3.2: the source sentence is the proof)."""
    if triplet.rejected_because:
        return triplet
    if not triplet.source_sentence or not _stands(text, triplet.source_sentence, triplet.start, triplet.end):
        return replace(triplet, rejected_because="sentence_not_in_text")
    if not _stands(text, triplet.header, triplet.header_start, triplet.header_end):
        return replace(triplet, rejected_because="header_not_in_text")
    if not _stands(text, triplet.group, triplet.group_start, triplet.group_end):
        return replace(triplet, rejected_because="group_not_in_text")
    if triplet.answer and triplet.answer not in triplet.source_sentence:
        return replace(triplet, rejected_because="object_not_in_sentence")
    if not (triplet.subject.strip() and triplet.relation.strip() and triplet.object.strip()):
        return replace(triplet, rejected_because="empty_part")
    return triplet


def _stands(text: str, words: str, start: int, end: int) -> bool:
    """Are these the words at `text[start:end]`? None stand at [0, 0) alone: a place without words is a mistake."""
    return text[start:end] == words and (0 <= start < end if words else start == end == 0)
