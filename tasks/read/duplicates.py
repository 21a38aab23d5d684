"""Documents that repeat another one of the corpus, word for word or nearly (MinHash over word shingles)."""

import hashlib
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import xxhash
from datasketch import MinHash, MinHashLSH
from pydantic import BaseModel, Field

VERSION = 2

WORD = re.compile(r"\w+")
SLACK = 0.1  # the index is asked for pairs a little under the threshold: near it, it misses some
BATCH = 8192  # shingles: 128 permutations of them take 4 MB


class DuplicatesConfig(BaseModel, frozen=True, extra="forbid"):
    """When two documents count as one."""

    similarity: float = Field(
        default=0.9, gt=0, le=1, description="estimated Jaccard similarity from which a document repeats another"
    )
    across_periods: float = Field(
        default=0.98,
        gt=0,
        le=1,
        description="the same for reports on two different periods, which read alike by nature",
    )
    shingle: int = Field(default=5, ge=1, description="words in a row that are compared as one")
    permutations: int = Field(
        default=128, ge=16, description="MinHash functions; at 128 the estimate errs by about 0.03 at 0.9"
    )


_NONE: Mapping[str, int] = {}


@dataclass(frozen=True, slots=True)
class _Sketch:
    digest: str
    period: str
    signature: MinHash


def flag_duplicates(
    documents: Iterable[tuple[str, str, str]], config: DuplicatesConfig, places: Mapping[str, int] = _NONE
) -> dict[str, tuple[str, float]]:
    """Of (doc_id, text, period_end), the documents that repeat another: doc_id to (that one's doc_id, similarity).

    The one that is repeated has the smaller doc_id, so that the order of the corpus does not matter; of two that are
    nearly the same, the one with the smaller place, where they have any: of a report and its amended form, the later
    one says what holds. Equal words are similarity 1.0; reports on two different periods need be as good as equal.
    """
    words: dict[str, int] = {}
    sketches = {doc_id: _sketch(text, period, config, words) for doc_id, text, period in documents}
    originals: dict[str, str] = {}
    for doc_id in sorted(sketches, reverse=True):
        originals[sketches[doc_id].digest] = doc_id
    index = MinHashLSH(threshold=max(config.similarity - SLACK, 0.05), num_perm=config.permutations)
    flagged: dict[str, tuple[str, float]] = {}
    for doc_id in sorted(originals.values(), key=lambda name: (places.get(name, 0), name)):
        sketch = sketches[doc_id]
        alike = []
        for other in index.query(sketch.signature):
            similarity = sketch.signature.jaccard(sketches[other].signature)
            periods = {sketch.period, sketches[other].period} - {""}
            if similarity >= (config.similarity if len(periods) < 2 else config.across_periods):
                alike.append((-similarity, other))
        nearest, other = min(alike, default=(0.0, ""))
        if other:
            flagged[doc_id] = (other, round(min(-nearest, 0.9999), 4))  # 1.0 is kept for equal words
        else:
            index.insert(doc_id, sketch.signature, check_duplication=False)
    for doc_id, sketch in sketches.items():
        if (same := originals[sketch.digest]) != doc_id:
            flagged[doc_id] = flagged.get(same, (same, 1.0))  # what a repeated document repeats, not itself
    return flagged


def _sketch(text: str, period: str, config: DuplicatesConfig, words: dict[str, int]) -> _Sketch:
    tokens = WORD.findall(text.lower())
    digest = hashlib.blake2b(" ".join(tokens).encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()
    signature = MinHash(num_perm=config.permutations, hashfunc=int)
    shingles = _shingles(tokens, config.shingle, words)
    for start in range(0, len(shingles), BATCH):
        signature.update_batch(shingles[start : start + BATCH].tolist())
    return _Sketch(digest, period, signature)


def _shingles(tokens: list[str], length: int, words: dict[str, int]) -> npt.NDArray[np.uint32]:
    """The hashes of each stretch of words, each once; `words` remembers the hashes of words between documents."""
    numbers = np.fromiter(
        (words[token] if token in words else _remember(token, words) for token in tokens), np.uint64, len(tokens)
    )
    length = min(length, len(numbers))
    rolled = np.zeros(max(len(numbers) - length + 1, 0), np.uint64)
    for offset in range(length):
        rolled = rolled * np.uint64(0x9E3779B97F4A7C15) + numbers[offset : offset + len(rolled)]
    return np.unique((rolled >> np.uint64(32)).astype(np.uint32))


def _remember(token: str, words: dict[str, int]) -> int:
    words[token] = number = xxhash.xxh64_intdigest(token.encode("utf-8", "surrogatepass"))
    return number
