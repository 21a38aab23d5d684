"""What a text is like, whatever it means: readability, diversity, syntax, perplexity, length (SURE App. B)."""

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from spacy.tokens import Token

_WORD = re.compile(r"\w+(?:['’.,-]\w+)*")
Depth = Literal["deepest", "mean"]


@dataclass(frozen=True, slots=True)
class Features:
    """The five features of Tables 3 and 4; NaN where there is nothing to measure."""

    flesch: float
    distinct: float  # different words of all words
    depth: float  # arcs from the root of a sentence to its deepest word
    perplexity: float = math.nan  # of the model that is looked at
    tokens: float = math.nan  # of that model


NAMES = {
    "flesch": "Flesch score",
    "distinct": "Distinct-1",
    "depth": "dependency tree depth",
    "perplexity": "perplexity",
    "tokens": "token length",
}


def features(texts: Sequence[str], depth: Depth = "deepest") -> Iterator[Features]:
    """Flesch, Distinct-1 and depth of each text. English alone: all three are made for it."""
    import textstat  # late: offline in the version that is pinned

    from rarefy.tasks.text.language.load import load

    for text, doc in zip(texts, load().pipe(texts, disable=["ner"]), strict=True):
        words = [word.casefold() for word in _WORD.findall(text)]
        arcs = [max(map(_arcs, sentence)) for sentence in doc.sents if any(not token.is_space for token in sentence)]
        yield Features(
            float(textstat.flesch_reading_ease(text)) if words else math.nan,
            len(set(words)) / len(words) if words else math.nan,
            float(max(arcs) if depth == "deepest" else sum(arcs) / len(arcs)) if arcs else math.nan,
        )


def _arcs(token: "Token") -> int:
    """How far a word is from the root of its sentence."""
    count = 0
    while token.head.i != token.i:
        token = token.head
        count += 1
    return count


def perplexity(logprob: float, scored: int) -> float:
    """exp of the mean negative log-probability (natural) of the tokens that have one; NaN where none has."""
    return math.exp(-logprob / scored) if scored else math.nan
