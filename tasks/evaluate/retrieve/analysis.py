"""Words of a text as Lucene's analysis would have them: pattern, lower case, stop words, Porter's stems."""

import re
from collections.abc import Callable, Iterable, Iterator

from rarefy.tasks.evaluate.retrieve.config import AnalysisConfig
from rarefy.tasks.evaluate.retrieve.porter import stem

LONGEST = 100  # characters of a word; Lucene refuses words of more than 32,766 bytes

# Lucene's EnglishAnalyzer.ENGLISH_STOP_WORDS_SET, Elasticsearch's _english_
STOPWORDS = frozenset(
    "a an and are as at be but by for if in into is it no not of on or such that the their then there these they this "
    "to was will with".split()
)


class Analysis:
    """The words of texts; a word's form is worked out once."""

    def __init__(self, config: AnalysisConfig) -> None:
        self.found: Callable[[str], list[str]] = re.compile(config.pattern).findall
        self._stopwords = STOPWORDS if config.stopwords == "english" else frozenset[str]()
        self._stem = stem if config.stemmer == "porter" else str
        self._forms: dict[str, str] = {}

    def form(self, word: str) -> str:
        """What a word in small letters is counted as; "" for a stop word."""
        return "" if word in self._stopwords else self._stem(word[:LONGEST])

    def words(self, text: str) -> list[str]:
        """The words of a text, in their order."""
        found = []
        for word in self.found(text.lower()):
            if word not in self._forms:
                self._forms[word] = self.form(word)
            if self._forms[word]:
                found.append(self._forms[word])
        return found


class Numbered(dict[str, int]):
    """Words as they are found -> number of their form; -1 for stop words. Grows as it is asked."""

    def __init__(self, analysis: Analysis) -> None:
        super().__init__()
        self._analysis = analysis
        self.vocabulary: dict[str, int] = {}  # form -> its number

    def __missing__(self, word: str) -> int:
        form = self._analysis.form(word)
        number = self[word] = self.vocabulary.setdefault(form, len(self.vocabulary)) if form else -1
        return number


def settings(config: AnalysisConfig) -> dict[str, object]:
    """The same, as the `analysis` settings of an Elasticsearch index whose analyzer is called `words`."""
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
            "cut": {"type": "truncate", "length": LONGEST},
        },
    }


def blocks(texts: Iterable[str], size: int) -> Iterator[list[str]]:
    """The texts in their order, so many at a time."""
    some: list[str] = []
    for text in texts:
        some.append(text)
        if len(some) == size:
            yield some
            some = []
    if some:
        yield some
