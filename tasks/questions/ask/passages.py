"""What a model is shown of facts: the passages they were taken from, and the documents' own words for each."""

from collections.abc import Sequence
from dataclasses import dataclass

from rarefy.data_contracts.rows import Chunk, Document, Triplet
from rarefy.tasks.models.prompts import title
from rarefy.tasks.questions.ask.index import CorpusIndex
from rarefy.tasks.questions.ask.roles import Roles
from rarefy.tasks.questions.rivals import describe
from rarefy.tasks.text.sentences import sentences

ELSEWHERE = "elsewhere in the collection"


@dataclass(frozen=True, slots=True)
class ShownFact:
    """A fact in the prompt: the letters of its ends in the pattern, and the document's words for it, line by line."""

    number: int
    subject: str
    head: str
    relation: str
    object: str
    tail: str
    lines: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Passage:
    """A chunk with the metadata of its document, as (name, value), and its own facts."""

    number: int
    about: tuple[tuple[str, str], ...]
    text: str
    facts: tuple[ShownFact, ...]


def build_passages(
    facts: Sequence[Triplet], roles: Roles, index: CorpusIndex, around: int, rivals: int = 0
) -> list[Passage]:
    """The chunks of the facts in the path's order, each once: a fact stands with the chunk it was taken from.

    `around`: how many sentences of the document are shown of a fact, its own among them. `rivals`: how many facts about
    other things are shown beside one of which an end may answer a question of several facts.
    """
    own: dict[str, list[ShownFact]] = {}
    for number, (fact, (head, tail)) in enumerate(zip(facts, roles.letters, strict=True), 1):
        lines = _lines(fact, _words_before(fact, index, around - 1))
        if len(facts) > 1 and any(end.triplet == fact for end in roles.ends):
            others = index.rivals.find(fact, rivals) if rivals else ()
            lines += tuple(f"{ELSEWHERE}: {describe(other)}" for other in others)
        shown = ShownFact(
            number, _one_line(fact.subject), head, _one_line(fact.relation), _one_line(fact.object), tail, lines
        )
        own.setdefault(fact.chunk_id, []).append(shown)
    return [
        Passage(
            number, describe_source(index.chunks[name], index.documents[index.chunks[name].doc_id]), text, tuple(shown)
        )
        for number, (name, shown) in enumerate(own.items(), 1)
        for text in (index.chunks[name].text,)
    ]


def describe_source(chunk: Chunk, document: Document) -> tuple[tuple[str, str], ...]:
    """(name, value) of what is known of a chunk's origin."""
    fields = {
        "of": document.entity,
        "title": title(document) if document.title != document.entity else "",
        "form": document.form,
        "fiscal_year": str(document.fiscal_year or ""),
        "country": document.metadata.get("country", ""),
        "period": " to ".join(filter(None, (document.period_start, document.period_end))),
        "dated": document.as_of,
        "section": chunk.section,
    }
    return tuple((name, _one_line(value)) for name, value in fields.items() if value)


def _lines(fact: Triplet, before: str) -> tuple[str, ...]:
    fields = {
        "header of its table": fact.header,
        "stands under": fact.group,
        "before its sentence": before,
        "sentence": fact.source_sentence,
        "period": fact.period,
        "unit": " in ".join(filter(None, (fact.unit, fact.scale))),
    }
    return tuple(f"{name}: {value}" for name, value in fields.items() if value)


def _words_before(fact: Triplet, index: CorpusIndex, count: int) -> str:
    """So many sentences before that of a fact, in its paragraph; "" of a row of a table."""
    if count < 1 or fact.source_sentence.startswith("|"):
        return ""
    start = index.chunks[fact.chunk_id].start + fact.start  # what a chunk was cut off from is read, too
    paragraph = index.documents[fact.doc_id].text[:start].rpartition("\n\n")[2]
    return _one_line(" ".join(paragraph[slice(*span)] for span in sentences(paragraph)[-count:]))


def _one_line(text: str) -> str:
    return " ".join(text.split())
