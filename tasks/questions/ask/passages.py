"""What a model is shown of a path: its passages, each with where it is from and its own facts (RARE R18)."""

from collections.abc import Sequence
from dataclasses import dataclass

from rarefy.data_contracts.rows import Chunk, Document, Triplet
from rarefy.tasks.models.prompts import title
from rarefy.tasks.questions.ask.index import Index
from rarefy.tasks.questions.ask.roles import Roles


@dataclass(frozen=True, slots=True)
class Shown:
    """A fact with the letters of its ends in the pattern, and the document's own words for it, line by line."""

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
    facts: tuple[Shown, ...]


def passages(facts: Sequence[Triplet], roles: Roles, known: Index) -> list[Passage]:
    """The chunks of the facts in the path's order, each once: a fact stands with the chunk it was taken from."""
    own: dict[str, list[Shown]] = {}
    for number, (fact, (head, tail)) in enumerate(zip(facts, roles.letters, strict=True), 1):
        shown = Shown(number, _line(fact.subject), head, _line(fact.relation), _line(fact.object), tail, _lines(fact))
        own.setdefault(fact.chunk_id, []).append(shown)
    return [
        Passage(number, about(known.chunks[name], known.documents[known.chunks[name].doc_id]), text, tuple(shown))
        for number, (name, shown) in enumerate(own.items(), 1)
        for text in (known.chunks[name].text,)
    ]


def about(chunk: Chunk, document: Document) -> tuple[tuple[str, str], ...]:
    """What is known of where a chunk comes from, by name; nothing that is not known."""
    said = {
        "of": document.entity,
        "title": title(document) if document.title != document.entity else "",
        "form": document.form,
        "fiscal_year": str(document.fiscal_year or ""),
        "country": document.metadata.get("country", ""),
        "period": " to ".join(filter(None, (document.period_start, document.period_end))),
        "dated": document.as_of,
        "section": chunk.section,
    }
    return tuple((name, _line(value)) for name, value in said.items() if value)


def _lines(fact: Triplet) -> tuple[str, ...]:
    said = {
        "header of its table": fact.header,
        "stands under": fact.group,
        "sentence": fact.source_sentence,
        "period": fact.period,
        "unit": " in ".join(filter(None, (fact.unit, fact.scale))),
    }
    return tuple(f"{name}: {value}" for name, value in said.items() if value)


def _line(text: str) -> str:
    return " ".join(text.split())
