"""Sentences as dependency trees, each parsed once."""

import re
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from spacy.tokens import Doc

_BROKEN = re.compile(r"[\x00-\x08\x0b-\x1f\ud800-\udfff]")  # half of a character, or none: no sentence of English

LONGEST = 600  # characters of a sentence worth parsing: longer ones are lists, and parsed badly
REMEMBERED = 4096  # sentences, some 20 kB each: the questions on one chunk come together


def parsed(sentence: str) -> "Doc | None":
    """The tree of one sentence, by the pipeline that ships; None for what is too long or too broken to be parsed."""
    if not sentence.strip() or len(sentence) > LONGEST or _BROKEN.search(sentence):
        return None
    return _parsed(sentence)


@lru_cache(REMEMBERED)
def _parsed(sentence: str) -> "Doc":
    from rarefy.tasks.text.language.load import load

    nlp = load()
    with nlp.select_pipes(disable=["ner"]):
        return nlp(sentence)


class Tagged(NamedTuple):
    """A word of a sentence with its Penn tag, and where it stands."""

    text: str
    tag: str
    start: int
    end: int


@lru_cache(REMEMBERED)
def tagged(sentence: str) -> tuple[Tagged, ...]:
    """The words of a sentence with their tags, without a tree; none of what is too long or too broken to be read."""
    if not sentence.strip() or len(sentence) > LONGEST or _BROKEN.search(sentence):
        return ()
    from rarefy.tasks.text.language.load import load

    nlp = load()
    with nlp.select_pipes(enable=["tok2vec", "tagger"]):
        return tuple(
            Tagged(word.text, word.tag_, word.idx, word.idx + len(word.text))
            for word in nlp(sentence)
            if not word.is_space
        )
