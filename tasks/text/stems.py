"""The stem of a word: what its forms have in common, by the Snowball stemmer for English (Porter's second)."""

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
    """What a word shares with those derived from it ("acquired", "acquisition"): the first letters of its stem."""
    return word if word[:1].isdigit() else stem(word)[:ROOT]


def words(text: str) -> list[str]:
    """The words and numbers of a text in small letters, in order."""
    return [word.replace("’", "'") for word in _WORD.findall(text.lower())]


def stems(text: str) -> list[str]:
    """The stems of the words of a text, in order."""
    return [stem(word) for word in words(text)]
