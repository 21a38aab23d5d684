"""Flag documents that repeat another one of the corpus, word for word or nearly (MinHash over word shingles)."""

import hashlib
import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
import xxhash
from pydantic import BaseModel, Field

if TYPE_CHECKING:
    from datasketch import MinHash

VERSION = 2

WORD = re.compile(r"\w+")
SLACK = 0.1  # the index is asked for pairs a little under the threshold: near it, it misses some
BATCH = 8192  # shingles: 128 permutations of them take 4 MB
WORDS = 1_000_000  # whose hashes are remembered


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


@dataclass(frozen=True)
class _Sketches:
    """What is compared of each document: half a gigabyte for a million documents."""

    doc_ids: list[str]
    digests: list[bytes]
    periods: list[str]
    signatures: npt.NDArray[np.uint32]  # [document, permutation]


def flag_duplicates(
    documents: Iterable[tuple[str, str, str]], config: DuplicatesConfig, places: Mapping[str, int] = _NONE
) -> dict[str, tuple[str, float]]:
    """Of (doc_id, text, period_end), the documents that repeat another: doc_id to (that one's doc_id, similarity).

    The one that is repeated has the smaller doc_id, so that the order of the corpus does not matter; of two that are
    nearly the same, the one with the smaller place, where they have any: of a report and its amended form, the later
    one says what holds. Equal words are similarity 1.0; reports on two different periods need be as good as equal.
    """
    sketches = _sketched(documents, config)
    names, signatures = sketches.doc_ids, sketches.signatures
    originals: dict[bytes, str] = {}
    for doc_id, digest in sorted(zip(names, sketches.digests, strict=True), reverse=True):
        originals[digest] = doc_id
    at = {name: place for place, name in enumerate(names)}
    order = sorted(originals.values(), key=lambda name: (places.get(name, 0), name))
    near = _Near(signatures[[at[name] for name in order]], config)
    flagged: dict[str, tuple[str, float]] = {}
    for place, doc_id in enumerate(order):
        mine, period = signatures[at[doc_id]], sketches.periods[at[doc_id]]
        alike = []
        for other in (order[rank] for rank in near.of(place)):
            similarity = float(np.count_nonzero(mine == signatures[at[other]])) / config.permutations
            periods = {period, sketches.periods[at[other]]} - {""}
            if similarity >= (config.similarity if len(periods) < 2 else config.across_periods):
                alike.append((-similarity, other))
        nearest, other = min(alike, default=(0.0, ""))
        if other:
            flagged[doc_id] = (other, round(min(-nearest, 0.9999), 4))  # 1.0 is kept for equal words
        else:
            near.add(place)
    for doc_id, digest in zip(names, sketches.digests, strict=True):
        if (same := originals[digest]) != doc_id:
            flagged[doc_id] = flagged.get(same, (same, 1.0))  # what a repeated document repeats, not itself
    return flagged


class _Near:
    """Which documents share a band of their signatures (locality-sensitive hashing, with datasketch's bands)."""

    def __init__(self, signatures: npt.NDArray[np.uint32], config: DuplicatesConfig) -> None:
        from datasketch import MinHashLSH  # late: it imports SciPy, half a second

        index = MinHashLSH(threshold=max(config.similarity - SLACK, 0.05), num_perm=config.permutations)
        self._groups: dict[int, list[tuple[int, int]]] = defaultdict(list)  # of the documents that share any
        self._added: dict[tuple[int, int], list[int]] = defaultdict(list)
        for band in range(index.b):
            hashed = np.zeros(len(signatures), np.uint64)
            for column in range(band * index.r, (band + 1) * index.r):
                hashed = hashed * np.uint64(0x9E3779B97F4A7C15) + signatures[:, column]
            _, group, counts = np.unique(hashed, return_inverse=True, return_counts=True)
            for place in np.flatnonzero(counts[group] > 1).tolist():
                self._groups[place].append((band, int(group[place])))

    def of(self, place: int) -> set[int]:
        """The documents added so far that share a band with this signature."""
        return {other for group in self._groups.get(place, ()) for other in self._added.get(group, ())}

    def add(self, place: int) -> None:
        """Add a document, for later ones to find."""
        for group in self._groups.get(place, ()):
            self._added[group].append(place)


def _sketched(documents: Iterable[tuple[str, str, str]], config: DuplicatesConfig) -> _Sketches:
    from datasketch import MinHash

    words: dict[str, int] = {}
    doc_ids, digests, periods = list[str](), list[bytes](), list[str]()
    blocks: list[npt.NDArray[np.uint32]] = []
    block: list[npt.NDArray[np.uint32]] = []
    fresh = MinHash(num_perm=config.permutations, hashfunc=int, scheme="affine32")
    for doc_id, text, period in documents:
        tokens = WORD.findall(text.lower())
        plain = " ".join(tokens).encode("utf-8", "surrogatepass")
        doc_ids.append(doc_id)
        digests.append(hashlib.blake2b(plain, digest_size=16).digest())
        periods.append(period)
        block.append(_signature(_shingles(tokens, config.shingle, words), fresh))
        if len(block) == BATCH:
            blocks.append(np.stack(block))
            block = []
        if len(words) > WORDS:
            words.clear()  # names and figures never come to an end
    blocks.append(np.stack(block) if block else np.zeros((0, config.permutations), np.uint32))
    return _Sketches(doc_ids, digests, periods, np.concatenate(blocks))


def _signature(shingles: npt.NDArray[np.uint32], fresh: "MinHash") -> npt.NDArray[np.uint32]:
    """The MinHash values of these shingles; a new MinHash would draw its permutations anew."""
    signature = fresh.copy()
    for start in range(0, len(shingles), BATCH):
        signature.update_batch(shingles[start : start + BATCH].tolist())
    return np.asarray(signature.hashvalues, np.uint32)


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
