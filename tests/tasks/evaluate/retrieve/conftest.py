"""Passages with what Lucene makes of them, BM25 written out plainly, and small models of chance."""

import math
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from tiny_cross_encoder import save_cross_encoder

from rarefy.data_contracts.rows import Chunk
from rarefy.tasks.evaluate.retrieve.analysis import stem

Scores = dict[str, float]

# What Lucene 9.9.1 itself gave for these passages and queries on 2026-11-21 (PatternTokenizer with the default pattern,
# LowerCaseFilter, StopFilter with EnglishAnalyzer's set, TruncateTokenFilter 100, PorterStemFilter; BM25Similarity(1.2,
# 0.75); a BooleanQuery of SHOULD clauses, one segment, sorted by score and then by name).
LUCENE: dict[str, Scores] = {
    "What were Apple's net sales in fiscal 2024?": {
        "c1": 4.6108007,
        "c2": 2.110377,
        "c8": 1.3796393,
        "c5": 0.34459996,
        "c7": 0.31816474,
    },
    "federal funds rate target range": {"c3": 3.8525412, "c4": 3.8525412},
    "sales sales": {"c5": 0.6891999, "c1": 0.6383342, "c7": 0.6363295, "c8": 0.5046609, "c2": 0.4923964},
    "interrupted supplies of suppliers": {"c2": 3.6257324},
    "the of and": {},
    "hired retailers' employment wages": {"c8": 4.5092354},
    "operating income of segment 7": {"c7": 4.5287333},
    "391,035": {"c1": 1.0999124},
    "zebra": {},
}
RATE = "Members agreed to maintain the target range for the federal funds rate at 5-1/4 to 5-1/2 percent."
SEGMENT = (
    "Segment {0} reported operating income of {0}.{1} million and sales of {2},{3} units in its region during the year."
)
TEXTS = {
    "c1": "Apple Inc. annual report\nNet sales\n"
    "Net sales rose 8% to $391,035 million in fiscal 2024, and services sales reached a record.",
    "c2": "Apple Inc. annual report\nRisk factors\n"
    "The Company's business depends on suppliers; sales may fall if supply is interrupted, interrupting interruptions.",
    "c3": f"FOMC minutes\n{RATE}",
    "c4": f"FOMC minutes\n{RATE}",
    "c5": "sales sales sales sales",
    "c6": "the of and",
    "c7": "Long passage. " + " ".join(SEGMENT.format(n, n % 10, n * 3, 100 + n) for n in range(30)),
    "c8": "Beige Book\n"
    "Business contacts reported that employment grew modestly; wages were rising, and hiring slowed in retail sales.",
}


def chunk(name: str, text: str, **told: Any) -> Chunk:
    return Chunk(name, told.pop("doc_id", "d1"), 0, len(text), "text", told.pop("section", ""), text, 0, **told)


@pytest.fixture(scope="session")
def lucene() -> dict[str, Scores]:
    return LUCENE


@pytest.fixture(scope="session")
def chunks() -> dict[str, Chunk]:
    return {name: chunk(name, text) for name, text in reversed(TEXTS.items())}


@pytest.fixture(scope="session")
def reference() -> Callable[..., Scores]:
    return ranked


def words(text: str, analysis: Mapping[str, Any]) -> list[str]:
    """Words as the settings of an index say, read from the settings alone."""
    filters = analysis["analyzer"]["words"]["filter"]
    found = re.findall(analysis["tokenizer"]["words"]["pattern"], text)
    for name in filters:
        told = analysis["filter"].get(name, {"type": name})
        if told["type"] == "lowercase":
            found = [word.lower() for word in found]
        elif told["type"] == "stop":
            found = [word for word in found if word not in told["stopwords"]]
        elif told["type"] == "truncate":
            found = [word[: told["length"]] for word in found]
        elif told["type"] == "porter_stem":
            found = [stem(word) for word in found]
        else:
            raise ValueError(f"no token filter {told['type']}")
    return found


def byte4(length: int) -> int:
    """A length as Lucene's SmallFloat.byte4ToInt(intToByte4(length)) gives it back, bit by bit."""
    if length < 24:
        return length
    rest = length - 24
    digits = rest.bit_length()
    if digits < 4:
        return length
    shift = digits - 4
    encoded = ((rest >> shift) & 7) | ((shift + 1) << 3)
    return 24 + (((encoded & 7) | 8) << ((encoded >> 3) - 1))


def ranked(texts: Mapping[str, str], query: str, analysis: Mapping[str, Any], k1: float, b: float) -> Scores:
    """Lucene's BM25, one passage and one word at a time: name -> score of all that share a word, best first."""
    counted = {name: words(text, analysis) for name, text in texts.items()}
    having = [found for found in counted.values() if found]
    mean = sum(map(len, having)) / max(len(having), 1)
    scores: Scores = {}
    for word in words(query, analysis):
        held = sum(word in found for found in having)
        weight = math.log(1 + (len(having) - held + 0.5) / (held + 0.5))
        for name, found in counted.items():
            if often := found.count(word):
                norm = k1 * (1 - b + b * byte4(len(found)) / mean)
                scores[name] = scores.get(name, 0.0) + weight * often / (often + norm)
    return dict(sorted(scores.items(), key=lambda one: (-round(one[1], 6), one[0])))


@pytest.fixture(scope="session")
def reranker(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A cross-encoder of chance with a tokenizer of its own: what it says means nothing, how it is read does."""
    return cross_encoder(tmp_path_factory.mktemp("reranker"), 1)


def cross_encoder(place: Path, outputs: int) -> Path:
    known = sorted({word for text in TEXTS.values() for word in re.findall(r"\w+", text.lower())})
    return save_cross_encoder(place, known, 64, 3, num_labels=outputs)


@pytest.fixture(scope="session")
def classifier(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A cross-encoder that gives three numbers, as one for inference does."""
    return cross_encoder(tmp_path_factory.mktemp("classifier"), 3)
