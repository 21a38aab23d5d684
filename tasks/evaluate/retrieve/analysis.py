"""Splits text into index terms as Lucene does: by a pattern, in lower case, without stop words, stemmed by Porter."""

import re
from collections.abc import Callable
from functools import lru_cache

from rarefy.tasks.evaluate.retrieve.config import AnalysisConfig

# Porter's stemmer (Program 14, 1980) with its author's two later changes, as in Lucene's PorterStemFilter. Snowball's
# has neither: PyStemmer's "porter" makes other terms of "apology", "sensibly" and "trekked"

STEP2 = dict(
    pair.split(":")
    for pair in (
        "ational:ate tional:tion enci:ence anci:ance izer:ize bli:ble alli:al entli:ent eli:e ousli:ous ization:ize "
        "ation:ate ator:ate alism:al iveness:ive fulness:ful ousness:ous aliti:al iviti:ive biliti:ble logi:log"
    ).split()
)
STEP3 = {"icate": "ic", "ative": "", "alize": "al", "iciti": "ic", "ical": "ic", "ful": "", "ness": ""}
STEP4 = dict.fromkeys("al ance ence er ic able ible ant ement ment ent ion ou ism ate iti ous ive ize".split(), "")
# what finds the longest ending, what replaces each, and the least measure of what is left before it
ENDINGS = [
    (re.compile(f"(?:{'|'.join(sorted(step, key=len, reverse=True))})$"), step, least)
    for step, least in ((STEP2, 1), (STEP3, 1), (STEP4, 2))
]


@lru_cache(maxsize=1 << 18)
def stem(word: str) -> str:
    """Return the stem of a lower-case word; words of one or two letters stay."""
    if len(word) <= 2 or word[-1].isdigit():  # no ending ends in a digit
        return word
    if word.endswith("s") and not word.endswith("ss"):
        word = word[:-2] if word.endswith(("sses", "ies")) else word[:-1]
    word = _strip_past(word)
    if word.endswith("y") and "v" in _shape(word[:-1]):
        word = f"{word[:-1]}i"
    for ending, replaced, least in ENDINGS:
        found = ending.search(word)
        if found and _measure(left := word[: found.start()]) >= least and (found[0] != "ion" or left[-1] in "st"):
            word = left + replaced[found[0]]
    if word.endswith("e") and _measure(word[:-1]) > _ends_in_short_syllable(word[:-1]):
        word = word[:-1]
    return word[:-1] if word.endswith("ll") and _measure(word) > 1 else word


def _shape(word: str) -> str:
    """Return v for each vowel, also for a y after a consonant, and c for each other letter."""
    shape = ""
    for letter in word:
        shape += "v" if letter in "aeiou" or (letter == "y" and shape.endswith("c")) else "c"
    return shape


def _measure(word: str) -> int:
    """Count how often a vowel is followed by a consonant."""
    return _shape(word).count("vc")


def _ends_in_short_syllable(word: str) -> bool:
    """Return whether a word ends in consonant, vowel, consonant other than w, x, y: "hop"."""
    return _shape(word).endswith("cvc") and word[-1] not in "wxy"


def _strip_past(word: str) -> str:
    """Step 1b."""
    if word.endswith("eed"):
        return word[:-1] if _measure(word[:-3]) > 0 else word
    left = word.removesuffix("ed") if word.endswith("ed") else word.removesuffix("ing")
    if left == word or "v" not in _shape(left):
        return word
    if left.endswith(("at", "bl", "iz")):
        return f"{left}e"
    if left[-2:-1] == left[-1] and left[-1] not in "aeioulsz" and _shape(left).endswith("c"):
        return left[:-1]
    return f"{left}e" if _measure(left) == 1 and _ends_in_short_syllable(left) else left


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
