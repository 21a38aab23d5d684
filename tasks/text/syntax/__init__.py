"""Rewrite English sentences in another syntax or other words, by rules over their dependency trees.

A sentence or question comes in, its variants go out (Magic Mushroom §3.2, IBM §3); a rule yields none in doubt.
"""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from rarefy.tasks.text.syntax import questions
from rarefy.tasks.text.syntax.pieces import Edit, Rewrite
from rarefy.tasks.text.syntax.questions import Measured, parse_measure_question, rephrase_measure_question, reword_terms
from rarefy.tasks.text.syntax.statements import (
    add_in_front,
    move_however,
    move_to_end,
    move_to_front,
    split_clauses,
    to_active,
    to_passive,
)
from rarefy.tasks.text.syntax.tree import parsed
from rarefy.tasks.text.syntax.words import PHRASE_TABLE, WORD_TABLE, content, set_phrases, synonyms

__all__ = [
    "RULES", "Measured", "content_words", "embed_question", "parse_measure_question", "reorder_question",
    "rephrase_measure_question", "replacements", "reword_terms", "rewrites",
]  # fmt: skip

if TYPE_CHECKING:
    from spacy.tokens import Doc


class Tables(NamedTuple):
    """Files of words and of phrases that may stand for each other, as `synonyms.tsv` and `phrases.tsv`."""

    words: Path
    phrases: Path


Rule = Callable[["Doc"], Iterator[Rewrite]]
RULES: dict[str, Rule] = {
    f.__name__: f
    for f in (
        to_passive, to_active, move_to_front, move_to_end, split_clauses, add_in_front, move_however,
    )
}  # fmt: skip
"""The ways to change a statement's syntax, those that show most first."""


def rewrites(sentence: str) -> tuple[Rewrite, ...]:
    """The statement in every other syntax that is known to mean the same, in pieces of the original."""
    doc = parsed(sentence)
    return tuple(made for rule in RULES.values() for made in rule(doc)) if doc is not None else ()


def reorder_question(question: str) -> tuple[tuple[str, str], ...]:
    """(what was done, question) for each other order, voice or frame of a question."""
    doc = parsed(question)
    return tuple(questions.asked(doc)) if doc is not None else ()


def embed_question(question: str) -> str:
    """A question as a clause within another sentence: "how often it appears"; "" where its order is not certain."""
    if measured := parse_measure_question(question):
        return questions.embed_measure(measured)
    doc = parsed(question)
    return questions.embed_question(doc) if doc is not None else ""


def replacements(sentence: str, *beside: Tables) -> tuple[tuple[Edit, ...], ...]:
    """For each word or phrase that may be another: the edits that each make it so. None overlap those of another.

    What the tables `beside` have for a place stands before what every text may have.
    """
    doc = parsed(sentence)
    if doc is None:
        return ()
    found: list[tuple[Edit, ...]] = []
    for table in (*beside, Tables(WORD_TABLE, PHRASE_TABLE)):
        for edits in (*set_phrases(sentence, table.phrases), *synonyms(doc, table.words)):
            start, end = min(e.start for e in edits), max(e.end for e in edits)
            if not any(start < e.end and e.start < end for taken in found for e in taken):
                found.append(edits)
    return tuple(sorted(found, key=lambda edits: edits[0].start))


def content_words(sentence: str) -> int:
    """How many nouns, verbs, adjectives and adverbs a sentence has."""
    doc = parsed(sentence)
    return content(doc) if doc is not None else 0
