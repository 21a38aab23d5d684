"""Stems of English words, by the Snowball stemmer (Porter's second)."""

import re
from functools import lru_cache

import Stemmer

_WORD = re.compile(r"\d+(?:[.,]\d+)*|[^\W\d_]+(?:['’][^\W\d_]+)*")
_ENGLISH = Stemmer.Stemmer("english", 0)
LONGEST = 100  # letters: what is longer is no word, and stays as it is
ROOT = 5  # letters, of which few words that are not akin have the same


@lru_cache(maxsize=1 << 16)
def stem(word: str) -> str:
    """The stem of a word in small letters; a number is its own."""
    word = word.replace("’", "'").lower()
    if len(word) > LONGEST or word[-1:].isdigit():
        return word
    stemmed: str = _ENGLISH.stemWord(word.removesuffix("'s").removesuffix("'"))
    return stemmed


def root(word: str) -> str:
    """The first letters of a word's stem, which words derived from it share ("acquired", "acquisition")."""
    return word if word[:1].isdigit() else stem(word)[:ROOT]


def words(text: str) -> list[str]:
    """The words and numbers of a text in small letters, in order."""
    return [word.replace("’", "'") for word in _WORD.findall(text.lower())]


def stems(text: str) -> list[str]:
    """The stems of the words of a text, in order."""
    return [stem(word) for word in words(text)]
