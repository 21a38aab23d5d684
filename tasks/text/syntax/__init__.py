"""English sentences in another syntax, by rules over their dependency trees that refuse where they are in doubt."""

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from rarefy.tasks.text.syntax import inquiry
from rarefy.tasks.text.syntax.clauses import also, divided
from rarefy.tasks.text.syntax.nouns import apposition, owner_after, owner_before, relative, turned_pair
from rarefy.tasks.text.syntax.order import fronted, however, trailing
from rarefy.tasks.text.syntax.parsed import parsed
from rarefy.tasks.text.syntax.phrases import set_phrases
from rarefy.tasks.text.syntax.pieces import Edit, Rewrite
from rarefy.tasks.text.syntax.questions import Measured, asked_otherwise, measured, reworded
from rarefy.tasks.text.syntax.voice import to_active, to_passive
from rarefy.tasks.text.syntax.words import content, synonyms

__all__ = [
    "RULES", "Measured", "asked", "asked_otherwise", "content_words", "measured", "replacements", "reworded",
    "rewrites",
]  # fmt: skip

if TYPE_CHECKING:
    from spacy.tokens import Doc

Rule = Callable[["Doc"], Iterator[Rewrite]]
RULES: dict[str, Rule] = {
    f.__name__: f
    for f in (
        to_passive, to_active, fronted, trailing, divided, relative, apposition, also, owner_after, owner_before,
        turned_pair, however,
    )
}  # fmt: skip
"""The ways to change a statement's syntax, those that show most first."""


def rewrites(sentence: str) -> tuple[Rewrite, ...]:
    """The statement in every other syntax that is known to say the same, each in pieces of it."""
    doc = parsed(sentence)
    return tuple(made for rule in RULES.values() for made in rule(doc)) if doc is not None else ()


def asked(question: str) -> tuple[tuple[str, str], ...]:
    """(what was done, question) for each other order, voice or frame of a question."""
    doc = parsed(question)
    return tuple(inquiry.asked(doc)) if doc is not None else ()


def replacements(sentence: str) -> tuple[tuple[Edit, ...], ...]:
    """For each word or phrase that may be another: the edits that each make it so. None overlap those of another."""
    doc = parsed(sentence)
    if doc is None:
        return ()
    found = list(set_phrases(sentence))
    taken = [(edits[0].start, edits[0].end) for edits in found]
    for edits in synonyms(doc):
        start, end = min(e.start for e in edits), max(e.end for e in edits)
        if not any(a < end and start < b for a, b in taken):
            found.append(edits)
            taken.append((start, end))
    return tuple(sorted(found, key=lambda edits: edits[0].start))


def content_words(sentence: str) -> int:
    """How many nouns, verbs, adjectives and adverbs a sentence has."""
    doc = parsed(sentence)
    return content(doc) if doc is not None else 0
