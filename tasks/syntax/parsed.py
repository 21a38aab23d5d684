"""Sentences as dependency trees, each parsed once."""

from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from spacy.tokens import Doc

LONGEST = 600  # characters of a sentence worth parsing: longer ones are lists, and parsed badly
REMEMBERED = 4096  # sentences, some 20 kB each: the questions on one chunk come together


def parsed(sentence: str) -> "Doc | None":
    """The tree of one sentence, for the offline pipeline; None for what is too long to be parsed well."""
    return _parsed(sentence) if sentence.strip() and len(sentence) <= LONGEST else None


@lru_cache(REMEMBERED)
def _parsed(sentence: str) -> "Doc":
    from rarefy.tasks.language.load import load

    nlp = load()
    with nlp.select_pipes(disable=["ner"]):
        return nlp(sentence)
