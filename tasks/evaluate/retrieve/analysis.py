"""Splits text into index terms as Lucene does: by a pattern, in lower case, without stop words, stemmed by Porter."""

import re
from collections.abc import Callable
from functools import lru_cache
from itertools import pairwise

from rarefy.tasks.evaluate.retrieve.config import AnalysisConfig

# Porter's stemmer (Program 14, 1980) with its author's two later changes, as in Lucene's PorterStemFilter

STEP2 = dict(
    pair.split(":")
    for pair in (
        "ational:ate tional:tion enci:ence anci:ance izer:ize bli:ble alli:al entli:ent eli:e ousli:ous ization:ize "
        "ation:ate ator:ate alism:al iveness:ive fulness:ful ousness:ous aliti:al iviti:ive biliti:ble logi:log"
    ).split()
)
STEP3 = {"icate": "ic", "ative": "", "alize": "al", "iciti": "ic", "ical": "ic", "ful": "", "ness": ""}
STEP4 = "al ance ence er ic able ible ant ement ment ent ion ou ism ate iti ous ive ize".split()


@lru_cache(maxsize=1 << 18)
def stem(word: str) -> str:
    """Return the stem of a lower-case word; words of one or two letters stay."""
    if len(word) <= 2 or word[-1].isdigit():  # no ending ends in a digit
        return word
    word = _strip_plural(word)
    word = _strip_past(word)
    if word.endswith("y") and _has_vowel(word[:-1]):
        word = f"{word[:-1]}i"
    word = _replace_ending(word, STEP2)
    word = _replace_ending(word, STEP3)
    word = _cut_ending(word)
    if word.endswith("e"):
        measure = _measure(word[:-1])
        if measure > 1 or (measure == 1 and not _ends_in_short_syllable(word[:-1])):
            word = word[:-1]
    return word[:-1] if word.endswith("ll") and _measure(word) > 1 else word


def _is_consonant(word: str, at: int) -> bool:
    """Return whether a letter is neither a vowel nor a y after a consonant."""
    if word[at] == "y":
        return at == 0 or not _is_consonant(word, at - 1)
    return word[at] not in "aeiou"


def _measure(word: str) -> int:
    """Count how often a vowel is followed by a consonant."""
    kinds = [_is_consonant(word, at) for at in range(len(word))]
    return sum(1 for one, other in pairwise(kinds) if other and not one)


def _has_vowel(word: str) -> bool:
    return any(not _is_consonant(word, at) for at in range(len(word)))


def _ends_in_double_consonant(word: str) -> bool:
    return len(word) > 1 and word[-1] == word[-2] and _is_consonant(word, len(word) - 1)


def _ends_in_short_syllable(word: str) -> bool:
    """Return whether a word ends in consonant, vowel, consonant other than w, x, y: "hop"."""
    end = len(word) - 1
    return (
        end >= 2
        and _is_consonant(word, end)
        and not _is_consonant(word, end - 1)
        and _is_consonant(word, end - 2)
        and word[-1] not in "wxy"
    )


def _strip_plural(word: str) -> str:
    """Step 1a."""
    if word.endswith(("sses", "ies")):
        return word[:-2]
    return word[:-1] if word.endswith("s") and not word.endswith("ss") else word


def _strip_past(word: str) -> str:
    """Step 1b."""
    if word.endswith("eed"):
        return word[:-1] if _measure(word[:-3]) > 0 else word
    ending = next((one for one in ("ed", "ing") if word.endswith(one)), "")
    if not ending or not _has_vowel(word[: -len(ending)]):
        return word
    word = word[: -len(ending)]
    if word.endswith(("at", "bl", "iz")):
        return f"{word}e"
    if _ends_in_double_consonant(word):
        return word if word[-1] in "lsz" else word[:-1]
    return f"{word}e" if _measure(word) == 1 and _ends_in_short_syllable(word) else word


def _replace_ending(word: str, endings: dict[str, str]) -> str:
    """Steps 2 and 3: the longest ending that the word has is replaced where something is left before it."""
    ending = max((one for one in endings if word.endswith(one)), key=len, default="")
    if not ending:
        return word
    left = word[: -len(ending)]
    return left + endings[ending] if _measure(left) > 0 else word


def _cut_ending(word: str) -> str:
    """Step 4."""
    ending = max((one for one in STEP4 if word.endswith(one)), key=len, default="")
    if not ending:
        return word
    left = word[: -len(ending)]
    if ending == "ion" and not left.endswith(("s", "t")):
        return word
    return left if _measure(left) > 1 else word


MAX_WORD = 100  # characters of a word; Lucene refuses words of more than 32,766 bytes

# Lucene's EnglishAnalyzer.ENGLISH_STOP_WORDS_SET, Elasticsearch's _english_
STOPWORDS = frozenset(
    "a an and are as at be but by for if in into is it no not of on or such that the their then there these they this "
    "to was will with".split()
)


def lower(text: str) -> str:
    """Return a text in small letters, one for one as Lucene has them: Python makes two of İ, and ς of a last Σ."""
    return text.replace("İ", "i").replace("Σ", "σ").lower()


class Analysis:
    """Turns texts into terms; a word's term is computed once."""

    def __init__(self, config: AnalysisConfig) -> None:
        self.found: Callable[[str], list[str]] = re.compile(config.pattern).findall
        self._stopwords = STOPWORDS if config.stopwords == "english" else frozenset[str]()
        self._stem = stem if config.stemmer == "porter" else str
        self._forms: dict[str, str] = {}

    def form(self, word: str) -> str:
        """Return the term of a lower-case word; "" for a stop word."""
        return "" if word in self._stopwords else self._stem(word[:MAX_WORD])

    def words(self, text: str) -> list[str]:
        """Return the terms of a text, in their order."""
        found = []
        for word in self.found(lower(text)):
            if word not in self._forms:
                self._forms[word] = self.form(word)
            if self._forms[word]:
                found.append(self._forms[word])
        return found


class WordNumbers(dict[str, int]):
    """A dict from words to numbers of their terms, -1 for stop words, filled when a word is looked up."""

    def __init__(self, analysis: Analysis) -> None:
        super().__init__()
        self._analysis = analysis
        self.vocabulary: dict[str, int] = {}  # term -> its number

    def __missing__(self, word: str) -> int:
        form = self._analysis.form(word)
        number = self[word] = self.vocabulary.setdefault(form, len(self.vocabulary)) if form else -1
        return number


def elasticsearch_analysis(config: AnalysisConfig) -> dict[str, object]:
    """Return equal `analysis` settings for an Elasticsearch index, with an analyzer called `words`."""
    filters = ["lowercase", *(["stopped"] if config.stopwords == "english" else []), "cut"]
    return {
        "analyzer": {
            "words": {
                "type": "custom",
                "tokenizer": "words",
                "filter": [*filters, *(["porter_stem"] if config.stemmer == "porter" else [])],
            }
        },
        "tokenizer": {
            "words": {"type": "pattern", "pattern": config.pattern, "group": 0, "flags": "UNICODE_CHARACTER_CLASS"}
        },
        "filter": {
            "stopped": {"type": "stop", "stopwords": sorted(STOPWORDS)},
            "cut": {"type": "truncate", "length": MAX_WORD},
        },
    }
