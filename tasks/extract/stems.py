"""Words of names and sentences, compared by their beginnings and without case."""

import re

from rarefy.tasks.extract.locate import folded

SMALL_WORDS = frozenset(
    """
    a an and as at be been by for from has have had in into is it its of on or our than that the their these this those
    to under upon was were when where which while who will with would may must shall can could not no any each
    """.split()
)


def same(name: str, entity: str) -> bool:
    """Whether a name is that of an entity, with or without article and legal form."""
    return bool(entity) and core(name).casefold() == core(entity).casefold()


def core(name: str) -> str:
    """A company's name without article and legal form."""
    return re.sub(
        r"^the |[,.]? (?:inc|incorporated|corp|corporation|company|co|ltd|limited|plc|llc)\b\.?,?$",
        "",
        name,
        flags=re.I,
    ).strip(" ,")


def words_of(text: str) -> list[str]:
    """Its words and numbers, as written."""
    return re.findall(r"[^\W_](?:[\w&’'.-]*[^\W_])?", text)


def stem(word: str) -> str:
    """What a word has in common with its other forms: its first five letters; a number is itself."""
    letters = folded(re.sub(r"[’']s$", "", word)).letters
    return letters if letters.isdigit() or len(letters) < 5 else letters[:5]
