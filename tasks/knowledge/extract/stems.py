"""Words of names and sentences, compared by their roots and without case."""

import re

from rarefy.tasks.knowledge.extract.locate import folded
from rarefy.tasks.text.names import without_form
from rarefy.tasks.text.stems import root

SMALL_WORDS = frozenset(
    """
    a an and as at be been by for from has have had in into is it its of on or our than that the their these this those
    to under upon was were when where which while who will with would may must shall can could not no any each
    """.split()
)


def same(name: str, entity: str) -> bool:
    """Whether a name is that of an entity, with or without article and legal form."""
    return bool(entity) and without_form(name).casefold() == without_form(entity).casefold()


def words_of(text: str) -> list[str]:
    """Its words and numbers, as written."""
    return re.findall(r"[^\W_](?:[\w&’'.-]*[^\W_])?", text)


def stem(word: str) -> str:
    """What a word has in common with its other forms and those derived from it; a number is itself."""
    return root(folded(re.sub(r"[’']s$", "", word)).letters)
